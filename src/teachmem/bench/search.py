"""How long one search for facts takes, with filters and without, beside brute force and Chroma alone.

Every figure of a size is measured in the same run, on the same facts, vectors and questions:

* **search**: `semantic.search(question, k=10)` through a handle on a store in a file with its Chroma folder,
  end to end: the snapshot, embedding the question, both lists, the clause's last word, the fusing.
* **its filters**, each of which lets one fact in a thousand through (at least ten): one kind, a fleet with
  few facts in a large tenant, and a moment at which few facts held.
* **numpy**: brute-force cosine over all vectors, best ten sorted.
* **Chroma alone**: a query of the collection that search uses, whole, and for the ids of the rare kind.
  It and numpy get the question's vector ready made.

Beside each stands how many of its ten are among the exact ten: of the fused scores of all facts for search,
of the cosines of all for the others.

Left out: whether the answers are good (`bench/retrieval.py`), and a server.
"""

from __future__ import annotations

import importlib.util
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import teachmem
from teachmem.bench import fill
from teachmem.bench.measure import Curves, Report, Timing, milliseconds, plain, timing
from teachmem.clock import LessonClock, from_micros, to_micros
from teachmem.ports import Embedder
from teachmem.principal import Principal
from teachmem.recall import embed, hybrid, lexical, nearest, place, rank, text

SIZES = (1_000, 10_000, 100_000)
QUERIES = 100
K = 10
RARE = 1_000  # of so many, a filter lets one through
DOCK = Principal("northlight", "dock", "dock-1")
LAB = Principal("northlight", "lab", "lab-2")
KIND, RARE_KIND = "fact", "commitment"
Vector = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Way:
    """How long one way to search took, and the share of its ten hits that are among the exact ten."""

    name: str
    timing: Timing
    exact: float


@dataclass(frozen=True, slots=True)
class Figures:
    """What was measured at one size."""

    memories: int
    ways: tuple[Way, ...]
    build_seconds: float  # the first question: postings and vector index
    embed: Timing  # one question's vector


@dataclass(frozen=True, slots=True)
class Facts:
    """The made-up facts as columns: what every way searches."""

    ids: Sequence[str]
    made: Sequence[fill.Event]
    vectors: Vector
    few: NDArray[np.int64]  # the rows of the rare kind
    lab: NDArray[np.int64]  # the rows of the other fleet


def run(sizes: Sequence[int] = SIZES, queries: int = QUERIES) -> Report:
    """Measure every size and return the report."""
    found = [measure(size, queries) for size in sizes]
    rows = tuple(row for figures in found for row in _rows(figures))
    ways: dict[str, dict[int, float]] = {}
    for one in found:
        for way in one.ways:
            ways.setdefault(way.name, {})[one.memories] = way.timing.median
    figures = {"k": K, "sizes": [plain(one) for one in found]}
    curves = Curves("memories", "milliseconds", ways)
    return Report("search", _COLUMNS, rows, _remarks(found), figures, curves)


def measure(size: int, queries: int) -> Figures:
    """Fill a store with `size` facts and measure every way to search it."""
    embedder = embed.default()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bench.db"
        facts = _filled(path, size, embedder)
        clock = LessonClock(fill.END)
        with teachmem.open_memory(path, clock=clock, embedder=embedder) as mem:
            tech = mem.agent(DOCK.name, fleet=DOCK.fleet, tenant=DOCK.tenant)
            other = mem.agent(LAB.name, fleet=LAB.fleet, tenant=LAB.tenant)
            build = milliseconds(lambda: tech.semantic.search("first", k=K)) / 1000
            ways = [
                *_searches(tech.semantic.search, other.semantic.search, facts, embedder, queries),
                _brute_force(facts, embedder, queries),
            ]
        if importlib.util.find_spec("chromadb"):
            ways += _chroma_alone(path, facts, embedder, queries)
    texts = fill.questions(facts.made, queries)
    return Figures(size, tuple(ways), build, timing(partial(embedder.embed, [said]) for said in texts))


