"""The store: opens the parts, puts them together, and hands out handles to those who may act.

>>> from datetime import UTC, datetime
>>> from teachmem.clock import LessonClock
>>> from teachmem.ids import CountedIds
>>> with open_memory(clock=LessonClock(datetime(2026, 3, 2, 9, tzinfo=UTC)), ids=CountedIds()) as mem:
...     tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
...     receipt = tech.working.write("arm-1", "observed", "drift", "arm 1 drifts to the left")
...     print(receipt)
...     print(tech.working.context("drift"))
...     print(mem.audit.verify().status)
accepted note-0001, audit entry 1
[note-0001 | arm-1 observed drift | by dock-1, source agent, just now] "arm 1 drifts to the left"
complete

Left out: proof of who is calling. In-process code is trusted to say who it is.
"""

from __future__ import annotations

import importlib.util
from functools import partial
from os import PathLike
from pathlib import Path

from teachmem.clock import WallClock
from teachmem.errors import InvalidInput
from teachmem.flow import backup
from teachmem.handles import Agent, Handle, Person
from teachmem.ids import RandomIds
from teachmem.ledger import authors, settings
from teachmem.ledger.audit import Audit
from teachmem.ledger.database import Database
from teachmem.ledger.keeper import Checkpoints, Keeper
from teachmem.ledger.report import AuditReport
from teachmem.ports import Clock, Embedder, Enricher, IdMaker, VectorIndex
from teachmem.principal import Principal, clearance_of
from teachmem.recall import embed, place, tokens
from teachmem.recall.chroma import ChromaIndex
from teachmem.recall.enrich import Enrichment
from teachmem.recall.index import LexicalIndex
from teachmem.recall.nearest import Nearest
from teachmem.recall.vectors import ExactIndex
from teachmem.rules import lifecycle
from teachmem.rules.gate import Gate
from teachmem.tiers import forgetting
from teachmem.tiers.kit import Kit
from teachmem.vocabulary import Clearance, Role, Tier

__all__ = ["Agent", "Handle", "MemoryStore", "Person", "open_memory", "vectors_of"]


