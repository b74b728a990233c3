"""The checks inside the gate's transaction, each one question, in the order they are asked.

A check reads the `Case` and answers with one `Step`. It may leave a finding in the case for the
write that follows (which twin it is, what it retires), and changes nothing itself.

Left out: the checks before the transaction (shape, clearance) and the request look-up, which
decide whether there is a case at all.
"""

from __future__ import annotations

from dataclasses import replace

from sqlalchemy import bindparam, literal_column, select

from teachmem.clock import to_micros
from teachmem.errors import NotFound
from teachmem.ledger import rows
from teachmem.ledger.database import Prepared
from teachmem.ledger.schema import WAITING, candidates, memories
from teachmem.record import Memory, Step
from teachmem.rules import admissible, authority, conflict, derived, source, suggested, tombstone, trust
from teachmem.rules.case import Case, Check
from teachmem.vocabulary import (
    ACTING_PREDICATES,
    CATALOGUE_KINDS,
    SYSTEM_KINDS,
    Outcome,
    Role,
    Source,
    Status,
    Tier,
)


def reserved_kind(case: Case) -> Step:
    """Some kinds are conclusions that only the system draws, by a written rule."""
    draft = case.draft
    if draft.kind in SYSTEM_KINDS[Tier(draft.tier)] and case.who.role is not Role.SYSTEM:
        return Step(
            "reserved kind", Outcome.REFUSED, f"only the system writes a memory of kind {draft.kind!r}"
        )
    if draft.kind in CATALOGUE_KINDS and source.claimed(case.who, draft.source) is not Source.CATALOGUE:
        return Step("reserved kind", Outcome.REFUSED, f"a {draft.kind} is written from the catalogue only")
    return Step("reserved kind", Outcome.PASSED)


def claimed_source(case: Case) -> Step:
    """A writer claims the sources of its rank; untrusted text waits for a person."""
    if wrong := source.fault(case.who, case.draft.source):
        return Step("source", Outcome.REFUSED, wrong)
    claimed = source.claimed(case.who, case.draft.source)
    if source.is_untrusted(claimed) and not case.decider:
        return Step(
            "source", Outcome.STAGED, f"text from {claimed} is quarantined until a person has read it"
        )
    return Step("source", Outcome.PASSED)


def rejected_before(case: Case) -> Step:
    """What a person has rejected stays out; what is nearly that is put before a person.

    The refusal names a tombstone of the writer's own fleet only, and never who made it or why.
    """
    asked, fleet, draft = case.decider or case.who, case.fleet, case.draft
    if next(tombstone.keys(case.tx, asked.tenant), None) is None:  # nobody has rejected anything yet
        return Step("tombstone", Outcome.PASSED)
    found = tombstone.exact(case.tx, asked, fleet, draft, tuple(case.triple.values()), case.now)
    if found:
        named = f" ({found.tombstone_id})" if found.made_in == asked.fleet else ""
        end = "a person lifts that" if found.until is None else f"{found.until.isoformat()}: a moratorium"
        return Step(
            "tombstone", Outcome.REFUSED, f"a person rejected this value; it stays out until {end}{named}"
        )
    clean = suggested.cleaned(case.tx, asked, fleet, draft, case.now)
    if clean is not draft:
        case.take(clean)
    if not tombstone.near(case.tx, asked, fleet, draft, case.now):
        left_out = "" if clean is draft else "a suggestion was left out: a person rejected what it says"
        return Step("tombstone", Outcome.NOTED if left_out else Outcome.PASSED, left_out)
    if case.decider:
        return Step("tombstone", Outcome.NOTED, "nearly a rejected value, and a person let it pass")
    return Step("tombstone", Outcome.STAGED, "nearly a value that a person rejected; a person decides")


