"""A person decides on what waits. Only a `Person` holds a `Review`; no agent's handle reaches it.

Five actions: approve, reject, edit, defer, quarantine. Each is one transaction with one audit entry in
the person's name. Whoever decides may hand back what they have read, the candidate or its digest; if it
has changed since, they are told (`Overtaken`) and nothing happens. So is the second of two people who
decide at once. The chain holds digests of people's words; the words stay in the rows.

Left out: who the person is. In-process code is trusted to say so, a server asks the credential.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from teachmem.clock import from_micros, to_micros
from teachmem.errors import InvalidInput, MemoryRefused, Overtaken, TeachmemError
from teachmem.ledger import chain, rows
from teachmem.normal import nfc, normal_form
from teachmem.principal import Principal
from teachmem.record import Receipt, Step
from teachmem.rules import admissible, amend, approve, desk, inbox, reject, replay, shape, tombstone
from teachmem.rules import gate as gates
from teachmem.rules.case import Case
from teachmem.rules.desk import Item
from teachmem.rules.gate import Gate
from teachmem.rules.inbox import Candidate
from teachmem.rules.reject import Fleets
from teachmem.vocabulary import Outcome, Tier, Verdict

EDITABLE = tuple(name for name in amend.REVISABLE if name not in ("source", "is_inferred"))
OF_THE_TEXT = ("rewrites", "enriched")  # kept beside a text, and gone with it
BULK = ("approve", "reject", "defer", "quarantine")
LEAVES_ALONE = ("retracts", "moves", "forgets")  # no to these is no rejection of what the memory says


class Review:
    """The inbox of one person, and what they may do about it."""

    def __init__(self, who: Principal, gate: Gate) -> None:
        self._who = who
        self._gate = gate

    def inbox(self, *, deferred: bool = False) -> list[Candidate]:
        """Return what waits for you, oldest first, then moratoria that have ended.

        What was put off comes back at its time; `deferred=True` shows it now.
        """
        with self._gate.database.read() as tx:
            now = max(to_micros(self._gate.clock.now()), chain.head(tx, self._who.tenant).time)
            return inbox.waiting(tx, self._who, now, deferred)

    def approve(self, item: str | Candidate, *, seen: str | None = None) -> Receipt:
        """Do what a candidate asks, after the gate has judged it again; raise `MemoryRefused` if it may not.

        Of an ended moratorium: note that you have seen it. Nothing is written, and the value may be
        proposed again.
        """
        read, vector = self._vector(item)
        with desk.opened(self._gate, self._who, item, seen) as found:
            if found.ended:
                found.steps.append(Step("review", Outcome.NOTED, "the value may be proposed again"))
                return found.close("approve", Receipt(Verdict.ACCEPTED, None, tuple(found.steps)))
            if found.row["content_digest"] != read:
                raise Overtaken(f"{found.id} was edited while you approved it; read it again")
            receipt = approve.approve(self._gate, found, vector)
            if "forgets" not in found.asks:  # an erasure has an entry of its own, and the candidate is gone
                return found.close("approve", receipt, receipt.memory.memory_id if receipt.memory else None)
        self._gate.erased()
        return replace(receipt, candidate_id=found.id)

    def reject(
        self,
        item: str | Candidate,
        reason: str,
        until: datetime | None = None,
        *,
        fleets: Fleets = None,
        seen: str | None = None,
    ) -> Receipt:
        """Say no, and keep the value out of every door: for good, or `until` a moment (a moratorium).

        No to a change rejects what it would newly say; no to a retraction leaves the memory as it is. No
        to a claim that is contradicted, or has lost its ground, withdraws it. Of an ended moratorium: reject
        the value anew.
        """
        shape.check_text("reason", reason)
        with desk.opened(self._gate, self._who, item, seen) as found:
            if found.ended:
                made, touched = reject.renew(found.act, found.row, reason, until)
            else:
                place = reject.fleets_of(self._who, fleets, found.row["fleet"], found.draft.visibility)
                value, claim = self._newly_said(found)
                evidence = (found.id, *found.draft.evidence)
                found.row["reason"] = reason
                if value is None and not claim:
                    receipt = Receipt(Verdict.ACCEPTED, None, (Step("review", Outcome.PASSED),))
                    return found.close("reject", receipt, reason=found.digest(reason))
                kind = "cluster" if found.draft.tier == Tier.PROCEDURAL else "value"
                made = reject.bury(found.act, value, claim, reason, until, place, evidence, kind)
                touched = reject.withdraw(found.act, made, value, claim, place, [Tier(found.draft.tier)])
            named = f"{reject.named(made)} {made['tombstone_id']} keeps the value out"
            found.steps.append(Step("tombstone", Outcome.PASSED, named))
            receipt = Receipt(Verdict.ACCEPTED, None, tuple(found.steps), touched=tuple(touched))
            return found.close("reject", receipt, made["tombstone_id"], **reject.told(made))

    def edit(
        self, item: str | Candidate, text: str | None = None, *, seen: str | None = None, **changes: Any
    ) -> Receipt:
        """Change what a candidate says; it is judged again, gets a new digest and goes on waiting.

        `changes` may name what a revision may change, but not the source. Raises `MemoryRefused` for what
        the gate would refuse, or what is held or waits already.
        """
        changes = {**changes, **({} if text is None else {"content": text})}
        unknown = sorted(set(changes) - set(EDITABLE))
        if unknown or not changes:
            given = f"{', '.join(unknown)} cannot be edited" if unknown else "nothing to change was given"
            raise InvalidInput("changes", f"{given}; these can: {', '.join(EDITABLE)}")
        with desk.opened(self._gate, self._who, item, seen) as found:
            if found.ended or set(found.asks) - {"revises", "version"}:
                reject.refuse("review", f"{found.id} asks about what is held; there is no text to edit")
            draft = self._edited(found, changes)
            salt = found.act.ids.salt()
            found.row["salt"] = salt
            found.row["content_digest"] = rows.content_digest(draft.content, salt)
            found.row["draft"] = replay.payload_of({"draft": draft, **found.asks})
            return found.keep("edit", digest=found.row["content_digest"])

    def defer(self, item: str | Candidate, until: datetime, *, seen: str | None = None) -> Receipt:
        """Put an item off: it is out of the inbox `until` a moment, and then back."""
        ends = to_micros(until, "until")
        with desk.opened(self._gate, self._who, item, seen) as found:
            if ends <= found.act.now:
                raise InvalidInput("until", "has passed already; give a moment to come")
            found.row["put_off" if found.ended else "until"] = ends
            when = from_micros(ends).isoformat()
            found.steps.append(Step("review", Outcome.NOTED, f"put off until {when}"))
            return found.keep("defer", until=when)

    def quarantine(self, item: str | Candidate, reason: str, *, seen: str | None = None) -> Receipt:
        """Mark a candidate as suspicious: it goes on waiting, labelled `quarantined`, with your reason."""
        shape.check_text("reason", reason)
        with desk.opened(self._gate, self._who, item, seen) as found:
            if found.ended:
                reject.refuse("review", f"{found.id} is a moratorium; only a candidate is quarantined")
            found.row.update(state="quarantined", reason=reason)
            found.steps.append(Step("review", Outcome.NOTED, "quarantined"))
            return found.keep("quarantine", reason=found.digest(reason))

    def bulk(self, action: str, items: Iterable[str | Candidate], **words: Any) -> list[Receipt]:
        """Take one action on each item, each for itself; return one receipt each, in order.

        One that fails gets a receipt that says refused, and why. Approving many takes the candidates
        themselves, as they were read, and not their ids.
        """
        shape.check_member("action", action, BULK)
        chosen = list(items)
        if action == "approve" and not all(isinstance(item, Candidate) for item in chosen):
            raise InvalidInput("items", "must be candidates out of your inbox: many are approved as read")
        act: Callable[..., Receipt] = getattr(self, action)
        return [_attempt(act, item, words) for item in chosen]

    def _vector(self, item: str | Candidate) -> tuple[str, bytes | None]:
        """Return the digest and the vector of a text: made before the lock, since it may take its time."""
        item_id = item.candidate_id if isinstance(item, Candidate) else item
        with self._gate.database.read() as tx:
            row = inbox.row_of(tx, self._who, item_id)
        return (row["content_digest"], self._gate.embed(inbox.proposal(row)[0])) if row else ("", None)

    def _edited(self, found: Item, changes: Mapping[str, Any]) -> Any:
        """Return the draft with `changes`, judged; its row gets the new reason and twin key."""
        detail = {name: value for name, value in found.draft.detail.items() if name not in OF_THE_TEXT}
        draft = replace(found.draft, **changes, detail={**detail, "edited_by": self._who.name})
        found.steps += gates.before(self._who, shape.fault(draft), "")
        old = approve.target(found, found.asks["revises"]) if "revises" in found.asks else None
        case = Case(found.act.tx, found.author, draft, found.act.now, revises=old)
        case.staged = f"edited by {self._who.name}"
        if case.twin_key == found.row["twin_key"] and draft.content == found.draft.content:
            raise InvalidInput("changes", f"{found.id} says this already")
        mine = case.twin_key == found.row["twin_key"]  # the same value in another spelling is no twin
        if not mine and (twin := desk.judged(self._gate, case, found.steps)):
            raise MemoryRefused(replace(twin, verdict=Verdict.REFUSED))
        staged = [step.reason for step in found.steps if step.outcome is Outcome.STAGED]
        found.row.update(twin_key=case.twin_key, reason="; ".join([case.staged, *staged]))
        return draft

    def _newly_said(self, found: Item) -> tuple[str | None, tuple[str, ...]]:
        """Return the value and the claim that a candidate brings, without what is held already."""
        draft = found.draft
        if any(name in found.asks for name in LEAVES_ALONE):
            return None, ()
        triple = (nfc(getattr(draft, name) or "") for name in ("subject", "predicate", "object"))
        value, claim = draft.content, tombstone.claim_of(draft.tier, *triple)
        held = admissible.in_scope(found.act.tx, self._who, found.asks.get("revises", ""))
        if held is None:
            return value, claim
        same = normal_form(value) == normal_form(held.content)
        kept = tombstone.claim_of(held.tier, held.subject, held.predicate, held.object)
        return None if same else value, () if claim == kept else claim


def _attempt(act: Callable[..., Receipt], item: str | Candidate, words: Mapping[str, Any]) -> Receipt:
    try:
        return act(item, **words)
    except MemoryRefused as refusal:
        return refusal.receipt
    except TeachmemError as error:
        return Receipt(Verdict.REFUSED, steps=(Step("review", Outcome.REFUSED, str(error)),))
