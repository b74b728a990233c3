"""`teachmem verify`: is the audit chain of a store whole? The answer is the exit code.

0 complete, 1 broken, 2 could not run, 3 partial. A store that cannot be read is never called whole,
and a missing one is never made.

Left out: the checking (`ledger/verify.py`).
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from teachmem import errors

if TYPE_CHECKING:
    from teachmem.ledger.report import AuditReport

EXIT = {"complete": 0, "broken": 1, "partial": 3}
COULD_NOT_RUN = 2


def verify(
    store: Annotated[str, typer.Argument(help="The store: a file's path, or a SQLAlchemy URL.")],
    tenant: Annotated[str | None, typer.Option(help="Check the chain of this tenant only.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
) -> None:
    """Check the audit chain of a store. Exit code: 0 complete, 1 broken, 2 could not run, 3 partial."""
    lost = _missing_tables(store)
    report = _lost(lost) if lost else _verified(store, tenant)
    if as_json:
        print(json.dumps(_plain(store, report), indent=1, ensure_ascii=False))
    else:
        typer.echo("\n".join(_words(report)))
    raise typer.Exit(EXIT[str(report.status)])


def _missing_tables(store: str) -> list[str]:
    """Return which tables of ours the store has lost. Raises `StoreError` if it was never ours.

    The file is opened for reading only, so that no question makes one or changes one.
    """
    from sqlalchemy import create_engine, inspect
    from sqlalchemy.engine import make_url
    from sqlalchemy.exc import ArgumentError, SQLAlchemyError

    from teachmem.ledger import schema

    try:
        url = make_url(store) if "://" in store else None
        if url is None or url.get_backend_name() == "sqlite":
            tables = _tables_of_file(Path((url.database or "") if url else store), store)
        else:
            engine = create_engine(url)
            try:
                tables = set(inspect(engine).get_table_names())
            finally:
                engine.dispose()
    except ArgumentError as error:
        raise errors.StoreError(f"{store!r} is no SQLAlchemy URL; give a file's path") from error
    except (SQLAlchemyError, ImportError) as error:
        raise errors.StoreError(f"{store!r} cannot be opened: {str(error).splitlines()[0]}") from error
    if not {"meta", "audit_heads"} & tables:
        raise errors.StoreError(f"{store!r} is not a teachmem store; give the path of one")
    return sorted(set(schema.metadata.tables) - tables)


def _tables_of_file(path: Path, store: str) -> set[str]:
    if str(path) in ("", ".", ":memory:"):
        raise errors.StoreError(f"{store!r} names no file; a store in memory ends with its process")
    if not path.is_file():
        what = "is a folder" if path.is_dir() else "does not exist"
        raise errors.StoreError(f"{store!r} {what}; give the path of a store")
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as connection:
            rows = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    except sqlite3.DatabaseError as error:
        raise errors.StoreError(
            f"{store!r} cannot be read as a database ({error}); is it a store?"
        ) from error
    return {str(name) for (name,) in rows}


def _verified(store: str, tenant: str | None) -> AuditReport:
    from sqlalchemy.exc import SQLAlchemyError

    from teachmem import store as stores

    try:
        with stores.open_memory(store) as mem:
            report = mem.audit.verify(tenant)
    except (sqlite3.Error, SQLAlchemyError) as error:
        raise errors.StoreError(f"{store!r} cannot be read to its end: {error}") from error
    if tenant is not None and not report.entries and str(report.status) == "complete":
        raise errors.StoreError(
            f"{store!r} holds nothing of a tenant {tenant!r}, so there is nothing to check"
        )
    return report


def _lost(tables: list[str]) -> AuditReport:
    """Return the report of a store from which whole tables were taken."""
    from teachmem.ledger.chain import Finding
    from teachmem.ledger.report import AuditReport, AuditStatus

    findings = tuple(Finding("", 0, f"the table {name} is missing from the store") for name in tables)
    return AuditReport(AuditStatus.BROKEN, 0, "", findings)


def _words(report: AuditReport) -> list[str]:
    if str(report.status) == "broken":
        lines = [f"broken: {len(report.findings)} findings, {report.entries} entries checked"]
        return lines + [
            f"  {finding.tenant or 'store'}, entry {finding.seq}: {finding.what}"
            for finding in report.findings
        ]
    lines = [f"{report.status}: {report.entries} entries checked, head {report.head[:12]}"]
    lines += [f"  {finding.what}" for finding in report.findings]
    if not report.entries:
        lines.append("Nothing is in the log. Nothing was ever written, or everything was taken out.")
    lines.append(
        "This is evidence against edits. Against cuts and rewrites it reaches back as far as the last"
    )
    lines.append("checkpoint that someone else holds.")
    return lines


def _plain(store: str, report: AuditReport) -> dict[str, object]:
    findings = [
        {"tenant": finding.tenant, "entry": finding.seq, "what": finding.what} for finding in report.findings
    ]
    return {
        "store": store,
        "status": str(report.status),
        "entries": report.entries,
        "head": report.head,
        "findings": findings,
    }
