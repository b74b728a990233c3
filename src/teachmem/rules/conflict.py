"""When do two claims contradict, and which of them stands?

Two claims conflict when subject and single-valued predicate agree, the objects differ (by normal
form), and they speak of a common time, a common case (qualifiers) and to common readers: the readers
of one are among those of the other. Of two that conflict:

| the newcomer's evidence is | then |
|---|---|
| weaker | it is kept as `conflicted`, and no read returns it |
| stronger | the older one becomes `outdated`, if it is the writer's to change and wholly answered |
| stronger, but not so, or equal | both stay live, linked and flagged, and a person is asked |

Wholly answered: from now on the newcomer speaks for every time, case and reader that the older one
speaks for. So nobody can silence a memory by contradicting it, and a deputy's week retires no chief.

>>> strength("agent", False, 0.9) > strength("agent", False, None) > strength("agent", True, 0.9)
True
>>> strength("person", True, 0.1) > strength("agent", False, 1.0)
True
>>> same_case({"days": "weekend"}, {"days": "weekday"}), same_case({"days": "weekend"}, {})
(False, True)

Left out: texts without a triple. Whether two sentences contradict is for a person.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import bindparam, or_, select

from teachmem.clock import to_micros
from teachmem.ledger import rows
from teachmem.ledger.database import Prepared, Transaction
from teachmem.ledger.schema import memories
from teachmem.normal import normal_form
from teachmem.principal import Principal
from teachmem.record import Memory
from teachmem.rules import scope, trust
from teachmem.vocabulary import Source, Status, Visibility

UNSAID = 0.5  # the confidence of a claim that states none
_RANK = {source: -place for place, source in enumerate(Source)}

Strength = tuple[int, bool, float]


def strength(source: str, is_inferred: bool, confidence: float | None, status: str = "active") -> Strength:
    """Return how strong a claim's evidence is; greater is stronger.

    First the source, then said before inferred, then the confidence. A confirmed claim has a person's
    word, whoever wrote it.
    """
    said_by = Source.PERSON if status == Status.CONFIRMED else Source(source)
    return _RANK[said_by], not is_inferred, UNSAID if confidence is None else confidence


def reach(visibility: str, fleet: str, agent: str) -> tuple[str, ...]:
    """Return whom a memory reaches: the shorter, the wider; a beginning of another holds its readers.

    >>> reach("org", "dock", "dock-1"), reach("team", "dock", "dock-1"), reach("agent", "dock", "dock-1")
    ((), ('dock',), ('dock', 'dock-1'))
    """
    if visibility == Visibility.ORG:
        return ()
    return (fleet,) if visibility == Visibility.TEAM else (fleet, agent)


def reaches_all(wide: tuple[str, ...], narrow: tuple[str, ...]) -> bool:
    """Say whether every reader of `narrow` is one of `wide`."""
    return narrow[: len(wide)] == wide


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """What is compared of two memories. Times are microseconds, None is an open end."""

    object: str
    start: int | None
    end: int | None
    qualifiers: Mapping[str, Any]
    reach: tuple[str, ...]
    strength: Strength

    def conflicts_with(self, other: Claim) -> bool:
        """Say whether the two cannot both hold, the triple's subject and predicate being equal."""
        apart = _before(self.end, other.start) or _before(other.end, self.start)
        nested = reaches_all(self.reach, other.reach) or reaches_all(other.reach, self.reach)
        differ = normal_form(self.object) != normal_form(other.object)
        return differ and nested and not apart and same_case(self.qualifiers, other.qualifiers)

    def answers(self, older: Claim, now: int) -> bool:
        """Say whether from `now` on this speaks for every time, case and reader of `older`."""
        begins = self.start is None or self.start <= max(now, older.start or now)
        ends = self.end is None or (older.end is not None and self.end >= older.end)
        cases = all(
            name in older.qualifiers and _members(older.qualifiers[name]) <= _members(value)
            for name, value in self.qualifiers.items()
        )
        return begins and ends and cases and reaches_all(self.reach, older.reach)


def claim_of(memory: Memory) -> Claim:
    """Return the claim of a held memory; it ends when it expires, if that is earlier."""
    ends = [to_micros(end) for end in (memory.valid_to, memory.expires_at) if end is not None]
    return Claim(
        object=memory.object,
        start=None if memory.valid_from is None else to_micros(memory.valid_from),
        end=min(ends, default=None),
        qualifiers=memory.qualifiers,
        reach=reach(memory.visibility, memory.fleet, memory.agent),
        strength=strength(memory.source, memory.is_inferred, memory.confidence, memory.status),
    )


def _before(end: int | None, start: int | None) -> bool:
    return end is not None and start is not None and end <= start


def same_case(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Say whether two sets of qualifiers have a case in common: under every name that both give."""
    return all(_members(one[name]) & _members(other[name]) for name in one.keys() & other.keys())


def _members(value: Any) -> set[str]:
    """Return the cases that a qualifier names, in normal form: a list names several."""
    return {_plain(item) for item in (value if isinstance(value, list) else [value])}


def _plain(value: Any) -> str:
    if isinstance(value, str):
        return normal_form(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return json.dumps(value, default=dict, sort_keys=True)


def _held(far: scope.Reach) -> Prepared:
    return Prepared(
        select(*rows.SHOWN)
        .where(
            memories.c.claim_key == bindparam("key"),
            memories.c.superseded_at.is_(None),
            trust.clause(),
            scope.clause(far),
            or_(memories.c.expires_at.is_(None), memories.c.expires_at > bindparam("now")),
        )
        .order_by(memories.c.memory_id)
    )


_held_by = {far: _held(far) for far in scope.Reach}


def rivals(tx: Transaction, who: Principal, key: str, claim: Claim, now: int, but: str) -> list[Memory]:
    """Return the live memories that `who` may read and that `claim` conflicts with, without `but`."""
    found = [
        rows.to_memory(row)
        for row in tx.all(_held_by[scope.reach(who)], key=key, now=now, **scope.binds(who))
    ]
    return [held for held in found if held.memory_id != but and claim.conflicts_with(claim_of(held))]
