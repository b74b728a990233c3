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
from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

from teachmem.clock import WallClock
from teachmem.errors import InvalidInput
from teachmem.flow import consolidate, context, exchange, intake
from teachmem.ids import RandomIds
from teachmem.ledger import settings
from teachmem.ledger.audit import Audit
from teachmem.ledger.database import Database
from teachmem.ledger.keeper import Checkpoints, Keeper
from teachmem.ports import Clock, Embedder, IdMaker, LanguageModel, VectorIndex
from teachmem.principal import Principal, clearance_of
from teachmem.recall import embed, place, tokens
from teachmem.recall.chroma import ChromaIndex
from teachmem.recall.index import LexicalIndex
from teachmem.recall.nearest import Nearest
from teachmem.recall.vectors import ExactIndex
from teachmem.record import Memory, Receipt
from teachmem.rules import admissible, amend, erasure, reject, standing, tombstone
from teachmem.rules.certificate import Certificate
from teachmem.rules.gate import Gate
from teachmem.rules.review import Review
from teachmem.rules.tombstone import Tombstone
from teachmem.tiers import catalogue, forgetting, procedural
from teachmem.tiers.decided import DecidedSemantic
from teachmem.tiers.episodic import EpisodicMemory
from teachmem.tiers.graph import Graph
from teachmem.tiers.kit import Kit
from teachmem.tiers.procedural import ProceduralMemory
from teachmem.tiers.semantic import SemanticMemory
from teachmem.tiers.working import WorkingMemory
from teachmem.vocabulary import Clearance, Role, Tier, Visibility


class Handle:
    """The memory as one principal may use it. It is bound for good: make another for another."""

    def __init__(self, who: Principal, kit: Kit) -> None:
        self.principal = who
        self._kit = kit
        self.working = WorkingMemory(who, kit)
        self.episodic = EpisodicMemory(who, kit)
        self.semantic = SemanticMemory(who, kit)
        self.procedural = ProceduralMemory(who, kit)
        self.graph = Graph(who, kit, self.semantic)

    def consolidate(
        self, model: LanguageModel, limit: int = 5, *, session: str | None = None
    ) -> consolidate.Consolidation:
        """Let `model` propose at most `limit` facts from your notes and events that no run has read yet.

        Each proposal waits for a person. The report says what was read, proposed and dropped, and why; an
        answer that is empty, late, malformed or unfounded changes nothing, and the batch stays due.
        """
        return consolidate.consolidate(self._kit, self.principal, model, limit, session, tombstone.rejected)

    def set_status(
        self, memory_id: str, status: str, reason: str, *, request_id: str | None = None
    ) -> Receipt:
        """Move a memory of any tier to `status` and keep why; `vocabulary.TRANSITIONS` says who may what.

        Nothing is lost: it is a new version, and most moves have a way back. Another's memory is put
        before a person.
        """
        return standing.set_status(self._kit.gate, self.principal, memory_id, status, reason, request_id)

    def keystones(self, *, at: datetime | None = None, known_at: datetime | None = None) -> list[Memory]:
        """Return the memories that people have put first in every context, oldest first."""
        with self._kit.reading(self.principal, at, known_at) as (tx, moment, known):
            found = admissible.newest(tx, self.principal, moment, known, keystones=True)
        return found[::-1]

    def context(
        self,
        query: str | None = None,
        budget: int = 1500,
        *,
        session: str | None = None,
        at: datetime | None = None,
        known_at: datetime | None = None,
    ) -> context.Assembled:
        """Assemble what a model may be handed for a question, or for a turn without one.

        Keystones come first, then facts, notes and events about the question, each a labelled line; then,
        marked as untrusted, what waits in quarantine and speaks of it. `budget` is in tokens.
        """
        tiers = context.Tiers(self.working, self.episodic, self.semantic)
        return context.assemble(self._kit, self.principal, tiers, query, budget, session, at, known_at)

    def __repr__(self) -> str:
        who = self.principal
        return f"<{who.role} {who.name} of {who.tenant}/{who.fleet}, clearance {int(who.clearance)}>"


class Agent(Handle):
    """A handle for an agent."""

    def forget(self, memory_id: str, reason: str, *, request_id: str | None = None) -> Receipt:
        """Ask that one of your own memories be erased. Only a person erases: the verdict is staged."""
        return erasure.ask(self._kit.gate, self.principal, memory_id, reason, request_id)


