"""What a write does beside adding its own row: retires, links and flags others, and asks a person.

The checks have found it (`rules/checks.py`) and the case holds it; here it is done, within the act.

Left out: flags on what rests on a memory that falls. The pen sees to them (`ledger/lineage.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from teachmem.ledger import lineage, rows
from teachmem.ledger.journal import Change
from teachmem.rules import replay
from teachmem.rules.case import Case
from teachmem.vocabulary import LIVE, Status, Visibility


def retire(act: Change, case: Case) -> None:
    """Close what the case retires: by its writer's right, and by rule."""
    for target, status in case.retires:
        act.replace(target, status=str(status))
    for target in case.outdates:
        act.replace(target, by_rule=True, status=str(Status.OUTDATED))


def flagged(case: Case) -> dict[str, Any]:
    """Return the draft's detail with what contradicts it: flags of this kind are always made anew."""
    detail = {name: value for name, value in case.draft.detail.items() if name != "flagged"}
    kept = case.draft.detail.get("flagged", {}).items()
    flags = {other: said for other, said in kept if said != lineage.OTHERWISE}
    if case.status in LIVE:
        flags |= dict.fromkeys(case.rivals, lineage.OTHERWISE)
    return {**detail, "flagged": flags} if flags else detail


def link_rivals(act: Change, case: Case, memory_id: str) -> str | None:
    """Link a claim to what contradicts it; where both stay live, flag both and ask a person once."""
    before = case.revises.flags.keys() if case.revises else set()
    for other in before - set(case.rivals):
        lineage.unflag(act, other, memory_id)
    if not case.rivals:
        return None
    known = lineage.disputed(act.tx, case.who.tenant, memory_id)
    for rival in case.rivals:
        if rival not in known:
            act.derive(memory_id, rival, "conflicts_with")
    if case.status not in LIVE:
        return None
    for rival in case.rivals:
        lineage.flag(act, rival, memory_id, lineage.OTHERWISE)
    fresh = [rival for rival in case.rivals if rival not in before]
    if not fresh or case.draft.visibility == Visibility.AGENT:  # nobody else may read it, so judge it
        return None
    reason = f"{memory_id} and {', '.join(fresh)} contradict, and neither retires the other"
    return candidate(act, case, "staged", reason, None, {"conflict": [memory_id, *fresh]})[0]


def candidate(
    act: Change,
    case: Case,
    state: str,
    reason: str,
    twin_key: str | None,
    asks: Mapping[str, Any],
) -> tuple[str, str]:
    """Add a candidate; return its id and the digest of its content."""
    draft, who = case.draft, case.who
    candidate_id = act.ids.new("candidate")
    salt = act.ids.salt()
    digest = rows.content_digest(draft.content, salt)
    act.stage(
        {
            "candidate_id": candidate_id,
            "tenant": who.tenant,
            "fleet": who.fleet,
            "agent": who.name,
            "role": str(who.role),
            "state": state,
            "reason": reason,
            "draft": replay.payload_of({"draft": draft, **asks}),
            "content_digest": digest,
            "salt": salt,
            "twin_key": twin_key,
        }
    )
    return candidate_id, digest
