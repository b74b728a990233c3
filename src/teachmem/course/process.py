"""One checking process, as its parent holds it: start it, ask it, hear from it, end it.

It is a Python of its own (`worker.py`) at the other end of two pipes. A thread listens, so that
nobody has to wait for a reply longer than they mean to; this works alike on every system.

>>> process = Process()
>>> number = process.ask(segment="teachmem.course.segments.s00")
>>> process.hear(number, time.monotonic() + 30)
{'n': 1, 'started': True}
>>> process.end()

Left out: what to do when it does not answer (`checker.py`).
"""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
import time
from typing import Any

from teachmem.course.worker import frame, read_frame

REPLY = 2**16  # bytes; a longer one is not ours

_BOOT = "import sys; sys.path[:] = {path!r}; from teachmem.course import worker; worker.main()"


class TookTooLong(Exception):
    """Something did not come back in time."""


class Process:
    """One checking process and the thread that listens to it; `boot` is what it runs if not that."""

    def __init__(self, boot: str = _BOOT) -> None:
        code = boot.replace("{path!r}", repr(sys.path))
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

    def end(self, patience: float = 0) -> int | None:
        """End the process, and on POSIX what it started; return its exit code if it ended by itself.

        It is given `patience` seconds for that: its pipe closes a moment before it is gone.
        """
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._popen.wait(patience)
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

    def _listen(self) -> None:
        reply: dict[str, Any] | None = {}
        while reply is not None:
            reply = None
            with contextlib.suppress(OSError, ValueError):
                body = read_frame(self._popen.stdout, REPLY)
                found = json.loads(body) if body is not None else None
                reply = found if isinstance(found, dict) else None
            self._heard.put(reply)
