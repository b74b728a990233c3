"""Segment 00, Start here: one prediction and one exercise, to learn how both work."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from teachmem.course.material import (
    Exercise,
    Misconception,
    Prediction,
    Segment,
    call,
    close,
    is_function,
    number,
    show,
    shown,
)

Total = Callable[[dict[str, float]], float]

SCORES = (
    {"recency": 0.2, "importance": 0.15, "relevance": 0.3},
    {"recency": 0.0, "importance": 0.06, "relevance": 0.0},
    {"recency": 0.123456, "importance": 0.111111, "relevance": 0.012345},
    {"recency": 0.4, "importance": 0.3, "relevance": 0.3, "lapsed": -0.5},
)


def sums_the_parts(total: Total) -> str | None:
    """A score is the sum of its parts, whatever they are called."""
    for parts in SCORES:
        got = number(call(total, parts), shown(total, parts))
        if not close(got, sum(parts.values())):
            return f"{shown(total, parts)} gave {show(got)}; add the parts by hand and compare"
    return None


def nothing_adds_nothing(total: Total) -> str | None:
    """A score without parts is 0."""
    got = number(call(total, {}), shown(total, {}))
    return None if got == 0 else f"{shown(total, {})} gave {show(got)}, and there is nothing to add"


def _gives(wanted: Callable[[list[float]], float]) -> Callable[[Total], bool]:
    return lambda total: all(
        close(number(call(total, parts), ""), wanted(list(parts.values()))) for parts in SCORES[:2]
    )


def _ignores_new_names(total: Total) -> bool:
    return _gives(sum)(total) and sums_the_parts(total) is not None


SEGMENT = Segment(
    number="00",
    title="Start here",
    start=datetime(2026, 3, 15, 12, tzinfo=UTC),
    predictions=(
        Prediction(
            id="0.a",
            question="You write a note again, in other capitals and without its full stop. What does the receipt say?",
            choices={
                "a": "accepted: there are two notes now",
                "b": "duplicate: the note that is there is handed back",
                "c": "refused: the second write is an error",
            },
            right="b",
            because="It is the same value, so its live twin is handed back and nothing is written.",
            concept="duplicates",
        ),
    ),
    exercises=(
        Exercise(
            id="0.1",
            title="Where a score comes from",
            concept="score",
            expected="a function of the parts of a score",
            fits=is_function,
            laws=(sums_the_parts, nothing_adds_nothing),
            yes="a score is the sum of its parts, so every rank can be read",
            misconceptions=(
                Misconception(
                    "the strongest part decides",
                    "Parts are added. An event of middling rank in all three can beat the best in one.",
                    _gives(max),
                ),
                Misconception(
                    "a score is an average",
                    "The weights are in the parts already, so they are added and not divided again.",
                    _gives(lambda values: sum(values) / len(values)),
                ),
                Misconception(
                    "only three parts exist",
                    "A multiplier is shown as a part of its own. Add whatever parts there are.",
                    _ignores_new_names,
                ),
            ),
            hints=(
                "What do the parts of one hit come to when you set them beside its score?",
                "What would happen to your function if a part with a new name came along?",
                "Which built-in function adds up the values of a dictionary, and what does it give for none?",
            ),
        ),
    ),
)
