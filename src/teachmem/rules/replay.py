"""Safe retries: a request that is sent again gets the first receipt again, and writes nothing.

A client that lost the answer cannot know whether its write arrived. It sends the same
`request_id` with the same content; whatever has happened since, the first receipt comes back. The
same id with other content is a mistake and is refused.

Kept is a salted digest of the request, not the request.

Left out: refusals. What was refused may be mended and sent again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from datetime import date, datetime
from typing import Any

from sqlalchemy import bindparam, select

from teachmem.clock import to_micros
from teachmem.errors import MemoryRefused
from teachmem.ledger import rows
from teachmem.ledger.database import Prepared, Transaction
from teachmem.ledger.journal import Change
from teachmem.ledger.schema import memories, requests
from teachmem.principal import Principal
from teachmem.record import Draft, Receipt, Step
from teachmem.rules import scope
from teachmem.vocabulary import Outcome, Verdict

_kept = Prepared(
    select(requests.c.payload_digest, requests.c.salt, requests.c.receipt).where(
        requests.c.tenant == bindparam("tenant"),
        requests.c.fleet == bindparam("fleet"),
        requests.c.agent == bindparam("agent"),
        requests.c.role == bindparam("role"),
        requests.c.request_id == bindparam("request_id"),
    )
)


def payload_of(request: Draft | Mapping[str, Any]) -> str:
    """Return what is asked as JSON text: equal requests give equal text, even one that will be refused."""
    return json.dumps(_plain(request), ensure_ascii=True, sort_keys=True, default=repr)


def _plain(value: Any) -> Any:
    if isinstance(value, Draft):
        return {name: _plain(getattr(value, name)) for name in value.__slots__}
    if isinstance(value, date):
        naive = isinstance(value, datetime) and value.utcoffset() is None
        return value.isoformat() if naive else to_micros(value)
    if isinstance(value, Mapping):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return value


def _digest(salt: bytes, payload: str) -> str:
    return hashlib.sha256(b"teachmem/request/1\n" + salt + payload.encode()).hexdigest()


def find(
    tx: Transaction, who: Principal, request_id: str | None, payload: str, steps: list[Step]
) -> Receipt | None:
    """Return the first receipt of this request, or None if it is new; refuse other content."""
    if request_id is None:
        return None
    row = tx.one(
        _kept,
        tenant=who.tenant,
        fleet=who.fleet,
        agent=who.name,
        role=str(who.role),
        request_id=request_id,
    )
    if row is None:
        steps.append(Step("request", Outcome.PASSED))
        return None
    erased = not row[0]  # there is nothing left to compare with
    if not erased and row[0] != _digest(bytes(row[1]), payload):
        reason = f"the request {request_id!r} was used before with other content; use a new one"
        steps.append(Step("request", Outcome.REFUSED, reason))
        raise MemoryRefused(Receipt(Verdict.REFUSED, steps=tuple(steps)))
    return _receipt(tx, who, json.loads(row[2]))


_version = Prepared(
    select(*rows.SHOWN).where(
        memories.c.memory_id == bindparam("id"),
        memories.c.version == bindparam("version"),
        scope.clause(scope.Reach.FLEET, current=False),
    )
)


def _receipt(tx: Transaction, who: Principal, kept: dict[str, Any]) -> Receipt:
    memory = None
    if kept["memory"]:
        row = tx.one(_version, id=kept["memory"], version=kept["version"], **scope.binds(who))
        memory = rows.to_memory(row) if row else None
    steps = tuple(Step(check, Outcome(outcome), reason) for check, outcome, reason in kept["steps"])
    return Receipt(
        Verdict(kept["verdict"]), memory, steps, kept["audit_seq"], kept["candidate"], tuple(kept["touched"])
    )


def keep(act: Change, request_id: str | None, payload: str, receipt: Receipt) -> None:
    """Keep the receipt of a request that was answered, in the same transaction."""
    if request_id is None:
        return
    salt = act.ids.salt()
    told = {
        "verdict": receipt.verdict,
        "memory": receipt.memory.memory_id if receipt.memory else None,
        "version": receipt.memory.version if receipt.memory else None,
        "steps": [(step.check, step.outcome, step.reason) for step in receipt.steps],
        "audit_seq": receipt.audit_seq,
        "candidate": receipt.candidate_id,
        "touched": receipt.touched,
    }
    act.remember_request(
        {
            "tenant": act.principal.tenant,
            "fleet": act.principal.fleet,
            "agent": act.principal.name,
            "role": str(act.principal.role),
            "request_id": request_id,
            "payload_digest": _digest(salt, payload),
            "salt": salt,
            "receipt": json.dumps(told),
        }
    )
