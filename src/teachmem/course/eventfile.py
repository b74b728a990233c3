"""A file of events, one JSON object a line, that is only added to, by several kernels at once.

A line that a crash cut short harms no other line. Whoever writes holds the folder's lock. `mend`
keeps a damaged file aside under another name and goes on with the lines that can be read.

>>> from tempfile import TemporaryDirectory
>>> with TemporaryDirectory() as folder:
...     file = Path(folder) / "progress.jsonl"
...     append(file, {"v": VERSION, "at": "", "segment": "02", "event": "hint", "id": "2.1"})
...     torn = file.write_bytes(file.read_bytes() + b'{"v": 1, "ev')
...     found, damaged, newer = read(file)
>>> len(found), damaged, newer
(1, 1, False)

Left out: what events mean (`journal.py`).
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from teachmem import private

VERSION = 1
KINDS = ("check", "predict", "reveal", "hint")

Event = dict[str, Any]


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


def append(file: Path, event: Event) -> None:
    """Add one event; the folder is made if it is not there."""
    private.make_folder(file.parent)
    with locked(file.parent), os.fdopen(private.open_file(file), "a+b") as pipe:
        torn = False
        if pipe.seek(0, os.SEEK_END):  # after a torn line, start a new one
            pipe.seek(-1, os.SEEK_END)
            torn = pipe.read(1) != b"\n"
        pipe.write(b"\n" * torn + _line(event).encode())


def mend(file: Path) -> tuple[int, str]:
    """Keep a damaged file aside; return how many lines were damaged and the name it is kept under."""
    with locked(file.parent):
        found, damaged, _ = read(file)
        if not damaged:  # another kernel was quicker
            return 0, ""
        number = 1
        while (aside := file.with_name(f"{file.stem}-damaged-{number}{file.suffix}")).exists():
            number += 1
        private.write(aside, file.read_bytes())
        private.write(file, "".join(_line(event) for event in found).encode())
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
