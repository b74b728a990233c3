"""Where the rows live: opening a store, and the two kinds of transaction that it offers.

`write()` begins by taking the one write lock (BEGIN IMMEDIATE in SQLite), so what a check has
read cannot change before the row is written. `read()` sees one snapshot. SQLAlchemy builds and
compiles every statement once (`Prepared`); it then runs on the driver itself, which is several
times faster than compiling or wrapping it again.

>>> from sqlalchemy import select
>>> version = Prepared(select(schema.meta.c.value).where(schema.meta.c.key == "schema"))
>>> with Database.open(":memory:") as database, database.read() as tx:
...     tx.one(version)
('2',)

Left out: what the statements mean, and retrying. A lock is waited for up to ten seconds.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import ClauseElement, Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError
from sqlalchemy.pool import QueuePool, StaticPool

from teachmem import private
from teachmem.errors import StoreError
from teachmem.ledger import complaints, schema, shape

BUSY_SECONDS = 10


class Prepared:
    """A statement compiled once a dialect and run on the driver with bound values."""

    def __init__(self, statement: ClauseElement) -> None:
        self.statement = statement
        self._compiled: dict[str, tuple[str, Sequence[str] | None, dict[str, Any]]] = {}

    def on(self, dialect: Any) -> tuple[str, Sequence[str] | None, dict[str, Any]]:
        """Return the SQL text, the order of its parameters (None: by name), and fixed values."""
        found = self._compiled.get(dialect.name)
        if found is None:
            compiled: Any = self.statement.compile(dialect=dialect)
            fixed = {name: value for name, value in compiled.params.items() if value is not None}
            found = self._compiled[dialect.name] = (str(compiled), compiled.positiontup, fixed)
        return found


class Transaction:
    """One open transaction on one connection. Values are always bound, never pasted into SQL."""

    def __init__(self, cursor: Any, dialect: Any) -> None:
        self._cursor = cursor
        self._dialect = dialect
        self.appended: list[Any] = []  # the heads of the chains that grew

    def run(self, prepared: Prepared, **binds: Any) -> int:
        """Run a statement and return how many rows it changed."""
        sql, order, fixed = prepared.on(self._dialect)
        values = {**fixed, **binds} if fixed else binds
        self._cursor.execute(sql, [values[name] for name in order] if order is not None else values)
        return int(self._cursor.rowcount)

    def all(self, prepared: Prepared, **binds: Any) -> list[tuple[Any, ...]]:
        """Run a query and return its rows."""
        self.run(prepared, **binds)
        return list(self._cursor.fetchall())

    def one(self, prepared: Prepared, **binds: Any) -> tuple[Any, ...] | None:
        """Run a query and return its first row, or None."""
        self.run(prepared, **binds)
        row: tuple[Any, ...] | None = self._cursor.fetchone()
        return row

    def each(self, prepared: Prepared, **binds: Any) -> Iterator[tuple[Any, ...]]:
        """Run a query and yield its rows one by one, in constant memory."""
        with closing(self._cursor.connection.cursor()) as cursor:
            Transaction(cursor, self._dialect).run(prepared, **binds)
            yield from cursor


class Database:
    """An opened store. Threads may share it; so may processes, each with its own `Database`."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        # One connection serves an in-memory store, so its transactions take turns.
        self._turn = threading.RLock() if isinstance(engine.pool, StaticPool) else None
        self._closed = False
        self.after_write: Callable[[list[Any]], None] | None = None  # called with `appended` once committed

    @classmethod
    def open(cls, url: str = ":memory:") -> Database:
        """Open the store at `url`: a file's path, ":memory:", or a SQLAlchemy URL.

        A missing file is created, readable by its owner only. Raises `StoreError` for a file that
        is not a teachmem store, that a newer teachmem wrote, or that cannot be written.
        """
        address = _address(url)
        is_sqlite = address.get_backend_name() == "sqlite"
        is_memory = is_sqlite and address.database in (None, "", ":memory:")
        if is_sqlite and not is_memory and "uri" not in address.query:
            _create_private(Path(str(address.database)))
        try:
            engine = create_engine(
                address,
                poolclass=StaticPool if is_memory else QueuePool,
                connect_args={"check_same_thread": False, "timeout": BUSY_SECONDS} if is_sqlite else {},
            )
        except (NoSuchModuleError, ImportError) as error:
            raise StoreError(
                f"{url!r} cannot be opened: {error}; install the driver or use a file's path"
            ) from error
        if is_sqlite:
            event.listen(engine, "connect", _prepare_sqlite)
        database = cls(engine)
        try:
            shape.prepare(engine, url)
        except BaseException:
            database.close()
            raise
        return database

    @property
    def file(self) -> Path | None:
        """The file of an SQLite store, None for one in memory or on a server."""
        name = self._engine.url.database
        in_file = (
            self.dialect == "sqlite"
            and name not in (None, "", ":memory:")
            and "uri" not in self._engine.url.query
        )
        return Path(str(name)) if in_file else None

    @property
    def closed(self) -> bool:
        """Say whether `close()` was called."""
        return self._closed

    @property
    def dialect(self) -> str:
        """Return "sqlite" or "postgresql"."""
        return self._engine.dialect.name

    @contextmanager
    def write(self) -> Iterator[Transaction]:
        """Hold the write lock until the block ends: committed whole, or on an exception not at all."""
        with self._transaction("BEGIN IMMEDIATE" if self.dialect == "sqlite" else "BEGIN") as tx:
            yield tx
        if self.after_write is not None and tx.appended:
            self.after_write(tx.appended)

    @contextmanager
    def read(self) -> Iterator[Transaction]:
        """See one unchanging snapshot until the block ends."""
        isolation = "" if self.dialect == "sqlite" else " ISOLATION LEVEL REPEATABLE READ READ ONLY"
        with self._transaction("BEGIN" + isolation) as tx:
            yield tx

    @contextmanager
    def alone(self) -> Iterator[Any]:
        """Lend the driver's connection outside of any transaction, for the upkeep of the file itself."""
        with self._turn or _no_turn:
            connection = self._engine.raw_connection()
            try:
                yield connection.driver_connection
            finally:
                connection.close()

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[Transaction]:
        if self._closed:
            raise StoreError("the store is closed; open it again by its path")
        with self._turn or _no_turn, complaints.clear():
            connection = self._engine.raw_connection()
            try:
                with closing(connection.cursor()) as cursor:
                    cursor.execute(begin)
                    try:
                        yield Transaction(cursor, self._engine.dialect)
                        cursor.execute("COMMIT")
                    except BaseException:
                        _roll_back(connection)
                        raise
            finally:
                connection.close()

    def close(self) -> None:
        """Give every connection back. A closed store can be opened again by its path."""
        self._closed = True
        self._engine.dispose()

    def __enter__(self) -> Database:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _NoTurn:
    def __enter__(self) -> None: ...
    def __exit__(self, *_: object) -> None: ...


_no_turn = _NoTurn()


def _address(url: str) -> URL:
    if not str(url):
        raise StoreError(f"{url!r} names no store; give a file's path, ':memory:', or a SQLAlchemy URL")
    if "://" not in str(url):
        return URL.create("sqlite", database=str(url))
    try:
        return make_url(str(url))
    except ArgumentError as error:
        raise StoreError(f"{url!r} is no SQLAlchemy URL; give for example 'northlight.db'") from error


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


def _prepare_sqlite(connection: Any, _: Any) -> None:
    connection.isolation_level = None  # we say BEGIN ourselves
    cursor = connection.cursor()
    tables = cursor.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    ours = cursor.execute("PRAGMA application_id").fetchone()[0] == schema.APPLICATION_ID
    if ours or not tables:  # the mode is written into the file, and this one may be somebody else's
        cursor.execute("PRAGMA journal_mode = WAL")
    cursor.execute("PRAGMA synchronous = FULL")  # an acknowledged write survives a power cut
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.execute("PRAGMA secure_delete = ON")  # freed bytes are overwritten
    cursor.close()


def _roll_back(connection: Any) -> None:
    try:
        connection.rollback()
    except Exception:  # the connection is gone; what it held was never committed
        connection.invalidate()
