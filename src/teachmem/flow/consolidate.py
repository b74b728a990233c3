"""The sleep cycle: an agent's notes and events become a few proposed facts, each once, for a person to judge.

1. Read what no run has read (`flow/due.py`). Nothing due: nothing happens, and no model is called.
2. Ask the model, outside any transaction, for a few facts with the ids that they rest on.
3. In one transaction: look again whether the batch is still unread; drop each claim whose evidence is not
   in it; put the others through the gate, to wait for a person; log one event that names them; mark the
   batch as read.

An answer that is empty, late, malformed or without one well-founded claim changes nothing, and the batch
stays due. Of two runs over one batch the second is told that it was overtaken, and changes nothing.

A proposal is never wider in visibility than its narrowest evidence, nor surer than its least sure one, and
its source is `inferred`, whatever the model says of it.

Left out: believing. A proposal is a candidate until a person approves it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from teachmem.clock import to_micros
from teachmem.errors import InvalidInput, MemoryRefused, ModelUnavailable, NotFound
from teachmem.flow import answer, due, proposal
from teachmem.flow.answer import Claim, Unusable
from teachmem.flow.due import Batch
from teachmem.ledger import chain, journal
from teachmem.ledger.database import Transaction
from teachmem.ports import LanguageModel, RejectedValue
from teachmem.principal import Principal
from teachmem.recall import importance
from teachmem.record import Draft, Memory, Step
from teachmem.rules import admissible, gate, shape, tombstone
from teachmem.tiers import kit as kits
from teachmem.tiers.kit import Kit
from teachmem.vocabulary import Outcome, Role, Tier, Verdict

MOST_FACTS = 20
CANDIDATE = "candidate-"  # how the gate names what waits
WELL_FOUNDED = ("already_known", "skipped_tombstoned")  # no new proposal, and yet an answer to the batch


@dataclass(frozen=True, slots=True)
class Consolidation:
    """What a run did. `outcome` is one of proposed, nothing due, no answer, unusable answer, overtaken.

    `proposed` names the candidates. `counts` says how many claims were dropped or changed, and why;
    `more` whether something is still due; `note` is what a person should know.
    """

    outcome: str
    read: int = 0
    proposed: tuple[str, ...] = ()
    counts: Counter[str] = field(default_factory=Counter)
    run: str | None = None
    audit_seq: int | None = None
    more: bool = False
    note: str = ""

    @property
    def skipped_tombstoned(self) -> int:
        """How many memories and claims were left aside because people have rejected their value."""
        return self.counts["skipped_tombstoned"]

    def __str__(self) -> str:
        told = [f"{self.outcome}: {self.read} memories read"]
        if self.proposed:
            told.append(f"{len(self.proposed)} proposed for review ({', '.join(self.proposed)})")
        told += [
            f"{number} {name.replace('_', ' ')}" for name, number in sorted(self.counts.items()) if number
        ]
        told += ["more is due"] if self.more else []
        return ", ".join(told) + (f"; {self.note}" if self.note else "")


def consolidate(
    kit: Kit,
    who: Principal,
    model: LanguageModel,
    limit: int = 5,
    session: str | None = None,
    rejected: RejectedValue = tombstone.rejected,
) -> Consolidation:
    """Let `model` propose at most `limit` facts from what `who` has not consolidated yet.

    Raises `MemoryRefused` for a principal that may not write, `InvalidInput` for a limit that is none.
    """
    limit = kits.check_count("limit", limit)
    if limit > MOST_FACTS:
        raise InvalidInput("limit", f"must be at most {MOST_FACTS}: a person will read every proposal")
    if not callable(getattr(model, "complete", None)):
        raise InvalidInput(
            "model", f"must have complete(instructions, text), not be a {type(model).__name__}"
        )
    chosen = kits.check_filter("session", session) or ""
    gate.before(who, None, "")
    with kit.reading(who, None, None) as (tx, now, _):
        batch = due.batch(tx, who, now, chosen, kit.count_tokens, rejected)
    report = Consolidation("nothing due", len(batch.memories), more=batch.more)
    report.counts["skipped_tombstoned"] += batch.skipped
    if not batch.memories:
        return report
    try:
        claims = answer.claims_of(model.complete(answer.INSTRUCTIONS.format(limit=limit), batch.text))
    except Unusable as error:
        return replace(report, outcome="unusable answer", more=True, note=f"{error}; nothing was changed")
    except Exception as error:  # a plugged-in model may fail in any way; the batch stays due
        told = (
            str(error) if isinstance(error, ModelUnavailable) else f"the model failed: {type(error).__name__}"
        )
        return replace(report, outcome="no answer", more=True, note=f"{told}; nothing was changed")
    report.counts["over_the_limit"] += len(claims[limit:])
    with kit.database.write() as tx:
        return _Run(kit, who, tx, report).close(batch, claims[:limit], rejected)


class _Run:
    """The part of a run that writes, inside one transaction."""

    def __init__(self, kit: Kit, who: Principal, tx: Transaction, report: Consolidation) -> None:
        self.kit, self.who, self.tx, self.report = kit, who, tx, report
        self.counts = report.counts
        self.run = kit.gate.ids.new("run")
        # The system acts, for the actor: with the actor's address and reach, and no other.
        self.system = Principal(who.tenant, who.fleet, who.name, Role.SYSTEM, who.clearance)
        self.now = max(to_micros(kit.clock.now()), chain.head(tx, who.tenant).time)

    def close(self, batch: Batch, claims: Sequence[Claim], rejected: RejectedValue) -> Consolidation:
        """Write what follows from the claims, all of it or nothing; return the report."""
        for memory in batch.memories:
            if other := due.run_that_read(self.tx, self.who, memory.memory_id):
                note = f"{other} has read this batch in the meantime; nothing was changed"
                return replace(self.report, outcome="overtaken", note=note)
        held = {memory.memory_id: memory for memory in batch.memories if self._readable(memory.memory_id)}
        if not held:
            return replace(self.report, outcome="overtaken", note="what was read has been withdrawn since")
        ends = [self._judged(claim, held, rejected) for claim in claims]
        self.counts.update(end for end in ends if not end.startswith(CANDIDATE))
        proposed = tuple(end for end in ends if end.startswith(CANDIDATE))
        if claims and not any(end in WELL_FOUNDED or end in proposed for end in ends):
            note = "no claim rests on the batch; nothing was changed"
            return replace(self.report, outcome="unusable answer", more=True, note=note)
        read = [*held.values(), *batch.too_long]
        entry = self._log(proposed, read)
        return replace(self.report, outcome="proposed", proposed=proposed, run=self.run, audit_seq=entry)

    def _readable(self, memory_id: str) -> bool:
        return admissible.by_id(self.tx, self.who, memory_id, self.now) is not None

    def _judged(self, claim: Claim, held: Mapping[str, Memory], rejected: RejectedValue) -> str:
        """Put one claim through the gate; return its candidate's id, or the word for why it has none."""
        if not claim.evidence:
            return "without_evidence"
        for memory_id in claim.evidence:
            if memory_id not in held:
                # What does not exist and what is out of scope count alike: a model must not learn of ids.
                return "evidence_not_in_batch" if self._readable(memory_id) else "evidence_not_found"
        evidence = [held[memory_id] for memory_id in claim.evidence]
        draft = proposal.draft_of(claim, evidence, self.run)
        if rejected(self.tx, self.who, draft, self.now):
            return "skipped_tombstoned"
        try:
            steps = gate.before(self.system, shape.fault(draft), draft.visibility)
            pages = "".join(f", rests on text from {name}" for name in proposal.untrusted_sources(evidence))
            steps.append(Step("review", Outcome.STAGED, f"proposed by {self.run}{pages}; a person decides"))
            with journal.change(self.tx, self.system, self.kit.clock, self.kit.gate.ids) as act:
                receipt = self.kit.gate.within(act, draft, steps)
        except (MemoryRefused, NotFound):  # refused before anything of it was written
            return "refused"
        staged = receipt.verdict is Verdict.STAGED
        return receipt.candidate_id if staged and receipt.candidate_id else "already_known"

    def _log(self, candidates: Sequence[str], read: Sequence[Memory]) -> int | None:
        """Log the one event of this run and mark its batch as read; return the audit entry's number."""
        told = f"proposed {', '.join(candidates)}" if candidates else "proposed nothing"
        content = f"{self.run} read {len(read)} memories and {told}"
        weight, noted = importance.importance_of("consolidation", content)
        draft = Draft(
            tier=Tier.EPISODIC,
            kind="consolidation",
            content=content,
            session=read[-1].session or "s1",
            importance=weight,
            visibility=proposal.narrowest(read),
            detail={"importance_by": noted, "run": self.run, "candidates": list(candidates)},
        )
        steps = gate.before(self.system, shape.fault(draft), draft.visibility)
        with journal.change(self.tx, self.system, self.kit.clock, self.kit.gate.ids) as act:
            receipt = self.kit.gate.within(act, draft, steps)
            for memory in read:
                act.promote(memory.memory_id, self.run)
        return receipt.audit_seq
