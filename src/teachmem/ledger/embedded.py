"""SQLite as the place of a store: one file, private to its owner, and one writer at a time.

BEGIN IMMEDIATE takes the file's one write lock before anything is read, so that what a check has read
still holds when the row is written. Readers see a snapshot from the write-ahead log meanwhile.

>>> LOCK_AND_BEGIN
'BEGIN IMMEDIATE'

Left out: a server (`ledger/served.py`), which offers the same under the same names.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from sqlalchemy.engine import URL

from teachmem import private
from teachmem.errors import StoreError
from teachmem.ledger import address as addresses
from teachmem.ledger import schema

BUSY_SECONDS = 10
LOCK_AND_BEGIN = "BEGIN IMMEDIATE"
BEGIN_TO_READ = "BEGIN"


def arguments(address: URL) -> dict[str, Any]:
    """Return what the driver is told, once the file is there: made, or refused with `StoreError`."""
    if not addresses.in_memory(address) and "uri" not in address.query:
        _create_private(Path(str(address.database)))
    return {"check_same_thread": False, "timeout": BUSY_SECONDS}


def prepare(connection: Any, _: Any = None) -> None:
    """Make a new connection ready: we say BEGIN ourselves, and what is committed is on the disk."""
    connection.isolation_level = None
    cursor = connection.cursor()
    tables = cursor.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    ours = cursor.execute("PRAGMA application_id").fetchone()[0] == schema.APPLICATION_ID
    if ours or not tables:  # the mode is written into the file, and this one may be somebody else's
        cursor.execute("PRAGMA journal_mode = WAL")
    cursor.execute("PRAGMA synchronous = FULL")  # an acknowledged write survives a power cut
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.execute("PRAGMA secure_delete = ON")  # freed bytes are overwritten
    cursor.close()


def each(cursor: Any, sql: str, values: Any) -> Iterator[tuple[Any, ...]]:
    """Run a query beside `cursor`, in its transaction, and yield its rows in constant memory."""
    another = cursor.connection.cursor()
    try:
        another.execute(sql, values)
        yield from another
    finally:
        with suppress(sqlite3.ProgrammingError):  # whoever stopped early may have closed the file since
            another.close()


def begin(cursor: Any) -> str:
    """Take the write lock. A file's transaction needs no number: its end is known to who ended it."""
    cursor.execute(LOCK_AND_BEGIN)
    return ""


def one_each(cursor: Any, sql: str, many: list[Any]) -> list[tuple[Any, ...] | None]:
    """Run a query once for each of `many` values and return the first row of each."""
    return [cursor.execute(sql, values).fetchone() for values in many]


def is_lost(connection: Any) -> bool:
    """Say whether a connection of the pool has ended under us; a file's never does."""
    return False


def kept(connect: Callable[[], Any], number: str) -> bool | None:
    """Say what became of a transaction whose answer was lost; a file's never is."""
    return None


def _create_private(path: Path) -> None:
    try:
        os.close(private.open_file(path))
    except IsADirectoryError:
        raise StoreError(f"{str(path)!r} is a folder; give a file's path") from None
    except FileNotFoundError:
        raise StoreError(f"{str(path.parent)!r} does not exist; make the folder first") from None
    except PermissionError:
        raise StoreError(
            f"{str(path)!r} cannot be written; a store needs a writable file and folder"
        ) from None
    except OSError as error:
        raise StoreError(f"{str(path)!r} cannot be opened: {error.strerror}") from error
    except ValueError as error:  # U+0000, or half of a surrogate pair
        raise StoreError(f"{str(path)!r} is no file's path: {error}") from error
