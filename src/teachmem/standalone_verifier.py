"""A verifier of teachmem's audit log in one file: Python's standard library, and nothing of teachmem.

    python standalone_verifier.py northlight.db [--deep] [--checkpoints FILE] [--head "TENANT NUMBER HASH"]

Copy it to wherever you trust. It reads an SQLite store, read-only, and says for each tenant whether the log
is complete, partial or broken, and where. It is written from the format alone (docs/audit-format.md), so that
whoever does not believe teachmem can read these three hundred lines instead, or write their own.

Exit codes: 0 complete, 1 broken, 2 could not run, 3 partial. Signatures of checkpoints are checked where the
package `cryptography` is found, and said to be unchecked elsewhere.

>>> link(GENESIS, b"{}").hex()[:16]
'4aa61ff4d083bcb3'

Left out: PostgreSQL, codes read aloud, going on from a place, progress.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

DOMAIN = b"teachmem/audit/1\n"
GENESIS = hashlib.sha256(b"teachmem/audit/1/genesis").digest()
CLAIMS = (
    "fleet agent visibility session tier kind subject predicate object importance confidence is_inferred "
    "source valid_from valid_to expires_at qualifiers keystone detail"
).split()
OF_A_ROW = "tenant, seq, status, content_digest, salt, CAST(content AS BLOB), recorded_at"
CLOSED_WRONGLY = (
    "SELECT one.seq, one.memory_id FROM memories one LEFT JOIN memories two ON two.memory_id = one.memory_id"
    " AND two.version = one.version + 1 WHERE one.tenant = ? AND one.superseded_at IS NOT two.recorded_at"
)
TENANTS = "SELECT tenant FROM audit UNION SELECT tenant FROM audit_heads UNION SELECT tenant FROM memories"
ENTRIES = "SELECT seq, CAST(body AS BLOB), prev_hash, hash FROM audit WHERE tenant = ? ORDER BY seq"
DEEPEST, LARGEST = 20, 2**53 - 1
EXIT = {"complete": 0, "broken": 1, "partial": 3}


class Finding(NamedTuple):
    """One thing that contradicts."""

    tenant: str
    seq: int
    what: str


class Result(NamedTuple):
    """What was found: `status` is complete, partial or broken; `heads` are (tenant, number, hash)."""

    status: str
    entries: int
    heads: list[tuple[str, int, str]]
    findings: list[Finding]
    unproved: int  # rows of an early teachmem, of whose columns the log holds no digest


def link(previous: bytes, body: bytes) -> bytes:
    """Return the hash of an entry from the hash before it and its bytes."""
    return hashlib.sha256(DOMAIN + previous + body).digest()


def spell(value: Any) -> bytes:
    """Return the RFC 8785 bytes of a value that `fits`."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def fits(value: Any, depth: int = 0) -> bool:
    """Say whether a body may hold this value."""
    if depth > DEEPEST:
        return False
    if isinstance(value, str):
        return "\0" not in value and not re.search("[\ud800-\udfff]", value)
    if isinstance(value, dict):
        return all(key.isascii() and fits(key) and fits(inner, depth + 1) for key, inner in value.items())
    if isinstance(value, list):
        return all(fits(inner, depth + 1) for inner in value)
    return value is None or isinstance(value, bool) or (isinstance(value, int) and abs(value) <= LARGEST)


def read(data: bytes) -> dict[str, Any] | None:
    """Return the body that these bytes are the one spelling of, or None."""
    try:
        body = json.loads(data.decode())
        return body if isinstance(body, dict) and fits(body) and spell(body) == data else None
    except (ValueError, RecursionError):
        return None


