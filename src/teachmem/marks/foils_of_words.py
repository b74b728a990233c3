"""Faults of keeping: what is kept is not what was written, or is there twice, or not at all."""

from __future__ import annotations

import secrets
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from teachmem.errors import NotFound
from teachmem.ledger import twin
from teachmem.marks.foil import Patch, register
from teachmem.principal import Principal
from teachmem.record import Draft, Receipt
from teachmem.rules import amend, gate
from teachmem.vocabulary import Tier, Verdict

MOST = 1000
_honest_write = gate.Gate.write
_honest_retract = amend.retract
_honest_revise = amend.revise


def _writing(change: Callable[[str], str]) -> Any:
    """Return the gate's writing, with every text changed on the way in."""

    def write(
        self: gate.Gate, who: Principal, draft: Draft, request_id: str | None = None, noted: str = ""
    ) -> Receipt:
        return _honest_write(self, who, replace(draft, content=change(draft.content)), request_id, noted)

    return write


@register(
    "tidied_on_the_way_in",
    seen="A part list came back on one line, and half a turn had become one slash two.",
    mechanism="A text is normalised for comparing, and the normal form is what is kept.",
)
def _tidied_on_the_way_in(patch: Patch) -> None:
    patch(gate.Gate, "write", _writing(lambda text: " ".join(unicodedata.normalize("NFKC", text).split())))


@register(
    "cut_at_a_thousand",
    seen="The last step of a procedure was never carried out. It stood in the text that was handed in.",
    mechanism=f"A text is cut at {MOST} characters, because a column or a model takes no more, and the "
    "writer is told that it was saved.",
)
def _cut_at_a_thousand(patch: Patch) -> None:
    patch(gate.Gate, "write", _writing(lambda text: text[:MOST]))


@register(
    "twins_are_written",
    seen="One sentence was in the memory forty times, and filled every answer.",
    mechanism="Nothing asks whether a text is held already; each time that it is said is one more row.",
)
def _twins_are_written(patch: Patch) -> None:
    def never_the_same(*_: object) -> str:
        return secrets.token_hex(16)

    patch(twin, "twin_key", never_the_same)


@register(
    "said_twice_is_gone",
    seen="Something was said a second time, and from then on the agent did not know it any more.",
    mechanism="A second saying is taken for an update of the first: the old row is deleted, and the new one "
    "is dropped as a duplicate.",
)
def _said_twice_is_gone(patch: Patch) -> None:
    def write(
        self: gate.Gate, who: Principal, draft: Draft, request_id: str | None = None, noted: str = ""
    ) -> Receipt:
        receipt = _honest_write(self, who, draft, request_id, noted)
        if receipt.verdict is Verdict.DUPLICATE and receipt.memory:
            _honest_retract(self, who, receipt.memory.tier, receipt.memory.memory_id, "a duplicate")
        return receipt

    patch(gate.Gate, "write", write)


@register(
    "correction_beside",
    seen="The rack carries 400 kg, and the rack carries 250 kg: both were in the context.",
    mechanism="A correction is one more row. Nothing tells the old one that it was corrected.",
)
def _correction_beside(patch: Patch) -> None:
    def revise(
        through: gate.Gate,
        who: Principal,
        tier: Tier,
        memory_id: str,
        changes: Mapping[str, Any],
        request_id: str | None = None,
        **more: Any,
    ) -> Receipt:
        return _honest_write(through, who, Draft(tier=tier, kind="fact", **changes), request_id)

    patch(amend, "revise", revise)


@register(
    "corrected_into_nothing",
    seen="Somebody changed their mind, and afterwards nothing was known of it at all.",
    mechanism="A correction deletes the old text and adds the new one in two steps. The second was judged a "
    "duplicate of what the first had deleted.",
)
def _corrected_into_nothing(patch: Patch) -> None:
    def revise(
        through: gate.Gate,
        who: Principal,
        tier: Tier,
        memory_id: str,
        changes: Mapping[str, Any],
        request_id: str | None = None,
        **more: Any,
    ) -> Receipt:
        return _honest_retract(through, who, tier, memory_id, "corrected", request_id)

    patch(amend, "revise", revise)


@register(
    "yes_to_everything",
    seen="The agent withdrew a fact, was told that it was gone, and met it again: the id was mistyped.",
    mechanism="Changing or withdrawing an id that does not exist is answered like one that does.",
)
def _yes_to_everything(patch: Patch) -> None:
    def always(act: Callable[..., Receipt]) -> Callable[..., Receipt]:
        def done(*given: Any, **how: Any) -> Receipt:
            try:
                return act(*given, **how)
            except NotFound:
                return Receipt(Verdict.ACCEPTED)

        return done

    patch(amend, "revise", always(_honest_revise))
    patch(amend, "retract", always(_honest_retract))
