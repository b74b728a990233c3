"""The score of an event: how recent, how important, how relevant. In plain Python, to be read.

    score = 0.4 * recency + 0.3 * importance + 0.3 * relevance

Recency halves with every half-life that has passed. Importance was set when the event was logged.
Relevance is the event's BM25 score for the question, as a share of what an event of average length
would get that has every word of the question once, and at most 1.

>>> recency(age_hours=24, half_life_hours=24)
0.5
>>> parts(recency=0.5, importance=0.5, relevance=1.0, weights=Weights())
{'recency': 0.2, 'importance': 0.15, 'relevance': 0.3}

Sources: Park et al. 2023, "Generative Agents" (arXiv:2304.03442) for the three; Robertson and
Zaragoza 2009, "The Probabilistic Relevance Framework: BM25 and Beyond" for relevance, with
k1 = 0.9 and b = 0.4. Left out: speed. `recall/rank.py` finds the same winners without this loop.
"""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from teachmem.errors import InvalidInput

K1 = 0.9
B = 0.4
LAPSED = 0.5  # what is left of the score of what held once and is over, where that is asked for


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each part counts: three numbers from 0 to 1, not all zero."""

    recency: float = 0.4
    importance: float = 0.3
    relevance: float = 0.3

    def __post_init__(self) -> None:
        for field in ("recency", "importance", "relevance"):
            value = getattr(self, field)
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
                raise InvalidInput(f"weights.{field}", f"must be a number from 0 to 1, not {value!r}")
        if not self.recency + self.importance + self.relevance:
            raise InvalidInput("weights", "are all zero, so every event would score 0; raise one")


def recency(age_hours: float, half_life_hours: float = 24) -> float:
    """Return 0.5 ** (age / half-life); an age below zero (a clock ahead of ours) counts as now."""
    return float(0.5 ** (max(age_hours, 0.0) / half_life_hours))


def check_half_life(hours: object) -> None:
    """Refuse a half-life that is not a finite number above zero."""
    if isinstance(hours, bool) or not isinstance(hours, int | float) or not 0 < hours <= sys.float_info.max:
        raise InvalidInput("half_life_hours", f"must be a finite number above 0, not {hours!r}")


@dataclass(frozen=True, slots=True)
class Corpus:
    """What BM25 must know of all the events that a reader may read, and of no others."""

    events: int
    mean_length: float  # in terms
    holding: Callable[[str], int]  # how many events hold a term

    @classmethod
    def of(cls, documents: Iterable[Sequence[str]]) -> Corpus:
        """Count `documents`, each a list of terms."""
        lengths, holding = [], Counter[str]()
        for document in documents:
            lengths.append(len(document))
            holding.update(set(document))
        mean = sum(lengths) / len(lengths) if lengths else 0.0
        return cls(len(lengths), mean, lambda term: holding[term])

    def rarity(self, term: str) -> float:
        """Return the term's inverse document frequency: rare terms tell events apart, always > 0."""
        held_by = self.holding(term)
        return math.log(1 + (self.events - held_by + 0.5) / (held_by + 0.5))


def saturation(count: int, length: int, mean_length: float) -> float:
    """Return how much of a term's rarity an event earns: 1 for once in an event of average length.

    >>> saturation(count=1, length=8, mean_length=8.0)
    1.0
    >>> saturation(count=5, length=8, mean_length=8.0) < 1.9
    True
    """
    return count * (K1 + 1) / (count + K1 * (1 - B + B * length / mean_length))


def relevance(question: Sequence[str], event: Sequence[str], corpus: Corpus) -> float:
    """Return the share, 0 to 1, of what was asked that this event carries. Both are terms.

    A word that no event holds cannot tell events apart and is left out of the share.
    """
    asked = [term for term in dict.fromkeys(question) if corpus.holding(term)]
    if not asked:
        return 0.0
    counts = Counter(event)
    rarities = [corpus.rarity(term) for term in asked]
    earned = sum(
        rarity * saturation(counts[term], len(event), corpus.mean_length)
        for term, rarity in zip(asked, rarities, strict=True)
        if counts[term]
    )
    return min(1.0, earned / sum(rarities))


def parts(recency: float, importance: float, relevance: float, weights: Weights) -> dict[str, float]:
    """Return each part times its weight; their sum is the score."""
    return {
        "recency": weights.recency * recency,
        "importance": weights.importance * importance,
        "relevance": weights.relevance * relevance,
    }


def discounted(found: Mapping[str, float]) -> dict[str, float]:
    """Return the parts of what has lapsed: one more, which takes half of the score away.

    >>> discounted({"words": 0.5, "meaning": 0.25})
    {'words': 0.5, 'meaning': 0.25, 'lapsed': -0.375}
    """
    return {**found, "lapsed": (LAPSED - 1) * total(found)}


def total(found: Mapping[str, float]) -> float:
    """Return the score: the sum of the parts, added in their order."""
    return sum(found.values())
