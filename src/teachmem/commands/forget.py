"""`teachmem forget`: a named person erases a memory, and gets the certificate.

On this machine whoever can open the file is believed to be who they say; the chain keeps the name.
It asks before it does anything, since nothing brings the words back.

Left out: what is erased, and who may (`rules/erasure.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from teachmem.commands import places
from teachmem.commands.tell import tell

if TYPE_CHECKING:
    from collections.abc import Sequence

NO, PENDING = 1, 3


def forget(
    store: Annotated[str, typer.Argument(help="The store: a file's path, or a SQLAlchemy URL.")],
    memory_id: Annotated[str, typer.Argument(help="The memory to erase, such as fact-0001.")],
    person: Annotated[str, typer.Option(help="Who erases it.")],
    fleet: Annotated[str, typer.Option(help="The fleet of this person.")],
    tenant: Annotated[str, typer.Option(help="The tenant of this person.")],
    reason: Annotated[str, typer.Option(help="Why. The store keeps a digest of it, never the words.")],
    clearance: Annotated[int, typer.Option(help="1 own rows and the team's, 3 any of the tenant.")] = 1,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the certificate as JSON.")] = False,
) -> None:
    """Erase what a memory says, for good. Exit code: 0 erased, 1 you said no, 2 could not, 3 pending."""
    from teachmem import store as stores

    places.check_store(store)
    if not yes:
        tell(f"This erases every version of {memory_id}, and what quotes it. Nothing brings it back.")
        if not typer.confirm("Go on?", default=False):
            tell("Nothing was changed.")
            raise typer.Exit(NO)
    with stores.open_memory(store, embedder=_NoEmbedder(_embedder_of(store))) as mem:
        who = mem.person(person, fleet=fleet, tenant=tenant, clearance=clearance)
        done = who.forget(memory_id, reason)
    tell(done.as_json() if as_json else str(done))
    raise typer.Exit(0 if done.is_finished else PENDING)


class _NoEmbedder:
    """Stands in for whatever embedder the store was built with: erasing embeds nothing."""

    dimensions = 1

    def __init__(self, name: str) -> None:
        self.name = name

    def embed(self, texts: Sequence[str]) -> Any:
        raise NotImplementedError("erasing embeds nothing")


def _embedder_of(store: str) -> str:
    from teachmem.ledger import database as databases
    from teachmem.ledger import settings
    from teachmem.recall import embed

    with databases.Database.open(store) as database:
        return settings.embedder(database) or embed.default().name
