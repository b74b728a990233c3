r"""What a command prints: words of agents and people, with every sign that is not seen written as an escape.

A terminal obeys some signs. A memory that holds them could wipe the screen on which a person decides on it,
turn the reading direction, or hide words from the eye that a model reads.

>>> tell("gate\x1b[2Jfour \u202eevil")
gate\u001b[2Jfour \u202eevil

Left out: what is printed, and colours.
"""

from __future__ import annotations

import typer

from teachmem.normal import visible


def tell(text: object = "", *, err: bool = False) -> None:
    """Print a text, line breaks and all, to the output or with `err` to the error stream."""
    typer.echo(visible(str(text)), err=err)
