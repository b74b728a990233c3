"""How long a context takes to assemble, beside a plain loop over the same store and beside its newest rows.

The store holds so many memories of one fleet: half facts, half events, and fifty notes. Asked by turns:

* **context**: `context(question)` through a handle, end to end, and **no question**: a turn without one.
* **plain loop**: `sqlite3` reads every text, each is scored by the words that it shares with the question,
  and the best are packed into the same budget of the same tokens, as a first program does it.
* **newest rows**: `sqlite3` reads the thirty newest and packs them: no scope, no trust, no time, no ranking.

Left out: the first question of a process, which builds the indexes.
"""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import teachmem
from teachmem.bench import fill
from teachmem.bench.measure import Curves, Report, Timing, by_turns, milliseconds, plain
from teachmem.clock import LessonClock
from teachmem.principal import Principal
from teachmem.recall import embed, pack, tokens

SIZES = (1_000, 10_000, 100_000)
QUERIES = 50
BUDGET = 1_500
NOTES = 50
NEWEST = 30
LOOPS = 5  # how often the slow loop runs
WHO = Principal("northlight", "dock", "dock-1")
CONTEXT, LOOP = "context", "plain loop"


@dataclass(frozen=True, slots=True)
class Row:
    """One way at one size: milliseconds, and of these the processor's; lines is what came back."""

    memories: int
    way: str
    timing: Timing
    processor: float
    lines: float


def run(sizes: Sequence[int] = SIZES, queries: int = QUERIES) -> Report:
    """Measure every size and return the report."""
    built: dict[int, float] = {}
    found = [row for size in sizes for row in measure(size, queries, built)]
    ours = {row.memories: row.timing.median for row in found if row.way == CONTEXT}
    columns = ("memories", "way", "ms", "p95", "x context", "processor ms", "lines")
    table = tuple(
        (
            f"{row.memories:,}",
            row.way,
            f"{row.timing.median:.2f}",
            f"{row.timing.p95:.2f}",
            f"{row.timing.median / ours[row.memories]:.2f}",
            f"{row.processor:.2f}",
            f"{row.lines:.0f}",
        )
        for row in found
    )
    ways = dict.fromkeys(row.way for row in found)
    curves = {way: {row.memories: row.timing.median for row in found if row.way == way} for way in ways}
    first = ", ".join(f"{built[size]:.1f} s at {size:,}" for size in sizes)
    remarks = (
        f"A budget of {BUDGET:,} tokens; every question new. The first, which builds the indexes: {first}.",
        "The loop and the newest rows read texts alone: no scope, no trust, no time, no label.",
    )
    figures = {"budget": BUDGET, "build_seconds": built, "rows": [plain(row) for row in found]}
    return Report("context", columns, table, remarks, figures, Curves("memories", "milliseconds", curves))


def measure(size: int, queries: int, built: dict[int, float]) -> list[Row]:
    """Fill a store with `size` memories and time every way; note in `built` what the first question took."""
    made = fill.events(size)
    embedder = embed.default()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bench.db"
        fill.fill_facts(str(path), [(WHO, "fact", made[: size // 2])], embedder)
        fill.fill(str(path), WHO, made[size // 2 :])
        with (
            teachmem.open_memory(path, clock=LessonClock(fill.END), embedder=embedder) as mem,
            closing(sqlite3.connect(path)) as bare,
        ):
            tech = mem.agent(WHO.name, fleet=WHO.fleet, tenant=WHO.tenant)
            for number, event in enumerate(fill.events(NOTES, seed=9)):
                tech.working.write("arm-1", "observed", f"turn {number}", event.content)
            asked = fill.questions(made, queries + 1)
            built[size] = milliseconds(lambda: tech.context(asked[-1], BUDGET)) / 1000
            ways: dict[str, Callable[[int], Sequence[object]]] = {
                CONTEXT: lambda turn: tech.context(asked[turn], BUDGET).lines,
                "no question": lambda turn: tech.context(None, BUDGET).lines,
                "newest rows": lambda turn: newest(bare, BUDGET),
            }
            loop: dict[str, Callable[[int], Sequence[object]]] = {
                LOOP: lambda turn: by_loop(bare, asked[turn], BUDGET)
            }
            spent = by_turns(ways, queries) | by_turns(loop, min(LOOPS, queries))
            lines = {name: len(way(0)) for name, way in (ways | loop).items()}
    return [
        Row(size, way, Timing.of(each.clock), median(each.processor), lines[way])
        for way, each in spent.items()
    ]


def by_loop(bare: sqlite3.Connection, question: str, budget: int) -> list[str]:
    """Return the texts that share most words with the question, packed: what a first program does."""
    words = set(question.lower().split())
    texts = [str(row[0]) for row in bare.execute("SELECT content FROM memories WHERE superseded_at IS NULL")]
    scored = [(len(words & set(text.lower().split())), text) for text in texts]
    return packed((text for score, text in sorted(scored, reverse=True)[:NEWEST] if score), budget)


def newest(bare: sqlite3.Connection, budget: int) -> list[str]:
    """Return the newest texts, packed."""
    found = bare.execute("SELECT content FROM memories ORDER BY rowid DESC LIMIT ?", (NEWEST,))
    return packed((str(row[0]) for row in found), budget)


def packed(texts: Iterable[str], budget: int) -> list[str]:
    """Return the texts that fit, best first, by the counting that a context is packed with."""
    known = list(texts)
    return [known[place] for place in pack.pack(known, budget, tokens.count).chosen]
