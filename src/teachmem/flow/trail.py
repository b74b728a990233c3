"""The trail of one memory: the entries of the log that made its versions, for whoever may see it.

>>> from teachmem import CountedIds, open_memory
>>> with open_memory(ids=CountedIds()) as mem:
...     tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
...     fact = tech.semantic.remember("Gate four is open").memory
...     _ = tech.semantic.retract(fact.memory_id, "it was closed")
...     print(*(f"{one.seq} {one.action} by {one.by}, {one.status}" for one in tech.trail(fact.memory_id)))
1 semantic.write by dock-1, active 2 semantic.retract by dock-1, cancelled

Left out: reasons. The log holds their digests alone; and whether the log was changed (`ledger/verify.py`).
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import bindparam, select

from teachmem.clock import from_micros
from teachmem.errors import NotFound
from teachmem.ledger.database import Prepared
from teachmem.ledger.schema import audit
from teachmem.principal import Principal
from teachmem.record import Memory
from teachmem.rules import admissible
from teachmem.tiers.kit import Kit

_entry = Prepared(
    select(audit.c.body, audit.c.hash).where(
        audit.c.tenant == bindparam("tenant"), audit.c.seq == bindparam("seq")
    )
)


@dataclass(frozen=True, slots=True)
class Acted:
    """One entry: its number, what was done when by whom, which version that made, and the entry's hash."""

    seq: int
    at: datetime
    action: str
    role: str
    by: str
    version: int
    status: str
    hash: str


def of(kit: Kit, who: Principal, memory_id: str) -> list[Acted]:
    """Return the entries about a memory of any tier and status, oldest first.

    Raises `NotFound` for a memory that `who` may not see, as for one that is not there.
    """
    with kit.reading(who, None, None) as (tx, _, _known):
        versions = admissible.versions(tx, who, memory_id)
        seqs = [memory.seq for memory in versions]
        if versions and versions[-1].is_erased:  # an erasure rewrites the versions and makes none
            seqs.append(int(versions[-1].detail["erased"]))
            versions = [*versions, versions[-1]]
        # an imported chain may begin later than its memories
        found = [
            _acted(memory, seq, *row)
            for memory, seq in zip(versions, seqs, strict=True)
            if (row := tx.one(_entry, tenant=who.tenant, seq=seq)) is not None
        ]
    if not found:
        raise NotFound(memory_id)
    return found


def _acted(memory: Memory, seq: int, text: str, own: bytes) -> Acted:
    """Return what an entry says of a version."""
    body = json.loads(text)
    then = {(item["id"], item["version"]): item["status"] for item in body["touched"]}
    return Acted(
        seq,
        from_micros(body["time"]),
        str(body["action"]),
        str(body["actor"]["role"]),
        str(body["actor"]["name"]),
        memory.version,
        str(then.get((memory.memory_id, memory.version), memory.status)),  # an erased row has lost it
        bytes(own).hex(),
    )
