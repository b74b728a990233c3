"""Every error that teachmem raises on purpose, in one small family.

An error says what was wrong, where, and what to do. All of them descend from
`TeachmemError`, so one `except` is enough at the rim, and none of them is raised
for a fault in teachmem itself: a bug stays an ordinary Python exception.

>>> try:
...     raise InvalidInput("k", "must be a whole number of 1 or more, not 0")
... except TeachmemError as error:
...     print(error)
k: must be a whole number of 1 or more, not 0
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from teachmem.record import Receipt


LONGEST = 2_000  # characters of an error's sentence


class TeachmemError(Exception):
    """The root of the family: catch this to catch every refusal and every clear failure.

    Whatever an error quotes, it is short: the middle of a longer sentence is left out.
    """

    def __str__(self) -> str:
        said = super().__str__()
        if len(said) <= LONGEST:
            return said
        half = LONGEST // 2
        return f"{said[:half]} [... {len(said) - LONGEST:,} characters left out ...] {said[-half:]}"


class InvalidInput(TeachmemError, ValueError):
    """A question cannot be asked that way: `field` names the argument, `reason` says why.

    Writes do not raise this: they raise `MemoryRefused`, whose receipt has the same sentence.
    """

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field}: {reason}")
        self.field = field
        self.reason = reason


class MemoryRefused(TeachmemError):
    """The gate refused a write; nothing was written. `receipt.steps` is the trail of its checks."""

    def __init__(self, receipt: Receipt) -> None:
        last = receipt.steps[-1]
        super().__init__(f"refused at {last.check}: {last.reason}")
        self.receipt = receipt


class NotFound(TeachmemError, LookupError):
    """No such memory, or none that this reader may see: both answer in the same words."""

    def __init__(self, memory_id: str) -> None:
        super().__init__(f"no memory {memory_id!r} that you may read; check the id with a search or a list")
        self.memory_id = memory_id


class Overtaken(TeachmemError):
    """What was to be decided on was decided by somebody else, or is not what it was when it was read."""


class StoreError(TeachmemError):
    """The store cannot be used as asked: not ours, too new, read-only, locked, full or damaged."""


class IndexUnavailable(TeachmemError):
    """A vector index does not answer. Nothing is lost: the table has every memory and its vector."""


class ModelUnavailable(TeachmemError):
    """A language model gave no answer: out of reach, too late, or it refused. Nothing was changed."""
