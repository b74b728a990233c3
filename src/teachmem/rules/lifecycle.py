"""Tidying: what has expired becomes outdated, what is stale is archived, by rule and one batch at a time.

No read needs it, for a lapsed memory is left out at the moment it is read. It keeps the store small
and honest about itself. A kind is stale after the days of `vocabulary.STALE_AFTER_DAYS` without a new
version; what a person has confirmed or made a keystone, what begins later, and what says itself that it
still holds, never is. Every batch is one act of the system with one audit entry. Nothing is deleted, and
`set_status` takes each move back.

Left out: when it runs. Somebody calls `mem.tidy()` or `teachmem tidy`; a second run does nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from sqlalchemy import bindparam, literal_column, or_, select

from teachmem.clock import from_micros, to_micros
from teachmem.ledger import chain, journal
from teachmem.ledger.database import Database, Prepared, Transaction
from teachmem.ledger.schema import memories
from teachmem.ports import Clock, IdMaker
from teachmem.principal import Principal
from teachmem.rules import trust
from teachmem.vocabulary import STALE_AFTER_DAYS, Role, Status

SYSTEM = "tidy"  # the name that stands in the chain
BATCH = 200  # memories that one act moves at most
ALL = 2**31  # no limit
MICROS_PER_DAY = 86_400_000_000

_current = select(memories.c.memory_id, memories.c.kind, memories.c.status, memories.c.expires_at).where(
    memories.c.tenant == bindparam("tenant"), memories.c.superseded_at.is_(None), trust.clause()
)
_in_order = (memories.c.recorded_at, memories.c.memory_id)
_expired = Prepared(
    _current.where(memories.c.expires_at <= bindparam("now")).order_by(*_in_order).limit(bindparam("most"))
)
_stale = Prepared(
    _current.where(
        memories.c.kind == bindparam("kind"),
        memories.c.recorded_at < bindparam("before"),
        or_(memories.c.valid_from.is_(None), memories.c.valid_from < bindparam("before")),
        or_(memories.c.valid_to.is_(None), memories.c.valid_to <= bindparam("now")),
        or_(memories.c.expires_at.is_(None), memories.c.expires_at > bindparam("now")),
        memories.c.status != literal_column(f"'{Status.CONFIRMED}'"),
        memories.c.keystone == literal_column("0"),
    )
    .order_by(*_in_order)
    .limit(bindparam("most"))
)


@dataclass(frozen=True, slots=True)
class Move:
    """One memory that tidying moves, from which status to which, and why."""

    tenant: str
    memory_id: str
    kind: str
    before: Status
    after: Status
    reason: str

    def __str__(self) -> str:
        return f"{self.tenant}: {self.memory_id} ({self.kind}) {self.before} -> {self.after}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Tidied:
    """What a run moved, or would move (`dry_run`)."""

    moves: tuple[Move, ...]
    dry_run: bool

    def __str__(self) -> str:
        counts = Counter(str(move.after) for move in self.moves)
        told = ", ".join(f"{count} {status}" for status, count in sorted(counts.items())) or "nothing to do"
        return f"would move: {told}" if self.dry_run and self.moves else told


def tidy(
    database: Database, clock: Clock, ids: IdMaker, tenant: str | None = None, *, dry_run: bool = False
) -> Tidied:
    """Expire and archive in one tenant or in all; `dry_run` changes nothing and says what would be done."""
    with database.read() as tx:
        known = [name for name in chain.tenants(tx) if tenant in (None, name)]
        if dry_run:
            nows = {name: max(to_micros(clock.now()), chain.head(tx, name).time) for name in known}
            planned = [move for name in known for move in _due(tx, name, nows[name], most=ALL)]
            return Tidied(tuple(planned), dry_run=True)
    moves: list[Move] = []
    for name in known:
        system = Principal(name, SYSTEM, SYSTEM, Role.SYSTEM)
        while batch := _one_batch(database, clock, ids, system):
            moves += batch
    return Tidied(tuple(moves), dry_run=False)


def _one_batch(database: Database, clock: Clock, ids: IdMaker, system: Principal) -> list[Move]:
    """Move at most `BATCH` memories, all to one status, as one act; return none when all is tidy."""
    with database.write() as tx, journal.change(tx, system, clock, ids) as act:
        due = list(_due(tx, system.tenant, act.now, BATCH))
        batch = [move for move in due if move.after is due[0].after][:BATCH]
        for move in batch:
            act.replace(move.memory_id, status=str(move.after))
        if batch:
            act.entry(f"lifecycle.{batch[0].after}", batch[0].memory_id, count=len(batch))
        return batch


def _due(tx: Transaction, tenant: str, now: int, most: int) -> Iterator[Move]:
    """Yield what is due, what has expired first, at most `most` of a kind."""
    for memory_id, kind, status, end in tx.all(_expired, tenant=tenant, now=now, most=most):
        reason = f"it expired at {from_micros(end).isoformat()}"
        yield Move(tenant, memory_id, kind, Status(status), Status.OUTDATED, reason)
    for kind, days in STALE_AFTER_DAYS.items():
        before = now - days * MICROS_PER_DAY
        for memory_id, _, status, _ in tx.all(
            _stale, tenant=tenant, kind=kind, before=before, now=now, most=most
        ):
            reason = f"a {kind} without a change for {days} days"
            yield Move(tenant, memory_id, kind, Status(status), Status.ARCHIVED, reason)
