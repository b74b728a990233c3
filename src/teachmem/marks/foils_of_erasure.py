"""Faults of erasing: a text that is hidden instead, still quoted, or erased by who may not."""

from __future__ import annotations

from typing import Any

from teachmem import handles
from teachmem.ledger import eraser
from teachmem.ledger.database import Prepared
from teachmem.ledger.journal import Change
from teachmem.ledger.schema import memories
from teachmem.marks.foil import Patch, register
from teachmem.record import Receipt
from teachmem.rules import erasure, quote
from teachmem.tiers import forgetting
from teachmem.vocabulary import Status, Verdict

_honest_erase = eraser.erase_memory


@register(
    "deleted_is_not_erased",
    seen="A name was erased at somebody's wish, and was found in the file by whoever opened it.",
    mechanism="Erasing sets a status. The words stay where they are, in every version.",
)
def _deleted_is_not_erased(patch: Patch) -> None:
    def hide(act: Change, memory_id: str) -> None:
        act.replace(memory_id, by_rule=True, status=str(Status.OUTDATED))

    patch(eraser, "erase_memory", hide)


@register(
    "quotes_stay",
    seen="A name was erased, and stood in the summary that had been made of the memory the week before.",
    mechanism="What was made from a memory does not know it, so nothing follows when the memory goes.",
)
def _quotes_stay(patch: Patch) -> None:
    patch(quote, "is_in", lambda *_, **__: False)


@register(
    "agents_erase",
    seen="An agent had made a mistake. The memory of it was gone before anybody asked.",
    mechanism="Whoever wrote a memory may erase it, an agent too, and nobody is asked.",
)
def _agents_erase(patch: Patch) -> None:
    def forget(self: handles.Agent, memory_id: str, reason: str, **_: object) -> Receipt:
        forgetting.forget(self.principal, self._kit, memory_id, reason)
        return Receipt(Verdict.ACCEPTED)

    patch(erasure, "_may", lambda *_: True)
    patch(handles.Agent, "forget", forget)


@register(
    "newest_version_erased",
    seen="A text was erased. What it had said before it was corrected could still be read in its history.",
    mechanism="Erasing empties the current version, and forgets that there were others.",
)
def _newest_version_erased(patch: Patch) -> None:
    every: Any = eraser._empty.statement
    patch(eraser, "_empty", Prepared(every.where(memories.c.superseded_at.is_(None))))


@register(
    "erased_by_hand",
    seen="A name was taken out of the table by hand. From then on the log was broken, and nobody could tell "
    "this from a forgery.",
    mechanism="Erasing empties the rows, and the log is not told which.",
)
def _erased_by_hand(patch: Patch) -> None:
    def untold(act: Change, memory_id: str) -> None:
        told = list(act.touched)
        _honest_erase(act, memory_id)
        act.touched[:] = told

    patch(eraser, "erase_memory", untold)
