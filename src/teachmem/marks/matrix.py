"""Foils by probes: which fault each probe finds, and which probe finds each fault. Computed, never typed.

A probe that catches no foil has never been seen to fail, and a foil that no probe catches shows nothing. So
each probe is put to the whole kit, where it must hold, and to the kit under every foil.

>>> matrix = compute(["moratorium_in_disguise"], probe.probes("tombstone"))
>>> matrix.caught_by("moratorium_in_disguise")
('after_two_months',)
>>> matrix.unbroken
True

Probes that look at files or start processes take longer. They are put to every foil only if asked for
(`every=True`); otherwise to those that no probe in memory has caught, that the mark of such a probe has
caught, or that stand in `BESIDE`. With `pairs` nothing else is asked than these: that is how the tests see
in seconds that each foil still bites where docs/marks.md says so.

Left out: other systems. A foil is a fault of teachmem; what others answer is on their cards.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from teachmem.errors import InvalidInput
from teachmem.marks import foil as foils
from teachmem.marks import probe
from teachmem.marks.probe import Answer, Finding, Mark, Probe
from teachmem.marks.system import System
from teachmem.marks.systems.in_process import InProcess

if TYPE_CHECKING:
    import pandas as pd

UNBROKEN = ""  # the row of the kit without a foil
SERVED = ("few_words_first",)  # asked of the server: a library says nothing before the first question
BESIDE = {  # foils of which files have more to show than the memory that caught them
    "stale_index": ("one_finds_what_the_other_wrote",),
    "twins_are_written": ("same_text_twice",),
}


@dataclass(frozen=True)
class Matrix:
    """What each probe answered, of the kit under each foil and without one (`UNBROKEN`).

    A pair that is not in `cells` was not asked.
    """

    foils: tuple[str, ...]
    probes: tuple[Probe, ...]
    cells: Mapping[tuple[str, str], Finding] = field(repr=False)

    def caught_by(self, name: str) -> tuple[str, ...]:
        """Return the probes that fail under a foil, and hold without it."""
        return tuple(one.name for one in self.probes if self._catches(name, one.name))

    def catches(self, name: str) -> tuple[str, ...]:
        """Return the foils that a probe catches."""
        return tuple(each for each in self.foils if self._catches(each, name))

    def by_foil(self) -> dict[str, tuple[Finding, ...]]:
        """Return what was answered under each foil: what `show.foils` draws."""
        return {
            name: tuple(found for (foil, _), found in self.cells.items() if foil == name)
            for name in self.foils
        }

    @property
    def unbroken(self) -> bool:
        """Whether the kit without a foil holds to every probe."""
        return all(self.cells[UNBROKEN, one.name].answer is Answer.HOLDS for one in self.probes)

    def findings(self) -> dict[str, tuple[Finding, ...]]:
        """Return what was answered under each foil, as `show.foils` takes it."""
        return {
            name: tuple(self.cells[name, one.name] for one in self.probes if (name, one.name) in self.cells)
            for name in self.foils
        }

    def frame(self) -> pd.DataFrame:
        """Return a pandas table: a row a foil, the kit without one first; a column a probe; "" not asked."""
        import pandas as pd

        rows = {
            name or "(no foil)": [
                str(found.answer) if (found := self.cells.get((name, one.name))) else ""
                for one in self.probes
            ]
            for name in (UNBROKEN, *self.foils)
        }
        return pd.DataFrame.from_dict(rows, orient="index", columns=[one.name for one in self.probes])

    def _catches(self, name: str, probe_name: str) -> bool:
        found, whole = self.cells.get((name, probe_name)), self.cells[UNBROKEN, probe_name]
        return found is not None and found.answer is Answer.FAILS and whole.answer is Answer.HOLDS


def compute(
    names: Iterable[str] | None = None,
    asked: Iterable[Probe] | None = None,
    *,
    every: bool = False,
    pairs: Collection[tuple[str, str]] | None = None,
    progress: Callable[[str, Finding], None] | None = None,
) -> Matrix:
    """Put the probes to the kit without a foil and under each of `names`, or of all; return the matrix.

    `pairs` are of a foil and a probe by name; the kit without a foil is asked everything.
    `progress` hears of each foil and finding as it comes.
    """
    known = [one.name for one in foils.foils()]
    chosen = known if names is None else list(names)
    if unknown := sorted(set(chosen) - set(known)):
        raise InvalidInput("names", f"{', '.join(unknown)} is no foil; there are: {', '.join(known)}")
    every_probe = probe.probes() if asked is None else tuple(asked)
    cells: dict[tuple[str, str], Finding] = {}

    def put(name: str, some: Iterable[Probe]) -> None:
        for one in some:
            cells[name, one.name] = found = probe.ask(one, made_for(one))
            if progress:
                progress(name, found)

    put(UNBROKEN, every_probe)
    quick = [one for one in every_probe if is_quick(one)]
    for name in chosen:
        with foils.foil(name):
            if pairs is not None:
                put(name, [one for one in every_probe if (name, one.name) in pairs])
                continue
            put(name, quick)
            caught = [one.mark for one in quick if cells[name, one.name].answer is Answer.FAILS]
            put(
                name,
                [one for one in every_probe if not is_quick(one) and (every or _worth(name, one, caught))],
            )
    return Matrix(tuple(chosen), every_probe, cells)


def made_for(one: Probe) -> Callable[[], System]:
    """Return what makes the system that a probe is put to."""
    if one.name not in SERVED:
        return InProcess
    from teachmem.marks.systems.over_mcp import OverMcp  # fastmcp is loaded for this one alone

    return OverMcp


def is_quick(one: Probe) -> bool:
    """Say whether a probe is done in memory, in some hundredths of a second."""
    return not one.files and not one.slow and one.name not in SERVED


def _worth(name: str, one: Probe, caught: list[Mark]) -> bool:
    """Say whether a probe that takes longer is put to a foil that probes of these marks have caught."""
    return not caught or one.mark in caught or one.name in BESIDE.get(name, ())
