"""Semantic memory: what is held to be true, with who says so, how surely, and for which time.

A fact may carry a triple (subject, predicate, object); its text is verbatim either way. Confidence
says how sure the claim is; it is not the status, and neither says whether anybody said it at all.

Left out, for now: search, revision and retraction. Facts exist from the first day and pass the
same gate as every note and event.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from teachmem.errors import NotFound
from teachmem.principal import Principal
from teachmem.record import EMPTY, Draft, Memory, Receipt
from teachmem.rules import admissible
from teachmem.tiers.kit import Kit
from teachmem.vocabulary import Tier, Visibility


class SemanticMemory:
    """The facts, as one principal may write and read them."""

    def __init__(self, who: Principal, kit: Kit) -> None:
        self._who = who
        self._kit = kit

    def remember(
        self,
        content: str,
        *,
        subject: str | None = None,
        predicate: str | None = None,
        object: str | None = None,
        kind: str = "fact",
        source: str | None = None,
        confidence: float | None = None,
        valid_from: datetime | None = None,
        valid_to: datetime | None = None,
        qualifiers: Mapping[str, Any] = EMPTY,
        visibility: str = Visibility.TEAM,
        evidence: Sequence[str] = (),
        request_id: str | None = None,
    ) -> Receipt:
        """Hold something to be true; return its receipt or raise `MemoryRefused`.

        `confidence` is 0 to 1; the interval from `valid_from` to `valid_to` is half-open, either end
        may be left open. `evidence` names memories that this rests on.
        """
        draft = Draft(
            tier=Tier.SEMANTIC,
            kind=kind,
            content=content,
            subject=subject,
            predicate=predicate,
            object=object,
            confidence=confidence,
            source=source,
            valid_from=valid_from,
            valid_to=valid_to,
            qualifiers=qualifiers,
            visibility=visibility,
            evidence=tuple(evidence) if isinstance(evidence, list) else evidence,
        )
        return self._kit.gate.write(self._who, draft, request_id)

    def get(self, memory_id: str, *, at: datetime | None = None, known_at: datetime | None = None) -> Memory:
        """Return one fact by its id, or raise `NotFound`: absent and out of scope sound the same."""
        with self._kit.reading(self._who, at, known_at) as (tx, moment, known):
            found = admissible.by_id(tx, self._who, memory_id, moment, known)
        if found is None or found.tier is not Tier.SEMANTIC:
            raise NotFound(memory_id)
        return found
