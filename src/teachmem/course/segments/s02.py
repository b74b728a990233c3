"""Segment 02, Episodic memory: recency, importance, relevance, and the weighted sum."""

from __future__ import annotations

from datetime import UTC, datetime

from teachmem.course.material import Prediction, Segment
from teachmem.course.segments import s02_blend, s02_recency, s02_weights, s02_why_not

SEGMENT = Segment(
    number="02",
    title="Episodic memory",
    start=datetime(2026, 3, 15, 12, tzinfo=UTC),
    episodes=True,
    predictions=(
        Prediction(
            id="2.a",
            question='You ask for "gripper slipped at station four". Which event comes first?',
            choices={
                "a": "the exact match from two days ago",
                "b": "the lunch menu from one minute ago",
                "c": "neither: they tie",
            },
            right="b",
            because="Recency and importance together outweigh relevance: the menu is new and was marked 0.8.",
            concept="weights",
        ),
        Prediction(
            id="2.b",
            question="The half-life goes from one day to ten days, the weights stay. Which event comes first now?",
            choices={
                "a": "the exact match: two days are little in ten",
                "b": "the lunch menu: it is still the newest",
                "c": "the oldest event: nothing fades any more",
            },
            right="a",
            because="The match keeps 0.87 of its recency and not 0.25; the menu gains nothing, it was at 1 before.",
            concept="half-life",
        ),
        Prediction(
            id="2.c",
            question="You ask in Japanese, and the event is there in Japanese. Suppose a search knows only words made of a to z and digits. What happens?",
            choices={
                "a": "it is found a little later in the ranking",
                "b": "an error says that the script is not known",
                "c": "its relevance is 0, and no error is raised",
            },
            right="c",
            because="Text without a letter from a to z has no words at all, so nothing matches and nothing complains.",
            concept="relevance",
        ),
    ),
    exercises=(s02_recency.EXERCISE, s02_blend.EXERCISE, s02_weights.EXERCISE, s02_why_not.EXERCISE),
)
