"""What a consolidation is due to read: what its actor wrote and no run has read yet.

There is no time window to fall out of: every memory that a run has read has a row in `promotions`,
and what has none is due, however old. Due are the actor's own notes and events, within what the
admissible clause lets it believe now; the system's own book-keeping is not.

A batch is the oldest of them, in the order of the ledger, that fit a budget of tokens. A line that
would not fit alone is set aside, so that it cannot stand before the others for good.

Left out: other people's memories. Each sleeps over its own day, so nothing is summed up twice.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import bindparam, exists, literal_column, or_, select

from teachmem.flow import proposal
from teachmem.ledger import rows
from teachmem.ledger.database import Prepared, Transaction
from teachmem.ledger.schema import memories, promotions
from teachmem.ports import RejectedValue, TokenCounter
from teachmem.principal import Principal
from teachmem.recall import label
from teachmem.record import Memory
from teachmem.rules import admissible
from teachmem.rules.scope import Reach
from teachmem.vocabulary import Tier

MOST_ROWS = 200  # that one run reads
BUDGET = 6_000  # tokens of lines in one prompt
BOOK_KEEPING = ("consolidation", "review")
TIERS = (Tier.WORKING, Tier.EPISODIC)


@dataclass(frozen=True, slots=True)
class Batch:
    """The memories of one run with their lines, what is too long for any run, and whether more is due."""

    memories: tuple[Memory, ...]
    lines: tuple[str, ...]
    too_long: tuple[Memory, ...]
    skipped: int  # of rejected value; they are not shown to a model
    more: bool

    @property
    def text(self) -> str:
        """What the model is shown."""
        return "\n".join(self.lines)


_read = exists().where(
    promotions.c.tenant == bindparam("reader_tenant"),
    promotions.c.fleet == bindparam("reader_fleet"),
    promotions.c.agent == bindparam("reader_name"),
    promotions.c.source == memories.c.memory_id,
)
_due = Prepared(
    select(*rows.SHOWN)
    .where(
        admissible.clause(Reach.FLEET),
        memories.c.fleet == bindparam("reader_fleet"),
        memories.c.agent == bindparam("reader_name"),
        memories.c.tier.in_([literal_column(f"'{tier}'") for tier in TIERS]),
        memories.c.kind.not_in([literal_column(f"'{kind}'") for kind in BOOK_KEEPING]),
        or_(bindparam("session", "") == literal_column("''"), memories.c.session == bindparam("session", "")),
        ~_read,
    )
    .order_by(memories.c.seq, memories.c.memory_id)
)
_was_read = Prepared(
    select(promotions.c.run).where(
        promotions.c.tenant == bindparam("tenant"),
        promotions.c.fleet == bindparam("fleet"),
        promotions.c.agent == bindparam("agent"),
        promotions.c.source == bindparam("source"),
    )
)


def batch(
    tx: Transaction,
    who: Principal,
    now: int,
    session: str,
    count: TokenCounter,
    rejected: RejectedValue,
) -> Batch:
    """Return what `who` is due to read at `now` (microseconds), of one `session` or of all ("")."""
    chosen: list[tuple[Memory, str]] = []
    too_long: list[Memory] = []
    skipped, left, more = 0, BUDGET, False
    for row in tx.each(_due, session=session, **admissible.binds(who, now, None)):
        memory = rows.to_memory(row)
        if rejected(tx, who, proposal.value_of(memory), now):
            skipped += 1
            continue
        line = label.line(memory, now)
        tokens = count(line + "\n")
        if tokens > BUDGET:
            too_long.append(memory)
            continue
        if tokens > left or len(chosen) == MOST_ROWS:
            more = True
            break
        left -= tokens
        chosen.append((memory, line))
    memories_, lines = tuple(item[0] for item in chosen), tuple(item[1] for item in chosen)
    return Batch(memories_, lines, tuple(too_long), skipped, more)


def run_that_read(tx: Transaction, who: Principal, memory_id: str) -> str | None:
    """Return the run that has read a memory for `who`, or None."""
    row = tx.one(_was_read, tenant=who.tenant, fleet=who.fleet, agent=who.name, source=memory_id)
    return str(row[0]) if row else None
