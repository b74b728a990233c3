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

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from teachmem.course import words

VERSION = 1
NAME = "progress.jsonl"
KINDS = ("check", "predict", "reveal", "hint")

Event = dict[str, Any]


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
            found, damaged, newer = read(self.folder / NAME)
            if newer:
                self._give_up(words.PROGRESS_NEWER)
            elif damaged:
                self._mend(self.folder)
        except OSError as error:
            self._give_up(_unwritable(self.folder, error))
        return found + self._kept

    def add(self, segment: str, kind: str, which: str, **more: Any) -> None:
        """Add one event."""
        event = {"v": VERSION, "at": datetime.now(UTC).isoformat(timespec="seconds")}
        event |= {"segment": segment, "event": kind, "id": which} | more
        if not self._off and self.folder is not None:
            try:
                self.folder.mkdir(parents=True, exist_ok=True)
                with _locked(self.folder):
                    _append(self.folder / NAME, event)
                return
            except OSError as error:
                self._give_up(_unwritable(self.folder, error))
        self._kept.append(event)

    def reset(self) -> None:
        """Forget everything."""
        self._kept.clear()
        if self.folder is not None and not self._off and (self.folder / NAME).exists():
            with _locked(self.folder):
                (self.folder / NAME).unlink(missing_ok=True)

    def told(self) -> list[str]:
        """Return the troubles that were not told yet."""
        troubles, self.troubles = self.troubles, []
        return troubles

    def _give_up(self, trouble: str) -> None:
        self._off = True
        self.troubles.append(trouble)

    def _mend(self, folder: Path) -> None:
        """Keep the damaged file under another name and go on with its good lines."""
        file = folder / NAME
        with _locked(folder):
            found, damaged, _ = read(file)
            if not damaged:  # another kernel was quicker
                return
            number = 1
            while (aside := folder / f"progress-damaged-{number}.jsonl").exists():
                number += 1
            fresh = folder / (NAME + ".new")
            fresh.write_text("".join(_line(event) for event in found), encoding="utf-8", newline="\n")
            aside.write_bytes(file.read_bytes())
            fresh.replace(file)
        self.troubles.append(
            words.PROGRESS_DAMAGED.format(count=damaged, lines=words.lines(damaged), name=aside.name)
        )


def read(file: Path) -> tuple[list[Event], int, bool]:
    """Return a file's events, how many lines are damaged, and whether a newer teachmem wrote it."""
    try:
        text = file.read_bytes().decode("utf-8", errors="replace")
    except FileNotFoundError:
        return [], 0, False
    found: list[Event] = []
    damaged = 0
    for line in text.splitlines():
        event = _parsed(line)
        if event is None:
            damaged += bool(line.strip())
        elif event["v"] > VERSION:
            return [], 0, True
        else:
            found.append(event)
    return found, damaged, False


def _parsed(line: str) -> Event | None:
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(event, dict) or type(event.get("v")) is not int:
        return None
    if event["v"] > VERSION:
        return event
    texts = all(isinstance(event.get(key), str) for key in ("at", "segment", "event", "id"))
    return event if texts and event["event"] in KINDS else None


def _line(event: Event) -> str:
    return json.dumps(event, sort_keys=True) + "\n"


def _append(file: Path, event: Event) -> None:
    with file.open("a+b") as pipe:
        pipe.seek(0, os.SEEK_END)
        if pipe.tell():  # after a torn line, start a new one
            pipe.seek(-1, os.SEEK_END)
            torn = pipe.read(1) != b"\n"
        else:
            torn = False
        pipe.write(("\n" if torn else "").encode() + _line(event).encode())


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold the folder's lock, which every kernel of this student takes to write."""
    with (folder / "progress.lock").open("a+b") as lock:
        if sys.platform == "win32":
            import msvcrt

            lock.seek(0)
            msvcrt.locking(lock.fileno(), msvcrt.LK_LOCK, 1)
            try:
                yield
            finally:
                lock.seek(0)
                msvcrt.locking(lock.fileno(), msvcrt.LK_UNLCK, 1)
        else:
            import fcntl

            fcntl.flock(lock, fcntl.LOCK_EX)  # given back when the file closes
            yield


def _unwritable(folder: Path, error: OSError) -> str:
    return words.PROGRESS_UNWRITABLE.format(folder=folder, reason=error.strerror or type(error).__name__)
