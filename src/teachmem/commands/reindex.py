"""`teachmem reindex`: build a store's vector index anew from its table; with `--re-embed`, its vectors too.

The table decides and the index is a cache, so nothing can be lost here. New vectors are a change of
the store: each tenant's chain gets one entry that says how many and by which embedder. Meanwhile the
store names an embedder that nobody has, so that a run that was interrupted leaves a store that is
refused until it has been run again, and never one whose vectors are a mixture.

Left out: the lexical postings. They live in memory and build themselves at the next question.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from teachmem.commands import places
from teachmem.commands.tell import tell
from teachmem.normal import one_line

if TYPE_CHECKING:
    from teachmem.ledger.database import Database
    from teachmem.recall.nearest import Nearest, Progress

SYSTEM = "reindex"  # the name that stands in the chain
UNFINISHED = "{}, not for all yet"  # what a store says that is half way


def reindex(
    store: Annotated[str, typer.Argument(help="The store: a file's path, or a SQLAlchemy URL.")],
    re_embed: Annotated[
        bool,
        typer.Option("--re-embed", help="Make every vector anew, with the embedder of this installation."),
    ] = False,
    embedder_name: Annotated[
        str | None,
        typer.Option("--embedder", metavar="NAME", help="Another embedder: wordllama, minilm or hashing."),
    ] = None,
    vectors: Annotated[str | None, typer.Option(help="A Chroma server's URL, or a folder.")] = None,
) -> None:
    """Build the vector index of a store anew from its table."""
    from rich.console import Console
    from rich.progress import Progress as Bars

    from teachmem import store as stores
    from teachmem.ids import RandomIds
    from teachmem.ledger import database as databases
    from teachmem.ledger import settings
    from teachmem.recall import embed
    from teachmem.recall.nearest import Nearest
    from teachmem.vocabulary import Tier

    places.check_store(store)
    embedder = embed.named(embedder_name)
    embed.checked(embedder, ["a first text"])  # one that does not work must not get as far as the store
    with databases.Database.open(store) as database:
        if not re_embed:
            settings.claim_embedder(database, embedder.name)
        shared = settings.identity(database, RandomIds().salt().hex()) if vectors else ""
        near = Nearest(stores.vectors_of(vectors, database.file, shared), embedder, Tier.SEMANTIC)
        try:
            with Bars(console=Console(stderr=True)) as bars:

                def watched(what: str) -> Progress:
                    task = bars.add_task(what, total=None)
                    return lambda done, total: bars.update(task, completed=done, total=total)

                if re_embed:
                    settings.claim_embedder(database, UNFINISHED.format(embedder.name), anew=True)
                    _embed_anew(database, near, watched("vectors"))
                    settings.claim_embedder(database, embedder.name, anew=True)
                near.index.forget()
                counts = _rebuild(database, near, watched("index"))
        finally:
            near.index.close()
    for tenant, count in counts.items():
        noun = "memory" if count == 1 else "memories"
        tell(f"{one_line(tenant)}: {count} {noun} indexed with {embedder.name}")
    if not counts:
        tell("the store holds no memory yet")


def _embed_anew(database: Database, near: Nearest, progress: Progress) -> None:
    from teachmem.clock import WallClock
    from teachmem.ids import RandomIds
    from teachmem.ledger import chain, journal
    from teachmem.principal import Principal
    from teachmem.vocabulary import Role

    with database.read() as tx:
        tenants = chain.tenants(tx)
    for tenant in tenants:
        system = Principal(tenant, SYSTEM, SYSTEM, Role.SYSTEM)
        with database.write() as tx, journal.change(tx, system, WallClock(), RandomIds()) as act:
            near.embed_anew(act, progress)


def _rebuild(database: Database, near: Nearest, progress: Progress) -> dict[str, int]:
    from teachmem.ledger import chain

    with database.read() as tx:
        return {tenant: near.rebuild(tx, tenant, progress) for tenant in chain.tenants(tx)}
