"""The other end of the pen: the only place that rewrites rows. It takes words out and puts none in.

Nothing else in this house changes what was written; a correction is a new version. Erasure cannot
be that, so here every version of a memory loses what it said, in place. What stays is what the
chain already holds: that there was a memory, where, when, and the digest of its content. Without
the salt a digest tells nothing, and nobody can test a guess against it.

As everywhere, the act's audit entry names every version that was changed.

>>> [name for name in ("content", "salt", "content_digest", "recorded_at") if name in EMPTIED]
['content', 'salt']

Left out: what is erased and who may (`rules/erasure.py`), and the bytes in the file (`ledger/scrub.py`).
"""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import bindparam, delete, literal_column, null, select, update

from teachmem.ledger.database import Prepared
from teachmem.ledger.journal import Change
from teachmem.ledger.schema import candidates, memories, requests, tombstones
from teachmem.vocabulary import Status

EMPTIED: dict[str, Any] = {
    **{name: literal_column("''") for name in ("content", "subject", "predicate", "object")},
    **{name: null() for name in ("salt", "embedding", "twin_key", "claim_key", "importance", "confidence")},
    "qualifiers": literal_column("'{}'"),
}
WORDS = ("content", "triple", "figures", "reason", "salt", "lifted_because")  # of a tombstone
_versions = Prepared(
    select(memories.c.version, memories.c.content_digest)
    .where(memories.c.memory_id == bindparam("id"), memories.c.tenant == bindparam("tenant"))
    .order_by(memories.c.version)
)
_empty = Prepared(
    update(memories)
    .where(memories.c.memory_id == bindparam("id"), memories.c.tenant == bindparam("of"))
    .values(**EMPTIED, status=literal_column(f"'{Status.DELETED}'"), detail=bindparam("mark"))
)
_drop = Prepared(
    delete(candidates).where(
        candidates.c.candidate_id == bindparam("id"), candidates.c.tenant == bindparam("of")
    )
)
_bare = Prepared(
    update(tombstones)
    .where(tombstones.c.tombstone_id == bindparam("id"), tombstones.c.tenant == bindparam("of"))
    .values({name: null() for name in WORDS})
)
_blank = Prepared(
    update(requests)
    .where(
        requests.c.tenant == bindparam("of"),
        requests.c.fleet == bindparam("of_fleet"),
        requests.c.agent == bindparam("of_agent"),
        requests.c.role == bindparam("of_role"),
        requests.c.request_id == bindparam("of_request"),
    )
    .values(payload_digest=literal_column("''"), salt=bindparam("none"), receipt=bindparam("told"))
)


def erase_memory(act: Change, memory_id: str) -> None:
    """Empty every version of a memory; each is deleted from now on, and says which entry erased it."""
    tenant = act.principal.tenant
    found = act.tx.all(_versions, id=memory_id, tenant=tenant)
    act.tx.run(_empty, id=memory_id, of=tenant, mark=json.dumps({"erased": act.seq}))
    act.wrote = True
    act.touched += [
        {"id": memory_id, "version": version, "status": str(Status.DELETED), "digest": digest}
        for version, digest in found
    ]


def erase_candidate(act: Change, candidate_id: str) -> None:
    """Take out a candidate; the entry that the act leaves must name it."""
    act.tx.run(_drop, id=candidate_id, of=act.principal.tenant)
    act.wrote = True


def bare_tombstone(act: Change, tombstone_id: str) -> None:
    """Leave a tombstone its prints alone: it keeps the value out, and does not say which."""
    act.tx.run(_bare, id=tombstone_id, of=act.principal.tenant)
    act.wrote = True


def blank_request(act: Change, key: tuple[str, str, str, str], receipt: str) -> None:
    """Take the salted digest out of a kept request, and leave a `receipt` without reasons.

    A retry is still answered, whatever it now says: there is nothing left to compare it with.
    """
    fleet, agent, role, request_id = key
    act.tx.run(
        _blank,
        of=act.principal.tenant,
        of_fleet=fleet,
        of_agent=agent,
        of_role=role,
        of_request=request_id,
        none=b"",
        told=receipt,
    )
    act.wrote = True
