"""The pen: the only place that changes `memories`, and it cannot do so without an audit entry.

A `Change` is one act inside one write transaction. It takes the tenant's head first, which
gives the act its number and its time, then adds and closes versions, and at the end appends
one entry that names every memory and version it touched. An act that touched nothing leaves
no entry; an exception leaves neither.

Time never runs backwards within a tenant: `now` is the clock's time or the last entry's,
whichever is later, so a clock that jumps back loses nothing.

Left out: whether the act is allowed. That is the gate's business.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from sqlalchemy import bindparam, insert, literal_column, select, update

from teachmem import states
from teachmem.clock import from_micros, to_micros
from teachmem.errors import InvalidInput, TeachmemError
from teachmem.ledger import authors, chain, lineage, rows
from teachmem.ledger.database import Prepared, Transaction
from teachmem.ledger.schema import (
    WAITING,
    candidates,
    derivations,
    memories,
    promotions,
    requests,
    tombstones,
)
from teachmem.ports import Clock, IdMaker
from teachmem.principal import Principal
from teachmem.vocabulary import LIVE, MAX_INTEGER, Role, Status

DECIDED = (
    "state",
    "reason",
    "draft",
    "content_digest",
    "salt",
    "twin_key",
    "until",
    "decided_by",
    "decided_at",
    "result",
)
ANSWERED = ("lifted_by", "lifted_at", "lifted_because", "answered_by", "answered_at", "put_off")

_add = Prepared(insert(memories).values({column.name: bindparam(column.name) for column in memories.c}))
_close = Prepared(
    update(memories)
    .where(memories.c.memory_id == bindparam("id"), memories.c.superseded_at.is_(None))
    .values(superseded_at=bindparam("now"))
)
_whole = Prepared(
    select(*memories.c).where(memories.c.memory_id == bindparam("id"), memories.c.superseded_at.is_(None))
)
_vector = Prepared(
    update(memories)
    .where(memories.c.memory_id == bindparam("id"), memories.c.version == bindparam("of_version"))
    .values(embedding=bindparam("vector"))
)
_derive = Prepared(
    insert(derivations).values({column.name: bindparam(column.name) for column in derivations.c})
)
_promote = Prepared(
    insert(promotions).values({column.name: bindparam(column.name) for column in promotions.c})
)
_stage = Prepared(insert(candidates).values({column.name: bindparam(column.name) for column in candidates.c}))
_decide = Prepared(
    update(candidates)
    .where(
        candidates.c.candidate_id == bindparam("id"),
        candidates.c.state.in_([literal_column(f"'{state}'") for state in WAITING]),
    )
    .values({name: bindparam(f"new_{name}") for name in DECIDED})
)
_bury = Prepared(insert(tombstones).values({column.name: bindparam(column.name) for column in tombstones.c}))
_answer = Prepared(
    update(tombstones)
    .where(tombstones.c.tombstone_id == bindparam("id"))
    .values({name: bindparam(f"new_{name}") for name in ANSWERED})
)
_request = Prepared(insert(requests).values({column.name: bindparam(column.name) for column in requests.c}))


class Change:
    """One act being written. Use `change()`, which appends its entry."""

    def __init__(self, tx: Transaction, principal: Principal, clock: Clock, ids: IdMaker) -> None:
        self.tx = tx
        self.principal = principal
        self.ids = ids
        self.head = chain.head(tx, principal.tenant, lock=True)
        self._is_known = authors.check(tx, principal)
        self.seq = self.head.seq + 1
        self.now = max(to_micros(clock.now()), self.head.time)
        if abs(self.now) > MAX_INTEGER:
            stands = from_micros(self.now).isoformat()
            raise InvalidInput("clock", f"stands at {stands}; the log holds the years 1685 to 2254; set it")
        self.touched: list[dict[str, Any]] = []
        self.wrote = False
        self._by_rule: list[str] = []
        self._fell: dict[str, str] = {}
        self._rose: list[str] = []
        self._entry: dict[str, Any] | None = None

    def add(self, row: Mapping[str, Any]) -> None:
        """Add a version: all columns of `memories` but `recorded_at`, `superseded_at` and `seq`."""
        self.tx.run(_add, **{**row, "recorded_at": self.now, "superseded_at": None, "seq": self.seq})
        self.touched.append(
            {
                "id": row["memory_id"],
                "version": row["version"],
                "status": str(row["status"]),
                "digest": row["content_digest"],
                **({"row": rows.row_digest(row, row["salt"])} if row["salt"] else {}),
            }
        )

    def replace(self, memory_id: str, *, by_rule: bool = False, **changed: Any) -> dict[str, Any]:
        """Close the current version of `memory_id` and add the next one with `changed` columns.

        A change of status must be legal for the principal, or `by_rule` for the system, which the entry
        then says; else `MemoryRefused` is raised. What rests on a memory that falls is flagged.
        """
        row = self.tx.one(_whole, id=memory_id)
        if row is None:
            raise TeachmemError(f"{memory_id} has no current version to replace")
        before = dict(zip(memories.c.keys(), row, strict=True))
        if before["salt"] is None:
            raise TeachmemError(f"{memory_id} was erased; there is nothing left that could change")
        after = {**before, **changed, "version": before["version"] + 1}
        was, now = Status(before["status"]), Status(after["status"])
        states.check_transition(Role.SYSTEM if by_rule else self.principal.role, was, now)
        self.tx.run(_close, id=memory_id, now=self.now)
        self.add(after)
        if by_rule:
            self._by_rule.append(memory_id)
        if was in LIVE and now not in LIVE:
            self._fell[memory_id] = str(now)
        elif was not in LIVE and now in LIVE:
            self._rose.append(memory_id)
        return after

    def give_vector(self, memory_id: str, version: int, vector: bytes) -> None:
        """Set the vector kept beside a version; it is derived from the content, so this is no new version."""
        self.tx.run(_vector, id=memory_id, of_version=version, vector=vector)

    def derive(self, child: str, parent: str, relation: str) -> None:
        """Write that `child` rests on `parent`."""
        self.tx.run(
            _derive,
            tenant=self.principal.tenant,
            child=child,
            parent=parent,
            relation=relation,
            seq=self.seq,
        )

    def promote(self, source: str, run: str) -> None:
        """Note that the consolidation `run` has read `source`, for whoever acts."""
        self.tx.run(
            _promote,
            tenant=self.principal.tenant,
            fleet=self.principal.fleet,
            agent=self.principal.name,
            source=source,
            run=run,
            seq=self.seq,
        )
        self.wrote = True

    def stage(self, row: Mapping[str, Any]) -> None:
        """Put a candidate before a person; it is no memory yet."""
        undecided = {"until": None, "decided_by": None, "decided_at": None, "result": None}
        new = {**undecided, "clearance": int(self.principal.clearance), **row}
        self.tx.run(_stage, **{**new, "proposed_at": self.now, "seq": self.seq})
        self.wrote = True

    def decide(self, row: Mapping[str, Any]) -> None:
        """Change a waiting candidate to what `row` says: a person's decision, or their new wording."""
        changed = self.tx.run(_decide, id=row["candidate_id"], **{f"new_{n}": row[n] for n in DECIDED})
        if changed != 1:
            raise TeachmemError(f"{row['candidate_id']} does not wait for a decision")
        self.wrote = True

    def bury(self, row: Mapping[str, Any]) -> None:
        """Add a tombstone: every column but who made it, when, and under which entry."""
        made = {"made_in": self.principal.fleet, "made_by": self.principal.name, "made_at": self.now}
        self.tx.run(_bury, **{**made, **dict.fromkeys(ANSWERED), **row, "seq": self.seq})
        self.wrote = True

    def answer(self, row: Mapping[str, Any]) -> None:
        """Write what became of a tombstone: lifted, or its end seen. What it says stays as it was made."""
        self.tx.run(_answer, id=row["tombstone_id"], **{f"new_{name}": row[name] for name in ANSWERED})
        self.wrote = True

    def remember_request(self, row: Mapping[str, Any]) -> None:
        """Keep what a retry of this request will be answered, under the act's entry or the last before it."""
        self.tx.run(_request, **{**row, "seq": self.seq if self._entry else self.head.seq})

    def entry(self, action: str, resource: str, **more: Any) -> None:
        """Say what the act was: its audit entry, appended when the block ends.

        `more` holds digests, counts and our own words only, never content or a person's free text.
        `by_rule` is added: what was changed by a rule of the system, not by the principal's own right.
        """
        lineage.settle(self, self._fell, self._rose)
        self._fell, self._rose = {}, []
        self._entry = {
            "action": action,
            "resource": resource,
            "event": self.ids.new("entry"),
            "time": self.now,
            "actor": {
                "role": str(self.principal.role),
                "fleet": self.principal.fleet,
                "name": self.principal.name,
            },
            "touched": self.touched,
            **more,
        }

    def finish(self) -> None:
        """Append the entry. A change that does not say why is a bug."""
        lineage.settle(self, self._fell, self._rose)
        if self._entry is not None:
            if self._by_rule:
                self._entry["by_rule"] = sorted(set(self._by_rule))
            chain.append(self.tx, self.head, self._entry)
            if not self._is_known:
                authors.claim(self.tx, self.principal, self.seq)
        elif self.touched or self.wrote:
            raise RuntimeError("the store was changed without an audit entry")


@contextmanager
def change(tx: Transaction, principal: Principal, clock: Clock, ids: IdMaker) -> Iterator[Change]:
    """Open one act in `tx` for `principal`; its entry is appended if the block ends well."""
    act = Change(tx, principal, clock, ids)
    yield act
    act.finish()
