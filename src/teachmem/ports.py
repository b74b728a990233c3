"""What the lower floors need from the higher ones, as protocols: whoever fits may be handed in.

Left out: implementations, and protocols that nothing uses yet.
"""

from __future__ import annotations

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """Tells the time."""

    def now(self) -> datetime:
        """Return the present moment, aware."""
        ...


class IdMaker(Protocol):
    """Names new things and salts digests."""

    def new(self, prefix: str) -> str:
        """Return an id that begins with `prefix`, never used before."""
        ...

    def salt(self) -> bytes:
        """Return 16 bytes for one digest."""
        ...


class TokenCounter(Protocol):
    """Counts what a language model would be charged for a text."""

    def __call__(self, text: str) -> int:
        """Return the number of tokens."""
        ...
