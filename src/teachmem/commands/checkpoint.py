"""`teachmem checkpoint`: sign where the audit log of a store stands, for somebody else to hold.

It is worth what its place is worth. Beside the log it shows an accident; on another disk, with another
person or on a blackboard it shows a cut and a rewriting of everything up to it.

Left out: the signing (`ledger/checkpoint.py`, `ledger/keeper.py`).
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from teachmem import errors
from teachmem.commands import places
from teachmem.commands.tell import tell
from teachmem.normal import one_line


def checkpoint(
    store: Annotated[str, typer.Argument(help="The store: a file's path, or a SQLAlchemy URL.")],
    tenant: Annotated[str | None, typer.Option(help="The chain of this tenant only.")] = None,
    to: Annotated[
        Path | None,
        typer.Option(
            "--to",
            metavar="FILE",
            help="The file to add it to; beside the store or your key if left out.",
        ),
    ] = None,
    key: Annotated[Path | None, typer.Option(help="The file of the key, if not the usual one.")] = None,
) -> None:
    """Sign where the audit log of a store stands, and print a code for the board."""
    from teachmem.clock import WallClock
    from teachmem.ids import RandomIds
    from teachmem.ledger import address, chain, keeper, keys
    from teachmem.ledger.database import Database
    from teachmem.ledger.keeper import Checkpoints, Keeper

    places.check_store(store)
    named = address.shown(store)
    with Database.open(store) as database:
        place = to or keeper.usual_file(database)
        if place is None:
            raise errors.InvalidInput("--to", "a store in memory needs a file for its checkpoints")
        making = Keeper(
            database, WallClock(), RandomIds(), Checkpoints(place, key=key or keys.default_path())
        )
        with database.read() as tx:
            tenants = [tenant] if tenant else chain.tenants(tx)
        if not tenants:
            raise errors.StoreError(f"{named!r} holds nothing yet, so there is nothing to sign")
        for one in [making.make(name) for name in tenants]:
            tell(one_line(one.code))
    tell(f"added to {place}, signed with the key {one.key}")
    tell(
        "Write the code on the board, or give the file to somebody else: it proves the log as far back as\n"
        "the last checkpoint that someone else holds. The code has 80 bits, the file the whole head."
    )
