"""The one gate: every write, through whichever door, passes these checks in this order.

    shape -> clearance | request -> reserved kind -> source -> tombstone -> links -> derived
        -> duplicate -> conflict -> write + audit

What stands right of the bar happens inside one write transaction, so that two racing writers
cannot slip past each other. Each check answers with one step of the trail: passed, refused,
staged (a person must decide) or duplicate. The first refusal ends it, and nothing is written.

The checks are a list that is handed in: a later mechanism is a further check in the same
list, and a lesson can take one out to see what then slips through.

Left out: what each check knows. That is said in the module of its rule.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from teachmem.errors import InvalidInput, MemoryRefused
from teachmem.ledger import journal, rows
from teachmem.ledger.database import Database, Transaction
from teachmem.ledger.journal import Change
from teachmem.normal import nfc
from teachmem.ports import Clock, IdMaker
from teachmem.principal import Principal
from teachmem.record import Draft, Memory, Receipt, Step
from teachmem.rules import admissible, authority, checks, effects, replay, shape, source
from teachmem.rules.case import Case, Check
from teachmem.vocabulary import Outcome, Source, Status, Tier, Verdict

PREFIX = {Tier.WORKING: "note", Tier.EPISODIC: "event", Tier.SEMANTIC: "fact", Tier.PROCEDURAL: "skill"}


@dataclass(slots=True)
class Gate:
    """Writes drafts and withdraws memories, for whoever asks, after the checks in `checks`."""

    database: Database
    clock: Clock
    ids: IdMaker
    checks: Sequence[Check] = field(default_factory=lambda: checks.IN_ORDER)
    embed: Callable[[Draft], bytes | None] = lambda draft: None
    check_vectors: Callable[[Transaction], None] = lambda tx: None  # raises if of another kind by now
    erased: Callable[[], object] = lambda: None  # is called after an erasure: caches and files follow
    enrich: Callable[[Draft], tuple[Draft, Step | None]] = lambda draft: (draft, None)

    def write(self, who: Principal, draft: Draft, request_id: str | None = None, noted: str = "") -> Receipt:
        """Put `draft` through every check and write it; return the receipt or raise `MemoryRefused`.

        A retry with the same `request_id` returns the first receipt. `noted` is a sentence for the
        trail about a value that was set by rule.
        """
        steps = before(who, shape.fault(draft) or request_fault(request_id), draft.visibility)
        rich, noticed = self.enrich(draft)  # before the lock is taken: these may take their time
        steps += [noticed] if noticed else []
        vector = self.embed(draft)
        payload = "" if request_id is None else replay.payload_of(draft)
        with self.database.write() as tx, journal.change(tx, who, self.clock, self.ids) as act:
            if first := replay.find(tx, who, request_id, payload, steps):
                return first
            receipt = self.within(act, rich, steps, vector, noted)
            replay.keep(act, request_id, payload, receipt)
            return receipt

    def within(
        self, act: Change, draft: Draft, steps: list[Step], vector: bytes | None = None, noted: str = ""
    ) -> Receipt:
        """Judge and write `draft` as part of an open act; `steps` are those of `before()`."""
        case = Case(
            tx=act.tx, who=act.principal, draft=draft, now=act.now, staged=_stages(steps), vector=vector
        )
        if receipt := self.judged(case, steps):
            return receipt
        return self.stage(act, case, steps) if case.staged else self.admit(act, case, steps, noted)

    def judged(self, case: Case, steps: list[Step], but: Sequence[Check] = ()) -> Receipt | None:
        """Ask every check: raise on a refusal, return a duplicate's receipt, or None to go on and write."""
        for check in (check for check in self.checks if check not in but):
            steps.append(check(case))
            if steps[-1].outcome is Outcome.REFUSED:
                raise MemoryRefused(Receipt(Verdict.REFUSED, steps=tuple(steps)))
            if steps[-1].outcome is Outcome.DUPLICATE:
                return Receipt(Verdict.DUPLICATE, case.twin, tuple(steps), candidate_id=case.waiting)
            if steps[-1].outcome is Outcome.STAGED:
                case.staged = case.staged or steps[-1].reason
        return None

    def withdraw(
        self,
        who: Principal,
        find: Callable[[Transaction, int], list[Memory]],
        *,
        action: str,
        status: Status = Status.DELETED,
        payload: Any = None,
        request_id: str | None = None,
    ) -> Receipt:
        """Give every memory that `find(tx, now)` returns a new version with `status`, as one act.

        `find` must read through the admissible clause. Raises `MemoryRefused` if one of the rows is
        not for `who` to change; then none is.
        """
        steps = before(who, request_fault(request_id), "")
        with self.database.write() as tx, journal.change(tx, who, self.clock, self.ids) as act:
            told = replay.payload_of({"action": action, **(payload or {})})
            if first := replay.find(tx, who, request_id, told, steps):
                return first
            found = find(tx, act.now)
            for memory in found:
                if not authority.may_change(
                    who, memory.tenant, memory.fleet, memory.agent, memory.visibility
                ):
                    steps.append(
                        Step("authority", Outcome.REFUSED, f"{memory.memory_id} is not yours to change")
                    )
                    raise MemoryRefused(Receipt(Verdict.REFUSED, steps=tuple(steps)))
            steps.append(Step("authority", Outcome.PASSED))
            touched = tuple(memory.memory_id for memory in found)
            for memory_id in touched:
                act.replace(memory_id, status=status)
            if touched:
                act.entry(action, touched[0], count=len(touched))
            steps.append(Step("write", Outcome.PASSED, f"{len(touched)} now {status}"))
            receipt = Receipt(
                Verdict.ACCEPTED, None, tuple(steps), act.seq if touched else None, None, touched
            )
            replay.keep(act, request_id, told, receipt)
            return receipt

    def admit(self, act: Change, case: Case, steps: list[Step], noted: str = "") -> Receipt:
        """Write the memory of a case that was judged; leave its entry."""
        draft, who = case.draft, case.who
        memory_id = self.ids.new(PREFIX[Tier(draft.tier)])
        effects.retire(act, case)  # first: two live twins cannot stand side by side
        act.add(
            {
                "memory_id": memory_id,
                "version": 1,
                "tenant": who.tenant,
                "fleet": who.fleet,
                "agent": who.name,
                "visibility": str(draft.visibility),
                "session": nfc(draft.session),
                "tier": str(draft.tier),
                "status": str(case.status),
                "keystone": 0,
                **self.said(case),
            }
        )
        for parent, relation in case.rests_on:
            act.derive(memory_id, parent, relation)
        asked = effects.link_rivals(act, case, memory_id)
        act.entry(f"{draft.tier}.write", memory_id)
        memory = admissible.in_scope(case.tx, who, memory_id)
        steps.append(Step("write", Outcome.NOTED if noted else Outcome.PASSED, noted))
        touched = tuple(item["id"] for item in act.touched)
        return Receipt(Verdict.ACCEPTED, memory, tuple(steps), act.seq, asked, touched)

    def said(self, case: Case) -> dict[str, Any]:
        """Return the columns that a draft fills: what is said, how surely, by whom, for which time."""
        draft = case.draft
        said_by = source.claimed(case.who, draft.source)
        salt = self.ids.salt()
        if case.vector is not None:  # under the lock: the store may have been re-embedded since it was made
            self.check_vectors(case.tx)
        return {
            "kind": draft.kind,
            **case.triple,
            "content": draft.content,
            "content_digest": rows.content_digest(draft.content, salt),
            "salt": salt,
            "importance": draft.importance,
            "confidence": draft.confidence,
            "is_inferred": int(draft.is_inferred or said_by is Source.INFERRED),
            "source": str(said_by),
            **case.times,
            "qualifiers": rows.to_json(draft.qualifiers),
            "detail": rows.to_json(effects.flagged(case)),
            "embedding": case.vector,
            "twin_key": case.twin_key,
            "claim_key": case.claim_key,
        }

    def stage(
        self, act: Change, case: Case, steps: list[Step], asks: Mapping[str, Any] | None = None
    ) -> Receipt:
        """Put the case before a person; `asks` says what approval would do, if it is no first write."""
        quarantined = case.tainted or source.is_untrusted(source.claimed(case.who, case.draft.source))
        state = "quarantined" if quarantined else "staged"
        candidate_id, digest = effects.candidate(
            act, case, state, case.staged, case.waiting_key(), asks or {}
        )
        act.entry("stage", candidate_id, state=state, digest=digest)
        steps.append(Step("write", Outcome.STAGED, f"waits for a person as {candidate_id}"))
        return Receipt(Verdict.STAGED, None, tuple(steps), act.seq, candidate_id)

    def put_before_a_person(
        self, act: Change, case: Case, steps: list[Step], asks: Mapping[str, Any]
    ) -> Receipt:
        """Stage what `asks` says, unless just this waits already."""
        steps.append(checks.asked_before(case))
        if steps[-1].outcome is Outcome.DUPLICATE:
            return Receipt(Verdict.DUPLICATE, None, tuple(steps), candidate_id=case.waiting)
        return self.stage(act, case, steps, asks)


def before(who: Principal, shape_fault: str | None, visibility: str) -> list[Step]:
    """Run the two checks that need no store; return their steps or raise."""
    steps = [Step("shape", Outcome.REFUSED if shape_fault else Outcome.PASSED, shape_fault or "")]
    if not shape_fault:
        outcome, reason = Outcome.PASSED, ""
        if found := authority.write_fault(who, visibility):
            outcome, reason = (Outcome.STAGED if found[0] else Outcome.REFUSED), found[1]
        steps.append(Step("clearance", outcome, reason))
    if steps[-1].outcome is Outcome.REFUSED:
        raise MemoryRefused(Receipt(Verdict.REFUSED, steps=tuple(steps)))
    return steps


def _stages(steps: Sequence[Step]) -> str:
    return next((step.reason for step in steps if step.outcome is Outcome.STAGED), "")


def request_fault(request_id: str | None) -> str | None:
    """Say what is wrong with a request's id, or None."""
    try:
        if request_id is not None:
            shape.check_name("request_id", request_id, empty=False)
    except InvalidInput as error:
        return str(error)
    return None
