"""When a memory holds. Two questions that are often confused:

`at`        what was true in the world then?   valid_from <= at < valid_to, and not yet expired
`known_at`  what did the ledger hold then?     recorded_at <= known_at < superseded_at

Intervals are half-open: a memory that ends at noon does not hold at noon. A missing end is open.
Without `known_at` the current versions answer (`superseded_at IS NULL`); no clock is asked.

What is over has lapsed: `valid_to <= at`. A read leaves it out unless it is asked for by name, with
`lapsed="discount"`. An expiry is a promise that a memory is gone by then, and no name undoes it.

>>> holds(at=10, valid_from=5, valid_to=10, expires_at=None)
False

Source of the two axes: Snodgrass 1999, "Developing Time-Oriented Database Applications in SQL".
Left out: reading dates out of a question (`recall/when.py`).
"""

from __future__ import annotations

from sqlalchemy import BindParameter, ColumnElement, and_, bindparam, or_, true

from teachmem.clock import to_micros
from teachmem.ledger.schema import memories
from teachmem.record import Memory


def valid_clause(lapsed: bool = False) -> ColumnElement[bool]:
    """Return the clause on valid time; it takes `at` in microseconds. With `lapsed` the end counts not."""
    at: BindParameter[int] = bindparam("at")
    ended = true() if lapsed else or_(memories.c.valid_to.is_(None), memories.c.valid_to > at)
    return and_(
        or_(memories.c.valid_from.is_(None), memories.c.valid_from <= at),
        ended,
        or_(memories.c.expires_at.is_(None), memories.c.expires_at > at),
    )


def known_clause(past: bool) -> ColumnElement[bool]:
    """Return the clause on known time: the current version, or with `past` that at `known_at`."""
    if not past:
        return memories.c.superseded_at.is_(None)
    known_at: BindParameter[int] = bindparam("known_at")
    return and_(
        memories.c.recorded_at <= known_at,
        or_(memories.c.superseded_at.is_(None), memories.c.superseded_at > known_at),
    )


def is_over(memory: Memory, at: int) -> bool:
    """Say whether a memory has lapsed: it held once, and no longer does."""
    return memory.valid_to is not None and to_micros(memory.valid_to) <= at


def holds(at: int, valid_from: int | None, valid_to: int | None, expires_at: int | None) -> bool:
    """Say the same as `valid_clause()` in plain Python, for one memory."""
    return (
        (valid_from is None or valid_from <= at)
        and (valid_to is None or valid_to > at)
        and (expires_at is None or expires_at > at)
    )
