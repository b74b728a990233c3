"""What became of a rebuilt module: its laws, the notebooks, the marks, each with what was seen.

>>> broke = Ruling("another", "What else.", "your f(0) gave 1, 0 was due")
>>> print(Rebuilt("rules.trust", "mine.py", ("clause",), laws=(Ruling("a_law", "What holds."), broke)))
rules.trust, rebuilt in mine.py (clause): not yet
laws       1 of 2 hold
  ✕ What else. But your f(0) gave 1, 0 was due.
notebooks  not run: the laws come first
marks      not run: the laws come first

Left out: running any of it (`run.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Ruling:
    """One law, notebook or probe: what it is called, what holds there, and what was seen instead, if so.

    `unjudged` says why it could not be judged.
    """

    name: str
    holds: str
    seen: str = ""
    unjudged: str = ""

    def __str__(self) -> str:
        if self.unjudged:
            return f"  ‖ {self.unjudged}"
        but = " But" if self.holds.endswith(".") else ""  # after a question, none
        return f"  ✕ {self.holds}{but} {self.seen.rstrip('.')}."


@dataclass(frozen=True, slots=True, repr=False)
class Rebuilt:
    """The report. As text it says what holds, what does not and why, and what was not run.

    `names` are those that the student has written; `kept` says that the rest is the package's. `fault`
    says why nothing could be asked; `untried` that nothing was handed in; `some` that only some of the
    notebooks were asked for.
    """

    module: str
    called: str
    names: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    laws: tuple[Ruling, ...] = ()
    notebooks: tuple[Ruling, ...] | None = None
    marks: tuple[Ruling, ...] | None = None
    digest: str = ""
    fault: str = ""
    not_run: str = ""
    untried: bool = False
    some: bool = False

    @property
    def lawful(self) -> bool:
        """Whether every law holds."""
        return bool(self.laws) and not self.fault and not any(law.seen for law in self.laws)

    @property
    def amiss(self) -> bool:
        """Whether something was seen that should not be."""
        asked = (*self.laws, *(self.notebooks or ()), *(self.marks or ()))
        return bool(self.fault) or any(one.seen for one in asked)

    @property
    def passed(self) -> bool:
        """Whether laws, every notebook and the marks were asked, and nothing was seen that should not be."""
        asked = all(map(bool, (self.laws, self.notebooks, self.marks)))
        return asked and not self.some and not self.amiss

    @property
    def outcome(self) -> str:
        """Say in a few words what the report comes to."""
        if self.amiss:
            return "not yet"
        if not self.passed:
            return "its laws hold, and what else was asked" if self.notebooks else "its laws hold"
        doubt = any(one.unjudged for one in (*self.laws, *(self.notebooks or ()), *(self.marks or ())))
        return "yes, it is yours" + (", as far as it could be judged" if doubt else "")

    def __str__(self) -> str:
        if self.untried:
            return f"{self.module}: not tried yet"
        what = f"{self.module}, rebuilt in {self.called}"
        if self.fault:
            return f"{what}: not yet - {self.fault}"
        written = ", ".join(self.names) + ("; the rest is the package's" if self.kept else "")
        return "\n".join(
            [
                f"{what} ({written}): {self.outcome}",
                *self._part("laws", self.laws, "hold"),
                *self._part("notebooks", self.notebooks, "show the same"),
                *self._part("marks", self.marks, "probes hold"),
            ]
        )

    __repr__ = __str__

    def _part(self, name: str, rulings: tuple[Ruling, ...] | None, verb: str) -> list[str]:
        if rulings is None:
            return [f"{name:<9}  not run: {self.not_run or 'the laws come first'}"]
        told = [str(one) for one in rulings if one.seen or one.unjudged]
        return [f"{name:<9}  {held(rulings)} of {len(rulings)} {verb}", *told]

    def as_event(self) -> dict[str, Any]:
        """Return what the record keeps of it: counts, names and the digest of the code, and no code."""
        outcome = "not yet" if self.amiss else "yes" if self.passed else "laws"
        kept: dict[str, Any] = {"outcome": outcome}
        kept |= {"digest": self.digest, "names": list(self.names), "part": bool(self.kept)}
        for name in ("laws", "notebooks", "marks"):
            rulings = getattr(self, name)
            if rulings is not None:
                kept[name] = [held(rulings), len(rulings)]
        if broken := [law.name for law in self.laws if law.seen]:
            kept["broken"] = broken[0]
        return kept


def held(rulings: tuple[Ruling, ...]) -> int:
    """Count where nothing else was seen."""
    return sum(not one.seen and not one.unjudged for one in rulings)
