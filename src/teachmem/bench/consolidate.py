"""How long a run of consolidation takes, beside the same model behind bare `sqlite3`.

The store holds so many events that no run has read yet. By turns, each way takes a batch of the oldest,
hands it to the same scripted model, and keeps what it proposes:

* **consolidate**: `consolidate(model)`, end to end: the batch through the admissible clause, every claim
  through the gate to wait for a person, one event, and the batch marked as read, in one transaction.
* **bare sqlite3**: as many unread rows by their number, the same lines, the same model, its answer put
  into a table and the rows marked, in one transaction: no scope, no trust, no time, no gate, no log.
* **model alone**: the scripted model on the same text. A real one takes seconds.

Left out: whether the proposals are good.
"""

from __future__ import annotations

import json
import sqlite3
import tempfile
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import teachmem
from teachmem.bench import fill
from teachmem.bench.measure import Curves, Report, Timing, by_turns, plain
from teachmem.clock import LessonClock
from teachmem.flow import answer, due
from teachmem.flow.models import ScriptedModel
from teachmem.principal import Principal
from teachmem.recall import label

SIZES = (1_000, 10_000, 100_000)
RUNS = 10
MOST = 5  # facts that a run proposes at most
WHO = Principal("northlight", "dock", "dock-1")
OURS, BARE, MODEL = "consolidate", "bare sqlite3", "model alone"


@dataclass(frozen=True, slots=True)
class Row:
    """One way at one size: milliseconds a run, and of these the processor's."""

    due: int
    way: str
    timing: Timing
    processor: float


def run(sizes: Sequence[int] = SIZES, queries: int = RUNS) -> Report:
    """Measure on stores with so many unread events; `queries` is how many runs are timed each way."""
    found = [row for size in sizes for row in measure(size, queries)]
    bare = {row.due: row.timing.median for row in found if row.way == BARE}
    columns = ("events due", "way", "ms", "p95", "x bare", "processor ms")
    table = tuple(
        (
            f"{row.due:,}",
            row.way,
            f"{row.timing.median:.1f}",
            f"{row.timing.p95:.1f}",
            f"{row.timing.median / bare[row.due]:.2f}",
            f"{row.processor:.1f}",
        )
        for row in found
    )
    curves = {
        way: {row.due: row.timing.median for row in found if row.way == way} for way in (OURS, BARE, MODEL)
    }
    remarks = (
        f"A run reads at most {due.MOST_ROWS} memories or {due.BUDGET:,} tokens, and proposes {MOST} facts.",
        "The model is scripted and answers at once; what a real one takes comes on top of all three.",
    )
    figures = {"rows": [plain(row) for row in found]}
    return Report(
        "consolidate", columns, table, remarks, figures, Curves("events due", "milliseconds", curves)
    )


class BareRuns:
    """Batches of rows that one keeps with `sqlite3` and nothing else, as durable as a store of ours."""

    def __init__(self, path: Path, lines: Sequence[str]) -> None:
        self.connection = sqlite3.connect(path, isolation_level=None)
        self.connection.executescript(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; "
            "CREATE TABLE rows (id INTEGER PRIMARY KEY, line TEXT, run INTEGER); "
            "CREATE TABLE facts (said TEXT); CREATE INDEX unread ON rows (id) WHERE run IS NULL;"
        )
        self.add(lines)

    def add(self, lines: Sequence[str]) -> None:
        """Add rows that no run has read."""
        self.connection.execute("BEGIN IMMEDIATE")
        self.connection.executemany("INSERT INTO rows (line) VALUES (?)", ((line,) for line in lines))
        self.connection.execute("COMMIT")

    def batch(self, count: int) -> list[tuple[int, str]]:
        """Return the oldest rows that no run has read."""
        unread = "SELECT id, line FROM rows WHERE run IS NULL ORDER BY id LIMIT ?"
        return self.connection.execute(unread, (count,)).fetchall()

    def consolidate(self, model: ScriptedModel, count: int, run: int) -> None:
        """Hand a batch to the model, keep its answer and mark the batch."""
        rows = self.batch(count)
        told = model.complete(answer.INSTRUCTIONS.format(limit=MOST), "\n".join(line for _, line in rows))
        said = [(json.dumps(fact),) for fact in json.loads(told)["facts"]]
        self.connection.execute("BEGIN IMMEDIATE")
        self.connection.executemany("INSERT INTO facts VALUES (?)", said)
        self.connection.executemany("UPDATE rows SET run = ? WHERE id = ?", [(run, row) for row, _ in rows])
        self.connection.execute("COMMIT")


def measure(size: int, runs: int) -> list[Row]:
    """Fill both stores with `size` unread events and time runs by turns; what was read is refilled."""
    made = fill.events(size)
    model = ScriptedModel()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bench.db"
        lines = _lines(fill.fill(str(path), WHO, made), made)
        bare = BareRuns(Path(folder) / "bare.db", lines)
        with (
            closing(bare.connection),
            teachmem.open_memory(path, clock=LessonClock(fill.END)) as mem,
        ):
            tech = mem.agent(WHO.name, fleet=WHO.fleet, tenant=WHO.tenant)
            read = tech.consolidate(model, MOST).read  # as many lines as fit into one prompt
            asked = answer.INSTRUCTIONS.format(limit=MOST), "\n".join(lines[:read])

            def refill(turn: int) -> None:
                more = fill.events(read, seed=turn + 10)
                bare.add(_lines(fill.fill(str(path), WHO, more), more))

            ways: dict[str, Callable[[int], object]] = {
                OURS: lambda turn: tech.consolidate(model, MOST),
                BARE: lambda turn: bare.consolidate(model, read, turn),
                MODEL: lambda turn: model.complete(*asked),
            }
            spent = by_turns(ways, runs, refill)
    return [Row(size, way, Timing.of(each.clock), median(each.processor)) for way, each in spent.items()]


def _lines(ids: Sequence[str], made: Sequence[fill.Event]) -> list[str]:
    return [
        f"[{memory_id} | observation | by dock-1] {label.quoted(event.content)}"
        for memory_id, event in zip(ids, made, strict=True)
    ]
