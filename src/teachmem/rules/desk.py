"""One item of the inbox on the desk: opened under the lock, as it was read, and closed with one audit entry.

An item is a candidate, or a moratorium that has ended. It is opened for one act of one person; if it was
decided by somebody else, or is not what the person read, `Overtaken` says so and nothing happens.

Left out: what is decided (`rules/review.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from teachmem.clock import from_micros
from teachmem.errors import MemoryRefused, NotFound, Overtaken
from teachmem.ledger import journal, rows
from teachmem.ledger.journal import Change
from teachmem.ledger.schema import WAITING
from teachmem.principal import Principal
from teachmem.record import Draft, Receipt, Step
from teachmem.rules import gate as gates
from teachmem.rules import inbox, reject, tombstone
from teachmem.rules.case import Case
from teachmem.rules.gate import Gate
from teachmem.rules.inbox import Candidate
from teachmem.vocabulary import Outcome, Verdict


@dataclass(slots=True)
class Item:
    """What is decided on: the act, the whole row behind it, and what it says."""

    act: Change
    row: dict[str, Any]
    draft: Draft
    asks: Mapping[str, Any]
    ended: bool = False  # a moratorium, and its row is a tombstone's
    steps: list[Step] = field(default_factory=list)

    @property
    def id(self) -> str:
        """The id of the candidate or of the moratorium."""
        return str(self.row["tombstone_id" if self.ended else "candidate_id"])

    @property
    def author(self) -> Principal:
        """Who proposed it: what is approved is theirs."""
        return inbox.author(self.row)

    def keep(self, action: str, **more: Any) -> Receipt:
        """Write the changed row of an item that goes on waiting, with the act's entry."""
        if self.ended:
            self.act.answer(self.row)
        else:
            self.act.decide(self.row)
        self.act.entry(f"review.{action}", self.id, **more)
        return Receipt(Verdict.STAGED, None, tuple(self.steps), self.act.seq, self.id)

    def close(self, action: str, receipt: Receipt, result: str | None = None, **more: Any) -> Receipt:
        """Write that the item is decided, what came of it, and the act's one entry."""
        who, now = self.act.principal.name, self.act.now
        if self.ended:
            self.row.update(answered_by=who, answered_at=now)
            self.act.answer(self.row)
        else:
            state = "approved" if action == "approve" else "rejected"
            self.row.update(state=state, decided_by=who, decided_at=now, result=result)
            self.act.decide(self.row)
            more["digest"] = self.row["content_digest"]
        self.act.entry(f"review.{action}", self.id, result=result, **more)
        return replace(receipt, audit_seq=self.act.seq, candidate_id=self.id)

    def digest(self, words: str) -> str:
        """Return the digest of a person's words, for the chain."""
        return rows.content_digest(words, bytes(self.row["salt"]))


@contextmanager
def opened(gate: Gate, who: Principal, item: str | Candidate, seen: str | None) -> Iterator[Item]:
    """Open the act on one item that still waits; `seen` is the digest of what was read."""
    item_id = item.candidate_id if isinstance(item, Candidate) else item
    seen = item.digest if seen is None and isinstance(item, Candidate) else seen
    gates.before(who, None, "")
    with gate.database.write() as tx, journal.change(tx, who, gate.clock, gate.ids) as act:
        row = inbox.row_of(tx, who, item_id)
        if row is None:
            found, shown = _moratorium(act, item_id)
        else:
            if row["state"] not in WAITING:
                raise _overtaken(item_id, row["state"], row["decided_by"], row["decided_at"])
            found = Item(act, row, *inbox.proposal(row))
            shown = inbox.shown(tx, who, row, act.now)
        if seen is not None and seen != shown.digest:
            raise Overtaken(f"{item_id} has changed since you read it; read it again")
        yield found


def _moratorium(act: Change, item_id: str) -> tuple[Item, Candidate]:
    row, one = reject.seen(act, item_id)
    if one.state != "lapsed":
        raise NotFound(item_id)
    if row["answered_at"] is not None:
        raise _overtaken(item_id, "answered", row["answered_by"], row["answered_at"])
    if not tombstone.may_lift(act.principal, one):
        reject.refuse("authority", f"{item_id} is for more than your fleet; answering it needs clearance 3")
    shown = inbox.announced(act.tx, act.principal, one, row, act.now)
    return Item(act, row, shown.draft, shown.asks, ended=True), shown


def _overtaken(item_id: str, what: str, who: str | None, at: int | None) -> Overtaken:
    when = f" at {from_micros(at).isoformat()}" if at is not None else ""
    return Overtaken(f"{item_id} was {what} by {who or 'somebody else'}{when}")


def judged(gate: Gate, case: Case, steps: list[Step]) -> Receipt | None:
    """Ask the gate; what rests on something that was withdrawn since is refused like any other."""
    try:
        return gate.judged(case, steps)
    except NotFound as error:
        steps.append(Step("links", Outcome.REFUSED, f"it names what is gone: {error}"))
        raise MemoryRefused(Receipt(Verdict.REFUSED, steps=tuple(steps))) from error
