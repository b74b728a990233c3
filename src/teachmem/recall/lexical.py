"""Postings: for every term, which events hold it. One `Postings` is one readable address.

A reader's answer is made from exactly the partitions that this reader may read, and so are the
counts that BM25 needs; another fleet's words change nobody's ranking. The arrays are numpy and
grow by doubling, so that adding an event costs its words and nothing else.

>>> postings = Postings()
>>> postings.add(Entry("event-0001", "the gripper slipped", importance=0.5, happened_at=0))
>>> postings.add(Entry("event-0002", "lunch menu", importance=0.8, happened_at=0))
>>> postings.scores({"gripper": 1.0}, postings.mean_length).round(2).tolist()
[1.0, 0.0]

Left out: who may read (the index chooses partitions) and what else counts (`recall/rank.py`).
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from teachmem.recall import text
from teachmem.recall.score import K1, B

NEVER = np.iinfo(np.int64).max  # stands for an open end
ALWAYS = np.iinfo(np.int64).min  # stands for an open start

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Entry:
    """What an index keeps of one current memory; times in microseconds."""

    memory_id: str
    content: str
    importance: float
    happened_at: int
    valid_from: int | None = None
    valid_to: int | None = None
    expires_at: int | None = None
    session: str = ""
    kind: str = ""


class Posting:
    """One term's list: which rows hold it and how often."""

    __slots__ = ("_arrays", "_weights", "counts", "rows")

    def __init__(self) -> None:
        self.rows = array("q")
        self.counts = array("d")
        self._arrays: tuple[NDArray[np.int64], Floats] | None = None
        self._weights: tuple[float, Floats] | None = None

    def add(self, row: int, count: int) -> None:
        """Say that `row` holds the term `count` times."""
        self.rows.append(row)
        self.counts.append(count)
        self._arrays = self._weights = None

    def moved(self, new_row: NDArray[np.int64]) -> Posting | None:
        """Return this list with its rows renumbered, those at -1 left out; None if nothing stays."""
        found = Posting()
        for row, count in zip(self.rows, self.counts, strict=True):
            if new_row[row] >= 0:
                found.add(int(new_row[row]), int(count))
        return found if found.rows else None

    def arrays(self) -> tuple[NDArray[np.int64], Floats]:
        """Return rows and counts as numpy arrays, kept while nothing changes."""
        if self._arrays is None:
            self._arrays = (np.array(self.rows, dtype=np.int64), np.array(self.counts))
        return self._arrays

    def weighted(self, lengths: Floats, mean_length: float) -> tuple[NDArray[np.int64], Floats]:
        """Return the rows and each one's BM25 saturation, kept while nothing changes."""
        rows, counts = self.arrays()
        if self._weights is None or self._weights[0] != mean_length:
            norm = K1 * (1 - B + B * lengths[rows] / mean_length)
            self._weights = (mean_length, counts * (K1 + 1) / (counts + norm))
        return rows, self._weights[1]


