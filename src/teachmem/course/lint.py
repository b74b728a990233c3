"""The linter of the lessons: what every notebook of the course must keep to, as a list of small rules.

Each rule is a function from a notebook to the findings of one name; the rules stand in four modules:
`lint_grammar` (tags, minutes, order), `lint_asked` (what is asked of student and instructor),
`lint_outputs` (what code and outputs may hold) and `lint_words` (prose, links, names). A finding says
where, which rule, and what to do.

>>> from pathlib import Path
>>> from tempfile import TemporaryDirectory
>>> with TemporaryDirectory() as folder:
...     path = Path(folder) / "02-episodic-memory.ipynb"
...     _ = path.write_text('{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}', "utf-8")
...     sorted({finding.rule for finding in lint(path)})[:4]
['glossary', 'headings', 'metadata', 'objectives']

Left out: whether the lesson is good, whether the outputs are right (strict nbval compares them), and
ruff's business.
"""

from __future__ import annotations

import json
from pathlib import Path

from teachmem.course import lint_asked, lint_grammar, lint_outputs, lint_words, normal_form, notebook
from teachmem.course.lint_finding import Finding, Rule

RULES: tuple[Rule, ...] = (*lint_grammar.RULES, *lint_asked.RULES, *lint_outputs.RULES, *lint_words.RULES)

__all__ = ["RULES", "Finding", "fix", "judge", "lint"]


def lint(path: Path) -> list[Finding]:
    """Return every finding in the notebook at `path`, in the order of its cells.

    Raises `TeachmemError` for a file that is not there or is no notebook.
    """
    return judge(notebook.read(path), path.parent)


def judge(lesson: notebook.Notebook, folder: Path) -> list[Finding]:
    """Return the findings of a notebook that lies in `folder`, from which its links start."""
    found = [finding for rule in RULES for finding in rule(lesson, folder)]
    places = {cell.name: cell.place for cell in lesson.cells}
    return sorted(found, key=lambda finding: places.get(finding.cell, 0))


def fix(path: Path) -> bool:
    """Put the metadata of the notebook at `path` in its normal form; say whether anything changed.

    Cells, outputs and counts are left alone: only running the notebook again can mend those.
    """
    raw = notebook.read(path).raw
    tidy = normal_form.with_lasting_metadata(raw)
    if json.dumps(tidy, sort_keys=True) == json.dumps(raw, sort_keys=True):
        return False
    path.write_text(normal_form.written(tidy), encoding="utf-8", newline="\n")
    return True
