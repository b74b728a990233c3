"""Foils that do not tell their names: a few are drawn by a seed, and are to be caught.

Each says what somebody at Northlight saw, as a report of a fault does. Which mechanism is missing, and
which probe asks for it, is left to whoever is to find it.

>>> case = draw(3)[0]
>>> case
<case 1 of seed 3>
>>> print(case.ask("half_open").answer)
holds

They are drawn from what a quick probe catches and no notebook uses. Left out: a proof that nobody looked
it up.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import teachmem
from teachmem.clock import LessonClock
from teachmem.errors import InvalidInput
from teachmem.ids import CountedIds
from teachmem.marks import foil, probe
from teachmem.marks.probe import Finding, Probe
from teachmem.marks.system import System
from teachmem.marks.systems.in_process import InProcess
from teachmem.recall.embed import HashingEmbedder
from teachmem.recall.vectors import ExactIndex

POOL = (
    "anyone_decides",
    "approve_without_gate",
    "closed_intervals",
    "expiry_by_sweep_only",
    "last_decision_counts",
    "later_knowledge",
    "lines_unescaped",
    "meaning_alone",
    "names_as_patterns",
    "nearest_is_an_answer",
    "newest_wins",
    "question_as_syntax",
    "said_twice_is_gone",
    "source_as_claimed",
    "summary_for_everyone",
)
CASES = 3


class Quick(InProcess):
    """The kit in process with nothing to load and counted ids: one answer every time, in milliseconds."""

    name, version, way = "the kit", "as installed", "in process, with an embedder that knows spelling alone"

    def __init__(self, clock: LessonClock | None = None) -> None:
        super().__init__(clock)
        self.ids = CountedIds()

    def reopen(self) -> None:
        """Close and open again what is in the file."""
        self.close()
        place = ":memory:" if self.file is None else self.file
        self.mem = teachmem.open_memory(
            place, clock=self.clock, ids=self.ids, embedder=HashingEmbedder(), vectors=ExactIndex()
        )

    def beside(self) -> System:
        """Open the same file a second time; ids go on where they are."""
        other = Quick(self.clock)
        other.ids, other.file = self.ids, self._file()
        other.reopen()
        return other


@dataclass(frozen=True, slots=True, repr=False)
class Hidden:
    """One foil that was drawn; `seed` and `number` say which."""

    seed: int
    number: int

    @property
    def seen(self) -> str:
        """What somebody saw."""
        return self._foil().seen

    @contextmanager
    def on(self) -> Iterator[None]:
        """Switch it on for the length of the block."""
        with foil.foil(self._foil().name):
            yield

    def ask(self, asked: str | Probe) -> Finding:
        """Put a probe, one of the list or your own, to the kit while this foil is on."""
        one = named(asked) if isinstance(asked, str) else asked
        with self.on():
            return probe.ask(one, Quick)

    def _foil(self) -> foil.Foil:
        name = sorted(POOL, key=lambda name: _place(self.seed, name))[self.number - 1]
        return next(one for one in foil.foils() if one.name == name)

    def __repr__(self) -> str:
        return f"<case {self.number} of seed {self.seed}>"


def draw(seed: int) -> tuple[Hidden, ...]:
    """Return three cases; the same seed gives the same ones on every machine."""
    if type(seed) is not int:
        raise InvalidInput("seed", f"must be a whole number, not {seed!r}")
    return tuple(Hidden(seed, number) for number in range(1, CASES + 1))


def named(name: str) -> Probe:
    """Return a probe of the list by its name. Raises `InvalidInput` that says where the names are."""
    for one in probe.probes():
        if one.name == name:
            return one
    raise InvalidInput("probe", f"{name!r} is none of the list; probe.probes() has them all")


def _place(seed: int, name: str) -> bytes:
    return hashlib.sha256(f"{seed}/{name}".encode()).digest()
