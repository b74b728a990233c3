"""PostgreSQL for the tests: a server of one run's own, and a way to send every store there.

`pytest --store postgres` runs the tests of the store a second time: whoever opens ":memory:" gets an empty
schema, and a path that holds no file yet stands for a schema too, the same in every process that a test
starts. A file that is there already is opened as it is. What looks into the file of a store is marked
`in_file` and skipped.

The server listens on loopback, belongs to an ordinary user also where the tests run as root, sorts as
people do (so that an order that hangs on it shows), and ends with the run.
"""

from __future__ import annotations

import hashlib
import os
import pwd
import re
import shutil
import socket
import subprocess
import tempfile
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import hypothesis
import pytest

from teachmem.ledger import schema
from teachmem.ledger.database import Database

SERVER = "TEACHMEM_TEST_SERVER"  # where the run's server is, for the processes that it starts
# The tests of the store itself: what they stand on, and what stands on them, asks no database. The first
# are run with `make test`; `make postgres` (--whole) adds the others, which take longer.
FILES = (
    *("admissible", "amend", "catalogue", "completeness", "conflict", "consolidate", "distil", "episodic"),
    *("exchange", "gate", "graph", "insight", "ledger", "lineage", "procedural", "review", "semantic"),
    *("semantic_processes", "sources", "tombstone", "tombstone_processes", "working"),
)
WHOLE = ("audit_processes", "context", "isolation", "pipeline", "processes", "trust", "two_times", "when")
EXAMPLES = 10  # of a law, where `make test` draws them on a server
_INSTALLED = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parts[-2]))
BIN = [Path(shutil.which("initdb") or "/nowhere/initdb").parent, *_INSTALLED][-1]
_SPOILS = re.compile(r"\s*(DROP|ALTER|CREATE)\b", re.IGNORECASE)


def why_not() -> str:
    """Say why there can be no server here, "" if there can."""
    return "" if (BIN / "initdb").is_file() else "no PostgreSQL server is installed here"


def is_required() -> bool:
    return "postgres" in re.split(r"[\s,]+", os.environ.get("TEACHMEM_REQUIRE", ""))


def free_port() -> int:
    with closing(socket.socket()) as line:
        line.bind(("127.0.0.1", 0))
        return int(line.getsockname()[1])


class Server:
    """A server of our own in a folder of its own; `stop()` ends both."""

    def __init__(self, *settings: str) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="teachmem-postgres-"))
        self.user: dict[str, object] = {}
        if os.getuid() == 0:  # it refuses to run as root
            nobody = pwd.getpwnam("nobody")
            os.chown(self.folder, nobody.pw_uid, nobody.pw_gid)
            self.user = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
        self.port = free_port()
        self.settings = {
            "listen_addresses": "127.0.0.1",
            "unix_socket_directories": str(self.folder),
            "fsync": "off",
            "full_page_writes": "off",
            "max_connections": "200",
            **dict(each.split("=", 1) for each in settings),
        }
        people = ("--locale-provider=icu", "--icu-locale=en-US", "--locale=C")
        data, log = self.folder / "data", self.folder / "log"
        self._run("initdb", "-D", data, "-U", "teach", "--auth=trust", "--no-sync", "-E", "UTF8", *people)
        self.data, self.log = data, log
        self.start()

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    def url(self, of_schema: str, user: str = "teach") -> str:
        return f"postgresql+psycopg://{user}@{self.address}/postgres?options=-csearch_path%3D{of_schema}"

    def start(self) -> None:
        said = " ".join(f"-c {name}={value}" for name, value in {"port": self.port, **self.settings}.items())
        self._run("pg_ctl", "-D", self.data, "-l", self.log, "-o", said, "-w", "start")

    def halt(self, mode: str = "fast") -> None:
        self._run("pg_ctl", "-D", self.data, "-m", mode, "-w", "stop")

    def stop(self) -> None:
        with suppress(subprocess.CalledProcessError):  # it may be halted already
            self.halt("immediate")
        shutil.rmtree(self.folder, ignore_errors=True)

    def _run(self, name: str, *arguments: object) -> None:
        command = [str(BIN / name), *map(str, arguments)]
        done = subprocess.run(
            command,
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
            **self.user,
        )
        if done.returncode:
            raise subprocess.CalledProcessError(done.returncode, command, done.stdout.decode())


