"""Checking the audit chain: from genesis to the head, entry by entry, in constant memory.

Every entry is read once. Checked are its number, its link to the entry before, its hash from the
stored bytes, the spelling of those bytes, the tenant and number they speak of, and that time does
not run backwards; at the end the head, and that nothing stands outside the chains. What contradicts
is a finding, and the walk goes on from what is stored there. What was not looked at is said, too:
a report is *complete* only if nothing was left out.

>>> from teachmem.ledger.database import Database
>>> with Database.open() as database:
...     print(verify(database))
complete: 0 entries, head e3b0c44298fc

A chain that is checked against itself alone proves that it is consistent, not that it is history.
Give it what somebody else has held: a checkpoint (`ledger/checkpoint.py`).

Left out: the rows (`ledger/deep.py`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import bindparam, func, select

from teachmem.clock import EARLIEST
from teachmem.errors import InvalidInput
from teachmem.ledger import canonical, chain, deep
from teachmem.ledger.body import TextBytes
from teachmem.ledger.chain import GENESIS, Finding, Head
from teachmem.ledger.database import Database, Prepared, Transaction
from teachmem.ledger.report import AuditReport, AuditStatus, Held
from teachmem.ledger.schema import audit, audit_heads, memories
from teachmem.principal import checked_name

_Checked = tuple[int, bytes, int, Mapping[str, Any] | None]  # number, hash, time, body
STEP = 1_000  # entries between two calls of `progress`

_entries = Prepared(
    select(audit.c.seq, TextBytes("body"), audit.c.prev_hash, audit.c.hash)
    .where(audit.c.tenant == bindparam("tenant"), audit.c.seq > bindparam("after"))
    .order_by(audit.c.seq)
)
_from_the_start = Prepared(  # also what stands before the first number
    select(audit.c.seq, TextBytes("body"), audit.c.prev_hash, audit.c.hash)
    .where(audit.c.tenant == bindparam("tenant"))
    .order_by(audit.c.seq)
)
_rows = Prepared(select(func.count()).select_from(audit))
_homeless = Prepared(select(func.count()).where(audit.c.tenant.is_(None)))
_length = Prepared(select(func.sum(audit_heads.c.seq)))
_a_row = Prepared(select(memories.c.seq).where(memories.c.tenant == bindparam("tenant")).limit(1))
_next_with_rows = Prepared(
    select(func.min(memories.c.tenant)).where(
        memories.c.tenant > bindparam("tenant"), memories.c.superseded_at.is_(None)
    )
)


@dataclass(slots=True)
class _Asked:
    """What this verification is to look at, and what it has found so far."""

    held: list[Held]
    deep: bool
    form: bool
    limit: int | None
    progress: Callable[[int, int], None]
    total: int
    entries: int = 0
    findings: list[Finding] = field(default_factory=list)
    unchecked: list[str] = field(default_factory=list)


def verify(
    database: Database,
    tenant: str | None = None,
    *,
    held: Iterable[Held] = (),
    deep: bool = False,
    after: tuple[int, str] | None = None,
    limit: int | None = None,
    form: bool = True,
    progress: Callable[[int, int], None] | None = None,
) -> AuditReport:
    """Check one tenant's chain, or all, and give the worst status.

    `held` are checkpoints that somebody else kept: each must lie on the chain. `deep` compares with the
    rows, both ways. `after=(number, hash)` goes on behind an entry of one tenant that was checked before,
    `limit` ends after so many entries, `form=False` leaves out the spelling of the bodies; each of these
    makes a whole chain *partial*. `progress(done, total)` is called every 1,000 entries. With several
    tenants, `head` is the hash over their heads in order of name.
    """
    if limit is not None and (type(limit) is not int or limit < 1):
        raise InvalidInput("limit", f"must be a whole number of 1 or more, not {limit!r}")
    with database.read() as tx:
        names = _names(tx) if tenant is None else [checked_name("tenant", tenant)]
        asked = _Asked(list(held), deep, form or deep, limit, progress or _quiet, _total(tx))
        start = _start(names, after)
        asked.unchecked += [one.doubt for one in asked.held if one.doubt and one.tenant in ("", *names)]
        ends = [_one(tx, name, start, asked) for name in names]
        if tenant is None:
            _outside(tx, set(names), asked, after is None and limit is None)
        elif homeless := (tx.one(_homeless) or (0,))[0]:
            asked.findings.append(Finding("", 0, f"{homeless} rows of the log belong to no tenant"))
    if not asked.form:
        asked.unchecked.append("the spelling of the bodies was not checked")
    whole = ends[0].hash if len(ends) == 1 else hashlib.sha256(b"".join(end.hash for end in ends)).digest()
    status = AuditStatus.PARTIAL if asked.unchecked else AuditStatus.COMPLETE
    return AuditReport(
        AuditStatus.BROKEN if asked.findings else status,
        asked.entries,
        whole.hex(),
        tuple(asked.findings),
        tuple(asked.unchecked),
        tuple(ends),
    )


def _quiet(done: int, total: int) -> None: ...


def _total(tx: Transaction) -> int:
    return int(_number((tx.one(_length) or (0,))[0]))


def _names(tx: Transaction) -> list[str]:
    """Return every tenant with an entry, a head or rows: whoever has rows must have a chain."""
    names, last = set(chain.tenants(tx)), ""
    while (row := tx.one(_next_with_rows, tenant=last)) and isinstance(row[0], str):
        names.add(last := row[0])
    return sorted(names)


def _start(names: list[str], after: tuple[int, str] | None) -> Head | None:
    if after is None:
        return None
    try:
        seq, known = int(after[0]), bytes.fromhex(after[1])
    except (ValueError, TypeError, IndexError):
        raise InvalidInput("after", f"must be a number and a hash in hex, not {after!r}") from None
    if len(names) != 1:
        raise InvalidInput("after", "goes on within one chain; say which tenant")
    if seq < 1 or len(known) != len(GENESIS):
        raise InvalidInput("after", f"must be a number of 1 or more and 64 hex digits, not {after!r}")
    return Head(names[0], seq, known, EARLIEST)


def _one(tx: Transaction, tenant: str, start: Head | None, asked: _Asked) -> Head:
    """Check one chain from its start, or behind the entry it is to go on from; return where it ended."""
    at = start or Head(tenant, 0, GENESIS, EARLIEST)
    if start is not None:
        asked.unchecked.append(f"entries 1 to {start.seq} of {tenant} were not checked this time")
        if chain.hash_at(tx, tenant, start.seq) != start.hash:
            asked.findings.append(Finding(tenant, start.seq, "is not the entry that this was to go on from"))
    first = len(asked.findings)
    held: dict[int, list[Held]] = {}
    for one in asked.held:
        if one.tenant == tenant:
            held.setdefault(one.seq, []).append(one)
    for seq in [seq for seq in held if seq <= at.seq]:  # behind the place to go on from: looked up alone
        _compare(tenant, seq, chain.hash_at(tx, tenant, seq), held.pop(seq), asked)
    rows = deep.Rows(tx, tenant, at.seq, asked.findings) if asked.deep else None
    seq, entry_hash, time = at.seq, at.hash, at.time
    stopped, most, done = False, asked.limit, asked.entries
    for checked in _walk(tx, at, asked):
        if stopped := done == most:
            break
        seq, entry_hash, time, told = checked
        if seq in held:
            _compare(tenant, seq, entry_hash, held.pop(seq), asked)
        if rows is not None:
            rows.compare(seq, told)
        done += 1
        if done % STEP == 0:
            asked.progress(done, asked.total)
    asked.entries = done
    end, kept = Head(tenant, seq, entry_hash, time), chain.head(tx, tenant)
    if stopped:
        asked.unchecked.append(f"the limit was reached at entry {seq} of {tenant}")
        asked.unchecked += [f"the checkpoint of entry {later} of {tenant} was not reached" for later in held]
        return end
    if end.seq == kept.seq == 0 and tx.one(_a_row, tenant=tenant):
        asked.findings.append(Finding(tenant, 1, "the store holds rows of this tenant, and the log no entry"))
    if (kept.seq, kept.hash) != (end.seq, end.hash):
        what = f"the head says {kept.seq} entries, the log holds {end.seq} that follow"
        asked.findings.append(Finding(tenant, min(_number(kept.seq), end.seq) + 1, what))
    elif asked.form and kept.time != end.time and (end.seq > at.seq or start is None):
        asked.findings.append(Finding(tenant, end.seq, "the head says another time than the last entry"))
    for later, ones in sorted(held.items()):
        _compare(tenant, later, None, ones, asked)
    if rows is not None:
        rows.finish(end.seq)
        if rows.unproved:
            what = f"the columns of {rows.unproved} rows of {tenant}, whose entries are of an early teachmem"
            asked.unchecked.append(what)
    asked.findings[first:] = sorted(asked.findings[first:], key=_place)
    return end


def _place(finding: Finding) -> tuple[bool, int]:
    return finding.seq < 1, finding.seq  # what names no entry comes last


def _walk(tx: Transaction, at: Head, asked: _Asked) -> Iterator[_Checked]:
    """Yield number, hash, time and body of each entry behind `at`, after checking it against the last."""
    tenant, last, before, time = at.tenant, at.seq, at.hash, at.time
    sha256, domain, findings, form = hashlib.sha256, chain.DOMAIN, asked.findings, asked.form
    decode = canonical.decode
    entries = (
        tx.each(_entries, tenant=tenant, after=last) if last else tx.each(_from_the_start, tenant=tenant)
    )
    for seq, body, prev_hash, stored in entries:
        if not type(body) is type(prev_hash) is type(stored) is bytes:
            body, prev_hash, stored = chain.raw(body), chain.raw(prev_hash), chain.raw(stored)
        place, told = (seq if type(seq) is int else 0), None
        if seq != last + 1:
            findings.append(Finding(tenant, last + 1, f"entry {last + 1} is missing; the next is {seq}"))
        if prev_hash != before:
            findings.append(Finding(tenant, place, "does not link to the entry before it"))
        if sha256(domain + prev_hash + body).digest() != stored:
            findings.append(Finding(tenant, place, "its hash is not that of its bytes"))
        if form:
            told = decode(body)
            if told is None:
                findings.append(Finding(tenant, place, "its body is not spelled as RFC 8785 says"))
            elif told.get("tenant") != tenant or told.get("seq") != seq:
                findings.append(Finding(tenant, place, "its body speaks of another tenant or number"))
            elif type(moment := told.get("time")) is not int or moment < time:
                findings.append(Finding(tenant, place, "its time is before that of the entry before it"))
            else:
                time = moment
        last, before = place or last + 1, stored
        yield last, before, time, told


def _compare(tenant: str, seq: int, found: bytes | None, held: list[Held], asked: _Asked) -> None:
    for one in held:
        if one.fault:
            asked.findings.append(Finding(tenant, seq, one.fault))
        elif found is None:
            asked.findings.append(Finding(tenant, seq, "a checkpoint holds this entry, and the log does not"))
        elif not one.fits(found):
            asked.findings.append(Finding(tenant, seq, "is not the entry that the checkpoint was made of"))


def _outside(tx: Transaction, names: set[str], asked: _Asked, is_whole: bool) -> None:
    """Look for what belongs to no chain: checkpoints of tenants that are gone, entries without a place."""
    for one in asked.held:
        if one.tenant and one.tenant not in names:
            what = "a checkpoint holds this entry, and the store nothing of its tenant"
            asked.findings.append(Finding(one.tenant, one.seq, what))
    stored = int((tx.one(_rows) or (0,))[0])
    if not asked.findings and is_whole and stored != asked.entries:
        asked.findings.append(Finding("", 0, f"{stored - asked.entries} rows stand outside every chain"))


def _number(value: Any, otherwise: int = 0) -> int:
    """Return a whole number as it is, and `otherwise` for whatever else was put in its place."""
    return value if isinstance(value, int) else otherwise
