"""Faults of saving: a fact that was acknowledged, and is gone."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from weakref import WeakKeyDictionary

from teachmem.ledger import database
from teachmem.ledger.database import Database, Transaction
from teachmem.marks.foil import Patch, register

_honest_read = Database.read
_honest_write = Database.write
_honest_close = Database.close
EVERY = 5  # writes


@register(
    "whole_file_saver",
    seen="Two processes each remembered a fact and were told so. One of the two facts is gone.",
    mechanism="Each process reads the file once, keeps all of it, and writes all of it at every save, so "
    "the last saver wins. A store without a file has no second process and is left alone.",
)
def _whole_file_saver(patch: Patch) -> None:
    held: WeakKeyDictionary[Database, bytes] = WeakKeyDictionary()

    def load(store: Database) -> None:
        if store.file is not None:
            held[store] = _everything(store.file)

    @contextmanager
    def read(self: Database) -> Iterator[Transaction]:
        if self not in held:
            load(self)
        with _honest_read(self) as tx:
            yield tx

    @contextmanager
    def write(self: Database) -> Iterator[Transaction]:
        if self in held and self.file is not None:
            _save(held[self], self.file)
        with _honest_write(self) as tx:
            yield tx
        load(self)

    patch(database.Database, "read", read)
    patch(database.Database, "write", write)


@register(
    "acknowledged_in_a_buffer",
    seen="Twelve writes were acknowledged before the power went. Ten were there when it came back.",
    mechanism=f"Writes go to a buffer that is saved after every {EVERY}; what is in it when the process ends "
    "was acknowledged, and is gone.",
)
def _acknowledged_in_a_buffer(patch: Patch) -> None:
    saved: WeakKeyDictionary[Database, tuple[int, bytes]] = WeakKeyDictionary()

    @contextmanager
    def write(self: Database) -> Iterator[Transaction]:
        count, last = saved.get(self, (0, b""))
        if self.file is not None and count % EVERY == 0:
            last = _everything(self.file)
        with _honest_write(self) as tx:
            yield tx
        saved[self] = (count + 1, last)

    def close(self: Database) -> None:
        if self.file is not None and self in saved:
            _save(saved.pop(self)[1], self.file)
        _honest_close(self)

    patch(database.Database, "write", write)
    patch(database.Database, "close", close)


def _everything(file: Path) -> bytes:
    """Return a whole database as it stands."""
    with closing(sqlite3.connect(file)) as stored:
        found = stored.serialize()
    return found[:18] + b"\1\1" + found[20:]  # two bytes say that a log lies beside it: not in memory


def _save(everything: bytes, file: Path) -> None:
    """Write a whole database over the one in `file`, past every rule, as one who saves a file does."""
    with closing(sqlite3.connect(file)) as stored, closing(sqlite3.connect(":memory:")) as copy:
        copy.deserialize(everything)
        copy.backup(stored)
