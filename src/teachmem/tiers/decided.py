"""What a person may do to the facts beyond what an agent may: say for good that one is not so.

Left out: deciding on what is staged (`rules/review.py`).
"""

from __future__ import annotations

from datetime import datetime

from teachmem.record import Receipt
from teachmem.rules import reject
from teachmem.rules.reject import Fleets
from teachmem.tiers.semantic import SemanticMemory
from teachmem.vocabulary import Tier


class DecidedSemantic(SemanticMemory):
    """The facts, as a person may write, read and reject them."""

    def reject(
        self, memory_id: str, reason: str, until: datetime | None = None, *, fleets: Fleets = None
    ) -> Receipt:
        """Withdraw a fact's value wherever it is live, and keep it out of every door.

        For good, or `until` a moment: a moratorium, whose end is announced in the inbox. A steward may
        say for which `fleets`, or "all"; otherwise it holds for the memory's own fleet.
        """
        return reject.reject(self._kit.gate, self._who, Tier.SEMANTIC, memory_id, reason, until, fleets)