class Person(Handle):
    """A handle for a person, who also decides: no agent's handle has what is added here."""

    semantic: DecidedSemantic

    def __init__(self, who: Principal, kit: Kit) -> None:
        super().__init__(who, kit)
        self.semantic = DecidedSemantic(who, kit)
        self.review = Review(who, kit.gate)

    def tombstones(self) -> list[Tombstone]:
        """Return the rejected values of your fleet, newest first: standing, lapsed and lifted."""
        with self._kit.reading(self.principal, None, None) as (tx, now, _):
            return tombstone.every(tx, self.principal, now)

    def lift(self, tombstone_id: str, reason: str) -> Tombstone:
        """Let a rejected value be written again; what was withdrawn does not come back by itself."""
        return reject.lift(self._kit.gate, self.principal, tombstone_id, reason)

    def keystone(self, memory_id: str, on: bool = True) -> Receipt:
        """Put a memory first in every context of its readers, or take it back with `on=False`."""
        return standing.keystone(self._kit.gate, self.principal, memory_id, on)

    def export(self, path: str | PathLike[str], *, fleet: str | None = None) -> exchange.Manifest:
        """Write the live memories and the tombstones that you may hand on to a new file; see `flow/exchange`.

        A steward's export is of the whole tenant, or of one `fleet`.
        """
        return exchange.export(self._kit, self.principal, path, fleet)

    def load_export(self, path: str | PathLike[str]) -> intake.ImportReport:
        """Import an export: every row passes the gate, and what was rejected here stays out."""
        return intake.load(self._kit, self.principal, path)

    def forget(self, memory_id: str, reason: str) -> Certificate:
        """Erase what a memory says, for good, in every version and wherever this store holds it.

        Yours are your own memories and the team's of your fleet; a steward's all of the tenant, private
        ones too. The chain stays whole. Raises `NotFound` or `MemoryRefused`.
        """
        return forgetting.forget(self.principal, self._kit, memory_id, reason)

    def load_catalogue(self, rows: Iterable[Mapping[str, Any]]) -> list[Receipt]:
        """Write catalogue rows as documents, which search leaves out unless asked. Needs clearance 3."""
        return catalogue.load(self.principal, self._kit, rows)

    def load_skills(self, texts: Iterable[str], visibility: str = Visibility.TEAM) -> list[Receipt]:
        """Write skills from their files' texts; a skill of a known name becomes its next version."""
        return procedural.load(self.principal, self._kit, texts, visibility)

    def retract_skill(self, name: str, reason: str) -> Receipt:
        """Withdraw a skill by its name, and keep why."""
        memory_id = self.procedural.get(name).memory.memory_id
        return amend.retract(self._kit.gate, self.principal, Tier.PROCEDURAL, memory_id, reason)


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
    ) -> None:
        self._database = database
        near = Nearest(vectors, embedder, Tier.SEMANTIC)
        gate = Gate(database, clock, ids, embed=near.vector_for, check_vectors=near.check_embedder)
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
        """Return the handle of an agent."""
        return Agent(Principal(tenant, fleet, name, Role.AGENT, clearance_of(clearance)), self._kit)

    def person(self, name: str, *, fleet: str, tenant: str, clearance: int = Clearance.STANDARD) -> Person:
        """Return the handle of a person."""
        return Person(Principal(tenant, fleet, name, Role.PERSON, clearance_of(clearance)), self._kit)

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
) -> MemoryStore:
    """Open the store at `url`, making it if it does not exist.

    `url` is a file's path, ":memory:", or a SQLAlchemy URL. `clock` and `ids` default to the wall
    clock and random ids; lessons pass a `LessonClock` and `CountedIds`. `embedder` defaults to word
    vectors (`recall/embed.py`). `vectors` is a vector index, or where Chroma keeps one: a folder's path
    or a server's URL; left out, a store in a file has a Chroma folder beside it where chromadb is
    installed, and an exact index in memory serves otherwise. `checkpoints` is where signed heads of the
    audit log go after every 1,000 entries and on closing: a file's path, or `Checkpoints`. Raises
    `StoreError` for a file that is not a teachmem store, cannot be used as one, or was built with another
    embedder.
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
        return MemoryStore(database, clock or WallClock(), ids or RandomIds(), made_by, index, where)
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
