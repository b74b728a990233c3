"""Changing what is held: a revision and a retraction are new versions, the old ones stay readable.

Both pass the gate: shape, clearance, request, then every check that a first write passes, with one
difference, that a memory is no duplicate of itself. Changing a row that is another's is put before
a person (`rules/authority.py`); the candidate says which memory it would change, and how.

Left out: undoing. A retracted memory is not brought back by writing it again; a person decides.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from teachmem.clock import from_micros, to_micros
from teachmem.errors import InvalidInput, MemoryRefused, NotFound
from teachmem.ledger import journal, rows
from teachmem.ledger.journal import Change
from teachmem.principal import Principal
from teachmem.record import Draft, Memory, Receipt, Step
from teachmem.rules import admissible, authority, effects, replay, shape, source
from teachmem.rules import gate as gates
from teachmem.rules.case import Case
from teachmem.rules.gate import Gate
from teachmem.vocabulary import LIVE, MAX_CONTENT, Outcome, Status, Tier, Verdict

REVISABLE = (
    "content",
    "subject",
    "predicate",
    "object",
    "kind",
    "confidence",
    "is_inferred",
    "source",
    "valid_from",
    "valid_to",
    "expires_at",
    "qualifiers",
)


def revise(
    gate: Gate,
    who: Principal,
    tier: Tier,
    memory_id: str,
    changes: Mapping[str, Any],
    request_id: str | None = None,
    *,
    detail: Mapping[str, Any] | None = None,
) -> Receipt:
    """Write the next version of a memory of `tier` with `changes`, a mapping of `REVISABLE` names.

    `detail` replaces what the tier itself keeps beside the text. Raises `NotFound` for a memory that
    `who` may not believe, `MemoryRefused` for a change that the gate does not let through. Without a
    difference nothing is written: the verdict is duplicate.
    """
    unknown = sorted(set(changes) - set(REVISABLE))
    if unknown or not changes:
        given = f"{', '.join(unknown)} cannot be revised" if unknown else "nothing to change was given"
        raise InvalidInput("changes", f"{given}; these can: {', '.join(REVISABLE)}")
    steps = gates.before(who, gates.request_fault(request_id), "")
    payload = _payload({"revise": memory_id, **changes, **({} if detail is None else {"detail": detail})})
    vector, rich = _read_anew(gate, tier, changes)  # before the lock is taken: it may take its time
    with gate.database.write() as tx, journal.change(tx, who, gate.clock, gate.ids) as act:
        if first := replay.find(tx, who, request_id, payload, steps):
            return first
        old = believed(act, tier, memory_id)
        draft = merged(old, changes, _detail(old, changes, rich) if detail is None else detail)
        if wrong := shape.fault(draft):
            steps[0] = Step("shape", Outcome.REFUSED, wrong)
            raise MemoryRefused(Receipt(Verdict.REFUSED, steps=tuple(steps[:1])))
        case = Case(tx=tx, who=who, draft=draft, now=act.now, revises=old, vector=vector)
        ask_authority(case, steps)
        receipt = _unchanged(case, old, steps) or gate.judged(case, steps)
        if receipt is None and case.staged:
            receipt = gate.stage(act, case, steps, {"revises": memory_id, "version": old.version})
        elif receipt is None:
            receipt = next_version(gate, act, case, old, steps)
        replay.keep(act, request_id, payload, receipt)
        return receipt


def retract(
    gate: Gate, who: Principal, tier: Tier, memory_id: str, reason: str, request_id: str | None = None
) -> Receipt:
    """Withdraw a memory of `tier`: its next version has the status cancelled and the reason in its detail.

    The chain holds a salted digest of the reason, never its words. Raises as `revise` does.
    """
    shape.check_text("reason", reason)
    steps = gates.before(who, gates.request_fault(request_id), "")
    payload = _payload({"retract": memory_id, "reason": reason})
    with gate.database.write() as tx, journal.change(tx, who, gate.clock, gate.ids) as act:
        if first := replay.find(tx, who, request_id, payload, steps):
            return first
        old = believed(act, tier, memory_id)
        case = Case(tx=tx, who=who, draft=merged(old, {}), now=act.now, revises=old, verb="retracts")
        ask_authority(case, steps)
        if case.staged:
            receipt = gate.put_before_a_person(act, case, steps, {"retracts": memory_id, "reason": reason})
        else:
            receipt = cancel(act, old, reason, steps)
        replay.keep(act, request_id, payload, receipt)
        return receipt


def cancel(act: Change, old: Memory, reason: str, steps: list[Step]) -> Receipt:
    """Write the version that withdraws `old`, and why; leave its entry."""
    detail = rows.to_json({**old.detail, "retracted_because": reason})
    after = act.replace(old.memory_id, status=str(Status.CANCELLED), detail=detail)
    digest = rows.content_digest(reason, bytes(after["salt"]))
    act.entry(f"{old.tier}.retract", old.memory_id, reason=digest)
    steps.append(Step("write", Outcome.PASSED, f"{old.memory_id} is now {Status.CANCELLED}"))
    gone = admissible.in_scope(act.tx, act.principal, old.memory_id)
    return Receipt(Verdict.ACCEPTED, gone, tuple(steps), act.seq, None, (old.memory_id,))


def _payload(asked: Mapping[str, Any]) -> str:
    """Return what is asked as text; "" for what cannot be written down, which its shape will refuse."""
    try:
        return replay.payload_of(asked)
    except (RecursionError, ValueError):  # nested without end; an integer of thousands of digits
        return ""


def _read_anew(gate: Gate, tier: Tier, changes: Mapping[str, Any]) -> tuple[bytes | None, Mapping[str, Any]]:
    """Return the vector of a new content and what it seems to be about; nothing where the content stays."""
    content = changes.get("content")
    if not isinstance(content, str) or len(content) > MAX_CONTENT:
        return None, {}
    draft = Draft(tier=tier, kind="fact", content=content)
    return gate.embed(draft), gate.enrich(draft)[0].detail


def _detail(old: Memory, changes: Mapping[str, Any], rich: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the detail of the next version: what was suggested for an old text does not fit a new one."""
    if changes.get("content", old.content) == old.content:
        return old.detail
    return {**{name: value for name, value in old.detail.items() if name != "enriched"}, **rich}


