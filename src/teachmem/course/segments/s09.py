"""Segment 09, Negative evaluation and the capstone: tests that can fail, foils, and a kit of one's own."""

from __future__ import annotations

from datetime import UTC, datetime

from teachmem.course.material import Prediction, Segment, Who
from teachmem.course.segments import s09_foils, s09_mend, s09_own, s09_probe

SEGMENT = Segment(
    number="09",
    title="Negative evaluation and the capstone",
    start=datetime(2026, 3, 15, 12, tzinfo=UTC),
    handles={"tech": Who("dock-1"), "lead": Who("shift-lead", person=True)},
    predictions=(
        Prediction(
            id="9.a",
            question="The suite has three tests, and all are green. Now it is run on a memory into which nothing was ever plugged: it takes every call and keeps nothing. How many of the three fail?",
            choices={
                "a": "all three",
                "b": "one: the test that deletes finds nothing to delete",
                "c": "none",
            },
            right="c",
            because="Each of them asks that something is not there. Where nothing is, nothing is there.",
            concept="positive control",
        ),
        Prediction(
            id="9.b",
            question="A probe asks whether a colleague finds a private memory. Its control: the colleague finds what was written for everybody. The memory refuses every write. What does the probe say?",
            choices={
                "a": "holds: the colleague found nothing",
                "b": "could not run",
                "c": "fails: a memory that refuses everything is no memory",
            },
            right="b",
            because="The control did not come about, so nothing was asked. Neither praise nor blame follows from that.",
            concept="positive control",
        ),
        Prediction(
            id="9.c",
            question="A student takes out of their homework journal what made a prediction a late one, and writes the whole chain anew, so that every hash fits. You hold no code of it. What does teachmem grade say?",
            choices={
                "a": "consistent, not proven",
                "b": "broken: a line is missing",
                "c": "proven, for every hash fits",
            },
            right="a",
            because="What is left is a whole chain. It proves that it hangs together; that it is history, only a code that somebody held can prove.",
            concept="short code",
        ),
    ),
    exercises=(s09_mend.EXERCISE, s09_probe.EXERCISE, s09_foils.EXERCISE, s09_own.EXERCISE),
)
