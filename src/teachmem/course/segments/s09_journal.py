"""A homework journal to look at in segment 09: one that was written as it came, and one that was not."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from teachmem.course import codes, linked
from teachmem.course.journal import NAME, Journal

STUDENT, NAMED = "7K3M9Q2W", "student 7"
DAY = date(2026, 3, 15)


class _Minutes:
    """A clock that goes on by a minute at each look."""

    now = datetime(2026, 3, 15, 10, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.now += timedelta(minutes=1)
        return self.now


def a_journal(folder: Path) -> Path:
    """Write a journal in which one prediction came when its output had been shown; return its file."""
    diary = Journal(folder, _Minutes(), STUDENT)
    diary.add("09", "predict", "9.a", answer="c", sure="sure")
    diary.add("09", "reveal", "9.a", right=True)
    diary.add("09", "shown", "9.b")
    diary.add("09", "predict", "9.b", answer="c", sure="sure")
    diary.add("09", "reveal", "9.b", right=True)
    diary.add("09", "check", "9.1", outcome="not yet", misconception="silence is a pass")
    diary.add("09", "check", "9.1", outcome="yes")
    diary.add("", "hand-in", "journal", name=NAMED)
    return folder / NAME


def code_of(file: Path) -> codes.Kept:
    """Return the code of a journal's last entry, as an instructor holds it."""
    walk = linked.walk(file.read_bytes())
    return codes.Kept(DAY, NAMED, codes.read_aloud(codes.code_of(walk.student, walk.entries[-1])))


def write_anew(file: Path) -> None:
    """Write the whole chain anew without the line that says what had been shown; every hash fits."""
    last: linked.Entry | None = None
    lines = []
    for one in linked.walk(file.read_bytes()).entries:
        if one.event["event"] != "shown":
            last = linked.entry(last, one.event)
            lines.append(last.line + b"\n")
    file.write_bytes(b"".join(lines))
