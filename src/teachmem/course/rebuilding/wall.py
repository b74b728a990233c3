"""Whose code runs in which module, read from a student's record: the newest run of the best that they had.

>>> print(wall_of([]).bricks[0].runs)
the package's

Left out: the code itself. The record holds a digest of it, by which one sees whether it is the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from teachmem.course import journal
from teachmem.course.rebuilding import contracts
from teachmem.show.wall import LAWFUL, OURS, YOURS, Brick, Wall

PARTS = ("laws", "notebooks", "marks")
_RANKS = {"yes": 2, "laws": 1}  # an outcome; any other is 0


def wall() -> Wall:
    """Return the wall of this student; as the last line of a cell it shows itself."""
    diary = journal.current()
    found = wall_of(diary.events())
    for trouble in diary.told():
        print(trouble)
    return found


def wall_of(events: Iterable[Mapping[str, Any]]) -> Wall:
    """Return the wall that a student's events tell of."""
    best: dict[str, Mapping[str, Any]] = {}
    for event in events:
        if event["event"] == "rebuild" and _rank(event) >= _rank(best.get(event["id"], {})):
            best[event["id"]] = event
    return Wall(tuple(_brick(name, best.get(name, {})) for name in contracts.MODULES))


def _rank(event: Mapping[str, Any]) -> int:
    return _RANKS.get(str(event.get("outcome")), 0)


def _brick(name: str, event: Mapping[str, Any]) -> Brick:
    since = str(event.get("at", ""))[:10]
    if not _rank(event):
        broken = (
            f"yours broke the law: {str(event['broken']).replace('_', ' ')}" if event.get("broken") else ""
        )
        return Brick(name, OURS, since=since, passed=broken)
    counts = [(part, event[part]) for part in PARTS if isinstance(event.get(part), list)]
    passed = ", ".join(f"{held} of {every} {part}" for part, (held, every) in counts)
    names = ", ".join(map(str, event.get("names") or ())) if event.get("part") else ""
    return Brick(name, YOURS if _rank(event) == 2 else LAWFUL, names, since, passed)
