"""Faults of time and scope: what was believed is overwritten; one path has its own, worse filter."""

from __future__ import annotations

from typing import Any

from sqlalchemy import bindparam, or_, select, update

from teachmem.clock import Moment
from teachmem.ledger import rows
from teachmem.ledger.database import Prepared
from teachmem.ledger.journal import Change
from teachmem.ledger.schema import memories
from teachmem.marks.foil import Patch, register
from teachmem.rules import trust
from teachmem.tiers.graph import Edge, Graph
from teachmem.vocabulary import Tier, Visibility

_honest_replace = Change.replace
SAID = ("subject", "predicate", "object", "content", "valid_from", "valid_to")

_overwrite = Prepared(
    update(memories)
    .where(memories.c.memory_id == bindparam("id"))
    .values({name: bindparam(f"new_{name}") for name in SAID})
)


@register(
    "correction_overwrites",
    seen="Asked what it believed on Monday, the agent tells what it learned on Friday.",
    mechanism="A correction is written over every version of the memory, so the past says what the present "
    "says and `known_at` has nothing left to find.",
)
def _correction_overwrites(patch: Patch) -> None:
    def replace(self: Change, memory_id: str, **changed: Any) -> dict[str, Any]:
        after = _honest_replace(self, memory_id, **changed)
        self.tx.run(_overwrite, id=memory_id, **{f"new_{name}": after[name] for name in SAID})
        return after

    patch(Change, "replace", replace)


_copied = Prepared(
    select(*rows.SHOWN)
    .where(
        memories.c.tenant == bindparam("tenant"),
        or_(memories.c.visibility == str(Visibility.ORG), memories.c.fleet == bindparam("fleet")),
        memories.c.superseded_at.is_(None),
        trust.clause(),
        memories.c.tier == str(Tier.SEMANTIC),
        memories.c.predicate != "",
    )
    .order_by(memories.c.subject, memories.c.predicate, memories.c.object, memories.c.memory_id)
)


@register(
    "copied_filter",
    seen="An agent drew the graph and saw what a colleague had written down for nobody but itself.",
    mechanism="The graph has a copy of the filter, made before private rows existed: it asks for the fleet "
    "and forgets the visibility. The clause was mended since, the copy was not.",
)
def _copied_filter(patch: Patch) -> None:
    def edges(
        self: Graph, read: str, at: Moment | None, known_at: Moment | None, widen: str | None
    ) -> list[Edge]:
        with self._kit.reading(self._who, at, known_at) as (tx, _, _known):
            found = tx.all(_copied, tenant=self._who.tenant, fleet=self._who.fleet)
        return [Edge(row.subject, row.predicate, row.object, row) for row in map(rows.to_memory, found)]

    patch(Graph, "_edges", edges)
