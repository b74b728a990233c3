"""The standing of a memory: its status, moved by hand along the table, and its place among the keystones.

A move is a new version with the reason in its detail; the text stays as it is. So it can be undone,
where the table has a way back. What comes back to life, or is confirmed, is judged again: it may be
no duplicate of what is live by now, and no claim against stronger evidence. A confirmation has a
person's word, so it takes the flags away and may retire what says otherwise.

A keystone is a memory that stands first in every context. Only a person makes one.

Left out: what moves by rule (`rules/lifecycle.py`, `rules/conflict.py`).
"""

from __future__ import annotations

from collections.abc import Mapping

from teachmem import states
from teachmem.errors import MemoryRefused, NotFound
from teachmem.ledger import journal, rows
from teachmem.principal import Principal
from teachmem.record import Memory, Receipt, Step
from teachmem.rules import admissible, amend, checks, effects, replay, shape
from teachmem.rules import gate as gates
from teachmem.rules.case import Case
from teachmem.rules.gate import Gate
from teachmem.vocabulary import LIVE, Outcome, Role, Status, Verdict


def set_status(
    gate: Gate, who: Principal, memory_id: str, status: str, reason: str, request_id: str | None = None
) -> Receipt:
    """Move a memory of any tier to `status`; another's is put before a person.

    The chain holds a salted digest of the reason, never its words. Raises `NotFound` for a memory that
    `who` may not see, `MemoryRefused` for a move that the table does not have, with those that it has.
    """
    shape.check_member("status", status, Status)
    shape.check_text("reason", reason)
    wanted = Status(status)
    steps = gates.before(who, gates.request_fault(request_id), "")
    asks = {"moves": memory_id, "status": str(wanted), "reason": reason}
    payload = replay.payload_of(asks)
    with gate.database.write() as tx, journal.change(tx, who, gate.clock, gate.ids) as act:
        if first := replay.find(tx, who, request_id, payload, steps):
            return first
        old = _in_scope(act, memory_id)
        _check_move(who, old, wanted, steps)
        case = _case(act, old, wanted, reason)
        amend.ask_authority(case, steps)
        if old.status is wanted:
            steps.append(Step("duplicate", Outcome.DUPLICATE, f"{memory_id} is already {wanted}"))
            receipt = Receipt(Verdict.DUPLICATE, old, tuple(steps))
        elif case.staged:
            receipt = gate.put_before_a_person(act, case, steps, asks)
        else:
            receipt = _judged_again(gate, case, old, steps) or _moved(gate, act, case, reason, steps)
        replay.keep(act, request_id, payload, receipt)
        return receipt


def decided(gate: Gate, act: journal.Change, asks: Mapping[str, str], steps: list[Step]) -> Receipt:
    """Make a move that was put before a person, in their name and by their right."""
    wanted, reason = Status(asks["status"]), asks["reason"]
    old = _in_scope(act, asks["moves"])
    _check_move(act.principal, old, wanted, steps)
    case = _case(act, old, wanted, reason)
    return _judged_again(gate, case, old, steps) or _moved(gate, act, case, reason, steps)


def _case(act: journal.Change, old: Memory, wanted: Status, reason: str) -> Case:
    detail = {**old.detail, "status_because": reason}
    if wanted is Status.CONFIRMED:
        detail.pop("flagged", None)
    draft = amend.merged(old, {"source": str(old.source)}, detail)
    verb = f"moves to {wanted}"
    case = Case(tx=act.tx, who=act.principal, draft=draft, now=act.now, revises=old, verb=verb)
    case.status = wanted
    return case


def _in_scope(act: journal.Change, memory_id: str) -> Memory:
    found = admissible.in_scope(act.tx, act.principal, memory_id)
    if found is None:
        raise NotFound(memory_id)
    return found


def _check_move(who: Principal, old: Memory, wanted: Status, steps: list[Step]) -> None:
    wrong = states.fault(who.role, old.status, wanted)
    steps.append(Step("transition", Outcome.REFUSED if wrong else Outcome.PASSED, wrong))
    if wrong:
        raise MemoryRefused(Receipt(Verdict.REFUSED, steps=tuple(steps)))


def _judged_again(gate: Gate, case: Case, old: Memory, steps: list[Step]) -> Receipt | None:
    """Put what comes back, or is confirmed, through the checks on its value; its words were judged before."""
    wanted = case.status
    if wanted not in LIVE or (old.status in LIVE and wanted is not Status.CONFIRMED):
        return None
    if wrong := shape.fault(case.draft):  # erased: there is nothing to bring back
        steps[0] = Step("shape", Outcome.REFUSED, wrong)
        raise MemoryRefused(Receipt(Verdict.REFUSED, steps=tuple(steps[:1])))
    receipt = gate.judged(case, steps, but=checks.OF_WORDS)
    if case.status is not wanted:
        reason = f"{steps[-1].reason}; withdraw that first, or have a person confirm this"
        steps[-1] = Step("conflict", Outcome.REFUSED, reason)
        raise MemoryRefused(Receipt(Verdict.REFUSED, steps=tuple(steps)))
    return receipt


def _moved(gate: Gate, act: journal.Change, case: Case, reason: str, steps: list[Step]) -> Receipt:
    old = case.revises
    assert old is not None
    effects.retire(act, case)
    detail = rows.to_json(effects.flagged(case))
    after = act.replace(old.memory_id, status=str(case.status), detail=detail)
    asked = effects.link_rivals(act, case, old.memory_id) if case.status in LIVE else None
    digest = rows.content_digest(reason, bytes(after["salt"] or b""))
    act.entry(
        f"{old.tier}.status", old.memory_id, before=str(old.status), after=str(case.status), reason=digest
    )
    steps.append(Step("write", Outcome.PASSED, f"{old.memory_id} was {old.status} and is now {case.status}"))
    memory = admissible.in_scope(act.tx, case.who, old.memory_id)
    touched = tuple(dict.fromkeys(item["id"] for item in act.touched))
    return Receipt(Verdict.ACCEPTED, memory, tuple(steps), act.seq, asked, touched)


def keystone(gate: Gate, who: Principal, memory_id: str, on: bool = True) -> Receipt:
    """Make a live memory a keystone, or none any more: a person for their fleet, a steward for any."""
    shape.check_flag("on", on)
    steps = gates.before(who, None, "")
    with gate.database.write() as tx, journal.change(tx, who, gate.clock, gate.ids) as act:
        old = _in_scope(act, memory_id)
        if old.status not in LIVE:
            raise NotFound(memory_id)
        allowed = who.role is Role.PERSON and (who.is_steward or old.fleet == who.fleet)
        reason = "" if allowed else "a keystone is set by a person of its fleet, or by a steward"
        steps.append(Step("authority", Outcome.PASSED if allowed else Outcome.REFUSED, reason))
        if not allowed:
            raise MemoryRefused(Receipt(Verdict.REFUSED, steps=tuple(steps)))
        if old.keystone is on:
            steps.append(Step("duplicate", Outcome.DUPLICATE, "it already is so"))
            return Receipt(Verdict.DUPLICATE, old, tuple(steps))
        act.replace(memory_id, keystone=int(on))
        act.entry("keystone.set" if on else "keystone.unset", memory_id)
        steps.append(Step("write", Outcome.PASSED))
        memory = admissible.in_scope(tx, who, memory_id)
        return Receipt(Verdict.ACCEPTED, memory, tuple(steps), act.seq, None, (memory_id,))
