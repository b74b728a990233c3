"""The handles: a memory as one agent or one person may use it, and nothing beyond.

A handle is bound to one principal. What a person decides (review, tombstones, keystones, erasure) is
only on a person's handle: an agent's has no such attribute.

Left out: opening a store (`store.py`), and what each act does; that is said where it is done.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from typing import Any

from teachmem.clock import Moment
from teachmem.flow import backup, consolidate, context, distil, exchange, insight, intake, pipeline, trail
from teachmem.flow.state import Means, Node
from teachmem.ports import LanguageModel
from teachmem.principal import Principal
from teachmem.record import Memory, Receipt
from teachmem.rules import admissible, amend, erasure, reject, standing, tombstone
from teachmem.rules.certificate import Certificate
from teachmem.rules.review import Review
from teachmem.rules.tombstone import Tombstone
from teachmem.tiers import catalogue, forgetting, outcomes, procedural
from teachmem.tiers.decided import DecidedSemantic
from teachmem.tiers.episodic import EpisodicMemory
from teachmem.tiers.graph import Graph
from teachmem.tiers.kit import Kit
from teachmem.tiers.procedural import ProceduralMemory
from teachmem.tiers.semantic import SemanticMemory
from teachmem.tiers.working import WorkingMemory
from teachmem.vocabulary import Tier, Visibility


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
        return consolidate.consolidate(self._kit, self.principal, model, limit, session)

    def distil(self, model: LanguageModel | None = None, limit: int = 3) -> distil.Distillation:
        """Propose skills from what was done again and again; each waits for a person.

        What rests on the evidence of a rejected skill is left alone, before any model is called.
        """
        return distil.distil(self._kit, self.principal, model, limit)

    def set_status(
        self, memory_id: str, status: str, reason: str, *, request_id: str | None = None
    ) -> Receipt:
        """Move a memory to `status`, as `vocabulary.TRANSITIONS` allows; another's is put before a person."""
        return standing.set_status(self._kit.gate, self.principal, memory_id, status, reason, request_id)

    def report_outcome(
        self,
        outcome: str,
        text: str,
        used: Sequence[str] = (),
        session: str = "s1",
        *,
        request_id: str | None = None,
    ) -> Receipt:
        """Log how it went (success, failure, partial) and what was `used`; the system writes it for you."""
        return outcomes.report(self._kit, self.principal, outcome, text, used, session, request_id)

    def insights(self, focus: str | None = None) -> list[Memory]:
        """Find contradictions, repeated failures, divergence and stale facts in what you may read.

        Each finding is kept as an insight, once, and outdated when it is so no longer; returned are those
        that stand, of one focus or of all.
        """
        return insight.find(self._kit, self.principal, focus)

    def trail(self, memory_id: str) -> list[trail.Acted]:
        """Return the entries of the audit log about a memory that you may see, oldest first."""
        return trail.of(self._kit, self.principal, memory_id)

    def keystones(
        self, *, at: Moment | None = None, known_at: Moment | None = None, widen: str | None = None
    ) -> list[Memory]:
        """Return the memories that people have put first in every context, oldest first."""
        with self._kit.asking(self.principal, "keystones", at, known_at, widen) as (tx, who, moment, known):
            found = admissible.newest(tx, who, moment, known, keystones=True)
        return found[::-1]

    def context(
        self,
        query: str | None = None,
        budget: int = 1500,
        *,
        session: str | None = None,
        at: Moment | None = None,
        known_at: Moment | None = None,
    ) -> context.Assembled:
        """Assemble what a model may be handed for a question, or for a turn without one.

        Keystones come first, then facts, notes and events about the question, each a labelled line; then,
        marked as untrusted, what waits in quarantine and speaks of it. `budget` is in tokens.
        """
        tiers = context.Tiers(self.working, self.episodic, self.semantic)
        return context.assemble(self._kit, self.principal, tiers, query, budget, session, at, known_at)

    def ask(
        self,
        question: str,
        *,
        session: str = "s1",
        budget: int = 1500,
        model: LanguageModel | None = None,
        nodes: Mapping[str, Node] | None = None,
        at: Moment | None = None,
        known_at: Moment | None = None,
    ) -> pipeline.Answer:
        """Answer a question from memory alone, with the ids that each sentence rests on and a trace.

        Without a `model` the answer quotes sentences. `nodes` replaces nodes of the pipeline by name. The
        answer is logged as an event, unless it is about another time.
        """
        tiers = context.Tiers(self.working, self.episodic, self.semantic)
        means = Means(self._kit, self.principal, tiers, self.graph, session, budget, model, at, known_at)
        return pipeline.ask(means, question, nodes)

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

    @property
    def review(self) -> Review:
        """The inbox, and what you may do about it."""
        return Review(self.principal, self._kit.gate)

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

    def restore(self, path: str | PathLike[str]) -> intake.ImportReport:
        """Bring back what a backup holds live and you may read there, through the gate; see `flow/backup`."""
        return backup.restore(self._kit, self.principal, path)

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
