"""A steward's wider read: the whole tenant, private rows too, asked for by name and itself audited.

>>> who = Principal("northlight", "dock", "dock-1")
>>> check(who, "tenant")
Traceback (most recent call last):
    ...
teachmem.errors.InvalidInput: widen: is for a steward alone: a person with clearance 3
>>> check(who, None)

Every other read writes nothing. This one leaves an entry before it answers: who asked, by which read,
and nothing of what was asked or found.

Left out: other tenants. No read crosses them.
"""

from __future__ import annotations

from dataclasses import replace

from teachmem.errors import InvalidInput
from teachmem.ledger import journal
from teachmem.principal import Principal
from teachmem.rules.gate import Gate

WIDTHS = ("tenant",)


def check(who: Principal, widen: object) -> None:
    """Refuse what is no width, and whoever is no steward; None is no wish at all."""
    if widen is None:
        return
    if widen not in WIDTHS:
        raise InvalidInput("widen", f"must be one of {', '.join(WIDTHS)}, not {widen!r}")
    if not who.is_steward:
        raise InvalidInput("widen", "is for a steward alone: a person with clearance 3")


def reader(gate: Gate, who: Principal, widen: str | None, read: str) -> Principal:
    """Return who reads: `who`, or with `widen` the same one for the whole tenant, after an audit entry."""
    check(who, widen)
    if widen is None:
        return who
    with gate.database.write() as tx, journal.change(tx, who, gate.clock, gate.ids) as act:
        act.entry("read.widened", who.tenant, read=read)
    return replace(who, widened=True)
