"""Recall the long way round: every row of the table, one plain loop, nothing shared with the ranking.

Only the cutting into terms is the package's own; it has tests of its own.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from helpers import connection

from teachmem import MemoryStore, Principal, Weights
from teachmem.recall import text

HOUR = 3_600_000_000


def rows(mem: MemoryStore) -> list[dict[str, Any]]:
    """Return every version of every memory, past every rule."""
    with connection(mem) as raw:
        cursor = raw.execute("SELECT * FROM memories")
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def believable(row: dict[str, Any], who: Principal, at: int, known_at: int | None, tier: str) -> bool:
    """Say in words of this file whether `who` may be told this row."""
    if row["tenant"] != who.tenant or row["tier"] != tier:
        return False
    if row["status"] not in ("active", "pending", "confirmed"):
        return False
    if row["visibility"] == "team" and row["fleet"] != who.fleet and who.clearance < 2:
        return False
    if row["visibility"] == "agent" and (row["fleet"], row["agent"]) != (who.fleet, who.name):
        return False
    if known_at is None:
        if row["superseded_at"] is not None:
            return False
    elif row["recorded_at"] > known_at or (
        row["superseded_at"] is not None and row["superseded_at"] <= known_at
    ):
        return False
    started = row["valid_from"] is None or row["valid_from"] <= at
    ended = any(row[end] is not None and row[end] <= at for end in ("valid_to", "expires_at"))
    return started and not ended


def ranking(
    mem: MemoryStore,
    who: Principal,
    query: str,
    *,
    at: int,
    known_at: int | None = None,
    weights: Weights | None = None,
    half_life: float = 24,
    session: str | None = None,
    tier: str = "episodic",
) -> list[tuple[str, float, dict[str, float]]]:
    """Return (id, score, parts) of every memory that `who` may be told, best first."""
    weights = weights or Weights()
    held = [row for row in rows(mem) if believable(row, who, at, known_at, tier)]
    documents = [text.terms(row["content"]) for row in held]
    mean = sum(map(len, documents)) / len(documents) if documents else 0
    asked = list(dict.fromkeys(text.terms(query)))[:256]
    idf = {}
    for term in asked:
        holders = sum(term in document for document in documents)
        if holders:
            idf[term] = math.log(1 + (len(documents) - holders + 0.5) / (holders + 0.5))
    found = []
    for row, document in zip(held, documents, strict=True):
        if session is not None and row["session"] != session:
            continue
        happened = row["recorded_at"] if row["valid_from"] is None else row["valid_from"]
        parts = {
            "recency": weights.recency * 0.5 ** (max((at - happened) / HOUR, 0.0) / half_life),
            "importance": weights.importance * (row["importance"] or 0.0),
            "relevance": weights.relevance * _relevance(idf, document, mean),
        }
        found.append((-sum(parts.values()), -happened, row["memory_id"], parts))
    found.sort(key=lambda item: item[:3])
    return [(memory_id, -score, parts) for score, _, memory_id, parts in found]


def _relevance(idf: dict[str, float], document: Sequence[str], mean: float) -> float:
    """BM25 with k1 = 0.9 and b = 0.4, over what an average event with every word once would get."""
    if not idf:
        return 0.0
    earned = 0.0
    for term, rarity in idf.items():
        often = document.count(term)
        if often:
            earned += rarity * (often * 1.9 / (often + 0.9 * (0.6 + 0.4 * len(document) / mean)))
    return min(1.0, earned / sum(idf.values()))


def assert_same(hits: Sequence[Any], expected: Sequence[tuple[str, float, dict[str, float]]], k: int) -> None:
    """Same ids in the same order, same scores and parts, parts that sum to the score."""
    assert [hit.memory.memory_id for hit in hits] == [memory_id for memory_id, _, _ in expected[:k]]
    for hit, (_, score, parts) in zip(hits, expected, strict=False):
        assert math.isclose(hit.score, score, rel_tol=0, abs_tol=1e-12)
        assert hit.parts.keys() == parts.keys()
        assert all(math.isclose(hit.parts[name], parts[name], abs_tol=1e-12, rel_tol=0) for name in parts)
        assert sum(hit.parts.values()) == hit.score
