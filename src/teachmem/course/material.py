"""What a segment is made of: its story, its predictions, its exercises with their laws and wrong ideas.

All of it is data that a small module in `segments/` writes down. A **law** is a function of the
student's answer that returns None, or one sentence with a counter-example made from that very answer;
its name is the law's id. A **misconception** is a wrong idea with a name: it is recognised by the law
that the answer breaks, or by a function of its own, and it has a card.

>>> def halves(recency):
...     now, later = call(recency, 0), call(recency, 24)
...     if later != now / 2:
...         return f"{shown(recency, 24)} gave {show(later)}, half of {show(now)} was due"
>>> halves(lambda hours: 1.0)
'your function(24) gave 1.0, half of 1.0 was due'

Left out: how an answer reaches a law (`checker.py`, `judge.py`), and what a law says of a student.
"""

from __future__ import annotations

import copy
import math
import re
import reprlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar

from teachmem.course import words

if TYPE_CHECKING:
    from teachmem.course.stage import Stage

Law = Callable[[Any], "str | None"]
F = TypeVar("F", bound=Callable[..., Any])

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
_short = reprlib.Repr()
_short.maxstring = _short.maxother = 80
_short.maxlist = _short.maxtuple = _short.maxdict = _short.maxset = 8


class Wrong(Exception):
    """Raised by the helpers below in the middle of a law; its text is the counter-example."""


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
    `episodes` and `notes` are True (all), False (none) or a test of a row of the data file.
    """

    number: str
    title: str
    start: datetime
    episodes: Choice = False
    notes: Choice = False
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


def on_stage(law: Callable[[Any, Stage], str | None]) -> Law:
    """Mark a law that also wants the segment's story: it is called with the answer and a `Stage`."""
    law.on_stage = True  # type: ignore[attr-defined]
    return law  # type: ignore[return-value]


def call(function: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    """Call the student's function on copies of the arguments; what it raises becomes a counter-example."""
    try:
        return function(*copy.deepcopy(arguments), **copy.deepcopy(named))
    except MemoryError:
        raise
    except BaseException as error:
        if isinstance(error, SystemExit | KeyboardInterrupt):
            raise Wrong(words.LEFT_PYTHON.format(error=class_name(error))) from None
        called = shown(function, *arguments, **named)
        raise Wrong(words.RAISED.format(call=called, error=fault(error))) from None


def number(value: Any, called: str) -> float:
    """Return a plain finite number, or stop the law: `called` is the call that gave the value."""
    if hasattr(value, "dtype") and hasattr(value, "item") and type(value).__module__ == "numpy":
        value = value.item()
    if type(value) not in (int, float):
        raise Wrong(f"{called} gave {show(value)}, which is no number")
    if not math.isfinite(value):
        raise Wrong(f"{called} gave {value}, which is not finite")
    return value  # type: ignore[no-any-return]


def sequence(value: Any, called: str) -> list[Any]:
    """Return a plain list of a list or tuple, or stop the law."""
    if type(value) not in (list, tuple):
        raise Wrong(f"{called} gave {show(value)}, which is no list")
    return list(value)


def close(one: float, other: float) -> bool:
    """Say whether two numbers are the same but for rounding."""
    return math.isclose(one, other, rel_tol=1e-6, abs_tol=1e-9)


def shown(function: Any, *arguments: Any, **named: Any) -> str:
    """Return a call as one would write it."""
    name = getattr(function, "__name__", "")
    if not isinstance(name, str) or not name.isidentifier():
        name = "your function"
    parts = [show(value) for value in arguments]
    parts += [f"{key}={show(value)}" for key, value in named.items()]
    return f"{name}({', '.join(parts)})"


def show(value: Any, most: int = 160) -> str:
    """Return a value in one short line that is the same on every machine.

    >>> show(object())
    '<object object>'
    """
    try:
        text = f"{value:.4g}" if type(value) is float and abs(value) < 1e6 else _short.repr(value)
        text = re.sub(r"^(-?\d+)$", r"\1.0", text) if type(value) is float else text
    except BaseException:
        text = f"an object of class {class_name(value)} that cannot be shown"
    return one_line(_ADDRESS.sub("", text), most)


def class_name(value: object) -> str:
    """Return the name of an object's class, whatever its metaclass says."""
    return str(type.__dict__["__name__"].__get__(type(value)))


def fault(error: BaseException) -> str:
    """Return an exception's type and message in one short line, whatever its own `__str__` does."""
    try:
        text = str(error)
    except BaseException:
        text = ""
    name = class_name(error)
    return one_line(_ADDRESS.sub("", f"{name}: {text}" if text else name), 160)


def one_line(text: str, most: int) -> str:
    """Return `text` without line breaks and control characters, cut at `most`."""
    text = "".join(sign if sign.isprintable() else " " for sign in str(text))
    return text if len(text) <= most else text[: most - 4] + " ..."


def is_function(value: Any) -> bool:
    """Say whether an answer can be called: the usual `fits`."""
    return callable(value) and not isinstance(value, type)


def first(faults: Sequence[str | None]) -> str | None:
    """Return the first sentence, or None."""
    return next((sentence for sentence in faults if sentence), None)
