"""The arithmetic of the time machine, without a widget: what is answered for each pair of two times.

`gather` asks the store through `semantic.get`, like anybody else, once for every pair of a moment in the
world and a moment of the ledger. The moments are those at which something changes, so that nothing is
missed between two of them.

Left out: sliders (`live.py`), and what the asker may not see: it is never gathered.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from teachmem import store
from teachmem.clock import Moment, from_micros, to_micros
from teachmem.errors import InvalidInput, NotFound
from teachmem.record import Memory

NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Times:
    """What is answered at each pair of moments: `answers[place in at][place in known_at]`."""

    at: tuple[datetime, ...]
    known_at: tuple[datetime, ...]
    answers: tuple[tuple[tuple[Memory, ...], ...], ...]

    def said(self, at: int, known_at: int) -> str:
        """Return what is answered at a pair of places, in short."""
        found = self.answers[at][known_at]
        return " / ".join(memory.object or memory.content for memory in found) or NOTHING


def gather(
    handle: store.Handle,
    ids: Iterable[str],
    at: Sequence[Moment] | None = None,
    known_at: Sequence[Moment] | None = None,
) -> Times:
    """Ask for these memories at every pair of moments; left out, the moments are those of their versions.

    Raises `InvalidInput` without an id, and `NotFound` for a memory that `handle` may not see.
    """
    wanted = [ids] if isinstance(ids, str) else list(ids)
    if not wanted:
        raise InvalidInput("ids", "names no memory; give the ids of those to be looked at")
    versions = [version for memory_id in wanted for version in handle.semantic.history(memory_id)]
    edges = [edge for version in versions for edge in (version.valid_from, version.valid_to) if edge]
    worlds = _moments(at if at is not None else edges or [versions[0].recorded_at])
    ledgers = _moments(known_at if known_at is not None else [version.recorded_at for version in versions])
    answers = tuple(
        tuple(tuple(_held(handle, wanted, moment, known)) for known in ledgers) for moment in worlds
    )
    return Times(worlds, ledgers, answers)


def _moments(given: Sequence[Moment]) -> tuple[datetime, ...]:
    return tuple(from_micros(micros) for micros in sorted({to_micros(moment) for moment in given}))


def _held(handle: store.Handle, ids: Sequence[str], at: datetime, known_at: datetime) -> Iterable[Memory]:
    for memory_id in ids:
        try:
            yield handle.semantic.get(memory_id, at=at, known_at=known_at)
        except NotFound:
            continue
