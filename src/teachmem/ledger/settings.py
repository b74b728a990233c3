"""What holds for a whole store: which embedder its vectors come from, and what it is told apart by.

Vectors of two embedders cannot be compared, so a store keeps to the one it was built with.

>>> with Database.open() as database:
...     claim_embedder(database, "wordllama-256")
...     claim_embedder(database, "another")
Traceback (most recent call last):
    ...
teachmem.errors.StoreError: the store's vectors come from the embedder 'wordllama-256', not from 'another'; \
open it with that one, or run `teachmem reindex STORE --re-embed --embedder another`

Left out: settings of a tenant; those are acts and stand in its chain.
"""

from __future__ import annotations

import shlex

from sqlalchemy import bindparam, insert, select, update

from teachmem.errors import StoreError
from teachmem.ledger import schema
from teachmem.ledger.database import Database, Prepared, Transaction

_value = Prepared(select(schema.meta.c.value).where(schema.meta.c.key == bindparam("of")))
_add = Prepared(insert(schema.meta).values(key=bindparam("of"), value=bindparam("value")))
_change = Prepared(
    update(schema.meta).where(schema.meta.c.key == bindparam("of")).values(value=bindparam("value"))
)


def embedder(database: Database) -> str | None:
    """Return the name of the embedder that the store was built with, None before the first vector."""
    with database.read() as tx:
        row = tx.one(_value, of="embedder")
    return str(row[0]) if row else None


def claim_embedder(database: Database, name: str, *, anew: bool = False) -> None:
    """Say that the store's vectors come from `name`, once; refuse another unless they are made `anew`."""
    known = embedder(database)
    if known == name:
        return
    if known is not None and not anew:
        raise _another(known, name)
    with database.write() as tx:
        row = tx.one(_value, of="embedder")  # again, under the lock: another opener may have been faster
        if row is None:
            tx.run(_add, of="embedder", value=name)
        elif anew:
            tx.run(_change, of="embedder", value=name)
        elif row[0] != name:
            raise _another(str(row[0]), name)


def check_embedder(tx: Transaction, name: str) -> None:
    """Raise `StoreError` if the store's vectors come from another embedder by now, as in `claim_embedder`."""
    row = tx.one(_value, of="embedder")
    if row is not None and row[0] != name:
        raise _another(str(row[0]), name)


def identity(database: Database, new: str) -> str:
    """Return what tells this store from any other: `new` from its first use on."""
    with database.write() as tx:
        if row := tx.one(_value, of="store"):
            return str(row[0])
        tx.run(_add, of="store", value=new)
        return new


def _another(known: str, name: str) -> StoreError:
    return StoreError(
        f"the store's vectors come from the embedder {known!r}, not from {name!r}; "
        f"open it with that one, or run `teachmem reindex STORE --re-embed --embedder {shlex.quote(name)}`"
    )
