"""Segment 04, Procedural memory and the pipeline: labels, nine nodes, skills, and tools over MCP."""

from __future__ import annotations

from datetime import UTC, datetime

from teachmem.course.material import Prediction, Segment, Who
from teachmem.course.segments import s04_ask, s04_find, s04_node, s04_skill

RUMOUR = "fa-043"  # a driver told dock-2 so; the catalogue says otherwise

SEGMENT = Segment(
    number="04",
    title="Procedural memory and the pipeline",
    start=datetime(2026, 3, 15, 12, tzinfo=UTC),
    facts=lambda row: row["contradicts"] is None or row["id"] == RUMOUR,
    episodes=lambda row: row["fleet"] == "dock",
    notes=lambda row: row["fleet"] == "dock",
    handles={"tech": Who("dock-1"), "lead": Who("shift-lead", person=True)},
    predictions=(
        Prediction(
            id="4.a",
            question="A web page says that all carriers carry 300 kg. Nobody has read it yet. Where does it stand in a context whose lines are labelled?",
            choices={
                "a": "first, because it is the newest",
                "b": "nowhere: it waits for a person, and what waits is shown to nobody",
                "c": "last, behind a warning",
            },
            right="c",
            because="It may be why somebody asks. So it is shown, as what it is, and no answer may cite it.",
            concept="quarantine",
        ),
        Prediction(
            id="4.b",
            question="You ask one question six times, and every answer is logged as an event. How many of the eight places for events do answers of your own take when you ask a seventh time?",
            choices={
                "a": "none",
                "b": "one: the same answer is logged once",
                "c": "six",
            },
            right="a",
            because="Logged once, and left out when events are recalled: an answer says again what its evidence says.",
            concept="pipeline",
        ),
        Prediction(
            id="4.c",
            question="A client lists every tool of the memory before it asks anything. What do the descriptions cost, beside a context of 1,500 tokens?",
            choices={
                "a": "about a tenth of that: a tool is a name and a line",
                "b": "several times that",
                "c": "about as much",
            },
            right="b",
            because="A model is sent every argument of every tool with its type, whether or not it calls the tool.",
            concept="progressive loading",
        ),
    ),
    exercises=(s04_node.EXERCISE, s04_skill.EXERCISE, s04_find.EXERCISE, s04_ask.EXERCISE),
)
