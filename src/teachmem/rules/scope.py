"""Who may read a memory. One clause, used by every read.

| a memory's visibility | is read by |
|---|---|
| org | everybody of the tenant |
| team | the writer's fleet; with clearance 2 or more, every fleet of the tenant |
| agent | the writer alone |

>>> print(clause(cross_fleet=False).compile(compile_kwargs={"literal_binds": False}))
memories.tenant = :reader_tenant AND (memories.visibility = :org OR memories.visibility = :team AND \
memories.fleet = :reader_fleet OR memories.visibility = :own AND memories.fleet = :reader_fleet AND \
memories.agent = :reader_name)

Left out: what a reader may do to a row; that is `rules/gate.py`.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, and_, bindparam, or_, true

from teachmem.ledger.schema import memories
from teachmem.principal import Principal
from teachmem.vocabulary import Clearance, Visibility


def crosses_fleets(reader: Principal) -> bool:
    """Say whether this reader's clearance opens every fleet's team rows."""
    return reader.clearance >= Clearance.CROSS_FLEET


def clause(cross_fleet: bool) -> ColumnElement[bool]:
    """Return the scope clause, its values unbound; `binds()` gives them for a reader."""
    of_fleet = true() if cross_fleet else memories.c.fleet == bindparam("reader_fleet")
    return and_(
        memories.c.tenant == bindparam("reader_tenant"),
        or_(
            memories.c.visibility == bindparam("org", str(Visibility.ORG)),
            and_(memories.c.visibility == bindparam("team", str(Visibility.TEAM)), of_fleet),
            and_(
                memories.c.visibility == bindparam("own", str(Visibility.AGENT)),
                memories.c.fleet == bindparam("reader_fleet"),
                memories.c.agent == bindparam("reader_name"),
            ),
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
    if tenant != reader.tenant:
        return False
    if visibility == Visibility.ORG:
        return True
    if visibility == Visibility.TEAM:
        return fleet == reader.fleet or crosses_fleets(reader)
    return visibility == Visibility.AGENT and (fleet, agent) == (reader.fleet, reader.name)
