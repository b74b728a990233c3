"""A person says no: the value is withdrawn wherever it is live, and a tombstone keeps it out.

Rejecting is one act with one audit entry. Every live memory that says the value, in any tier, in the
fleets that the tombstone is for, becomes cancelled, where the person may change it; a private one of
somebody else is reached by a steward only. Lifting a tombstone brings nothing back: it lets the
value be written again.

The reason's words stay in the tombstone's row; the chain has a salted digest of them.

Left out: putting texts that were derived from the value right; their lineage shows them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, select

from teachmem.clock import from_micros, to_micros
from teachmem.errors import InvalidInput, MemoryRefused, NotFound
from teachmem.ledger import journal, rows
from teachmem.ledger.database import Prepared
from teachmem.ledger.journal import Change
from teachmem.ledger.schema import memories
from teachmem.normal import nfc, normal_form
from teachmem.principal import Principal
from teachmem.record import Memory, Receipt, Step
from teachmem.rules import admissible, alike, authority, scope, shape, tombstone, trust
from teachmem.rules import gate as gates
from teachmem.rules.gate import Gate
from teachmem.rules.tombstone import Tombstone
from teachmem.vocabulary import Outcome, Status, Tier, Verdict, Visibility

Fleets = Sequence[str] | str | None  # fleets by name, "all", or None for the memory's own

_live = Prepared(
    select(*rows.SHOWN).where(
        memories.c.tenant == bindparam("tenant"), memories.c.superseded_at.is_(None), trust.clause()
    )
)


def reject(
    gate: Gate,
    who: Principal,
    tier: Tier,
    memory_id: str,
    reason: str,
    until: datetime | None = None,
    fleets: Fleets = None,
) -> Receipt:
    """Withdraw a memory's value and keep it out, for good or `until` a moment (a moratorium).

    `fleets` is for a steward: "all", or fleets by name; a value of the whole organisation is rejected
    for all. Raises `NotFound` for what `who` may not see, `MemoryRefused` for what is not theirs.
    """
    shape.check_text("reason", reason)
    steps = gates.before(who, None, "")
    with gate.database.write() as tx, journal.change(tx, who, gate.clock, gate.ids) as act:
        found = admissible.in_scope(tx, who, memory_id)
        if found is None or found.tier is not tier or found.is_erased:
            raise NotFound(memory_id)
        place = fleets_of(who, fleets, found.fleet, found.visibility)
        if not authority.may_change(who, found.tenant, found.fleet, found.agent, found.visibility):
            steps.append(Step("authority", Outcome.REFUSED, f"{memory_id} is not yours to change"))
            raise MemoryRefused(Receipt(Verdict.REFUSED, steps=tuple(steps)))
        steps.append(Step("authority", Outcome.PASSED))
        claim = tombstone.claim_of(found.tier, found.subject, found.predicate, found.object)
        made = bury(act, found.content, claim, reason, until, place, [memory_id])
        touched = withdraw(act, made, found.content, claim, place)
        act.entry(f"{tier}.reject", memory_id, **told(made))
        said = f"{len(touched)} withdrawn, {named(made)} {made['tombstone_id']} keeps the value out"
        steps.append(Step("write", Outcome.PASSED, said))
        memory = admissible.in_scope(tx, who, memory_id)
        return Receipt(Verdict.ACCEPTED, memory, tuple(steps), act.seq, None, tuple(touched))


def bury(
    act: Change,
    content: str | None,
    claim: Sequence[str],
    reason: str,
    until: datetime | None,
    fleets: Sequence[str],
    evidence: Iterable[str],
    kind: str = "value",
) -> dict[str, Any]:
    """Add a tombstone and return its row. `fleets` empty means all; an end that has passed is refused.

    Without a `content` it is the claim alone that is rejected.
    """
    key = key_of(act)
    row = {
        "tombstone_id": act.ids.new("tombstone"),
        "tenant": act.principal.tenant,
        "fleets": json.dumps(sorted(fleets)) if fleets else tombstone.ALL,
        "kind": kind,
        "key": key,
        "value_print": "" if content is None else tombstone.value_print(key, content),
        "triple_print": tombstone.triple_print(key, claim) if claim else "",
        "figures": None if content is None else alike.gist(content).figures,
        "content": content,
        "triple": json.dumps(list(claim), ensure_ascii=False) if claim else None,
        "reason": reason,
        "salt": act.ids.salt(),
        "evidence": json.dumps(list(dict.fromkeys(evidence))),
        "until": _end(act, until),
    }
    act.bury(row)
    return row


def key_of(act: Change) -> str:
    """Return the key of the tenant's prints, a new one before its first tombstone."""
    return next(tombstone.keys(act.tx, act.principal.tenant), None) or (act.ids.salt() + act.ids.salt()).hex()


def renew(
    act: Change, row: dict[str, Any], reason: str, until: datetime | None
) -> tuple[dict[str, Any], list[str]]:
    """Reject the value of an ended moratorium anew: the same prints, also where the text was erased.

    Return the new row, and what was written of the value in the meantime and is withdrawn.
    """
    made = {
        **row,
        "tombstone_id": act.ids.new("tombstone"),
        "reason": reason,
        "salt": act.ids.salt(),
        "evidence": json.dumps([row["tombstone_id"], *json.loads(row["evidence"])]),
        "until": _end(act, until),
    }
    for name in ("made_in", "made_by", "made_at", *journal.ANSWERED):
        del made[name]
    act.bury(made)
    fleets, claim = json.loads(row["fleets"] or "[]"), json.loads(row["triple"] or "[]")
    return made, withdraw(act, made, row["content"], claim, fleets)


