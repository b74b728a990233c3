"""Segment 06, Tombstones and review: what a person rejects stays out of every door, and who decides."""

from __future__ import annotations

from datetime import UTC, datetime

from teachmem.course.material import Prediction, Segment, Who
from teachmem.course.segments import s06_act, s06_print, s06_walk

OF_THE_DOOR = ("fa-041", "fa-136")  # the two decisions about the code of the side door

SEGMENT = Segment(
    number="06",
    title="Tombstones and review",
    start=datetime(2026, 3, 15, 12, tzinfo=UTC),
    facts=lambda row: row["id"] in OF_THE_DOOR,
    handles={
        "tech": Who("dock-1"),
        "lead": Who("shift-lead", person=True),
        "officer": Who("data-officer", fleet="lab", person=True, clearance=3),
    },
    predictions=(
        Prediction(
            id="6.a",
            question="The shift-lead rejects the code. Then the data-officer imports last night's export, whose manifest verifies. The import was written before there were tombstones. What is in memory?",
            choices={
                "a": "no code: the fact was withdrawn, and what is withdrawn cannot be imported",
                "b": "the code, beside the tombstone that rejects it",
                "c": "the code, and its tombstone is gone",
            },
            right="b",
            because="The import puts rows back as they were and asks nobody. The tombstone stands beside them, and does nothing.",
            concept="tombstone",
        ),
        Prediction(
            id="6.b",
            question='A fingerprint keeps the letters a to z and the digits. Somebody rejects 請等一下 ("please wait"). Then an agent writes 電壓過高 ("voltage too high"). What happens?',
            choices={
                "a": "it is refused",
                "b": "it is accepted: nobody has rejected it",
                "c": "it is accepted, and so is 請等一下, because such a text has no fingerprint at all",
            },
            right="a",
            because="Of both texts nothing is left. They have one fingerprint, that of the empty text, and it was rejected.",
            concept="normal form",
        ),
        Prediction(
            id="6.c",
            question="The skill is rejected. The next night the loop finds the same events, and the model puts the skill into other words. Rejected skills are known by their words. What then?",
            choices={
                "a": "nothing: the loop has seen these events before",
                "b": "the gate finds that it is nearly the rejected one, and refuses it",
                "c": "it waits for the shift-lead again",
            },
            right="c",
            because="Other words are another text. What stays the same is the evidence, and nobody looked at that.",
            concept="tombstone",
        ),
        Prediction(
            id="6.d",
            question="The shift-lead rejects the skill for good. In this store a rejection counts for 30 days. A month later, what does she find?",
            choices={
                "a": "the skill in her inbox, as if it had never been there",
                "b": "the skill in her inbox, with the old rejection beside it",
                "c": "a line in the inbox that says that the rejection has ended",
            },
            right="a",
            because="It was a moratorium in disguise. Its end is written nowhere, so nobody can be told of it.",
            concept="moratorium",
        ),
    ),
    exercises=(s06_print.EXERCISE, s06_walk.EXERCISE, s06_act.EXERCISE),
)
