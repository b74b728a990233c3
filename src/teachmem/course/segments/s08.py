"""Segment 08, The audit chain: what a log proves, what it does not, and a verifier of one's own."""

from __future__ import annotations

from datetime import UTC, datetime

from teachmem.course.material import Prediction, Segment, Who
from teachmem.course.segments import s08_file, s08_sight, s08_verify

SEGMENT = Segment(
    number="08",
    title="The audit chain",
    start=datetime(2026, 3, 15, 12, tzinfo=UTC),
    handles={"tech": Who("dock-1"), "lead": Who("shift-lead", person=True)},
    predictions=(
        Prediction(
            id="8.a",
            question="Somebody changes the name in entry 3 of a copy of the log, and makes the hash of entry 3 fit. The log has six entries. What does a verification say first?",
            choices={
                "a": "entry 3 is wrong",
                "b": "entry 4 is wrong",
                "c": "nothing: every hash is that of its bytes",
            },
            right="b",
            because="Entry 3 is in order now. Entry 4 still names the hash that entry 3 had before.",
            concept="hash chain",
        ),
        Prediction(
            id="8.b",
            question="Now everything from entry 4 on is taken out, the head is set back, and the memories go too. You have the file alone. What does a verification say?",
            choices={
                "a": "broken: the hashes of three entries are missing, and a chain shows every gap",
                "b": "partial",
                "c": "complete",
            },
            right="c",
            because="What is left is a whole chain of three entries. Nothing in the file says that there were ever six.",
            concept="checkpoint",
        ),
        Prediction(
            id="8.c",
            question="A write goes past the log: the memory is kept, no entry is made. What does a verification of the chain alone say?",
            choices={
                "a": "complete",
                "b": "broken at the entry that is missing",
                "c": "partial",
            },
            right="a",
            because="The chain is whole. It proves what is in it, and nothing about what never reached it.",
            concept="tamper-evident",
        ),
    ),
    exercises=(s08_verify.EXERCISE, s08_sight.EXERCISE, s08_file.EXERCISE),
)
