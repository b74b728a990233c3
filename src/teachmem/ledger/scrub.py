"""From the rows to the bytes: what a database keeps of rows that were emptied, and how it is taken out.

An SQLite file keeps the old bytes of a row in its free space, and its log (`-wal`) keeps whole
pages of before. So after an erasure the file is written anew (VACUUM) and the log emptied into it
(a truncating checkpoint). The log cannot be emptied while somebody still reads in it: then a mark
stays in `meta`, and whoever opens the store next finishes the work.

>>> with Database.open() as database:
...     with database.write() as tx:
...         mark(tx, "northlight/7")
...     print(pending(database), clean(database), pending(database))
...     settle(database, "northlight/7")
...     print(pending(database))
northlight/7 erased northlight/7
None

Left out: the indexes, which are caches beside the database (`tiers/forgetting.py`), and what lies
below the file: snapshots of the file system, spare blocks of a disk. A server has its own cleaning.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing

from sqlalchemy import bindparam, delete, insert, select, update

from teachmem.ledger import schema
from teachmem.ledger.database import Database, Prepared, Transaction

ERASED = "erased"
LOGICALLY = "erased logically"
PENDING = "pending: "
A_READER = PENDING + "a reader is open"
WAIT_MILLISECONDS = 250

_KEY = "unfinished erasure"
_mark = Prepared(select(schema.meta.c.value).where(schema.meta.c.key == _KEY))
_add = Prepared(insert(schema.meta).values(key=_KEY, value=bindparam("value")))
_move = Prepared(update(schema.meta).where(schema.meta.c.key == _KEY).values(value=bindparam("value")))
_settle = Prepared(
    delete(schema.meta).where(schema.meta.c.key == _KEY, schema.meta.c.value == bindparam("value"))
)


def mark(tx: Transaction, erasure: str) -> None:
    """Note in the erasure's own transaction that its bytes are still to go; `erasure` names it."""
    tx.run(_move if tx.one(_mark) else _add, value=erasure)


def pending(database: Database) -> str | None:
    """Return the name of the last erasure whose bytes may still be in a file, or None."""
    with database.read() as tx:
        row = tx.one(_mark)
    return str(row[0]) if row else None


def settle(database: Database, erasure: str) -> None:
    """Take the mark away, unless another erasure has set its own since."""
    with database.write() as tx:
        tx.run(_settle, value=erasure)


def clean(database: Database) -> str:
    """Take the bytes of emptied rows out of the file and its log; say how far that went.

    Returns `ERASED`, `LOGICALLY` for a server, or what it waits for. Never raises for a file that is
    in use, read-only or full: the rows are empty either way.
    """
    if database.dialect != "sqlite":
        return LOGICALLY
    try:
        with database.alone() as connection, closing(connection.cursor()) as cursor:
            before = cursor.execute("PRAGMA busy_timeout").fetchone()[0]
            cursor.execute(f"PRAGMA busy_timeout = {WAIT_MILLISECONDS}")
            try:
                if _log_emptied(cursor):
                    cursor.execute("VACUUM")
                    if _log_emptied(cursor):
                        return ERASED
                return A_READER
            finally:
                cursor.execute(f"PRAGMA busy_timeout = {before}")
    except sqlite3.Error as error:
        if "locked" in str(error) or "busy" in str(error):
            return A_READER
        return f"{PENDING}{error}"


def _log_emptied(cursor: sqlite3.Cursor) -> bool:
    busy, _, _ = cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return not busy
