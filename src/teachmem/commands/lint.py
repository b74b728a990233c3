"""`teachmem lint` and `teachmem runsheet`: what authors and instructors ask of a notebook.

Left out: the rules (`course/lint.py`) and the clock (`course/runsheet.py`).
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from teachmem.commands import places


def lint(
    files: Annotated[
        list[Path] | None, typer.Argument(metavar="[FILES]", help="Notebooks; all of the course by default.")
    ] = None,
    fix: Annotated[bool, typer.Option("--fix", help="Put the metadata in its normal form first.")] = False,
) -> None:
    """Check notebooks against the rules of the lessons. Exit code 1 if there is a finding."""
    from teachmem.course import lint as linter

    paths = files or list(places.originals().values())
    count = 0
    for path in paths:
        if fix and linter.fix(path):
            typer.echo(f"{path.name}: metadata put in its normal form")
        findings = linter.lint(path)
        count += len(findings)
        for finding in findings:
            typer.echo(f"{path.name}: {finding}")
    typer.echo(f"{_counted(len(paths), 'notebook')}, {_counted(count, 'finding')}")
    raise typer.Exit(1 if count else 0)


def _counted(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"


def runsheet(
    segment: Annotated[str, typer.Argument(metavar="NN", help="The segment.")],
    markdown: Annotated[bool, typer.Option("--markdown", help="Write it as a page of Markdown.")] = False,
) -> None:
    """Print the clock of a segment: what to say, when, what to ask, what goes wrong, what to cut."""
    from teachmem import errors
    from teachmem.course import notebook
    from teachmem.course import runsheet as sheets

    lesson = notebook.read(places.original(segment))
    try:
        typer.echo(
            sheets.as_markdown(lesson) if markdown else "\n".join(sheets.as_lines(lesson)), nl=not markdown
        )
    except ValueError as error:
        raise errors.TeachmemError(f"{lesson.name}: {error}; `teachmem lint` says where") from error
