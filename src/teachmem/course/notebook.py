"""A notebook as the course reads it: its name, and its cells with their tag, minutes and outputs.

>>> cell = {"cell_type": "code", "id": "run-a", "source": "1", "metadata": {"tags": ["run"], "minutes": 2}}
>>> lesson = Notebook("02-x.ipynb", {"cells": [cell]})
>>> lesson.segment, lesson.cells[0].part, lesson.cells[0].minutes
('02', 'run', 2.0)

Left out: the form in which it is stored (`normal_form.py`), and judging it (`lint.py`).
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from teachmem.errors import TeachmemError

#: A live widget's number is drawn at random and means nothing without a kernel; its text stays.
LIVE = "application/vnd.jupyter.widget-view+json"

GRAMMAR = (
    "objectives setup story predict build run explore break exercise check hint misconception recap speaker"
).split()


@dataclass(frozen=True)
class Cell:
    """One cell: `place` counts from 1, `raw` is what the file holds."""

    place: int
    raw: Mapping[str, Any]

    @property
    def name(self) -> str:
        """What people call it: its id, or its place where it has none."""
        return str(self.raw.get("id") or f"number {self.place}")

    @property
    def is_code(self) -> bool:
        """Whether it runs."""
        return self.raw.get("cell_type") == "code"

    @property
    def source(self) -> str:
        """Its text."""
        return "".join(self.raw.get("source", ""))

    @property
    def metadata(self) -> Mapping[str, Any]:
        """What is noted beside it."""
        found: Mapping[str, Any] = self.raw.get("metadata", {})
        return found

    @property
    def tags(self) -> tuple[str, ...]:
        """All its tags, those of the grammar and others."""
        found = self.metadata.get("tags")
        return tuple(str(tag) for tag in found) if isinstance(found, list) else ()

    @property
    def part(self) -> str:
        """Its first tag of the grammar, or ""."""
        return next((tag for tag in self.tags if tag in GRAMMAR), "")

    @property
    def slide(self) -> object:
        """What kind of slide it is in the deck; "-" continues the one before."""
        found = self.metadata.get("slideshow", {})
        return found.get("slide_type", "-") if isinstance(found, dict) else found

    @property
    def minutes(self) -> float:
        """How long it takes in class; 0 where the number is missing or is none."""
        found = self.metadata.get("minutes")
        if isinstance(found, bool) or not isinstance(found, int | float):
            return 0.0
        return float(found) if 0 <= found < math.inf else 0.0

    @property
    def outputs(self) -> list[Mapping[str, Any]]:
        """What it printed and showed, as stored."""
        return list(self.raw.get("outputs", ()))

    def shown(self) -> Iterator[tuple[str, str]]:
        """Yield every stored text with its kind: a stream's name or a MIME type. Pictures' bytes too."""
        for output in self.outputs:
            if output.get("output_type") == "stream":
                yield str(output.get("name")), "".join(output.get("text", ""))
            for kind, value in output.get("data", {}).items():
                yield kind, json.dumps(value) if kind.endswith("json") else "".join(value)


class Notebook:
    """A notebook's name and cells. `raw` is the file's content and is never changed."""

    def __init__(self, name: str, raw: Mapping[str, Any]) -> None:
        self.name = name
        self.raw = raw

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """Every cell, in order."""
        return tuple(Cell(place, raw) for place, raw in enumerate(self.raw["cells"], start=1))

    @property
    def segment(self) -> str:
        """The two digits of its name, or ""."""
        found = re.match(r"(\d\d)-[a-z0-9-]+\.ipynb$", self.name)
        return found[1] if found else ""

    def of(self, part: str) -> list[Cell]:
        """Return the cells with this tag of the grammar."""
        return [cell for cell in self.cells if cell.part == part]


def read(path: Path) -> Notebook:
    """Read a notebook file. Raises `TeachmemError` for a file that is not there or is no notebook."""
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise TeachmemError(f"{path}: {error.strerror}; give the path of a notebook") from error
    except ValueError as error:
        raise TeachmemError(f"{path}: is not a notebook (no JSON in UTF-8): {error}") from error
    told = raw if isinstance(raw, dict) and raw.get("nbformat") == 4 else {}
    if not isinstance(told.get("cells"), list) or not isinstance(told.get("metadata", {}), dict):
        raise TeachmemError(f"{path}: is not a notebook of format 4; save it again from JupyterLab")
    for place, cell in enumerate(told["cells"], start=1):
        if not _is_cell(cell):
            raise TeachmemError(f"{path}: is not a notebook of format 4: cell {place} is malformed")
    return Notebook(path.name, told)


def _is_cell(cell: object) -> bool:
    return (
        isinstance(cell, dict)
        and cell.get("cell_type") in ("code", "markdown", "raw")
        and _is_text(cell.get("source"))
        and isinstance(cell.get("metadata", {}), dict)
        and isinstance(cell.get("outputs", []), list)
        and all(_is_output(output) for output in cell.get("outputs", []))
    )


def _is_output(output: object) -> bool:
    if not isinstance(output, dict):
        return False
    data = output.get("data", {})
    return (
        isinstance(output.get("output_type"), str)
        and isinstance(output.get("metadata", {}), dict)
        and _is_text(output.get("text", ""))
        and isinstance(data, dict)
        and all(_is_text(value) for kind, value in data.items() if not kind.endswith("json"))
    )


def _is_text(value: object) -> bool:
    lines = value if isinstance(value, list) else [value]
    return all(isinstance(line, str) for line in lines)
