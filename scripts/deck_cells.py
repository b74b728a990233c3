"""What of a notebook goes onto slides: a notebook becomes a list of pieces, each of one kind.

Words, code and outputs are pieces of their own, so that they can share a slide or not. What only a
notebook can do is left out: placeholders, checks, hints, live widgets, and the lines that ask for
predictions. Their minutes stay, so that the speaker's clock is right.

>>> from teachmem.course.notebook import Notebook
>>> task = {"cell_type": "markdown", "id": "task", "source": "Write `half`.",
...         "metadata": {"tags": ["exercise"], "slideshow": {"slide_type": "slide"}}}
>>> dots = {"cell_type": "code", "id": "exercise-2-1", "source": "half = ...", "execution_count": 1,
...         "metadata": {"tags": ["exercise"], "minutes": 3}, "outputs": []}
>>> [(piece.kind, piece.content, piece.minutes) for piece in pieces(Notebook("02-x.ipynb", {"cells": [task, dots]}))]
[('words', 'Write `half`.', 0.0), ('time', '', 3.0)]

Left out: how large a piece is and where a slide ends (`deck_layout.py`).
"""  # noqa: E501

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from teachmem.course import lint_finding, words
from teachmem.course.notebook import LIVE, Cell, Notebook
from teachmem.errors import TeachmemError
from teachmem.show import live

MOST_LINES = 16
SLIDE_TYPES = ("slide", "subslide", "fragment", "skip", "notes", "-")
#: Calls that speak to the student at the keyboard, or fetch the source that the output shows.
MACHINERY = re.compile(
    r"^(?:lesson\.(?:predict|reveal|check|hint|review|rewind)\(.*\)"
    r"|import inspect|print\(inspect\.getsource\(.+\)\))\s*(?:#.*)?$",
    re.MULTILINE,
)
ONLY_IMPORTS = re.compile(r"(?:(?:from|import) [^\n]+\s*)*")
ONLY_RESULTS = ("setup", "predict")  # their code is left out, what they print is shown
ONLY_TIME = ("check", "hint")
#: The fixed lines of a lesson that nobody has answered yet.
UNANSWERED = re.compile(
    "|".join(
        "^" + re.sub(r"\\{\w+\\}", ".+", re.escape(sentence)) + r"\n?"
        for sentence in (
            words.NOT_TRIED,
            words.NOT_ANSWERED,
            words.REVEAL_UNANSWERED,
            words.REVIEW_NONE,
            live.STATIC_LINE,
        )
    ),
    re.MULTILINE,
)
#: What is shown of an output that comes in several forms, the richest first.
FORMS = ("text/html", "image/svg+xml", "image/png", "image/jpeg", "text/markdown", "text/plain")

Kind = Literal["words", "code", "text", "view", "picture", "notes", "time"]
#: A kind, its text, and for outputs the form that nbconvert gets.
Shown = tuple[Kind, str, Mapping[str, Any] | None]


class DeckError(TeachmemError):
    """A notebook from which no deck can be made; the sentence names the cell and the cure."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One thing on a slide. `starts` is its slide type, `content` its source or text."""

    kind: Kind
    content: str
    cell: str = ""
    part: str = ""
    starts: str = "-"
    minutes: float = 0.0
    output: Mapping[str, Any] | None = None  # as stored, for everything but words and code


def pieces(lesson: Notebook) -> list[Piece]:
    """Return the pieces of a notebook, in order.

    Raises `DeckError` for a code cell that has not run and for a slide type that nobody knows.
    """
    return [piece for cell in lesson.cells for piece in _of(cell, lesson.name)]


def _of(cell: Cell, name: str) -> Iterator[Piece]:
    starts = _slide_type(cell, name)
    time = Piece("time", "", cell.name, cell.part, minutes=cell.minutes)
    if cell.is_code and cell.source.strip() and cell.raw.get("execution_count") is None:
        raise DeckError(
            f"{name}, cell {cell.name}: has not run, so there is nothing to show; "
            "run `make notebooks`, then `make decks`"
        )
    if cell.part == "speaker" or starts == "notes":
        yield Piece("notes", cell.source, cell.name, cell.part, minutes=cell.minutes)
    elif starts == "skip" or cell.part in ONLY_TIME or cell.raw.get("cell_type") == "raw":
        yield time
    elif not cell.is_code:
        yield Piece("words", _plain_links(cell.source), cell.name, cell.part, starts, cell.minutes)
    elif cell.part == "exercise" or any(lint_finding.calls(cell, "live")):
        yield time
    else:
        yield from _of_code(cell, starts, time)


def _slide_type(cell: Cell, name: str) -> str:
    noted = cell.metadata.get("slideshow", {})
    given = noted.get("slide_type", "-") if isinstance(noted, dict) else noted
    if given not in SLIDE_TYPES:
        raise DeckError(
            f"{name}, cell {cell.name}: {given!r} is no slide type; "
            f"set metadata.slideshow.slide_type to one of {' '.join(SLIDE_TYPES)}"
        )
    return str(given)


