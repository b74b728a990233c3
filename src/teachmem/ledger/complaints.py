"""A driver's complaint about the store, said in one of our sentences: what is wrong, and what to do.

A store that is locked, full, read-only, damaged or out of reach is no bug, and whoever opened it should
not have to read a driver's traceback. Whatever the driver says about anything else is left as it is.

>>> import sqlite3
>>> with clear():
...     raise sqlite3.OperationalError("database is locked")
Traceback (most recent call last):
    ...
teachmem.errors.StoreError: the store is locked by another writer for too long; try again

Left out: trying again. Whether that is safe, only the caller knows.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from teachmem.errors import StoreError

LOCKED = "the store is locked by another writer for too long; try again"
LOST = "the connection to the server was lost; nothing of this write was kept; try again"
UNKNOWN = (
    "the connection to the server was lost while it committed, and it cannot say whether the write was kept; "
    "look, or send it again with the same request_id"
)
UNSURE = (
    "the disk refused to confirm this write; whether it was kept is not known until the store is opened "
    "again; look then, or send it again with the same request_id"
)
_FULL = "the disk is full; nothing of this write was kept; free some space and try again"
_NO_TABLE = "the store lacks one of its tables; restore it from a backup"
_NO_COLUMN = "the store lacks one of its columns; restore it from a backup"
_DAMAGED = "the file is damaged; restore it from a backup"
_SAME_ID = (
    "the id maker gave an id that this store holds already; nothing of this write was kept; "
    "use RandomIds, or CountedIds with a new store"
)
_IDS = ("memories.memory_id", "candidates.candidate_id", "audit.event")
_SENTENCES = (  # what SQLite says
    ("database is locked", LOCKED),
    ("readonly database", "the store cannot be written: the file or its folder is read-only"),
    ("disk is full", _FULL),
    ("file is not a database", "the file is not a database; choose another path"),
    ("malformed", _DAMAGED),
    ("unable to open", "the file cannot be opened; its folder must exist and be writable"),
    ("disk i/o error", "the disk refused to read or write; nothing of this write was kept"),
    ("decode", "the file is damaged or was tampered with: a text in it is not UTF-8"),
    ("no such table", _NO_TABLE),
    ("no such column", _NO_COLUMN),
    *((f"unique constraint failed: {column}", _SAME_ID) for column in _IDS),
)
_STATES = (  # what PostgreSQL says, by the beginning of its SQLSTATE
    ("55P03", LOCKED),
    ("40", "two writers were in each other's way; nothing of this write was kept; try again"),
    ("0A000", "the server takes no writes: it is a copy of another"),
    ("42883", "the server is older than PostgreSQL 13; update it"),
    ("42501", "the server's user may not do this in the store; its tables must be that user's"),
    ("42P01", _NO_TABLE),
    ("42703", _NO_COLUMN),
    ("3F000", "the schema of the URL does not exist; make it first"),
    ("3D000", "the server has no database of this name; make it first"),
    ("28", "the server refused the user or the password of the URL"),
    ("53100", _FULL),
    ("53300", "the server has no connection left; try again, or let it take more"),
    ("54000", "a name or a value is too long for an index of the server; nothing of this write was kept"),
    ("57014", "the server cut the statement off; nothing of this write was kept; try again"),
    ("57P03", "the server is starting or stopping; try again"),
    ("57P", LOST),
    ("25P03", LOST),  # a transaction that stood idle for too long
    ("08", LOST),
    ("XX00", "the server's files are damaged; restore the store from a backup"),
)
_NO_ANSWER = ("connection failed", "failed to resolve", "timeout expired", "connection is bad")
_UNIQUE = ("memories_pkey", "candidates_pkey", "audit_event_key")


@contextmanager
def committing() -> Iterator[None]:
    """Say of a commit that the disk broke off that nobody knows its outcome.

    What was written may be read back after a crash, although the disk never said that it is there.
    """
    try:
        yield
    except sqlite3.OperationalError as error:
        if "disk i/o error" in str(error).lower():
            raise StoreError(UNSURE) from error
        raise


@contextmanager
def clear(otherwise: str = "") -> Iterator[None]:
    """Turn a driver's complaint about the store into one of our sentences; leave bugs as they are.

    `otherwise` begins the sentence for a complaint that we do not know.
    """
    try:
        yield
    except PoolTimeout as error:
        raise StoreError("too many threads use the store at once; try again") from error
    except Exception as error:
        origin = error.orig if isinstance(error, SQLAlchemyError) and hasattr(error, "orig") else error
        driver = type(origin).__module__.partition(".")[0]
        if driver in ("sqlite3", "psycopg") or isinstance(origin, UnicodeDecodeError):
            if sentence := (_of_server if driver == "psycopg" else _of_file)(origin):
                raise StoreError(sentence) from error
            if otherwise:
                raise StoreError(f"{otherwise}: {origin}") from error
        raise


def _of_file(origin: Any) -> str:
    return next((sentence for needle, sentence in _SENTENCES if needle in str(origin).lower()), "")


def _of_server(origin: Any) -> str:
    state = getattr(origin, "sqlstate", None)
    if state == "23505" and origin.diag.constraint_name in _UNIQUE:
        return _SAME_ID
    if state is not None:
        return next((sentence for start, sentence in _STATES if state.startswith(start)), "")
    if "OperationalError" not in {kind.__name__ for kind in type(origin).__mro__}:
        return ""
    told = str(origin).splitlines()[0]  # the library itself says it, in words alone
    if any(sign in told for sign in _NO_ANSWER):
        return f"the server of the store refuses, or does not answer: {told}"
    return LOST
