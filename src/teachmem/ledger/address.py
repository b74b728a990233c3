"""Where a store is: a file's path, ":memory:", or a SQLAlchemy URL; and how to name it without its password.

>>> parse("northlight.db").drivername, parse("postgresql://teach@127.0.0.1/northlight").drivername
('sqlite', 'postgresql+psycopg')
>>> print(shown("postgresql://teach:secret@127.0.0.1/northlight"))
postgresql://teach:***@127.0.0.1/northlight

Left out: opening it (`ledger/database.py`).
"""

from __future__ import annotations

import re

from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from teachmem.errors import StoreError

DRIVERS = {"sqlite": "sqlite", "postgresql": "postgresql+psycopg", "postgres": "postgresql+psycopg"}
# Every place of a URL where a password may stand, also of one that nobody can parse.
_SECRETS = (
    (re.compile(r"(://[^/@\s]*?:).*(?=@)", re.DOTALL), r"\1***"),  # one that holds an @ itself, too
    (re.compile(r"((?:password|passfile|sslpassword)=)[^&]*", re.IGNORECASE | re.DOTALL), r"\1***"),
)


def parse(url: str) -> URL:
    """Return the address of a store, with the driver that it is opened with; raise `StoreError` for none."""
    if not url:
        raise StoreError(f"{url!r} names no store; give a file's path, ':memory:', or a SQLAlchemy URL")
    if "://" not in url:
        return URL.create("sqlite", database=url)
    try:
        address = make_url(url)
    except (ArgumentError, ValueError):
        raise StoreError(
            f"{shown(url)!r} is no SQLAlchemy URL; give for example 'northlight.db'"
        ) from None  # it quotes the password
    backend, _, driver = address.drivername.partition("+")
    wanted = DRIVERS.get(backend)
    if wanted is None or driver not in ("", *wanted.split("+")[1:], "pysqlite"):
        raise StoreError(
            f"{shown(url)!r} cannot be opened: a store is a file, or postgresql+psycopg://USER@HOST/DATABASE"
        )
    return address.set(drivername=wanted)


def shown(url: object) -> str:
    """Return an address as it may be printed: whatever could be a password is left out."""
    text = str(url)
    for pattern, kept in _SECRETS:
        text = pattern.sub(kept, text)
    return text


def in_memory(address: URL) -> bool:
    """Say whether this is an SQLite store that ends with its process."""
    return address.drivername == "sqlite" and address.database in (None, "", ":memory:")
