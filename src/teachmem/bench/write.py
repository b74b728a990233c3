"""What a write through the gate costs, beside a bare row of SQLite, each committed to the disk by itself.

All ways write the same made-up texts by turns, into stores that hold so many rows already:

* **bare row**: Python's `sqlite3`, one INSERT of id, time and text in a transaction of its own.
* **bare row, chained**: the same, and the hash over it and the hash before it, as a second row: the
  least that an audited write must do.
* **event, note, fact**: `episodic.log`, `working.write`, `semantic.remember` (which embeds its text).
* **event's statements**: what such an event tells the database, told again to a copy of the store without a
  gate. What that takes longer than a bare row is tables and indexes; what an event takes longer, the gate.

Every store is a file in the same folder, with a write-ahead log and `synchronous=FULL`: when a write
returns, the disk has said that it is there.

Left out: many writers at once. There is one write at a time; the others wait for it.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any
from unittest import mock

import teachmem
from teachmem.bench import fill
from teachmem.bench.measure import Curves, Report, Timing, by_turns, plain
from teachmem.clock import LessonClock
from teachmem.ledger.database import Database, Prepared, Transaction
from teachmem.principal import Principal
from teachmem.store import Agent

SIZES = (1_000, 10_000, 100_000)
WHO = Principal("northlight", "dock", "dock-1")
BARE, CHAINED, EVENT, AGAIN = "bare row", "bare row, chained", "event", "event's statements"


@dataclass(frozen=True, slots=True)
class Row:
    """One way at one size: a write's milliseconds, and microseconds of the processor."""

    rows: int
    way: str
    timing: Timing
    processor: float


class BareStore:
    """A table that one writes to with `sqlite3` and nothing else, as durable as a store of ours."""

    def __init__(self, path: Path, made: Sequence[fill.Event]) -> None:
        self.connection = sqlite3.connect(path, isolation_level=None)
        self.connection.executescript(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; "
            "CREATE TABLE rows (id TEXT PRIMARY KEY, at INTEGER, content TEXT); "
            "CREATE TABLE log (seq INTEGER PRIMARY KEY, body TEXT, hash BLOB); BEGIN;"
        )
        for number, event in enumerate(made):
            self._insert(f"filled-{number}", event)
        self.connection.execute("COMMIT")
        self.head = bytes(32)

    def _insert(self, row_id: str, event: fill.Event) -> None:
        row = (row_id, event.happened_at, event.content)
        self.connection.execute("INSERT INTO rows VALUES (?, ?, ?)", row)

    def write(self, row_id: str, event: fill.Event, chained: bool) -> None:
        """Write one row in a transaction of its own; `chained`, with an entry that covers it."""
        self.connection.execute("BEGIN IMMEDIATE")
        self._insert(row_id, event)
        if chained:
            body = json.dumps({"id": row_id, "said": hashlib.sha256(event.content.encode()).hexdigest()})
            self.head = hashlib.sha256(self.head + body.encode()).digest()
            self.connection.execute("INSERT INTO log (body, hash) VALUES (?, ?)", (body, self.head))
        self.connection.execute("COMMIT")


class Told:
    """The statements of one write, told again to a copy of the store, without a gate."""

    def __init__(self, copy: Database) -> None:
        self._copy = copy
        self.statements: list[tuple[str, Sequence[Any]]] = []

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Keep what is told the database until the block ends."""
        self.statements, run = [], Transaction.run

        def noting(tx: Transaction, prepared: Prepared, **binds: Any) -> int:
            sql, order, fixed = prepared.on(tx._dialect)
            self.statements.append((sql, [{**fixed, **binds}[name] for name in order or ()]))
            return run(tx, prepared, **binds)

        with mock.patch.object(Transaction, "run", noting):
            yield

    def again(self) -> None:
        """Tell it to the copy, in one transaction."""
        with self._copy.alone() as connection:
            connection.execute("BEGIN IMMEDIATE")
            for sql, values in self.statements:
                connection.execute(sql, values).fetchone()
            connection.execute("COMMIT")


def run(sizes: Sequence[int] = SIZES, queries: int = 200) -> Report:
    """Measure on stores with so many rows; `queries` is how many writes are timed each way."""
    found = [row for size in sizes for row in measure(size, queries)]
    bare = {row.rows: row.timing.median for row in found if row.way == BARE}
    columns = ("rows before", "way", "ms", "p95", "rate / bare", "processor us")
    table = tuple(
        (
            f"{row.rows:,}",
            row.way,
            f"{row.timing.median:.3f}",
            f"{row.timing.p95:.3f}",
            f"{bare[row.rows] / row.timing.median:.2f}",
            f"{row.processor:.0f}",
        )
        for row in found
    )
    ways = dict.fromkeys(row.way for row in found)
    curves = {way: {row.rows: row.timing.median for row in found if row.way == way} for way in ways}
    figures = {"rows": [plain(row) for row in found]}
    return Report(
        "write", columns, table, _remarks(found), figures, Curves("rows before", "milliseconds", curves)
    )


def _remarks(found: Sequence[Row]) -> tuple[str, ...]:
    last = {row.way: row.processor for row in found}  # of the last size
    least = max(0.0, last[EVENT] - 2 * last[BARE])
    return (
        "rate / bare: how many of these writes fit into the time of one bare row; both wait for the disk.",
        "processor us does not wait: it is what this process and the system worked for one write.",
        f"An event has half the bare rate wherever a commit keeps one waiting for {least:.0f} us or more.",
    )


def measure(size: int, writes: int) -> list[Row]:
    """Fill a bare table and a store with `size` rows, and time single writes to both by turns."""
    already, made = fill.events(size), fill.events(writes + 1, seed=3)
    with tempfile.TemporaryDirectory() as folder, ExitStack() as opened:
        path, copy = Path(folder) / "bench.db", Path(folder) / "copy.db"
        bare = BareStore(Path(folder) / "bare.db", already)
        opened.enter_context(closing(bare.connection))
        fill.fill(str(path), WHO, already)
        mem = opened.enter_context(teachmem.open_memory(path, clock=LessonClock(fill.END)))
        tech = mem.agent(WHO.name, fleet=WHO.fleet, tenant=WHO.tenant)
        mem.backup(copy)
        told = Told(opened.enter_context(Database.open(str(copy))))
        others = fill.events(writes + 1, seed=4)

        def listen(turn: int) -> None:
            with told.listening():
                tech.episodic.log("observation", others[turn].content)

        spent = by_turns(_ways(bare, tech, told, made), writes, listen)
    return [
        Row(size, way, Timing.of(each.clock), median(each.processor) * 1000) for way, each in spent.items()
    ]


def _ways(
    bare: BareStore, tech: Agent, told: Told, made: Sequence[fill.Event]
) -> dict[str, Callable[[int], object]]:
    return {
        BARE: lambda turn: bare.write(f"row-{turn}", made[turn], chained=False),
        CHAINED: lambda turn: bare.write(f"chained-{turn}", made[turn], chained=True),
        EVENT: lambda turn: tech.episodic.log("observation", made[turn].content),
        AGAIN: lambda turn: told.again(),
        "note": lambda turn: tech.working.write("arm-1", "observed", f"turn {turn}", made[turn].content),
        "fact": lambda turn: tech.semantic.remember(made[turn].content),
    }
