"""What `mem.audit` offers: verify the log, make a checkpoint, and the checkpoints made so far.

>>> from teachmem import CountedIds, open_memory
>>> with open_memory(ids=CountedIds()) as mem:
...     tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
...     _ = tech.episodic.log("observation", "gate four is open")
...     held = mem.audit.checkpoint("northlight")
...     print(mem.audit.verify(checkpoint=held).status, held.seq)
complete 2

Left out: changing anything. The log has no other door than `ledger/journal.py`.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from os import PathLike
from pathlib import Path
from typing import overload

from teachmem import private
from teachmem.ledger import checkpoint, copying, verify
from teachmem.ledger.checkpoint import Checkpoint, Given
from teachmem.ledger.database import Database
from teachmem.ledger.keeper import Keeper
from teachmem.ledger.report import AuditReport, Held
from teachmem.principal import checked_name


class Audit:
    """The audit log of every tenant in one store."""

    def __init__(self, database: Database, keeper: Keeper) -> None:
        self._database = database
        self._keeper = keeper

    def verify(
        self,
        tenant: str | None = None,
        *,
        checkpoint: Given | None = None,
        deep: bool = False,
        key: str | None = None,
        after: tuple[int, str] | None = None,
        limit: int | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> AuditReport:
        """Check one tenant's chain, or all; the worst status is the report's.

        `checkpoint` is one of those made here, a file of them, a code that was read aloud, or several of
        these; `key` is the public key (hex) that you trust, this store's own if left out. `deep` looks at
        the rows, too. `after`, `limit` and `progress` are those of `ledger/verify.py`.
        """
        return verify.verify(
            self._database,
            tenant,
            held=_held(checkpoint, key or self._keeper.known_key()),
            deep=deep,
            after=after,
            limit=limit,
            progress=progress,
        )

    @overload
    def checkpoint(self, tenant: str) -> Checkpoint:
        """Of one tenant."""

    @overload
    def checkpoint(self, tenant: None = None) -> tuple[Checkpoint, ...]:
        """Of all whose chains have grown."""

    def checkpoint(self, tenant: str | None = None) -> Checkpoint | tuple[Checkpoint, ...]:
        """Sign where a tenant's chain stands, outside the database; without a name, all that grew.

        Raises `StoreError` if the log does not follow from its last checkpoint; nothing is signed then.
        """
        if tenant is None:
            return tuple(self._keeper.make_due())
        return self._keeper.make(checked_name("tenant", tenant))

    def copy_to(self, path: str | PathLike[str]) -> None:
        """Copy the whole store, as it is now, to an SQLite file, to be looked at or attacked there."""
        os.close(private.open_file(path))
        if self._database.dialect != "sqlite":
            copying.into_file(self._database, Path(path))
            return
        with self._database.alone() as connection, closing(sqlite3.connect(path)) as copy:
            connection.backup(copy)

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        """Return every checkpoint of this store that is where it was put, oldest first."""
        return tuple(self._keeper.all())


def _held(given: Given | None, key: str | None) -> list[Held]:
    return [] if given is None else checkpoint.held(given, key)
