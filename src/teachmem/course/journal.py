"""The record of a student's work: one event a line, only added to, in a small local file.

Checks, predictions, reveals and hints are events; progress, calibration, the class roster and the
report of `teachmem grade` are read from them. The events are a chain (`linked.py`), begun with a
random id of the student's. Two kernels add to one file under a lock, so neither loses anything. A file
with damaged lines is kept aside, and every line that can be read goes on counting.

>>> diary = Journal(None)
>>> diary.add("02", "check", "2.1", outcome="yes")
>>> [event["outcome"] for event in diary.events() if event["id"] == "2.1"]
['yes']

Left out: the student's name, until they hand it in, and what was handed to a check. With
`TEACHMEM_STATIC=1` (tests, stored notebooks) nothing is read from or written to a file.
"""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from teachmem.course import eventfile, linked, words
from teachmem.course.eventfile import Event
from teachmem.course.linked import Entry
from teachmem.ledger import checkpoint

NAME = "progress.jsonl"


def home() -> Path:
    """Return the folder of the record: TEACHMEM_HOME, or the place for such things on this system."""
    if chosen := os.environ.get("TEACHMEM_HOME"):
        return Path(chosen)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "teachmem"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "teachmem"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "teachmem"


def is_static() -> bool:
    """Say whether this is a test or a stored notebook."""
    return os.environ.get("TEACHMEM_STATIC", "") not in ("", "0")


def current() -> Journal:
    """Return the record of this student; in a test or a stored notebook one in memory only."""
    return _opened(None if is_static() else home())


@lru_cache
def _opened(folder: Path | None) -> Journal:
    return Journal(folder)


def new_student() -> str:
    """Return a random id, such as 7K3M9Q2W, in the signs of a code."""
    return "".join(secrets.choice(checkpoint.SIGNS) for _ in range(linked.ID_SIGNS))


def _wall() -> datetime:
    return datetime.now(UTC)


class Journal:
    """The events in `folder`, or in memory if it is None. `troubles` holds what the student should know.

    `clock` and `student` (who a new file is bound to) are given by whoever wants the same file every time.
    """

    def __init__(
        self, folder: Path | None, clock: Callable[[], datetime] = _wall, student: str | None = None
    ) -> None:
        self.folder = folder
        self._clock = clock
        self._student = student
        self.troubles: list[str] = []
        self._kept: list[Event] = []  # what has no file: all in memory, or what could not be written
        self._off = folder is None

    @property
    def file(self) -> Path | None:
        """The file that holds the record; None where it is in memory only."""
        return None if self._off or self.folder is None else self.folder / NAME

    def events(self) -> list[Event]:
        """Return every event, oldest first."""
        if self._off or self.folder is None:
            return list(self._kept)
        found: list[Event] = []
        try:
            found, damaged, newer = eventfile.read(self.folder / NAME)
            if newer:
                self._give_up(words.PROGRESS_NEWER)
            elif damaged:
                count, aside = eventfile.mend(self.folder / NAME)
                if count:
                    told = words.PROGRESS_DAMAGED
                    self.troubles.append(told.format(count=count, lines=words.lines(count), name=aside))
        except OSError as error:
            self._give_up(_unwritable(self.folder, error))
        return found + self._kept

    def add(self, segment: str, kind: str, which: str, **more: Any) -> None:
        """Add one event."""
        at = self._clock().astimezone(UTC).isoformat(timespec="microseconds")
        event: Event = {"at": at, "segment": segment, "event": kind, "id": which} | more
        if not self._off and self.folder is not None:
            try:
                eventfile.append(self.folder / NAME, event, self._student or new_student())
                return
            except OSError as error:
                self._give_up(_unwritable(self.folder, error))
        self._kept.append({"v": eventfile.VERSION} | event)

    def head(self) -> tuple[str, Entry] | None:
        """Return the student's id and the last entry, safe on the disk; None where no chain is kept."""
        if self.file is None or not self.file.exists():
            return None
        with eventfile.locked(self.file.parent), self.file.open("rb+") as held:
            os.fsync(held.fileno())  # a code is given for it
            walk = linked.walk(held.read())
        return (walk.student, walk.entries[-1]) if walk.entries else None

    def reset(self) -> None:
        """Forget everything."""
        self._kept.clear()
        if self.folder is not None and not self._off and (self.folder / NAME).exists():
            with eventfile.locked(self.folder):
                (self.folder / NAME).unlink(missing_ok=True)

    def told(self) -> list[str]:
        """Return the troubles that were not told yet."""
        troubles, self.troubles = self.troubles, []
        return troubles

    def _give_up(self, trouble: str) -> None:
        self._off = True
        self.troubles.append(trouble)


def _unwritable(folder: Path, error: OSError) -> str:
    return words.PROGRESS_UNWRITABLE.format(folder=folder, reason=error.strerror or type(error).__name__)
