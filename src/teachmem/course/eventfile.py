"""A file of events, one JSON object a line, that is only added to, by several kernels at once.

Each new line follows the one before in a chain (`linked.py`); the first one begins it. A line that a
crash cut short harms no other line: the next one follows the last whole one. Whoever writes holds the
folder's lock. `mend` keeps a damaged file aside under another name and goes on with the lines that can
be read, each as it is: it makes no forged line right.

>>> from tempfile import TemporaryDirectory
>>> with TemporaryDirectory() as folder:
...     file = Path(folder) / "progress.jsonl"
...     one = append(file, {"segment": "02", "event": "hint", "id": "2.1"}, "7K3M9Q2W")
...     torn = file.write_bytes(file.read_bytes() + b'{"v": 2, "ev')
...     found, damaged, newer = read(file)
>>> [event["event"] for event in found], damaged, newer
(['hint'], 1, False)

Left out: what events mean (`journal.py`).
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from teachmem import private
from teachmem.course import linked, words
from teachmem.course.linked import VERSION, Entry, Event

KINDS = linked.KINDS_OF_1  # what a line without a chain may be

__all__ = ["KINDS", "VERSION", "Event", "append", "last", "locked", "mend", "opened", "read"]


def read(file: Path) -> tuple[list[Event], int, bool]:
    """Return a file's events, how many lines are damaged, and whether a newer teachmem wrote it.

    The line that begins the chain is no event. Nothing is said about the chain here: a lesson goes on
    with an edited record.
    """
    try:
        with opened(file) as pipe:
            lines = linked.lines(pipe.read())
    except FileNotFoundError:
        return [], 0, False
    found: list[Event] = []
    damaged = 0
    for line in lines:
        one = linked.parsed(line)
        if one is None:
            damaged += bool(line.strip())
        elif isinstance(one, Entry):
            found += [one.event] if one.event["event"] != linked.BEGIN else []
        elif one["v"] > VERSION:
            return [], 0, True
        else:
            found.append(one)
    return found, damaged, False


def opened(file: Path) -> BinaryIO:
    """Open a file to read; raise `OSError` for what never ends, as a pipe that was handed in."""
    if file.exists() and not file.is_file() and not file.is_dir():
        raise OSError(errno.EINVAL, words.GRADE_NO_FILE)
    return file.open("rb")


def append(file: Path, event: Mapping[str, Any], student: str) -> Entry:
    """Add one event and return its entry; the folder is made if it is not there.

    A file without a chain gets the beginning of one first, which binds it to `student`.
    """
    private.make_folder(file.parent)
    with locked(file.parent), os.fdopen(private.open_file(file), "a+b") as pipe:
        pipe.seek(0)
        data = pipe.read()
        before = last(data)
        lines = b"" if not data or data.endswith(b"\n") else b"\n"  # after a torn line, start a new one
        if before is None:
            before = linked.entry(None, _beginning(data, student) | {"at": event.get("at", "")})
            lines += before.line + b"\n"
        one = linked.entry(before, event)
        pipe.write(lines + one.line + b"\n")
    return one


def last(data: bytes) -> Entry | None:
    """Return the last entry of the chain in a file's bytes, None where there is no chain yet."""
    for line in reversed(linked.lines(data)):
        one = linked.parsed(line)
        if isinstance(one, Entry):
            return one
    return None


def mend(file: Path) -> tuple[int, str]:
    """Keep a damaged file aside; return how many lines were damaged and the name it is kept under."""
    with locked(file.parent):
        lines = [line for line in linked.lines(file.read_bytes()) if line.strip()]
        whole = [line for line in lines if linked.parsed(line) is not None]
        damaged = len(lines) - len(whole)
        if not damaged:  # another kernel was quicker
            return 0, ""
        number = 1
        while (aside := file.with_name(f"{file.stem}-damaged-{number}{file.suffix}")).exists():
            number += 1
        private.write(aside, file.read_bytes())
        private.write(file, b"".join(line + b"\n" for line in whole))
    return damaged, aside.name


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the folder's lock, which every kernel of this student takes to write."""
    with os.fdopen(private.open_file(folder / "progress.lock"), "a+b") as lock:
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


def _beginning(data: bytes, student: str) -> Event:
    found = [linked.parsed(line) for line in linked.lines(data)]
    older = [one for one in found if one is not None and not isinstance(one, Entry)]
    sealed = {"older": len(older), "digest": linked.digest(older)} if older else {}
    return {"event": linked.BEGIN, "student": student} | sealed
