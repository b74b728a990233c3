"""Faults of working memory: a note that is not shown as it was written, or not shown at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from teachmem.marks.foil import Patch, register
from teachmem.ports import TokenCounter
from teachmem.recall import label, pack
from teachmem.recall.pack import Packed
from teachmem.record import Memory

_honest_line = label.line
_honest_full = label.full
_honest_pack = pack.pack


def keep_three_quarters(text: str, above: int = 38) -> str:
    """Return the first 75 % of the words of a text of more than `above` words: a "summary"."""
    words = text.split()
    return " ".join(words[: int(0.75 * len(words))]) if len(words) > above else text


@register(
    "keyless_shortener",
    seen="The arm restarted: the note that said not to was shown without its last words.",
    mechanism="A shortener without a model key keeps the first 75 % of the words, and its text is shown "
    "in place of the note.",
)
def _keyless_shortener(patch: Patch) -> None:
    def line(memory: Memory, now: int) -> str:
        return _honest_line(replace(memory, content=keep_three_quarters(memory.content)), now)

    def full(memory: Memory) -> str:
        return _honest_full(replace(memory, content=keep_three_quarters(memory.content)))

    patch(label, "line", line)
    patch(label, "full", full)


@register(
    "enrichment_replaces_note",
    seen="A cause that nobody had observed was acted on.",
    mechanism="A model's richer wording of a note is shown in place of what the agent wrote.",
)
def _enrichment_replaces_note(patch: Patch) -> None:
    def line(memory: Memory, now: int) -> str:
        return _honest_line(replace(memory, content=memory.rewrites.get("enriched", memory.content)), now)

    def full(memory: Memory) -> str:
        return _honest_full(replace(memory, content=memory.rewrites.get("enriched", memory.content)))

    patch(label, "line", line)
    patch(label, "full", full)


@register(
    "stop_at_first_misfit",
    seen="The agent answered as if it had noted nothing all morning.",
    mechanism="Packing ends at the first note that does not fit, so one long row at the head leaves the "
    "context empty.",
)
def _stop_at_first_misfit(patch: Patch) -> None:
    def stop(lines: Sequence[str], budget: int, count: TokenCounter) -> Packed:
        fitting = 0
        while fitting < len(lines) and sum(count(line) for line in lines[: fitting + 1]) <= budget:
            fitting += 1
        return _honest_pack(lines[:fitting], budget, count)

    patch(pack, "pack", stop)
