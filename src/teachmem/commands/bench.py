"""`teachmem bench`: how long recall takes here, as ratios against the plain ways to do it.

>>> numbers("1000, 10000")
[1000, 10000]

Left out: the measuring (`teachmem.bench`).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from teachmem import errors


def bench(
    name: Annotated[str, typer.Argument(help="Which benchmark: recall or retrieval.")] = "recall",
    sizes: Annotated[str, typer.Option(help="How many events, with commas between.")] = "1000,10000,100000",
    queries: Annotated[int, typer.Option(help="How many questions are asked at each size.")] = 200,
    to: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write the figures there, too.")
    ] = None,
) -> None:
    """Measure recall against a plain loop and brute force, or whether retrieval finds what it should."""
    asked = numbers(sizes)
    if to is not None and not to.absolute().parent.is_dir():
        raise errors.InvalidInput(
            "--json", f"the folder {to.absolute().parent} does not exist; make it first"
        )

    from teachmem import bench as benchmarks

    if name == "retrieval":
        from teachmem.bench import retrieval
        from teachmem.course import world

        report = retrieval.run(world.data_folder())
    else:
        report = benchmarks.run(name, asked, queries)
    typer.echo("\n".join(report.lines()))
    if to is not None:
        to.write_text(json.dumps(report.as_json(), indent=1) + "\n", encoding="utf-8", newline="\n")
        typer.echo(f"figures written to {to}")


def numbers(text: str) -> list[int]:
    """Read whole numbers with commas between. Raises `InvalidInput` for anything else."""
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise errors.InvalidInput(
            "--sizes", f"must be whole numbers such as 1000,10000, not {text!r}"
        ) from None
