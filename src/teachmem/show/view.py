"""What is shown of one object: a title, a table, a picture and notes, made once from one set of numbers.

The text twin is written from the table, the picture is drawn from the same rows, and the pandas
table holds them too; none of the three computes anything.

>>> seen = View("two gates", Table(("gate", "passed"), (("scope", "yes"), ("time", "no"))), Markup("<p/>"))
>>> print(seen.text())
two gates
gate   passed
scope  yes
time   no

Left out: what is in the table. Each kind of object has a module that says so.
"""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from teachmem import frames
from teachmem.show import markup, words
from teachmem.show.markup import Markup

if TYPE_CHECKING:
    import pandas as pd

Cell = str | int | float | None


# How the text twin says the cells of these columns; the pandas table holds them whole.
SAID: Mapping[str, Callable[[str], str]] = {"memory": words.short_id, "content": words.said}


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells under named columns."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]

    def frame(self) -> pd.DataFrame:
        """Return the rows as a pandas table."""
        return frames.frame(self.rows, self.columns)


@dataclass(frozen=True, slots=True)
class View:
    """The three twins of one object.

    `shown` are the rows that text and picture write out (None means all); `rest` says what the
    others are. The pandas table has every row. `asked` is a second line under the title.
    `spelled` are lines that only the text twin needs, because the picture shows them in another way.
    """

    title: str
    table: Table
    picture: Markup
    notes: tuple[str, ...] = ()
    shown: Sequence[int] | None = None
    asked: str = ""
    rest: str = ""
    spelled: tuple[str, ...] = ()

    def text(self) -> str:
        """Return the text twin: the title, the rows in columns, the notes."""
        lines = [self.title, *([self.asked] if self.asked else []), *_columns(self.table, self.shown)]
        if self.rest:
            lines.append(self.rest)
        return "\n".join(words.visible(line).rstrip() for line in [*lines, *self.notes, *self.spelled])

    def html(self) -> Markup:
        """Return the picture with its title and notes, complete in itself."""
        head = [markup.el("p", {"class": "tm-title"}, self.title)]
        if self.asked:
            head.append(markup.el("p", {"class": "tm-faint"}, self.asked))
        notes = (note_markup(note) for note in self.notes)
        return markup.page(self.title, *head, self.picture, *notes)

    def show(self) -> None:
        """Display both twins as one bundle, so that a notebook stores fixed text beside the picture."""
        publish({"text/html": str(self.html()), "text/plain": self.text()})


def note_markup(note: str) -> Markup:
    """Return a note: a paragraph, or verbatim lines where it has several."""
    if "\n" not in note:
        return markup.el("p", {"class": "tm-faint"}, note)
    head, _, body = note.partition("\n")
    return markup.join([markup.el("p", {}, head), markup.el("pre", {}, body)])


def publish(bundle: Mapping[str, Any], metadata: Mapping[str, Any] | None = None) -> None:
    """Hand a bundle to the notebook that asks; anywhere else print its text."""
    if shell() is None:
        print(bundle["text/plain"])
        return
    from IPython.display import display

    display(dict(bundle), raw=True, metadata=dict(metadata or {}))  # type: ignore[no-untyped-call]


def shell() -> Any:
    """Return the IPython shell that runs this, or None. IPython is not imported for the question."""
    ipython = sys.modules.get("IPython")
    return ipython.get_ipython() if ipython is not None else None


def _columns(table: Table, shown: Sequence[int] | None) -> list[str]:
    rows = table.rows if shown is None else [table.rows[place] for place in shown]
    if not rows:
        return []
    said = [[said_cell(cell, name) for cell, name in zip(row, table.columns, strict=True)] for row in rows]
    numeric = [all(not isinstance(row[i], str) for row in rows) for i in range(len(table.columns))]
    widths = [
        max(width_of(cell) for cell in (name, *(row[i] for row in said)))
        for i, name in enumerate(table.columns)
    ]
    return [
        "  ".join(
            _padded(cell, width, right) for cell, width, right in zip(row, widths, numeric, strict=True)
        ).rstrip()
        for row in (table.columns, *said)
    ]


def said_cell(cell: Cell, column: str = "") -> str:
    """Say one cell, on one line."""
    if cell is None:
        return ""
    return SAID.get(column, words.one_line)(cell) if isinstance(cell, str) else words.number(cell)


def _padded(cell: str, width: int, right: bool) -> str:
    space = " " * (width - width_of(cell))
    return space + cell if right else cell + space


def width_of(text: str) -> int:
    """Return how many columns of a terminal `text` fills: wide letters two, marks none."""
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1
        for char in text
    )
