"""Faults of recall: what is there does not come back when it should, and what answers nothing does."""

from __future__ import annotations

import re
import sqlite3

from teachmem.flow import nodes, reply
from teachmem.ledger.database import Transaction
from teachmem.marks.foil import Patch, register
from teachmem.recall import ranked, score, text
from teachmem.recall.index import LexicalIndex
from teachmem.recall.ranked import Reading
from teachmem.record import Hit

_ASCII_WORD = re.compile("[a-z0-9]+")
_SYNTAX = re.compile(r"[\"':*()^%]|(^|\s)-|\b(AND|OR|NOT|NEAR)\b")
_honest_terms = ranked.question_terms


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


@register(
    "decay_multiplied",
    seen="A fuse burnt through for the second time in a year. Nobody was told where the spare one lay.",
    mechanism="Relevance is multiplied by a decay of some percent a day, so that after eight months the best "
    "match counts for nothing.",
)
def _decay_multiplied(patch: Patch) -> None:
    honest = score.parts

    def parts(
        recency: float, importance: float, relevance: float, weights: score.Weights
    ) -> dict[str, float]:
        return honest(recency, importance, relevance * recency, weights)

    patch(score, "parts", parts)
    patch(ranked, "best", _by_loop)


@register(
    "question_as_syntax",
    seen="A question with a colon in it stopped the agent: no such column.",
    mechanism="A question is handed to a search engine as it is, and quotes, colons and capital ORs are "
    "commands there. That it is bound as a value does not help.",
)
def _question_as_syntax(patch: Patch) -> None:
    def question_terms(question: object) -> tuple[tuple[str, ...], str]:
        if found := _SYNTAX.search(str(question)):
            raise sqlite3.OperationalError(f"fts5: syntax error near {found[0]!r}")
        return _honest_terms(question)

    patch(ranked, "question_terms", question_terms)


@register(
    "nearest_is_an_answer",
    seen="Asked who invented the telescope, the agent said what the yard carrier carries.",
    mechanism="A search always has a nearest memory, and the nearest is taken for an answer, however far it "
    "lies.",
)
def _nearest_is_an_answer(patch: Patch) -> None:
    patch(nodes, "_is_about", lambda _: True)
    patch(reply, "ENOUGH", -2.0)
