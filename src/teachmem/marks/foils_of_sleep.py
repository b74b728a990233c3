"""Faults of the sleep cycle: a summary for too many readers, or believed too soon, or never made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from teachmem.errors import MemoryRefused, NotFound
from teachmem.flow import consolidate, proposal
from teachmem.flow.answer import Claim
from teachmem.ledger import journal
from teachmem.marks.foil import Patch, register
from teachmem.ports import RejectedValue
from teachmem.record import Memory, Step
from teachmem.rules import derived
from teachmem.vocabulary import Outcome, Visibility

_honest_judged = consolidate._Run._judged
DROPPED = ("without_evidence", "evidence_not_found", "evidence_not_in_batch", "refused")


@register(
    "summary_for_everyone",
    seen="What an agent had noted for nobody but itself stood in the fleet's summary of the week.",
    mechanism="A summary is written for the fleet, whoever was to read what it sums up.",
)
def _summary_for_everyone(patch: Patch) -> None:
    def team(evidence: Iterable[Memory]) -> Visibility:
        return Visibility.TEAM

    def as_asked(visibility: str, *_: object) -> str:
        return visibility

    patch(proposal, "narrowest", team)
    patch(derived, "narrowest", as_asked)


@register(
    "summary_is_believed",
    seen="The agent knew for certain what a model had once guessed at night.",
    mechanism="What a model sums up is written as a fact at once. That a person may look at it later counts "
    "as a review.",
)
def _summary_is_believed(patch: Patch) -> None:
    def judged(
        self: consolidate._Run, claim: Claim, held: Mapping[str, Memory], rejected: RejectedValue
    ) -> str:
        if not claim.evidence or not set(claim.evidence) <= set(held):
            return _honest_judged(self, claim, held, rejected)
        draft = proposal.draft_of(claim, [held[name] for name in claim.evidence], self.run)
        if rejected(self.tx, self.who, draft, self.now):
            return "skipped_tombstoned"
        steps = [Step("review", Outcome.PASSED, "believed at once")]
        try:
            with journal.change(self.tx, self.system, self.kit.clock, self.kit.gate.ids) as act:
                receipt = self.kit.gate.within(act, draft, steps)
        except (MemoryRefused, NotFound):
            return "refused"
        return f"{consolidate.CANDIDATE}{receipt.memory.memory_id}" if receipt.memory else "already_known"

    patch(consolidate._Run, "_judged", judged)


@register(
    "read_before_it_was_understood",
    seen="A model was out of order for a night, and what happened on that day was never summed up.",
    mechanism="A batch is marked as read when it is handed to the model, whatever the model makes of it.",
)
def _read_before_it_was_understood(patch: Patch) -> None:
    patch(consolidate, "WELL_FOUNDED", (*consolidate.WELL_FOUNDED, *DROPPED))
