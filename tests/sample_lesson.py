"""A small segment 02 that keeps to every rule of the linter, to be broken one rule at a time."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

from teachmem.course import glossary
from teachmem.course.normal_form import KERNEL, as_text

NAME = "02-episodic-memory.ipynb"
_TERMS = "\n".join(f"- {term.link}" for term in glossary.introduced_in("02"))
_COUNT = 0


def words(id: str, tag: str, minutes: float, source: str, slide: str = "-") -> dict[str, Any]:
    metadata = {"tags": [tag], "minutes": minutes, "slideshow": {"slide_type": slide}}
    return {"cell_type": "markdown", "id": id, "metadata": metadata, "source": source}


def code(id: str, tag: str, minutes: float, source: str, says: str = "", slide: str = "-") -> dict[str, Any]:
    outputs = [{"output_type": "stream", "name": "stdout", "text": says}] if says else []
    cell = words(id, tag, minutes, source, slide)
    return cell | {"cell_type": "code", "execution_count": None, "outputs": outputs}


def lesson() -> dict[str, Any]:
    """Return the notebook, executed in order."""
    opening = 'from teachmem import course\n\nlesson = course.open_lesson("02")'
    figure = '<svg role="img" aria-label="two events as bars"><rect/></svg>'
    cells = [
        words(
            "objectives",
            "objectives",
            2,
            "# Episodic memory\n\n- You can weigh an event. [check 2.1]",
            "slide",
        ),
        code("setup", "setup", 1, opening),
        words(
            "story", "story", 3, f"## The lunch menu wins\n\nYou ask about the gripper.\n\n{_TERMS}", "slide"
        ),
        words("notes-story", "speaker", 0, SPEAKER, "notes"),
        code("predict-2-a", "predict", 2, 'lesson.predict("2.a", ...)', "2.a: not answered yet"),
        code("run-recall", "run", 2, 'hits = lesson.tech.episodic.recall("gripper")', figure),
        words(
            "explore-task", "explore", 1, "![Two events as bars](../docs/glossary.md)\n\nMove the weights."
        ),
        words("exercise-2-1-task", "exercise", 1, "## Your turn\n\nWrite `recency()`."),
        code("exercise-2-1", "exercise", 8, "def recency(age, half_life):\n    ..."),
        code("check-2-1", "check", 1, 'lesson.check("2.1", recency)', "2.1: not tried yet"),
        code("hint-2-1", "hint", 0, 'lesson.hint("2.1")', "2.1, hint 1 of 3: what halves?", "skip"),
        code("run-package", "run", 3, "print(lesson.tech.episodic.stats())", "{'events': 2}"),
        words("misconception", "misconception", 2, "Old events are not deleted. They rank lower."),
        words("recap", "recap", 2, "## What stays\n\nA score has parts. You can now read them.", "slide"),
    ]
    code_cells = [cell for cell in cells if cell["cell_type"] == "code"]
    for number, cell in enumerate(code_cells, start=1):
        cell["execution_count"] = number
    return {"cells": cells, "metadata": copy.deepcopy(KERNEL), "nbformat": 4, "nbformat_minor": 5}


SPEAKER = """\
**Say** The newest event wins, and it is about lunch.

**Ask** Which number made it win?

**Goes wrong** Somebody reads the score as a share.

**Cut when late** The widget; the table says the same.
"""


def cell(notebook: dict[str, Any], id: str) -> dict[str, Any]:
    """Return the cell with this id."""
    return next(found for found in notebook["cells"] if found["id"] == id)


def write(notebook: dict[str, Any], folder: Path, name: str = NAME, *, tidy: bool = False) -> Path:
    """Store a notebook beside a glossary, as in the checkout; `tidy` stores its normal form."""
    (folder / "docs").mkdir(exist_ok=True)
    (folder / "docs" / "glossary.md").write_text("# Glossary\n", encoding="utf-8")
    (folder / "notebooks").mkdir(exist_ok=True)
    path = folder / "notebooks" / name
    path.write_text(as_text(notebook) if tidy else json.dumps(notebook), encoding="utf-8", newline="\n")
    return path