def _of_code(cell: Cell, starts: str, time: Piece) -> Iterator[Piece]:
    """Yield code in parts of at most `MOST_LINES` lines, then what it showed; the first has the minutes."""
    code = "" if cell.part in ONLY_RESULTS or "hide-input" in cell.tags else _clean_code(cell.source)
    found = [Piece("code", part, cell.name, cell.part, "subslide") for part in (_split(code) if code else ())]
    results = _outputs(cell) if code or cell.part != "recap" else ()
    for place, (kind, text, output) in enumerate(results):
        found.append(Piece(kind, text, cell.name, cell.part, "-" if place else "fragment", output=output))
    if not found:
        yield time
        return
    yield replace(found[0], starts=starts, minutes=cell.minutes)
    yield from found[1:]


def _clean_code(source: str) -> str:
    """Return the code without the lesson's own calls and without more than one empty line in a row."""
    code = re.sub(r"\n{3,}", "\n\n", MACHINERY.sub("", source)).strip()
    return "" if ONLY_IMPORTS.fullmatch(code) else code


def _split(code: str) -> list[str]:
    """Cut long code between top-level statements; one statement that is too long is shown in part.

    >>> long = "def f():" + "\\n    pass" * 12 + "\\n\\nf()" + "\\nf()" * 4
    >>> [len(part.splitlines()) for part in _split(long)]
    [13, 5]
    """
    parts: list[str] = []
    for block in re.split(r"\n\n(?=[^\s)\]}'\"])", code):
        joined = f"{parts[-1]}\n\n{block}" if parts else block
        if parts and len(joined.splitlines()) <= MOST_LINES:
            parts[-1] = joined
        else:
            parts.append(block)
    return [in_part(part, "# ") for part in parts]


def in_part(text: str, mark: str = "") -> str:
    """Return a text of at most `MOST_LINES` lines; the last one says how many are left out.

    >>> in_part("x\\n" * 30).splitlines()[-1]
    '... 15 more lines, 30 in all: see the notebook'
    """
    lines = text.splitlines()
    if len(lines) <= MOST_LINES:
        return text
    kept = lines[: MOST_LINES - 1]
    rest = len(lines) - len(kept)
    return "\n".join([*kept, f"{mark}... {rest} more lines, {len(lines)} in all: see the notebook"])


def _outputs(cell: Cell) -> Iterator[Shown]:
    """Yield kind, text and stored form of each output, without what only a keyboard can answer."""
    for output in cell.outputs:
        if output.get("output_type") == "stream":
            text = UNANSWERED.sub("", "".join(output["text"])).strip("\n")
            if cell.part == "predict" and text.strip():
                yield "words", _question(text), None
            else:
                yield from _printed(text)
        elif output.get("output_type") == "error":
            said = f"{output['ename']}: {output['evalue']}"
            yield from _printed(said)
        else:
            yield from _displayed(output)


def _printed(text: str) -> Iterator[Shown]:
    """Yield printed text; the source of a function, between other lines, as code."""
    group, was_code = "", False
    for block in [*re.split(r"\n\n+(?=[^\s)\]}])", text.strip("\n")), ""]:
        is_code = bool(re.match(r"(?:@|def |class |async def )", block)) and _parses(block)
        # The source ends where an unindented line follows it.
        if group and (not block or is_code != was_code or is_code):
            yield _as_code_or_text(group, was_code)
            group = ""
        group, was_code = f"{group}\n\n{block}" if group else block, is_code


def _as_code_or_text(text: str, is_code: bool) -> Shown:
    if is_code:
        return "code", in_part(text, "# "), None
    return "text", in_part(text), {"output_type": "stream", "name": "stdout", "text": in_part(text) + "\n"}


def _parses(source: str) -> bool:
    try:
        ast.parse(source)
    except SyntaxError:
        return False
    return True


def _question(text: str) -> str:
    """Return the text of a prediction as words: the question, then its choices as a list.

    >>> _question("2.a  Which comes first?\\n  a) the menu\\n  b) the match")
    '**2.a** Which comes first?\\n\\n- **a** the menu\\n- **b** the match'
    """
    safe = re.sub(r"([\\*_<\[&$])", r"\\\1", text.strip())  # the backslash too: it would free the next sign
    named = re.sub(r"^(\d+\.[a-z])  ", r"**\1** ", safe)
    listed = re.sub(r"^  ([a-z])\) ", r"- **\1** ", named, flags=re.MULTILINE)
    return re.sub(r"\n(?=- )", "\n\n", listed, count=1)


def _displayed(output: Mapping[str, Any]) -> Iterator[Shown]:
    data = output.get("data", {})
    form = next((form for form in FORMS if form in data and LIVE not in data), None)
    if form is None:
        return
    text = "".join(data[form])
    kept = {form: text, "text/plain": "".join(data.get("text/plain", ""))}
    if form == "text/plain":
        text = in_part(text)
        kept = {form: text}
    kind: Kind = "text" if form == "text/plain" else "picture" if form.startswith("image/") else "view"
    yield (
        kind,
        text,
        {
            "output_type": "display_data",
            "data": kept,
            "metadata": dict(output.get("metadata", {})),
        },
    )


def _plain_links(source: str) -> str:
    """Return the words without links into the checkout, and objectives without the name of their check.

    >>> _plain_links("A [half-life](../docs/glossary.md#half-life). [check 2.1]")
    'A *half-life*.'
    """
    plain = re.sub(r"(?<!\!)\[([^\]]+)\]\((?!\w+:)[^)]+\)", r"*\1*", source)
    return re.sub(r"[ \t]*\[check \d+\.\d+\]", "", plain)
