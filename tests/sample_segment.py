"""A segment of one's own, for tests of the engine: it loads little, and its laws are easy to break."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from teachmem.course.material import (
    Exercise,
    Misconception,
    Prediction,
    Segment,
    Who,
    call,
    is_function,
    number,
    on_stage,
    show,
    shown,
)
from teachmem.course.stage import Stage

START = datetime(2026, 3, 2, 7, tzinfo=UTC)


def doubles(function: Any) -> str | None:
    """Twice the number."""
    for given in (0, 1, -3, 2.5):
        called = shown(function, given)
        got = number(call(function, given), called)
        if got != 2 * given:
            return f"{called} gave {show(got)}"
    return None


def is_a_number(value: Any) -> str | None:
    """A plain number above zero."""
    return None if number(value, "your answer") > 0 else f"{show(value)} is not above zero"


@on_stage
def counts_the_events(value: Any, stage: Stage) -> str | None:
    """As many as dock-1 may read at the start."""
    events = stage.tech.episodic.stats()["events"]
    got = call(value)
    return None if got == events else f"{show(got)} events, and dock-1 can read another number of them"


SEGMENT = Segment(
    number="77",
    title="A sample",
    start=START,
    episodes=True,
    notes=True,
    until=START,
    handles={"tech": Who("dock-1"), "lead": Who("shift-lead", person=True)},
    home="sample_segment",
    predictions=(
        Prediction(
            id="77.a",
            question="Which one?",
            choices={"a": "the first", "b": "the second"},
            right="b",
            because="The second stands after the first.",
            concept="order",
        ),
        Prediction(
            id="77.b",
            question="How many?",
            choices=None,
            right=lambda answer: 2 < float(answer) < 4,
            because="Three, more or less.",
            concept="counting",
        ),
    ),
    exercises=(
        Exercise(
            id="77.1",
            title="Double",
            concept="arithmetic",
            expected="a function of a number",
            fits=is_function,
            laws=(doubles,),
            yes="twice the number",
            misconceptions=(
                Misconception(
                    "twice is squared", "They agree at 0 and 2 only.", lambda double: double(-3) == 9
                ),
                Misconception("anything goes", "It does not.", "doubles"),
            ),
            hints=("What is two times two?", "And three times two?", "Which sign is that?"),
        ),
        Exercise(
            id="77.2",
            title="A number",
            concept="arithmetic",
            expected="a number",
            fits=lambda value: isinstance(value, int | float),
            laws=(is_a_number,),
            yes="above zero",
            misconceptions=(),
            hints=("Which?", "Which one?", "Which one of them?"),
        ),
        Exercise(
            id="77.3",
            title="A look at the story",
            concept="reading",
            expected="a function that counts",
            fits=is_function,
            laws=(counts_the_events,),
            yes="as many as there are",
            misconceptions=(),
            hints=("Who reads?", "What do they read?", "How is that counted?"),
        ),
        Exercise(
            id="77.4",
            title="Anything",
            concept="freedom",
            expected="anything",
            fits=lambda value: True,
            laws=(),
            yes="anything will do",
            misconceptions=(),
            hints=("Why?", "Why not?", "What else?"),
        ),
    ),
)