class MemoryStore:
    """One opened store. Use it as a context manager, or call `close()`."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        ids: IdMaker,
        embedder: Embedder,
        vectors: VectorIndex,
        checkpoints: Checkpoints | None = None,
        enricher: Enricher | None = None,
    ) -> None:
        self._database = database
        near = Nearest(vectors, embedder, Tier.SEMANTIC)
        gate = Gate(
            database,
            clock,
            ids,
            embed=near.vector_for,
            check_vectors=near.check_embedder,
            enrich=Enrichment(enricher),
        )
        self._kit = Kit(database, clock, gate, LexicalIndex(), tokens.count, near)
        self._keeper = Keeper(database, clock, ids, checkpoints)
        self.audit = Audit(database, self._keeper)
        gate.erased = partial(forgetting.finish, self._kit)
        gate.erased()  # what an erasure had to leave, because somebody was reading

    @property
    def clock(self) -> Clock:
        """The clock that this store goes by."""
        return self._kit.clock

    def agent(self, name: str, *, fleet: str, tenant: str, clearance: int = Clearance.STANDARD) -> Agent:
        """Return the handle of an agent. Raises `InvalidInput` for a name that is a person's there."""
        return Agent(
            self._known(Principal(tenant, fleet, name, Role.AGENT, clearance_of(clearance))), self._kit
        )

    def person(self, name: str, *, fleet: str, tenant: str, clearance: int = Clearance.STANDARD) -> Person:
        """Return the handle of a person. Raises `InvalidInput` for a name that is an agent's there."""
        return Person(
            self._known(Principal(tenant, fleet, name, Role.PERSON, clearance_of(clearance))), self._kit
        )

    def _known(self, who: Principal) -> Principal:
        with self._database.read() as tx:
            authors.check(tx, who)
        return who

    def tidy(self, *, dry_run: bool = False, tenant: str | None = None) -> lifecycle.Tidied:
        """Make expired memories outdated and archive stale ones; every move is audited, and can be undone."""
        gate = self._kit.gate
        return lifecycle.tidy(gate.database, gate.clock, gate.ids, tenant, dry_run=dry_run)

    def backup(self, path: str | PathLike[str]) -> AuditReport:
        """Copy the store with its chain to a new file and verify the copy; see `flow/backup`."""
        return backup.backup(self._database, path)

    def reindex(self) -> None:
        """Throw the indexes away; the next question builds them again from the table."""
        self._kit.index.forget_everything()
        self._kit.near.index.forget()

    def close(self) -> None:
        """Close the store; nothing is lost, every write was committed when it returned."""
        if not self._database.closed:
            self._keeper.close()
        self._kit.near.index.close()
        self._database.close()

    def __enter__(self) -> MemoryStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_memory(
    url: str | PathLike[str] = ":memory:",
    *,
    clock: Clock | None = None,
    ids: IdMaker | None = None,
    embedder: Embedder | None = None,
    vectors: VectorIndex | str | PathLike[str] | None = None,
    checkpoints: Checkpoints | str | PathLike[str] | None = None,
    enricher: Enricher | None = None,
) -> MemoryStore:
    """Open the store at `url`, making it if it does not exist.

    `url` is a file's path, ":memory:", or a SQLAlchemy URL. `clock` and `ids` default to the wall
    clock and random ids; lessons pass a `LessonClock` and `CountedIds`. `embedder` defaults to word
    vectors (`recall/embed.py`). `vectors` is a vector index, or where Chroma keeps one: a folder's path
    or a server's URL; left out, a store in a file has a Chroma folder beside it where chromadb is
    installed, and an exact index in memory serves otherwise. `checkpoints` is where signed heads of the
    audit log go after every 1,000 entries and on closing: a file's path, or `Checkpoints`. `enricher`
    suggests what a fact is about, by rules (`recall/enrich.py`) unless you hand one in. Raises `StoreError`
    for a file that is not a teachmem store, cannot be used as one, or was built with another embedder.
    """
    if not isinstance(url, str | PathLike):
        raise InvalidInput("url", f"must be a file's path, ':memory:' or a SQLAlchemy URL, not {url!r}")
    database = Database.open(str(url))
    try:
        made_by = embed.default() if embedder is None else embedder
        if not isinstance(getattr(made_by, "name", None), str) or not hasattr(made_by, "embed"):
            raise InvalidInput(
                "embedder", f"must have a name, dimensions and embed(texts), not be {made_by!r}"
            )
        settings.claim_embedder(database, made_by.name)
        shares = isinstance(vectors, str | PathLike)  # counted ids would not tell two stores apart
        store = settings.identity(database, RandomIds().salt().hex()) if shares else ""
        index = vectors_of(vectors, database.file, store)
        where = Checkpoints(checkpoints) if isinstance(checkpoints, str | PathLike) else checkpoints
        if where is not None and not isinstance(where, Checkpoints):
            raise InvalidInput("checkpoints", f"must be a file's path or Checkpoints, not {where!r}")
        if enricher is not None and not hasattr(enricher, "suggest"):
            raise InvalidInput(
                "enricher", f"must have a name and suggest(content, kinds), not be {enricher!r}"
            )
        now = clock or WallClock()
        return MemoryStore(database, now, ids or RandomIds(), made_by, index, where, enricher)
    except BaseException:
        database.close()
        raise


def vectors_of(
    given: VectorIndex | str | PathLike[str] | None, file: Path | None, store: str = ""
) -> VectorIndex:
    """Return the vector index of a store: the one given, Chroma at a place, or what fits its file.

    `store` names the store where several may share the place that is given.
    """
    if isinstance(given, str | PathLike):
        return ChromaIndex(str(given), store)
    if given is not None:
        if not all(hasattr(given, name) for name in ("seen", "put", "search", "forget")):
            raise InvalidInput(
                "vectors", f"must be a folder's path, a server's URL or an index, not {given!r}"
            )
        return given
    if file is None or importlib.util.find_spec("chromadb") is None:
        return ExactIndex()
    return ChromaIndex(place.beside(file))
