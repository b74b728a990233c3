"""The best k of many events, without looping over them: same ids as the plain loop, far sooner.

Every part of the score is an array. Recency of all events at any moment is one array, computed
once, times one number, because 0.5 ** ((now - t) / h) splits into 0.5 ** ((now - T) / h) times
0.5 ** ((T - t) / h). The k-th best score is bounded from below by the k-th best of the maxima of
groups, so only a handful of rows is ever sorted. What comes out may hold more than k rows: all
whose score is so near the k-th that rounding could decide. The caller scores those exactly.

Left out: exact scores and explanations (`recall/score.py`), and permission (the clause).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from teachmem.clock import MICROS_PER_HOUR
from teachmem.recall import when
from teachmem.recall.held import held
from teachmem.recall.lexical import ALWAYS, NEVER, Floats, Postings
from teachmem.recall.score import Corpus, Weights
from teachmem.recall.when import Window

ROUNDING = 1e-12  # the arrays and the loop agree closer than this
GROUP = 256
TIES = 256  # how many rows beyond k are kept when so many scores are equal
FADED = -1000.0  # half-lives after which nothing is left to tell apart


@dataclass(frozen=True, slots=True)
class Ask:
    """A question put to the arrays: its terms, the moment (microseconds) and what counts how much."""

    terms: tuple[str, ...]
    at: int
    weights: Weights
    half_life_hours: float
    session: str | None = None
    kinds: frozenset[str] | None = None
    matching: bool = False  # whether a row has to share a word with the question
    window: Window | None = None  # the time that the question speaks of


def corpus_of(partitions: Sequence[Postings], at: int) -> Corpus:
    """Return the statistics of exactly these partitions together, as they hold at `at`."""
    parts = [held(part, at) for part in partitions]
    events = sum(part.events for part in parts)
    length = sum(part.total_length for part in parts)
    holding = cache(lambda term: sum(part.holding(term) for part in parts))
    return Corpus(events, length / events if events else 0.0, holding)


def top(partitions: Sequence[Postings], ask: Ask, k: int) -> list[str]:
    """Return the ids of the k best rows and of any that rounding could put among them, best first."""
    corpus = corpus_of(partitions, ask.at)
    rarity = {term: corpus.rarity(term) for term in ask.terms if corpus.holding(term)}
    newest = max((part.newest for part in partitions), default=0)
    found: list[tuple[float, int, str]] = []
    for part in partitions:
        if not part.events:
            continue
        scores = all_scores(part, ask, rarity, corpus.mean_length, newest)
        happened = part.column("happened_at")
        found += [
            (-float(scores[row]), -int(happened[row]), part.ids[row]) for row in _best(scores, happened, k)
        ]
    found.sort()
    if len(found) > k:
        limit = found[k - 1][0] + ROUNDING
        found = [item for item in found if item[0] <= limit][: k + TIES]
    return [memory_id for _, _, memory_id in found]


def place(partitions: Sequence[Postings], ask: Ask, memory_id: str) -> int | None:
    """Return the place, from 1, of a memory among all rows that the question admits, or None."""
    ordered = top(partitions, ask, sum(part.events for part in partitions))
    return ordered.index(memory_id) + 1 if memory_id in ordered else None


def all_scores(part: Postings, ask: Ask, rarity: dict[str, float], mean_length: float, newest: int) -> Floats:
    """Return the score of every row, minus infinity for rows that the question excludes.

    `newest` is when the newest event of all partitions happened: one moment for all, so that
    equal events get equal scores wherever they lie.
    """
    scores = ask.weights.importance * part.column("importance")
    if ask.weights.recency:
        scores += _recency(part, ask, newest)
    if rarity and ask.weights.relevance:
        relevance = part.scores(rarity, mean_length)
        relevance *= ask.weights.relevance / sum(rarity.values())
        scores += np.minimum(relevance, ask.weights.relevance, out=relevance)
        if ask.matching:
            scores[relevance <= 0] = -np.inf
    elif ask.matching:
        scores[:] = -np.inf
    if ask.window:
        scores += when.EVENTS * inside(ask.window, part.column("happened_at"))
    rows = counted(part, ask)
    if rows is not None:
        scores[~rows] = -np.inf
    return scores


def inside(window: Window, happened: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which moments lie in the window."""
    start = NEVER if window.start is window.end is None else window.start
    after = happened >= (ALWAYS if start is None else start)
    return np.asarray(after & (happened < (NEVER if window.end is None else window.end)))


def _recency(part: Postings, ask: Ask, newest: int) -> Floats:
    """Return every row's weighted recency at `ask.at`, from an array kept for this half-life."""
    happened, weight = part.column("happened_at"), ask.weights.recency
    half_life = ask.half_life_hours * MICROS_PER_HOUR
    if ask.at < newest:
        return weight * _decay(happened, ask.at, half_life)
    kept, of = part.derived.get("decay"), (part.changes, newest, half_life)
    if kept is None or kept[0] != of:
        kept = part.derived["decay"] = (of, _decay(happened, newest, half_life))
    return np.asarray(kept[1] * (weight * 0.5 ** ((ask.at - newest) / half_life)))


def _decay(happened: NDArray[np.int64], at: int, half_life: float) -> Floats:
    """Return 0.5 ** (age / half-life) of every row; an age below zero counts as now."""
    age = np.minimum(happened - at, 0)  # negative
    return np.asarray(np.exp2(np.maximum(age, FADED * half_life) / half_life))


def counted(part: Postings, ask: Ask) -> NDArray[np.bool_] | None:
    """Return which rows count: held at the moment, of the session and kinds asked for. None is all."""
    masks = [] if (rows := held(part, ask.at).rows) is None else [rows]
    if ask.session is not None:
        masks.append(part.column("session") == part.session_code(ask.session))
    if ask.kinds is not None:
        masks.append(part.of_kinds(ask.kinds) & (part.column("alive") == 1))
    return np.logical_and.reduce(masks) if masks else None


def _best(scores: Floats, happened: NDArray[np.int64], k: int) -> NDArray[np.int64]:
    """Return the rows that are among the k best or within rounding of the k-th, in any order."""
    rows: NDArray[np.int64] = np.arange(len(scores))
    bound, groups = -np.inf, len(scores) // GROUP
    if groups > k:
        whole = groups * GROUP
        best_of = scores[:whole].reshape(GROUP, groups).max(axis=0)  # of rows 0, groups, 2 * groups ...
        bound = np.partition(best_of, groups - k)[groups - k] - ROUNDING
        members = np.flatnonzero(best_of >= bound) + groups * np.arange(GROUP)[:, np.newaxis]
        rows = np.concatenate([members.ravel(), rows[whole:]])
    elif len(scores) > k:
        bound = np.partition(scores, len(scores) - k)[len(scores) - k] - ROUNDING
    rows = rows[(scores[rows] >= bound) & (scores[rows] > -np.inf)]
    if len(rows) <= k + TIES:
        return rows
    rows = rows[np.lexsort((-happened[rows], -scores[rows]))]
    last = rows[k + TIES - 1]  # whatever equals this one is told apart by its id alone
    beyond = rows[k + TIES :]
    alike = beyond[(scores[beyond] == scores[last]) & (happened[beyond] == happened[last])]
    return np.concatenate([rows[: k + TIES], alike])
