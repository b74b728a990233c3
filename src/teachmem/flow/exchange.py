"""A memory in a file: one JSON record a line, the first a manifest with the digest of all that follow.

An export holds the current, live memories and the tombstones of what a person may read: their fleet, or
for a steward a fleet or the whole tenant. It is written beside its place and then moved there, readable
by its owner only, and leaves an audit entry, since the texts are out of the store's reach from now on.

A manifest that verifies says that the file is whole. It does not say who wrote it: whoever imports it
vouches for that.

Left out: history, what is withheld, and what waits for a person. Those stay with the chain they belong to.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import bindparam, literal_column, select

from teachmem import private
from teachmem.clock import to_micros
from teachmem.errors import InvalidInput, StoreError
from teachmem.ledger import journal, rows
from teachmem.ledger.database import Prepared, Transaction
from teachmem.ledger.journal import Change
from teachmem.ledger.schema import derivations, memories
from teachmem.normal import one_line
from teachmem.principal import Principal, checked_name
from teachmem.record import Memory
from teachmem.rules import gate as gates
from teachmem.rules import scope, tombstone, trust
from teachmem.tiers.kit import Kit

FORMAT = "teachmem/export/1"
TIMES = ("valid_from", "valid_to", "recorded_at", "expires_at")
_CARRIED = ("evidence", "used", "depends_on")  # what a memory rests on

_current = select(*rows.SHOWN).where(memories.c.superseded_at.is_(None), trust.clause())
_in_order = (memories.c.seq, memories.c.memory_id)
_of_tenant = Prepared(_current.where(memories.c.tenant == bindparam("tenant")).order_by(*_in_order))
_of_reader = {far: Prepared(_current.where(scope.clause(far)).order_by(*_in_order)) for far in scope.Reach}
_parents = Prepared(
    select(derivations.c.parent, derivations.c.relation)
    .where(
        derivations.c.tenant == bindparam("tenant"),
        derivations.c.child == bindparam("child"),
        derivations.c.relation.in_([literal_column(f"'{relation}'") for relation in _CARRIED]),
    )
    .order_by(derivations.c.parent, derivations.c.relation)
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What an export says of itself: whose it is, how many lines follow, and their digest (SHA-256)."""

    tenant: str
    fleet: str  # "" for a whole tenant
    by: str
    at: int
    head: int
    memories: int
    tombstones: int
    digest: str

    def __str__(self) -> str:
        of = f"{self.tenant}/{self.fleet}" if self.fleet else self.tenant
        counts = f"{self.memories} memories, {self.tombstones} tombstones"
        return f"{one_line(of)}: {counts}, up to audit entry {self.head}, digest {self.digest[:12]}"


def export(kit: Kit, who: Principal, path: str | os.PathLike[str], fleet: str | None = None) -> Manifest:
    """Write what `who` may hand on to a new file at `path`, and return its manifest.

    A steward's export is of the tenant, or of one `fleet`; anybody else's is of what they may read in
    their own. Raises `StoreError` where a file cannot be written, or is there already.
    """
    gates.before(who, None, "")
    place = free(path)
    of = _scope(who, fleet)
    aside = place.with_name(f".{place.name}.part")
    try:
        with kit.database.write() as tx, journal.change(tx, who, kit.clock, kit.gate.ids) as act:
            lines = list(_lines(tx, who, of, act))
            body = b"".join(lines)
            held = sum(line.startswith(b'{"memory"') for line in lines)
            manifest = Manifest(
                tenant=who.tenant,
                fleet=of,
                by=who.name,
                at=act.now,
                head=act.head.seq,
                memories=held,
                tombstones=len(lines) - held,
                digest=hashlib.sha256(body).hexdigest(),
            )
            told = {name: getattr(manifest, name) for name in manifest.__slots__}
            _write(aside, _line({"manifest": {"format": FORMAT, **told}}) + body)
            act.entry("export", manifest.digest, count=len(lines), of=of)
        os.link(aside, place)  # once the log says so; fails where somebody was faster
    except OSError as error:
        raise StoreError(f"{str(place)!r} cannot be written: {error.strerror}") from error
    finally:
        private.discard(aside)
    return manifest


def _scope(who: Principal, fleet: str | None) -> str:
    if fleet is None:
        return "" if who.is_steward else who.fleet
    named = checked_name("fleet", fleet)
    if named != who.fleet and not who.is_steward:
        raise InvalidInput("fleet", "exporting another fleet than your own needs clearance 3")
    return named


def _lines(tx: Transaction, who: Principal, fleet: str, act: Change) -> Iterator[bytes]:
    """Yield a line for each tombstone and then for each memory, oldest first."""
    for one in reversed(tombstone.every(tx, who, act.now)):
        if not fleet or not one.fleets or fleet in one.fleets:
            row = tombstone.row_of(tx, who.tenant, one.tombstone_id) or {}
            kept = {name: value for name, value in row.items() if name not in ("salt", "seq", "tenant")}
            yield _line({"tombstone": kept})
    if who.is_steward:
        found = tx.all(_of_tenant, tenant=who.tenant)
    else:
        found = tx.all(_of_reader[scope.reach(who)], **scope.binds(who))
    for memory in map(rows.to_memory, found):
        if not fleet or memory.fleet == fleet:
            yield _line({"memory": _plain(tx, memory)})


def _plain(tx: Transaction, memory: Memory) -> dict[str, Any]:
    said = {name: getattr(memory, name) for name in rows.COLUMNS if name not in ("superseded_at", "seq")}
    times = {name: None if said[name] is None else to_micros(said[name]) for name in TIMES}
    rests = [list(row) for row in tx.all(_parents, tenant=memory.tenant, child=memory.memory_id)]
    return {**said, **times, "rests_on": rests}


def _line(record: dict[str, Any]) -> bytes:
    """Return a record as one line of ASCII: no character of a text can break it."""
    return json.dumps(record, ensure_ascii=True, sort_keys=True, default=dict).encode() + b"\n"


def free(path: str | os.PathLike[str]) -> Path:
    """Return the path of a file that is to be made, or refuse one that is there or has no folder."""
    place = Path(path)
    if place.exists():
        raise StoreError(f"{str(place)!r} exists already; nothing is overwritten, choose another name")
    if not place.parent.is_dir():
        raise StoreError(f"{str(place.parent)!r} does not exist; make the folder first")
    return place


def _write(aside: Path, data: bytes) -> None:
    aside.unlink(missing_ok=True)
    with os.fdopen(private.create(aside), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
