"""Segment 07, Time and scope: what held and what was known; one clause for every read."""

from __future__ import annotations

from datetime import UTC, datetime

from teachmem.course.material import Prediction, Segment, Who
from teachmem.course.segments import s07_as_of, s07_scope

SEGMENT = Segment(
    number="07",
    title="Time and scope",
    start=datetime(2026, 3, 15, 12, tzinfo=UTC),
    facts=lambda row: row["id"] in ("fa-001", "fa-063", "fa-064", "fa-130", "fa-155", "fa-156"),
    handles={
        "tech": Who("dock-1"),
        "mate": Who("dock-2"),
        "far": Who("line-3", fleet="line"),
        "officer": Who("data-officer", person=True, clearance=3),
    },
    predictions=(
        Prediction(
            id="7.a",
            question="On 13 March the roster is corrected: the night-lead has run bay two since the 7th. You ask now who ran bay two on the 8th, and then again with known_at=12 March. What are the two answers?",
            choices={
                "a": "the night-lead, both times: the 8th is over, and now one knows better",
                "b": "the night-lead, then the day-lead: on the 12th that was what the ledger held",
                "c": "the day-lead, both times: what was written on the 8th cannot change any more",
            },
            right="b",
            because="at asks about the world, known_at about the ledger. A correction changes what is known from its own day on.",
            concept="known time",
        ),
        Prediction(
            id="7.b",
            question="A memory was written for the whole fleet. Later somebody makes it private. May a colleague still read it with known_at before that day?",
            choices={
                "a": "yes: at that time it was the fleet's",
                "b": "no: who may see is judged by the newest version and by today",
                "c": "only with clearance 2",
            },
            right="b",
            because="Looking back does not undo governance. Otherwise every secret would be one date away.",
            concept="scope",
        ),
        Prediction(
            id="7.c",
            question="The clause is right, and the graph has its own copy of an older filter. dock-1 has one private triple. Which reads of dock-2 show it?",
            choices={
                "a": "none: the clause is right",
                "b": "all: they share the table",
                "c": "the graph alone",
            },
            right="c",
            because="A filter that was copied is not mended with the original. The path that nobody looked at leaks.",
            concept="admissible clause",
        ),
    ),
    exercises=(s07_as_of.AS_OF, s07_as_of.CORRECT, s07_scope.CLAUSE, s07_scope.LEAKS),
)