class Postings:
    """The events of one address, as arrays in the order in which they arrived."""

    _COLUMNS = ("importance", "happened_at", "start", "end", "length", "session", "kind", "alive")

    def __init__(self) -> None:
        self.ids: list[str] = []
        self.row_of: dict[str, int] = {}
        self.events = 0
        self.total_length = 0
        self.newest = 0  # when the newest event happened, of all that ever were here
        self.changes = 0  # counts every change
        self.derived: dict[str, Any] = {}  # what `rank` and `held` keep until the next change
        self._postings: dict[str, Posting] = {}
        self._terms_of: list[tuple[str, ...]] = []
        self._holding: Counter[str] = Counter()
        self._sessions: dict[str, int] = {}
        self._kinds: dict[str, int] = {}
        self._room: dict[str, NDArray[Any]] = {
            name: np.zeros(16, dtype=np.float64 if name in ("importance", "length") else np.int64)
            for name in self._COLUMNS
        }

    def __len__(self) -> int:
        """How many rows the arrays have, removed ones included."""
        return len(self.ids)

    @property
    def mean_length(self) -> float:
        """The mean length, in terms, of the events held now."""
        return self.total_length / self.events if self.events else 0.0

    def column(self, name: str) -> NDArray[Any]:
        """Return one column: importance, happened_at, start, end (micros), length, session, kind, alive."""
        return self._room[name][: len(self.ids)]

    def session_code(self, session: str) -> int:
        """Return the number that stands for a session, or -1 for one that no event has."""
        return self._sessions.get(session, -1)

    def sessions(self) -> list[str]:
        """Return the sessions; each one's place is the number that stands for it."""
        return list(self._sessions)

    def of_kinds(self, kinds: Collection[str]) -> NDArray[np.bool_]:
        """Return which rows are of one of these kinds, removed ones included."""
        codes = [code for kind, code in self._kinds.items() if kind in kinds]
        return np.isin(self.column("kind"), codes)

    def holding(self, term: str) -> int:
        """Return how many events hold `term`."""
        return self._holding[term]

    def rows_with(self, term: str) -> NDArray[np.int64]:
        """Return the rows that hold `term`, removed ones included."""
        posting = self._postings.get(term)
        return posting.arrays()[0] if posting else np.zeros(0, dtype=np.int64)

    def add(self, entry: Entry) -> None:
        """Add an event; one already here is replaced."""
        self.remove(entry.memory_id)
        row = len(self.ids)
        if row == len(self._room["alive"]):
            self._room = {
                name: np.concatenate([room, np.zeros_like(room)]) for name, room in self._room.items()
            }
        counts = Counter(text.terms(entry.content))
        length = counts.total()
        self.ids.append(entry.memory_id)
        self.row_of[entry.memory_id] = row
        self._terms_of.append(tuple(counts))
        ends = [NEVER if end is None else end for end in (entry.valid_to, entry.expires_at)]
        values = {
            "importance": entry.importance,
            "happened_at": entry.happened_at,
            "start": ALWAYS if entry.valid_from is None else entry.valid_from,
            "end": min(ends),
            "length": length,
            "session": self._sessions.setdefault(entry.session, len(self._sessions)),
            "kind": self._kinds.setdefault(entry.kind, len(self._kinds)),
            "alive": 1,
        }
        for name, value in values.items():
            self._room[name][row] = value
        for term, count in counts.items():
            posting = self._postings.get(term)
            if posting is None:
                posting = self._postings[term] = Posting()
            posting.add(row, count)
        self._holding.update(counts.keys())
        self.events += 1
        self.newest = max(self.newest, entry.happened_at)
        self.total_length += length
        self.changes += 1

    def remove(self, memory_id: str) -> None:
        """Take an event out; nothing happens if it is not here."""
        row = self.row_of.pop(memory_id, None)
        if row is None:
            return
        self._room["alive"][row] = 0
        self._holding.subtract(self._terms_of[row])
        self._terms_of[row] = ()
        self.events -= 1
        self.total_length -= int(self._room["length"][row])
        self.changes += 1
        if len(self.ids) > 256 and self.events * 2 < len(self.ids):
            self._compact()

    def _compact(self) -> None:
        """Give back the room of removed rows once they are more than half of all."""
        kept = np.flatnonzero(self.column("alive"))
        new_row = np.full(len(self.ids), -1)
        new_row[kept] = np.arange(len(kept))
        self._room = {name: room[kept] if len(kept) else room[:1] for name, room in self._room.items()}
        self.ids = [self.ids[row] for row in kept]
        self._terms_of = [self._terms_of[row] for row in kept]
        self.row_of = {memory_id: row for row, memory_id in enumerate(self.ids)}
        self._postings = {
            term: smaller
            for term, posting in self._postings.items()
            if (smaller := posting.moved(new_row)) is not None
        }
        self._holding = +self._holding

    def scores(self, rarity: Mapping[str, float], mean_length: float) -> Floats:
        """Return BM25 of every row for the terms in `rarity` (term -> its idf), as a dense array."""
        found = np.zeros(len(self.ids))
        lengths = self._room["length"]
        for term, idf in rarity.items():
            if posting := self._postings.get(term):
                rows, weights = posting.weighted(lengths, mean_length)
                found[rows] += idf * weights
        return found
