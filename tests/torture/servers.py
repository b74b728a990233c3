"""A PostgreSQL connection that is cut: in mid-transaction, and around the commit, before its answer comes.

Done to every door that takes a `request_id`: whatever was told, the same request sent again is answered, and
in the end the store holds exactly what one undisturbed call leaves.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import postgres

from teachmem import StoreError
from teachmem.ledger.database import Database, Transaction
from torture.doors import DOORS, World, world
from torture.figures import Figure

NAMES = [name for name in DOORS if name.partition(" ")[0] in ("episodic.log", "report_outcome")] + [
    *("working.write", "working.write (supersedes)", "working.clear", "semantic.remember"),
    *("semantic.remember (staged)", "semantic.revise", "semantic.retract", "forget (an agent)"),
]
BEFORE, AFTER = "connection cut before COMMIT reached it", "connection cut after COMMIT, before the answer"
MIDDLE = "connection cut in mid-transaction"


class NoServer(Exception):
    """There is no PostgreSQL here; the text says why."""


def cut(folder: Path, chance: random.Random, times: int) -> Iterator[Figure]:
    """Cut the connection of each door at `times` drawn statements, and twice around its commit."""
    try:
        import psycopg  # noqa: F401
    except ImportError as error:
        raise NoServer("psycopg is not installed") from error
    if why := postgres.why_not():
        raise NoServer(why)
    server = postgres.Server()
    try:
        for name in NAMES:
            whole = _Trial(server, folder, name).undisturbed()
            figures = {fault: Figure(fault, name, 0) for fault in (MIDDLE, BEFORE, AFTER)}
            places = [chance.randrange(whole.statements) for _ in range(times)]
            for fault, place in [*((MIDDLE, one) for one in places), (BEFORE, 0), (AFTER, 0)]:
                figures[fault].tried += 1
                try:
                    trial = _Trial(server, folder, name).disturbed(fault, place)
                except Exception as error:  # a campaign goes on, and tells
                    figures[fault].wrong.append(f"{name}, {fault}: {type(error).__name__}: {error}")
                    continue
                figures[fault].struck += bool(trial.told) or fault == AFTER
                figures[fault].wrong += trial.wrong_beside(whole, fault, place)
            yield from figures.values()
    finally:
        server.stop()


class _Trial:
    """One door in a schema of its own."""

    def __init__(self, server: postgres.Server, folder: Path, name: str) -> None:
        self.server, self.folder, self.name = server, folder, name
        schema = f"torture_{next(_numbers)}"
        with self._admin() as line:
            line.execute(f"CREATE SCHEMA {schema}")
        self.url = server.url(schema)
        self.statements = 0
        self.told = ""
        self.held: Any = None
        self.verdict = ""

    def _admin(self) -> Any:
        import psycopg

        host, port = self.server.address.split(":")
        return closing(
            psycopg.connect(host=host, port=port, user="teach", dbname="postgres", autocommit=True)
        )

    def _sever(self) -> None:
        with self._admin() as line:
            line.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE pid <> pg_backend_pid() AND datname = 'postgres'"
            )

    def undisturbed(self) -> _Trial:
        """Call once, and count the statements."""
        run = Transaction.run

        def counting(tx: Transaction, prepared: Any, **binds: Any) -> int:
            self.statements += 1
            return run(tx, prepared, **binds)

        with world(self.folder / "s.db", "a", url=self.url) as w:
            names = DOORS[self.name].before(w)
            Transaction.run = counting  # type: ignore[method-assign]
            try:
                DOORS[self.name].call(w, names)
            finally:
                Transaction.run = run  # type: ignore[method-assign]
            self._look(w)
        return self

    def disturbed(self, fault: str, place: int) -> _Trial:
        """Call with the connection cut, and send the same request again."""
        run, commit = Transaction.run, Database._commit
        left = iter(range(place))

        def cutting(tx: Transaction, prepared: Any, **binds: Any) -> int:
            if fault == MIDDLE and next(left, None) is None:
                Transaction.run = run  # type: ignore[method-assign]
                self._sever()
            return run(tx, prepared, **binds)

        def around(database: Database, connection: Any, cursor: Any, number: Any) -> None:
            Database._commit = commit  # type: ignore[method-assign]
            commit(database, connection, _Cut(cursor, self._sever, fault == AFTER), number)

        with world(self.folder / "s.db", "a", url=self.url) as w:
            names = DOORS[self.name].before(w)
            Transaction.run = cutting  # type: ignore[method-assign]
            if fault != MIDDLE:
                Database._commit = around  # type: ignore[method-assign]
            try:
                DOORS[self.name].call(w, names)
            except StoreError as error:
                self.told = str(error)
            finally:
                Transaction.run, Database._commit = run, commit  # type: ignore[method-assign]
            DOORS[self.name].call(w, names)
            self._look(w)
        return self

    def _look(self, w: World) -> None:
        self.verdict = str(w.mem.audit.verify(deep=True))
        self.held = [
            sorted(
                memory.content for memory in (*w.tech.semantic.list(limit=99), *w.tech.working.read(limit=99))
            ),
            sorted(memory.content for memory in w.tech.episodic.recent(99)),
            [item.draft.content for item in w.lead.review.inbox()],
            w.mem.audit.verify().entries,
        ]

    def wrong_beside(self, whole: _Trial, fault: str, place: int) -> list[str]:
        """Return what is wrong beside an undisturbed call."""
        wrong = []
        if self.held != whole.held:
            wrong.append(f"holds {self.held} instead of {whole.held}; told: {self.told!r}")
        if not self.verdict.startswith("complete"):
            wrong.append(self.verdict)
        if fault != AFTER and not ("lost" in self.told or "kept" in self.told):
            wrong.append(f"was told {self.told!r}")
        return [f"{self.name}, {fault} {place}: {what}" for what in wrong]


class _Cut:
    """A cursor whose COMMIT goes out, or not, on a line that is cut."""

    def __init__(self, cursor: Any, sever: Any, after: bool) -> None:
        self._cursor, self._sever, self._after = cursor, sever, after

    def execute(self, sql: str) -> None:
        """Run, and lose the answer."""
        if self._after:
            self._cursor.execute(sql)
        self._sever()
        self._cursor.execute("SELECT 1" if self._after else sql)


_numbers = iter(range(1, 1_000_000))
