"""How everything stands that a reader may see exists: live or withheld, and whether a read returns it now.

What is withheld is counted by this, and not read: ids and states come back, and no text. The same scope
decides whose memories are counted as in every read.

>>> "content" in str(_standing(scope.Reach.FLEET).statement)
False

Left out: what a memory says. A read that may say it goes through `admissible.py`.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from sqlalchemy import and_, case, select

from teachmem.ledger import rows
from teachmem.ledger.database import Prepared, Transaction
from teachmem.ledger.schema import memories
from teachmem.principal import Principal
from teachmem.rules import admissible, scope, trust, validity

COLUMNS = ("memory_id", "tier", "kind", "status")


@cache
def _standing(far: scope.Reach) -> Prepared:
    admitted = case((and_(trust.clause(), validity.valid_clause()), 1), else_=0)
    query = select(*(memories.c[name] for name in COLUMNS), admitted)
    query = query.where(scope.clause(far), validity.known_clause(past=False))
    return Prepared(query.order_by(memories.c.seq, memories.c.memory_id))


def standing(tx: Transaction, reader: Principal, at: int) -> list[tuple[Any, ...]]:
    """Return how each memory stands at `at` (microseconds): its id, tier, kind and status, and 1 if a read
    returns it, else 0. What has changed longest ago comes first.
    """
    found = tx.all(_standing(scope.reach(reader)), **admissible.binds(reader, at, None))
    for row in found:
        rows.check(row[:4], COLUMNS)
    return found
