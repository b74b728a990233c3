"""Segment 03, Semantic memory and graph: words and meaning, fused and measured; neighbours in a graph."""

from __future__ import annotations

from datetime import UTC, datetime

from teachmem.course.material import Prediction, Segment, Who
from teachmem.course.segments import s03_fuse, s03_graph, s03_recall

SEGMENT = Segment(
    number="03",
    title="Semantic memory and graph",
    start=datetime(2026, 3, 15, 12, tzinfo=UTC),
    facts=lambda row: row["contradicts"] is None,  # what contradicts what is the matter of 05
    handles={"tech": Who("dock-1", clearance=2)},
    predictions=(
        Prediction(
            id="3.a",
            question="You search by meaning for the part number HX-2270. One fact speaks of it. Which comes first?",
            choices={
                "a": "that fact: no other one holds this number",
                "b": "a fact about HX-2207, which is another part",
                "c": "none: a number has no meaning, so all of them score 0",
            },
            right="b",
            because="Both numbers consist of the same tokens, and an average does not know their order.",
            concept="embedding",
        ),
        Prediction(
            id="3.b",
            question="For HX-2270 the right fact leads the words by far and is fourth by meaning. Both lists are fused by rank, each place worth 1 / (60 + rank). Which fact comes first?",
            choices={
                "a": "the right one, because it leads by far",
                "b": "whichever is newer: the sums are equal",
                "c": "one that is third in one list and first in the other",
            },
            right="c",
            because="By how much a fact leads is thrown away: 1/61 + 1/64 is less than 1/63 + 1/61.",
            concept="reciprocal rank fusion",
        ),
        Prediction(
            id="3.c",
            question="Two processes have one store open, and the second has searched, so its index is built. Now the first remembers a fact. What does the second find in its next search?",
            choices={
                "a": "the new fact too",
                "b": "only the old ones, until somebody calls reindex()",
                "c": "nothing: the file is locked while the first has it open",
            },
            right="a",
            because="Before it answers, an index reads in the audit log what has changed since it last looked.",
            concept="index",
        ),
    ),
    exercises=(s03_recall.EXERCISE, s03_fuse.EXERCISE, s03_graph.EXERCISE),
)
