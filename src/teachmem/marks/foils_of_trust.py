"""Faults of trust: what is summed up twice, believed unfounded, or believed although it is withheld.

Each stands in for one missing rule, and leaves every other rule where it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from types import SimpleNamespace
from typing import Any

from sqlalchemy import BindParameter, ColumnElement, bindparam, or_, true
from sqlalchemy.sql import visitors

from teachmem.errors import MemoryRefused, NotFound
from teachmem.flow import consolidate, due, proposal
from teachmem.flow.answer import Claim
from teachmem.ledger import journal, rows
from teachmem.ledger.database import Prepared, Transaction
from teachmem.ledger.schema import memories
from teachmem.marks.foil import Patch, register
from teachmem.ports import RejectedValue
from teachmem.principal import Principal
from teachmem.recall import hybrid, index, nearest
from teachmem.recall.lexical import Entry
from teachmem.record import Draft, Memory, Receipt, Step
from teachmem.rules import admissible, checks, conflict, gate, scope, source, trust, validity
from teachmem.rules.case import Case, Check
from teachmem.vocabulary import Outcome

WINDOW_MINUTES = 60
_honest_judged = consolidate._Run._judged
_honest_gate = gate.Gate.judged
_honest_write = gate.Gate.write
_honest_valid = validity.valid_clause


def _cut(tree: Any, clause: ColumnElement[bool]) -> Any:
    """Return a query or a condition with one condition taken out of it."""
    gone = str(clause)

    def found(element: Any, **_: Any) -> Any:
        return true() if isinstance(element, ColumnElement) and str(element) == gone else None

    return visitors.replacement_traverse(tree, {}, found)


def _without(prepared: Prepared, clause: ColumnElement[bool]) -> Prepared:
    return Prepared(_cut(prepared.statement, clause))


@register(
    "consolidate_by_time_window",
    seen="The sleep cycle ran twice, and the inbox held every fact twice, in two wordings.",
    mechanism=f"What is due is what the last {WINDOW_MINUTES} minutes brought, and no run leaves a mark. "
    "What lies within the window is summed up by every run, and what fell out of it by none.",
)
def _consolidate_by_time_window(patch: Patch) -> None:
    now: BindParameter[int] = bindparam("at")
    recent = _cut(due._due.statement, ~due._read).where(
        memories.c.recorded_at >= now - WINDOW_MINUTES * 60_000_000
    )
    patch(due, "_due", Prepared(recent))
    patch(due, "run_that_read", lambda *_: None)
    patch(journal.Change, "promote", lambda *_: None)


@register(
    "evidence_unchecked",
    seen="A proposed fact named its evidence, and the evidence had never existed.",
    mechanism="The ids that a model cites are kept as it wrote them and looked up by nobody.",
)
def _evidence_unchecked(patch: Patch) -> None:
    def judged(
        self: consolidate._Run, claim: Claim, held: Mapping[str, Memory], rejected: RejectedValue
    ) -> str:
        found = tuple(memory_id for memory_id in claim.evidence if memory_id in held)
        if found:
            return _honest_judged(self, replace(claim, evidence=found), held, rejected)
        draft = proposal.draft_of(replace(claim, evidence=()), [], self.run)
        cited = {"run": self.run, "supporting_ids": list(claim.evidence)}
        draft = replace(draft, detail=cited)
        steps = [Step("review", Outcome.STAGED, f"proposed by {self.run}; a person decides")]
        try:
            with journal.change(self.tx, self.system, self.kit.clock, self.kit.gate.ids) as act:
                receipt = self.kit.gate.within(act, draft, steps)
        except (MemoryRefused, NotFound):
            return "refused"
        return receipt.candidate_id or "already_known"

    patch(consolidate._Run, "_judged", judged)


@register(
    "drafts_are_live",
    seen="Hearsay that was withheld came first in a search, and nothing on it said so.",
    mechanism="One path, search, has a filter of its own, and the status is missing from it.",
)
def _drafts_are_live(patch: Patch) -> None:
    @cache
    def any_status(far: scope.Reach, past: bool) -> Prepared:
        return _without(admissible._by_id(far, past, only_scope=False), trust.clause())

    def by_ids(tx: Transaction, reader: Principal, ids: Iterable[str], at: int) -> list[Memory]:
        with_scope = any_status(scope.reach(reader), False)
        found = tx.one_each(with_scope, "id", ids, **admissible.binds(reader, at, None))
        return [rows.to_memory(row) for row in found if row]

    for place in (index, nearest):
        for name in ("_every", "_one"):
            patch(place, name, _without(getattr(place, name), trust.clause()))
    patch(hybrid, "admissible", SimpleNamespace(by_ids=by_ids, newest=admissible.newest))


@register(
    "web_is_believed",
    seen="A page told the agent what to do, and from then on the agent told it to others.",
    mechanism="Text from a tool or the web is written like any other, so whoever writes a page writes "
    "the memory.",
)
def _web_is_believed(patch: Patch) -> None:
    patch(source, "is_untrusted", lambda _: False)


@register(
    "source_as_claimed",
    seen="An agent's guess stood in the memory as the word of the safety officer.",
    mechanism="Where a text comes from is whatever its writer says of it.",
)
def _source_as_claimed(patch: Patch) -> None:
    patch(source, "fault", lambda *_: None)


@register(
    "numbers_are_bent",
    seen="A sensor's 7 out of 10 was kept as certain, and outdid what a person had measured.",
    mechanism="A number outside 0 to 1 is bent into it, and nobody is told.",
)
def _numbers_are_bent(patch: Patch) -> None:
    def write(
        self: gate.Gate, who: Principal, draft: Draft, request_id: str | None = None, noted: str = ""
    ) -> Receipt:
        if draft.confidence is not None:
            draft = replace(draft, confidence=max(0.0, min(1.0, draft.confidence)))
        return _honest_write(self, who, draft, request_id, noted)

    patch(gate.Gate, "write", write)


@register(
    "weak_retires_strong",
    seen="The certificate said that the lot was fit for use, until somebody repeated a rumour.",
    mechanism="Of two claims that contradict, the newer one wins, whoever makes it and however unsure it is.",
)
def _weak_retires_strong(patch: Patch) -> None:
    def newest_wins(case: Case) -> Step:
        if case.claim_key is None or case.staged:
            return Step("conflict", Outcome.PASSED)
        own = case.revises.memory_id if case.revises else ""
        found = conflict.rivals(case.tx, case.who, case.claim_key, case.claim(), case.now, own)
        case.outdates += [one.memory_id for one in found]
        told = "; ".join(f"{one.memory_id} becomes outdated: this is newer" for one in found)
        return Step("conflict", Outcome.NOTED if found else Outcome.PASSED, told)

    def judged(self: gate.Gate, case: Case, steps: list[Step], but: Sequence[Check] = ()) -> Receipt | None:
        asked = [newest_wins if check is checks.conflicting else check for check in self.checks]
        return _honest_gate(replace(self, checks=asked), case, steps, but)

    patch(gate.Gate, "judged", judged)


@register(
    "expiry_by_sweep_only",
    seen="A permit that had run out in the morning was quoted until the sweep at night.",
    mechanism="No read looks at expires_at; a job is meant to have taken away what has expired.",
)
def _expiry_by_sweep_only(patch: Patch) -> None:
    now: BindParameter[int] = bindparam("at")
    unexpired = or_(memories.c.expires_at.is_(None), memories.c.expires_at > now)

    def without_end(*told: Any) -> Entry:
        return replace(Entry(*told), expires_at=None)

    patch(validity, "valid_clause", lambda *how: _cut(_honest_valid(*how), unexpired))
    for name in ("_prepared", "_tallied", "_by_id"):  # made anew, with the clause as it is now
        patch(admissible, name, cache(getattr(admissible, name).__wrapped__))
    patch(index, "Entry", without_end)