class Verifier:
    """One pass over a store."""

    def __init__(self, store: sqlite3.Connection, held: list[dict[str, Any]], deep: bool) -> None:
        self.store, self.held, self.deep = store, held, deep
        self.findings: list[Finding] = []
        self.forgotten: set[tuple[str, int]] = set()
        self.entries = self.unproved = 0
        self.early = True  # until an entry holds a digest of a row's columns; from then on all do

    def run(self) -> Result:
        """Verify every chain."""
        tenants = sorted(str(name) for (name,) in self.store.execute(TENANTS) if name is not None)
        heads = [self.chain(tenant) for tenant in tenants]
        for one in self.held:
            if one["tenant"] not in tenants:
                self.find(one["tenant"], one["seq"], "a checkpoint holds this, the store nothing of it")
        (stored,) = self.store.execute("SELECT count(*) FROM audit").fetchone()
        if not self.findings and stored != self.entries:
            self.find("", 0, f"{stored - self.entries} rows stand outside every chain")
        status = "broken" if self.findings else "partial" if self.unproved else "complete"
        return Result(status, self.entries, heads, self.findings, self.unproved)

    def find(self, tenant: str, seq: Any, what: str) -> None:
        """Note what contradicts."""
        self.findings.append(Finding(tenant, seq if isinstance(seq, int) else 0, what))

    def chain(self, tenant: str) -> tuple[str, int, str]:
        """Verify one chain from its start; return its head."""
        last, before, time = 0, GENESIS, None
        held = [one for one in self.held if one["tenant"] == tenant]
        for seq, body, previous, own in self.store.execute(ENTRIES, (tenant,)):
            self.entries += 1
            if seq != last + 1:
                self.find(tenant, last + 1, f"entry {last + 1} is missing; the next is {seq}")
            if previous != before:
                self.find(tenant, seq, "does not link to the entry before it")
            previous, own = (each if isinstance(each, bytes) else b"" for each in (previous, own))
            if link(previous, body or b"") != own:
                self.find(tenant, seq, "its hash is not that of its bytes")
            told = read(body or b"")
            if told is None:
                self.find(tenant, seq, "its body is not spelled as RFC 8785 says")
            else:
                if (told.get("tenant"), told.get("seq")) != (tenant, seq):
                    self.find(tenant, seq, "its body speaks of another tenant or number")
                if not isinstance(moment := told.get("time"), int) or (time is not None and moment < time):
                    self.find(tenant, seq, "its time is before that of the entry before it")
                else:
                    time = moment
                if self.deep:
                    self.rows(tenant, seq, told)
            for one in held:
                if one["seq"] == seq and one["head"] != own.hex():
                    self.find(tenant, seq, "is not the entry that the checkpoint was made of")
            last, before = seq if isinstance(seq, int) else last + 1, own
        for one in held:
            if one["seq"] > last:
                self.find(tenant, one["seq"], "a checkpoint holds this entry, and the log does not")
        head = self.store.execute("SELECT seq, hash, time FROM audit_heads WHERE tenant = ?", (tenant,))
        kept = head.fetchone()
        some = self.store.execute("SELECT 1 FROM memories WHERE tenant = ? LIMIT 1", (tenant,)).fetchone()
        if kept is None and not last and some:
            self.find(tenant, 1, "the store holds rows of this tenant, and the log no entry")
        elif kept is None or kept[:2] != (last, before) or (time is not None and kept[2] != time):
            self.find(tenant, last + 1, "the head does not agree with the last entry")
        if self.deep:
            self.leftovers(tenant, last)
        return tenant, last, before.hex()

    def rows(self, tenant: str, seq: int, told: dict[str, Any]) -> None:
        """Compare an entry with the rows that it says it wrote."""
        select = f"SELECT {OF_A_ROW}, {', '.join(CLAIMS)} FROM memories WHERE memory_id = ? AND version = ?"
        for item in told.get("touched", []):
            place = (item["id"], item["version"])
            name = f"{place[0]} version {place[1]}"
            found = self.store.execute(select, place).fetchone()
            if found is None:
                self.find(tenant, seq, f"wrote {name}, and there is no such row")
                continue
            whose, by, status, digest, salt, content, recorded, *claims = found
            if told.get("action") == "forget" and by != seq:
                self.forgotten.add(place)
                if salt is not None or content:
                    self.find(tenant, seq, f"{name} was forgotten here, and is still held")
                continue
            self.early = self.early and "row" not in item
            self.unproved += self.early and salt is not None
            state = item.get("status") if salt is not None else "deleted"
            said = (tenant, seq, state, item.get("digest"), told.get("time"))
            if (whose, by, status, digest, recorded) != said:
                self.find(tenant, seq, f"{name} is not as this entry says")
            elif salt is None and content:
                self.find(tenant, seq, f"{name} has a content whose salt is gone")
            elif salt is not None and not proved(salt, content, claims, item, self.early):
                self.find(tenant, seq, f"the content or a column of {name} is not what was written")

    def leftovers(self, tenant: str, last: int) -> None:
        """Look for rows that no entry names, that were erased in silence, or closed at a wrong time."""
        each = "SELECT memory_id, version, seq, salt FROM memories WHERE tenant = ? ORDER BY seq"
        body_of = "SELECT CAST(body AS BLOB) FROM audit WHERE tenant = ? AND seq = ?"
        for name, version, seq, salt in self.store.execute(each, (tenant,)):
            row = self.store.execute(body_of, (tenant, seq)).fetchone()
            told = read(row[0]) if row else {}
            if told is None:
                continue  # the entry cannot be read, which was said
            if (name, version) not in {(item["id"], item["version"]) for item in told.get("touched", [])}:
                self.find(tenant, seq, f"does not name {name} version {version}, which says that it did")
            if salt is None and (name, version) not in self.forgotten:
                self.find(tenant, seq, f"{name} version {version} was erased, and no entry says so")
        for seq, name in self.store.execute(CLOSED_WRONGLY, (tenant,)):
            self.find(tenant, seq, f"{name} was not closed when its next version was written")
        for (table,) in self.store.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            columns = {row[1] for row in self.store.execute(f'PRAGMA table_info("{table}")')}
            if {"tenant", "seq"} <= columns and table not in ("audit", "audit_heads", "memories"):
                beyond = f'SELECT count(*) FROM "{table}" WHERE tenant = ? AND (seq < 0 OR seq > ?)'
                if self.store.execute(beyond, (tenant, last)).fetchone()[0]:
                    self.find(tenant, last + 1, f"rows of {table} speak of entries that are not there")


