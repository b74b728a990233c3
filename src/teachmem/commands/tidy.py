"""`teachmem tidy`: expire and archive what is due in a store, or say what would be.

Left out: when. Put it where your machine keeps its timetable; a second run does nothing.
"""

from __future__ import annotations

from typing import Annotated

import typer

from teachmem.commands import places
from teachmem.commands.tell import tell

SHOWN = 20  # moves that are listed one by one


def tidy(
    store: Annotated[str, typer.Argument(help="The store: a file's path, or a SQLAlchemy URL.")],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be moved, and move nothing.")
    ] = False,
    tenant: Annotated[str | None, typer.Option("--tenant", help="One tenant only.")] = None,
) -> None:
    """Make expired memories outdated and archive stale ones; every move can be taken back."""
    from teachmem.clock import WallClock
    from teachmem.ids import RandomIds
    from teachmem.ledger import database as databases
    from teachmem.rules import lifecycle

    places.check_store(store)
    with databases.Database.open(store) as database:
        done = lifecycle.tidy(database, WallClock(), RandomIds(), tenant, dry_run=dry_run)
    for move in done.moves[:SHOWN]:
        tell(str(move))
    if len(done.moves) > SHOWN:
        tell(f"... and {len(done.moves) - SHOWN} more")
    tell(str(done))
