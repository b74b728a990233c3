"""Recall of events by words and meaning, each in its surroundings: who is in, and why not.

1. The pool has every event that the reader may recall, with its two raw scores.
2. Own scores are blended with those around; recency and importance are added as ever.
3. Every row that a hit owes its score to is read from the table through the admissible clause: the hit,
   its neighbours, its session's best. If one is withheld, the cache is not believed, and the whole
   pool is made anew from the table.

Left out: the blending (`recall/surround.py`) and the two ways to a pool (`recall/pool.py`).
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from teachmem.clock import MICROS_PER_HOUR
from teachmem.ledger.database import Transaction
from teachmem.recall import embed, rank, ranked, score, surround, when
from teachmem.recall import pool as pools
from teachmem.recall.index import LexicalIndex
from teachmem.recall.lexical import Floats
from teachmem.recall.nearest import Nearest
from teachmem.recall.pool import Pool
from teachmem.recall.ranked import Reading
from teachmem.recall.surround import Rows
from teachmem.record import Gate, Hit, Memory, WhyNot
from teachmem.rules import admissible, validity


@dataclass(frozen=True, slots=True)
class _Scores:
    """What the pool's columns come to for one question."""

    parts: Mapping[str, Floats]
    window: Floats
    session: Floats
    own: Floats
    beside: Rows


def best(
    tx: Transaction, lexical: LexicalIndex, near: Nearest, reading: Reading, question: str, k: int
) -> list[Hit]:
    """Return the k best events by recency, importance and blended relevance.

    Whatever a hit owes its score to is read through the admissible clause. Where the clause withholds
    one of these rows, the cache is not to be believed, and the table is asked for every row.
    """
    vector = embed.checked(near.embedder, [question])[0]
    if not reading.of_table:
        with lexical.reading(tx, reading.reader, reading.tier) as partitions:
            near.catch_up(tx, reading.reader.tenant)
            pool = pools.of_index(partitions, near, reading, vector)
        found = _hits(tx, pool, reading, k)
        if found is not None:
            return found
    return _hits(tx, pools.of_table(tx, near, reading, vector), reading, k) or []


def _scores(pool: Pool, reading: Reading) -> _Scores:
    ask = reading.ask
    own = surround.own_scores(pool.words, pool.meaning)
    beside = surround.neighbours(pool.session, pool.happened, pool.ids)
    relevance, window, session = surround.blended(own, beside, pool.session)
    age = np.maximum(ask.at - pool.happened, 0) / MICROS_PER_HOUR
    parts: dict[str, Floats] = {
        "recency": ask.weights.recency * 0.5 ** (age / ask.half_life_hours),
        "importance": ask.weights.importance * pool.importance,
        "relevance": ask.weights.relevance * relevance,
    }
    if ask.window:
        parts["when"] = np.where(rank.inside(ask.window, pool.happened), when.EVENTS, 0.0)
    if reading.lapsed and pool.memories:
        over = np.array([validity.is_over(pool.memories[name], ask.at) for name in pool.ids])
        whole = sum(parts.values(), np.zeros(len(pool.ids)))
        parts["lapsed"] = np.where(over, (score.LAPSED - 1) * whole, 0.0)
    return _Scores(parts, window, session, own, beside)


def _hits(tx: Transaction, pool: Pool, reading: Reading, k: int) -> list[Hit] | None:
    """Return the k best hits of a pool, or None if the clause withholds what one of them rests on."""
    found = _scores(pool, reading)
    total = sum(found.parts.values(), np.zeros(len(pool.ids)))
    chosen = _top(pool, total, reading.ask.session, k)
    memories = pool.memories
    if memories is None:
        memories = _admitted(tx, pool, reading, _grounds(pool, found, chosen))
        if memories is None:
            return None
    return [_hit(pool, found, memories[pool.ids[row]], row) for row in chosen]


def _top(pool: Pool, total: Floats, session: str | None, k: int) -> list[int]:
    """Return the rows of the k highest totals; ties by newest, then id."""
    wanted = np.arange(len(total))
    if session is not None:
        wanted = np.flatnonzero(pool.session == pool.session_codes.get(session, -1))
    if k < len(wanted):
        least = np.partition(total[wanted], -k)[-k]
        wanted = wanted[total[wanted] >= least]
    return sorted(wanted.tolist(), key=lambda row: (-total[row], -pool.happened[row], pool.ids[row]))[:k]


def _grounds(pool: Pool, found: _Scores, chosen: Sequence[int]) -> set[int]:
    """Return the rows that the scores of the chosen ones rest on: themselves, neighbours, sessions."""
    sessions = {int(pool.session[row]) for row in chosen}
    beside = {int(row) for row in found.beside[chosen].ravel() if row >= 0}
    best_rows = surround.best_of_sessions(found.own, pool.session)
    return {*chosen, *beside, *(int(row) for row in best_rows if int(pool.session[row]) in sessions)}


def _admitted(tx: Transaction, pool: Pool, reading: Reading, rows: set[int]) -> Mapping[str, Memory] | None:
    """Return these rows' memories by id, or None if the clause withholds one."""
    ids = [pool.ids[row] for row in rows]
    found = admissible.by_ids(tx, reading.reader, ids, reading.ask.at)
    return {memory.memory_id: memory for memory in found} if len(found) == len(ids) else None


def _hit(pool: Pool, found: _Scores, memory: Memory, row: int) -> Hit:
    parts = {name: float(values[row]) for name, values in found.parts.items()}
    raw = {
        "words": float(pool.words[row]),
        "meaning": float(pool.meaning[row]),
        "window": float(found.window[row]),
        "session": float(found.session[row]),
    }
    lists = {"words": pool.words, "meaning": pool.meaning}
    ranks = {name: _place(values, pool.ids, row) for name, values in lists.items() if values[row] > 0}
    return Hit(memory, score.total(parts), parts, ranks, raw)


def _place(values: Floats, ids: Sequence[str], row: int) -> int:
    """Return the place of a row in a list, from 1; ties by id, as `fuse.ranks` has it."""
    alike = np.flatnonzero(values == values[row])
    return 1 + int((values > values[row]).sum()) + sum(ids[other] < ids[row] for other in alike.tolist())


def why_not(
    tx: Transaction,
    lexical: LexicalIndex,
    near: Nearest,
    reading: Reading,
    question: str,
    kept: Sequence[Hit],
    memory_id: str,
) -> WhyNot:
    """Name every gate between an event and the answer `kept`, for somebody who may see the event."""
    memory, gates = ranked.gates_of(tx, reading, memory_id)
    if all(gate.passed for gate in gates):
        place = next((i for i, hit in enumerate(kept, 1) if hit.memory.memory_id == memory_id), None)
        if place is not None:
            gates.append(Gate("rank", True, f"it is number {place} of {len(kept)}"))
        else:
            ordered = best(tx, lexical, near, reading, question, sys.maxsize)
            gates.append(_rank_gate(ordered, kept, memory))
    return WhyNot(memory_id, tuple(gates))


def _rank_gate(ordered: Sequence[Hit], kept: Sequence[Hit], memory: Memory) -> Gate:
    """Say where an event that was not kept stands among all that could have been."""
    for place, hit in enumerate(ordered, 1):
        if hit.memory.memory_id == memory.memory_id:
            said = ", ".join(f"{name} {value:.3f}" for name, value in hit.parts.items())
            last = f"; the last of the {len(kept)} kept scored {kept[-1].score:.3f}" if kept else ""
            return Gate("rank", False, f"it scored {hit.score:.3f} ({said}) and stands at {place}{last}")
    return Gate("rank", False, "it has come since this answer was given; ask again")
