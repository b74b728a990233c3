"""Insights: what the memories say together that none of them says alone, found by counting.

| focus | is found |
|---|---|
| contradictions | two live claims that were found to contradict |
| failures | a memory that was used in two or more failures |
| divergence | a memory that served one agent and failed another |
| stale | facts that nobody has confirmed or changed for 120 days |

They are drawn from what the asker may read, written by the system in the asker's name, and rest on what they
name: never wider, nor more trusted. A finding that is still so is not written again; one that has changed, or
is so no longer, is outdated.

Left out: causes, and what to do. An insight names ids and counts; texts stay where they are.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace

from sqlalchemy import bindparam, literal_column, select

from teachmem.clock import MICROS_PER_HOUR, to_micros
from teachmem.errors import MemoryRefused
from teachmem.ledger import lineage
from teachmem.ledger.database import Prepared, Transaction
from teachmem.ledger.schema import derivations
from teachmem.principal import Principal
from teachmem.record import Draft, Memory
from teachmem.rules import admissible, gate, shape, standing
from teachmem.tiers.kit import Kit
from teachmem.vocabulary import SYSTEM_KINDS, Role, Status, Tier

FOCUSES = ("contradictions", "failures", "divergence", "stale")
ENOUGH_FAILURES = 2
STALE_HOURS = 120 * 24
MOST_NAMED = 20  # ids in one insight

_used = Prepared(
    select(derivations.c.parent)
    .where(
        derivations.c.tenant == bindparam("tenant"),
        derivations.c.child == bindparam("child"),
        derivations.c.relation == literal_column("'used'"),
    )
    .order_by(derivations.c.parent)
)


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing found: its focus, a sentence, and the ids that it rests on."""

    focus: str
    sentence: str
    evidence: tuple[str, ...]


def find(kit: Kit, who: Principal, focus: str | None = None) -> list[Memory]:
    """Write what is found, retire what is so no longer; return the insights that stand, newest first."""
    if focus is not None:
        shape.check_member("focus", focus, FOCUSES)
    system = replace(who, role=Role.SYSTEM)
    with kit.reading(who, None, None) as (tx, now, _):
        found = [one for one in _findings(tx, who, now) if focus in (None, one.focus)]
        old = _own(tx, who, now, focus)
    if found:
        gate.before(system, None, "")  # who may only read is told so
    kept = set()
    for one in found:
        draft = Draft(
            tier=Tier.SEMANTIC,
            kind="insight",
            content=one.sentence,
            evidence=one.evidence,
            detail={"focus": one.focus},
        )
        try:
            receipt = kit.gate.write(system, draft)
        except MemoryRefused:  # a person has rejected this finding
            continue
        kept |= {receipt.memory.memory_id} if receipt.memory else set()
    for memory in old:
        if memory.memory_id not in kept:
            standing.set_status(kit.gate, system, memory.memory_id, Status.OUTDATED, "no longer so")
    with kit.reading(who, None, None) as (tx, now, _):
        return _own(tx, who, now, focus)


def _own(tx: Transaction, who: Principal, now: int, focus: str | None) -> list[Memory]:
    live = admissible.newest(tx, who, now, tier=Tier.SEMANTIC, kind="insight", agent=who.name)
    own = [memory for memory in live if memory.fleet == who.fleet]
    return [memory for memory in own if focus in (None, memory.detail.get("focus"))]


def _findings(tx: Transaction, who: Principal, now: int) -> Iterator[Finding]:
    facts = [
        memory
        for memory in admissible.newest(tx, who, now, tier=Tier.SEMANTIC, no_documents=True)[::-1]
        if memory.kind not in SYSTEM_KINDS[Tier.SEMANTIC]
    ]
    yield from _contradictions(tx, who, facts)
    yield from _outcomes(tx, who, now)
    yield from _stale(facts, now)


def _contradictions(tx: Transaction, who: Principal, facts: list[Memory]) -> Iterator[Finding]:
    ids = {memory.memory_id for memory in facts}
    for fact in facts:
        for other in lineage.disputed(tx, who.tenant, fact.memory_id) if fact.flags else ():
            if other in ids and fact.memory_id < other:
                sentence = f"{fact.memory_id} and {other} contradict each other, and both are live"
                yield Finding("contradictions", sentence, (fact.memory_id, other))


def _outcomes(tx: Transaction, who: Principal, now: int) -> Iterator[Finding]:
    """Count, for each memory that an outcome names, who succeeded and who failed with it."""
    told: dict[str, list[Memory]] = defaultdict(list)
    for outcome in admissible.newest(tx, who, now, tier=Tier.EPISODIC, kind="outcome")[::-1]:
        for (used,) in tx.all(_used, tenant=who.tenant, child=outcome.memory_id):
            if admissible.by_id(tx, who, used, now):
                told[used].append(outcome)
    for memory_id, outcomes in sorted(told.items()):
        failed = [one for one in outcomes if one.detail.get("outcome") == "failure"]
        served = [one for one in outcomes if one.detail.get("outcome") == "success"]
        evidence = (memory_id, *(one.memory_id for one in (failed + served)[:MOST_NAMED]))
        if len(failed) >= ENOUGH_FAILURES:
            counts = f"failure {len(failed)}, success {len(served)}"
            yield Finding("failures", f"outcomes of {memory_id}: {counts}", evidence)
        good, bad = ({(one.fleet, one.agent) for one in some} for some in (served, failed))
        if bad - good and good - bad:
            names = [", ".join(sorted(agent for _, agent in some)) for some in (good - bad, bad - good)]
            yield Finding("divergence", f"{memory_id} served {names[0]} and failed {names[1]}", evidence)


def _stale(facts: list[Memory], now: int) -> Iterator[Finding]:
    limit = now - STALE_HOURS * MICROS_PER_HOUR
    old = [
        memory.memory_id
        for memory in facts
        if memory.status is not Status.CONFIRMED and to_micros(memory.recorded_at) < limit
    ]
    if old:
        named = tuple(old[:MOST_NAMED])
        more = f" and {len(old) - len(named)} more" if len(old) > len(named) else ""
        yield Finding("stale", f"nobody has touched {', '.join(named)}{more} for 120 days", named)
