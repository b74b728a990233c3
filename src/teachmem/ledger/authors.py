"""One name, one author: within a fleet, a name belongs to whoever first acts under it, agent or person.

A memory's address says tenant, fleet and name, not the role. If an agent and a person could share a
name, each would read the other's private rows and change them as its own. So the first act under a
name keeps it, and the other role is refused from then on: when its handle is made, when it writes,
when it reads.

>>> from teachmem.ledger.database import Database
>>> line = Principal("northlight", "line", "line-3", Role.PERSON)
>>> with Database.open() as database, database.write() as tx:
...     claim(tx, Principal("northlight", "line", "line-3"), seq=1)
...     check(tx, line)
Traceback (most recent call last):
    ...
teachmem.errors.InvalidInput: name: 'line-3' is an agent's in fleet 'line'; a person takes another name

Left out: the system, which acts in the name of whom it serves; and proof of who is calling.
"""

from __future__ import annotations

from sqlalchemy import bindparam, insert, select

from teachmem.errors import InvalidInput
from teachmem.ledger.database import Prepared, Transaction
from teachmem.ledger.schema import authors
from teachmem.principal import Principal
from teachmem.vocabulary import Role

_role = Prepared(
    select(authors.c.role).where(
        authors.c.tenant == bindparam("tenant"),
        authors.c.fleet == bindparam("fleet"),
        authors.c.name == bindparam("name"),
    )
)
_agents = Prepared(
    select(authors.c.fleet, authors.c.name)
    .where(authors.c.tenant == bindparam("tenant"), authors.c.role == bindparam("role"))
    .order_by(authors.c.fleet, authors.c.seq, authors.c.name)
)
_claim = Prepared(insert(authors).values({column.name: bindparam(column.name) for column in authors.c}))


def _held_by(tx: Transaction, who: Principal) -> str | None:
    row = tx.one(_role, tenant=who.tenant, fleet=who.fleet, name=who.name)
    return row[0] if row else None


def check(tx: Transaction, who: Principal) -> bool:
    """Say whether the name is taken, by this role; raises `InvalidInput` where it is another role's."""
    held_by = who.role if who.role is Role.SYSTEM else _held_by(tx, who)
    if held_by not in (None, who.role):
        article = "an" if held_by == Role.AGENT else "a"
        raise InvalidInput(
            "name",
            f"{who.name!r} is {article} {held_by}'s in fleet {who.fleet!r}; "
            f"{'an' if who.role is Role.AGENT else 'a'} {who.role} takes another name",
        )
    return held_by is not None


def agents(tx: Transaction, tenant: str) -> list[tuple[str, str]]:
    """Return fleet and name of every agent that has acted, by fleet, who came first before the others."""
    return [(fleet, name) for fleet, name in tx.all(_agents, tenant=tenant, role=str(Role.AGENT))]


def claim(tx: Transaction, who: Principal, seq: int) -> None:
    """Note that the name, which nobody has, is taken as of audit entry `seq`."""
    tx.run(_claim, tenant=who.tenant, fleet=who.fleet, name=who.name, role=str(who.role), seq=seq)
