"""PostgreSQL as the place of a store: the same rows and the same two kinds of transaction, over the network.

Every writer first locks the row of `meta` that names the schema, and holds it until it has committed: one
writer at a time in a store, as in a file, so that every check reads what the row after it will stand beside
(READ COMMITTED; each statement behind the lock sees all that was committed). A reader has a snapshot
(REPEATABLE READ, READ ONLY) and waits for nobody. A store has a schema of its own, the first of the
connection's search path; two stores in one database are two schemas.

A server can go away between COMMIT and its answer. So a writer notes the number of its transaction, and
asks the server afterwards what became of it.

>>> LOCK_AND_BEGIN.partition(";")[0], BEGIN_TO_READ
('BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE', 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')

Sources: PostgreSQL manual, 13.2 "Transaction isolation", 9.27 "pg_xact_status".
Left out: other servers, and connection poolers that hand one session to several clients.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

from sqlalchemy.engine import URL

from teachmem.errors import StoreError

BUSY_SECONDS = 10
TRIES, PAUSE_SECONDS = 50, 0.2
AT_ONCE = 1_000  # rows that a walk fetches
LOCK_AND_BEGIN = (
    "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; "
    "SELECT pg_current_xact_id()::text FROM meta WHERE key = 'schema' FOR UPDATE"
)
BEGIN_TO_READ = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
_OF_SESSION = (
    f"SET lock_timeout = '{BUSY_SECONDS}s'",
    "SET idle_in_transaction_session_timeout = '5min'",  # a client that hangs does not keep the lock for good
    # What is not there is not looked for in another schema, where a store or a table of that name may lie.
    "SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', false) "
    "WHERE current_schema() IS NOT NULL",
    "SELECT set_config('synchronous_commit', 'on', false) "
    "WHERE current_setting('synchronous_commit') = 'off'",
)
_names = itertools.count(1)


def arguments(address: URL) -> dict[str, Any]:
    """Return what the driver is told: how long to wait for a server, and to notice one that is gone."""
    usual = {"connect_timeout": BUSY_SECONDS, "keepalives_idle": 30, "keepalives_interval": 10}
    return {name: value for name, value in usual.items() if name not in address.query}


def prepare(connection: Any, _: Any = None) -> None:
    """Make a new connection ready: we say BEGIN ourselves, a lock is waited for so long and no longer."""
    connection.autocommit = True
    if (coding := connection.info.encoding) != "utf-8":
        raise StoreError(f"the server's database is coded in {coding}; a store needs one in UTF8")
    with closing(connection.cursor()) as cursor:
        cursor.execute("; ".join(_OF_SESSION))


def begin(cursor: Any) -> str:
    """Take the write lock and return the number of the transaction."""
    cursor.execute(LOCK_AND_BEGIN)
    cursor.nextset()
    row = cursor.fetchone()
    if row is None:
        raise StoreError("the store does not say which schema it has; restore it from a backup")
    return str(row[0])


def each(cursor: Any, sql: str, values: Any) -> Iterator[tuple[Any, ...]]:
    """Run a query beside `cursor`, in its transaction, and yield its rows in constant memory."""
    with closing(cursor.connection.cursor(name=f"teachmem_{next(_names)}")) as another:
        another.itersize = AT_ONCE
        another.execute(sql, values)
        yield from another


def one_each(cursor: Any, sql: str, many: list[Any]) -> list[tuple[Any, ...] | None]:
    """Run a query once for each of `many` values, in one journey, and return the first row of each."""
    cursor.executemany(sql, many, returning=True)
    found = [cursor.fetchone()]
    while cursor.nextset():
        found.append(cursor.fetchone())
    return found


def is_lost(connection: Any) -> bool:
    """Say whether a connection of the pool has ended under us."""
    driver = connection.driver_connection
    return driver is None or driver.closed


def kept(connect: Callable[[], Any], number: str) -> bool | None:
    """Ask what became of a transaction whose answer was lost: committed or not, None if nobody knows.

    Waits up to ten seconds for a server that is starting again.
    """
    for _ in range(TRIES):
        status = "in progress"  # or the server is not back yet
        try:
            with closing(connect()) as connection, closing(connection.cursor()) as cursor:
                cursor.execute("SELECT pg_xact_status(%s::xid8)", [number])
                status = cursor.fetchone()[0]
        except Exception as error:
            if "timeout" in str(error):
                break
        if status != "in progress":
            return {"committed": True, "aborted": False}.get(status)
        threading.Event().wait(PAUSE_SECONDS)
    return None
