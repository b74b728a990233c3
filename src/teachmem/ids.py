"""Names for new things and salts for digests, passed in like the clock.

`RandomIds` is for real use. `CountedIds` gives `note-0001`, `note-0002` ... in lessons, so that
a stored notebook shows the same ids on every machine.

>>> ids = CountedIds()
>>> ids.new("note"), ids.new("note"), ids.new("event")
('note-0001', 'note-0002', 'event-0001')

Left out: ids that sort by time. Order is the ledger's business (`seq`), not the name's.
"""

from __future__ import annotations

import hashlib
import secrets
from collections import Counter

SALT_BYTES = 16


class RandomIds:
    """Ids with 80 random bits and salts with 128, from the operating system."""

    def new(self, prefix: str) -> str:
        """Return an id such as `note-5f2c...`, never used before."""
        return f"{prefix}-{secrets.token_hex(10)}"

    def salt(self) -> bytes:
        """Return 16 unpredictable bytes."""
        return secrets.token_bytes(SALT_BYTES)


class CountedIds:
    """Ids that count up and salts that follow from the count: for one process, and for lessons.

    The salts are the same on every machine and so hide nothing. Never use it for real data.
    """

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def new(self, prefix: str) -> str:
        """Return the next id of this prefix."""
        self._counts[prefix] += 1
        return f"{prefix}-{self._counts[prefix]:04d}"

    def salt(self) -> bytes:
        """Return the next 16 bytes of a fixed sequence."""
        self._counts["(salt)"] += 1
        return hashlib.sha256(f"teachmem lesson salt {self._counts['(salt)']}".encode()).digest()[:SALT_BYTES]
