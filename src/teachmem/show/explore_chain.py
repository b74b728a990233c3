"""An attack on a copy of a store, and what a verification says to it: the arithmetic of the chain viewer.

`attacked` copies the store into a folder of its own, lets the attack be done to the copy, verifies it in
three ways, and takes the folder away. The store itself is only read, so every attack can be tried
again from the start.

>>> WAYS
('the chain alone', 'with the checkpoint', 'with the rows')

Left out: the attacks. They are handed in; `marks/attacks.py` has thirty. The one that restores a backup
cannot be shown here, for there is no older copy of the store.
"""

from __future__ import annotations

import sqlite3
import tempfile
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from teachmem import store
from teachmem.errors import InvalidInput
from teachmem.ledger import checkpoint as checkpoints
from teachmem.ledger import verify
from teachmem.ledger.checkpoint import Checkpoint
from teachmem.ledger.database import Database
from teachmem.ledger.report import AuditReport

WAYS = ("the chain alone", "with the checkpoint", "with the rows")


class Attack(Protocol):
    """What can be done to a closed store: see `marks/attack.py`."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def done(self) -> str:
        """What is done, as a sentence."""

    @property
    def restores(self) -> bool:
        """Whether it wants a copy of the store that was made earlier."""

    def places(self, entries: int) -> range:
        """Which entries of so many can be attacked."""
        ...

    def apply(self, path: Path, tenant: str, seq: int) -> None:
        """Do it."""


@dataclass(frozen=True, slots=True)
class Attacked:
    """What was done at which entry, and what each of the three ways to look says to it.

    `actions` are those of the entries before, in order; `held` is the entry that the checkpoint was made of.
    """

    tenant: str
    done: str
    seq: int | None
    actions: tuple[str, ...]
    held: int
    reports: tuple[AuditReport, ...]


def attacked(
    mem: store.MemoryStore, held: Checkpoint, attack: Attack | None = None, seq: int | None = None
) -> Attacked:
    """Do `attack` at entry `seq` to a copy of the store, and verify that; without an attack, as it is.

    `held` is the checkpoint that somebody else keeps; the tenant is its own. Raises `InvalidInput` for an
    entry at which the attack cannot be done, and for an attack that restores a backup.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "copy.db"
        mem.audit.copy_to(path)
        actions = _actions(path, held.tenant)
        if attack is not None:
            _do(attack, path, held.tenant, seq, len(actions))
        with Database.open(str(path)) as database:
            anchors = checkpoints.held(held, held.key)
            reports = (
                verify.verify(database, held.tenant),
                verify.verify(database, held.tenant, held=anchors),
                verify.verify(database, held.tenant, deep=True),
            )
    done = attack.done if attack else "The store is as it was."
    return Attacked(held.tenant, done, seq if attack else None, actions, held.seq, reports)


def _do(attack: Attack, path: Path, tenant: str, seq: int | None, entries: int) -> None:
    if attack.restores:  # a copy of now takes nothing away, and would be called whole by every look
        raise InvalidInput("attack", f"{attack.name} wants an older copy of the store, and here is none")
    places = attack.places(entries)
    if seq is None or seq not in places:
        where = f"at entry {places.start} to {places.stop - 1}" if places else "at none of these entries"
        raise InvalidInput("seq", f"{attack.name} can be done {where}, not at {seq!r}")
    attack.apply(path, tenant, seq)


def _actions(path: Path, tenant: str) -> tuple[str, ...]:
    with closing(sqlite3.connect(path)) as copy:
        rows = copy.execute("SELECT action FROM audit WHERE tenant = ? ORDER BY seq", (tenant,)).fetchall()
    return tuple(str(action) for (action,) in rows)
