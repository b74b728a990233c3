"""From a model's claim to a draft: never wider, surer or better sourced than what it rests on.

A proposal has the narrowest visibility among its evidence and at most the confidence of its least sure
piece. A kind that only the system may write, or that does not exist, becomes `fact`.

>>> least_sure(0.9, [0.6, None]), least_sure(None, [])
(0.6, 0.5)

Left out: the source. The gate gives it: what the system writes is `inferred`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from teachmem.flow.answer import Claim
from teachmem.record import Draft, Memory
from teachmem.vocabulary import SUGGESTIBLE_KINDS, UNTRUSTED, Tier, Visibility

NARROW_TO_WIDE = (Visibility.AGENT, Visibility.TEAM, Visibility.ORG)
UNSURE = 0.5  # a confidence that nobody said


def draft_of(claim: Claim, evidence: Sequence[Memory], run: str) -> Draft:
    """Return the draft of a claim that rests on `evidence`, proposed by `run`."""
    subject, predicate, object_ = (part or None for part in claim.triple)
    return Draft(
        tier=Tier.SEMANTIC,
        kind=claim.kind if claim.kind in SUGGESTIBLE_KINDS else "fact",
        content=claim.content,
        subject=subject,
        predicate=predicate,
        object=object_,
        confidence=least_sure(claim.confidence, [memory.confidence for memory in evidence]),
        visibility=narrowest(evidence),
        evidence=tuple(memory.memory_id for memory in evidence),
        detail={"run": run},
    )


def narrowest(evidence: Iterable[Memory]) -> Visibility:
    """Return the narrowest visibility among what a derived memory rests on."""
    return min((memory.visibility for memory in evidence), key=NARROW_TO_WIDE.index, default=Visibility.AGENT)


def least_sure(said: float | None, evidence: Iterable[float | None]) -> float:
    """Return how sure a derived claim may be: no surer than its least sure evidence that says so."""
    return min([UNSURE if said is None else said, *(sure for sure in evidence if sure is not None)])


def untrusted_sources(evidence: Iterable[Memory]) -> list[str]:
    """Return the sources among the evidence that a person should be warned of, in order."""
    return sorted({str(memory.source) for memory in evidence if memory.source in UNTRUSTED})


def value_of(memory: Memory) -> Draft:
    """Return what a memory says, for a question about its value."""
    return Draft(
        tier=memory.tier,
        kind=memory.kind,
        content=memory.content,
        subject=memory.subject or None,
        predicate=memory.predicate or None,
        object=memory.object or None,
    )
