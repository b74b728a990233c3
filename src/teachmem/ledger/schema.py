"""Every table, in one place.

One memory of any tier is one row a version in `memories`. Rows are only added; a newer version
closes the older one's `superseded_at`. Times are integer microseconds since the epoch, UTC.
An empty part of an address is "", never NULL. JSON is kept as text.

The audit table stores three things: the body's exact bytes, the hash before it and its own.
The columns that queries use are generated from the body by the database, so that they cannot
disagree with what was hashed.

>>> sorted(metadata.tables)
['audit', 'audit_heads', 'candidates', 'derivations', 'memories', 'meta', 'requests']

Left out: embeddings' meaning, postings, the graph. They are caches, and live elsewhere.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    DDL,
    BigInteger,
    CheckConstraint,
    Column,
    Computed,
    Float,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    Text,
    UniqueConstraint,
    event,
    func,
    text,
)
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.elements import ColumnElement

from teachmem.vocabulary import LIVE, Source, Status, Tier, Visibility

SCHEMA_VERSION = 1
APPLICATION_ID = 0x7EAC3E30  # "teachmem", in the header of an SQLite file

metadata = MetaData()


def one_of(column: str, words: Any) -> str:
    """Return the SQL condition that `column` holds one of `words`, which are our own constants.

    >>> one_of("tier", ["working", "episodic"])
    "tier IN ('working', 'episodic')"
    """
    return f"{column} IN ({', '.join(repr(str(word)) for word in words)})"


CURRENT_AND_LIVE = f"superseded_at IS NULL AND {one_of('status', LIVE)}"

meta = Table("meta", metadata, Column("key", String, primary_key=True), Column("value", Text, nullable=False))

memories = Table(
    "memories",
    metadata,
    Column("memory_id", String, nullable=False),
    Column("version", Integer, nullable=False),
    Column("tenant", String, nullable=False),
    Column("fleet", String, nullable=False),
    Column("agent", String, nullable=False),
    Column("visibility", String, nullable=False),
    Column("session", String, nullable=False),
    Column("tier", String, nullable=False),
    Column("kind", String, nullable=False),
    Column("subject", String, nullable=False),
    Column("predicate", String, nullable=False),
    Column("object", String, nullable=False),
    Column("content", Text, nullable=False),
    Column("content_digest", String, nullable=False),
    Column("salt", LargeBinary),  # nulled by erasure
    Column("importance", Float),
    Column("confidence", Float),
    Column("is_inferred", Integer, nullable=False),
    Column("status", String, nullable=False),
    Column("source", String, nullable=False),
    Column("valid_from", BigInteger),
    Column("valid_to", BigInteger),
    Column("recorded_at", BigInteger, nullable=False),
    Column("superseded_at", BigInteger),
    Column("expires_at", BigInteger),
    Column("qualifiers", Text, nullable=False),
    Column("keystone", Integer, nullable=False),
    Column("detail", Text, nullable=False),
    Column("embedding", LargeBinary),
    Column("twin_key", String),
    Column("seq", BigInteger, nullable=False),
    PrimaryKeyConstraint("memory_id", "version"),
    CheckConstraint(one_of("tier", Tier), name="known_tier"),
    CheckConstraint(one_of("status", Status), name="known_status"),
    CheckConstraint(one_of("visibility", Visibility), name="known_visibility"),
    CheckConstraint(one_of("source", Source), name="known_source"),
    CheckConstraint("tenant <> '' AND fleet <> '' AND agent <> ''", name="whole_address"),
    CheckConstraint("importance BETWEEN 0 AND 1", name="importance_range"),
    CheckConstraint("confidence BETWEEN 0 AND 1", name="confidence_range"),
    CheckConstraint("valid_to > valid_from", name="interval_not_empty"),
)
Index(
    "current_version",
    memories.c.memory_id,
    unique=True,
    sqlite_where=text("superseded_at IS NULL"),
    postgresql_where=text("superseded_at IS NULL"),
)
Index(
    "one_live_twin",
    memories.c.tenant,
    memories.c.twin_key,
    unique=True,
    sqlite_where=text(CURRENT_AND_LIVE),
    postgresql_where=text(CURRENT_AND_LIVE),
)
Index(  # the latest events first, whoever may read them
    "by_event",
    memories.c.tenant,
    memories.c.tier,
    func.coalesce(memories.c.valid_from, memories.c.recorded_at),
    memories.c.seq,
    sqlite_where=text("superseded_at IS NULL"),
    postgresql_where=text("superseded_at IS NULL"),
)
Index(
    "by_address",
    memories.c.tenant,
    memories.c.tier,
    memories.c.visibility,
    memories.c.fleet,
    memories.c.agent,
    memories.c.recorded_at,
    sqlite_where=text("superseded_at IS NULL"),
    postgresql_where=text("superseded_at IS NULL"),
)

derivations = Table(
    "derivations",
    metadata,
    Column("tenant", String, nullable=False),
    Column("child", String, nullable=False),
    Column("parent", String, nullable=False),
    Column("relation", String, nullable=False),
    Column("seq", BigInteger, nullable=False),
    PrimaryKeyConstraint("child", "parent", "relation"),
)
Index("by_parent", derivations.c.parent)

candidates = Table(
    "candidates",
    metadata,
    Column("candidate_id", String, primary_key=True),
    Column("tenant", String, nullable=False),
    Column("fleet", String, nullable=False),
    Column("agent", String, nullable=False),
    Column("role", String, nullable=False),
    Column("state", String, nullable=False),
    Column("reason", Text, nullable=False),
    Column("draft", Text, nullable=False),
    Column("content_digest", String, nullable=False),
    Column("salt", LargeBinary),
    Column("twin_key", String),
    Column("proposed_at", BigInteger, nullable=False),
    Column("seq", BigInteger, nullable=False),
    CheckConstraint(one_of("state", ("staged", "quarantined")), name="known_state"),
)
Index("one_candidate_twin", candidates.c.tenant, candidates.c.twin_key, unique=True)

requests = Table(
    "requests",
    metadata,
    Column("tenant", String, nullable=False),
    Column("fleet", String, nullable=False),
    Column("agent", String, nullable=False),
    Column("role", String, nullable=False),
    Column("request_id", String, nullable=False),
    Column("payload_digest", String, nullable=False),
    Column("salt", LargeBinary, nullable=False),
    Column("receipt", Text, nullable=False),
    Column("seq", BigInteger, nullable=False),
    PrimaryKeyConstraint("tenant", "fleet", "agent", "role", "request_id"),
)


class BodyField(ColumnElement[Any]):
    """One top-level field of an audit body, taken out of its JSON by the database."""

    inherit_cache = True

    def __init__(self, name: str, number: bool = False) -> None:
        self.name = name
        self.number = number


@compiles(BodyField)
def _body_field(element: BodyField, compiler: Any, **_: Any) -> str:
    return f"json_extract(body, '$.{element.name}')"


@compiles(BodyField, "postgresql")
def _body_field_postgresql(element: BodyField, compiler: Any, **_: Any) -> str:
    value = f"(body::jsonb ->> '{element.name}')"
    return f"({value}::bigint)" if element.number else value


def _from_body(name: str, kind: Any) -> Column[Any]:
    number = kind is BigInteger
    return Column(name, kind, Computed(BodyField(name, number), persisted=True), nullable=False)


audit = Table(
    "audit",
    metadata,
    Column("body", Text, nullable=False),
    Column("prev_hash", LargeBinary, nullable=False),
    Column("hash", LargeBinary, nullable=False),
    _from_body("tenant", String),
    _from_body("seq", BigInteger),
    _from_body("time", BigInteger),
    _from_body("action", String),
    _from_body("resource", String),
    _from_body("event", String),
    UniqueConstraint("tenant", "seq"),
    UniqueConstraint("tenant", "prev_hash"),
    UniqueConstraint("event"),
)


class BodyBytes(ColumnElement[bytes]):
    """The bytes of an audit body as they are stored, even where they are no text any more."""

    inherit_cache = True
    type = LargeBinary()


@compiles(BodyBytes)
def _body_bytes(element: BodyBytes, compiler: Any, **_: Any) -> str:
    return "CAST(body AS BLOB)"


@compiles(BodyBytes, "postgresql")
def _body_bytes_postgresql(element: BodyBytes, compiler: Any, **_: Any) -> str:
    return "convert_to(body, 'UTF8')"


audit_heads = Table(
    "audit_heads",
    metadata,
    Column("tenant", String, primary_key=True),
    Column("seq", BigInteger, nullable=False),
    Column("hash", LargeBinary, nullable=False),
    Column("time", BigInteger, nullable=False),
)

# A guard rail against mistakes, not a proof: whoever holds the file can drop a trigger.
for _verb in ("UPDATE", "DELETE"):
    event.listen(
        audit,
        "after_create",
        DDL(  # type: ignore[no-untyped-call]
            f"CREATE TRIGGER audit_no_{_verb.lower()} BEFORE {_verb} ON audit "
            "BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END"
        ).execute_if(dialect="sqlite"),
    )
