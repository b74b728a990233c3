"""Faults of search: a fact that is there, and is not found, or not in its place."""

from __future__ import annotations

from collections.abc import Mapping

from teachmem.ledger.database import Transaction
from teachmem.marks.foil import Patch, register
from teachmem.recall import fuse, hybrid, index
from teachmem.recall.index import LexicalIndex
from teachmem.recall.nearest import Nearest

_honest_postings = LexicalIndex._caught_up
_honest_vectors = Nearest.catch_up


@register(
    "rrf_sixty",
    seen="Asked for part HX-2270, the agent spoke of HX-2207.",
    mechanism="Words and meaning are fused by rank alone, each 1 / (60 + rank), so a clear winner in one "
    "list is worth hardly more than the runner-up.",
)
def _rrf_sixty(patch: Patch) -> None:
    def by_rank(
        lists: Mapping[str, fuse.Scores], weights: Mapping[str, float]
    ) -> dict[str, dict[str, float]]:
        parts = {name: dict.fromkeys(lists, 0.0) for scores in lists.values() for name in scores}
        for which, scores in lists.items():
            for name, place in fuse.ranks(scores).items():
                parts[name][which] = 1 / (60 + place)
        return parts

    patch(fuse, "fuse", by_rank)


@register(
    "meaning_alone",
    seen="Asked for part HX-2270, the agent named six parts and not that one.",
    mechanism="Search is by vectors alone. To them one part number is as good as the next.",
)
def _meaning_alone(patch: Patch) -> None:
    patch(hybrid, "WEIGHTS", {"words": 0.0, "meaning": 1.0})


@register(
    "stale_index",
    seen="A second process did not find what the first one had just remembered.",
    mechanism="An index is built at its first question and never reads on in the audit log, so it answers "
    "from the moment when it was built.",
)
def _stale_index(patch: Patch) -> None:
    def old_postings(self: LexicalIndex, tx: Transaction, tenant: str) -> index._Tenant:
        built = self._tenants.get(tenant)
        return _honest_postings(self, tx, tenant) if built is None else built

    def old_vectors(self: Nearest, tx: Transaction, tenant: str) -> None:
        if self.index.seen(tenant) == (0, b""):
            _honest_vectors(self, tx, tenant)

    patch(LexicalIndex, "_caught_up", old_postings)
    patch(Nearest, "catch_up", old_vectors)
