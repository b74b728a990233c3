r"""The audit chain: each entry's hash covers its own bytes and the hash before it.

    hash(n) = SHA-256( "teachmem/audit/1\n" || hash(n-1) || body bytes )

There is one chain a tenant; entry 1 follows a fixed genesis value. Change a byte anywhere and
every later hash is wrong. Whoever can change one can also recompute the rest, so a chain alone
is *tamper-evident against edits*; against cuts and rewrites only as far back as the last
checkpoint that someone else holds.

>>> first = link(GENESIS, b'{"seq":1}')
>>> link(first, b'{"seq":2}') == link(GENESIS, b'{"seq":2}')
False

Sources: Haber and Stornetta 1991, "How to time-stamp a digital document"; RFC 8785 for the bytes.
Left out: proof of time (a time here is a claim), what never reached the log, and the checking of all
this, which is `ledger/verify.py`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import bindparam, insert, select, update

from teachmem.clock import EARLIEST
from teachmem.ledger.canonical import encode
from teachmem.ledger.database import Prepared, Transaction
from teachmem.ledger.schema import audit, audit_heads

DOMAIN = b"teachmem/audit/1\n"
GENESIS = hashlib.sha256(b"teachmem/audit/1/genesis").digest()


def link(previous: bytes, body: bytes) -> bytes:
    """Return the 32-byte hash of an entry from the hash before it and its exact bytes."""
    return hashlib.sha256(DOMAIN + previous + body).digest()


@dataclass(frozen=True, slots=True)
class Head:
    """Where a tenant's chain stands: the last entry's number, hash and time (microseconds)."""

    tenant: str
    seq: int
    hash: bytes
    time: int


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that contradicts: the tenant, the entry's number and what is wrong there."""

    tenant: str
    seq: int
    what: str


_head = Prepared(
    select(audit_heads.c.seq, audit_heads.c.hash, audit_heads.c.time)
    .where(audit_heads.c.tenant == bindparam("tenant"))
    .with_for_update()
)
_head_to_read = Prepared(
    select(audit_heads.c.seq, audit_heads.c.hash, audit_heads.c.time).where(
        audit_heads.c.tenant == bindparam("tenant")
    )
)
_first_head = Prepared(insert(audit_heads))
_next_head = Prepared(
    update(audit_heads)
    .where(audit_heads.c.tenant == bindparam("of"))
    .values(seq=bindparam("seq"), hash=bindparam("hash"), time=bindparam("time"))
)
_entry = Prepared(
    insert(audit).values(body=bindparam("body"), prev_hash=bindparam("prev_hash"), hash=bindparam("hash"))
)
_hash_at = Prepared(
    select(audit.c.hash).where(audit.c.tenant == bindparam("tenant"), audit.c.seq == bindparam("seq"))
)
_after = Prepared(
    select(audit.c.seq, audit.c.hash, audit.c.body)
    .where(audit.c.tenant == bindparam("tenant"), audit.c.seq > bindparam("seen"))
    .order_by(audit.c.seq)
)
_acts = Prepared(
    select(audit.c.seq).where(
        audit.c.tenant == bindparam("tenant"),
        audit.c.seq > bindparam("seen"),
        audit.c.action == bindparam("action"),
    )
)
_latest = Prepared(
    select(audit.c.body)
    .where(audit.c.tenant == bindparam("tenant"))
    .order_by(audit.c.seq.desc())
    .limit(bindparam("most"))
)
_tenants = Prepared(select(audit.c.tenant).union(select(audit_heads.c.tenant)).order_by("tenant"))


def head(tx: Transaction, tenant: str, *, lock: bool = False) -> Head:
    """Return the tenant's head; `lock=True` holds it until the transaction ends."""
    row = tx.one(_head if lock else _head_to_read, tenant=tenant)
    return Head(tenant, row[0], raw(row[1]), row[2]) if row else Head(tenant, 0, GENESIS, EARLIEST)


def raw(stored: Any) -> bytes:
    """Return stored bytes as they are, and none for whatever else was put in their place."""
    return bytes(stored) if isinstance(stored, bytes | memoryview) else b""


def tenants(tx: Transaction) -> list[str]:
    """Return the name of every tenant that has a chain, in order."""
    return [str(row[0]) for row in tx.all(_tenants)]


def latest(tx: Transaction, tenant: str, most: int) -> list[dict[str, Any]]:
    """Return the bodies of the last `most` entries, the newest first."""
    return [json.loads(body) for (body,) in tx.all(_latest, tenant=tenant, most=most)]


def hash_at(tx: Transaction, tenant: str, seq: int) -> bytes | None:
    """Return the hash of one entry, or None if the chain has no such number."""
    row = tx.one(_hash_at, tenant=tenant, seq=seq)
    return bytes(row[0]) if row else None


def passed_since(tx: Transaction, tenant: str, seq: int) -> tuple[list[tuple[int, bytes]], list[str]]:
    """Return number and hash of every entry after `seq`, and each memory that they touched, once.

    This is how a cache keeps in step: it looks those memories up again.
    """
    rows = tx.all(_after, tenant=tenant, seen=seq)
    touched = dict.fromkeys(item["id"] for _, _, body in rows for item in json.loads(body)["touched"])
    return [(number, bytes(entry_hash)) for number, entry_hash, _ in rows], list(touched)


def has_since(tx: Transaction, tenant: str, seq: int, action: str) -> bool:
    """Say whether an entry after `seq` is of this action."""
    return tx.one(_acts, tenant=tenant, seen=seq, action=action) is not None


def append(tx: Transaction, before: Head, body: Mapping[str, Any]) -> Head:
    """Add the entry `body` after `before`, a head locked in this transaction, and return the new head.

    `tenant` and `seq` are set here; `body` brings `time` (microseconds), `action`, `resource`,
    `event` (an id used once) and whatever else the act has to say, without any content.
    """
    seq = before.seq + 1
    data = encode({**body, "tenant": before.tenant, "seq": seq})
    after = Head(before.tenant, seq, link(before.hash, data), body["time"])
    tx.run(_entry, body=data.decode(), prev_hash=before.hash, hash=after.hash)
    if before.seq:
        tx.run(_next_head, of=after.tenant, seq=seq, hash=after.hash, time=after.time)
    else:
        tx.run(_first_head, tenant=after.tenant, seq=seq, hash=after.hash, time=after.time)
    tx.appended.append(after)
    return after
