"""What a segment is made of: its story, its predictions, its exercises with their laws and wrong ideas.

All of it is data that a small module in `segments/` writes down. A **law** is a function of the
student's answer that returns None, or one sentence with a counter-example made from that very answer;
its name is the law's id. A **misconception** is a wrong idea with a name: it is recognised by the law
that the answer breaks, or by a function of its own, and it has a card.

>>> two = Misconception("twice is squared", "They agree at 0 and 2 only.", lambda answer: answer(3) == 9)
>>> two.shows(lambda number: number * number)
True

Left out: how an answer reaches a law (`checker.py`, `judge.py`), and what a law says of a student.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from teachmem.course.laws import (
    Law,
    Wrong,
    call,
    close,
    is_function,
    number,
    on_stage,
    sequence,
    show,
    shown,
)

# A segment takes all that it is written with from here.
__all__ = [
    "Choice",
    "Exercise",
    "Law",
    "Misconception",
    "Prediction",
    "Segment",
    "Who",
    "Wrong",
    "call",
    "close",
    "is_function",
    "number",
    "on_stage",
    "sequence",
    "show",
    "shown",
]


@dataclass(frozen=True, slots=True)
class Misconception:
    """A wrong idea. `shows` is the name of the law whose breach shows it, or a test of the answer."""

    name: str
    card: str
    shows: Callable[[Any], bool] | str


@dataclass(frozen=True, slots=True, kw_only=True)
class Exercise:
    """One exercise. `expected` says in words what kind of answer `fits`; `yes` what a right one shows."""

    id: str
    title: str
    concept: str
    expected: str
    fits: Callable[[Any], bool]
    laws: tuple[Law, ...]
    yes: str
    misconceptions: tuple[Misconception, ...]
    hints: tuple[str, str, str]

    def __post_init__(self) -> None:
        names = {law.__name__ for law in self.laws}
        for wrong in self.misconceptions:
            if isinstance(wrong.shows, str) and wrong.shows not in names:
                raise ValueError(f"exercise {self.id}: {wrong.name!r} names no law of it: {wrong.shows!r}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Prediction:
    """One prediction. `right` is a key of `choices`, or, without choices, a test of the answer."""

    id: str
    question: str
    choices: Mapping[str, str] | None
    right: str | Callable[[Any], bool]
    because: str
    concept: str

    def __post_init__(self) -> None:
        if self.choices is not None and self.right not in self.choices:
            raise ValueError(f"prediction {self.id}: {self.right!r} is none of its choices")

    def holds(self, answer: Any) -> bool:
        """Say whether `answer` is right."""
        if isinstance(self.right, str):
            return bool(answer == self.right)
        try:
            return bool(self.right(answer))
        except (TypeError, ValueError):
            return False


@dataclass(frozen=True, slots=True)
class Who:
    """An agent or a person of the story, by name."""

    name: str
    fleet: str = "dock"
    tenant: str = "northlight"
    person: bool = False
    clearance: int = 1


Choice = bool | Callable[[Mapping[str, Any]], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """One segment: where its clock stands, what of the data it starts with, who acts, what is asked.

    `home` names the module that holds it as `SEGMENT`, if it is none of ours.
    `episodes`, `notes`, `facts` and `graph` are True (all), False (none) or a test of a row of the data file.
    """

    number: str
    title: str
    start: datetime
    episodes: Choice = False
    notes: Choice = False
    facts: Choice = False
    graph: Choice = False
    until: datetime | None = None
    handles: Mapping[str, Who] = field(default_factory=lambda: {"tech": Who("dock-1")})
    predictions: tuple[Prediction, ...] = ()
    exercises: tuple[Exercise, ...] = ()
    home: str = ""

    def exercise(self, wanted: object) -> Exercise | None:
        """Return the exercise of this id, or None."""
        return next((one for one in self.exercises if type(wanted) is str and one.id == wanted), None)

    def prediction(self, wanted: object) -> Prediction | None:
        """Return the prediction of this id, or None."""
        return next((one for one in self.predictions if type(wanted) is str and one.id == wanted), None)
