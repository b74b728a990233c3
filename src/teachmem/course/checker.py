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
import threading
import time
from collections.abc import Callable
from typing import Any, TypeVar

from teachmem.course import parcel, segments, words
from teachmem.course.judge import Verdict
from teachmem.course.material import Segment
from teachmem.course.process import Process, TookTooLong
from teachmem.course.stage import Stage
from teachmem.course.worker import BROKEN

T = TypeVar("T")

SECONDS = 2.0  # for an answer
STARTING = 30.0  # for a process that is not ready yet, on a slow machine


class _Stop(BaseException):
    """Thrown into a thread that copies without end."""


class Checker:
    """Checks answers in another process. One is enough for a kernel: `shared()`."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self._seconds = seconds
        self._process: Process | None = None
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
        request = {"segment": home, "exercise": exercise, "seconds": self._seconds}
        request |= {"parcel": packed.body, "modules": packed.modules}
        begun = self._begun(request) or self._begun(request)  # one that died idle is replaced
        if begun is None:
            return Verdict("unchecked")
        process, n = begun
        try:
            reply = process.hear(n, time.monotonic() + self._seconds)
        except TookTooLong:
            self._end()
            return Verdict("not yet", words.TOO_LONG.format(seconds=f"{self._seconds:g}"))
        if reply is None or "verdict" not in reply:
            return Verdict("not yet", _ended(self._end(patience=1)))
        if reply.get("spoilt"):
            self._end()
        return Verdict(**reply["verdict"])

    def _begun(self, request: dict[str, Any]) -> tuple[Process, int] | None:
        """Hand over a request and wait until the process works on it; None if it never does."""
        with contextlib.suppress(OSError, TookTooLong):
            process = self._started()
            n = within(STARTING, lambda: process.ask(**request))
            if process.hear(n, time.monotonic() + STARTING) is not None:
                return process, n
        self._end()
        return None

    def _started(self) -> Process:
        if self._process is None:
            self._process = Process()
        return self._process

    def _end(self, patience: float = 0) -> int | None:
        process, self._process = self._process, None
        return process.end(patience) if process is not None else None


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