class Rooms:
    """Empty schemas for stores, given out and taken back; emptying one is faster than making one."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.free: list[str] = []
        self.held: dict[str, str] = {}  # by the path of a store that has no file
        self.made = 0
        self.open: list[Database] = []
        self._admin: tuple[int, Any] = (0, None)

    def connect(self, name: str = "public") -> Any:
        """Connect as whoever looks past every door into the schema `name`."""
        import psycopg

        host, port = self.address.split(":")
        options = f"-c lock_timeout=2s -c search_path={name}"
        return psycopg.connect(
            host=host, port=port, user="teach", dbname="postgres", options=options, autocommit=True
        )

    @property
    def admin(self) -> Any:
        if self._admin[0] != os.getpid():  # a fork must not speak on its parent's line
            self._admin = (os.getpid(), self.connect())
        return self._admin[1]

    def close(self) -> None:
        if self._admin[0] == os.getpid():
            self._admin[1].close()

    def url(self, name: str) -> str:
        return f"postgresql+psycopg://teach@{self.address}/postgres?options=-csearch_path%3D{name}"

    def fresh(self) -> str:
        if self.free:
            return self.free.pop()
        self.made += 1
        name = f"room_{os.getpid()}_{self.made}"
        self.admin.execute(f"CREATE SCHEMA {name}")
        return name

    def of_path(self, path: str) -> str:
        name = "path_" + hashlib.sha256(os.path.realpath(path).encode()).hexdigest()[:24]
        if path not in self.held:
            self.admin.execute("SELECT pg_advisory_lock(1)")  # IF NOT EXISTS alone is no lock
            try:
                self.admin.execute(f"CREATE SCHEMA IF NOT EXISTS {name}")
            finally:
                self.admin.execute("SELECT pg_advisory_unlock(1)")
            self.held[path] = name
        return name

    def give_back(self, name: str) -> None:
        """Empty a room for the next; one that somebody still holds, or took apart, is left behind."""
        import psycopg

        tables = [table.name for table in schema.metadata.sorted_tables]
        emptied = "; ".join(f"DELETE FROM {name}.{table}" for table in tables)
        try:
            self.admin.execute(
                f"BEGIN; SET LOCAL session_replication_role = replica; {emptied}; "
                f"INSERT INTO {name}.meta VALUES ('schema', '{schema.SCHEMA_VERSION}'); COMMIT"
            )
            self.free.append(name)
        except psycopg.Error:
            self.admin.execute("ROLLBACK")

    def after_test(self) -> None:
        for database in list(self.open):
            database.close()
        for name in self.held.values():
            with suppress(Exception):
                self.admin.execute(f"DROP SCHEMA IF EXISTS {name} CASCADE")
        self.held.clear()


rooms: Rooms | None = None


def redirect(address: str | None = None) -> Rooms:
    """Send every store that this process opens to the server, until it ends."""
    global rooms
    found = rooms = Rooms(address or os.environ[SERVER])
    real_open, real_close = Database.open.__func__, Database.close  # type: ignore[attr-defined]

    def open_there(cls: type[Database], url: str = ":memory:") -> Database:
        if "://" in url or (url != ":memory:" and (not url or Path(url).exists())):
            return real_open(cls, url)  # type: ignore[no-any-return]
        room = found.fresh() if url == ":memory:" else found.of_path(url)
        database: Database = real_open(cls, found.url(room))
        database.room = room if url == ":memory:" else None  # type: ignore[attr-defined]
        found.open.append(database)
        return database

    def close_there(self: Database) -> None:
        was_open = not self.closed
        real_close(self)
        if self in found.open:
            found.open.remove(self)
        room = self.__dict__.pop("room", None)
        if was_open and room and not self.__dict__.get("spoiled"):
            found.give_back(room)

    Database.open = classmethod(open_there)  # type: ignore[assignment, method-assign]
    Database.close = close_there  # type: ignore[method-assign]
    return found


class Raw:
    """The driver's own connection, for SQL that the tests write once for both places."""

    def __init__(self, database: Any, driver: Any) -> None:
        self._database, self._driver = database, driver

    def execute(self, sql: str, values: Any = None) -> Any:
        if _SPOILS.match(sql):
            self._database.spoiled = True
        return self._driver.execute(sql.replace("?", "%s"), values)

    def commit(self) -> None: ...  # each statement was, by itself


# ---- for conftest.py -------------------------------------------------------------------------------


def configure(config: pytest.Config) -> None:
    """Start the run's server in the process that starts the workers, and send stores there in each."""
    if config.getoption("--store") != "postgres":
        return
    if reason := why_not():
        if is_required():
            raise pytest.UsageError(f"TEACHMEM_REQUIRE names postgres, and {reason}")
        return
    if not hasattr(config, "workerinput"):
        server = Server()
        config.add_cleanup(server.stop)
        os.environ[SERVER] = server.address
    config.add_cleanup(redirect().close)


def says_nothing(config: pytest.Config, path: Path) -> bool:
    """Say whether this file of tests need not be run on a server."""
    if config.getoption("--store") != "postgres" or not path.name.startswith("test_"):
        return False
    chosen = FILES + (WHOLE if config.getoption("--whole") else ())
    named = {Path(argument.partition("::")[0]).name for argument in config.args}
    return path.name not in named and path.stem.removeprefix("test_") not in chosen


def choose(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip what needs a file, and everything where there is no server."""
    if config.getoption("--store") != "postgres":
        return
    for item in items:
        law = getattr(getattr(item, "obj", None), "_hypothesis_internal_use_settings", None)
        if law is not None and not config.getoption("--whole"):
            fewer = hypothesis.settings(law, max_examples=min(law.max_examples, EXAMPLES))
            item.obj._hypothesis_internal_use_settings = fewer  # type: ignore[attr-defined]
        if reason := why_not():
            item.add_marker(pytest.mark.skip(reason=reason))
        elif mark := item.get_closest_marker("in_file"):
            item.add_marker(pytest.mark.skip(reason="; ".join(mark.args) or "looks into the file of a store"))
