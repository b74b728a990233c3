"""The checks inside the gate's transaction, each one question, in the order they are asked.

A check reads the `Case` and answers with one `Step`. It may leave a finding in the case for the
write that follows (which twin it is, what it retires), and changes nothing itself.

Left out: the checks before the transaction (shape, clearance) and the request look-up, which
decide whether there is a case at all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from sqlalchemy import bindparam, literal_column, select

from teachmem.clock import to_micros
from teachmem.errors import NotFound
from teachmem.ledger import rows
from teachmem.ledger.database import Prepared, Transaction
from teachmem.ledger.schema import WAITING, candidates, memories
from teachmem.normal import nfc
from teachmem.principal import Principal
from teachmem.record import Draft, Memory, Step
from teachmem.rules import admissible, authority, source, tombstone, trust, twin
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


@dataclass(slots=True)
class Case:
    """One draft before the gate: what is asked, by whom, when, and what the checks have found."""

    tx: Transaction
    who: Principal
    draft: Draft
    now: int
    staged: str = ""  # why a person must decide, if so
    decider: Principal | None = None  # the person who has decided on what is staged
    revises: Memory | None = None  # the version that this one would replace
    vector: bytes | None = None  # the content's embedding
    twin: Memory | None = None  # the live memory that already says this
    waiting: str | None = None  # the candidate that already says this
    retires: list[tuple[str, Status]] = field(default_factory=list)
    rests_on: list[tuple[str, str]] = field(default_factory=list)
    fleet: str = field(init=False)  # where the memory will be, and whose it is
    agent: str = field(init=False)
    times: dict[str, int | None] = field(init=False)  # microseconds
    triple: dict[str, str] = field(init=False)  # "" where nothing is said
    twin_key: str = field(init=False)

    def __post_init__(self) -> None:
        draft, who = self.draft, self.who
        moments = {name: getattr(draft, name) for name in ("valid_from", "valid_to", "expires_at")}
        self.times = {name: None if at is None else to_micros(at) for name, at in moments.items()}
        if draft.tier == Tier.EPISODIC and draft.valid_from is None:
            self.times["valid_from"] = self.now  # an event without a time happens now
        self.triple = {name: nfc(getattr(draft, name) or "") for name in ("subject", "predicate", "object")}
        if self.revises:
            self.fleet, self.agent = self.revises.fleet, self.revises.agent
        else:
            self.fleet, self.agent = who.fleet, who.name
        self.twin_key = twin.twin_key(
            who.tenant,
            self.fleet,
            self.agent,
            draft.visibility,
            draft.session,
            draft.tier,
            draft.kind,
            draft.content,
            tuple(self.triple.values()),
            self.times["valid_from"],
            self.times["valid_to"],
        )


Check = Callable[[Case], Step]


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
    found = tombstone.exact(case.tx, asked, fleet, draft, tuple(case.triple.values()), case.now)
    if found:
        named = f" ({found.tombstone_id})" if found.made_in == asked.fleet else ""
        end = "a person lifts that" if found.until is None else f"{found.until.isoformat()}: a moratorium"
        return Step(
            "tombstone", Outcome.REFUSED, f"a person rejected this value; it stays out until {end}{named}"
        )
    if not tombstone.near(case.tx, asked, fleet, draft, case.now):
        return Step("tombstone", Outcome.PASSED)
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
    for memory_id in dict.fromkeys(draft.evidence):
        case.rests_on.append((_named(case, memory_id).memory_id, "evidence"))
    if not acts:
        return Step("links", Outcome.PASSED)
    target = _named(case, draft.object or "")
    if draft.predicate == "depends_on":
        case.rests_on.append((target.memory_id, "depends_on"))
        return Step("links", Outcome.PASSED)
    if not authority.may_change(
        case.decider or case.who, target.tenant, target.fleet, target.agent, target.visibility
    ):
        if case.decider:
            return Step("links", Outcome.REFUSED, f"{target.memory_id} is not yours to change")
        reason = f"{target.memory_id} is another's; a person decides whether this {draft.predicate} it"
        return Step("links", Outcome.STAGED, reason)
    status = Status.OUTDATED if draft.predicate == "supersedes" else Status.CONFLICTED
    case.retires.append((target.memory_id, status))
    return Step("links", Outcome.NOTED, f"{target.memory_id} becomes {status}")


def _named(case: Case, memory_id: str) -> Memory:
    """Return the believable memory that a draft names, or raise as for one that does not exist."""
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
    if found and case.revises and found.memory_id == case.revises.memory_id:
        return Step("duplicate", Outcome.PASSED)  # a memory is no duplicate of itself
    if found and not expired:
        case.twin = found
        return Step("duplicate", Outcome.DUPLICATE, f"{found.memory_id} already says this")
    if found:
        case.retires.append((found.memory_id, Status.OUTDATED))
        return Step("duplicate", Outcome.NOTED, f"{found.memory_id} said this and has expired")
    waiting = case.tx.one(_waiting, tenant=case.who.tenant, key=case.twin_key) if case.staged else None
    if waiting:
        case.waiting = waiting[0]
        return Step("duplicate", Outcome.DUPLICATE, f"{waiting[0]} already waits for a person with this")
    return Step("duplicate", Outcome.PASSED)


IN_ORDER: tuple[Check, ...] = (reserved_kind, claimed_source, rejected_before, links, duplicate)
