"""What may be believed: only the three live statuses are ever read.

>>> print(clause().compile(compile_kwargs={"literal_binds": True}))
memories.status IN ('active', 'pending', 'confirmed')

Left out: how a memory comes to a status, and who may move it.
"""

from __future__ import annotations

from sqlalchemy import ColumnElement, literal_column

from teachmem.ledger.schema import memories
from teachmem.vocabulary import LIVE


def clause() -> ColumnElement[bool]:
    """Return the trust clause. A missing status is not live, and neither is an unknown one."""
    # Written out, not bound: only then can the database use the index of live twins.
    return memories.c.status.in_([literal_column(f"'{status}'") for status in LIVE])
