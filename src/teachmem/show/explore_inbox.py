"""The inbox without drawing: what waits for a person, and a decision tried on a copy of the store.

`copied` takes a copy; `tried` opens it in a folder of its own, lets the person decide there, moves the clock
on, lets an agent look for skills again, and takes the folder away. Receipts and refusals are the real ones;
neither the store nor the copy changes, so every decision can be tried again from the start.

Left out: the deciding. It is the person's own handle that acts.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from teachmem import store
from teachmem.clock import LessonClock
from teachmem.errors import InvalidInput, MemoryRefused
from teachmem.ids import CountedIds
from teachmem.recall.vectors import ExactIndex
from teachmem.record import Receipt
from teachmem.rules import inbox as waiting
from teachmem.rules.inbox import Candidate
from teachmem.rules.review import Review
from teachmem.rules.tombstone import Tombstone
from teachmem.show import words

REASON = "tried in the inbox"
OFF = timedelta(days=30)  # how long a moratorium and a deferral are tried for

Act = Callable[[Review, Candidate, datetime], Receipt]
ACTS: Mapping[str, Act] = {
    "approve": lambda review, item, now: review.approve(item),
    "reject": lambda review, item, now: review.reject(item, REASON),
    "reject for 30 days": lambda review, item, now: review.reject(item, REASON, until=now + OFF),
    "edit": lambda review, item, now: review.edit(item, edited(item)),
    "defer for 30 days": lambda review, item, now: review.defer(item, now + OFF),
    "quarantine": lambda review, item, now: review.quarantine(item, REASON),
}


@dataclass(frozen=True, slots=True)
class Inbox:
    """What waits for one person, `reader` their name."""

    reader: str
    items: tuple[Candidate, ...]


@dataclass(frozen=True, slots=True)
class Copy:
    """A whole store as it was at a moment."""

    file: bytes
    at: datetime


@dataclass(frozen=True, slots=True)
class Decided:
    """A decision on `item`, tried: the receipt, what waits after it, and what the next run does, `when`.

    `stones` are the rejected values as they stand at that run, `ended` the moratoria that are announced.
    """

    item: str
    action: str
    done: str
    receipt: Receipt
    waits: tuple[Candidate, ...]
    stones: tuple[Tombstone, ...]
    when: str
    run: str
    proposed: tuple[Candidate, ...]
    ended: tuple[Candidate, ...]


def gather(person: store.Person) -> Inbox:
    """Return what waits for `person`. Raises `InvalidInput` for an agent: none has an inbox."""
    if not isinstance(person, store.Person):
        raise InvalidInput("person", "must be a person's handle; no agent has an inbox")
    who = person.principal
    return Inbox(words.one_line(f"{who.name} of {who.tenant}/{who.fleet}"), tuple(person.review.inbox()))


def edited(item: Candidate) -> str:
    """Return the text that an edit is tried with: its last line says that somebody checks it first."""
    return f"{item.content.rstrip('. ')}, once somebody has checked it"


def copied(mem: store.MemoryStore) -> Copy:
    """Return a copy of the store as it is now."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "copy.db"
        mem.audit.copy_to(path)
        return Copy(path.read_bytes(), mem.clock.now())


def tried(
    kept: Copy,
    person: store.Person,
    agent: store.Handle,
    item: Candidate,
    action: str,
    days: int = 0,
) -> Decided:
    """Return what comes of it if `person` takes `action` on `item`, and `agent` distils `days` later.

    Raises `InvalidInput` for an action that there is not.
    """
    if action not in ACTS:
        raise InvalidInput("action", f"{action!r} is none of: {', '.join(ACTS)}")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "copy.db"
        path.write_bytes(kept.file)
        clock = LessonClock(kept.at)
        with store.open_memory(path, clock=clock, ids=_CopyIds(), vectors=ExactIndex()) as copy:
            who, runs = person.principal, agent.principal
            there = copy.person(who.name, fleet=who.fleet, tenant=who.tenant, clearance=who.clearance)
            make = copy.person if isinstance(agent, store.Person) else copy.agent
            worker = make(runs.name, fleet=runs.fleet, tenant=runs.tenant, clearance=runs.clearance)
            try:
                receipt = ACTS[action](there.review, item, clock.now())
            except MemoryRefused as refused:
                receipt = refused.receipt
            waits = tuple(there.review.inbox())
            clock.advance(days=days)
            report = worker.distil()
            then = there.review.inbox(deferred=True)
            return Decided(
                words.short_id(item.candidate_id),
                action,
                f"{words.one_line(who.name)} tries to {action}",
                receipt,
                waits,
                tuple(there.tombstones()),
                "the next run" if not days else f"a run {words.count(days, 'day')} later",
                str(report),
                tuple(one for one in then if one.candidate_id in report.proposed),
                tuple(one for one in then if one.state == waiting.ENDED),
            )


class _CopyIds:
    """Ids of the copy: none that the store has given."""

    def __init__(self) -> None:
        self._counted = CountedIds()

    def new(self, prefix: str) -> str:
        return self._counted.new(f"{prefix}-then")

    def salt(self) -> bytes:
        return self._counted.salt()