def _filled(path: Path, size: int, embedder: Embedder) -> Facts:
    """Write the facts: the other fleet's first, then those of the rare kind spread among the common ones."""
    few = min(max(K, size // RARE), size // 3)
    made = fill.events(size)
    chance = np.random.default_rng(4).permutation(size)
    lab, rare, rest = (sorted(part) for part in (chance[:few], chance[few : 2 * few], chance[2 * few :]))
    order = [*lab, *rare, *rest]
    of = partial(map, made.__getitem__)
    parts = [(LAB, KIND, list(of(lab))), (DOCK, RARE_KIND, list(of(rare))), (DOCK, KIND, list(of(rest)))]
    ids = fill.fill_facts(str(path), parts, embedder)
    stored = [made[row] for row in order]
    vectors = embed.checked(embedder, [event.content for event in stored])
    return Facts(ids, stored, vectors, np.arange(few, 2 * few), np.arange(few))


def _searches(
    search: Callable[..., Any],
    search_lab: Callable[..., Any],
    facts: Facts,
    embedder: Embedder,
    queries: int,
) -> Iterator[Way]:
    """Time `semantic.search` without a filter and with each of three."""
    end = to_micros(fill.END)
    dock = np.arange(len(facts.lab), len(facts.ids))
    happened = np.array([event.happened_at for event in facts.made])
    early = int(np.sort(happened[dock])[min(len(facts.few), len(dock)) - 1])
    then = dock[happened[dock] <= early]
    cases: list[tuple[str, Callable[..., Any], NDArray[np.int64], NDArray[np.int64], int]] = [
        ("search", search, dock, dock, end),
        ("search, one kind", partial(search, kinds=[RARE_KIND]), dock, facts.few, end),
        ("search, small fleet", search_lab, facts.lab, facts.lab, end),
        ("search, early moment", partial(search, at=from_micros(early)), dock, then, early),
    ]
    for name, ask, readable, eligible, at in cases:
        texts = fill.questions([facts.made[row] for row in eligible], queries)
        exact = _Fused(facts, readable, eligible, at, embedder)
        found: list[list[str]] = []
        timed = timing(partial(_keep, found, ask, said) for said in texts)
        shares = [_share(ids, exact.best(said)) for ids, said in zip(found, texts, strict=True)]
        yield Way(name, timed, float(np.mean(shares)))


def _keep(found: list[list[str]], ask: Callable[..., Any], question: str) -> None:
    found.append([hit.memory.memory_id for hit in ask(question, k=K)])


def _share(found: Iterable[str], exact: Sequence[str]) -> float:
    return len(set(found) & set(exact)) / len(exact) if exact else 1.0


class _Fused:
    """The exact answer: both scores of every eligible fact, stretched and added."""

    def __init__(
        self,
        facts: Facts,
        readable: NDArray[np.int64],
        eligible: NDArray[np.int64],
        at: int,
        embedder: Embedder,
    ) -> None:
        self._facts, self._eligible, self._embedder = facts, eligible, embedder
        self._postings = lexical.Postings()
        for row in readable:
            event = facts.made[row]
            self._postings.add(
                lexical.Entry(
                    facts.ids[row], event.content, 0.0, event.happened_at, valid_from=event.happened_at
                )
            )
        self._corpus = rank.corpus_of([self._postings], at)
        self._rows = [self._postings.row_of[facts.ids[row]] for row in eligible]

    def best(self, question: str) -> list[str]:
        """Return the ids of the ten best."""
        terms = dict.fromkeys(text.terms(question))
        rarity = {term: self._corpus.rarity(term) for term in terms if self._corpus.holding(term)}
        whole = self._postings.scores(rarity, self._corpus.mean_length) / (sum(rarity.values()) or 1.0)
        words = np.minimum(whole[self._rows], 1.0)
        meaning = self._facts.vectors[self._eligible] @ self._embedder.embed([question])[0]
        total = np.zeros(len(words))
        for name, values in (("words", words), ("meaning", meaning.astype(float).round(hybrid.DIGITS))):
            most = values.max(initial=0.0)
            total += hybrid.WEIGHTS[name] * (np.maximum(values, 0) / most if most > 0 else 0)
        made, ids = self._facts.made, self._facts.ids
        order = sorted(
            zip(total.tolist(), self._eligible.tolist(), strict=True),
            key=lambda item: (-item[0], -made[item[1]].happened_at, ids[item[1]]),
        )
        return [ids[row] for _, row in order[:K]]


def _nearest(vectors: Vector, asked: Vector) -> NDArray[np.int64]:
    cosines = vectors @ asked
    k = min(K, len(cosines))
    rows = np.argpartition(-cosines, k - 1)[:k]
    return np.asarray(rows[np.argsort(-cosines[rows])])


def _brute_force(facts: Facts, embedder: Embedder, queries: int) -> Way:
    asked = embedder.embed(fill.questions(facts.made, queries))
    return Way("numpy", timing(partial(_nearest, facts.vectors, vector) for vector in asked), 1.0)


def _chroma_alone(path: Path, facts: Facts, embedder: Embedder, queries: int) -> Iterator[Way]:
    """Time bare queries of the collection that `search` uses, whole and for the few of one kind."""
    address = ("semantic", "team", DOCK.fleet, "")
    name = place.collection_name(DOCK.tenant, nearest.partition(address))
    dock = np.arange(len(facts.lab), len(facts.ids))
    with _collection(path.with_name(path.name + ".chroma"), name) as collection:
        for label, rows, only in (
            ("Chroma alone", dock, {}),
            ("Chroma alone, few ids", facts.few, {"ids": [facts.ids[row] for row in facts.few]}),
        ):
            asked = embedder.embed(fill.questions([facts.made[row] for row in rows], queries))
            found: list[list[str]] = []
            timed = timing(partial(_query, found, collection, vector, only) for vector in asked)
            exact = [
                [facts.ids[rows[at]] for at in _nearest(facts.vectors[rows], vector)] for vector in asked
            ]
            yield Way(
                label, timed, float(np.mean([_share(*pair) for pair in zip(found, exact, strict=True)]))
            )


@contextmanager
def _collection(folder: Path, name: str) -> Iterator[Any]:
    import chromadb
    from chromadb.config import Settings

    client: Any = chromadb.PersistentClient(path=str(folder), settings=Settings(anonymized_telemetry=False))
    with closing(client):
        yield client.get_collection(name, embedding_function=None)


def _query(found: list[list[str]], collection: Any, vector: Vector, only: dict[str, Any]) -> None:
    answer = collection.query(query_embeddings=[vector], n_results=K, include=["distances"], **only)
    found.append(answer["ids"][0])


_COLUMNS = ("memories", "way", "ms", "p95", "x search", "of the exact ten")


def _rows(found: Figures) -> Iterator[tuple[str, ...]]:
    base = found.ways[0].timing.median
    for way in found.ways:
        yield (
            f"{found.memories:,}",
            way.name,
            f"{way.timing.median:.2f}",
            f"{way.timing.p95:.2f}",
            f"{way.timing.median / base:.2f}",
            f"{way.exact:.3f}",
        )


def _remarks(found: Sequence[Figures]) -> tuple[str, ...]:
    built = [
        f"{one.memories:,} facts: the first question built the indexes in {one.build_seconds:.1f} s; "
        f"embedding a question took {one.embed.median:.2f} ms."
        for one in found
    ]
    return (
        *built,
        f"search: k={K}, end to end on a store in a file; each filter lets one fact in {RARE:,} through, "
        f"at least {K}.",
        "numpy and Chroma alone get the question's vector ready made and return ids, not memories.",
        "Compare the ratios; the milliseconds are this machine's.",
    )
