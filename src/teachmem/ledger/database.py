"""Where the rows live: opening a store, and the two kinds of transaction that it offers.

`write()` begins by taking the one write lock, so what a check has read cannot change before the
row is written. `read()` sees one snapshot. How either is said depends on the place: a file
(`ledger/embedded.py`) or a server (`ledger/served.py`). SQLAlchemy builds and compiles every
statement once (`Prepared`); it then runs on the driver itself, which is several times faster than
compiling or wrapping it again.

>>> from sqlalchemy import select
>>> from teachmem.ledger import schema
>>> version = Prepared(select(schema.meta.c.value).where(schema.meta.c.key == "schema"))
>>> with Database.open(":memory:") as database, database.read() as tx:
...     tx.one(version)
('2',)

Left out: what the statements mean, and retrying. A lock is waited for up to ten seconds.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import ClauseElement, Engine, create_engine, event
from sqlalchemy.pool import QueuePool, StaticPool

from teachmem.errors import StoreError
from teachmem.ledger import address as addresses
from teachmem.ledger import complaints, embedded, served, shape

BUSY_SECONDS = embedded.BUSY_SECONDS


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

    def __init__(self, cursor: Any, dialect: Any, place: Any) -> None:
        self._cursor = cursor
        self._dialect = dialect
        self._place = place
        self.appended: list[Any] = []  # the heads of the chains that grew

    def run(self, prepared: Prepared, **binds: Any) -> int:
        """Run a statement and return how many rows it changed."""
        self._cursor.execute(*self._bound(prepared, binds))
        return int(self._cursor.rowcount)

    def _bound(self, prepared: Prepared, binds: dict[str, Any]) -> tuple[str, Any]:
        sql, order, fixed = prepared.on(self._dialect)
        values = {**fixed, **binds} if fixed else binds
        return sql, [values[name] for name in order] if order is not None else values

    def all(self, prepared: Prepared, **binds: Any) -> list[tuple[Any, ...]]:
        """Run a query and return its rows."""
        self.run(prepared, **binds)
        return list(self._cursor.fetchall())

    def one(self, prepared: Prepared, **binds: Any) -> tuple[Any, ...] | None:
        """Run a query and return its first row, or None."""
        self.run(prepared, **binds)
        row: tuple[Any, ...] | None = self._cursor.fetchone()
        return row

    def one_each(
        self, prepared: Prepared, name: str, values: Iterable[Any], **binds: Any
    ) -> list[tuple[Any, ...] | None]:
        """Run a query for each of `values`, bound as `name`; return the first row, or None, of each."""
        bound = [self._bound(prepared, {**binds, name: value}) for value in values]
        return self._place.one_each(self._cursor, bound[0][0], [each for _, each in bound]) if bound else []

    def each(self, prepared: Prepared, **binds: Any) -> Iterator[tuple[Any, ...]]:
        """Run a query and yield its rows one by one, in constant memory."""
        yield from self._place.each(self._cursor, *self._bound(prepared, binds))


class Database:
    """An opened store. Threads may share it; so may processes, each with its own `Database`."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._place: Any = embedded if engine.dialect.name == "sqlite" else served
        # One connection serves an in-memory store, so its transactions take turns.
        self._turn = threading.RLock() if isinstance(engine.pool, StaticPool) else None
        self._closed = False
        self.after_write: Callable[[list[Any]], None] | None = None  # called with `appended` once committed

    @classmethod
    def open(cls, url: str = ":memory:") -> Database:
        """Open the store at `url`: a file's path, ":memory:", or a SQLAlchemy URL of SQLite or PostgreSQL.

        A missing file is created, readable by its owner only; in an empty schema of a server the tables
        are made. Raises `StoreError` for what is not a teachmem store, that a newer teachmem wrote, that
        cannot be written or does not answer.
        """
        engine = _engine(url)
        database = cls(engine)
        try:
            shape.prepare(engine, addresses.shown(url))
        except BaseException:
            database.close()
            raise
        return database

    @property
    def file(self) -> Path | None:
        """The file of an SQLite store, None for one in memory or on a server."""
        url = self._engine.url
        in_file = self.dialect == "sqlite" and not self.in_memory and "uri" not in url.query
        return Path(str(url.database)) if in_file else None

    @property
    def in_memory(self) -> bool:
        """Say whether the store ends with its process."""
        return addresses.in_memory(self._engine.url)

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
        with self._transaction(self._place.begin) as tx:
            yield tx
        if self.after_write is not None and tx.appended:
            self.after_write(tx.appended)

    @contextmanager
    def read(self) -> Iterator[Transaction]:
        """See one unchanging snapshot until the block ends."""
        with self._transaction(lambda cursor: cursor.execute(self._place.BEGIN_TO_READ)) as tx:
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
    def _transaction(self, begin: Callable[[Any], Any]) -> Iterator[Transaction]:
        if self._closed:
            raise StoreError("the store is closed; open it again by its path")
        with self._turn or _no_turn, complaints.clear():
            connection = self._engine.raw_connection()
            try:
                with closing(connection.cursor()) as cursor:
                    try:
                        number = begin(cursor)
                        yield Transaction(cursor, self._engine.dialect, self._place)
                        self._commit(connection, cursor, number)
                    except BaseException:
                        _roll_back(connection)
                        raise
            finally:
                _give_back(connection)

    def _commit(self, connection: Any, cursor: Any, number: Any) -> None:
        try:
            with complaints.committing():
                cursor.execute("COMMIT")
        except Exception as error:
            if not isinstance(number, str) or not self._place.is_lost(connection):
                raise
            kept = self._place.kept(self._engine.raw_connection, number)
            if not kept:
                raise StoreError(complaints.LOST if kept is False else complaints.UNKNOWN) from error

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


def _roll_back(connection: Any) -> None:
    try:
        connection.rollback()
    except Exception:  # the connection is gone; what it held was never committed
        connection.invalidate()


def _give_back(connection: Any) -> None:
    """Give a connection back to the pool; throw away one that has ended, or the pool logs a fault."""
    if connection.is_valid and getattr(connection.driver_connection, "closed", False):
        connection.invalidate()
    connection.close()


def tables_at(url: str) -> set[str]:
    """Return the names of the tables at an address, and make none."""
    engine = _engine(url)
    try:
        with engine.connect() as connection:
            return set(engine.dialect.get_table_names(connection))
    finally:
        engine.dispose()


def _engine(url: str) -> Engine:
    address = addresses.parse(url)
    place: Any = embedded if address.drivername == "sqlite" else served
    try:
        engine = create_engine(
            address,
            poolclass=StaticPool if addresses.in_memory(address) else QueuePool,
            connect_args=place.arguments(address),
            pool_pre_ping=place is served,  # a server may have restarted since
        )
    except ImportError as error:
        raise StoreError(
            f"{addresses.shown(url)!r} cannot be opened: {error}; install teachmem[postgres], or use a file"
        ) from error
    event.listen(engine, "connect", place.prepare)
    return engine