def believed(act: Change, tier: Tier, memory_id: str) -> Memory:
    """Return what may be changed: a live memory of the tier, in scope, whatever time it is valid for."""
    found = admissible.in_scope(act.tx, act.principal, memory_id)
    if found is None or found.tier is not tier or found.status not in LIVE:
        raise NotFound(memory_id)
    return found


def merged(old: Memory, changes: Mapping[str, Any], detail: Mapping[str, Any] | None = None) -> Draft:
    """Return what the next version of `old` would say with `changes`."""
    return Draft(
        tier=old.tier,
        session=old.session,
        importance=old.importance,
        visibility=old.visibility,
        detail=old.detail if detail is None else detail,
        **{**_kept(old), **changes},
    )


def _kept(old: Memory) -> dict[str, Any]:
    """Return what a revision keeps unless it says otherwise; the source is the reviser's own."""
    kept = {name: getattr(old, name) for name in REVISABLE if name != "source"}
    return {**kept, **{name: kept[name] or None for name in ("subject", "predicate", "object")}}


def ask_authority(case: Case, steps: list[Step]) -> None:
    """Add the step that says whether the writer may do this to the memory, or a person must decide."""
    assert case.revises is not None
    why = authority.to_ask(case.who, case.revises)
    if not why:
        steps.append(Step("authority", Outcome.PASSED))
        return
    case.staged = f"{why}; a person decides whether this {case.verb} it"
    steps.append(Step("authority", Outcome.STAGED, case.staged))


def _unchanged(case: Case, old: Memory, steps: list[Step]) -> Receipt | None:
    """Return a duplicate's receipt if the next version would say exactly what this one does."""
    held = {**_kept(old), "detail": old.detail}
    times = {name: None if held[name] is None else to_micros(held[name]) for name in case.times}
    same = all(getattr(case.draft, name) == value for name, value in held.items() if name not in times)
    same = same and case.times == times
    if not same or source.claimed(case.who, case.draft.source) is not old.source:
        return None
    steps.append(Step("duplicate", Outcome.DUPLICATE, f"{old.memory_id} already says this"))
    return Receipt(Verdict.DUPLICATE, old, tuple(steps))


def next_version(gate: Gate, act: Change, case: Case, old: Memory, steps: list[Step]) -> Receipt:
    """Write the version that was judged, over `old`; leave its entry."""
    effects.retire(act, case)
    said = gate.said(case)
    if case.vector is None:  # the content is the old one's, and so is its vector
        del said["embedding"]
    act.replace(old.memory_id, **said)
    if case.status not in LIVE:  # contradicted on stronger evidence
        act.replace(old.memory_id, by_rule=True, status=str(case.status))
    asked = effects.link_rivals(act, case, old.memory_id)
    act.entry(f"{case.draft.tier}.revise", old.memory_id, version=old.version + 1)
    memory = admissible.in_scope(case.tx, case.who, old.memory_id)
    was = from_micros(act.now).isoformat()
    steps.append(
        Step("write", Outcome.PASSED, f"version {old.version} stays readable with known_at before {was}")
    )
    return Receipt(
        Verdict.ACCEPTED,
        memory,
        tuple(steps),
        act.seq,
        asked,
        tuple(dict.fromkeys(item["id"] for item in act.touched)),
    )
