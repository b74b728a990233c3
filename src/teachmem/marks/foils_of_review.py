"""Faults of rejecting and reviewing: what a person said no to comes back, or a yes is given to other words.

Each stands in for one missing rule, and leaves every other rule where it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import timedelta
from typing import Any

from sqlalchemy import bindparam, update

from teachmem import store
from teachmem.clock import to_micros
from teachmem.flow import intake
from teachmem.ledger import journal
from teachmem.ledger.database import Prepared, Transaction
from teachmem.ledger.schema import WAITING, candidates
from teachmem.marks.foil import Patch, register
from teachmem.principal import Principal
from teachmem.record import Receipt, Step
from teachmem.rules import checks, desk, gate, reject, tombstone
from teachmem.rules.case import Case, Check
from teachmem.rules.inbox import Candidate
from teachmem.rules.tombstone import Tombstone
from teachmem.vocabulary import Outcome

COOL_OFF = timedelta(days=30)
_honest_gate = gate.Gate.judged
_honest_standing = tombstone._standing
_honest_cluster = tombstone.cluster
_honest_opened = desk.opened


@register(
    "import_forgets_tombstones",
    seen="A fact was rejected, yesterday's export was imported, and the fact stood beside its own tombstone.",
    mechanism="The import was written before the tombstones were, and puts rows back as they were.",
)
def _import_forgets_tombstones(patch: Patch) -> None:
    patch(intake, "_SETTLED", (*checks.OF_WORDS, checks.rejected_before))
    patch(intake._Intake, "_held", lambda *_: None)


@register(
    "one_door_forgotten",
    seen="A rejected value was refused wherever it was tried. Then it was in memory all the same.",
    mechanism="Every door asks for itself whether a value was rejected. The door of revising came later, and "
    "does not ask.",
)
def _one_door_forgotten(patch: Patch) -> None:
    patch(
        gate.Gate,
        "judged",
        _judging(lambda case: None if case.revises and case.verb == "revises" else checks.rejected_before),
    )


@register(
    "moratorium_in_disguise",
    seen="A value was rejected for good. A month later it was back, and nobody had been told.",
    mechanism=f"A rejection counts for {COOL_OFF.days} days after it was made, and then no more. It is still "
    "called a tombstone, it is still in the list, and the inbox announces nothing.",
)
def _moratorium_in_disguise(patch: Patch) -> None:
    def fresh(one: Tombstone, now: int) -> bool:
        return to_micros(one.made_at + COOL_OFF) > now

    def standing(rows: Any, who: Any, fleet: Any, draft: Any, now: int) -> list[Tombstone]:
        return [one for one in _honest_standing(rows, who, fleet, draft, now) if fresh(one, now)]

    def cluster(tx: Transaction, who: Principal, fleet: str, ids: Sequence[str], now: int) -> Any:
        found = _honest_cluster(tx, who, fleet, ids, now)
        return found if found and fresh(found, now) else None

    patch(tombstone, "_standing", standing)
    patch(tombstone, "cluster", cluster)


@register(
    "id_keyed_tombstone",
    seen="A fact was rejected and could not be brought back. It could be written again, word for word.",
    mechanism="What is remembered of a rejection is the id of the row. The same words in a new row have "
    "another id.",
)
def _id_keyed_tombstone(patch: Patch) -> None:
    def by_id(case: Case) -> Step:
        own = case.revises.memory_id if case.revises else ""
        for one in tombstone.every(case.tx, case.decider or case.who, case.now):
            if own in one.evidence and one.state == "standing":
                return Step("tombstone", Outcome.REFUSED, f"a person rejected {own}; it stays out")
        return Step("tombstone", Outcome.PASSED)

    patch(gate.Gate, "judged", _judging(lambda _: by_id))
    patch(tombstone, "exact", lambda *_: None)
    patch(tombstone, "cluster", lambda *_: None)


@register(
    "skill_keyed_on_words",
    seen="A skill was rejected. The next night the same advice came back under another title.",
    mechanism="A proposed skill is known again by its words. A model finds other words each time, and it has "
    "been called, and paid for, before anybody looks.",
)
def _skill_keyed_on_words(patch: Patch) -> None:
    patch(tombstone, "cluster", lambda *_: None)


@register(
    "ascii_fingerprint",
    seen="One sentence in Chinese was rejected, and from then on no sentence in Chinese could be written.",
    mechanism="The normal form keeps the letters a to z and the digits. Of a text in another script nothing "
    "is left, so that all of them are the same; and an accent that is coded otherwise makes another text.",
)
def _ascii_fingerprint(patch: Patch) -> None:
    for module in (tombstone, reject):
        patch(module, "normal_form", ascii_form)


def ascii_form(text: str) -> str:
    """Return what is left of a text if only a to z and 0 to 9 are letters.

    >>> ascii_form("Café 4411"), ascii_form("電壓過高")
    ('caf 4411', '')
    """
    return " ".join(re.sub(r"[^a-z0-9 ]", "", text.lower()).split())


@register(
    "edit_slips_past",
    seen="The shift-lead approved a text that she had read. What was written is a text that she never saw.",
    mechanism="An approval names a candidate by its id, and approves whatever that says by now.",
)
def _edit_slips_past(patch: Patch) -> None:
    def opened(
        found: Any, who: Principal, item: str | Candidate, seen: str | None
    ) -> AbstractContextManager[desk.Item]:
        return _honest_opened(found, who, item.candidate_id if isinstance(item, Candidate) else item, None)

    patch(desk, "opened", opened)


@register(
    "approve_without_gate",
    seen="A value waited, was rejected elsewhere in the meantime, and was approved on top of its tombstone.",
    mechanism="A candidate is judged when it is proposed. Approving writes it, and asks nothing again.",
)
def _approve_without_gate(patch: Patch) -> None:
    def judged(found: gate.Gate, case: Case, steps: list[Step]) -> Receipt | None:
        but = (checks.rejected_before, checks.conflicting) if case.decider else ()
        return found.judged(case, steps, but)

    patch(desk, "judged", judged)


@register(
    "anyone_decides",
    seen="An agent proposed a rule, and approved it.",
    mechanism="The buttons of the inbox are shown to people alone. The calls behind them ask nobody who "
    "calls.",
)
def _anyone_decides(patch: Patch) -> None:
    patch(store, "Agent", store.Person)


@register(
    "last_decision_counts",
    seen="One lead approved a rule. Another, who had the same list open, said no to it minutes later, and "
    "nobody told the first.",
    mechanism="A decision names a candidate, and whether it is decided already is not asked.",
)
def _last_decision_counts(patch: Patch) -> None:
    def opened(
        found: Any, who: Principal, item: str | Candidate, seen: str | None
    ) -> AbstractContextManager[desk.Item]:
        return _honest_opened(found, who, item.candidate_id if isinstance(item, Candidate) else item, None)

    changed: dict[str, Any] = {name: bindparam(f"new_{name}") for name in journal.DECIDED}
    whatever = update(candidates).where(candidates.c.candidate_id == bindparam("id")).values(changed)
    patch(desk, "opened", opened)
    patch(desk, "WAITING", (*WAITING, "approved", "rejected"))
    patch(journal, "_decide", Prepared(whatever))


def _judging(asked: Callable[[Case], Check | None]) -> Any:
    """Return the gate's judging, with what `asked` says for a case in the place of the tombstone's check."""

    def judged(self: gate.Gate, case: Case, steps: list[Step], but: Sequence[Check] = ()) -> Receipt | None:
        told = asked(case)
        kept = [told if check is checks.rejected_before else check for check in self.checks]
        return _honest_gate(replace(self, checks=[check for check in kept if check]), case, steps, but)

    return judged
