"""`teachmem grade`: are the journals that were handed in what they say they are? The answer is the exit code.

0 every journal is proven as far as the last code that you hold, 1 at least one is broken, 2 could not
run, 3 something is consistent, not proven: no code, no chain, a file that cannot be read, or a journal
that is missing.

Left out: the checking (`course/grading.py`), and marks.
"""

from __future__ import annotations

import csv
import json
import sys
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from teachmem import errors
from teachmem.commands.tell import tell
from teachmem.normal import visible

if TYPE_CHECKING:
    from teachmem.course.grading import Report

BROKEN, NOT_PROVEN = 1, 3


def grade(
    folder: Annotated[
        Path | None, typer.Argument(metavar="[FOLDER]", help="The journals' folder, or one of them.")
    ] = None,
    codes: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Your list of codes: a CSV of date, name, code.")
    ] = None,
    keep: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Add today's codes of these journals to this list.")
    ] = None,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print a row for each answer, as CSV.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
    code: Annotated[bool, typer.Option("--code", help="Print the code of your own journal.")] = False,
) -> None:
    """Check journals that were handed in. Exit code: 0 proven, 1 broken, 2 could not run, 3 not proven."""
    from teachmem.course import codes as held
    from teachmem.course import grading, handing

    if code:
        told = handing.spoken()
        if told is None:
            raise errors.TeachmemError("no journal is kept here yet; answer something in a lesson first")
        tell(told)
        return
    if folder is None:
        raise errors.InvalidInput("FOLDER", "is missing: name the folder of the journals, or one of them")
    lists = dict.fromkeys([*([codes] if codes else []), *([keep] if keep and keep.exists() else [])])
    report = grading.grade(folder, [one for file in lists for one in held.read(file)])
    if as_json:
        tell(json.dumps(report.as_dict(), indent=1, ensure_ascii=False))
    elif as_csv:
        rows = report.rows()
        table = csv.DictWriter(sys.stdout, list(rows[0]), lineterminator="\n")
        table.writeheader()
        table.writerows({key: held.tabled(visible(str(value))) for key, value in row.items()} for row in rows)
    else:
        tell(str(report))
    if keep:
        _keep(keep, report)
    raise typer.Exit(_exit_code(report))


def _keep(file: Path, report: Report) -> None:
    """Add the code of each journal that is not broken to the list, and say so on stderr."""
    from teachmem.course import codes as held
    from teachmem.course.grading import Status

    whole = [one.journal for one in report.journals if one.status in (Status.PROVEN, Status.CONSISTENT)]
    named = [(one.name, held.code_of(one.student, one.walk.entries[-1])) for one in whole]
    try:
        count = held.keep(file, datetime.now().astimezone().date(), named)
    except OSError as error:
        raise errors.TeachmemError(f"{str(file)!r} cannot be written: {error.strerror}") from error
    tell(f"{count} {'code' if count == 1 else 'codes'} added to {file}", err=True)


def _exit_code(report: Report) -> int:
    from teachmem.course.grading import Status

    if report.counts[Status.BROKEN]:
        return BROKEN
    return 0 if set(report.counts) == {Status.PROVEN} and not report.missing else NOT_PROVEN