def proved(salt: Any, content: Any, claims: list[Any], item: dict[str, Any], early: bool) -> bool:
    """Say whether both digests are those of what the row holds now; an `early` entry has the first only."""
    try:
        for place in (CLAIMS.index("importance"), CLAIMS.index("confidence")):
            claims[place] = None if claims[place] is None else repr(float(claims[place]))
        digest = hashlib.sha256(b"teachmem/content/1\n" + salt + content).hexdigest()
        of_row = hashlib.sha256(b"teachmem/row/1\n" + salt + spell(claims)).hexdigest()
        return (digest, of_row) == (item["digest"], of_row if early else item.get("row"))
    except (TypeError, ValueError):
        return False


def checkpoints(path: Path) -> tuple[list[dict[str, Any]], list[str], list[Finding]]:
    """Return the checkpoints in a file, what could not be checked, and which signatures are false."""
    held: list[dict[str, Any]] = []
    unchecked: list[str] = []
    findings: list[Finding] = []
    for number, line in enumerate(path.read_bytes().splitlines(), 1):
        one = read(line)
        if one is None or set(one) != {"head", "key", "seq", "signature", "tenant", "time"}:
            unchecked.append(f"line {number} of {path.name} cannot be read as a checkpoint")
            continue
        held.append(one)
        statement = b"teachmem/checkpoint/1\n" + spell({k: one[k] for k in ("head", "seq", "tenant", "time")})
        signed = is_signed(one["key"], statement, one["signature"])
        if signed is None:
            unchecked.append(f"the signature of checkpoint {one['seq']}, for want of `cryptography`")
        elif not signed:
            findings.append(Finding(one["tenant"], one["seq"], "a checkpoint is not signed by its key"))
    return held, unchecked, findings


def is_signed(key: str, statement: bytes, signature: str) -> bool | None:
    """Check an Ed25519 signature; None where the package for it is not installed."""
    try:
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    except ImportError:
        return None
    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(key)).verify(bytes.fromhex(signature), statement)
    except (InvalidSignature, ValueError):
        return False
    return True


def verify(path: str | Path, held: list[dict[str, Any]] | None = None, deep: bool = False) -> Result:
    """Verify the store at `path` against the checkpoints `held` (tenant, seq, head as hex)."""
    with closing(sqlite3.connect(f"{Path(path).resolve().as_uri()}?mode=ro", uri=True)) as store:
        store.text_factory = lambda data: data.decode("utf-8", "surrogateescape")
        return Verifier(store, held or [], deep).run()


def main(arguments: list[str] | None = None) -> int:
    """Verify as the command line says; return the exit code."""
    parser = argparse.ArgumentParser(description="Verify the audit log of a teachmem store.")
    parser.add_argument("store")
    parser.add_argument("--deep", action="store_true", help="compare the rows with the log, too")
    parser.add_argument("--checkpoints", metavar="FILE", type=Path, help="checkpoints that you held")
    parser.add_argument("--head", action="append", default=[], help="'TENANT NUMBER HASH' that you held")
    asked = parser.parse_args(arguments)
    try:
        held, unchecked, findings = checkpoints(asked.checkpoints) if asked.checkpoints else ([], [], [])
        for tenant, number, digest in (head.rsplit(maxsplit=2) for head in asked.head):
            held.append({"tenant": tenant, "seq": int(number), "head": digest.lower()})
        found = verify(asked.store, held, asked.deep)
    except (OSError, ValueError, sqlite3.Error) as error:
        print(f"could not run: {error}", file=sys.stderr)
        return 2
    findings += found.findings
    unchecked += [f"the columns of {found.unproved} rows of an early teachmem"] * (found.unproved > 0)
    status = "broken" if findings else "partial" if unchecked else "complete"
    print(f"{status}: {found.entries} entries checked")
    for head in found.heads:
        print("  head of {} {} {}".format(*head))
    for one in findings:
        print(f"  {one.tenant or 'store'}, entry {one.seq}: {one.what}")
    for each in unchecked:
        print(f"  not checked: {each}")
    return EXIT[status]


if __name__ == "__main__":
    sys.exit(main())
