"""A small store for laws that need one: in memory, with a clock and ids that are the same every time.

>>> with opened() as mem:
...     handle(mem).working.write("arm-1", "observed", "drift", "arm 1 drifts").memory.memory_id
'note-0001'

Left out: a story. A law writes what it needs.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache
from typing import Any

from sqlalchemy import func, select

from teachmem import store
from teachmem.clock import LessonClock
from teachmem.ids import CountedIds
from teachmem.ledger.database import Prepared
from teachmem.ledger.schema import audit, candidates, memories, promotions, tombstones
from teachmem.ports import Embedder
from teachmem.recall import embed
from teachmem.recall.vectors import ExactIndex

START = datetime(2026, 3, 2, 9, tzinfo=UTC)

_SIZES = [
    (str(table.name), Prepared(select(func.count()).select_from(table)))
    for table in (memories, candidates, promotions, tombstones, audit)
]


@cache
def _embedder() -> Embedder:
    return embed.default()  # loading it takes longer than a law


def opened() -> store.MemoryStore:
    """Open a new store in memory, on a clock that stands at START until it is moved."""
    return store.open_memory(
        clock=LessonClock(START), ids=CountedIds(), embedder=_embedder(), vectors=ExactIndex()
    )


def handle(mem: store.MemoryStore, name: str = "dock-1", fleet: str = "dock", **more: Any) -> store.Agent:
    """Return an agent's handle."""
    return mem.agent(name, fleet=fleet, tenant="northlight", **more)


def lead(mem: store.MemoryStore, fleet: str = "dock", **more: Any) -> store.Person:
    """Return a person's handle, each fleet's its own."""
    return mem.person(f"{fleet}-lead", fleet=fleet, tenant="northlight", **more)


def sizes(mem: store.MemoryStore) -> dict[str, int]:
    """Return how many rows each table has, from which one sees whether anything was written."""
    with mem._database.read() as tx:
        return {name: int((tx.one(count) or (0,))[0]) for name, count in _SIZES}


def grown(mem: store.MemoryStore, act: Callable[[], object]) -> dict[str, int]:
    """Do `act` and return by how much each table grew, those alone that did."""
    before = sizes(mem)
    act()
    return {name: size - before[name] for name, size in sizes(mem).items() if size != before[name]}
