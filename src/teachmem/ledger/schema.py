"""Every table, in one place.

One memory of any tier is one row a version in `memories`. Rows are only added; a newer version
closes the older one's `superseded_at`. Times are integer microseconds since the epoch, UTC.
An empty part of an address is "", never NULL. JSON is kept as text.

The audit table stores three things: the body's exact bytes, the hash before it and its own.
The columns that queries use are generated from the body by the database, so that they cannot
disagree with what was hashed.

>>> print(*sorted(metadata.tables))
audit audit_heads authors candidates derivations memories meta promotions requests tombstones

Left out: embeddings' meaning, postings, the graph. They are caches, and live elsewhere.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
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
    func,
    text,
)

from teachmem.ledger.body import BodyField
from teachmem.vocabulary import LIVE, Source, Status, Tier, Visibility

SCHEMA_VERSION = 2  # one more with every change below, and a step in `migrations.py`
APPLICATION_ID = 0x7EAC3E30  # "teachmem", in the header of an SQLite file

metadata = MetaData()
Word = String().with_variant(String(collation="C"), "postgresql")  # compared byte for byte, in every place


def one_of(column: str, words: Any) -> str:
    """Return the SQL condition that `column` holds one of `words`, which are our own constants.

    >>> one_of("tier", ["working", "episodic"])
    "tier IN ('working', 'episodic')"
    """
    return f"{column} IN ({', '.join(repr(str(word)) for word in words)})"


WAITING = ("staged", "quarantined")  # a candidate that nobody has decided on


def _said(*names: str) -> list[Column[str]]:
    """Return a text column for each name; none of them is ever NULL."""
    return [Column(name, Word, nullable=False) for name in names]


CURRENT_AND_LIVE = f"superseded_at IS NULL AND {one_of('status', LIVE)}"

meta = Table("meta", metadata, Column("key", Word, primary_key=True), Column("value", Text, nullable=False))

memories = Table(
    "memories",
    metadata,
    Column("memory_id", Word, nullable=False),
    Column("version", Integer, nullable=False),
    *_said(
        "tenant", "fleet", "agent", "visibility", "session", "tier", "kind", "subject", "predicate", "object"
    ),
    Column("content", Text, nullable=False),
    Column("content_digest", Word, nullable=False),
    Column("salt", LargeBinary),  # nulled by erasure
    Column("importance", Float),
    Column("confidence", Float),
    Column("is_inferred", Integer, nullable=False),
    Column("status", Word, nullable=False),
    Column("source", Word, nullable=False),
    Column("valid_from", BigInteger),
    Column("valid_to", BigInteger),
    Column("recorded_at", BigInteger, nullable=False),
    Column("superseded_at", BigInteger),
    Column("expires_at", BigInteger),
    Column("qualifiers", Text, nullable=False),
    Column("keystone", Integer, nullable=False),
    Column("detail", Text, nullable=False),
    Column("embedding", LargeBinary),
    Column("twin_key", Word),
    Column("claim_key", Word),  # of a triple that can have one value only
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
Index(
    "by_claim",
    memories.c.tenant,
    memories.c.claim_key,
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
    memories.c.visibility,
    memories.c.tier,
    memories.c.fleet,
    memories.c.agent,
    memories.c.recorded_at,
    sqlite_where=text("superseded_at IS NULL"),
    postgresql_where=text("superseded_at IS NULL"),
)
Index(  # they are few, and every context begins with them
    "by_keystone",
    memories.c.tenant,
    memories.c.keystone,
    sqlite_where=text("superseded_at IS NULL AND keystone = 1"),
    postgresql_where=text("superseded_at IS NULL AND keystone = 1"),
)

authors = Table(
    "authors",
    metadata,
    *_said("tenant", "fleet", "name", "role"),
    Column("seq", BigInteger, nullable=False),
    PrimaryKeyConstraint("tenant", "fleet", "name"),
)

derivations = Table(
    "derivations",
    metadata,
    *_said("tenant", "child", "parent", "relation"),
    Column("seq", BigInteger, nullable=False),
    PrimaryKeyConstraint("child", "parent", "relation"),
)
Index("by_parent", derivations.c.parent)

promotions = Table(  # which memories a consolidation has read, for whom: no time window, so none is missed
    "promotions",
    metadata,
    *_said("tenant", "fleet", "agent", "source", "run"),
    Column("seq", BigInteger, nullable=False),
    PrimaryKeyConstraint("tenant", "fleet", "agent", "source"),
)

candidates = Table(
    "candidates",
    metadata,
    Column("candidate_id", Word, primary_key=True),
    *_said("tenant", "fleet", "agent", "role"),
    Column("clearance", Integer, nullable=False),
    Column("state", Word, nullable=False),
    Column("reason", Text, nullable=False),
    Column("draft", Text, nullable=False),
    Column("content_digest", Word, nullable=False),
    Column("salt", LargeBinary),
    Column("twin_key", Word),
    Column("proposed_at", BigInteger, nullable=False),
    Column("until", BigInteger),  # put off until then
    Column("decided_by", Word),
    Column("decided_at", BigInteger),
    Column("result", Word),  # the memory or the tombstone that came of it
    Column("seq", BigInteger, nullable=False),
    CheckConstraint(one_of("state", (*WAITING, "approved", "rejected")), name="known_state"),
)
Index(
    "one_candidate_twin",
    candidates.c.tenant,
    candidates.c.twin_key,
    unique=True,
    sqlite_where=text(one_of("state", WAITING)),
    postgresql_where=text(one_of("state", WAITING)),
)

tombstones = Table(
    "tombstones",
    metadata,
    Column("tombstone_id", Word, primary_key=True),
    Column("tenant", Word, nullable=False),
    Column("fleets", Text, nullable=False),  # a JSON list, or "" for all
    Column("kind", Word, nullable=False),
    Column("key", Word, nullable=False),  # what its fingerprints were made with
    Column("value_print", Word, nullable=False),
    Column("triple_print", Word, nullable=False),  # "" where no triple was rejected
    Column("figures", Text),  # the numbers and negations of the text; nulled by erasure
    Column("content", Text),  # nulled by erasure
    Column("triple", Text),  # a JSON list; nulled by erasure
    Column("reason", Text),  # a person's words; nulled by erasure
    Column("salt", LargeBinary),
    Column("evidence", Text, nullable=False),  # a JSON list of ids
    Column("made_in", Word, nullable=False),  # the fleet of who made it
    Column("made_by", Word, nullable=False),
    Column("made_at", BigInteger, nullable=False),
    Column("until", BigInteger),  # a moratorium ends here
    Column("lifted_by", Word),
    Column("lifted_at", BigInteger),
    Column("lifted_because", Text),
    Column("answered_by", Word),  # who has seen that the moratorium is over
    Column("answered_at", BigInteger),
    Column("put_off", BigInteger),  # the announcement of its end waits until then
    Column("seq", BigInteger, nullable=False),
    CheckConstraint(one_of("kind", ("value", "cluster")), name="known_tombstone"),
)
Index("tombstone_by_value", tombstones.c.tenant, tombstones.c.value_print)
Index("tombstone_by_triple", tombstones.c.tenant, tombstones.c.triple_print)
Index("tombstone_by_figures", tombstones.c.tenant, tombstones.c.figures).ddl_if("sqlite")
Index("tombstone_by_figures_hash", tombstones.c.figures, postgresql_using="hash").ddl_if("postgresql")
Index("tombstone_by_key", tombstones.c.tenant, tombstones.c.key)

requests = Table(
    "requests",
    metadata,
    *_said("tenant", "fleet", "agent", "role", "request_id", "payload_digest"),
    Column("salt", LargeBinary, nullable=False),
    Column("receipt", Text, nullable=False),
    Column("seq", BigInteger, nullable=False),
    PrimaryKeyConstraint("tenant", "fleet", "agent", "role", "request_id"),
)


def _from_body(name: str, kind: Any) -> Column[Any]:
    number = kind is BigInteger
    return Column(name, kind, Computed(BodyField(name, number), persisted=True), nullable=False)


audit = Table(
    "audit",
    metadata,
    Column("body", Text, nullable=False),
    Column("prev_hash", LargeBinary, nullable=False),
    Column("hash", LargeBinary, nullable=False),
    _from_body("tenant", Word),
    _from_body("seq", BigInteger),
    _from_body("time", BigInteger),
    _from_body("action", Word),
    _from_body("resource", Word),
    _from_body("event", Word),
    UniqueConstraint("tenant", "seq"),
    UniqueConstraint("tenant", "prev_hash"),
    UniqueConstraint("event"),
)


audit_heads = Table(
    "audit_heads",
    metadata,
    Column("tenant", Word, primary_key=True),
    Column("seq", BigInteger, nullable=False),
    Column("hash", LargeBinary, nullable=False),
    Column("time", BigInteger, nullable=False),
)
