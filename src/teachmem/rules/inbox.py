"""What waits for a person: staged candidates, and moratoria that have ended, with what to judge them by.

A candidate is no memory: it stands in a table of its own, so that no read can leak it. Each comes with
its evidence quoted, what approval would change, the rejected values that it is near, and a digest of
all that was read. Whoever decides hands the digest back, so that nobody approves what they have not seen.

Shown to a person is what was staged in their own fleet; to a steward, in any fleet of the tenant.

Left out: deciding (`rules/review.py`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, literal_column, select

from teachmem.clock import from_micros
from teachmem.ledger.database import Prepared, Transaction
from teachmem.ledger.schema import WAITING, candidates
from teachmem.normal import one_line, visible
from teachmem.principal import Principal, clearance_of
from teachmem.record import EMPTY, Draft, Memory
from teachmem.rules import admissible, scan, tombstone
from teachmem.rules.tombstone import Tombstone
from teachmem.vocabulary import Role, Tier, Visibility

ENDED = "moratorium ended"
NAMES = ("revises", "retracts", "moves", "forgets", "flagged")  # each names one memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One thing that waits for a person. `digest` is of everything here that a decision rests on.

    `asks` says what approval does where it is no first write: revises, retracts, conflict. `target` is
    the memory that it would change. `evidence` are the memories it rests on that you may see, `unseen`
    counts those that you may not. `findings` say what to look at twice. `beside` are the rejected values
    that it is near, or the moratorium that has ended.
    """

    candidate_id: str
    state: str
    reason: str
    draft: Draft
    asks: Mapping[str, Any] = field(default_factory=lambda: EMPTY)
    fleet: str
    agent: str
    role: Role
    proposed_at: datetime
    until: datetime | None = None
    changes: tuple[str, ...] = ()
    target: Memory | None = None
    evidence: tuple[Memory, ...] = ()
    unseen: int = 0
    beside: tuple[Tombstone, ...] = ()
    findings: tuple[str, ...] = ()
    digest: str = ""

    @property
    def content(self) -> str:
        """The text that waits."""
        return self.draft.content

    def __str__(self) -> str:
        said = f"{self.candidate_id} ({self.state}, by {self.agent} of {self.fleet}): {self.reason}"
        lines = [one_line(said)]  # no name may look like a line of ours
        lines.append(f"  {visible(json.dumps(self.content, ensure_ascii=False))}")
        lines += [f"  look twice: it {one_line(finding)}" for finding in self.findings]
        lines += [f"  approval {one_line(change)}" for change in self.changes]
        for one in self.evidence:
            quoted = visible(json.dumps(one.content, ensure_ascii=False))
            lines.append(f"  rests on {one.memory_id}: {quoted}")
        if self.unseen:
            lines.append(f"  rests on {self.unseen} more that you may not see")
        return "\n".join(lines + [f"  beside {one_line(str(one))}" for one in self.beside])


_waiting = select(*candidates.c).where(
    candidates.c.tenant == bindparam("tenant"),
    candidates.c.state.in_([literal_column(f"'{state}'") for state in WAITING]),
)
_of_tenant = Prepared(_waiting.order_by(candidates.c.seq, candidates.c.candidate_id))
_of_fleet = Prepared(
    _waiting.where(candidates.c.fleet == bindparam("fleet")).order_by(
        candidates.c.seq, candidates.c.candidate_id
    )
)
_one = Prepared(
    select(*candidates.c).where(
        candidates.c.tenant == bindparam("tenant"), candidates.c.candidate_id == bindparam("id")
    )
)


def waiting(tx: Transaction, who: Principal, now: int, put_off: bool = False) -> list[Candidate]:
    """Return what waits for `who`, oldest first; what was put off comes back at its time, or if asked for."""
    if who.is_steward:
        found = tx.all(_of_tenant, tenant=who.tenant)
    else:
        found = tx.all(_of_fleet, tenant=who.tenant, fleet=who.fleet)
    rows = [dict(zip(candidates.c.keys(), row, strict=True)) for row in found]
    due = [row for row in rows if put_off or row["until"] is None or row["until"] <= now]
    return [shown(tx, who, row, now) for row in due] + ended(tx, who, now, put_off)


def row_of(tx: Transaction, who: Principal, candidate_id: str) -> dict[str, Any] | None:
    """Return the row of a candidate that `who` may decide on, whatever its state, or None."""
    row = tx.one(_one, tenant=who.tenant, id=candidate_id) if admissible.could_be_id(candidate_id) else None
    kept = None if row is None else dict(zip(candidates.c.keys(), row, strict=True))
    return kept if kept and (who.is_steward or kept["fleet"] == who.fleet) else None


def author(row: Mapping[str, Any]) -> Principal:
    """Return who proposed a candidate: what is approved is theirs."""
    clearance = clearance_of(row["clearance"])
    return Principal(row["tenant"], row["fleet"], row["agent"], Role(row["role"]), clearance)


def proposal(row: Mapping[str, Any]) -> tuple[Draft, dict[str, Any]]:
    """Return the draft and what else approval was asked to do, as they were staged."""
    asks = json.loads(row["draft"])
    said = asks.pop("draft")
    for name in ("valid_from", "valid_to", "expires_at"):
        said[name] = None if said[name] is None else from_micros(said[name])
    return Draft(**{**said, "tier": Tier(said["tier"]), "evidence": tuple(said["evidence"])}), asks


