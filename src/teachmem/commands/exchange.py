"""`teachmem export` and `teachmem import`: a memory in a file, and back through the gate.

On this machine whoever can open the file is believed to be who they say; the chain keeps the name.

Left out: what goes in, and what is let back in (`flow/exchange.py`, `flow/intake.py`).
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from teachmem.commands import places
from teachmem.commands.tell import tell

REFUSED = 1
Store = Annotated[str, typer.Argument(help="The store: a file's path, or a SQLAlchemy URL.")]
Person = Annotated[str, typer.Option(help="Who does it.")]
OfFleet = Annotated[str, typer.Option(help="The fleet of this person.")]
Tenant = Annotated[str, typer.Option(help="The tenant of this person.")]
Clearance = Annotated[int, typer.Option(help="1 what they may read, 3 all of the tenant.")]


def export(
    store: Store,
    file: Annotated[Path, typer.Argument(help="The new file; one that exists is never overwritten.")],
    *,
    person: Person,
    fleet: OfFleet,
    tenant: Tenant,
    clearance: Clearance = 1,
    only: Annotated[str | None, typer.Option(help="Export this fleet only (needs clearance 3).")] = None,
) -> None:
    """Write the live memories and the tombstones of a store to a new file of JSON Lines."""
    from teachmem import store as stores

    places.check_store(store)
    with stores.open_memory(store) as mem:
        who = mem.person(person, fleet=fleet, tenant=tenant, clearance=clearance)
        manifest = who.export(file, fleet=only)
    tell(str(manifest))


def load(
    store: Annotated[str, typer.Argument(help="The store: a file's path; it is made if it is missing.")],
    file: Annotated[Path, typer.Argument(help="The export.")],
    *,
    person: Person,
    fleet: OfFleet,
    tenant: Tenant,
    clearance: Clearance = 1,
) -> None:
    """Read an export in, row by row. Exit code: 0 all of it, 1 some was refused, 2 could not."""
    from teachmem import store as stores

    with stores.open_memory(store) as mem:
        report = mem.person(person, fleet=fleet, tenant=tenant, clearance=clearance).load_export(file)
    tell(str(report))
    raise typer.Exit(REFUSED if report.refused else 0)
