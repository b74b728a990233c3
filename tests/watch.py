"""A watch over every transaction of the suite: no change without an entry, no entry without a change.

It stands between the store and the driver for the whole run (see `conftest.py`), so that whichever test
goes through whichever door, the two are compared when the transaction has been committed.
"""

from __future__ import annotations

import json
import re
from contextlib import contextmanager

from teachmem.ledger import schema
from teachmem.ledger.database import Database, Transaction

# What may change by itself: facts about the file, receipts kept for a retry, and the head of the log.
FREE = {"meta", "requests", "audit_heads"}
GOVERNED = set(schema.metadata.tables) - FREE - {"audit"}
# Acts that change no table of ours, and leave an entry because somebody should be able to see them.
SEEN_ONLY = {"checkpoint", "export", "read.widened"}
# What is written along with an act, the first time that somebody acts: it is no act by itself.
ALONG = {"authors"}

_VERB = re.compile(r'\s*(INSERT INTO|UPDATE|DELETE FROM)\s+"?(\w+)', re.IGNORECASE)
_run, _write = Transaction.run, Database.write


class Unlogged(AssertionError):
    """Something was changed, and no entry says so."""


class Hollow(AssertionError):
    """An entry says that something was done, and nothing was changed."""


def _watched_run(self, prepared, **binds):
    count = _run(self, prepared, **binds)
    found = _VERB.match(prepared.on(self._dialect)[0])
    if found and count > 0:
        notes = self.__dict__.setdefault("watched", {"tables": set(), "rows": set(), "entries": []})
        table = found[2].lower()
        notes["tables"].add(table)
        if table == "audit":
            notes["entries"].append(json.loads(binds["body"]))
        if table == "memories" and found[1].upper() == "INSERT INTO":
            row = (binds["memory_id"], binds["version"], str(binds["status"]), binds["content_digest"])
            notes["rows"].add(row)
    return count


@contextmanager
def _watched_write(self):
    with _write(self) as tx:
        yield tx
    compare(tx.__dict__.get("watched"))


def compare(notes):
    """Raise if what a transaction changed and what its entries say are two things."""
    if notes is None:
        return
    changed, entries = notes["tables"] & GOVERNED, notes["entries"]
    if changed and not entries:
        raise Unlogged(f"{', '.join(sorted(changed))} changed without an entry")
    said = {
        (item["id"], item["version"], item.get("status"), item.get("digest"))
        for told in entries
        for item in told.get("touched", ())
    }
    if notes["rows"] - said:
        raise Unlogged(f"no entry names {sorted(notes['rows'] - said)}")
    for told in entries:
        if "actor" in told and not changed - ALONG and told["action"] not in SEEN_ONLY:
            raise Hollow(f"the entry {told['action']} of {told['resource']} changed nothing")


@contextmanager
def asleep():
    """Look away for the one measurement that is made of writes without a chain."""
    Database.write = _write
    try:
        yield
    finally:
        Database.write = _watched_write


def start():
    """Watch from now on."""
    Transaction.run, Database.write = _watched_run, _watched_write
