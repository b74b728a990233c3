"""The best k of many events, without looping over them: same ids as the plain loop, far sooner.

Every part of the score is an array. Recency of all events at any moment is one array, computed
once, times one number, because 0.5 ** ((now - t) / h) splits into 0.5 ** ((now - T) / h) times
0.5 ** ((T - t) / h). The k-th best score is bounded from below by the k-th best of the maxima of
blocks, so only a handful of rows is ever sorted. What comes out may hold more than k rows: all
whose score is so near the k-th that rounding could decide. The caller scores those exactly.

Left out: exact scores and explanations (`recall/score.py`), and permission (the clause).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from teachmem.clock import MICROS_PER_HOUR
from teachmem.recall.lexical import Floats, Postings
from teachmem.recall.score import Corpus, Weights

ROUNDING = 1e-9  # the arrays and the loop agree far closer than this
BLOCK = 256
TIES = 256  # how many rows beyond k are kept when so many scores are equal


@dataclass(frozen=True, slots=True)
class Ask:
    """A question put to the arrays: its terms, the moment (microseconds) and what counts how much."""

    terms: tuple[str, ...]
    at: int
    weights: Weights
    half_life_hours: float
    session: str | None = None


def corpus_of(partitions: Sequence[Postings]) -> Corpus:
    """Return the statistics of exactly these partitions together."""
    events = sum(part.events for part in partitions)
    length = sum(part.total_length for part in partitions)
    return Corpus(
        events,
        length / events if events else 0.0,
        lambda term: sum(part.holding(term) for part in partitions),
    )


def top(partitions: Sequence[Postings], ask: Ask, k: int) -> list[str]:
    """Return the ids of the k best rows and of any that rounding could put among them, best first."""
    corpus = corpus_of(partitions)
    rarity = {term: corpus.rarity(term) for term in ask.terms if corpus.holding(term)}
    found: list[tuple[float, int, str]] = []
    for part in partitions:
        if not part.events:
            continue
        scores = all_scores(part, ask, rarity, corpus.mean_length)
        happened = part.column("happened_at")
        found += [(-float(scores[row]), -int(happened[row]), part.ids[row]) for row in _best(scores, k)]
    found.sort()
    if len(found) > k:
        limit = found[k - 1][0] + ROUNDING
        near = [item for item in found if item[0] <= limit]
        found = near if len(near) <= k + TIES else near[: k + TIES]
    return [memory_id for _, _, memory_id in found]


def all_scores(part: Postings, ask: Ask, rarity: dict[str, float], mean_length: float) -> Floats:
    """Return the score of every row, minus infinity for rows that the question excludes."""
    scores = ask.weights.importance * part.column("importance")
    if ask.weights.recency:
        scores += ask.weights.recency * _recency(part, ask)
    if rarity and ask.weights.relevance:
        relevance = part.scores(rarity, mean_length)
        relevance *= 1 / sum(rarity.values())
        np.minimum(relevance, 1.0, out=relevance)
        relevance *= ask.weights.relevance
        scores += relevance
    excluded = _excluded(part, ask)
    if excluded is not None:
        scores[excluded] = -np.inf
    return scores


def _recency(part: Postings, ask: Ask) -> Floats:
    """Return every row's recency at `ask.at`, from an array kept for this half-life."""
    happened = part.column("happened_at")
    half_life = ask.half_life_hours * MICROS_PER_HOUR
    kept = part.derived.get("decay")
    if kept is None or kept[0] != (part.changes, half_life):
        newest = int(happened.max())
        decay = np.exp2(np.maximum((happened - newest) / half_life, -1000.0))
        kept = part.derived["decay"] = ((part.changes, half_life), newest, decay)
    _, newest, decay = kept
    if ask.at >= newest:
        return np.asarray(decay * 0.5 ** ((ask.at - newest) / half_life))
    return np.asarray(np.exp2(np.minimum((happened - ask.at) / half_life, 0.0)))


def _excluded(part: Postings, ask: Ask) -> NDArray[np.bool_] | None:
    """Return which rows do not count: removed, not valid at the moment asked about, other session."""
    kept = part.derived.get("bounds")
    if kept is None or kept[0] != part.changes:
        bounds = (int(part.column("start").max()), int(part.column("end").min()), part.events == len(part))
        kept = part.derived["bounds"] = (part.changes, bounds)
    latest_start, first_end, all_alive = kept[1]
    excluded = None
    if not all_alive or latest_start > ask.at or first_end <= ask.at:
        excluded = (
            (part.column("alive") == 0) | (part.column("start") > ask.at) | (part.column("end") <= ask.at)
        )
    if ask.session is not None:
        elsewhere = part.column("session") != part.session_code(ask.session)
        excluded = elsewhere if excluded is None else excluded | elsewhere
    return excluded


def _best(scores: Floats, k: int) -> NDArray[np.int64]:
    """Return the rows that are among the k best or within rounding of the k-th, in any order."""
    blocks = len(scores) // BLOCK
    if blocks > k:
        maxima = scores[: blocks * BLOCK].reshape(blocks, BLOCK).max(axis=1)
        bound = np.partition(maxima, blocks - k)[blocks - k]
    elif len(scores) > k:
        bound = np.partition(scores, len(scores) - k)[len(scores) - k]
    else:
        bound = -np.inf
    rows = np.flatnonzero(scores >= max(float(bound) - ROUNDING, np.finfo(np.float64).min))
    if len(rows) > 8 * k + 4 * TIES:
        exact = np.partition(scores[rows], len(rows) - k)[len(rows) - k]
        rows = rows[scores[rows] >= exact - ROUNDING]
    return rows


def place(partitions: Sequence[Postings], ask: Ask, score: float) -> int:
    """Return the place, from 1, that `score` would take among all rows of these partitions."""
    corpus = corpus_of(partitions)
    rarity = {term: corpus.rarity(term) for term in ask.terms if corpus.holding(term)}
    better = sum(
        int((all_scores(part, ask, rarity, corpus.mean_length) > score + ROUNDING).sum())
        for part in partitions
        if part.events
    )
    return better + 1