def shown(tx: Transaction, who: Principal, row: Mapping[str, Any], now: int) -> Candidate:
    """Return the candidate of a row as `who` is shown it."""
    draft, asks = proposal(row)
    named = next((asks[verb] for verb in NAMES if verb in asks), None)
    target = admissible.in_scope(tx, who, named) if named else None
    seen = [admissible.in_scope(tx, who, memory_id) for memory_id in dict.fromkeys(draft.evidence)]
    evidence = tuple(memory for memory in seen if memory is not None)
    beside = tuple(tombstone.near(tx, who, row["fleet"], draft, now))
    versions = [(memory.memory_id, memory.version) for memory in (target, *evidence) if memory]
    return Candidate(
        candidate_id=row["candidate_id"],
        state=row["state"],
        reason=row["reason"],
        draft=draft,
        asks=asks,
        fleet=row["fleet"],
        agent=row["agent"],
        role=Role(row["role"]),
        proposed_at=from_micros(row["proposed_at"]),
        until=None if row["until"] is None else from_micros(row["until"]),
        changes=tuple(changes(draft, asks, target, author(row))),
        target=target,
        evidence=evidence,
        unseen=len(seen) - len(evidence),
        beside=beside,
        findings=scan.scan(draft.content),
        digest=digest(row["state"], row["draft"], row["content_digest"], versions),
    )


def digest(*parts: Any) -> str:
    """Return the digest of what a person was shown."""
    return hashlib.sha256(json.dumps(parts, ensure_ascii=True).encode()).hexdigest()


def changes(draft: Draft, asks: Mapping[str, Any], target: Memory | None, by: Principal) -> list[str]:
    """Say in sentences what approval would change."""
    if named := asks.get("retracts"):
        return [f"retracts {named}" if target else f"retracts {named}, which you may not see any more"]
    if named := asks.get("forgets"):
        return [f"erases {named} for good, in every version, and whatever quotes it"]
    if named := asks.get("revises"):
        fields = ("content", "subject", "predicate", "object", "kind", "confidence", "valid_from", "valid_to")
        told = [f"makes the next version of {named}"]
        for name in fields if target else ():
            old, new = getattr(target, name) or None, getattr(draft, name) or None
            if old != new:
                told.append(f"changes its {name} from {old!r} to {new!r}")
        return told
    if named := asks.get("moves"):
        return [f"moves {named} to {asks['status']}: {asks['reason']}"]
    if named := asks.get("forgets"):
        return [f"erases {named} for good: {asks['reason']}"]
    if "flagged" in asks or "conflict" in asks:
        held = ", ".join(asks.get("conflict") or [asks["flagged"]])
        return [f"lets {held} stand; rejecting withdraws {'the newer one' if 'conflict' in asks else 'it'}"]
    readers = {Visibility.ORG: "every fleet", Visibility.TEAM: f"the fleet {by.fleet}"}
    said = [f"writes a {draft.kind} by {by.name}, for {readers.get(Visibility(draft.visibility), by.name)}"]
    if draft.source:
        said.append(f"keeps its source: {draft.source}")
    if draft.tier == Tier.WORKING and draft.predicate in ("supersedes", "contradicts"):
        said.append(f"retires {draft.object}, which it {draft.predicate}")
    return said


def ended(tx: Transaction, who: Principal, now: int, put_off: bool = False) -> list[Candidate]:
    """Return the moratoria that have ended and that nobody has answered, oldest first."""
    found = []
    for one in reversed(tombstone.every(tx, who, now)):
        row = tombstone.row_of(tx, who.tenant, one.tombstone_id)
        if one.state != "lapsed" or row is None or row["answered_at"] is not None:
            continue
        if put_off or row["put_off"] is None or row["put_off"] <= now:
            found.append(announced(tx, who, one, row, now))
    return found


def announced(tx: Transaction, who: Principal, one: Tombstone, row: Mapping[str, Any], now: int) -> Candidate:
    """Return an ended moratorium, and its row, as an item of the inbox."""
    subject, predicate, value = one.triple if one.triple else (None, None, None)
    said = Draft(
        tier=Tier.SEMANTIC,
        kind="fact",
        content=one.content or "",
        subject=subject,
        predicate=predicate,
        object=value,
        evidence=one.evidence,
    )
    seen = [admissible.in_scope(tx, who, memory_id) for memory_id in one.evidence]
    evidence = tuple(memory for memory in seen if memory is not None)
    end = f"{one.until:%Y-%m-%d %H:%M} UTC" if one.until else ""
    told = ("writes nothing: the value may be proposed again", *_since(tx, who, one, evidence, now))
    return Candidate(
        candidate_id=one.tombstone_id,
        state=ENDED,
        reason=f"the moratorium of {one.made_by} ended at {end}; it said: {one.reason or '(erased)'}",
        draft=said,
        fleet=one.made_in,
        agent=one.made_by,
        role=Role.PERSON,
        proposed_at=one.made_at,
        until=None if row["put_off"] is None else from_micros(row["put_off"]),
        changes=told,
        evidence=evidence,
        unseen=len(seen) - len(evidence),
        beside=(one,),
        digest=digest(ENDED, one.tombstone_id, [(memory.memory_id, memory.version) for memory in evidence]),
    )


def _since(
    tx: Transaction, who: Principal, one: Tombstone, evidence: Sequence[Memory], now: int
) -> list[str]:
    """Say what has changed since the moratorium was made: its evidence, and what is held on its subject."""
    told = []
    for memory in evidence:
        if memory.recorded_at > one.made_at:
            told.append(f"since then {memory.memory_id} was changed and is {memory.status}")
    if one.triple:
        held = admissible.newest(tx, who, now, tier=Tier.SEMANTIC, subject=one.triple[0])
        for memory in held:
            if memory.recorded_at > one.made_at:
                told.append(f"since then {memory.memory_id} says: {memory.content}")
    return told or ["nothing that you may see has changed since"]
