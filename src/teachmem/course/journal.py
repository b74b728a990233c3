"""The record of a student's work: one event a line, only added to, in a small local file.

Checks, predictions, reveals and hints are events; progress, calibration and the class roster are
read from them. Two kernels add to one file under a lock, so neither loses anything. A file with
damaged lines is kept aside, and every line that can be read goes on counting.

>>> diary = Journal(None)
>>> diary.add("02", "check", "2.1", outcome="yes")
>>> [event["outcome"] for event in diary.events() if event["id"] == "2.1"]
['yes']

Left out: who the student is, and what was handed to a check. With `TEACHMEM_STATIC=1` (tests, stored
notebooks) nothing is read from or written to a file.
"""

from __future__ import annotations

import os
import sys
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from teachmem.course import eventfile, words
from teachmem.course.eventfile import Event

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


class Journal:
    """The events in `folder`, or in memory if it is None. `troubles` holds what the student should know."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder
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
        now = datetime.now(UTC).isoformat(timespec="seconds")
        event: Event = {"v": eventfile.VERSION, "at": now, "segment": segment, "event": kind, "id": which}
        event |= more
        if not self._off and self.folder is not None:
            try:
                eventfile.append(self.folder / NAME, event)
                return
            except OSError as error:
                self._give_up(_unwritable(self.folder, error))
        self._kept.append(event)

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
