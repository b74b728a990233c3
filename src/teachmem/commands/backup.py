"""`teachmem backup` and `teachmem restore`: a copy of a store, and its memories back into today's store.

Left out: how (`flow/backup.py`).
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from teachmem.commands import places, verify
from teachmem.commands.tell import tell

REFUSED = 1


def backup(
    store: Annotated[str, typer.Argument(help="The store: a file's path, or a SQLAlchemy URL.")],
    to: Annotated[Path, typer.Argument(help="The new file; one that exists is never overwritten.")],
) -> None:
    """Copy a store with its audit log to a new file, and verify the copy. Exit code: as of `verify`."""
    from teachmem.flow import backup as backups
    from teachmem.ledger import database as databases

    places.check_store(store)
    with databases.Database.open(store) as database:
        report = backups.backup(database, to)
    tell(f"{to}: {report}")
    raise typer.Exit(verify.EXIT[str(report.status)])


def restore(
    file: Annotated[Path, typer.Argument(help="The backup. It is only read.")],
    store: Annotated[str, typer.Argument(help="The store that gets the memories; made if it is missing.")],
    *,
    person: Annotated[str, typer.Option(help="Who does it; the chain keeps the name.")],
    fleet: Annotated[str, typer.Option(help="The fleet of this person.")],
    tenant: Annotated[str, typer.Option(help="The tenant of this person.")],
    clearance: Annotated[int, typer.Option(help="1 what they may read, 3 all of the tenant.")] = 1,
) -> None:
    """Bring a backup's memories back into a store. Exit code: 0 all, 1 some was refused, 2 could not."""
    from teachmem import store as stores

    if not file.is_file():
        places.check_store(str(file))
    with stores.open_memory(store) as mem:
        report = mem.person(person, fleet=fleet, tenant=tenant, clearance=clearance).restore(file)
    tell(str(report))
    raise typer.Exit(REFUSED if report.refused else 0)