def links(case: Case) -> Step:
    """What a draft names must exist for its writer; what it retires must be its writer's to change."""
    draft = case.draft
    acts = draft.tier == Tier.WORKING and draft.predicate in ACTING_PREDICATES
    if acts or draft.evidence:
        said, expired = _twin_of(case)
        if said and not expired:
            return Step("links", Outcome.PASSED)  # what it names may be gone since; `duplicate` answers
    used = draft.kind == "outcome"  # it tells of what was used, and stands even if that has fallen since
    for memory_id in dict.fromkeys(draft.evidence):
        case.evidence.append(_named(case, memory_id, whatever_status=used))
        case.rests_on.append((memory_id, "used" if used else "evidence"))
    if not acts:
        return Step("links", Outcome.PASSED)
    target = _named(case, draft.object or "")
    if draft.predicate == "depends_on":
        case.rests_on.append((target.memory_id, "depends_on"))
        return Step("links", Outcome.PASSED)
    if why := authority.to_ask(case.decider or case.who, target):
        if case.decider:
            return Step("links", Outcome.REFUSED, f"{target.memory_id} is not yours to change")
        return Step("links", Outcome.STAGED, f"{why}; a person decides whether this {draft.predicate} it")
    status = Status.OUTDATED if draft.predicate == "supersedes" else Status.CONFLICTED
    case.retires.append((target.memory_id, status))
    return Step("links", Outcome.NOTED, f"{target.memory_id} becomes {status}")


def _named(case: Case, memory_id: str, whatever_status: bool = False) -> Memory:
    """Return the memory that a draft names, by default a believable one; raise as for none that exists."""
    if whatever_status:
        found = admissible.in_scope(case.tx, case.who, memory_id)
    else:
        found = admissible.by_id(case.tx, case.who, memory_id, case.now)
    if found is None:
        raise NotFound(memory_id)
    return found


_twin = Prepared(
    select(*rows.SHOWN).where(
        memories.c.tenant == bindparam("tenant"),
        memories.c.twin_key == bindparam("key"),
        memories.c.superseded_at.is_(None),
        trust.clause(),
    )
)
_waiting = Prepared(
    select(candidates.c.candidate_id).where(
        candidates.c.tenant == bindparam("tenant"),
        candidates.c.twin_key == bindparam("key"),
        candidates.c.state.in_([literal_column(f"'{state}'") for state in WAITING]),
    )
)


def _twin_of(case: Case) -> tuple[Memory | None, bool]:
    """Return the live twin, and whether it has expired: in every other time twins are the same."""
    row = case.tx.one(_twin, tenant=case.who.tenant, key=case.twin_key)
    if row is None:
        return None, False
    found = rows.to_memory(row)
    return found, found.expires_at is not None and to_micros(found.expires_at) <= case.now


def duplicate(case: Case) -> Step:
    """The same value, by the same writer, at the same place and time, is one memory."""
    found, expired = _twin_of(case)
    itself = found and case.revises and found.memory_id == case.revises.memory_id
    if itself:  # a memory is no duplicate of itself
        return asked_before(case) if case.staged else Step("duplicate", Outcome.PASSED)
    if found and not expired:
        case.twin = found
        return Step("duplicate", Outcome.DUPLICATE, f"{found.memory_id} already says this")
    if found:
        case.outdates.append(found.memory_id)
        return Step("duplicate", Outcome.NOTED, f"{found.memory_id} said this and has expired")
    if case.staged:
        return asked_before(case)
    return Step("duplicate", Outcome.PASSED)


def asked_before(case: Case) -> Step:
    """What waits for a person is not put before them twice."""
    waiting = case.tx.one(_waiting, tenant=case.who.tenant, key=case.waiting_key())
    if waiting is None:
        return Step("duplicate", Outcome.PASSED)
    case.waiting = waiting[0]
    return Step("duplicate", Outcome.DUPLICATE, f"{waiting[0]} already waits for a person with this")


