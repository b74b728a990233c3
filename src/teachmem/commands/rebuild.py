"""`teachmem rebuild`: the wall of modules, what takes the place of one, or one's own module in its place.

0 for the wall, a contract, and a module with which nothing is amiss; 1 where its laws, a notebook or a
mark show something else; 2 could not run.

Left out: the laws (`course/rebuilding/laws_of_*.py`).
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from teachmem.commands.tell import tell


def rebuild(
    module: Annotated[
        str, typer.Argument(metavar="[MODULE]", help="Such as recall.score; left out, the wall is shown.")
    ] = "",
    file: Annotated[
        Path | None,
        typer.Argument(metavar="[FILE]", help="Your module; left out, what it must offer is shown."),
    ] = None,
    part: Annotated[
        bool, typer.Option("--part", help="What your file does not define stays the package's.")
    ] = False,
    laws_only: Annotated[
        bool, typer.Option("--laws-only", help="Ask the laws; leave notebooks and marks out.")
    ] = False,
    segment: Annotated[
        list[str] | None,
        typer.Option("--segment", metavar="NN", help="Run this notebook, and no other; can be repeated."),
    ] = None,
) -> None:
    """Put your own module in the place of one of the kit's: its laws, the notebooks, the marks."""
    from teachmem import course
    from teachmem.course.rebuilding import contracts

    if not module:
        tell(str(course.wall()))
    elif file is None:
        tell(contracts.show_contract(module))
    else:
        found = course.rebuild(
            module, file, part=part, laws_only=laws_only, segments=tuple(segment or ()), tell=tell
        )
        tell(str(found))
        raise typer.Exit(1 if found.amiss else 0)
