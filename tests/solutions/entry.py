"""One exercise's solutions: sources of its cell, and what each must be told.

`cell` is the id of the exercise's cell in the notebook, `answer` the name that its check is given.
`model` is the model solution, `accepted` at least one other; `wrong` holds, under the name of each
misconception, a source that must be told it. Names that earlier cells of the notebook define are
imported by the sources themselves, or defined by the cells that `needs` names (and by `given`, where
there is no notebook around).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Entry:
    cell: str
    answer: str
    model: str
    accepted: tuple[str, ...]
    wrong: Mapping[str, str]
    needs: tuple[str, ...] = ()
    given: str = ""

    def variants(self) -> Iterator[tuple[str, str | None]]:
        """Yield each source with the misconception that it must be told, None for a right one."""
        for source in (self.model, *self.accepted):
            yield source, None
        for name, source in self.wrong.items():
            yield source, name
