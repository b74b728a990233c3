"""From an older shape of the tables to today's: what each version brought, and what older rows hold there.

An older store keeps its log, byte for byte. Every other table is made anew in today's shape and its rows
are copied; so a store that was upgraded has the very tables of a new one, from whichever version it came.
What is new is filled in by a `Step`: it says what a new column holds in rows that were written before
there was one, and mends what followed another rule then. No step changes what a memory says.

>>> [step.to for step in STEPS][-1] == schema.SCHEMA_VERSION
True

Left out: when, under which lock and with which copy (`ledger/shape.py`); the way back; the keys of
candidates that wait, since they are met again when a person decides.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from sqlalchemy import DDL, Connection, MetaData, Table, bindparam, func, insert, literal, select, update
from sqlalchemy.schema import DropTable

from teachmem.errors import StoreError
from teachmem.ledger import schema, twin
from teachmem.ledger.schema import audit, authors, candidates, memories, meta, requests
from teachmem.vocabulary import LIVE, Clearance, Role, Tier

KEPT = ("audit", "audit_heads", "meta")  # as they are in every version


@dataclass(frozen=True, slots=True)
class Step:
    """What came with a version: new tables, what new columns hold in older rows, what is mended after."""

    to: int
    tables: Sequence[str]
    fills: Mapping[str, Mapping[str, Any]]
    mends: Sequence[Callable[[Connection], None]]


def upgrade(connection: Connection, found: int) -> None:
    """Bring the tables of version `found` to today's shape, within the caller's transaction."""
    steps = [step for step in STEPS if step.to > found]
    fills: dict[str, dict[str, Any]] = {}
    for step in steps:
        for name, columns in step.fills.items():
            fills.setdefault(name, {}).update(columns)
    made = tables_since(found)
    known = set(connection.dialect.get_table_names(connection))
    for table in schema.metadata.sorted_tables:
        if table.name in known and table.name not in KEPT:
            _rebuild(connection, table, fills.get(table.name, {}))
        elif table.name in made:
            table.create(connection)
        elif table.name not in known:
            raise StoreError(f"the store lacks its table {table.name}; restore it from a backup")
    for step in steps:
        for mend in step.mends:
            mend(connection)
    connection.execute(update(meta).where(meta.c.key == "schema").values(value=str(schema.SCHEMA_VERSION)))


def tables_since(found: int) -> set[str]:
    """Return the tables that a store of version `found` need not have, since they came later."""
    return {name for step in STEPS if step.to > found for name in step.tables}


def _rebuild(connection: Connection, table: Table, fills: Mapping[str, Any]) -> None:
    """Make one table in today's shape; its rows keep what they hold, and new columns are filled."""
    aside = f"before_{table.name}"
    connection.execute(DDL(f"CREATE TABLE {aside} AS SELECT * FROM {table.name}"))  # type: ignore[no-untyped-call]
    connection.execute(DropTable(table))
    table.create(connection)
    before = Table(aside, MetaData(), autoload_with=connection)
    held: dict[str, Any] = {
        column.name: before.c[column.name] for column in table.c if column.name in before.c
    }
    held |= {name: literal(value) for name, value in fills.items() if name not in held}
    connection.execute(insert(table).from_select(list(held), select(*held.values())))
    now, was = (
        connection.execute(select(func.count()).select_from(each)).scalar() for each in (table, before)
    )
    if now != was:
        raise StoreError(f"of {was} rows of {table.name} {now} came over")
    connection.execute(DropTable(before))


def _find_authors(connection: Connection) -> None:
    """Give every name to whoever acted under it first, as the log tells."""
    names = ("tenant", "fleet", "name")
    known = {tuple(row) for row in connection.execute(select(*(authors.c[name] for name in names)))}
    entries = select(audit.c.tenant, audit.c.seq, audit.c.body).order_by(audit.c.tenant, audit.c.seq)
    new = []
    for tenant, seq, body in connection.execute(entries):
        with suppress(
            ValueError, LookupError, TypeError
        ):  # `verify` tells of a damaged entry; this is no place to
            actor = json.loads(body)["actor"]
            key = (tenant, actor["fleet"], actor["name"])
            if not all(isinstance(part, str) for part in key):
                continue  # no teachmem wrote such an entry
            if key not in known and actor["role"] in (str(Role.AGENT), str(Role.PERSON)):
                known.add(key)
                new.append({**dict(zip(names, key, strict=True)), "role": actor["role"], "seq": seq})
    if new:
        connection.execute(insert(authors), new)


_KEYED = (
    *("tenant", "fleet", "agent", "visibility", "session", "tier", "kind"),
    *("content", "valid_from", "valid_to"),
)
_TRIPLE = ("subject", "predicate", "object")
_READ = ("memory_id", "version", "status", "superseded_at", "twin_key", "claim_key")


def _make_keys(connection: Connection) -> None:
    """Make the keys that follow from a row by today's rule, where it has any.

    Two live rows that an older rule told apart stay apart: the second keeps the key that it has.
    """
    columns = (*_READ, *_KEYED, *_TRIPLE)
    rows = select(*(memories.c[name] for name in columns)).where(memories.c.twin_key.is_not(None))
    found = connection.execute(rows).mappings().all()
    live = {id(row) for row in found if row["superseded_at"] is None and row["status"] in LIVE}
    taken = {(row["tenant"], row["twin_key"]) for row in found if id(row) in live}
    new = []
    for row in found:
        triple = tuple(row[name] for name in _TRIPLE)
        key = twin.twin_key(**{name: row[name] for name in _KEYED}, triple=triple)
        if id(row) in live and (row["tenant"], key) in taken:
            key = row["twin_key"]
        claim = twin.claim_key(row["subject"], row["predicate"]) if row["tier"] == Tier.SEMANTIC else None
        if (key, claim) != (row["twin_key"], row["claim_key"]):
            new.append({"id": row["memory_id"], "of": row["version"], "twin": key, "claim": claim})
            taken.add((row["tenant"], key))
    if new:
        which = (memories.c.memory_id == bindparam("id"), memories.c.version == bindparam("of"))
        made = update(memories).where(*which)
        connection.execute(made.values(twin_key=bindparam("twin"), claim_key=bindparam("claim")), new)


def _wrap_drafts(connection: Connection) -> None:
    """Say of a candidate's draft that it is one: today more may stand beside it."""
    for candidate_id, said in connection.execute(select(candidates.c.candidate_id, candidates.c.draft)).all():
        if "draft" not in (draft := json.loads(said)):
            wrapped = json.dumps({"draft": draft}, ensure_ascii=False, sort_keys=True)
            this = candidates.c.candidate_id == candidate_id
            connection.execute(update(candidates).where(this).values(draft=wrapped))


def _stop_comparing(connection: Connection) -> None:
    """Let a retry of an older request be answered uncompared: it was spelled otherwise then."""
    connection.execute(update(requests).values(payload_digest="", salt=b""))


STEPS = (
    Step(
        2,
        ("authors", "promotions", "tombstones"),
        {"candidates": {"clearance": int(Clearance.STANDARD)}},  # the least with which one may propose
        (_find_authors, _make_keys, _wrap_drafts, _stop_comparing),
    ),
)
