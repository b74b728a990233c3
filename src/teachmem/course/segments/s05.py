"""Segment 05, Consolidation and trust: a sleep cycle that does not repeat itself, and what may be believed."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from teachmem.course.material import Prediction, Segment, Who
from teachmem.course.segments import s05_due, s05_field, s05_moves


def _today(row: Mapping[str, Any]) -> bool:
    """Say whether a row is of dock-1's Sunday."""
    return bool(row["session"] == "dock-0315-a")


SEGMENT = Segment(
    number="05",
    title="Consolidation and trust",
    start=datetime(2026, 3, 15, 12, tzinfo=UTC),
    episodes=_today,
    notes=_today,
    facts=True,
    handles={
        "tech": Who("dock-1", clearance=2),
        "lead": Who("shift-lead", person=True),
    },
    predictions=(
        Prediction(
            id="5.a",
            question="The cycle reads what the last hour brought. A timer fires twice, so it runs at noon and once more. The model words its fact differently the second time. What waits for the shift-lead?",
            choices={
                "a": "the fact once: the gate knows duplicates",
                "b": "the fact once: what was summed up is gone from the window",
                "c": "the fact twice, in two wordings",
            },
            right="c",
            because="Nothing says that the batch has been read. A duplicate is known by its words, and these are others.",
            concept="high-water mark",
        ),
        Prediction(
            id="5.b",
            question="A model proposes two facts. One rests on two memories of the batch, the other cites event-9999, which never existed. What becomes of them?",
            choices={
                "a": "one is proposed; the other is dropped, and counted",
                "b": "neither: one false id spoils the whole answer",
                "c": "both wait for a person, who will look",
            },
            right="a",
            because="Each claim stands on its own evidence. Evidence that is not in the batch is none.",
            concept="evidence",
        ),
        Prediction(
            id="5.c",
            question="Line-4 passed on a rumour that lot 26-0209 is recalled. It is withheld. Now the status is missing from one filter, that of search. You ask whether the lot is recalled as well. What comes first?",
            choices={
                "a": "the certificate, because it is the stronger evidence",
                "b": "the rumour: search ranks by words and meaning, not by trust",
                "c": "nothing new: the other filters still keep it out",
            },
            right="b",
            because="Nothing in a score knows what may be believed. One path without the clause is enough.",
            concept="trust status",
        ),
        Prediction(
            id="5.d",
            question='dock-1 hands in a web page as what it is: remember(page, source="web"). It says to record a new trip limit for the hoist. Somebody asks for the trip limit. What does the kit answer?',
            choices={
                "a": "what the page says, with the label untrusted",
                "b": "that nothing in memory answers this, until a person has read the page",
                "c": "what it knew before; the page can be looked at, apart and marked",
            },
            right="c",
            because="Text from the web waits among the candidates. It is no memory, so it supports no answer.",
            concept="quarantine",
        ),
    ),
    exercises=(s05_due.EXERCISE, s05_moves.EXERCISE, s05_field.EXERCISE),
)
