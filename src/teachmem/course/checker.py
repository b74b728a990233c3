"""Asking the checking process about an answer, and never waiting longer than its limit.

One process serves the whole kernel. It is started ahead of the first check, so that a check takes
milliseconds, ended where an answer does not return, and then replaced by a new one. The answer is
copied in a thread of its own, as copying may run a student's code too.

>>> from teachmem.course import segments
>>> with Checker() as checker:
...     print(checker.check(segments.find("00"), "0.1", lambda parts: max(parts.values())).misconception)
the strongest part decides

Left out: what is checked. The laws know that, and they run over there (`worker.py`).
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import json
import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any, TypeVar

from teachmem.course import parcel, segments, words
from teachmem.course.judge import Verdict
from teachmem.course.material import Segment
from teachmem.course.stage import Stage
from teachmem.course.worker import BROKEN, frame, read_frame

T = TypeVar("T")

SECONDS = 2.0  # for an answer
STARTING = 30.0  # for a process that is not ready yet, on a slow machine
REPLY = 2**16  # bytes; a longer one is not ours

_BOOT = "import sys; sys.path[:] = {path!r}; from teachmem.course import worker; worker.main()"


class TookTooLong(Exception):
    """Something did not come back in time."""


class _Stop(BaseException):
    """Thrown into a thread that copies without end."""


class _Process:
    """One checking process and the thread that listens to it."""

    def __init__(self) -> None:
        code = _BOOT.format(path=sys.path)
        self._popen = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            env=os.environ | {"PYTHONHASHSEED": "0"},
            start_new_session=os.name == "posix",  # an interrupt of the kernel is not meant for it
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
        self._parent = os.getpid()
        self._count = 0
        self._heard: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        self._listener = threading.Thread(target=self._listen, name="teachmem-checker", daemon=True)
        self._listener.start()

    def ask(self, **request: Any) -> int:
        """Send a request; return its number. Raises `OSError` where the process is gone."""
        self._count += 1
        assert self._popen.stdin is not None
        rest = memoryview(frame(pickle.dumps(request | {"n": self._count})))
        while rest:
            rest = rest[self._popen.stdin.write(rest) or 0 :]
        return self._count

    def hear(self, number: int, deadline: float) -> dict[str, Any] | None:
        """Return the next reply to request `number`; None if the process has ended."""
        while True:
            try:
                reply = self._heard.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                raise TookTooLong from None
            if reply is None or reply.get("n") == number:
                return reply

    def end(self) -> int | None:
        """End the process, and on POSIX what it started; return its exit code if it had ended by itself."""
        with contextlib.suppress(subprocess.TimeoutExpired):  # the pipe may close a moment before
            self._popen.wait(0.2 if self._heard_end() else 0)
        code = self._popen.poll()
        if os.getpid() != self._parent:  # a fork of the kernel ends; the process is not its own
            return code
        with contextlib.suppress(OSError):
            if os.name == "posix":
                os.killpg(self._popen.pid, signal.SIGKILL)
            else:
                self._popen.kill()
        self._popen.wait()
        self._listener.join(1)
        for pipe in (self._popen.stdin, self._popen.stdout):
            if pipe is not None and not self._listener.is_alive():
                pipe.close()
        return code

    def _heard_end(self) -> bool:
        return not self._listener.is_alive()

    def _listen(self) -> None:
        reply: dict[str, Any] | None = {}
        while reply is not None:
            reply = None
            with contextlib.suppress(OSError, ValueError):
                body = read_frame(self._popen.stdout, REPLY)
                found = json.loads(body) if body is not None else None
                reply = found if isinstance(found, dict) else None
            self._heard.put(reply)


class Checker:
    """Checks answers in another process. One is enough for a kernel: `shared()`."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self._seconds = seconds
        self._process: _Process | None = None
        self._lock = threading.Lock()

    def warm(self, segment: Segment) -> None:
        """Start the process and have it open `segment`, without waiting for it."""
        with self._lock, contextlib.suppress(OSError):
            self._started().ask(segment=segments.home(segment))

    def check(self, segment: Segment, exercise: str, answer: object, stage: Stage | None = None) -> Verdict:
        """Return the verdict on `answer`, whatever it is or does."""
        limit = f"{self._seconds:g}"
        try:
            packed = within(self._seconds, lambda: parcel.pack(answer, stage))
        except parcel.CannotSend as problem:
            return Verdict("not yet", str(problem))
        except TookTooLong:
            return Verdict("not yet", words.COPY_TOO_LONG.format(seconds=limit))
        with self._lock:
            try:
                verdict = self._asked(segments.home(segment), exercise, packed)
            except BaseException:  # an interrupt of the kernel, above all
                self._end()
                raise
            if self._process is None:  # have the next one ready in time
                with contextlib.suppress(OSError):
                    self._started().ask(segment=segments.home(segment))
            return verdict

    def close(self) -> None:
        """End the process."""
        with self._lock:
            self._end()

    def __enter__(self) -> Checker:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _asked(self, home: str, exercise: str, packed: parcel.Parcel) -> Verdict:
        try:
            process = self._started()
            n = within(
                STARTING,
                lambda: process.ask(
                    segment=home,
                    exercise=exercise,
                    parcel=packed.body,
                    modules=packed.modules,
                    seconds=self._seconds,
                ),
            )
            started = process.hear(n, time.monotonic() + STARTING)
        except (OSError, TookTooLong):
            started = None
        if started is None:
            self._end()
            return Verdict("unchecked")
        try:
            reply = process.hear(n, time.monotonic() + self._seconds)
        except TookTooLong:
            self._end()
            return Verdict("not yet", words.TOO_LONG.format(seconds=f"{self._seconds:g}"))
        if reply is None:
            return Verdict("not yet", _ended(self._end()))
        if reply.get("spoilt"):
            self._end()
        return Verdict(**reply["verdict"])

    def _started(self) -> _Process:
        if self._process is None:
            self._process = _Process()
        return self._process

    def _end(self) -> int | None:
        process, self._process = self._process, None
        return process.end() if process is not None else None


def _ended(code: int | None) -> str:
    """Say how the process went: by an exit of its own, or by a crash."""
    if code is None or code == BROKEN or not 0 <= code < 256:
        return words.CRASHED
    return words.ENDED.format(code=code)


def within(seconds: float, work: Callable[[], T]) -> T:
    """Return what `work` returns or raise what it raises, but give up after `seconds`.

    >>> within(1, lambda: 4)
    4
    """
    outcome: list[Any] = []

    def run() -> None:
        try:
            outcome.append((True, work()))
        except BaseException as error:
            outcome.append((False, error))

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    if not outcome:
        # Ends a loop in Python; one inside C code goes on in its thread, and the kernel goes on beside it.
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident or 0), ctypes.py_object(_Stop))
        raise TookTooLong
    succeeded, value = outcome[0]
    if succeeded:
        return value  # type: ignore[no-any-return]
    raise value


_shared = Checker()
atexit.register(_shared.close)


def shared() -> Checker:
    """Return the checker of this kernel."""
    return _shared
