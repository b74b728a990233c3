"""Where a student stands: what is done and what is open, over all segments.

>>> print(Standing.of([]).rows[0])
segment 00  Start here: 0 of 1 exercises, 0 of 1 predictions

Left out: marks. Nothing here counts how often somebody tried.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from teachmem.course import journal, predictions, segments, words
from teachmem.course.material import Segment


@dataclass(frozen=True, slots=True)
class Row:
    """One segment: which exercises are done and which open, and how many predictions were revealed."""

    segment: Segment
    done: tuple[str, ...]
    tried: tuple[str, ...]
    answered: int

    def __str__(self) -> str:
        segment = self.segment
        line = words.PROGRESS_LINE.format(
            number=segment.number,
            title=segment.title,
            done=len(self.done),
            exercises=len(segment.exercises),
            answered=self.answered,
            predictions=len(segment.predictions),
        )
        return line + (words.PROGRESS_TRIED.format(which=words.listed(self.tried)) if self.tried else "")


@dataclass(frozen=True, slots=True, repr=False)
class Standing:
    """All segments; as text one line each, and the file that holds the record, if one does."""

    rows: tuple[Row, ...]
    file: Path | None = None

    @classmethod
    def of(cls, events: Iterable[Mapping[str, Any]], file: Path | None = None) -> Standing:
        """Read it from a student's events."""
        events = list(events)
        return cls(tuple(_row(segments.find(number), events) for number in segments.numbers()), file)

    def __str__(self) -> str:
        kept = [words.PROGRESS_KEPT.format(file=self.file)] if self.file else []
        return "\n".join([*map(str, self.rows), *kept])

    __repr__ = __str__


def outcomes(events: Iterable[Mapping[str, Any]], segment: Segment) -> dict[str, bool]:
    """Return, for every exercise that was tried, whether it was ever done."""
    found: dict[str, bool] = {}
    known = {exercise.id for exercise in segment.exercises}
    for event in events:
        if (event["segment"], event["event"]) == (segment.number, "check") and event["id"] in known:
            found[event["id"]] = found.get(event["id"], False) or event.get("outcome") == "yes"
    return found


def _row(segment: Segment, events: list[Mapping[str, Any]]) -> Row:
    found = outcomes(events, segment)
    made = [predictions.commitment(events, segment.number, one.id) for one in segment.predictions]
    return Row(
        segment,
        tuple(one.id for one in segment.exercises if found.get(one.id)),
        tuple(one.id for one in segment.exercises if found.get(one.id) is False),
        sum(one is not None for one in made),
    )


def progress() -> Standing:
    """Return what is done in every segment; as the last line of a cell it shows itself."""
    diary = journal.current()
    standing = Standing.of(diary.events(), diary.file)
    for trouble in diary.told():
        print(trouble)
    return standing


def reset_progress(*, confirm: bool = False) -> None:
    """Empty the record of progress, if `confirm=True`; otherwise say what would be deleted."""
    diary = journal.current()
    where = "memory" if diary.folder is None else str(diary.folder)
    if confirm is not True:
        print(words.RESET_ASKS.format(events=len(diary.events()), folder=where))
        return
    try:
        diary.reset()
        print(words.RESET_DONE)
    except OSError as error:
        print(words.RESET_FAILED.format(folder=where, reason=error.strerror or type(error).__name__))
