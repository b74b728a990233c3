"""Which shape a database has: made when it is empty, upgraded when it is older, refused when it is newer.

`schema.py` says the shape of today, and `meta` which version of it a store has. An upgrade happens when a
store is opened, under its write lock and in one transaction: it is there whole or not at all, a second
opener waits and finds it done. Before, the store is copied to a file beside it, `NAME.schema-1`, since a
look back needs what an older teachmem wrote, and a doubt something to compare with.

>>> from sqlalchemy import create_engine
>>> engine = create_engine("sqlite://")
>>> prepare(engine, ":memory:")
>>> with engine.connect() as connection:
...     print(_version(connection, ":memory:"))
2

Left out: what an upgrade does to the tables (`ledger/migrations.py`); the copy of a store on a server,
which has means of its own.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, insert, select

from teachmem import private
from teachmem.errors import StoreError
from teachmem.ledger import append_only, complaints, migrations, schema
from teachmem.ledger.schema import meta

DIGITS = 18  # of a version; whatever is longer is newer than this one
_LOCK = {
    "sqlite": "BEGIN IMMEDIATE",
    "postgresql": f"BEGIN; SELECT pg_advisory_xact_lock({schema.APPLICATION_ID})",
}


def prepare(engine: Engine, url: str) -> None:
    """Make the tables of an empty database, or bring an older store to today's shape.

    Raises `StoreError` for a database of somebody else, a newer store, and one that cannot be upgraded,
    in which nothing was changed then. Warns after an upgrade, with the place of the copy.
    """
    with complaints.clear(f"{url!r} cannot be opened as a store"):
        with engine.connect() as connection:
            found = _version(connection, url)
        if found is None:
            with _locked(engine) as connection:
                if _version(connection, url) is None:  # or another opener was faster
                    _make(connection)
    if found is not None and found < schema.SCHEMA_VERSION:
        _upgrade(engine, url, found)


def copies(file: Path) -> list[Path]:
    """Return the copies that upgrades of the store `file` have left beside it."""
    return sorted(file.parent.glob(f"{file.name}.schema-*"))


def _upgrade(engine: Engine, url: str, found: int) -> None:
    copy: Path | None = None
    try:
        with complaints.clear("it failed"), _locked(engine) as connection:
            if _version(connection, url) != found:  # another opener was faster
                return
            connection.execute(select(meta.c.value).with_for_update())  # a server's writers wait for this row
            copy = _copy(engine, found)
            migrations.upgrade(connection, found)
    except BaseException as error:
        if copy is not None:
            private.discard(copy)
        if not isinstance(error, Exception):
            raise
        why = error if isinstance(error, StoreError) else f"{type(error).__name__}: {error}"
        raise StoreError(
            f"{url!r} is of schema {found} and could not be brought to schema {schema.SCHEMA_VERSION}; "
            f"nothing in it was changed: {why}"
        ) from error
    kept = f"; as it was it is kept in {str(copy)!r}, which you may delete" if copy else ""
    warnings.warn(f"{url!r} was upgraded to schema {schema.SCHEMA_VERSION}{kept}", UserWarning, stacklevel=4)


@contextmanager
def _locked(engine: Engine) -> Iterator[Connection]:
    with engine.connect() as connection:
        connection.exec_driver_sql(_LOCK[engine.dialect.name])
        try:
            yield connection
            connection.commit()
        except BaseException:
            connection.rollback()
            raise


def _version(connection: Connection, url: str) -> int | None:
    """Return the version of the store, None for an empty database."""
    known = set(connection.dialect.get_table_names(connection))
    if not known:
        return None
    if "meta" not in known or "audit_heads" not in known:
        raise StoreError(f"{url!r} is a database, but not a teachmem store; choose another path")
    said = str(connection.execute(select(meta.c.value).where(meta.c.key == "schema")).scalar())
    found = int(said[:DIGITS]) if said.isascii() and said.isdigit() else 0
    if found > schema.SCHEMA_VERSION:
        raise StoreError(
            f"{url!r} was written by a newer teachmem (schema {found}; this one reads up to "
            f"{schema.SCHEMA_VERSION}); update teachmem"
        )
    if found < 1:
        raise StoreError(
            f"{url!r} does not say which schema it has; it is not a teachmem store or is damaged"
        )
    return found


def _make(connection: Connection) -> None:
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql(f"PRAGMA application_id = {schema.APPLICATION_ID}")
    schema.metadata.create_all(connection)
    append_only.guard(connection)
    connection.execute(insert(meta).values(key="schema", value=str(schema.SCHEMA_VERSION)))


def _copy(engine: Engine, found: int) -> Path | None:
    """Copy the store, to which nobody can write now, to a new file beside it, for its owner only."""
    if engine.dialect.name != "sqlite":
        return None
    with closing(engine.raw_connection()) as connection, closing(connection.cursor()) as cursor:
        cursor.execute("PRAGMA database_list")
        row: Any = cursor.fetchone()
        place = _free(f"{row[2]}.schema-{found}")
        os.close(private.create(place))
        try:
            cursor.execute("VACUUM INTO ?", (str(place),))
            with place.open("rb+") as written:
                os.fsync(written.fileno())
        except BaseException:
            private.discard(place)
            raise
    return place


def _free(name: str) -> Path:
    """Return a path at which nothing lies; an upgrade that was killed may have left its copy."""
    place, number = Path(name), 1
    while os.path.lexists(place):
        number += 1
        place = Path(f"{name}-{number}")
    return place
