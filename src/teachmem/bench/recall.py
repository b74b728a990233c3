"""How long one recall takes, beside the loop that it replaces and beside vector search.

Every figure of a row is measured in the same run, on the same events and questions:

* **recall**: `episodic.recall(question, k=10)` through a handle on a store in a file, end to end: the
  snapshot, the ranking, and the admissible clause's last word on every row that comes back.
* **loop**: `recall/score.py` over every event, cutting each text into terms anew, as a plain
  program does; and **loop, kept**: the same with all terms and counts kept between questions.
* **cosine**: brute force over normalised vectors of 384 dimensions in numpy, best 10 sorted. The
  vectors are random; what is timed is the search alone, with nothing read from a store.

Left out: how good the answers are. Here it is only asked whether they are the loop's.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

import teachmem
from teachmem.bench import fill
from teachmem.bench.measure import Curves, Report, Timing, milliseconds, plain, timing
from teachmem.clock import MICROS_PER_HOUR, LessonClock, to_micros
from teachmem.principal import Principal
from teachmem.recall import score, text
from teachmem.recall.score import Corpus, Weights
from teachmem.store import Agent

SIZES = (1_000, 10_000, 100_000)
QUERIES = 100
K = 10
DIMENSIONS = 384
LOOPS = 3  # how often the slow loop runs
WRITES = 30
WHO = Principal("northlight", "dock", "dock-1")


@dataclass(frozen=True, slots=True)
class Figures:
    """What was measured at one size; times in milliseconds unless they say seconds."""

    events: int
    recall: Timing
    recall_again: Timing  # the same questions a second time
    loop: Timing
    loop_kept: Timing
    cosine: Timing
    same_ids: int  # of `asked` questions, how many had the loop's ids in the loop's order
    asked: int
    build_seconds: float
    fill_seconds: float
    append: Timing
    recall_after_append: Timing

    @property
    def times_loop(self) -> float:
        """How many recalls fit into one question to the loop."""
        return self.loop.median / self.recall.median

    @property
    def times_cosine(self) -> float:
        """How many recalls fit into one brute-force vector search."""
        return self.cosine.median / self.recall.median


class Loop:
    """The plain loop: every event is scored, every time."""

    def __init__(self, made: Sequence[fill.Event], ids: Sequence[str], at: int) -> None:
        self._ages = [(at - event.happened_at) / MICROS_PER_HOUR for event in made]
        self._made = made
        self._ids = ids
        self._kept: list[list[str]] = []

    def keep(self) -> None:
        """Cut every text into terms once, for the second kind of loop."""
        self._kept = [text.terms(event.content) for event in self._made]
        self._corpus = Corpus.of(self._kept)

    def naive(self, question: str) -> list[str]:
        """Return the best ids, with nothing kept from one question to the next."""
        documents = [text.terms(event.content) for event in self._made]
        return self._best(question, documents, Corpus.of(documents))

    def kept(self, question: str) -> list[str]:
        """Return the best ids, the terms of all events and their counts being at hand."""
        return self._best(question, self._kept, self._corpus)

    def _best(self, question: str, documents: Sequence[Sequence[str]], corpus: Corpus) -> list[str]:
        asked = text.terms(question)
        weights = Weights()
        found = []
        for event, age, terms, memory_id in zip(self._made, self._ages, documents, self._ids, strict=True):
            parts = score.parts(
                score.recency(age), event.importance, score.relevance(asked, terms, corpus), weights
            )
            found.append((-score.total(parts), -event.happened_at, memory_id))
        return [memory_id for _, _, memory_id in sorted(found)[:K]]


def run(sizes: Sequence[int] = SIZES, queries: int = QUERIES) -> Report:
    """Measure every size and return the report."""
    found = [measure(size, queries) for size in sizes]
    ways = {
        name: {figures.events: getattr(figures, field).median for figures in found}
        for name, field in _DRAWN.items()
    }
    curves = Curves("events", "milliseconds", ways)
    return Report("recall", _COLUMNS, tuple(map(_row, found)), _REMARKS, _figures(found), curves)


def measure(size: int, queries: int) -> Figures:
    """Fill a store with `size` events and measure everything on it."""
    made = fill.events(size)
    asked = fill.questions(made, queries)
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "bench.db")
        ids: list[str] = []
        fill_seconds = milliseconds(lambda: ids.extend(fill.fill(path, WHO, made))) / 1000
        with teachmem.open_memory(path, clock=LessonClock(fill.END)) as mem:
            tech = mem.agent(WHO.name, fleet=WHO.fleet, tenant=WHO.tenant)
            build = milliseconds(lambda: tech.episodic.recall("", k=K)) / 1000
            first = timing(partial(tech.episodic.recall, question, K) for question in asked)
            again = timing(partial(tech.episodic.recall, question, K) for question in asked)
            loop = Loop(made, ids, to_micros(fill.END))
            naive = timing(partial(loop.naive, question) for question in asked[:LOOPS])
            loop.keep()
            found: list[list[str]] = []
            kept = timing(partial(_keep, found, loop.kept, question) for question in asked)
            same = sum(
                ids == [hit.memory.memory_id for hit in tech.episodic.recall(question, K)]
                for question, ids in zip(asked, found, strict=True)
            )
            append, after = _appends(tech, asked[0])
    return Figures(
        events=size,
        recall=first,
        recall_again=again,
        loop=naive,
        loop_kept=kept,
        cosine=_cosine(size, queries),
        same_ids=same,
        asked=len(asked),
        build_seconds=build,
        fill_seconds=fill_seconds,
        append=append,
        recall_after_append=after,
    )


def _keep(found: list[list[str]], answer: Callable[[str], list[str]], question: str) -> None:
    found.append(answer(question))


def _appends(tech: Agent, question: str) -> tuple[Timing, Timing]:
    """Time single writes through the gate, each followed by a recall that must catch up."""
    writes, recalls = [], []
    for number in range(WRITES):
        log = partial(tech.episodic.log, "observation", f"pallet {number} came in", "bench", importance=0.5)
        writes.append(milliseconds(log))
        recalls.append(milliseconds(partial(tech.episodic.recall, question, K)))
    return Timing.of(writes), Timing.of(recalls)


def _cosine(size: int, queries: int) -> Timing:
    """Time brute-force vector search over `size` normalised random vectors."""
    chance = np.random.default_rng(3)
    matrix = chance.standard_normal((size, DIMENSIONS), dtype=np.float32)
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    asked = matrix[chance.integers(size, size=queries)]

    def best(vector: np.ndarray[tuple[int], np.dtype[np.float32]]) -> object:
        scores = matrix @ vector
        k = min(K, size)
        top = np.argpartition(-scores, k - 1)[:k]
        return top[np.argsort(-scores[top])]

    return timing(partial(best, vector) for vector in asked)


_COLUMNS = (
    "events",
    "recall ms",
    "p95",
    "again",
    "loop ms",
    "x recall",
    "loop, kept",
    "x recall",
    "cosine ms",
    "x recall",
    "ids as loop",
    "build s",
    "append ms",
    "recall after",
)


def _row(found: Figures) -> tuple[str, ...]:
    return (
        f"{found.events:,}",
        f"{found.recall.median:.2f}",
        f"{found.recall.p95:.2f}",
        f"{found.recall_again.median:.2f}",
        f"{found.loop.median:,.1f}",
        f"{found.times_loop:,.0f}",
        f"{found.loop_kept.median:,.1f}",
        f"{found.loop_kept.median / found.recall.median:,.0f}",
        f"{found.cosine.median:.2f}",
        f"{found.times_cosine:.1f}",
        f"{found.same_ids} of {found.asked}",
        f"{found.build_seconds:.2f}",
        f"{found.append.median:.2f}",
        f"{found.recall_after_append.median:.2f}",
    )


_DRAWN = {
    "recall": "recall",
    "loop": "loop",
    "loop, kept": "loop_kept",
    "cosine": "cosine",
    "recall after a write": "recall_after_append",
}
_REMARKS = (
    f"recall: k={K}, end to end on a store in a file, every question new; again: all of them once more.",
    "loop: every text cut into terms for every question; loop, kept: terms and counts kept in between.",
    f"cosine: {DIMENSIONS} dimensions, float32, numpy, the search alone.",
    "append: one write through the gate; recall after: the recall that catches up with it.",
    "Compare the ratios; the milliseconds are this machine's.",
)


def _figures(found: Sequence[Figures]) -> dict[str, object]:
    return {"k": K, "dimensions": DIMENSIONS, "sizes": [plain(figures) for figures in found]}
