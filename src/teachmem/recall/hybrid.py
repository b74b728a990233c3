"""Search by words and by meaning at once: propose from both, decide by the clause, fuse the scores.

1. Postings propose the best rows by BM25, the vector index proposes the nearest ones. Of a kind or a moment
   that leaves few rows of many, the nearest are looked up in the table instead.
2. Each proposed row is read from the table through the admissible clause, by its key.
3. Both raw scores of every row that is left are computed exactly, stretched to 0..1 and added.

Whether the best hit answers the question is judged on the raw scores, before they are stretched:
the best of a poor list would otherwise always look good.

Left out: what a tier asks with, and where the vectors are kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from teachmem.clock import to_micros
from teachmem.errors import IndexUnavailable
from teachmem.ledger.database import Transaction
from teachmem.principal import Principal
from teachmem.recall import embed, fuse, index, nearest, rank, ranked, score, text, when
from teachmem.recall.index import Address, LexicalIndex
from teachmem.recall.lexical import Postings
from teachmem.recall.when import Window
from teachmem.record import Gate, Hit, Memory, WhyNot
from teachmem.rules import admissible, validity

DIGITS = 6  # of a cosine; what lies below is rounding, and must not be stretched to a best match
PROPOSED = 64  # rows that each list proposes at least
FEW = 2_000  # rows left by a filter, up to which all their vectors are read from the table
WEIGHTS = {"words": 0.5, "meaning": 0.5}  # `teachmem bench retrieval`: flat between 0.2 and 0.5 for words
BY_WORDS = score.Weights(recency=0, importance=0, relevance=1)

# Below both, the best hit is not called an answer. The best pair on data/queries.jsonl, and a weak one: it
# calls three quarters of the questions with evidence answered, and half of those without.
ENOUGH_WORDS = 1.0  # the share of the question, weighed by rarity, that the memory holds
ENOUGH_MEANING = 0.45  # cosine
ABOUT = 0.1  # cosine below which what shares no word with the question is not about it


@dataclass(frozen=True, slots=True)
class Question:
    """Who asks what of which family of memories ("semantic", "document"), as of when (microseconds)."""

    reader: Principal
    family: str
    words: str
    terms: tuple[str, ...]
    at: int
    known_at: int | None = None
    kinds: frozenset[str] | None = None  # None: all of the family
    window: Window | None = None  # the time that the question speaks of
    lapsed: bool = False  # whether what is over counts too, at a discount

    def wants(self, memory: Memory) -> bool:
        """Say whether a memory is of the family and of a kind that was asked for."""
        is_family = index.family_of(memory.tier, memory.kind) == self.family
        return is_family and (self.kinds is None or memory.kind in self.kinds)

    @property
    def ask(self) -> rank.Ask:
        """What the postings are asked: which rows of its kinds share most with its words."""
        return rank.Ask(self.terms, self.at, BY_WORDS, half_life_hours=1, kinds=self.kinds)


@dataclass(frozen=True, slots=True)
class Found:
    """The hits, best first; whether the best is good enough for an answer; what could not be asked."""

    hits: tuple[Hit, ...]
    answered: bool
    note: str = ""


def search(
    tx: Transaction, lexical: LexicalIndex, near: nearest.Nearest, question: Question, k: int
) -> Found:
    """Return the k best admissible memories by words and meaning together."""
    near.check_embedder(tx)
    vector = embed.checked(near.embedder, [question.words])[0]
    if question.lapsed or question.known_at is not None:
        return _from_table(tx, near, question, vector, k)
    note = _caught_up(tx, near, question.reader.tenant)
    with lexical.reading(tx, question.reader, question.family) as partitions:
        corpus = rank.corpus_of(list(partitions.values()), question.at)
        left = _Left(partitions, question.ask)
        most = max(1, min(max(PROPOSED, 4 * k), left.count))
        while True:
            ids, lost = _proposed(tx, near, question, left, vector, most, bool(note))
            rows = admissible.by_ids(tx, question.reader, ids, question.at)
            admitted = [memory for memory in rows if question.wants(memory)]
            if len(admitted) >= min(k, left.count) or most >= left.count:
                break
            most = min(left.count, most * 4)
    return _fused(tx, near, question, vector, admitted, corpus, k, note or lost)


class _Left:
    """The rows of the reader's partitions that a question's kinds and moment leave."""

    def __init__(self, partitions: Mapping[Address, Postings], ask: rank.Ask) -> None:
        self.partitions = partitions
        self._masks = [(part, rank.counted(part, ask)) for part in partitions.values()]
        self.count = sum(part.events if mask is None else int(mask.sum()) for part, mask in self._masks)
        self.events = sum(part.events for part in partitions.values())

    @property
    def are_few(self) -> bool:
        """Whether so little of so much is left that the index would propose mostly what is not wanted."""
        return self.count <= FEW and 4 * self.count <= self.events

    def ids(self) -> list[str]:
        """Return the ids that are left."""
        return [
            part.ids[row]
            for part, mask in self._masks
            for row in (range(len(part)) if mask is None else np.flatnonzero(mask))
        ]

    def __contains__(self, memory_id: str) -> bool:
        for part, mask in self._masks:
            row = part.row_of.get(memory_id)
            if row is not None:
                return mask is None or bool(mask[row])
        return False


def _caught_up(tx: Transaction, near: nearest.Nearest, tenant: str) -> str:
    try:
        near.catch_up(tx, tenant)
    except IndexUnavailable as error:
        return f"{error}; ranked by words alone among the proposals"
    notice, near.index.notice = near.index.notice, ""
    return notice


def _proposed(
    tx: Transaction,
    near: nearest.Nearest,
    question: Question,
    left: _Left,
    vector: NDArray[np.float32],
    most: int,
    is_behind: bool,
) -> tuple[list[str], str]:
    """Return the ids that either list proposes, and what could not be asked.

    Rows that share no word stand in the list of words only where the other list may be incomplete.
    """
    parts = list(left.partitions.values())
    ask = question.ask
    ids = rank.top(parts, replace(ask, matching=most < left.count and not is_behind), most)
    if left.are_few:
        return list(dict.fromkeys([*ids, *near.among(tx, left.ids(), vector, most)])), ""
    names = [nearest.partition(address) for address in left.partitions]
    asked = max(1, most * left.events // max(left.count, 1))  # so that about `most` of them are left
    try:
        found = near.index.search(question.reader.tenant, names, vector, asked)
    except IndexUnavailable as error:
        return rank.top(parts, ask, most), "" if is_behind else f"{error}; ranked by words alone"
    nearby = [memory_id for memory_id, _ in found if left.count == left.events or memory_id in left]
    return list(dict.fromkeys([*ids, *nearby[:most]])), ""


def _from_table(
    tx: Transaction, near: nearest.Nearest, question: Question, vector: NDArray[np.float32], k: int
) -> Found:
    """Answer a question about what the ledger held then: every admissible row, one by one."""
    rows = admissible.newest(
        tx, question.reader, question.at, question.known_at, lapsed=question.lapsed, tier=str(near.tier)
    )
    family = [row for row in rows if index.family_of(row.tier, row.kind) == question.family]
    corpus = score.Corpus.of(text.terms(row.content) for row in family)
    wanted = [row for row in family if question.wants(row)]
    return _fused(tx, near, question, vector, wanted, corpus, k, "")


def _fused(
    tx: Transaction,
    near: nearest.Nearest,
    question: Question,
    vector: NDArray[np.float32],
    memories: Sequence[Memory],
    corpus: score.Corpus,
    k: int,
    note: str,
) -> Found:
    by_id = {memory.memory_id: memory for memory in memories}
    words = {
        memory_id: score.relevance(question.terms, text.terms(memory.content), corpus)
        for memory_id, memory in by_id.items()
    }
    meaning = {
        memory_id: round(float(near.vector_of(tx, memory_id, memory.version) @ vector), DIGITS)
        for memory_id, memory in by_id.items()
    }
    fused = {
        memory_id: _timed(parts, by_id[memory_id], question)
        for memory_id, parts in fuse.fuse({"words": words, "meaning": meaning}, WEIGHTS).items()
    }
    places = {"words": fuse.ranks(words), "meaning": fuse.ranks(meaning)}
    hits = sorted(
        (
            Hit(
                by_id[memory_id],
                score.total(parts),
                parts,
                {name: ranks[memory_id] for name, ranks in places.items() if memory_id in ranks},
                {"words": words[memory_id], "meaning": meaning[memory_id]},
            )
            for memory_id, parts in fused.items()
        ),
        key=lambda hit: (-hit.score, -to_micros(hit.memory.happened_at), hit.memory.memory_id),
    )[:k]
    answered = any(hit.raw["words"] >= ENOUGH_WORDS or hit.raw["meaning"] >= ENOUGH_MEANING for hit in hits)
    return Found(tuple(hits), answered, note)


def _timed(parts: Mapping[str, float], memory: Memory, question: Question) -> dict[str, float]:
    """Return the parts with what the time of the question adds, and what a lapse takes away."""
    found = dict(parts)
    if question.window:
        times = (None if time is None else to_micros(time) for time in (memory.valid_from, memory.valid_to))
        found["when"] = when.FACTS * question.window.touches(*times)
    return score.discounted(found) if validity.is_over(memory, question.at) else found


def why_not(
    tx: Transaction,
    lexical: LexicalIndex,
    near: nearest.Nearest,
    question: Question,
    kept: Found,
    memory_id: str,
) -> WhyNot:
    """Name every gate between a memory and the answer `kept`, for somebody who may see the memory."""
    reading = ranked.Reading(question.reader, near.tier, question.ask, question.known_at, question.lapsed)
    memory, gates = ranked.gates_of(tx, reading, memory_id)
    if not question.wants(memory):
        gates.append(Gate("kind", False, f"it is a {memory.kind}, which was not asked for"))
    if all(gate.passed for gate in gates):
        gates.append(_rank_gate(tx, lexical, near, question, kept, memory))
    return WhyNot(memory_id, tuple(gates))


def _rank_gate(
    tx: Transaction,
    lexical: LexicalIndex,
    near: nearest.Nearest,
    question: Question,
    kept: Found,
    memory: Memory,
) -> Gate:
    """Say where the memory stands among all that could have been found."""
    place = next((i for i, hit in enumerate(kept.hits, 1) if hit.memory.memory_id == memory.memory_id), None)
    if place is not None:
        return Gate("rank", True, f"it is number {place} of {len(kept.hits)}")
    with lexical.reading(tx, question.reader, question.family) as partitions:
        everything = sum(part.events for part in partitions.values())
    ordered = search(tx, lexical, near, question, max(everything, 1)).hits
    for place, hit in enumerate(ordered, 1):
        if hit.memory.memory_id == memory.memory_id:
            raw = ", ".join(f"{name} {value:.3f}" for name, value in hit.raw.items())
            last = (
                f"; the last of the {len(kept.hits)} kept scored {kept.hits[-1].score:.3f}"
                if kept.hits
                else ""
            )
            return Gate("rank", False, f"it scored {hit.score:.3f} (raw: {raw}) and stands at {place}{last}")
    return Gate("rank", False, "it has come since this answer was given; ask again")
