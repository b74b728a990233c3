"""The grammar of a segment: which cells there are, in which order, how long, and how they are called.

>>> from teachmem.course.notebook import Notebook
>>> cell = {"cell_type": "markdown", "id": "story", "metadata": {"tags": ["tale"]}, "source": "x"}
>>> for finding in tag(Notebook("02-x.ipynb", {"cells": [cell]}), Path()):
...     print(finding)
story: tag: has no tag of the grammar; give it one in metadata.tags: objectives setup story predict build run explore break exercise check hint misconception recap speaker
story: tag: the tag 'tale' is not known

Left out: what is asked (`lint_asked`), what the cells say (`lint_words`) and show (`lint_outputs`).
"""  # noqa: E501

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from teachmem.course import notebook, runsheet
from teachmem.course.lint_finding import Finding, Rule, calls, first_text
from teachmem.course.notebook import Notebook

#: Tags beside those of the grammar: nbval reads the first two, the decks the third.
OTHER_TAGS = ("raises-exception", "nbval-ignore-output", "hide-input")
SLIDES = ("slide", "subslide", "fragment", "skip", "notes", "-")


def minutes_allowed(segment: str) -> int:
    """Return how many minutes the cells of a segment may take: 50 less 8 of slack, or 10 for 00."""
    return 10 if segment == "00" else runsheet.LENGTH - 8


def name(lesson: Notebook, _: Path) -> Iterator[Finding]:
    """The file is called after its segment."""
    if not lesson.segment:
        yield Finding(
            "", "name", f"{lesson.name!r} is no segment's name; write for example '02-episodic-memory.ipynb'"
        )


def tag(lesson: Notebook, _: Path) -> Iterator[Finding]:
    """Every cell has exactly one tag of the grammar, and no unknown one."""
    for cell in lesson.cells:
        parts = [tag for tag in cell.tags if tag in notebook.GRAMMAR]
        if not parts:
            known = " ".join(notebook.GRAMMAR)
            yield Finding(
                cell.name, "tag", f"has no tag of the grammar; give it one in metadata.tags: {known}"
            )
        if len(parts) > 1:
            yield Finding(
                cell.name, "tag", f"has {len(parts)} tags of the grammar ({' '.join(parts)}); keep one"
            )
        for other in cell.tags:
            # Exemptions from comparison have a rule of their own.
            if other not in (*notebook.GRAMMAR, *OTHER_TAGS) and not other.startswith("nbval"):
                yield Finding(cell.name, "tag", f"the tag {other!r} is not known")


def minutes(lesson: Notebook, _: Path) -> Iterator[Finding]:
    """Every cell says how many minutes it takes; together they leave slack."""
    for cell in lesson.cells:
        given = cell.metadata.get("minutes")
        if given is None or cell.minutes != given or isinstance(given, bool):
            yield Finding(
                cell.name, "minutes", f"metadata.minutes must be a number, 0 or more, not {given!r}"
            )
    total, allowed = sum(cell.minutes for cell in lesson.cells), minutes_allowed(lesson.segment)
    if total > allowed:
        yield Finding("", "minutes", f"the cells take {total:g} minutes, {allowed} are there; shorten or cut")


def once(lesson: Notebook, _: Path) -> Iterator[Finding]:
    """A segment has one set-up, which opens its own lesson, and ends by saying what you can do now."""
    if (count := len(lesson.of("setup"))) != 1:
        yield Finding("", "once", f"has {count} setup cells; a segment has one")
    for cell in lesson.of("setup"):
        opened = [call for method, call in calls(cell, "course") if method == "open_lesson"]
        if [first_text(call) for call in opened] != [lesson.segment]:
            sentence = f'must open its own lesson once: course.open_lesson("{lesson.segment}")'
            yield Finding(cell.name, "once", sentence)
    if not any("you can now" in cell.source.lower() for cell in lesson.of("recap") if not cell.is_code):
        yield Finding("", "once", 'no recap cell says what "you can now" do')


def pace(lesson: Notebook, _: Path) -> Iterator[Finding]:
    """Before each run the student has committed to something: a prediction or a check since the last run."""
    committed = False
    for cell in lesson.cells:
        if cell.part in ("predict", "check"):
            committed = True
        elif cell.part == "run":
            if not committed:
                yield Finding(cell.name, "pace", "no prediction and no check stands before this run; add one")
            committed = False


def ids(lesson: Notebook, _: Path) -> Iterator[Finding]:
    """Cells have ids that people can read and that are there once."""
    times = Counter(str(cell.raw.get("id", "")) for cell in lesson.cells)
    for cell in lesson.cells:
        given = str(cell.raw.get("id", ""))
        if times[given] > 1 and given:
            yield Finding(cell.name, "ids", f"the id {given!r} is there {times[given]} times")
        if not readable(given):
            yield Finding(
                cell.name, "ids", f"the id {given!r} is not readable; write words such as 'story-lunch'"
            )


def readable(given: str) -> bool:
    """Say whether an id is made of words and short numbers.

    >>> [readable(given) for given in ("predict-2-a", "setup", "deadbeef", "b7f3c9d1-run", "")]
    [True, True, False, False, False]
    """
    if not re.fullmatch(r"[a-z]+(-[a-z]+|-\d{1,3}[a-z]?)*", given) or len(given) > 64:
        return False
    return not re.fullmatch(r"[0-9a-f]{8}", given)


def counts(lesson: Notebook, _: Path) -> Iterator[Finding]:
    """Every code cell has run, in order, from the top."""
    code = [cell for cell in lesson.cells if cell.is_code]
    for number, cell in enumerate(code, start=1):
        found = cell.raw.get("execution_count")
        if not cell.source.strip():
            yield Finding(cell.name, "counts", "is an empty code cell; fill or remove it")
        elif found != number:
            said = "has not run" if found is None else f"has the execution count {found}"
            yield Finding(cell.name, "counts", f"{said}, {number} is due; run the notebook from the top")


def slides(lesson: Notebook, _: Path) -> Iterator[Finding]:
    """A slide type is one that reveal.js knows; speaker cells are notes, hints are skipped."""
    for cell in lesson.cells:
        due = {"speaker": "notes", "hint": "skip"}.get(cell.part)
        if cell.slide not in SLIDES:
            yield Finding(
                cell.name, "slides", f"the slide type {cell.slide!r} is not one of {' '.join(SLIDES)}"
            )
        elif due and cell.slide != due:
            yield Finding(
                cell.name, "slides", f"a {cell.part} cell has the slide type {due!r}, not {cell.slide!r}"
            )


RULES: tuple[Rule, ...] = (name, tag, minutes, once, pace, ids, counts, slides)