def bounded(case: Case) -> Step:
    """What is derived is never wider, nor more trusted, than what it is derived from."""
    who, draft, old = case.who, case.draft, case.revises
    evidence = derived.evidence_of(case.tx, who.tenant, old.memory_id) if old else case.evidence
    if old and source.is_untrusted(old.source):
        evidence = [*evidence, old]  # the next version of a page's text is still the page's
    if not evidence or who.role is Role.PERSON:  # a person vouches for what they write, and for whom
        return Step("derived", Outcome.PASSED)
    notes = []
    fits = derived.narrowest(draft.visibility, who.fleet, who.name, derived.reaches(evidence))
    if fits != draft.visibility and not old:
        if who.role is Role.SYSTEM:
            draft = replace(draft, visibility=fits)
            notes.append(f"visibility {fits}")
        elif not case.staged and not case.decider:  # a person who decides answers for the readers, too
            reason = f"its evidence has fewer readers; write it with visibility {fits!r}, or in your own name"
            return Step("derived", Outcome.REFUSED, f"{reason}, without evidence")
    if draft.kind == "outcome":  # which claims nothing about the world: its readers are all that is bounded
        case.take(draft)
        return Step("derived", Outcome.NOTED if notes else Outcome.PASSED, "; ".join(notes))
    draft, lowered = derived.lowered(draft, source.claimed(who, draft.source), evidence)
    notes += lowered
    case.take(draft)
    told = f"lowered to its evidence: {', '.join(notes)}" if notes else ""
    pages = sorted({str(one.source) for one in evidence if source.is_untrusted(one.source)})
    if pages and not case.decider:  # what a page says is no better for being repeated
        case.tainted = True
        why = f"rests on text from {' and '.join(pages)}; quarantined until a person has read it"
        return Step("derived", Outcome.STAGED, "; ".join(filter(None, (why, told))))
    return Step("derived", Outcome.NOTED if told else Outcome.PASSED, told)


_withheld_twin = Prepared(
    select(*rows.SHOWN).where(
        memories.c.tenant == bindparam("tenant"),
        memories.c.twin_key == bindparam("key"),
        memories.c.superseded_at.is_(None),
        memories.c.status == str(Status.CONFLICTED),
    )
)


def conflicting(case: Case) -> Step:
    """A claim that contradicts what is held: the evidence decides, and where it does not, a person."""
    if case.claim_key is None or case.staged:  # what is staged is judged again when it is approved
        return Step("conflict", Outcome.PASSED)
    claim, own = case.claim(), case.revises.memory_id if case.revises else ""
    found = conflict.rivals(case.tx, case.who, case.claim_key, claim, case.now, own)
    stronger = [one.memory_id for one in found if conflict.claim_of(one).strength > claim.strength]
    if stronger:
        row = case.tx.one(_withheld_twin, tenant=case.who.tenant, key=case.twin_key)
        if row and row[0] != own:
            case.twin = rows.to_memory(row)
            return Step("conflict", Outcome.DUPLICATE, f"{row[0]} says this and is withheld as conflicted")
        case.status, case.rivals = Status.CONFLICTED, stronger
        told = f"withheld as conflicted: on stronger evidence {', '.join(stronger)} says otherwise"
        return Step("conflict", Outcome.NOTED, told)
    outcomes: list[str] = []
    for one in found:
        held = conflict.claim_of(one)
        wins = claim.strength > held.strength and claim.answers(held, case.now)
        if wins and not authority.to_ask(case.decider or case.who, one):
            case.outdates.append(one.memory_id)
            outcomes.append(f"{one.memory_id} becomes outdated: this is newer, on stronger evidence")
        else:
            case.rivals.append(one.memory_id)
            outcomes.append(f"{one.memory_id} says otherwise; both stay, and a person is asked")
    return Step("conflict", Outcome.NOTED if outcomes else Outcome.PASSED, "; ".join(outcomes))


OF_WORDS: tuple[Check, ...] = (reserved_kind, claimed_source, links, bounded)  # not of a change of status
IN_ORDER: tuple[Check, ...] = (
    reserved_kind,
    claimed_source,
    rejected_before,
    links,
    bounded,
    duplicate,
    conflicting,
)
