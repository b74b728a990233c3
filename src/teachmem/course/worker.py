"""The process in which answers are checked: it reads requests, runs the laws, and writes verdicts.

A request is a length and a pickle, a reply a length and JSON. What an answer prints goes nowhere, but
that it printed is told. An answer that runs on ends this process by a timer that needs no cooperation
(`faulthandler`), even where its parent is gone, and on Linux it gets no more than a gigabyte.

>>> frame(b"{}")
b'\\x00\\x00\\x00\\x02{}'
>>> import io
>>> read_frame(io.BytesIO(frame(b"{}")))
b'{}'

Left out: security. This guards against accidents, not against somebody who wants to do harm.
"""

from __future__ import annotations

import contextlib
import faulthandler
import importlib
import io
import json
import os
import pickle
import struct
import sys
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

from teachmem.course import parcel, segments, words
from teachmem.course.judge import Verdict, judge
from teachmem.course.laws import fault
from teachmem.course.stage import Stage

BROKEN = 70  # the exit code of a process that cannot answer any more
ROOM = 2**30  # bytes beyond what the process has once it is ready


def frame(body: bytes) -> bytes:
    """Return `body` with its length before it."""
    return struct.pack(">I", len(body)) + body


def read_frame(pipe: Any, most: int = 2**30) -> bytes | None:
    """Return the next body, or None where the pipe ends or holds something else."""
    head = _exactly(pipe, 4)
    if head is None:
        return None
    (length,) = struct.unpack(">I", head)
    return _exactly(pipe, length) if length <= most else None


def _exactly(pipe: Any, count: int) -> bytes | None:
    body = b""
    while len(body) < count:
        piece = pipe.read(count - len(body))
        if not piece:
            return None
        body += piece
    return body


class _Heard(io.TextIOBase):
    """Notes that something was printed, and keeps none of it."""

    anything = False

    def writable(self) -> bool:
        """Say yes to whoever asks before writing."""
        return True

    def write(self, text: str) -> int:
        """Note it."""
        self.anything = self.anything or bool(text.strip())
        return len(text)


class Worker:
    """Answers requests; keeps the stage of the segment that was asked about last."""

    def __init__(self) -> None:
        self._stage: Stage | None = None
        self._untouched: tuple[object, ...] = ()
        self._modules = set(sys.modules)
        self.nowhere = os.open(os.devnull, os.O_WRONLY)  # for the timer's report; an answer may close 2

    def stage(self, home: str) -> Stage:
        """Return the stage of the segment that lives in the module `home`, at its start."""
        segment = segments.at(home)
        if self._stage is None or self._stage.segment is not segment:
            self._stage = Stage(segment)
            self._untouched = self._state(self._stage)
            self._modules = set(sys.modules)
        return self._stage

    def check(self, request: dict[str, Any]) -> Verdict:
        """Return the verdict on the packed answer of one request."""
        home = request["segment"]
        exercise = segments.at(home).exercise(request["exercise"])
        assert exercise is not None
        try:
            answer = parcel.unpack(request["parcel"], lambda: self.stage(home))
        except MemoryError:
            return Verdict("not yet", words.NO_MEMORY)
        except BaseException as error:
            return Verdict("not yet", words.UNPACKED.format(reason=fault(error)))
        heard = _Heard()
        try:
            with contextlib.redirect_stdout(heard):
                verdict = judge(exercise, answer, lambda: self.stage(home))
            return replace(verdict, printed=heard.anything)
        except MemoryError:
            return Verdict("not yet", words.NO_MEMORY)
        except BaseException as error:
            return Verdict("not yet", words.RAISED_ALONE.format(error=fault(error)))

    def tidy(self) -> None:
        """Undo what an answer did to the stage, and forget modules that it brought along."""
        if self._stage is not None and self._state(self._stage) != self._untouched:
            self._stage.rewind()
        for name in set(sys.modules) - self._modules:  # a student's own file may change before the next check
            if Path(getattr(sys.modules[name], "__file__", None) or sys.prefix).parent == Path.cwd():
                del sys.modules[name]

    def _state(self, stage: Stage) -> tuple[object, ...]:
        return stage.memory.audit.verify().entries, stage.clock.now()


def main() -> None:
    """Serve requests until the pipe ends."""
    inbox, outbox = own_pipes()
    worker = Worker()
    own_threads = threading.active_count()

    def say(**reply: Any) -> None:
        try:
            outbox.write(frame(json.dumps(reply).encode()))
            outbox.flush()
        except OSError:  # an answer closed the pipe, or the parent is gone
            os._exit(BROKEN)

    while (body := read_frame(inbox)) is not None:
        request = pickle.loads(body)
        worker.stage(request["segment"])
        for module in request.get("modules", ()):  # slow imports do not count against the answer
            with contextlib.suppress(Exception):
                importlib.import_module(module)
        if request["n"] == 1:
            limit_memory()
        say(n=request["n"], started=True)
        if "exercise" not in request:
            continue
        faulthandler.dump_traceback_later(request["seconds"] + 1, exit=True, file=worker.nowhere)
        try:
            verdict = worker.check(request)
        finally:
            faulthandler.cancel_dump_traceback_later()
        spoilt = threading.active_count() > own_threads
        say(n=request["n"], verdict=verdict.as_dict(), spoilt=spoilt)
        worker.tidy()


def own_pipes() -> tuple[BinaryIO, BinaryIO]:
    """Take the pipes to the parent for ourselves; what anybody else prints or reads meets nothing."""
    inbox = os.fdopen(os.dup(0), "rb")
    outbox = os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nothing, number)
    sys.stdin = sys.__stdin__ = os.fdopen(0, encoding="utf-8")  # type: ignore[misc]
    sys.stdout = sys.__stdout__ = os.fdopen(1, "w", encoding="utf-8", errors="replace")  # type: ignore[misc]
    sys.stderr = sys.__stderr__ = os.fdopen(2, "w", encoding="utf-8", errors="replace")  # type: ignore[misc]
    return inbox, outbox


def limit_memory() -> None:
    """Allow this process so much more memory than it has now, where the system can."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        most = pages * resource.getpagesize() + ROOM
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
