"""Logging an answer as an event: question and answer together, resting on what it cites.

The system writes it, for the asker: what it makes from memories is never wider than the narrowest of
them, nor more trusted than the weakest, and its lineage is kept. The same question with the same
answer in the same session is one event, however often it is asked.

Left out: the answer (`flow/reply.py`).
"""

from __future__ import annotations

from collections.abc import Sequence

from teachmem.principal import Principal
from teachmem.recall import importance
from teachmem.record import Draft, Memory, Receipt, Step
from teachmem.rules import admissible
from teachmem.tiers.kit import Kit
from teachmem.vocabulary import Outcome, Role, Tier, Verdict

KIND = "agent_response"
LOOKED_BACK = 200  # answers of a session, among which a repeated one is found


def log(kit: Kit, who: Principal, question: str, said: str, cited: Sequence[str], session: str) -> Receipt:
    """Log an answer for `who`, or return the event that already holds it. Raises `MemoryRefused`."""
    content = f"asked: {question}\nanswered: {said}"
    with kit.reading(who, None, None) as (tx, now, _):
        earlier = admissible.newest(
            tx, who, now, None, LOOKED_BACK, tier=Tier.EPISODIC, kind=KIND, session=session, agent=who.name
        )
    for event in earlier:
        if event.content == content and is_answer(event):
            told = f"{event.memory_id} already says this"
            return Receipt(Verdict.DUPLICATE, event, (Step("duplicate", Outcome.DUPLICATE, told),))
    weight, noted = importance.importance_of(KIND, content)
    draft = Draft(
        tier=Tier.EPISODIC,
        kind=KIND,
        content=content,
        session=session,
        importance=weight,
        detail={"importance_by": noted, "asked": question},
        evidence=tuple(cited),
    )
    system = Principal(who.tenant, who.fleet, who.name, Role.SYSTEM, who.clearance)
    return kit.gate.write(system, draft)


def is_answer(event: Memory) -> bool:
    """Say whether an event is an answer that was logged here."""
    return event.kind == KIND and "asked" in event.detail
