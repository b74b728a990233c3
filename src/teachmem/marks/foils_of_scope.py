"""Faults of time and scope: what was believed is overwritten; one path has its own, worse filter."""

from __future__ import annotations

from dataclasses import replace
from fnmatch import fnmatchcase
from functools import cache
from typing import Any
from weakref import WeakKeyDictionary

from sqlalchemy import bindparam, or_, select, update

from teachmem import store
from teachmem.clock import Moment
from teachmem.errors import MemoryRefused, NotFound
from teachmem.ledger import rows
from teachmem.ledger.database import Prepared
from teachmem.ledger.journal import Change
from teachmem.ledger.schema import memories
from teachmem.marks.foil import Patch, register
from teachmem.principal import Principal
from teachmem.record import Memory, Receipt, Step
from teachmem.rules import admissible, authority, scope, trust
from teachmem.rules.scope import Reach
from teachmem.tiers.graph import Edge, Graph
from teachmem.tiers.semantic import SemanticMemory
from teachmem.vocabulary import Clearance, Outcome, Role, Tier, Verdict, Visibility

_honest_replace = Change.replace
_honest_known = store.MemoryStore._known
_honest_get = SemanticMemory.get
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


@register(
    "fleets_forgotten",
    seen="The cold store's plans were read out in the harbour.",
    mechanism="A fleet is written down with each memory and asked for by no read: the argument was lost on "
    "its way through the layers.",
)
def _fleets_forgotten(patch: Patch) -> None:
    def every_fleet(reader: Principal) -> Reach:
        return Reach.TENANT if reader.widened else Reach.FLEETS

    patch(scope, "reach", every_fleet)


@register(
    "empty_is_everybody",
    seen="A call without a group got the memories of all groups.",
    mechanism="An argument that was left out is taken for no restriction.",
)
def _empty_is_everybody(patch: Patch) -> None:
    def lenient(tenant: str, fleet: str, name: str, role: Role, clearance: Clearance) -> Principal:
        if not fleet:
            return Principal(tenant, "every", name, role, Clearance.CROSS_FLEET)
        return Principal(tenant or "northlight", fleet, name, role, clearance)

    patch(store, "Principal", lenient)


@register(
    "one_tenant_for_all",
    seen="A customer's agent answered with another customer's prices.",
    mechanism="Where the tenant is lost on the way, a default stands in for it, and everybody is there.",
)
def _one_tenant_for_all(patch: Patch) -> None:
    def known(self: store.MemoryStore, who: Principal) -> Principal:
        return _honest_known(self, replace(who, tenant="northlight"))

    patch(store.MemoryStore, "_known", known)


@register(
    "names_as_patterns",
    seen="An agent that called itself * read what everybody had written for nobody but themselves.",
    mechanism="A name is compared as a pattern, so that one stands for many.",
)
def _names_as_patterns(patch: Patch) -> None:
    seen: WeakKeyDictionary[store.MemoryStore, list[Principal]] = WeakKeyDictionary()

    def known(self: store.MemoryStore, who: Principal) -> Principal:
        found = seen.setdefault(self, [])
        fits = [
            one for one in found if replace(one, name=who.name) == who and fnmatchcase(one.name, who.name)
        ]
        found.append(_honest_known(self, fits[0] if fits else who))
        return found[-1]

    patch(store.MemoryStore, "_known", known)


@register(
    "id_is_enough",
    seen="Whoever knew the number of a note could read it, change it and withdraw it, in any fleet.",
    mechanism="A search asks who reads. Getting by id does not: that nobody can guess one is taken for "
    "protection.",
)
def _id_is_enough(patch: Patch) -> None:
    @cache
    def by_id(far: Reach, past: bool, only_scope: bool) -> Prepared:
        found = select(*rows.SHOWN).where(memories.c.memory_id == bindparam("id"))
        return Prepared(found.where(memories.c.superseded_at.is_(None)))

    patch(admissible, "_by_id", by_id)
    patch(authority, "may_change", lambda *_: True)
    patch(authority, "to_ask", lambda *_: "")


@register(
    "hidden_says_so",
    seen="An agent tried ids until it knew which of them its neighbours had, and how many notes they keep.",
    mechanism="What is hidden answers that it is forbidden, and what is absent that it is absent.",
)
def _hidden_says_so(patch: Patch) -> None:
    def get(self: SemanticMemory, memory_id: str, **when: Any) -> Memory:
        try:
            return _honest_get(self, memory_id, **when)
        except NotFound:
            with self._kit.reading(self._who, None, None) as (tx, _, _known):
                if admissible.of_tenant(tx, self._who.tenant, memory_id) is None:
                    raise
            told = Step("scope", Outcome.REFUSED, f"{memory_id} is another's")
            raise MemoryRefused(Receipt(Verdict.REFUSED, steps=(told,))) from None

    patch(SemanticMemory, "get", get)
