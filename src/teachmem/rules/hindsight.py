"""What a look into the past still hides: a rejected value is shown there to people only.

The ledger keeps what was believed before somebody rejected it, and `known_at` would show it again. For an
agent it stays hidden wherever a standing tombstone covers it, in a withdrawn memory as in an old version
of one that says something else today. A person sees it, who may have to explain what happened.

>>> hides((), "dock", "team", "the door code is 4411", ())
False

A moratorium stands until the ledger's own clock, the time of its last entry, has passed its end.
Left out: erased text. It is in no version any more.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import bindparam, or_, select

from teachmem.ledger import chain
from teachmem.ledger.database import Prepared, Transaction
from teachmem.ledger.schema import tombstones
from teachmem.principal import Principal
from teachmem.record import Memory
from teachmem.rules import tombstone
from teachmem.vocabulary import Role, Visibility

Print = tuple[str, str, str, frozenset[str]]  # key, print of the value, of the triple, fleets (none: all)

_standing = Prepared(
    select(tombstones.c.key, tombstones.c.value_print, tombstones.c.triple_print, tombstones.c.fleets).where(
        tombstones.c.tenant == bindparam("tenant"),
        tombstones.c.kind == bindparam("value", "value"),
        tombstones.c.lifted_at.is_(None),
        or_(tombstones.c.until.is_(None), tombstones.c.until > bindparam("now")),
    )
)


def prints(tx: Transaction, reader: Principal) -> tuple[Print, ...]:
    """Return the prints of what is kept from this reader in hindsight; none for a person."""
    if reader.role is Role.PERSON:
        return ()
    now = chain.head(tx, reader.tenant).time
    found = tx.all(_standing, tenant=reader.tenant, now=now)
    return tuple(
        (key, value, triple, frozenset(tombstone.fleets_of(fleets))) for key, value, triple, fleets in found
    )


def hides(kept: Iterable[Print], fleet: str, visibility: str, content: str, triple: Sequence[str]) -> bool:
    """Say whether one of these prints is of this content, or of this claim, where it was written."""
    return any(
        (not fleets or fleet in fleets or visibility == Visibility.ORG)
        and (
            tombstone.value_print(key, content) == value
            or (triple and tombstone.triple_print(key, triple) == claim)
        )
        for key, value, claim, fleets in kept
    )


def without(kept: Sequence[Print], memories: Iterable[Memory]) -> list[Memory]:
    """Return the memories that are not hidden."""
    return [
        memory
        for memory in memories
        if not hides(
            kept,
            memory.fleet,
            memory.visibility,
            memory.content,
            tombstone.claim_of(memory.tier, memory.subject, memory.predicate, memory.object),
        )
    ]