def _end(act: Change, until: datetime | None) -> int | None:
    """Return the end of a moratorium in microseconds; one that has passed is refused."""
    ends = None if until is None else to_micros(until, "until")
    if ends is not None and ends <= act.now:
        raise InvalidInput("until", "has passed already; leave it out to reject the value for good")
    return ends


def told(row: dict[str, Any]) -> dict[str, Any]:
    """Return what the chain says of a new tombstone: its id, its keyed print, a digest of the reason."""
    return {
        "tombstone": row["tombstone_id"],
        "print": row["value_print"],
        "until": None if row["until"] is None else from_micros(row["until"]).isoformat(),
        "reason": rows.content_digest(row["reason"], bytes(row["salt"])),
    }


def named(row: dict[str, Any]) -> str:
    """Return what a tombstone with this row is called."""
    return "tombstone" if row["until"] is None else "moratorium"


def withdraw(
    act: Change,
    made: dict[str, Any],
    content: str | None,
    claim: Sequence[str],
    fleets: Sequence[str],
    tiers: Sequence[Tier] = tuple(Tier),
) -> list[str]:
    """Cancel every live memory in `fleets` that says the value, where the person may; return their ids."""
    form, who = None if content is None else normal_form(content), act.principal

    def says(memory: Memory) -> bool:
        its = tombstone.claim_of(memory.tier, memory.subject, memory.predicate, memory.object)
        same = bool(claim) and len(its) == 3 and tombstone.triple_print("", its) == wanted
        return same or normal_form(memory.content) == form

    wanted = tombstone.triple_print("", claim) if claim else ""
    found = (rows.to_memory(row) for row in act.tx.all(_live, tenant=who.tenant))
    touched = []
    for memory in found:
        if memory.tier not in tiers or (fleets and memory.fleet not in fleets):
            continue
        if not authority.may_change(who, memory.tenant, memory.fleet, memory.agent, memory.visibility):
            continue
        if says(memory):
            detail = rows.to_json({**memory.detail, "tombstone": made["tombstone_id"]})
            act.replace(memory.memory_id, status=str(Status.CANCELLED), detail=detail)
            act.derive(memory.memory_id, made["tombstone_id"], "rejected")
            touched.append(memory.memory_id)
    return touched


def fleets_of(who: Principal, asked: Fleets, fleet: str, visibility: str) -> list[str]:
    """Return the fleets that a rejection is for, none for all; refuse what is more than `who` may say."""
    if asked is None:
        return [] if visibility == Visibility.ORG and scope.crosses_fleets(who) else [fleet]
    chosen = [] if asked == "all" else [asked] if isinstance(asked, str) else list(asked)
    for name in chosen:
        shape.check_name("fleets", name, empty=False)
    if asked != "all" and not chosen:
        raise InvalidInput("fleets", "names none; leave it out for the memory's own fleet, or say 'all'")
    names = sorted({nfc(name) for name in chosen})
    if names != [who.fleet] and not who.is_steward:
        raise InvalidInput("fleets", "rejecting for another fleet than your own needs clearance 3")
    return names


def lift(gate: Gate, who: Principal, tombstone_id: str, reason: str) -> Tombstone:
    """Let a rejected value be written again, and keep why; return the tombstone, lifted.

    Raises `NotFound` for one that `who` may not see, `MemoryRefused` for one that is not theirs to lift
    or does not hold any more.
    """
    shape.check_text("reason", reason)
    with gate.database.write() as tx, journal.change(tx, who, gate.clock, gate.ids) as act:
        row, one = seen(act, tombstone_id)
        if not tombstone.may_lift(who, one):
            refuse("authority", f"{tombstone_id} is for more than your fleet; lifting it needs clearance 3")
        if one.state != "standing":
            refuse("tombstone", f"{tombstone_id} is {one.state} already")
        after = {**row, "lifted_by": who.name, "lifted_at": act.now, "lifted_because": reason}
        act.answer(after)
        digest = rows.content_digest(reason, bytes(row["salt"] or act.ids.salt()))
        act.entry("tombstone.lift", tombstone_id, reason=digest)
        return tombstone.to_tombstone(after, act.now)


def seen(act: Change, tombstone_id: str) -> tuple[dict[str, Any], Tombstone]:
    """Return a tombstone's row and record, or raise `NotFound`: absent and out of scope sound the same."""
    is_id = admissible.could_be_id(tombstone_id)
    row = tombstone.row_of(act.tx, act.principal.tenant, tombstone_id) if is_id else None
    one = None if row is None else tombstone.to_tombstone(row, act.now)
    if row is None or one is None or not tombstone.may_see(act.principal, one):
        raise NotFound(tombstone_id)
    return row, one


def refuse(check: str, reason: str) -> None:
    """Raise the refusal of an act that is no write."""
    raise MemoryRefused(Receipt(Verdict.REFUSED, steps=(Step(check, Outcome.REFUSED, reason),)))
