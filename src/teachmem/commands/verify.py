"""`teachmem verify`: is the audit chain of a store whole? The answer is the exit code.

0 complete, 1 broken, 2 could not run, 3 partial. A store that cannot be read is never called whole,
and a missing one is never made.

Left out: the checking (`ledger/verify.py`).
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from teachmem import errors
from teachmem.commands.tell import tell

if TYPE_CHECKING:
    from teachmem.ledger.report import AuditReport

EXIT = {"complete": 0, "broken": 1, "partial": 3}
COULD_NOT_RUN = 2


def verify(
    store: Annotated[str, typer.Argument(help="The store: a file's path, or a SQLAlchemy URL.")],
    tenant: Annotated[str | None, typer.Option(help="Check the chain of this tenant only.")] = None,
    deep: Annotated[bool, typer.Option("--deep", help="Compare the rows with the chain, too.")] = False,
    checkpoint: Annotated[
        list[str] | None,
        typer.Option(metavar="FILE|CODE", help="A file of checkpoints, or a code; may be repeated."),
    ] = None,
    key: Annotated[
        str | None, typer.Option(help="The public key (hex) that you trust, if not yours.")
    ] = None,
    resume: Annotated[
        str | None, typer.Option(metavar="NUMBER:HASH", help="Go on behind an entry checked before.")
    ] = None,
    limit: Annotated[int | None, typer.Option(help="Check at most so many entries.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
) -> None:
    """Check the audit chain of a store. Exit code: 0 complete, 1 broken, 2 could not run, 3 partial."""
    asked = _Asked(tenant, deep, checkpoint or [], key, _place(resume), limit)
    lost = _missing_tables(store)
    report = _lost(lost) if lost else _verified(store, asked)
    if as_json:
        tell(json.dumps(_plain(store, report), indent=1, ensure_ascii=False))
    else:
        tell("\n".join(_words(report, bool(checkpoint))))
    raise typer.Exit(EXIT[str(report.status)])


@dataclass(frozen=True, slots=True)
class _Asked:
    tenant: str | None
    deep: bool
    checkpoints: list[str]
    key: str | None
    after: tuple[int, str] | None
    limit: int | None


def _place(resume: str | None) -> tuple[int, str] | None:
    if resume is None:
        return None
    seq, colon, known = resume.partition(":")
    if not colon or not seq.isdecimal():
        raise errors.InvalidInput(
            "--resume", f"must be NUMBER:HASH, as a partial report says it, not {resume!r}"
        )
    return int(seq), known


def _missing_tables(store: str) -> list[str]:
    """Return which tables of ours the store has lost. Raises `StoreError` if it was never ours.

    The file is opened for reading only, so that no question makes one or changes one.
    """
    from teachmem.ledger import address as addresses
    from teachmem.ledger import complaints, database, migrations, schema

    url, shown = addresses.parse(store), addresses.shown(store)
    if url.get_backend_name() == "sqlite":
        tables, version = _tables_of_file(Path(url.database or ""), shown)
    else:
        with complaints.clear(f"{shown!r} cannot be opened"):
            tables, version = database.tables_at(store), schema.SCHEMA_VERSION
    if not {"meta", "audit_heads"} & tables:
        raise errors.StoreError(f"{shown!r} is not a teachmem store; give the path of one")
    return sorted(set(schema.metadata.tables) - tables - migrations.tables_since(version))


def _tables_of_file(path: Path, store: str) -> tuple[set[str], int]:
    """Return the names of the tables, and the version of the schema if the file says one."""
    if str(path) in ("", ".", ":memory:"):
        raise errors.StoreError(f"{store!r} names no file; a store in memory ends with its process")
    if not path.is_file():
        what = "is a folder" if path.is_dir() else "does not exist"
        raise errors.StoreError(f"{store!r} {what}; give the path of a store")
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as connection:
            rows = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
            tables, said = {str(name) for (name,) in rows}, None
            if "meta" in tables:
                said = connection.execute("SELECT value FROM meta WHERE key = 'schema'").fetchone()
    except sqlite3.DatabaseError as error:
        raise errors.StoreError(
            f"{store!r} cannot be read as a database ({error}); is it a store?"
        ) from error
    return tables, int(said[0]) if said and str(said[0]).isdigit() else 0


def _verified(store: str, asked: _Asked) -> AuditReport:
    from sqlalchemy.exc import SQLAlchemyError

    from teachmem.ledger import address, checkpoint
    from teachmem.ledger import verify as verifying
    from teachmem.ledger.database import Database

    shown = address.shown(store)
    held = checkpoint.held(asked.checkpoints, asked.key or _own_key())
    try:
        with Database.open(store) as database, _bar() as progress:
            report = verifying.verify(
                database,
                asked.tenant,
                held=held,
                deep=asked.deep,
                after=asked.after,
                limit=asked.limit,
                progress=progress,
            )
    except (sqlite3.Error, SQLAlchemyError) as error:
        raise errors.StoreError(f"{shown!r} cannot be read to its end: {error}") from error
    if asked.tenant is not None and not report.entries and str(report.status) == "complete":
        raise errors.StoreError(
            f"{shown!r} holds nothing of a tenant {asked.tenant!r}, so there is nothing to check"
        )
    return report


def _own_key() -> str | None:
    from teachmem.ledger import keys

    return keys.load(keys.default_path()).public if keys.default_path().is_file() else None


@contextmanager
def _bar() -> Iterator[Callable[[int, int], None] | None]:
    """Show how far it is, on a terminal only."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    if not console.is_terminal:
        yield None
        return
    with Progress(console=console, transient=True) as bars:
        task = bars.add_task("entries", total=None)
        yield lambda done, total: bars.update(task, completed=done, total=max(done, total))


