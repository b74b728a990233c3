"""Another program as a worker: JSON-RPC, one message a line, over its standard input and output.

Every answer is waited for at most so long. A worker that says nothing, or ends, is a `CouldNotRun` with the
last thing it said on its error stream; it is ended by its own handle, and nothing of it outlives `close`.

>>> import sys
>>> from tempfile import TemporaryDirectory
>>> echo = "import json, sys\\nfor line in sys.stdin:\\n    m = json.loads(line)\\n"
>>> echo += "    print(json.dumps({'id': m['id'], 'result': m['params']}), flush=True)"
>>> with TemporaryDirectory() as folder, Worker([sys.executable, "-c", echo], Path(folder)) as worker:
...     worker.call("say", {"word": "gate"})
{'word': 'gate'}

Left out: what is said. An MCP server speaks the same lines, and so does `workers/lines.py`.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import subprocess
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from teachmem.marks.system import CouldNotRun

SECONDS = 60.0  # for one answer
LONGEST, WAITING = 10_000_000, 50  # bytes of a line, and lines that wait to be read
GRACE = 5.0  # for ending by itself
KEPT = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "TEMP", "SYSTEMROOT", "APPDATA", "LOCALAPPDATA")


class Failure(Exception):
    """The worker answered with an error; `kind` is what it calls it."""

    def __init__(self, message: str, kind: str = "") -> None:
        super().__init__(message)
        self.kind = kind


class Worker:
    """One process that answers. It gets a small environment, without the settings of this one."""

    def __init__(
        self,
        command: Sequence[str | Path],
        folder: Path,
        environment: Mapping[str, str] | None = None,
        seconds: float = SECONDS,
    ) -> None:
        self._seconds = seconds
        self._said = tempfile.TemporaryFile()  # noqa: SIM115, closed in `close`
        kept = {name: os.environ[name] for name in KEPT if name in os.environ}
        try:
            self._process = subprocess.Popen(
                [str(part) for part in command],
                cwd=folder,
                env={**kept, "PYTHONUTF8": "1", **(environment or {})},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._said,
            )
        except OSError as error:
            self._said.close()
            raise CouldNotRun(f"{command[0]} could not be started: {error.strerror}") from error
        self._lines: queue.Queue[bytes] = queue.Queue(WAITING)
        self._number = 0
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        with contextlib.suppress(ValueError):  # `close` was faster
            while line := self._process.stdout.readline(LONGEST):
                self._lines.put(line)
        self._lines.put(b"")  # it has ended

    def call(self, method: str, params: Mapping[str, Any] | None = None) -> Any:
        """Ask and return the result. Raises `Failure` for its errors, `CouldNotRun` if none comes."""
        self._number += 1
        self._send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": dict(params or {})})
        until = time.monotonic() + self._seconds
        while True:
            answer = self._next(method, until)
            if answer.get("id") != self._number:
                continue  # a notification, or a log line that is JSON
            if "error" in answer:
                told = answer["error"] if isinstance(answer["error"], dict) else {"message": answer["error"]}
                raise Failure(str(told.get("message", told)), str(told.get("kind", "")))
            return answer.get("result")

    def notify(self, method: str) -> None:
        """Say something that has no answer."""
        self._send({"jsonrpc": "2.0", "method": method})

    def _send(self, message: Mapping[str, Any]) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            self._process.stdin.flush()
        except OSError as error:
            raise CouldNotRun(f"it has ended: {self.last_words()}") from error

    def _next(self, method: str, until: float) -> dict[str, Any]:
        while True:
            try:
                if (left := until - time.monotonic()) <= 0:  # whatever else it has said
                    raise queue.Empty
                line = self._lines.get(timeout=left)
            except queue.Empty:
                self._process.terminate()
                self.close()
                raise CouldNotRun(f"no answer to {method} in {self._seconds:.0f} s") from None
            if not line:
                self._lines.put(b"")
                raise CouldNotRun(f"it ended at {method}: {self.last_words()}")
            try:
                told = json.loads(line)
            except (ValueError, RecursionError):
                continue  # a greeting
            if isinstance(told, dict):
                return told

    def last_words(self) -> str:
        """Return the last line of its error stream."""
        if self._said.closed:
            return "it was stopped"
        self._said.seek(0)
        lines = self._said.read().decode("utf-8", "replace").strip().splitlines()
        return lines[-1] if lines else "it said nothing"

    def close(self) -> None:
        """Let it end, and end it if it does not."""
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()
        for stop in (None, self._process.terminate, self._process.kill):
            if stop is not None:
                stop()
            try:
                self._process.wait(GRACE)
                break
            except subprocess.TimeoutExpired:
                continue
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._said.close()

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
