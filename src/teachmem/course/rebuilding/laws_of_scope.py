"""What any `rules.scope` must obey: one table of who may read, said once in Python and once in the database."""

from __future__ import annotations

from itertools import product
from typing import Any

from hypothesis import strategies as st

from teachmem.course.rebuilding.law import Contract, ask, examples, show
from teachmem.course.rebuilding.sql import chosen
from teachmem.principal import Principal
from teachmem.vocabulary import Role

# A reader's names, and those of an address: the same, or nearly so.
tenants = st.sampled_from(("north", "nor%"))
fleets = st.sampled_from(("dock", "d_ck", "%"))
names = st.sampled_from(("arm", "a%"))
readers = st.builds(
    Principal, tenants, fleets, names, st.sampled_from((Role.AGENT, Role.PERSON)), st.integers(0, 3)
)
stewards = st.builds(Principal, tenants, fleets, names, st.just(Role.PERSON), st.just(3), st.just(True))
everybody = readers | stewards
ADDRESSES = tuple(
    product(
        ("north", "nor%", "south"),
        ("dock", "dock2", "Dock", "line"),
        ("arm", "arm2", "Arm"),
        ("team", "agent", "org", "", "Team"),
    )
)


@examples(reader=everybody)
def the_table_is_kept(module: Any, reader: Principal) -> str | None:
    """Org is for the tenant, team for the fleet (or, from clearance 2 on, for all), agent for its writer alone.

    A steward who widened a read sees the whole tenant. Nobody sees another tenant, and no name is a pattern.
    """
    for address in ADDRESSES:
        got, due = ask(module, "may_read", reader, *address), _may(reader, *address)
        if bool(got) is not due:
            return f"{_who(reader)} {'may' if got else 'may not'} read {_what(address)} by your may_read"
    return None


@examples(reader=everybody)
def the_database_says_the_same(module: Any, reader: Principal) -> str | None:
    """The clause, bound to a reader, reads exactly what the table says."""
    rows = [
        dict(zip(("tenant", "fleet", "agent", "visibility"), address, strict=True)) for address in ADDRESSES
    ]
    clause = ask(module, "clause", ask(module, "reach", reader))
    found = set(chosen(clause, rows, **ask(module, "binds", reader)))
    for place, address in enumerate(ADDRESSES):
        if (place in found) is not _may(reader, *address):
            does = "reads" if place in found else "does not read"
            return f"{_who(reader)} {does} {_what(address)} by your clause"
    return None


@examples(reader=everybody, current=st.booleans())
def an_old_version_is_read_only_where_it_is_asked_for(
    module: Any, reader: Principal, current: bool
) -> str | None:
    """The clause is on current versions; with `current=False` it is on every version."""
    row = {"tenant": reader.tenant, "fleet": reader.fleet, "agent": reader.name, "visibility": "agent"}
    clause = ask(module, "clause", ask(module, "reach", reader), current=current)
    found = chosen(clause, [row | {"superseded_at": 1}], **ask(module, "binds", reader))
    if bool(found) is current:
        does = "reads" if found else "does not read"
        return f"{_who(reader)} {does} an old version of an own memory by your clause(current={current})"
    return None


@examples(reader=everybody)
def how_far_a_reader_sees(module: Any, reader: Principal) -> str | None:
    """Own fleet; every fleet from clearance 2 on; the tenant for a widened read. All but the first cross fleets."""
    far = ask(module, "reach", reader)
    due = "tenant" if reader.widened else "every fleet" if reader.clearance >= 2 else "own fleet"
    if far != due:
        return f"your reach gave {show(str(far))} for {_who(reader)}; {due!r} was due"
    if bool(ask(module, "crosses_fleets", reader)) is (due == "own fleet"):
        return f"your crosses_fleets is wrong about {_who(reader)}, which sees {due}"
    return None


def _may(reader: Principal, tenant: str, fleet: str, agent: str, visibility: str) -> bool:
    """Say who may read, as the table does: the oracle."""
    if tenant != reader.tenant:
        return False
    if reader.widened or visibility == "org":
        return True
    if visibility == "team":
        return fleet == reader.fleet or reader.clearance >= 2
    return visibility == "agent" and fleet == reader.fleet and agent == reader.name


def _who(reader: Principal) -> str:
    article = "an" if reader.role is Role.AGENT else "a"
    kind = f"{article} {reader.role} of clearance {int(reader.clearance)}"
    widened = " who widened it" if reader.widened else ""
    return f"{reader.name} of {reader.tenant}/{reader.fleet} ({kind}{widened})"


def _what(address: tuple[str, ...]) -> str:
    tenant, fleet, agent, visibility = address
    return f"what {agent} of {tenant}/{fleet} wrote with visibility {visibility!r}"


CONTRACT = Contract(
    "rules.scope",
    ("Reach", "reach", "crosses_fleets", "clause", "binds", "may_read"),
    (
        the_table_is_kept,
        the_database_says_the_same,
        an_old_version_is_read_only_where_it_is_asked_for,
        how_far_a_reader_sees,
    ),
)