def _lost(tables: list[str]) -> AuditReport:
    """Return the report of a store from which whole tables were taken."""
    from teachmem.ledger.chain import Finding
    from teachmem.ledger.report import AuditReport, AuditStatus

    findings = tuple(Finding("", 0, f"the table {name} is missing from the store") for name in tables)
    return AuditReport(AuditStatus.BROKEN, 0, "", findings)


def _words(report: AuditReport, held: bool) -> list[str]:
    if str(report.status) == "broken":
        lines = [f"broken: {len(report.findings)} findings, {report.entries} entries checked"]
        lines += [
            f"  {finding.tenant or 'store'}, entry {finding.seq}: {finding.what}"
            for finding in report.findings
        ]
        return lines + [f"  not checked: {each}" for each in report.unchecked]
    lines = [f"{report.status}: {report.entries} entries checked, head {report.head[:12]}"]
    lines += [f"  not checked: {each}" for each in report.unchecked]
    if any("the limit was reached" in each for each in report.unchecked):
        lines += [
            f"  go on with: --tenant {end.tenant} --resume {end.seq}:{end.hash.hex()}"
            for end in report.ends
            if end.seq
        ]
    if not report.entries:
        lines.append("Nothing is in the log. Nothing was ever written, or everything was taken out.")
    if held:
        lines.append("This is evidence against edits, and against cuts and rewrites as far back as the last")
        lines.append("checkpoint that was given. What came later could have been cut or written anew.")
    else:
        lines.append(
            "This is evidence against edits. Against cuts and rewrites it reaches back as far as the last"
        )
        lines.append("checkpoint that someone else holds: give it with --checkpoint.")
    return lines


def _plain(store: str, report: AuditReport) -> dict[str, object]:
    from teachmem.ledger import address

    findings = [
        {"tenant": finding.tenant, "entry": finding.seq, "what": finding.what} for finding in report.findings
    ]
    return {
        "store": address.shown(store),
        "status": str(report.status),
        "entries": report.entries,
        "head": report.head,
        "findings": findings,
        "unchecked": list(report.unchecked),
        "ends": [{"tenant": end.tenant, "entry": end.seq, "hash": end.hash.hex()} for end in report.ends],
    }
