"""The options of `teachmem` itself: which version this is.

Left out: versions of what it stands on; `teachmem doctor` has them.
"""

from __future__ import annotations

from typing import Annotated

import typer


def _show(asked: bool) -> None:
    if asked:
        import teachmem

        typer.echo(f"teachmem {teachmem.__version__}")
        raise typer.Exit


def options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and leave.", callback=_show, is_eager=True)
    ] = False,
) -> None:
    """How an AI agent's memory works, and how it is kept honest."""
