"""Which indexes SQLite chose for a read: their names, not the text of the plan, which varies by version.

>>> from teachmem import open_memory
>>> with open_memory() as mem:
...     tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
...     hoist = tech.semantic.remember("the hoist hums").memory.memory_id
...     print(indexes(mem, lambda: tech.semantic.get(hoist)))
('current_version',)

Left out: other databases, which have their own words for a plan.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from unittest import mock

from teachmem.errors import InvalidInput
from teachmem.ledger.database import Prepared, Transaction
from teachmem.store import MemoryStore

_USED = re.compile(r"USING (?:COVERING )?INDEX (\w+)")


def indexes(mem: MemoryStore, read: Callable[[], object]) -> tuple[str, ...]:
    """Run `read` and return the indexes on `memories` that its statements use, in order, each once.

    A statement that walks through the whole table adds "(no index)".
    """
    if mem._database.dialect != "sqlite":
        raise InvalidInput("mem", "is no SQLite store; ask the server's own EXPLAIN")
    asked: list[tuple[Prepared, dict[str, Any]]] = []
    run = Transaction.run

    def noting(self: Transaction, prepared: Prepared, **binds: Any) -> int:
        asked.append((prepared, binds))
        return run(self, prepared, **binds)

    with mock.patch.object(Transaction, "run", noting):
        read()
    with mem._database.read() as tx:
        steps = [step for prepared, binds in asked for step in _plan(tx, prepared, binds)]
    found = [
        _USED.findall(step) or ["(no index)"] for step in steps if "memories" in step or "newest" in step
    ]
    return tuple(dict.fromkeys(name for names in found for name in names))


def _plan(tx: Transaction, prepared: Prepared, binds: dict[str, Any]) -> list[str]:
    sql, order, fixed = prepared.on(tx._dialect)
    values = {**fixed, **binds}
    given = [values[name] for name in order] if order is not None else values
    tx._cursor.execute(f"EXPLAIN QUERY PLAN {sql}", given)
    return [str(row[3]) for row in tx._cursor.fetchall()]
