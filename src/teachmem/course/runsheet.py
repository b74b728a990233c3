"""The run sheet: the clock of a segment, and what the instructor says, asks and cuts at each station.

A station begins at a heading and lasts as long as its cells. Its speaker cells hold notes under four
labels, each at the start of a paragraph:

>>> notes("**Say** A score has parts.\\n\\n**Cut when late** Skip the second plot.")
{'Say': 'A score has parts.', 'Cut when late': 'Skip the second plot.'}
>>> clock(63.5)
'01:03'

Left out: a running clock. The times are a plan, from the minutes that the cells carry.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from teachmem.course.notebook import Cell, Notebook

LENGTH = 50  # minutes
SHORT = 10  # of segment 00
LABELS = ("Say", "Ask", "Goes wrong", "Cut when late")
WIDTH = 88


@dataclass(frozen=True, slots=True)
class Station:
    """One stretch of the segment: when it starts, how long it lasts, what is done when, what is noted."""

    start: float
    minutes: float
    title: str
    does: tuple[tuple[float, str], ...]
    notes: tuple[tuple[str, str], ...]

    def note(self, label: str) -> list[str]:
        """Return what is noted under `label`."""
        return [text for known, text in self.notes if known == label]


def notes(source: str) -> dict[str, str]:
    """Return what a speaker cell says under each label.

    Raises `ValueError` with a sentence for a text that has no labels, unknown or empty ones, or one twice.
    """
    found: dict[str, str] = {}
    pieces = re.split(r"^\*\*(.+?)\*\*", source.strip(), flags=re.MULTILINE)
    known = ", ".join(f"**{label}**" for label in LABELS)
    if pieces[0].strip():
        raise ValueError(f"a speaker cell begins with a label; these are known: {known}")
    for label, text in zip(pieces[1::2], pieces[2::2], strict=True):
        if label not in LABELS:
            raise ValueError(f"the label **{label}** is not known; these are: {known}")
        if label in found:
            raise ValueError(f"the label **{label}** is there twice; join the two")
        if not text.strip():
            raise ValueError(f"the label **{label}** says nothing")
        found[label] = " ".join(text.split())
    if not found:
        raise ValueError(f"a speaker cell is empty; these labels are known: {known}")
    return found


def stations(lesson: Notebook) -> list[Station]:
    """Cut the notebook at its headings and lay the pieces along the clock."""
    pieces: list[list[Cell]] = []
    for cell in lesson.cells:
        if not pieces or _heading(cell):
            pieces.append([])
        pieces[-1].append(cell)
    found: list[Station] = []
    start = 0.0
    for piece in pieces:
        length = sum(cell.minutes for cell in piece)
        said = tuple(note for cell in piece if cell.part == "speaker" for note in notes(cell.source).items())
        title = next((heading for cell in piece if (heading := _heading(cell))), piece[0].name)
        found.append(Station(start, length, title, _does(piece, start), said))
        start += length
    return found


def _heading(cell: Cell) -> str:
    """Return the heading that a cell begins with, or ""."""
    if cell.is_code or cell.part == "speaker":
        return ""
    found = re.match(r"\s*#{1,3} +(.+)", cell.source)
    return found[1].strip() if found else ""


def _does(piece: Sequence[Cell], start: float) -> tuple[tuple[float, str], ...]:
    """Return what the room does in a piece and when, such as ((3.0, 'predict 2.a'), (4.0, 'run'))."""
    done: list[tuple[float, str]] = []
    for cell in piece:
        if cell.part not in ("", "speaker", "hint"):
            source = cell.source if cell.is_code else ""
            asked = re.search(r"lesson\.(?:predict|check)\(\s*[\"'](.+?)[\"']", source)
            act = f"{cell.part} {asked[1]}" if asked else cell.part
            if not done or done[-1][1] != act:
                done.append((start, act))
        start += cell.minutes
    return tuple(done)


def clock(minutes: float) -> str:
    """Write minutes since the start as hh:mm."""
    return f"{int(minutes) // 60:02d}:{int(minutes) % 60:02d}"


def totals(lesson: Notebook) -> str:
    """Say how long the segment takes, and how much of its time is slack."""
    length = SHORT if lesson.segment == "00" else LENGTH
    taken = sum(cell.minutes for cell in lesson.cells)
    return f"{taken:g} of {length} minutes are planned; {length - taken:g} are slack for questions."


def _room(station: Station) -> str:
    """Say what the room does when."""
    return ", ".join(f"{clock(start)} {act}" for start, act in station.does)


def _cuts(found: Sequence[Station]) -> Iterator[str]:
    for station in found:
        for text in station.note("Cut when late"):
            if not text.lower().startswith("nothing"):
                yield f"behind at {clock(station.start)}: {text}"


def as_lines(lesson: Notebook) -> list[str]:
    """Return the run sheet as lines of text, to be read at a lectern."""
    found = stations(lesson)
    lines = [f"Run sheet: {lesson.name}", totals(lesson)]
    for station in found:
        lines += ["", *_wrapped(f"{clock(station.start)}  {station.title} ({station.minutes:g} min)", 7)]
        if station.does:
            lines += _wrapped(f"       {'Room:':<15}{_room(station)}", 22)
        for label in LABELS:
            for text in station.note(label):
                lines += _wrapped(f"       {label + ':':<15}{text}", 22)
    lines += ["", clock(sum(station.minutes for station in found)) + "  end"]
    if cuts := list(_cuts(found)):
        lines += ["", "When late, cut in this order:"]
        lines += [line for number, cut in enumerate(cuts, 1) for line in _wrapped(f"  {number}. {cut}", 5)]
    return lines


def _wrapped(text: str, indent: int) -> list[str]:
    return textwrap.wrap(text, WIDTH, subsequent_indent=" " * indent, break_on_hyphens=False)


def as_markdown(lesson: Notebook) -> str:
    """Return the run sheet as a page of Markdown."""
    found = stations(lesson)
    lines = [f"# Run sheet: {lesson.name}", "", totals(lesson), ""]
    for station in found:
        lines += [f"## {clock(station.start)} {station.title} ({station.minutes:g} min)", ""]
        if station.does:
            lines += ["The room: " + _room(station) + ".", ""]
        for label in LABELS:
            for text in station.note(label):
                lines += [f"- **{label}** {text}"]
        if station.notes:
            lines += [""]
    lines += [f"## {clock(sum(station.minutes for station in found))} End", ""]
    if cuts := list(_cuts(found)):
        lines += ["When late, cut in this order:", ""]
        lines += [f"{number}. {cut}" for number, cut in enumerate(cuts, start=1)] + [""]
    return "\n".join(lines)
