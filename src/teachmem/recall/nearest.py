"""The vectors of a tenant, kept in step with the chain, whatever index holds them.

Like the postings, a vector index is a cache that follows the audit entries. It holds current, live
memories of one tier, each in the partition of those who may read it. Vectors come from the table,
where the gate wrote them; a row without one is embedded here.

Left out: fusing with words, and the last word on a hit (`recall/hybrid.py`).
"""

from __future__ import annotations

import heapq
import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import bindparam, literal_column, select

from teachmem.errors import IndexUnavailable
from teachmem.ledger import chain, rows, settings
from teachmem.ledger.database import Prepared, Transaction
from teachmem.ledger.journal import Change
from teachmem.ledger.schema import memories
from teachmem.ports import Embedder, VectorIndex
from teachmem.recall import embed, index
from teachmem.recall.index import Address
from teachmem.record import Draft
from teachmem.rules import trust
from teachmem.vocabulary import Tier

BATCH = 1_000
EMBEDDED_ANEW = "reindex"  # the action in the chain after which every vector is another

_KEPT = ("memory_id", "kind", "visibility", "fleet", "agent", "content")
_live = select(*(memories.c[name] for name in _KEPT), memories.c.embedding, memories.c.version).where(
    memories.c.tenant == bindparam("tenant"),
    memories.c.tier == bindparam("tier"),
    memories.c.superseded_at.is_(None),
    trust.clause(),
)
_every = Prepared(_live.order_by(memories.c.memory_id))
_one = Prepared(_live.where(memories.c.memory_id == bindparam("id")))
_any_version = select(memories.c.memory_id).where(
    memories.c.tenant == bindparam("tenant"),
    memories.c.tier == bindparam("tier"),
    memories.c.memory_id == bindparam("id"),
)
_emptied = Prepared(_any_version.where(memories.c.salt.is_(None)))
_ever = Prepared(_any_version.limit(literal_column("1")))
_embedding = Prepared(
    select(memories.c.embedding, memories.c.content).where(
        memories.c.memory_id == bindparam("id"), memories.c.version == bindparam("version")
    )
)
_current = Prepared(
    select(memories.c.version, memories.c.embedding).where(
        memories.c.memory_id == bindparam("id"), memories.c.superseded_at.is_(None)
    )
)
_contents = Prepared(
    select(memories.c.memory_id, memories.c.version, memories.c.content)
    .where(
        memories.c.tenant == bindparam("tenant"),
        memories.c.tier == bindparam("tier"),
        memories.c.salt.is_not(None),  # what was erased has no vector any more
    )
    .order_by(memories.c.memory_id, memories.c.version)
)

Row = tuple[Any, ...]
Progress = Callable[[int, int], None]


def partition(address: Address) -> str:
    """Return the name under which an index keeps the partition of an address.

    >>> partition(("semantic", "team", "dock", ""))
    '["semantic", "team", "dock", ""]'
    """
    return json.dumps(address)


