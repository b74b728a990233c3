"""Which changes of status are legal, and for whom: the table of `vocabulary.TRANSITIONS`, asked.

The pen (`ledger/journal.py`) asks it before every new version, so that no door can forget to. A
refusal names what would have been legal.

>>> legal(Role.AGENT, Status.CONFLICTED)
(<Status.CANCELLED: 'cancelled'>, <Status.DELETED: 'deleted'>)
>>> fault(Role.AGENT, Status.ARCHIVED, Status.CONFIRMED)
'an agent may not move archived to confirmed (a person may); it may move it to active, pending, \
cancelled, deleted'

Left out: whose memory it is. That is `rules/authority.py`.
"""

from __future__ import annotations

from teachmem.errors import MemoryRefused
from teachmem.record import Receipt, Step
from teachmem.vocabulary import TRANSITIONS, Outcome, Role, Status, Verdict


def legal(role: Role, before: Status) -> tuple[Status, ...]:
    """Return every status that `role` may move a memory to that has the status `before`."""
    return tuple(after for after, roles in TRANSITIONS[before].items() if role in roles)


def fault(role: Role, before: Status, after: Status) -> str:
    """Say why `role` may not move `before` to `after`, with the legal ones, or "". To stay is legal."""
    if after is before or after in legal(role, before):
        return ""
    article = "an" if role is Role.AGENT else "a" if role is Role.PERSON else "the"
    others = " or ".join(f"a {other}" for other in TRANSITIONS[before].get(after, ()))
    may = f" ({others} may)" if others else ""
    known = ", ".join(legal(role, before)) or "nothing else"
    return f"{article} {role} may not move {before} to {after}{may}; it may move it to {known}"


def check_transition(role: Role, before: Status, after: Status) -> None:
    """Raise `MemoryRefused`, with the legal ones named, where `role` may not move `before` to `after`."""
    if wrong := fault(role, before, after):
        raise MemoryRefused(Receipt(Verdict.REFUSED, steps=(Step("transition", Outcome.REFUSED, wrong),)))
