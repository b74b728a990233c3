"""The time machine, still: a grid of what held in the world against what the ledger knew.

A row is a moment in the world, a column a moment of the ledger. One cell may be marked: the answer to one
question. Read along a row to see a mind being changed, down a column to see the world change.

Left out: asking. `explore_time.py` has the answers.
"""

from __future__ import annotations

from datetime import datetime

from teachmem.show import markup, style, view, words
from teachmem.show.explore_time import NOTHING, Times
from teachmem.show.markup import Markup

MARK = style.ACCEPTED


def grid(given: Times, chosen: tuple[int, int] | None = None) -> view.View:
    """Return the view of the answers; `chosen` is the (row, column) of the one that is marked."""
    columns = ("held at", *(f"known {when(moment)}" for moment in given.known_at))
    rows = tuple(
        (when(moment), *(_cell(given, row, column, chosen) for column in range(len(given.known_at))))
        for row, moment in enumerate(given.at)
    )
    worlds, ledgers = len(given.at), len(given.known_at)
    title = f"{words.count(worlds, 'moment')} in the world, {words.count(ledgers, 'moment')} of the ledger"
    notes = () if chosen is None else (_answer(given, *chosen),)
    marked = {} if chosen is None else {chosen[0]: chosen[1] + 1}
    body = [_row(row, marked.get(place)) for place, row in enumerate(rows)]
    return view.View(title, view.Table(columns, rows), markup.table(columns, body), notes)


def when(moment: datetime) -> str:
    """Say a moment in short: the day, and the time of day unless it is midnight."""
    midnight = (moment.hour, moment.minute, moment.second, moment.microsecond) == (0, 0, 0, 0)
    return f"{moment:%d %b}" if midnight else f"{moment:%d %b %H:%M}"


def _cell(given: Times, row: int, column: int, chosen: tuple[int, int] | None) -> str:
    said = given.said(row, column)
    return f"{MARK} {said}" if (row, column) == chosen else said


def _row(cells: tuple[str, ...], marked: int | None) -> Markup:
    return markup.el(
        "tr",
        {},
        *(
            markup.el("td", {"class": "tm-whole"}, markup.el("b", {}, cell) if place == marked else cell)
            for place, cell in enumerate(cells)
        ),
    )


def _answer(given: Times, row: int, column: int) -> str:
    found = given.answers[row][column]
    asked = f"at {when(given.at[row])}, as known {when(given.known_at[column])}"
    said = "; ".join(
        f"{words.short_id(memory.memory_id)} v{memory.version}: {memory.content}" for memory in found
    )
    return f"{asked}: {said or NOTHING}"
