"""What rests on what: when a ground falls, everything built on it is flagged, in the same act.

`derivations` holds the edges. Two of its relations carry weight (`vocabulary.RESTS_ON`): the child
was made from the parent, or depends on it. A memory that stops being live flags all that rest on it,
however many steps away; one that becomes live again takes the flag back. Two live claims that
contradict flag each other. A flag is kept in `detail.flagged`, by the id of what it is about:

    {"fact-0001": "is cancelled", "fact-0007": "says otherwise"}

A flagged memory stays live, is shown as flagged, and is put before a person once.

Left out: deciding. A flag withdraws nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, literal_column, select, union

from teachmem.ledger import rows
from teachmem.ledger.database import Prepared, Transaction
from teachmem.ledger.schema import derivations, memories
from teachmem.vocabulary import LIVE, RESTS_ON, Clearance, Role, Status, Visibility

if TYPE_CHECKING:
    from teachmem.ledger.journal import Change

OTHERWISE = "says otherwise"
BESIDE = ("conflicts_with", "rejected")  # relations of things that were not made from each other
_carries = derivations.c.relation.in_([literal_column(f"'{relation}'") for relation in RESTS_ON])
_of_tenant = derivations.c.tenant == bindparam("tenant")
_children = Prepared(
    select(derivations.c.child).where(_of_tenant, derivations.c.parent == bindparam("id"), _carries)
)
_made = Prepared(
    select(derivations.c.child).where(
        _of_tenant,
        derivations.c.parent == bindparam("id"),
        derivations.c.relation.not_in([literal_column(f"'{relation}'") for relation in BESIDE]),
    )
)
_parents = Prepared(
    select(derivations.c.parent).where(_of_tenant, derivations.c.child == bindparam("id"), _carries)
)
_contradict = derivations.c.relation == literal_column("'conflicts_with'")
_disputed = Prepared(
    union(
        select(derivations.c.child).where(_of_tenant, derivations.c.parent == bindparam("id"), _contradict),
        select(derivations.c.parent).where(_of_tenant, derivations.c.child == bindparam("id"), _contradict),
    )
)
_current = Prepared(
    select(*memories.c).where(
        memories.c.tenant == bindparam("tenant"),
        memories.c.memory_id == bindparam("id"),
        memories.c.superseded_at.is_(None),
    )
)


def dependants(tx: Transaction, tenant: str, memory_id: str) -> list[str]:
    """Return everything that rests on a memory, nearest first, whatever its status."""
    return _walk(tx, tenant, memory_id, _children)


def descendants(tx: Transaction, tenant: str, memory_id: str) -> list[str]:
    """Return everything that was made from a memory or with its help, nearest first, whatever its status."""
    return _walk(tx, tenant, memory_id, _made)


def grounds(tx: Transaction, tenant: str, memory_id: str) -> list[str]:
    """Return everything that a memory rests on, nearest first, whatever its status."""
    return _walk(tx, tenant, memory_id, _parents)


def _walk(tx: Transaction, tenant: str, memory_id: str, step: Prepared) -> list[str]:
    seen, frontier = {memory_id: None}, [memory_id]
    while frontier:
        found = {other for one in frontier for (other,) in tx.all(step, tenant=tenant, id=one)}
        frontier = sorted(found - seen.keys())
        seen.update(dict.fromkeys(frontier))
    return list(seen)[1:]


def disputed(tx: Transaction, tenant: str, memory_id: str) -> list[str]:
    """Return the memories that were found to contradict this one, in order of their ids."""
    return sorted(row[0] for row in tx.all(_disputed, tenant=tenant, id=memory_id))


def settle(act: Change, fell: Mapping[str, str], rose: Iterable[str]) -> None:
    """Flag what rests on the memories that `fell` (to a status), unflag for those that `rose`."""
    tx, tenant = act.tx, act.principal.tenant
    for memory_id, status in fell.items():
        for child in dependants(tx, tenant, memory_id):
            flag(act, child, memory_id, f"is {status}")
        for other in disputed(tx, tenant, memory_id):
            unflag(act, other, memory_id)
    for memory_id in rose:
        for child in dependants(tx, tenant, memory_id):
            unflag(act, child, memory_id)
        own = _row(tx, tenant, memory_id)
        if own is None or own["status"] == Status.CONFIRMED:  # confirmed with what has become of its grounds
            continue
        for ground in grounds(tx, tenant, memory_id):
            row = _row(tx, tenant, ground)
            if row and row["status"] not in LIVE:
                flag(act, memory_id, ground, f"is {row['status']}")


def flag(act: Change, memory_id: str, about: str, said: str) -> None:
    """Write on a live memory that something is said about `about`; the first flag asks a person."""
    row = _row(act.tx, act.principal.tenant, memory_id)
    if row is None or row["status"] not in LIVE:
        return
    detail = json.loads(row["detail"])
    flags = detail.get("flagged", {})
    if flags.get(about) == said:
        return
    act.replace(memory_id, by_rule=True, detail=rows.to_json({**detail, "flagged": {**flags, about: said}}))
    if not flags and said != OTHERWISE:  # a contradiction has a question of its own
        _ask(act, row, about, said)


def unflag(act: Change, memory_id: str, about: str) -> None:
    """Take back what was said about `about` on a memory."""
    row = _row(act.tx, act.principal.tenant, memory_id)
    detail = json.loads(row["detail"]) if row else {}
    if row is None or about not in detail.get("flagged", {}):
        return
    left = {other: said for other, said in detail["flagged"].items() if other != about}
    kept = {name: value for name, value in detail.items() if name != "flagged"}
    act.replace(memory_id, by_rule=True, detail=rows.to_json({**kept, "flagged": left} if left else kept))


def _row(tx: Transaction, tenant: str, memory_id: str) -> dict[str, Any] | None:
    row = tx.one(_current, tenant=tenant, id=memory_id)
    return None if row is None else dict(zip(memories.c.keys(), row, strict=True))


_SAID = ("tier", "kind", "session", "importance", "confidence", "visibility", "content", "source")
_TRIPLE = ("subject", "predicate", "object")
_TIMES = ("valid_from", "valid_to", "expires_at")


def _ask(act: Change, row: Mapping[str, Any], about: str, said: str) -> None:
    """Put a flagged memory before the people of its fleet, as the gate stages a draft (`asks`: flagged)."""
    if row["visibility"] == Visibility.AGENT:  # nobody else may read it, so nobody else is asked
        return
    salt = act.ids.salt()
    draft = {name: row[name] for name in (*_SAID, *_TIMES)} | {name: row[name] or None for name in _TRIPLE}
    draft["evidence"] = []
    act.stage(
        {
            "candidate_id": act.ids.new("candidate"),
            "tenant": row["tenant"],
            "fleet": row["fleet"],
            "agent": row["agent"],
            "role": str(Role.SYSTEM),
            "clearance": int(Clearance.STANDARD),
            "state": "staged",
            "reason": f"{row['memory_id']} rests on {about}, which {said}",
            "draft": json.dumps(
                {"draft": {**draft, "evidence": []}, "flagged": row["memory_id"], "about": about}
            ),
            "content_digest": rows.content_digest(row["content"], salt),
            "salt": salt,
            "twin_key": None,
        }
    )
