"""A backup is a copy of the whole store with its chain; restoring brings its memories into today's chain.

The copy is one snapshot, written by the database itself into a new file while others go on reading and
writing, and verified deeply before it gets its name. It is written row by row and not page by page, so
what was erased before is not in it, not even as free bytes.

A restore never puts the copy in the place of a store that has gone on: that would undo what people have
decided since, and cut the chain. It hands the copy's live memories to the importer, which keeps what was
rejected, withdrawn or erased here since, and says what it brought back and what it did not.

Left out: what a server keeps beside the rows; it has backups of its own, and a copy made here is a file.
"""

from __future__ import annotations

import os
import sqlite3
import tempfile
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from teachmem import private
from teachmem.errors import StoreError
from teachmem.flow import exchange, intake
from teachmem.flow.intake import ImportReport
from teachmem.ledger import chain, copying, verify
from teachmem.ledger.database import Database
from teachmem.ledger.report import AuditReport, AuditStatus
from teachmem.principal import Principal
from teachmem.tiers.kit import Kit


def backup(database: Database, path: str | os.PathLike[str]) -> AuditReport:
    """Copy the store to a new file at `path`, readable by its owner only; return its chain's report.

    Raises `StoreError` where a file is already, or none can be written. A copy whose chain is broken is
    kept too, since it may be all there is: look at the report.
    """
    place = exchange.free(path)
    aside = place.with_name(f".{place.name}.part")
    try:
        aside.unlink(missing_ok=True)
        os.close(private.create(aside))
        if database.dialect == "sqlite":
            with database.alone() as connection, closing(connection.cursor()) as cursor:
                cursor.execute("VACUUM INTO ?", (str(aside),))
        else:
            copying.into_file(database, aside)
        with Database.open(str(aside)) as copy:
            report = verify.verify(copy, deep=True)
        with closing(sqlite3.connect(aside)) as alone:  # one file, that can be read without making others
            alone.execute("PRAGMA journal_mode = DELETE")
        with Path(aside).open("rb+") as written:
            os.fsync(written.fileno())
        os.link(aside, place)  # fails where somebody was faster
    except (OSError, sqlite3.Error) as error:
        raise StoreError(f"{str(place)!r} cannot be written: {error}") from error
    finally:
        for name in (aside.name, f"{aside.name}-wal", f"{aside.name}-shm"):
            private.discard(aside.with_name(name))
    return report


def restore(kit: Kit, who: Principal, path: str | os.PathLike[str]) -> ImportReport:
    """Bring back what the backup at `path` holds live and `who` may read there; a steward's is the tenant.

    Nothing is overwritten, and the backup is only read. Raises `StoreError` for a file that is no store of
    this tenant, or whose chain is broken: whoever changed it could have written anything into it.
    """
    source = Path(path)
    if not source.is_file():
        raise StoreError(f"there is no backup at {str(path)!r}; give the path of one")
    with tempfile.TemporaryDirectory(prefix="teachmem-restore-") as folder:
        copy, lines = Path(folder) / "copy.db", Path(folder) / "copy.jsonl"
        try:
            with closing(sqlite3.connect(f"{source.resolve().as_uri()}?mode=ro", uri=True)) as connection:
                connection.execute("VACUUM INTO ?", (str(copy),))
        except sqlite3.Error as error:
            raise StoreError(f"{str(path)!r} cannot be read as a store: {error}") from error
        with Database.open(str(copy)) as database:
            _check(database, who.tenant, str(path))
            gate = replace(kit.gate, database=database)
            exchange.export(replace(kit, database=database, gate=gate), who, lines)
        return intake.load(kit, who, lines)


def _check(copy: Database, tenant: str, path: str) -> None:
    report = verify.verify(copy, deep=True)
    if report.status is AuditStatus.BROKEN:
        raise StoreError(f"{path!r} is not restored: {report}")
    with copy.read() as tx:
        if tenant not in chain.tenants(tx):
            raise StoreError(f"{path!r} holds nothing of the tenant {tenant!r}")
