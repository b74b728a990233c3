"""Who may read a memory. One clause, used by every read.

| a memory's visibility | is read by |
|---|---|
| org | everybody of the tenant |
| team | the writer's fleet; with clearance 2 or more, every fleet of the tenant |
| agent | the writer alone; a steward who asks with `widen="tenant"`, each use audited |

A row always has a fleet, and names are compared whole and byte for byte: no name is a pattern.

>>> print(clause(Reach.FLEET, current=False))
memories.tenant = :reader_tenant AND memories.visibility = :org OR \
memories.tenant = :reader_tenant AND memories.visibility = :team AND memories.fleet = :reader_fleet OR \
memories.tenant = :reader_tenant AND memories.visibility = :own AND memories.fleet = :reader_fleet AND \
memories.agent = :reader_name

Each of the three ways to be readable names the tenant itself (and that the version is current), so that
each is one range of the index `by_address`, and what lies outside is not even looked at.

Left out: what a reader may do to a row (`rules/gate.py`), and the audit of a wider read (`rules/widen.py`).
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from sqlalchemy import ColumnElement, FromClause, and_, bindparam, or_, true

from teachmem.ledger.schema import memories
from teachmem.principal import Principal
from teachmem.vocabulary import Clearance, Visibility


class Reach(StrEnum):
    """How far a reader sees: it chooses among three fixed clauses, and is no part of any value."""

    FLEET = "own fleet"
    FLEETS = "every fleet"
    TENANT = "tenant"


def reach(reader: Principal) -> Reach:
    """Return how far this reader sees."""
    if reader.widened:
        return Reach.TENANT
    return Reach.FLEETS if reader.clearance >= Clearance.CROSS_FLEET else Reach.FLEET


def crosses_fleets(reader: Principal) -> bool:
    """Say whether this reader sees every fleet's team rows."""
    return reach(reader) is not Reach.FLEET


def clause(far: Reach, of: FromClause = memories, current: bool = True) -> ColumnElement[bool]:
    """Return the scope clause on the current versions of `of`, unbound; `binds()` has a reader's values.

    Without `current` it is on every version: only for one that its reader has been shown before.
    """
    now = of.c.superseded_at.is_(None) if current else true()
    in_tenant = and_(of.c.tenant == bindparam("reader_tenant"), now)
    if far is Reach.TENANT:
        return in_tenant
    own_fleet = of.c.fleet == bindparam("reader_fleet")
    return or_(
        and_(in_tenant, of.c.visibility == bindparam("org", str(Visibility.ORG))),
        and_(
            in_tenant,
            of.c.visibility == bindparam("team", str(Visibility.TEAM)),
            true() if far is Reach.FLEETS else own_fleet,
        ),
        and_(
            in_tenant,
            of.c.visibility == bindparam("own", str(Visibility.AGENT)),
            own_fleet,
            of.c.agent == bindparam("reader_name"),
        ),
    )


def binds(reader: Principal) -> dict[str, Any]:
    """Return the values that bind the clause to `reader`."""
    return {"reader_tenant": reader.tenant, "reader_fleet": reader.fleet, "reader_name": reader.name}


def may_read(reader: Principal, tenant: str, fleet: str, agent: str, visibility: str) -> bool:
    """Say the same in plain Python, for one address.

    >>> dock = Principal("northlight", "dock", "dock-1")
    >>> may_read(dock, "northlight", "line", "line-3", "team")
    False
    >>> may_read(dock, "northlight", "line", "line-3", "org")
    True
    """
    far = reach(reader)
    if tenant != reader.tenant:
        return False
    if far is Reach.TENANT or visibility == Visibility.ORG:
        return True
    if visibility == Visibility.TEAM:
        return fleet == reader.fleet or far is Reach.FLEETS
    return visibility == Visibility.AGENT and (fleet, agent) == (reader.fleet, reader.name)
