"""`teachmem marks`: put the probes to teachmem or to another memory, and show what each answered.

Left out: the probes (`marks/probe.py`) and the adapters (`marks/systems/`).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from teachmem import errors
from teachmem.commands.tell import tell

if TYPE_CHECKING:
    from teachmem.marks.probe import Card, Finding, Probe
    from teachmem.marks.system import System


def marks(
    system: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Which memory, or the file of an adapter of yours; may be repeated. teachmem if left out.",
        ),
    ] = None,
    mark: Annotated[str | None, typer.Option(metavar="MARK", help="Only the probes of this mark.")] = None,
    to: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write the whole cards there, too.")
    ] = None,
    page: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Write the picture there, too.")
    ] = None,
    listed: Annotated[
        bool, typer.Option("--list", help="List the systems and the probes, and ask nothing.")
    ] = False,
) -> None:
    """Put the probes to a memory: what holds, what fails, what is not offered, what could not run."""
    from teachmem.marks import card as cards_of
    from teachmem.marks import probe
    from teachmem.marks.systems import known

    asked = probe.probes(mark)
    if listed:
        _list(asked)
        return
    for name, file in (("--json", to), ("--html", page)):
        if file is not None and not file.absolute().parent.is_dir():
            raise errors.InvalidInput(
                name, f"the folder {file.absolute().parent} does not exist; make it first"
            )
    making: dict[str, Callable[[], System]] = {
        name: known.maker(name, _say) for name in system or ["teachmem"]
    }
    cards = [_asked(name, make, asked) for name, make in making.items()]
    _print(cards, mark)
    if to is not None:
        to.write_text(cards_of.written(cards), encoding="utf-8", newline="\n")
        tell(f"cards written to {to}")
    if page is not None:
        page.write_text(_page(cards), encoding="utf-8", newline="\n")
        tell(f"picture written to {page}")
    raise typer.Exit(_code(cards))


def _list(asked: Sequence[Probe]) -> None:
    from teachmem.marks.systems import known

    for one in known.KNOWN:
        tell(f"{one.name:<17} needs {one.needs}")
    for each in asked:
        tell(f"{each.mark:<15} {each.name:<32} {each.asks}")


def _asked(name: str, make: Callable[[], System], asked: Sequence[Probe]) -> Card:
    """Return the card of one system; a bar on the terminal says how far it has got."""
    from teachmem.marks import probe
    from teachmem.marks.systems import lodger

    with _progress(name, len(asked)) as step:
        try:
            return probe.run(make, asked, step)
        finally:
            lodger.leave()


@contextmanager
def _progress(name: str, total: int) -> Iterator[Callable[[Finding], None]]:
    """Give what moves the bar on; without a terminal there is no bar."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(
        *columns, console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()
    ) as bar:
        task = bar.add_task(name, total=total)

        def step(found: Finding) -> None:
            bar.update(task, advance=1, description=f"{name}: {found.probe}")

        yield step


def _say(line: str) -> None:
    tell(line, err=True)


def _print(cards: Sequence[Card], mark: str | None) -> None:
    from teachmem.show import scorecard

    tell((scorecard.by_marks(cards) if mark is None else scorecard.beside(cards, mark)).text())
    if mark is None:
        for card in cards:
            for found in card.findings:
                if found.answer in ("fails", "could not run"):
                    tell(f"{card.system}, {found.probe}: {found.answer}, {found.evidence}")


def _page(cards: Sequence[Card]) -> str:
    from teachmem.show import scorecard

    views = [scorecard.by_marks(cards), *(scorecard.one(card) for card in cards)]
    body = "\n".join(str(view.html()) for view in views)
    return f'<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>Marks</title>\n{body}\n</html>\n'


def _code(cards: Sequence[Card]) -> int:
    """Return 1 where something fails, 3 where nothing does but something could not run, 0 otherwise."""
    answers = {found.answer for card in cards for found in card.findings}
    return 1 if "fails" in answers else 3 if "could not run" in answers else 0
