"""`teachmem bench`: how long recall and search take here, and whether they find what they should.

>>> numbers("1000, 10000")
[1000, 10000]

Left out: the measuring (`teachmem.bench`).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from teachmem import errors

if TYPE_CHECKING:
    from teachmem.bench import Report


def bench(
    name: Annotated[
        str, typer.Argument(help="Which one: recall, search, audit, scope, server or retrieval.")
    ] = "recall",
    sizes: Annotated[
        str | None,
        typer.Option(help="How many memories, with commas between. Search goes to 10,000 unless told more."),
    ] = None,
    queries: Annotated[int, typer.Option(help="How many questions are asked at each size.")] = 200,
    locomo: Annotated[
        Path | None,
        typer.Option("--locomo", metavar="FILE", help="Retrieval: a LoCoMo file instead of the data folder."),
    ] = None,
    embedder: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="LoCoMo: another embedder: wordllama, minilm or hashing."),
    ] = None,
    to: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write the figures there, too.")
    ] = None,
) -> None:
    """Measure recall, search, the log or the server against plain ways, or what retrieval finds."""
    asked = None if sizes is None else numbers(sizes)
    if to is not None and not to.absolute().parent.is_dir():
        raise errors.InvalidInput(
            "--json", f"the folder {to.absolute().parent} does not exist; make it first"
        )
    if locomo is not None and name != "retrieval":
        raise errors.InvalidInput("--locomo", "goes with `teachmem bench retrieval`")
    if embedder is not None and locomo is None:
        raise errors.InvalidInput("--embedder", "goes with --locomo")
    report = _report(name, asked, queries, locomo, embedder)
    typer.echo("\n".join(report.lines()))
    if to is not None:
        to.write_text(json.dumps(report.as_json(), indent=1) + "\n", encoding="utf-8", newline="\n")
        typer.echo(f"figures written to {to}")


def _report(
    name: str, sizes: list[int] | None, queries: int, file: Path | None, embedder: str | None
) -> Report:
    from teachmem import bench as benchmarks

    if name != "retrieval":
        return benchmarks.run(name, sizes, queries)
    if file is not None:
        from teachmem.bench import locomo
        from teachmem.recall import embed

        return locomo.run(file, embed.named(embedder))
    from teachmem.bench import retrieval
    from teachmem.course import world

    return retrieval.run(world.data_folder())


def numbers(text: str) -> list[int]:
    """Read whole numbers with commas between. Raises `InvalidInput` for anything else."""
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise errors.InvalidInput(
            "--sizes", f"must be whole numbers such as 1000,10000, not {text!r}"
        ) from None
