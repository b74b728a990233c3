"""Outcomes: how it went, reported by who acted and written by the system, linked to what was used.

An outcome is a conclusion about memories, so its kind is reserved: nobody writes one as an event of
their own, and an agent cannot change or withdraw the report of its failure. Its author is who
reported it, its source is the system's, and it has no more readers than what was used.

Left out: what follows from outcomes. Insights count them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from teachmem.principal import Principal
from teachmem.recall import importance as importances
from teachmem.record import Draft, Receipt
from teachmem.rules import shape
from teachmem.tiers.kit import Kit
from teachmem.vocabulary import Role, Tier

OUTCOMES = ("success", "failure", "partial")


def report(
    kit: Kit,
    who: Principal,
    outcome: str,
    text: str,
    used: Sequence[str] = (),
    session: str = "s1",
    request_id: str | None = None,
) -> Receipt:
    """Log how something went, in the name of `who`; `used` names memories that `who` may see."""
    shape.check_member("outcome", outcome, OUTCOMES)
    importance, noted = importances.importance_of("outcome", text)
    draft = Draft(
        tier=Tier.EPISODIC,
        kind="outcome",
        content=text,
        session=session,
        importance=importance,
        evidence=tuple(used) if isinstance(used, list) else used,
        detail={"outcome": outcome, "reported_by": str(who.role), "importance_by": noted},
    )
    return kit.gate.write(replace(who, role=Role.SYSTEM), draft, request_id, noted)
