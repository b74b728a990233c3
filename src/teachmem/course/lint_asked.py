"""What a segment asks: of the student, by objectives, predictions, exercises, checks and hints; and of
the instructor, by speaker cells.

>>> from teachmem.course.notebook import Notebook
>>> cell = {"cell_type": "code", "id": "check", "source": "lesson.check('1.1', x)"}
>>> cell["metadata"] = {"tags": ["check"]}
>>> for finding in ask(Notebook("02-x.ipynb", {"cells": [cell]}), Path()):
...     print(finding)
check: ask: lesson.check wants an id of this segment, such as '2.1'

Left out: the questions themselves; they stand in `segments/` and are tested against solutions.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from teachmem.course import runsheet
from teachmem.course.lint_finding import Finding, Rule, calls, first_text, tree
from teachmem.course.notebook import Cell, Notebook

OBJECTIVE = re.compile(r"[-*] You can .+ \[check (\d+\.\d+)\]\.?")
#: How the ids of predictions, checks and hints look, after the number of their segment.
ASKED = {"predict": "[a-z]", "check": r"\d+", "hint": r"\d+"}


def objectives(lesson: Notebook, _: Path) -> Iterator[Finding]:
    """One cell names up to three things you can do afterwards, each tied to a check that exists."""
    cells = lesson.of("objectives")
    if len(cells) != 1:
        yield Finding("", "objectives", f"has {len(cells)} objectives cells; a segment has one")
    checks = set(asked(lesson, "check"))
    for cell in cells:
        items = [line.strip() for line in cell.source.splitlines() if re.match(r"\s*[-*] ", line)]
        if not 1 <= len(items) <= 3:
            yield Finding(cell.name, "objectives", f"lists {len(items)} objectives; one to three is right")
        for item in items:
            found = OBJECTIVE.fullmatch(item)
            if not found:
                sentence = f"{item!r} is not written like '- You can pack notes into a budget. [check 1.1]'"
                yield Finding(cell.name, "objectives", sentence)
            elif found[1] not in checks:
                yield Finding(cell.name, "objectives", f"names check {found[1]}, which no check cell makes")


def ask(lesson: Notebook, _: Path) -> Iterator[Finding]:
    """Predictions, checks and hints stand in their own cells, under ids of this segment, each once."""
    number = str(int(lesson.segment or 0))
    for cell in lesson.cells:
        made = [(method, first_text(call)) for method, call in calls(cell, "lesson") if method in ASKED]
        for method, given in made:
            if cell.part != method:
                yield Finding(cell.name, "ask", f"calls lesson.{method}; only a cell tagged {method} does")
            if given is None or not re.fullmatch(rf"{number}\.{ASKED[method]}", given):
                like = f"{number}.{'a' if method == 'predict' else '1'}"
                yield Finding(
                    cell.name, "ask", f"lesson.{method} wants an id of this segment, such as {like!r}"
                )
        if cell.is_code and cell.part in ASKED and cell.part not in dict(made):
            yield Finding(cell.name, "ask", f"is tagged {cell.part} and never calls lesson.{cell.part}")
        if not cell.is_code and cell.part in ("check", "hint"):
            yield Finding(
                cell.name, "ask", f"is tagged {cell.part} and must be code that calls lesson.{cell.part}"
            )
    for method in ASKED:
        for given, times in Counter(asked(lesson, method)).items():
            if times > 1:
                yield Finding("", "ask", f"asks lesson.{method}({given!r}) {times} times; once is right")


def exercise(lesson: Notebook, _: Path) -> Iterator[Finding]:
    """Every exercise has its placeholder, its check after it, and its hint."""
    for cell in lesson.of("exercise"):
        found = re.match(r"exercise-(?:[a-z]+-)*(\d+)-(\d+)(?![0-9])", cell.name)
        if not found:
            yield Finding(cell.name, "exercise", "its id must say which one it is, such as 'exercise-2-1'")
            continue
        given = f"{int(found[1])}.{found[2]}"
        after = [other for other in lesson.cells if other.place > cell.place]
        if not any(given in _asked_in(other, "check") for other in after):
            yield Finding(cell.name, "exercise", f"no cell after it calls lesson.check({given!r}, ...)")
        if given not in asked(lesson, "hint"):
            yield Finding(cell.name, "exercise", f"no cell calls lesson.hint({given!r})")
        if cell.is_code and not any(
            isinstance(node, ast.Constant) and node.value is Ellipsis for node in ast.walk(tree(cell))
        ):
            yield Finding(cell.name, "exercise", "holds no placeholder `...`; commit it unsolved")


def speaker(lesson: Notebook, _: Path) -> Iterator[Finding]:
    """The instructor is told what to say, what to ask, what goes wrong and what to cut."""
    told: set[str] = set()
    for cell in lesson.of("speaker"):
        if cell.is_code:
            yield Finding(cell.name, "speaker", "is code; notes are markdown")
        try:
            told |= set(runsheet.notes(cell.source))
        except ValueError as error:
            yield Finding(cell.name, "speaker", str(error))
    for label in runsheet.LABELS:
        if label not in told:
            yield Finding("", "speaker", f"no speaker cell has a **{label}** note")


def asked(lesson: Notebook, method: str) -> list[str]:
    """Return the ids that the cells ask for by `lesson.method`, in order."""
    return [given for cell in lesson.cells for given in _asked_in(cell, method)]


def _asked_in(cell: Cell, method: str) -> list[str]:
    return [first_text(call) or "" for called, call in calls(cell, "lesson") if called == method]


RULES: tuple[Rule, ...] = (objectives, ask, exercise, speaker)
