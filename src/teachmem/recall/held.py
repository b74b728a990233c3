"""Which rows of a partition hold at a moment, and the counts that BM25 needs of exactly those.

What does not hold at the moment asked about stays out of the answer and out of its statistics: an
event of tomorrow must not change what is found today. The set changes only when the moment passes
some row's start or end, so it is kept until then. In the usual case, all rows held, nothing is
counted at all.

>>> from teachmem.recall.lexical import Entry, Postings
>>> part = Postings()
>>> part.add(Entry("event-0001", "gripper slipped", 0.5, happened_at=10, valid_from=10))
>>> part.add(Entry("event-0002", "gripper cleaned", 0.5, happened_at=20, valid_from=20))
>>> [held(part, at).holding("gripper") for at in (5, 10, 20)]
[0, 1, 2]

Left out: who may read; the index has chosen the partitions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from teachmem.recall.lexical import ALWAYS, NEVER, Postings


@dataclass(frozen=True, slots=True)
class Held:
    """The rows of one partition that hold from `since` until `until`, and what they count up to."""

    changes: int  # of the partition, when this was looked up
    since: int
    until: int
    rows: NDArray[np.bool_] | None  # None: every row
    events: int
    total_length: int
    holding: Callable[[str], int]  # how many of these rows hold a term


def held(part: Postings, at: int) -> Held:
    """Return what of `part` holds at the moment `at` (microseconds)."""
    kept: Held | None = part.derived.get("held")
    if kept is None or kept.changes != part.changes or not kept.since <= at < kept.until:
        kept = part.derived["held"] = _look_up(part, at)
    return kept


def _look_up(part: Postings, at: int) -> Held:
    start, end = part.column("start"), part.column("end")
    bounds = np.concatenate([start, end])
    since = int(bounds[bounds <= at].max(initial=ALWAYS))
    until = int(bounds[bounds > at].min(initial=NEVER))
    rows = (part.column("alive") == 1) & (start <= at) & (end > at)
    events = int(rows.sum())
    if events == part.events:
        mask = None if events == len(part) else rows
        return Held(part.changes, since, until, mask, events, part.total_length, part.holding)
    length = int(part.column("length")[rows].sum())
    counted = cache(lambda term: int(rows[part.rows_with(term)].sum()))
    return Held(part.changes, since, until, rows, events, length, counted)
