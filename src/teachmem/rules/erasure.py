"""Erasure: a person makes a memory forget what it said, and the chain still verifies.

| who | may erase |
|---|---|
| an agent | nothing; it may ask for its own, and a person decides |
| a person | their own rows and the team rows of their fleet |
| a steward | any row of the tenant, private ones too |

Left out: what is reached (`rules/reach.py`), and bytes in files and indexes (`tiers/forgetting.py`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from teachmem.errors import MemoryRefused, NotFound
from teachmem.ledger import journal, rows
from teachmem.ledger.database import Transaction
from teachmem.ledger.journal import Change
from teachmem.principal import Principal
from teachmem.record import Draft, Memory, Receipt, Step
from teachmem.rules import admissible, authority, certificate, reach, replay, shape
from teachmem.rules import gate as gates
from teachmem.rules.case import Case
from teachmem.rules.certificate import Certificate
from teachmem.rules.gate import Gate
from teachmem.vocabulary import Outcome, Role, Verdict


def forget(gate: Gate, who: Principal, memory_id: str, reason: str) -> Certificate:
    """Erase what a memory says, for good, in one transaction; return the certificate of its rows.

    Raises `NotFound` for a memory that `who` may not see (a steward may: any of the tenant),
    `MemoryRefused` for one that is not theirs to erase. What is erased already gets its certificate
    again, and nothing is written.
    """
    shape.check_text("reason", reason)
    steps = gates.before(who, None, "")
    with gate.database.read() as tx:  # it reads every text, so it is done before the lock is taken
        alike = reach.same_words(tx, who, _target(tx, who, memory_id))
    with gate.database.write() as tx, journal.change(tx, who, gate.clock, gate.ids) as act:
        found = _target(tx, who, memory_id)
        _refuse_unless(_may(who, found), steps, f"{memory_id} is not yours to erase")
        if found.is_erased:
            return again(tx, who, int(found.detail["erased"]), memory_id)
        salt = gate.ids.salt()
        reach.erase(act, memory_id, rows.content_digest(reason, salt))
    with gate.database.read() as tx:
        done = again(tx, who, act.seq, memory_id)
    kept = tuple(each for each in alike if each not in (memory_id, *done.derived))
    return replace(done, same_words=kept, reason=reason, reason_salt=salt.hex())


def ask(gate: Gate, who: Principal, memory_id: str, reason: str, request_id: str | None = None) -> Receipt:
    """Put before a person that one of `who`'s own memories be erased: the verdict is staged.

    Raises `NotFound` for a memory out of sight or erased already, `MemoryRefused` for another's.
    """
    shape.check_text("reason", reason)
    steps = gates.before(who, gates.request_fault(request_id), "")
    payload = replay.payload_of({"forget": str(memory_id), "reason": reason})
    with gate.database.write() as tx, journal.change(tx, who, gate.clock, gate.ids) as act:
        if first := replay.find(tx, who, request_id, payload, steps):
            return first
        found = admissible.in_scope(tx, who, memory_id)
        if found is None or found.is_erased:
            raise NotFound(memory_id)
        own = (found.fleet, found.agent) == (who.fleet, who.name)
        _refuse_unless(own, steps, f"{memory_id} is another's; its writer or a person asks to erase it")
        asks = {"forgets": memory_id, "reason": reason}
        if waits := reach.asked_already(tx, who.tenant, memory_id):
            steps.append(Step("duplicate", Outcome.DUPLICATE, f"{waits} already asks for this"))
            receipt = Receipt(Verdict.DUPLICATE, None, tuple(steps), candidate_id=waits)
        else:
            draft = Draft(tier=found.tier, kind=found.kind, content=f"erase {memory_id}")
            case = Case(tx=tx, who=who, draft=draft, now=act.now)
            case.twin_key = reach.asking(memory_id)
            case.staged = f"only a person erases; {who.name} asks that {memory_id} be erased"
            steps.append(Step("authority", Outcome.STAGED, case.staged))
            receipt = gate.stage(act, case, steps, asks)
        replay.keep(act, request_id, payload, receipt)
        return receipt


def again(tx: Transaction, who: Principal, seq: int, memory_id: str) -> Certificate:
    """Return the certificate of the erasure that entry `seq` tells of, as `who` may read it."""
    body, entry_hash = certificate.entry(tx, who.tenant, seq)

    def sees(each: str) -> bool:
        return who.is_steward or admissible.in_scope(tx, who, each) is not None

    return certificate.written(body, entry_hash, sees, memory_id)


def _target(tx: Transaction, who: Principal, memory_id: Any) -> Memory:
    """Return what is to be erased: what `who` may see exists, and for a steward anything of the tenant."""
    found = admissible.in_scope(tx, who, memory_id)
    if found is None and who.is_steward:
        found = admissible.of_tenant(tx, who.tenant, memory_id)
    if found is None:
        raise NotFound(memory_id)
    return found


def _may(who: Principal, found: Memory) -> bool:
    return who.role is Role.PERSON and authority.may_change(
        who, found.tenant, found.fleet, found.agent, found.visibility
    )


def _refuse_unless(allowed: bool, steps: list[Step], why: str) -> None:
    if not allowed:
        steps.append(Step("authority", Outcome.REFUSED, why))
        raise MemoryRefused(Receipt(Verdict.REFUSED, steps=tuple(steps)))


def approve(act: Change, memory_id: str, reason: str, steps: list[Step]) -> Receipt:
    """Erase what a candidate asks for, in the act of the person who approves it; leave the entry."""
    found = _target(act.tx, act.principal, memory_id)
    if found.is_erased:
        raise NotFound(memory_id)
    _refuse_unless(_may(act.principal, found), steps, f"{memory_id} is not yours to erase")
    steps.append(Step("authority", Outcome.PASSED))
    reach.erase(act, memory_id, rows.content_digest(reason, act.ids.salt()))
    touched = dict.fromkeys(item["id"] for item in act.touched)
    return Receipt(Verdict.ACCEPTED, None, tuple(steps), act.seq, touched=tuple(touched))
