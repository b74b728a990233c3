"""What a person holds in hand after an erasure: what was reached, and what nobody here can reach.

Everything in it but `state` and the reason is read from the audit entry, so it can be written again at any
time. The reason is different: the store keeps neither its words nor their salt, because people write
there what they want gone. The certificate alone has both, and with them its holder can show that the
digest in the chain is that of these words.

>>> from teachmem.clock import EPOCH
>>> print(str(Certificate("fact-0001", "northlight", 7, EPOCH, "shift-lead", 2)).splitlines()[0])
erased: fact-0001, 2 versions, by shift-lead at 1970-01-01T00:00:00+00:00

Left out: a signature. Whoever doubts a certificate asks the chain for the entry that it names.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, select

from teachmem.clock import from_micros
from teachmem.errors import StoreError
from teachmem.ledger import rows, scrub
from teachmem.ledger.database import Prepared, Transaction
from teachmem.ledger.schema import audit
from teachmem.normal import one_line

ACTION = "forget"
BEYOND = (
    "exports, backups and other copies made before this moment",
    "checkpoints, which hold hashes alone",
    "what somebody, or a model, has read already",
    "what a file system or a disk keeps below its files",
)
BEYOND_SERVER = "the database server's log, dead rows and backups, until its own cleaning"

_entry = Prepared(
    select(audit.c.body, audit.c.hash).where(
        audit.c.tenant == bindparam("tenant"), audit.c.seq == bindparam("seq")
    )
)


@dataclass(frozen=True, slots=True)
class Certificate:
    """What one erasure did. Ids that its reader may not see are counted in `unseen` instead of named.

    `state` is "erased", "erased logically" (a server keeps bytes until its own cleaning) or
    "pending: ..." (the rows are empty, the file is not yet rid of them).
    """

    memory_id: str
    tenant: str
    entry: int  # the number of the audit entry
    at: datetime
    by: str
    versions: int  # rows that lost their content, those of derived memories included
    entry_hash: str = ""  # hex
    derived: tuple[str, ...] = ()  # erased too: they were derived from it and quote it
    flagged: tuple[str, ...] = ()  # derived from it, and do not quote it
    candidates: int = 0  # taken out of the inbox: they were it, quoted it or asked about it
    requests: int = 0  # kept answers to a retry, without their words from now on
    tombstones: int = 0  # that keep only a fingerprint of it from now on
    same_words: tuple[str, ...] = ()  # other memories that say the same by themselves; they are left
    unseen: int = 0
    state: str = scrub.ERASED
    out_of_reach: tuple[str, ...] = BEYOND
    reason: str | None = None  # None for a certificate that is written again
    reason_salt: str | None = None  # hex

    @property
    def is_finished(self) -> bool:
        """Whether nothing here is left to do."""
        return not self.state.startswith(scrub.PENDING)

    @property
    def reason_digest(self) -> str | None:
        """What the chain holds of the reason, computed from its words; None without them."""
        if self.reason is None or self.reason_salt is None:
            return None
        return rows.content_digest(self.reason, bytes.fromhex(self.reason_salt))

    def as_json(self) -> str:
        """Return it as one line of JSON; `at` in ISO 8601."""
        return json.dumps({**asdict(self), "at": self.at.isoformat()}, ensure_ascii=False)

    def __str__(self) -> str:
        lines = [
            f"{self.state}: {self.memory_id}, {_count(self.versions, 'version')}, by {self.by} "
            f"at {self.at.isoformat()}",
            f"audit entry {self.entry} of {self.tenant}, hash {self.entry_hash}",
        ]
        told = (
            ("erased with it, because they quote it", self.derived),
            ("derived from it and flagged", self.flagged),
            ("says the same by itself, and was left", self.same_words),
        )
        lines += [f"{what}: {', '.join(ids)}" for what, ids in told if ids]
        if self.candidates:
            lines.append(f"taken out of the inbox: {_count(self.candidates, 'candidate')}")
        if self.requests:
            lines.append(f"emptied: {_count(self.requests, 'kept answer')} to a retry")
        if self.tombstones:
            lines.append(f"only a fingerprint is left in {_count(self.tombstones, 'tombstone')}")
        if self.unseen:
            lines.append(f"and {self.unseen} more that you may not see")
        lines.append("out of reach:")
        return "\n".join(map(one_line, lines + [f"- {what}" for what in self.out_of_reach]))


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")


def entry(tx: Transaction, tenant: str, seq: int) -> tuple[Mapping[str, Any], str]:
    """Return the body of an erasure's audit entry and its hash in hex."""
    row = tx.one(_entry, tenant=tenant, seq=seq)
    body = json.loads(row[0]) if row else {}
    if row is None or body.get("action") != ACTION:
        raise StoreError(
            f"entry {seq} of {tenant} is no erasure, though a row says so; run `teachmem verify`"
        )
    return body, bytes(row[1]).hex()


def written(body: Mapping[str, Any], entry_hash: str, sees: Callable[[str], bool], asked: str) -> Certificate:
    """Return the certificate that an entry's body gives to one who asked for `asked` and `sees` some ids."""
    derived, flagged = (tuple(filter(sees, body[field])) for field in ("derived", "flagged"))
    erased = {body["resource"], *body["derived"]}
    return Certificate(
        memory_id=body["resource"] if sees(body["resource"]) else asked,
        tenant=body["tenant"],
        entry=body["seq"],
        at=from_micros(body["time"]),
        by=body["actor"]["name"],
        versions=sum(item["id"] in erased for item in body["touched"]),
        entry_hash=entry_hash,
        candidates=len(body["candidates"]),
        requests=body["requests"],
        tombstones=len(body["tombstones"]),
        derived=derived,
        flagged=flagged,
        unseen=len(body["derived"]) - len(derived) + len(body["flagged"]) - len(flagged),
    )
