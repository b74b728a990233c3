"""Faults of recall: an event that is there, and does not come back when it should."""

from __future__ import annotations

import re

from teachmem.ledger.database import Transaction
from teachmem.marks.foil import Patch, register
from teachmem.recall import ranked, score, text
from teachmem.recall.index import LexicalIndex
from teachmem.recall.ranked import Reading
from teachmem.record import Hit

_ASCII_WORD = re.compile("[a-z0-9]+")


def _by_loop(tx: Transaction, index: LexicalIndex, reading: Reading, k: int) -> list[Hit]:
    """Rank every event with whatever the formula is now; slow, and it cannot disagree with it."""
    return ranked.by_loop(tx, reading)[:k]


@register(
    "oldest_first",
    seen="Asked what is wrong with the gripper, the agent told a story from two weeks ago.",
    mechanism="Recency counts the age up instead of down, so the oldest event scores highest.",
)
def _oldest_first(patch: Patch) -> None:
    def recency(age_hours: float, half_life_hours: float = 24) -> float:
        return float(1 - 0.5 ** (max(age_hours, 0.0) / half_life_hours))

    patch(score, "recency", recency)
    patch(ranked, "best", _by_loop)


@register(
    "newest_wins",
    seen="Asked about the gripper, the agent read out the lunch menu.",
    mechanism="Events are ranked by recency alone; what was asked plays no part.",
)
def _newest_wins(patch: Patch) -> None:
    honest = score.parts

    def parts(
        recency: float, importance: float, relevance: float, weights: score.Weights
    ) -> dict[str, float]:
        return honest(recency, 0.0, 0.0, score.Weights(recency=1, importance=0, relevance=0))

    patch(score, "parts", parts)
    patch(ranked, "best", _by_loop)


@register(
    "ascii_words_only",
    seen="A question in Japanese found nothing, though the event was written in Japanese.",
    mechanism="Words are runs of a to z and digits; text in any other script has no words at all.",
)
def _ascii_words_only(patch: Patch) -> None:
    def terms(content: str) -> list[str]:
        return _ASCII_WORD.findall(content.lower())

    patch(text, "terms", terms)
