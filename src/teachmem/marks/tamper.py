"""What whoever holds the file can do to its log: the moves of which attacks are made.

Each works on the driver's own connection to a closed store. The triggers that refuse a change are taken
down first and put up again, as anybody could; they are a guard rail, not a proof.

Left out: what `verify` says to it (`marks/attacks.py`).
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from teachmem.ledger import canonical, chain, rows

Edit = Callable[[dict[str, Any]], object]


@contextmanager
def opened(path: Path) -> Iterator[sqlite3.Connection]:
    """Lend a connection to the closed store at `path`, without its triggers; keep what was done."""
    with closing(sqlite3.connect(path)) as raw:
        triggers = raw.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for name, _ in triggers:
            raw.execute(f'DROP TRIGGER "{name}"')
        yield raw
        for _, sql in triggers:
            raw.execute(sql)
        raw.commit()
        raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def last(raw: sqlite3.Connection, tenant: str) -> int:
    """Return the number of a tenant's last entry."""
    found = raw.execute("SELECT coalesce(max(seq), 0) FROM audit WHERE tenant = ?", (tenant,)).fetchone()
    return int(found[0])


def entry(raw: sqlite3.Connection, tenant: str, seq: int) -> tuple[dict[str, Any], bytes, bytes]:
    """Return the body of an entry, the hash before it and its own."""
    row = raw.execute(
        "SELECT body, prev_hash, hash FROM audit WHERE tenant = ? AND seq = ?", (tenant, seq)
    ).fetchone()
    return json.loads(row[0]), bytes(row[1]), bytes(row[2])


def write(
    raw: sqlite3.Connection, tenant: str, seq: int, body: dict[str, Any], previous: bytes, own: bytes
) -> None:
    """Put a body and its hashes in the place of an entry."""
    raw.execute(
        "UPDATE audit SET body = ?, prev_hash = ?, hash = ? WHERE tenant = ? AND seq = ?",
        (canonical.encode(body).decode(), previous, own, tenant, seq),
    )


def add(raw: sqlite3.Connection, body: dict[str, Any], previous: bytes) -> bytes:
    """Add an entry that links well, and return its hash."""
    data = canonical.encode(body)
    own = chain.link(previous, data)
    raw.execute("INSERT INTO audit (body, prev_hash, hash) VALUES (?, ?, ?)", (data.decode(), previous, own))
    return own


def set_head(raw: sqlite3.Connection, tenant: str, seq: int) -> None:
    """Let the head say that entry `seq` is the last."""
    if seq == 0:
        raw.execute("DELETE FROM audit_heads WHERE tenant = ?", (tenant,))
        return
    body, _, own = entry(raw, tenant, seq)
    raw.execute(
        "UPDATE audit_heads SET seq = ?, hash = ?, time = ? WHERE tenant = ?",
        (seq, own, body["time"], tenant),
    )


def recompute(raw: sqlite3.Connection, tenant: str, first: int, edit: Edit) -> None:
    """Change the body of every entry from `first` on with `edit`, and make all hashes fit, the head's too."""
    previous = entry(raw, tenant, first - 1)[2] if first > 1 else chain.GENESIS
    for seq in range(first, last(raw, tenant) + 1):
        body, _, _ = entry(raw, tenant, seq)
        edit(body)
        own = chain.link(previous, canonical.encode(body))
        write(raw, tenant, seq, body, previous, own)
        previous = own
    set_head(raw, tenant, last(raw, tenant))


def cut(raw: sqlite3.Connection, tenant: str, seq: int) -> None:
    """Take out every entry behind `seq`, and let the head agree."""
    raw.execute("DELETE FROM audit WHERE tenant = ? AND seq > ?", (tenant, seq))
    set_head(raw, tenant, seq)


def cut_rows(raw: sqlite3.Connection, tenant: str, seq: int) -> None:
    """Take out every row that entries behind `seq` wrote, and open again what those had closed."""
    tables = [name for (name,) in raw.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    for table in tables:
        columns = {row[1] for row in raw.execute(f'PRAGMA table_info("{table}")')}
        if {"tenant", "seq"} <= columns and table not in ("audit", "audit_heads"):
            raw.execute(f'DELETE FROM "{table}" WHERE tenant = ? AND seq > ?', (tenant, seq))
    raw.execute(
        "UPDATE memories SET superseded_at = NULL WHERE tenant = ? AND NOT EXISTS (SELECT 1 FROM memories "
        "two WHERE two.memory_id = memories.memory_id AND two.version = memories.version + 1)",
        (tenant,),
    )


def change_rows(raw: sqlite3.Connection, tenant: str, seq: int, **changed: Any) -> dict[str, dict[str, str]]:
    """Change columns of the rows that entry `seq` wrote; return their new digests by id and version."""
    sets = ", ".join(f"{name} = ?" for name in changed)
    raw.execute(f"UPDATE memories SET {sets} WHERE tenant = ? AND seq = ?", (*changed.values(), tenant, seq))
    cursor = raw.execute("SELECT * FROM memories WHERE tenant = ? AND seq = ?", (tenant, seq))
    names = [column[0] for column in cursor.description]
    found = {}
    for values in cursor.fetchall():
        row = dict(zip(names, values, strict=True))
        salt = row["salt"] or b""
        digests = {"digest": rows.content_digest(row["content"], salt), "row": rows.row_digest(row, salt)}
        found[f"{row['memory_id']} {row['version']}"] = digests
    return found


def forged_id(tenant: str, seq: int) -> str:
    """Return an id that nothing in the store has."""
    return "forged-" + hashlib.sha256(f"{tenant} {seq}".encode()).hexdigest()[:20]
