"""`teachmem reset`: start again. The record of progress is emptied; copies are moved aside, never deleted.

Left out: single segments; `teachmem lab --fresh 02` makes a new copy beside the old.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from teachmem import errors
from teachmem.commands import places


def reset(
    work: Annotated[
        bool, typer.Option("--work", help="Move your copies of the notebooks aside, too.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Empty the record of your progress and, with --work, move your copies aside. Asks first."""
    folder = places.work() if work else None
    aside = free_name(folder) if folder is not None and folder.exists() else None
    what = "This empties the record of your progress"
    what += f" and moves {folder} to {aside}." if aside else "."
    typer.echo(f"{what} A code of it that your instructor holds will fit nothing any more.")
    if not yes and not typer.confirm("Go on?", default=False):
        typer.echo("Nothing was changed.")
        raise typer.Exit(1)
    if folder is not None and aside is not None:
        move(folder, aside)
        typer.echo(f"Your copies are in {aside}.")
    elif folder is not None:
        typer.echo(f"There are no copies in {folder}.")

    from teachmem import course

    course.reset_progress(confirm=True)


def free_name(folder: Path) -> Path:
    """Return a name beside `folder` that is not taken: `work-old`, `work-old-2` ..."""
    number = 1
    while (path := folder.with_name(f"{folder.name}-old{f'-{number}' if number > 1 else ''}")).exists():
        number += 1
    return path


def move(folder: Path, aside: Path) -> None:
    """Give the folder its new name."""
    try:
        folder.rename(aside)
    except OSError as error:
        raise errors.TeachmemError(
            f"{folder} cannot be moved ({error.strerror}); close what has it open, and try again"
        ) from error
