"""The server's log: warnings and bugs, on the standard error stream, and never waited for.

A client that starts a server on pipes may never read its standard error. A pipe that is full makes whoever
writes wait, so with enough warnings any caller could stop the server. Here a line is written only where
there is room for it; what was left out is counted and told when there is room again.

>>> import io
>>> handler = Unhindered(io.StringIO())
>>> handler.handle(logging.makeLogRecord({"msg": "x" * 9000})) and len(handler.stream.getvalue()) <= LINE
True

Left out: files and rotation; whoever wants the log kept sends the stream where it is kept.
"""

from __future__ import annotations

import logging
import os
import select
import sys
from typing import TextIO

LINE = 4000  # bytes: a pipe that is said to be writable has room for 4,096


class Unhindered(logging.Handler):
    """Writes each record as text of at most `LINE` bytes, or not at all where it would have to wait."""

    def __init__(self, stream: TextIO) -> None:
        super().__init__(logging.WARNING)
        self.stream = stream
        self.dropped = 0
        self.setFormatter(logging.Formatter("teachmem: %(levelname)s %(name)s: %(message)s"))

    def emit(self, record: logging.LogRecord) -> None:
        """Write one record."""
        try:
            if not self._has_room():
                self.dropped += 1
                return
            lost, self.dropped = self.dropped, 0
            told = f"teachmem: {lost} lines before this one were left out\n" if lost else ""
            text = f"{told}{self.format(record)}\n".encode("utf-8", "backslashreplace")
            if len(text) > LINE:  # its end names the error
                text = text[: LINE // 2 - 5] + b"\n...\n" + text[-LINE // 2 + 5 :]
            self.stream.write(text.decode("utf-8", "replace"))
            self.stream.flush()
        except (OSError, ValueError):  # nobody is there any more
            self.dropped += 1

    def _has_room(self) -> bool:
        try:
            number = self.stream.fileno()
        except (OSError, ValueError):
            return True
        if os.name == "nt":  # only sockets can be asked there
            return True
        return bool(select.select([], [number], [], 0)[1])


def install() -> None:
    """Send warnings and worse of every library to the standard error stream, unhindered."""
    root = logging.getLogger()
    root.setLevel(logging.WARNING)
    root.addHandler(Unhindered(sys.stderr))
