"""Segment 01, Working memory: packing notes into a budget, verbatim first."""

from __future__ import annotations

from datetime import UTC, datetime

from teachmem.course.material import Prediction, Segment
from teachmem.course.segments import s01_line, s01_pack, s01_replace

SEGMENT = Segment(
    number="01",
    title="Working memory",
    start=datetime(2026, 3, 15, 12, tzinfo=UTC),
    notes=True,
    predictions=(
        Prediction(
            id="1.a",
            question="A shortener keeps the first three quarters of the words. What does the next reader see?",
            choices={
                "a": "the whole warning, because the end of a note is its point",
                "b": "a shorter note that still says not to restart the arm",
                "c": "everything about the arm except that it must not be restarted",
            },
            right="c",
            because="The warning is at the end, where speech puts it, and the last quarter is what goes.",
            concept="verbatim",
        ),
        Prediction(
            id="1.b",
            question="The newest of the morning's notes is longer than the whole budget. The kit's own context() is called. What is in it?",
            choices={
                "a": "the beginning of the long note, cut where the budget ends",
                "b": "the other notes, as many as fit",
                "c": "nothing: the first note does not fit, so packing is over",
            },
            right="b",
            because="What does not fit is skipped, with the reason, and the next note is tried.",
            concept="packing",
        ),
        Prediction(
            id="1.c",
            question="A model enriched 'pad wear seen on gripper of NL-0003'. What does its text say that nobody saw?",
            choices={
                "a": "a cause, somebody to blame and a date",
                "b": "the same in better English",
                "c": "the same with the part's number added",
            },
            right="a",
            because="Asked for implications, a model supplies some. They read like an observation.",
            concept="verbatim",
        ),
    ),
    exercises=(s01_pack.EXERCISE, s01_line.EXERCISE, s01_replace.EXERCISE),
)
