"""How long a small scope takes to read, beside the rest of a store that grows around it.

The fleet `lab` holds the same few hundred facts and events in every store; the fleet `dock` of the same
tenant holds the others. Each read goes through lab's handle, on a store in a file, after one question that
builds the indexes. The last column names the indexes that SQLite chose. Beside them stand two reads of the
same table with bare `sqlite3`: one row by its key, and a loop that reads all rows and keeps lab's facts.

Left out: that first question, which reads the tenant once and grows with it, and is asked once a process.
"""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import teachmem
from teachmem.bench import fill, plans
from teachmem.bench.measure import Curves, Report, Timing, plain, timing
from teachmem.clock import LessonClock
from teachmem.principal import Principal
from teachmem.recall import embed
from teachmem.recall.vectors import ExactIndex
from teachmem.store import Agent, MemoryStore

SIZES = (1_000, 10_000, 100_000)
OWN = 200  # facts, and as many events, that the small scope holds
DRAWN = ("get", "list", "recent", "recall", "search", "bare get", "bare loop")
LAB = Principal("northlight", "lab", "lab-2")
DOCK = Principal("northlight", "dock", "dock-1")


@dataclass(frozen=True, slots=True)
class Figures:
    """One read at one size of the rest: how long it took, and the indexes that SQLite chose."""

    read: str
    others: int
    timing: Timing
    indexes: tuple[str, ...]


def run(sizes: Sequence[int] = SIZES, queries: int = 200) -> Report:
    """Measure every read beside each number of other rows, and return the report."""
    found = [figures for size in sizes for figures in measure(size, queries)]
    first, last = min(sizes), max(sizes)
    rows, curves = [], {}
    for read in dict.fromkeys(one.read for one in found):
        of = {one.others: one for one in found if one.read == read}
        curves[read] = {size: figures.timing.median for size, figures in of.items()}
        growth = of[last].timing.median / of[first].timing.median
        rows.append(
            (
                read,
                *(f"{of[size].timing.median:.2f}" for size in sizes),
                f"{growth:.2f}",
                ", ".join(of[last].indexes) or "-",
            )
        )
    columns = ("read", *(f"{size:,} others, ms" for size in sizes), "growth", "indexes")
    remark = f"A scope of {OWN} facts and {OWN} events; median of {queries} reads. Growth: last beside first."
    drawn = Curves("others", "milliseconds", {name: curves[name] for name in DRAWN})
    figures = {"own": OWN, "reads": [plain(one) for one in found]}
    return Report("scope", columns, tuple(rows), (remark,), figures, drawn)


def measure(others: int, queries: int) -> list[Figures]:
    """Fill a store with the small scope and so many other rows, and time each read of the small one."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bench.db"
        texts = _filled(path, others)
        with teachmem.open_memory(
            path, clock=LessonClock(fill.END), embedder=embed.HashingEmbedder(), vectors=ExactIndex()
        ) as mem:
            lab = mem.agent(LAB.name, fleet=LAB.fleet, tenant=LAB.tenant)
            return [
                *_timed(mem, lab, others, texts, queries),
                *_bare(path, lab.semantic.list(limit=1)[0].memory_id, others, queries),
            ]


def _filled(path: Path, others: int) -> list[str]:
    own, rest = fill.events(OWN, seed=3), fill.events(others)
    embedder = embed.HashingEmbedder()
    half = others // 2
    fill.fill_facts(str(path), [(DOCK, "fact", rest[:half]), (LAB, "fact", own)], embedder)
    fill.fill(str(path), DOCK, rest[half:])
    fill.fill(str(path), LAB, own)
    return fill.questions(own, 50)


def _timed(
    mem: MemoryStore, lab: Agent, others: int, texts: Sequence[str], queries: int
) -> Iterator[Figures]:
    fact = lab.semantic.list(limit=1)[0].memory_id
    known = mem.clock.now()
    reads: dict[str, Callable[[str], object]] = {
        "get": lambda text: lab.semantic.get(fact),
        "get, known_at": lambda text: lab.semantic.get(fact, known_at=known),
        "list": lambda text: lab.semantic.list(),
        "list, known_at": lambda text: lab.semantic.list(known_at=known),
        "stats": lambda text: lab.semantic.stats(),
        "recent": lambda text: lab.episodic.recent(20),
        "edges": lambda text: lab.graph.edges(),
        "recall": lambda text: lab.episodic.recall(text),
        "search": lambda text: lab.semantic.search(text),
    }
    for name, read in reads.items():
        read(texts[0])  # the first question builds the indexes
        used = plans.indexes(mem, partial(read, texts[0]))
        yield Figures(
            name, others, timing(partial(read, texts[turn % len(texts)]) for turn in range(queries)), used
        )


def _bare(path: Path, fact: str, others: int, queries: int) -> Iterator[Figures]:
    """Time the same table read with `sqlite3` alone: by the key, and by a loop over all of it."""
    by_key = "SELECT content FROM memories WHERE memory_id = ? AND version = 1"
    everything = "SELECT fleet, tier, content FROM memories"
    with closing(sqlite3.connect(path)) as store:
        loops = max(1, queries // 20)  # it is slow
        wanted = (LAB.fleet, "semantic")

        def get() -> object:
            return store.execute(by_key, (fact,)).fetchall()

        def loop() -> object:
            return [content for *of, content in store.execute(everything) if tuple(of) == wanted]

        yield Figures("bare get", others, timing(get for _ in range(queries)), ())
        yield Figures("bare loop", others, timing(loop for _ in range(loops)), ())
