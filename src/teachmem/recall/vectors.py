"""Exact nearest neighbours: one matrix a partition, one multiplication a question.

It is the oracle that a faster index is measured against, and it stands in where no other is
installed. Vectors are unit long, so the dot product is the cosine.

>>> index = ExactIndex()
>>> index.put("northlight", "dock", ["fact-0001", "fact-0002"], np.eye(2, dtype=np.float32))
>>> index.search("northlight", ["dock"], np.array([1, 0], dtype=np.float32), k=1)
[('fact-0001', 1.0)]

Left out: keeping anything. A new process builds it from the table, at some 50,000 rows a second.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]


@dataclass(slots=True)
class _Partition:
    ids: list[str] = field(default_factory=list)
    row_of: dict[str, int] = field(default_factory=dict)
    room: Vectors = field(default_factory=lambda: np.zeros((0, 0), dtype=np.float32))

    def put(self, memory_id: str, vector: Vectors) -> None:
        row = self.row_of.setdefault(memory_id, len(self.ids))
        if row == len(self.ids):
            self.ids.append(memory_id)
            if row >= len(self.room):
                grown = np.zeros((max(16, 2 * row), len(vector)), dtype=np.float32)
                grown[:row] = self.room[:row] if row else 0
                self.room = grown
        self.room[row] = vector

    def drop(self, memory_id: str) -> None:
        """Move the last row into the gap."""
        row = self.row_of.pop(memory_id, None)
        if row is None:
            return
        last = self.ids.pop()
        if last != memory_id:
            self.ids[row] = last
            self.row_of[last] = row
            self.room[row] = self.room[len(self.ids)]


class ExactIndex:
    """A `VectorIndex` in memory, exact, for one process."""

    out_of_reach = ""

    def __init__(self) -> None:
        self.notice = ""
        self._partitions: dict[tuple[str, str], _Partition] = {}
        self._place_of: dict[tuple[str, str], str] = {}
        self._seen: dict[str, tuple[int, bytes]] = {}
        self._lock = threading.RLock()

    def seen(self, tenant: str) -> tuple[int, bytes]:
        """Return number and hash of the last audit entry followed, (0, b"") if none."""
        return self._seen.get(tenant, (0, b""))

    def put(self, tenant: str, partition: str, ids: Sequence[str], vectors: Vectors) -> None:
        """Add or replace vectors; an id that was elsewhere in this tenant moves here."""
        with self._lock:
            place = self._partitions.setdefault((tenant, partition), _Partition())
            for memory_id, vector in zip(ids, vectors, strict=True):
                if self._place_of.get((tenant, memory_id), partition) != partition:
                    self.drop(tenant, [memory_id])
                self._place_of[tenant, memory_id] = partition
                place.put(memory_id, vector)

    def drop(self, tenant: str, ids: Sequence[str]) -> None:
        """Take vectors out; unknown ids are no error."""
        with self._lock:
            for memory_id in ids:
                partition = self._place_of.pop((tenant, memory_id), None)
                if partition is not None:
                    self._partitions[tenant, partition].drop(memory_id)

    def passes(self, tenant: str, seq: int, entry_hash: bytes) -> None:
        """Note that everything up to this entry is in."""
        self._seen[tenant] = (seq, entry_hash)

    def search(
        self, tenant: str, partitions: Sequence[str], vector: Vectors, k: int
    ) -> list[tuple[str, float]]:
        """Return up to k (id, cosine) of these partitions, nearest first; ties by id."""
        found: list[tuple[float, str]] = []
        with self._lock:
            for name in partitions:
                part = self._partitions.get((tenant, name))
                if part is None or not part.ids:
                    continue
                cosines = part.room[: len(part.ids)] @ vector
                rows = np.argpartition(-cosines, k - 1)[:k] if k < len(cosines) else np.arange(len(cosines))
                limit = cosines[rows].min()
                rows = np.flatnonzero(cosines >= limit)  # ties of the last one too
                found += [(-float(cosines[row]), part.ids[row]) for row in rows]
        return [(memory_id, -negative) for negative, memory_id in sorted(found)[:k]]

    def cosines(self, tenant: str, partitions: Sequence[str], vector: Vectors) -> dict[str, float]:
        """Return the cosine of every vector of these partitions, in no order."""
        found: dict[str, float] = {}
        with self._lock:
            for name in partitions:
                if part := self._partitions.get((tenant, name)):
                    values = part.room[: len(part.ids)] @ vector if part.ids else ()
                    found.update(zip(part.ids, map(float, values), strict=True))
        return found

    def size(self, tenant: str, partitions: Sequence[str]) -> int:
        """Return how many vectors these partitions hold."""
        return sum(
            len(self._partitions[tenant, name].ids)
            for name in partitions
            if (tenant, name) in self._partitions
        )

    def holds(self, tenant: str) -> bool:
        """Say whether anything of this tenant is in."""
        return any(kept[0] == tenant for kept in self._place_of)

    def forget(self, tenant: str | None = None) -> None:
        """Throw one tenant's vectors away, or all."""
        with self._lock:
            for kept in (self._partitions, self._place_of):
                for key in [key for key in kept if tenant in (None, key[0])]:
                    del kept[key]
            self._seen = {name: at for name, at in self._seen.items() if tenant not in (None, name)}

    def close(self) -> None:
        """Nothing is held open."""
