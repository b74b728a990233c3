"""Stores of schema 1 as three commits of this project wrote them: tables, rows and log, kept as SQL text.

`first` is of the first schema that was committed; `middle` has tombstones, and keys of claims; `last` is the
last one that called itself 1. Each was written by the code of its day: two tenants, notes, an event, facts
with claims, evidence and a page from the web that waits; then a rejected fact, and in `last` an erased one.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from teachmem.ledger import schema

TEXTS = Path(__file__).parent / "old_stores"
NAMES = ("first", "middle", "last")


def make(name: str, path: Path) -> Path:
    """Write the old store `name` to the new file `path`, closed and in one piece, and return that."""
    with closing(sqlite3.connect(path)) as raw:
        raw.executescript(f"BEGIN;\n{(TEXTS / f'{name}.sql').read_text(encoding='utf-8')}COMMIT;")
        raw.execute(f"PRAGMA application_id = {schema.APPLICATION_ID}")
        raw.execute("PRAGMA journal_mode = WAL")
    return path
