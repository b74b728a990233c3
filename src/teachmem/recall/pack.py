"""Packing lines into a token budget: what does not fit is skipped, and the next one is tried.

Stopping at the first line that does not fit lets one long row empty the context. Going on costs
nothing and keeps every line that fits after the better ones have taken their room.

>>> packed = pack(["short", "far too long for this", "tiny"], budget=2, count=lambda text: len(text.split()))
>>> packed.chosen, packed.used
((0, 2), 2)
>>> packed.skipped[0].reason
'needs 5 tokens, 1 left'

Left out: cutting a line to fit. A memory is verbatim or absent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from teachmem.errors import InvalidInput
from teachmem.ports import TokenCounter


@dataclass(frozen=True, slots=True)
class Skipped:
    """A line that was left out: its place in the ranking, its length, and why."""

    place: int
    tokens: int
    reason: str


@dataclass(frozen=True, slots=True)
class Packed:
    """Which lines were chosen (their places, best first), what they use, and what was skipped."""

    chosen: tuple[int, ...]
    used: int
    budget: int
    tokens: tuple[int, ...]
    skipped: tuple[Skipped, ...]


def check_budget(budget: object) -> None:
    """Refuse a budget that is not a whole number of tokens, 0 or more. 0 is 0: an empty context."""
    if isinstance(budget, bool) or not isinstance(budget, int) or budget < 0:
        raise InvalidInput("budget", f"must be a whole number of tokens, 0 or more, not {budget!r}")


def pack(lines: Sequence[str], budget: int, count: TokenCounter) -> Packed:
    """Choose from `lines`, best first, every one that still fits; `count` gives a line's tokens."""
    check_budget(budget)
    chosen: list[int] = []
    skipped: list[Skipped] = []
    tokens = tuple(count(line) for line in lines)
    left = budget
    for place, needed in enumerate(tokens):
        if needed <= left:
            chosen.append(place)
            left -= needed
        else:
            skipped.append(Skipped(place, needed, f"needs {needed} tokens, {left} left"))
    return Packed(tuple(chosen), budget - left, budget, tokens, tuple(skipped))
