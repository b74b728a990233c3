"""A driver's complaint about the store, said in one of our sentences: what is wrong, and what to do.

A store that is locked, full, read-only or damaged is no bug, and whoever opened it should not have
to read a driver's traceback. Whatever the driver says about anything else is left as it is.

>>> import sqlite3
>>> with clear():
...     raise sqlite3.OperationalError("database is locked")
Traceback (most recent call last):
    ...
teachmem.errors.StoreError: the store is locked by another writer for too long; try again

Left out: trying again. Whether that is safe, only the caller knows.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import SQLAlchemyError

from teachmem.errors import StoreError

_SENTENCES = (
    ("database is locked", "the store is locked by another writer for too long; try again"),
    ("readonly database", "the store cannot be written: the file or its folder is read-only"),
    ("disk is full", "the disk is full; nothing of this write was kept; free some space and try again"),
    ("file is not a database", "the file is not a database; choose another path"),
    ("malformed", "the file is damaged; restore it from a backup"),
    ("unable to open", "the file cannot be opened; its folder must exist and be writable"),
    ("disk i/o error", "the disk refused to read or write; nothing of this write was kept"),
    ("decode", "the file is damaged or was tampered with: a text in it is not UTF-8"),
    ("no such table", "the store lacks one of its tables; restore it from a backup"),
    ("no such column", "the store lacks one of its columns; restore it from a backup"),
    *(
        (
            f"unique constraint failed: {column}",
            "the id maker gave an id that this store holds already; nothing of this write was kept; "
            "use RandomIds, or CountedIds with a new store",
        )
        for column in ("memories.memory_id", "candidates.candidate_id", "audit.event")
    ),
)


@contextmanager
def clear(otherwise: str = "") -> Iterator[None]:
    """Turn a driver's complaint about the store into one of our sentences; leave bugs as they are.

    `otherwise` begins the sentence for a complaint that we do not know.
    """
    try:
        yield
    except Exception as error:
        origin = error.orig if isinstance(error, SQLAlchemyError) and hasattr(error, "orig") else error
        is_driver = type(origin).__module__.partition(".")[0] in ("sqlite3", "psycopg")
        if is_driver or isinstance(origin, UnicodeDecodeError):
            for needle, sentence in _SENTENCES:
                if needle in str(origin).lower():
                    raise StoreError(sentence) from error
            if otherwise:
                raise StoreError(f"{otherwise}: {origin}") from error
        raise
