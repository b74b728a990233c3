"""What approving a candidate does: the gate judges it again, now, and what is then written is its author's.

A candidate may ask for more than a first write. Each kind of asking has one function here:

| it asks | approval |
|---|---|
| nothing | writes the memory, with the author's address and source |
| revises | writes the next version of that memory |
| retracts | withdraws that memory |
| moves | moves that memory to another status |
| forgets | erases that memory; the candidate goes with it |
| conflict, flagged | lets what is held stand |

Refused is what has been rejected since, what contradicts a memory that is held, and what is not the
person's to change. What the candidate would change must be as it was when it was proposed.

Left out: the other actions (`rules/review.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from teachmem.errors import MemoryRefused, NotFound, Overtaken
from teachmem.ledger import lineage
from teachmem.record import Memory, Receipt, Step
from teachmem.rules import admissible, amend, authority, desk, erasure, reject, shape, standing
from teachmem.rules import gate as gates
from teachmem.rules.case import Case
from teachmem.rules.desk import Item
from teachmem.rules.gate import Gate
from teachmem.vocabulary import LIVE, Outcome, Tier, Verdict


def approve(gate: Gate, item: Item, vector: bytes | None) -> Receipt:
    """Do what a candidate asks; return the receipt or raise `MemoryRefused`.

    `vector` is that of its text. The item is the caller's to close.
    """
    for name, answer in ASKS.items():
        if name in item.asks:
            return answer(gate, item, vector)
    if item.asks:
        reject.refuse("review", f"nothing is known that approving {', '.join(sorted(item.asks))} would do")
    case = case_of(item, vector)
    return desk.judged(gate, case, item.steps) or gate.admit(item.act, settled(case, item), item.steps)


def case_of(item: Item, vector: bytes | None, revises: Memory | None = None) -> Case:
    """Return the draft as a case that a person has decided on; refuse what every write is refused for."""
    who, draft = item.act.principal, item.draft
    item.steps += gates.before(who, shape.fault(draft), "" if revises else draft.visibility)
    reviewed = {"candidate": item.id, "approved_by": who.name}
    draft = replace(draft, detail={**draft.detail, "review": reviewed})
    return Case(item.act.tx, item.author, draft, item.act.now, decider=who, revises=revises, vector=vector)


def settled(case: Case, item: Item) -> Case:
    """Refuse a claim that contradicts what is held: approving must not leave a contradiction behind."""
    if case.rivals or case.status not in LIVE:
        reason = (
            f"{', '.join(case.rivals)} says otherwise; retract or reject that first, or edit or reject this"
        )
        item.steps.append(Step("conflict", Outcome.REFUSED, reason))
        raise MemoryRefused(Receipt(Verdict.REFUSED, steps=tuple(item.steps)))
    return case


def target(item: Item, memory_id: str, live: bool = True) -> Memory:
    """Return the memory that would change; it must be the person's to change, and if so asked live."""
    try:
        found = amend.believed(item.act, Tier(item.draft.tier), memory_id) if live else None
    except NotFound:
        raise Overtaken(f"{memory_id} is not held any more, or not for you to see") from None
    found = found or admissible.in_scope(item.act.tx, item.act.principal, memory_id)
    if found is None:
        raise Overtaken(f"{memory_id} is not for you to see any more")
    who = item.act.principal
    if not authority.may_change(who, found.tenant, found.fleet, found.agent, found.visibility):
        reject.refuse("authority", f"{memory_id} is not yours to change")
    item.steps.append(Step("authority", Outcome.PASSED))
    return found


def _revise(gate: Gate, item: Item, vector: bytes | None) -> Receipt:
    old = target(item, item.asks["revises"])
    if old.version != item.asks.get("version", old.version):
        raise Overtaken(f"{old.memory_id} was changed after this was proposed; let it be proposed anew")
    case = case_of(item, vector if item.draft.content != old.content else None, old)
    receipt = desk.judged(gate, case, item.steps)
    return receipt or amend.next_version(gate, item.act, settled(case, item), old, item.steps)


def _retract(gate: Gate, item: Item, vector: bytes | None) -> Receipt:
    return amend.cancel(item.act, target(item, item.asks["retracts"]), item.asks["reason"], item.steps)


def _move(gate: Gate, item: Item, vector: bytes | None) -> Receipt:
    target(item, item.asks["moves"], live=False)
    return standing.decided(gate, item.act, item.asks, item.steps)


def _forget(gate: Gate, item: Item, vector: bytes | None) -> Receipt:
    try:
        return erasure.approve(item.act, item.asks["forgets"], item.asks["reason"], item.steps)
    except NotFound as error:
        raise Overtaken(f"{error.memory_id} is erased already, or not for you to see") from None


def _let_stand(gate: Gate, item: Item, vector: bytes | None) -> Receipt:
    held = item.asks.get("conflict") or [item.asks["flagged"]]
    for memory_id in held:
        for about in [*held, item.asks.get("about", "")]:
            lineage.unflag(item.act, memory_id, about)
    item.steps.append(Step("review", Outcome.PASSED, "what is held stays, and is flagged no more"))
    touched = tuple(dict.fromkeys(each["id"] for each in item.act.touched))
    return Receipt(Verdict.ACCEPTED, None, tuple(item.steps), touched=touched)


ASKS: dict[str, Callable[[Gate, Item, bytes | None], Receipt]] = {
    "revises": _revise,
    "retracts": _retract,
    "moves": _move,
    "forgets": _forget,
    "conflict": _let_stand,
    "flagged": _let_stand,
}