class Nearest:
    """The vectors of one tier, in `index`, made by `embedder`."""

    def __init__(self, index: VectorIndex, embedder: Embedder, tier: Tier) -> None:
        self.index = index
        self.embedder = embedder
        self.tier = tier
        self._behind: dict[str, int] = {}  # heads that an index was found to be ahead of

    def check_embedder(self, tx: Transaction) -> None:
        """Raise `StoreError` if another embedder has made the store's vectors anew since it was opened."""
        settings.check_embedder(tx, self.embedder.name)

    def vector_for(self, draft: Draft) -> bytes | None:
        """Return what the table keeps for a draft of this tier: its vector, as bytes."""
        if draft.tier != self.tier:
            return None
        return embed.to_bytes(embed.checked(self.embedder, [draft.content])[0])

    def catch_up(self, tx: Transaction, tenant: str) -> None:
        """Put in what the chain says has changed; build anew if the index followed another chain.

        An index that fails is asked once more: another process may have replaced what was open here.
        """
        try:
            self._catch_up(tx, tenant)
        except IndexUnavailable:
            self._catch_up(tx, tenant)

    def _catch_up(self, tx: Transaction, tenant: str) -> None:
        head = chain.head(tx, tenant)
        seen, seen_hash = self.index.seen(tenant)
        if (seen, seen_hash) == (head.seq, head.hash) or head.seq == seen == 0:
            return
        if seen and chain.hash_at(tx, tenant, seen) != seen_hash:
            if seen > head.seq and self._behind.get(tenant) != head.seq:
                # Our snapshot is older than the index; the clause keeps the rest out. Found at the same head
                # a second time, the index has followed a chain that is gone: a backup took its place.
                self._behind[tenant] = head.seq
                return
            self.index.forget()
            seen = 0
        elif seen and chain.has_since(tx, tenant, seen, EMBEDDED_ANEW):
            self.index.forget()
            seen = 0
        self._behind.pop(tenant, None)
        if self.let_go(tx, tenant) or seen == 0:
            self.rebuild(tx, tenant)
            return
        unseen, touched = chain.passed_since(tx, tenant, seen)
        of_tier = {"tenant": tenant, "tier": str(self.tier)}
        live = [row for row in tx.one_each(_one, "id", touched, **of_tier) if row is not None]
        left = set(touched) - {row[0] for row in live}  # fallen, or of another tier and never in
        fallen = [row[0] for row in tx.one_each(_ever, "id", sorted(left), **of_tier) if row is not None]
        # An index may not know where it put a memory before; a later version may belong elsewhere.
        self.index.drop(tenant, fallen + [row[0] for row in live if row[-1] > 1])
        self._put(tenant, live)
        self.index.passes(tenant, *unseen[-1])

    def let_go(self, tx: Transaction, tenant: str) -> bool:
        """Throw the whole index away, files and all, if a memory in it was erased since; say whether.

        Taking the vector out would not do: a file keeps it in its free space. So would what a build
        that was interrupted has left, of which nobody knows what is in it.
        """
        seen, _ = self.index.seen(tenant)
        if seen:
            touched = chain.passed_since(tx, tenant, seen)[1]
            gone = any(tx.one_each(_emptied, "id", touched, tenant=tenant, tier=str(self.tier)))
        else:
            gone = self.index.holds(tenant)
        if gone:
            self.index.forget()
        return gone

    def rebuild(self, tx: Transaction, tenant: str, progress: Progress | None = None) -> int:
        """Put every live memory of the table in; return how many. `progress(done, all)` is called."""
        head = chain.head(tx, tenant)
        live = tx.all(_every, tenant=tenant, tier=str(self.tier))
        for start in range(0, len(live), BATCH):
            self._put(tenant, live[start : start + BATCH])
            if progress:
                progress(min(start + BATCH, len(live)), len(live))
        self.index.passes(tenant, head.seq, head.hash)
        return len(live)

    def embed_anew(self, act: Change, progress: Progress | None = None) -> int:
        """Make the vector of every version of the tenant anew, with this embedder; return how many.

        A vector follows from its text, so no memory gets a new version; the act leaves one audit entry.
        """
        said = act.tx.all(_contents, tenant=act.principal.tenant, tier=str(self.tier))
        for start in range(0, len(said), BATCH):
            batch = said[start : start + BATCH]
            vectors = embed.checked(self.embedder, [content for _, _, content in batch])
            for (memory_id, version, _), vector in zip(batch, vectors, strict=True):
                act.give_vector(memory_id, version, embed.to_bytes(vector))
            if progress:
                progress(start + len(batch), len(said))
        act.entry(EMBEDDED_ANEW, act.principal.tenant, count=len(said), embedder=self.embedder.name)
        return len(said)

    def _put(self, tenant: str, live: Sequence[Row]) -> None:
        by_partition: dict[str, list[Row]] = {}
        for row in live:
            rows.check(row[: len(_KEPT)], _KEPT)
            _, kind, visibility, fleet, agent, *_ = row
            name = partition(index.address_of(self.tier, kind, visibility, fleet, agent))
            by_partition.setdefault(name, []).append(row)
        for name, members in by_partition.items():
            self.index.put(tenant, name, [row[0] for row in members], self._vectors(members))

    def _vectors(self, live: Sequence[Row]) -> NDArray[np.float32]:
        found = np.zeros((len(live), self.embedder.dimensions), dtype=np.float32)
        missing = []
        for place, row in enumerate(live):
            kept = embed.from_bytes(row[6], self.embedder.dimensions)
            if kept is None:
                missing.append(place)
            else:
                found[place] = kept
        found[missing] = embed.checked(self.embedder, [live[place][5] for place in missing])
        return found

    def among(self, tx: Transaction, ids: Iterable[str], vector: NDArray[np.float32], most: int) -> list[str]:
        """Return the nearest of these memories by the vectors in the table: exact, and quick for few."""
        found = []
        for memory_id in ids:
            if row := tx.one(_current, id=memory_id):
                own = embed.from_bytes(row[1], self.embedder.dimensions)
                own = self.vector_of(tx, memory_id, row[0]) if own is None else own
                found.append((-float(own @ vector), memory_id))
        return [memory_id for _, memory_id in heapq.nsmallest(most, found)]

    def vector_of(self, tx: Transaction, memory_id: str, version: int) -> NDArray[np.float32]:
        """Return the vector of one version, from the table or made now."""
        row = tx.one(_embedding, id=memory_id, version=version) or (None, "")
        kept = embed.from_bytes(row[0], self.embedder.dimensions)
        return embed.checked(self.embedder, [row[1]])[0] if kept is None else kept
