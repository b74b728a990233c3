"""`teachmem bench`: how long things take here, beside plain ways to do them, and what search finds.

>>> numbers("1000, 10000")
[1000, 10000]

Left out: the measuring (`teachmem.bench`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from teachmem import errors

if TYPE_CHECKING:
    from teachmem.bench import Report

ALL = "all"
OF_THE_COURSE = ("retrieval", "notebooks")  # these measure what lies in the checkout, and take no sizes
ONE_SIZE = ("server", "import")  # of `all`, these keep their own size
NAMES = "recall, search, audit, write, scope, context, consolidate, server, import, retrieval or notebooks"


def bench(
    name: Annotated[str, typer.Argument(help=f"Which one: {NAMES}; or all of them.")] = "recall",
    sizes: Annotated[
        str | None,
        typer.Option(help="How many memories, with commas between; most go to 100,000 if left out."),
    ] = None,
    queries: Annotated[
        int | None, typer.Option(help="How many questions, writes or runs are timed at each size.")
    ] = None,
    locomo: Annotated[
        Path | None,
        typer.Option("--locomo", metavar="FILE", help="Retrieval: a LoCoMo file instead of the data folder."),
    ] = None,
    embedder: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="LoCoMo: another embedder: wordllama, minilm or hashing."),
    ] = None,
    to: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Where the figures and the curves are written.")
    ] = Path("bench-results"),
) -> None:
    """Measure one thing, or all, beside plain ways to do it; print it, keep the figures, draw the curves."""
    from teachmem import bench as benchmarks

    asked = None if sizes is None else numbers(sizes)
    if locomo is not None and name != "retrieval":
        raise errors.InvalidInput("--locomo", "goes with `teachmem bench retrieval`")
    if embedder is not None and locomo is None:
        raise errors.InvalidInput("--embedder", "goes with --locomo")
    try:
        to.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise errors.InvalidInput("--to", f"the folder {to.absolute()} cannot be made: {error}") from error
    for one in [*benchmarks.NAMES, *OF_THE_COURSE] if name == ALL else [name]:
        typer.echo(f"{one}\n" if name == ALL else "", nl=False)
        own = name == ALL and one in ONE_SIZE
        report = _report(one, None if own else asked, queries, locomo, embedder)
        typer.echo("\n".join(report.lines()))
        typer.echo(f"written: {', '.join(map(str, _kept(report, to)))}\n")


def _report(
    name: str, sizes: list[int] | None, queries: int | None, file: Path | None, embedder: str | None
) -> Report:
    from teachmem import bench as benchmarks

    if name == "notebooks":
        from teachmem.bench import notebooks
        from teachmem.commands import places

        return notebooks.run(list(places.originals().values()))
    if name != "retrieval":
        return benchmarks.run(name, sizes, queries)
    if file is not None:
        from teachmem.bench import locomo
        from teachmem.recall import embed

        return locomo.run(file, embed.named(embedder))
    from teachmem.bench import retrieval
    from teachmem.course import world

    return retrieval.run(world.data_folder())


def _kept(report: Report, folder: Path) -> list[Path]:
    """Write the figures, and the curves where a report has some and matplotlib is installed."""
    files: Mapping[str, str | None] = {
        ".json": json.dumps(report.as_json(), indent=1) + "\n",
        ".svg": _picture(report),
    }
    written = []
    for ending, text in files.items():
        if text is not None:
            written.append(folder / f"{report.name}{ending}")
            written[-1].write_text(text, encoding="utf-8", newline="\n")
    return written


def _picture(report: Report) -> str | None:
    from teachmem.bench import curves

    try:
        return curves.svg(report.name, report.curves) if report.curves else None
    except ImportError:
        return None


def numbers(text: str) -> list[int]:
    """Read whole numbers with commas between. Raises `InvalidInput` for anything else."""
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise errors.InvalidInput(
            "--sizes", f"must be whole numbers such as 1000,10000, not {text!r}"
        ) from None
