"""Commitments: what a student said before the answer was shown, how sure, and how that turned out.

A prediction may be changed until its reveal; the last one before it counts. What comes after is
kept as late and counts for nothing, so the calibration at the end of a segment is honest.

>>> events = [{"segment": "02", "event": "predict", "id": "2.a", "answer": "a", "sure": "sure"},
...           {"segment": "02", "event": "reveal", "id": "2.a", "right": False},
...           {"segment": "02", "event": "predict", "id": "2.a", "answer": "b", "sure": "sure"}]
>>> commitment(events, "02", "2.a")
Commitment(answer='a', sure='sure', revealed=True, right=False)

Left out: what is printed while a student answers (`lesson.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from teachmem.course import words
from teachmem.course.material import Segment


@dataclass(frozen=True, slots=True)
class Commitment:
    """The answer that counts; `right` is None until it was revealed."""

    answer: Any
    sure: str
    revealed: bool = False
    right: bool | None = None


def commitment(events: Iterable[Mapping[str, Any]], segment: str, which: str) -> Commitment | None:
    """Return the commitment that counts for one prediction, or None."""
    found: Commitment | None = None
    for event in events:
        if event["segment"] != segment or event["id"] != which:
            continue
        if event["event"] == "predict" and "answer" in event:
            found = Commitment(event["answer"], str(event.get("sure", "")))
        elif event["event"] == "reveal" and found is not None:
            return Commitment(found.answer, found.sure, True, bool(event.get("right")))
    return found


def review(events: Iterable[Mapping[str, Any]], segment: Segment) -> str:
    """Say how often, and where, the student was sure and wrong; `sure` is asked word by word."""
    events = list(events)
    kept = [(one, commitment(events, segment.number, one.id)) for one in segment.predictions]
    done = [(one, made) for one, made in kept if made is not None and made.revealed]
    if not done:
        return words.REVIEW_NONE.format(number=segment.number)
    lines = [
        words.REVIEW_TOTAL.format(
            number=segment.number,
            answered=len(done),
            all=len(segment.predictions),
            right=sum(bool(made.right) for _, made in done),
        )
    ]
    for sure in (*reversed(words.SURE_WORDS), ""):
        level = [made for _, made in done if made.sure == sure]
        if level:
            right = sum(bool(made.right) for made in level)
            phrase = words.SURE_PHRASES[sure]
            lines.append(words.REVIEW_LEVEL.format(sure=phrase, right=right, answered=len(level)))
    wrong = [f"{one.id} ({one.concept})" for one, made in done if made.sure == "sure" and not made.right]
    lucky = [f"{one.id} ({one.concept})" for one, made in done if made.sure == "guess" and made.right]
    lines.append(
        words.REVIEW_SURE_WRONG.format(which=words.listed(wrong)) if wrong else words.REVIEW_NO_SURE_WRONG
    )
    if lucky:
        lines.append(words.REVIEW_GUESS_RIGHT.format(which=words.listed(lucky)))
    return "\n".join(lines)
