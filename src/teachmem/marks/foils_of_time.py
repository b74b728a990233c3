"""Faults of time: a moment that was asked about plays no part, or an interval holds at both its ends."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Any

from teachmem.clock import Moment, from_micros, to_micros
from teachmem.marks.foil import Patch, register
from teachmem.principal import Principal
from teachmem.record import Draft, Receipt
from teachmem.rules import gate
from teachmem.tiers import kit, search

_honest_reading = kit.Kit.reading
_honest_write = gate.Gate.write


@register(
    "as_of_ignored",
    seen="Asked who ran bay two in January, the agent named who runs it today.",
    mechanism="A read takes the moment that is asked about, and hands on the present one.",
)
def _as_of_ignored(patch: Patch) -> None:
    @contextmanager
    def reading(
        self: kit.Kit, who: Principal, at: Moment | None, known_at: Moment | None
    ) -> Iterator[tuple[Any, int, int | None]]:
        with _honest_reading(self, who, None, known_at) as found:
            yield found

    patch(kit.Kit, "reading", reading)


@register(
    "later_knowledge",
    seen="The report of an accident said that everybody had known of the crack. It was found a week later.",
    mechanism="A question about the past is answered with what is known today: only when something held is "
    "asked, never since when it is known.",
)
def _later_knowledge(patch: Patch) -> None:
    @contextmanager
    def reading(
        self: kit.Kit, who: Principal, at: Moment | None, known_at: Moment | None
    ) -> Iterator[tuple[Any, int, int | None]]:
        with _honest_reading(self, who, at, None) as found:
            yield found

    patch(kit.Kit, "reading", reading)


@register(
    "closed_intervals",
    seen="At the moment of the handover bay two had two leads, and both gave orders.",
    mechanism="An interval holds at its start and at its end too, so where one ends and the next begins "
    "there are two.",
)
def _closed_intervals(patch: Patch) -> None:
    def write(
        self: gate.Gate, who: Principal, draft: Draft, request_id: str | None = None, noted: str = ""
    ) -> Receipt:
        if draft.valid_to is not None:  # the last moment belongs to it: it ends a tick later
            end = from_micros(to_micros(draft.valid_to)) + timedelta(microseconds=1)
            draft = replace(draft, valid_to=end)
        return _honest_write(self, who, draft, request_id, noted)

    patch(gate.Gate, "write", write)


@register(
    "over_and_still_told",
    seen="The agent greeted a shift-lead who had left in spring.",
    mechanism="What is over is not left out but ranked lower, and where little else is held it comes first.",
)
def _over_and_still_told(patch: Patch) -> None:
    def always(value: object) -> bool:
        return True

    patch(search, "check_lapsed", always)
