"""Faults of trust in strangers: a text that leaves its line, and one that is better for being repeated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from teachmem.marks.foil import Patch, register
from teachmem.recall import label
from teachmem.record import Receipt, Step
from teachmem.rules import checks, gate
from teachmem.rules.case import Case, Check

_honest_gate = gate.Gate.judged


@register(
    "lines_unescaped",
    seen="A note of a stranger ended, and a line began that was signed by the safety officer.",
    mechanism="A text is put into the context as it is, so its line breaks are the context's.",
)
def _lines_unescaped(patch: Patch) -> None:
    def bare(text: str) -> str:
        return f'"{text}"'

    patch(label, "quoted", bare)


@register(
    "better_for_being_repeated",
    seen="A page said that the limit is 140. The agent wrote it down with the page as its ground, and from "
    "then on the agent had said it.",
    mechanism="What a memory rests on is kept, and nobody asks: a claim is as good as whoever repeats it.",
)
def _better_for_being_repeated(patch: Patch) -> None:
    def judged(self: gate.Gate, case: Case, steps: list[Step], but: Sequence[Check] = ()) -> Receipt | None:
        kept = [check for check in self.checks if check is not checks.bounded]
        return _honest_gate(replace(self, checks=kept), case, steps, but)

    patch(gate.Gate, "judged", judged)
