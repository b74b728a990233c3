"""Every event that a reader may recall, as columns: from the indexes, or row by row from the table.

Blending an event with its surroundings needs the score of all events, not of the best alone. The
indexes give them as arrays. A question about what the ledger held in the past is answered from the
table, which also serves where the indexes proved wrong.

Vectors of events are made when the first such question is asked, and kept in memory in step with the
chain, like the postings.

>>> near_events(LexicalIndex(), embed.HashingEmbedder()).index.size("northlight", [])
0

Left out: scores that several events share in (`recall/surround.py`), and the last word on a hit
(`recall/scene.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from teachmem.clock import to_micros
from teachmem.ledger.database import Transaction
from teachmem.ports import Embedder
from teachmem.recall import embed, hybrid, nearest, rank, ranked, score, text
from teachmem.recall.held import held
from teachmem.recall.index import Address, LexicalIndex
from teachmem.recall.lexical import Floats, Postings
from teachmem.recall.nearest import Nearest
from teachmem.recall.ranked import Reading
from teachmem.recall.surround import Rows
from teachmem.recall.vectors import ExactIndex
from teachmem.record import Memory
from teachmem.vocabulary import Tier


@dataclass(frozen=True, slots=True)
class Pool:
    """Every event that a reader may recall at a moment, as columns; no event stands here twice."""

    ids: Sequence[str]
    happened: Rows  # microseconds
    importance: Floats
    session: Rows  # a number for each session
    session_codes: Mapping[str, int]
    words: Floats  # the share of what was asked, 0 to 1
    meaning: Floats  # cosine
    memories: Mapping[str, Memory] | None = None  # where the rows are at hand already


def near_events(lexical: LexicalIndex, embedder: Embedder) -> Nearest:
    """Return the vectors of the events of a store, kept beside its postings; empty until first used."""
    made = Nearest(ExactIndex(), embedder, Tier.EPISODIC)
    kept: Nearest = lexical.derived.setdefault("near events", made)
    return kept


def of_index(
    partitions: Mapping[Address, Postings], near: Nearest, reading: Reading, vector: NDArray[np.float32]
) -> Pool:
    """Return the pool from the indexes, without a look at the table."""
    ask, parts = reading.ask, list(partitions.values())
    corpus = rank.corpus_of(parts, ask.at)
    rarity = {term: corpus.rarity(term) for term in ask.terms if corpus.holding(term)}
    names = [nearest.partition(address) for address in partitions]
    assert isinstance(near.index, ExactIndex)  # see `near_events`: every cosine is needed
    cosine = near.index.cosines(reading.reader.tenant, names, vector)
    ids: list[str] = []
    codes: dict[str, int] = {}
    columns: dict[str, list[NDArray[Any]]] = {
        name: [np.zeros(0, dtype)]
        for name, dtype in (("happened", int), ("importance", float), ("session", int), ("words", float))
    }
    for part in parts:
        mask = held(part, ask.at).rows
        rows = np.arange(len(part)) if mask is None else np.flatnonzero(mask)
        ids += [part.ids[row] for row in rows]
        code = np.array([codes.setdefault(name, len(codes)) for name in part.sessions()], dtype=int)
        words = part.scores(rarity, corpus.mean_length)[rows] / (sum(rarity.values()) or 1.0)
        columns["happened"].append(part.column("happened_at")[rows])
        columns["importance"].append(part.column("importance")[rows])
        columns["session"].append(code[part.column("session")[rows]])
        columns["words"].append(np.minimum(words, 1.0))
    whole = {name: np.concatenate(pieces) for name, pieces in columns.items()}
    meaning = np.array([cosine.get(memory_id, 0.0) for memory_id in ids], dtype=float)
    return Pool(
        ids,
        whole["happened"],
        whole["importance"],
        whole["session"],
        codes,
        whole["words"],
        meaning.round(hybrid.DIGITS),
    )


def of_table(tx: Transaction, near: Nearest, reading: Reading, vector: NDArray[np.float32]) -> Pool:
    """Return the pool from the table, every row through the admissible clause: slow, and the meaning."""
    rows = ranked.readable(tx, reading)
    terms = [text.terms(row.content) for row in rows]
    corpus = score.Corpus.of(terms)
    codes: dict[str, int] = {}
    cosines = embed.checked(near.embedder, [row.content for row in rows]) @ vector
    return Pool(
        ids=[row.memory_id for row in rows],
        happened=np.array([to_micros(row.happened_at) for row in rows], dtype=int),
        importance=np.array([row.importance or 0.0 for row in rows], dtype=float),
        session=np.array([codes.setdefault(row.session, len(codes)) for row in rows], dtype=int),
        session_codes=codes,
        words=np.array([score.relevance(reading.ask.terms, said, corpus) for said in terms], dtype=float),
        meaning=cosines.astype(float).round(hybrid.DIGITS),
        memories={row.memory_id: row for row in rows},
    )
