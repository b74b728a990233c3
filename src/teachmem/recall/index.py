"""The lexical index: a cache of current memories that follows the audit chain, never the clock.

Every write leaves an audit entry that names what it touched. Before each answer the index reads
the entries it has not seen (its own process's or another's, it cannot tell) and looks those
memories up again. Nobody has to notify it, nothing expires, and it may be thrown away at any
time: the table decides.

Left out: what happens with the candidates. The admissible clause has the last word on every row.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import bindparam, select

from teachmem.ledger import chain, rows
from teachmem.ledger.chain import Head
from teachmem.ledger.database import Prepared, Transaction
from teachmem.ledger.schema import memories
from teachmem.principal import Principal
from teachmem.recall.lexical import Entry, Postings
from teachmem.rules import scope, trust
from teachmem.vocabulary import Visibility

Address = tuple[str, str, str, str]  # family, visibility, fleet, agent
DOCUMENT = "document"

_KEPT = (
    memories.c.memory_id,
    memories.c.tier,
    memories.c.kind,
    memories.c.visibility,
    memories.c.fleet,
    memories.c.agent,
    memories.c.session,
    memories.c.content,
    memories.c.importance,
    memories.c.valid_from,
    memories.c.valid_to,
    memories.c.expires_at,
    memories.c.recorded_at,
)
_NAMES = tuple(column.name for column in _KEPT)
_live = select(*_KEPT).where(
    memories.c.tenant == bindparam("tenant"), memories.c.superseded_at.is_(None), trust.clause()
)
_every = Prepared(_live.order_by(memories.c.recorded_at, memories.c.memory_id))
_one = Prepared(_live.where(memories.c.memory_id == bindparam("id")))
REMEMBERED = 1_000  # entries passed whose hashes are kept


class _Tenant:
    """One tenant's partitions and how far along the chain they are."""

    def __init__(self, head: Head) -> None:
        self.seen = 0
        self.passed: dict[int, bytes] = {}  # number and hash of the entries followed lately
        self.partitions: dict[Address, Postings] = {}
        self.place_of: dict[str, Address] = {}
        self.passes(head.seq, head.hash)

    def passes(self, seq: int, entry_hash: bytes) -> None:
        """Note that everything up to this entry is in."""
        self.seen = seq
        self.passed[seq] = entry_hash
        if len(self.passed) > REMEMBERED:
            del self.passed[next(iter(self.passed))]

    def is_of(self, tx: Transaction, head: Head) -> bool:
        """Say whether the chain that ends in `head` is the one followed so far, and not another store's.

        A reader whose snapshot is a little older than this cache is on the same chain; the clause
        keeps what came later out of that reader's answer.
        """
        if head.seq <= self.seen:
            return self.passed.get(head.seq) == head.hash
        return self.seen == 0 or chain.hash_at(tx, head.tenant, self.seen) == self.passed[self.seen]

    def put(self, row: tuple[Any, ...]) -> None:
        """Index one row of `_KEPT`; raise `StoreError` for one that was damaged."""
        rows.check(row, _NAMES)
        (memory_id, tier, kind, visibility, fleet, agent, session, content, importance, *times) = row
        address = address_of(tier, kind, visibility, fleet, agent)
        self.drop(memory_id)
        self.place_of[memory_id] = address
        partition = self.partitions.get(address)
        if partition is None:
            partition = self.partitions[address] = Postings()
        valid_from, valid_to, expires_at, recorded_at = times
        partition.add(
            Entry(
                memory_id,
                content,
                importance or 0.0,
                recorded_at if valid_from is None else valid_from,
                valid_from,
                valid_to,
                expires_at,
                session,
                kind,
            )
        )

    def drop(self, memory_id: str) -> None:
        """Forget one memory."""
        address = self.place_of.pop(memory_id, None)
        if address is not None:
            self.partitions[address].remove(memory_id)


class LexicalIndex:
    """The postings of every tenant that was asked about, each as fresh as its last question."""

    def __init__(self) -> None:
        self.derived: dict[str, Any] = {}  # what others keep beside it until everything is forgotten
        self._tenants: dict[str, _Tenant] = {}
        self._lock = threading.RLock()

    @contextmanager
    def reading(self, tx: Transaction, reader: Principal, family: str) -> Iterator[dict[Address, Postings]]:
        """Give the partitions of `family` that `reader` may read, and no others, caught up and held still.

        A family is a tier, but documents have one of their own: recall leaves them out unless asked.
        """
        with self._lock:
            known = self._caught_up(tx, reader.tenant)
            yield {
                address: partition
                for address, partition in known.partitions.items()
                if address[0] == family and scope.may_read(reader, reader.tenant, *address[2:], address[1])
            }

    def _caught_up(self, tx: Transaction, tenant: str) -> _Tenant:
        head = chain.head(tx, tenant)
        known = self._tenants.get(tenant)
        if known is None or not known.is_of(tx, head):  # new here, or the store under us was replaced
            known = _Tenant(head)
            for row in tx.each(_every, tenant=tenant):
                known.put(row)
            self._tenants[tenant] = known
        elif head.seq > known.seen:
            _follow(tx, tenant, known)
        return known

    def forget_everything(self) -> None:
        """Throw the cache away; the next question builds it again."""
        with self._lock:
            self._tenants.clear()
            self.derived.clear()


def _follow(tx: Transaction, tenant: str, known: _Tenant) -> None:
    """Look up again whatever the entries not yet seen have touched."""
    unseen, touched = chain.passed_since(tx, tenant, known.seen)
    for memory_id in touched:
        if found := tx.one(_one, tenant=tenant, id=memory_id):
            known.put(found)
        else:
            known.drop(memory_id)
    for seq, entry_hash in unseen:
        known.passes(seq, entry_hash)


def family_of(tier: str, kind: str) -> str:
    """Return which family a memory is searched in: its tier, but documents have one of their own."""
    return DOCUMENT if kind == DOCUMENT else str(tier)


def address_of(tier: str, kind: str, visibility: str, fleet: str, agent: str) -> Address:
    """Return the partition of a memory: its family, and those who may read it.

    >>> address_of("semantic", "fact", "team", "dock", "dock-1")
    ('semantic', 'team', 'dock', '')
    """
    family = family_of(tier, kind)
    if visibility == Visibility.ORG:
        return family, str(visibility), "", ""
    return family, str(visibility), fleet, agent if visibility == Visibility.AGENT else ""
