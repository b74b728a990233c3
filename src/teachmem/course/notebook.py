"""A notebook as the course reads it: its cells with tag and minutes, and the one form it is stored in.

The stored form has sorted keys, execution counts from 1, and nothing in it that a machine, an editor
or a kernel left behind, so that executing a notebook again changes no byte.

>>> cell = {"cell_type": "code", "id": "a", "source": "1", "metadata": {"execution": {"iopub": "09:00"}},
...         "execution_count": 7, "outputs": []}
>>> raw = {"cells": [cell], "metadata": {"widgets": {}}, "nbformat": 4, "nbformat_minor": 5}
>>> tidy = normalise(raw)
>>> tidy["cells"][0]["execution_count"], tidy["cells"][0]["metadata"], tidy["metadata"]["language_info"]
(1, {}, {'name': 'python'})
>>> Notebook("02-x.ipynb", raw).segment, Notebook("02-x.ipynb", raw).cells[0].source
('02', '1')

Left out: executing (`scripts/notebooks.py`) and judging (`lint.py`).
"""

from __future__ import annotations

import copy
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

#: The one kernel of the course, without the version that happened to run it.
KERNEL = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}

#: What metadata may not keep: widget state, timing, what an editor or a trust store left.
FLEETING = ("widgets", "signature", "vscode", "execution", "ExecuteTime", "trusted", "collapsed")

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


def with_lasting_metadata(notebook: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy whose metadata is in the normal form; outputs and counts are as they were."""
    tidy: dict[str, Any] = copy.deepcopy(dict(notebook))
    tidy["metadata"] = _lasting(tidy.get("metadata", {})) | copy.deepcopy(KERNEL)
    for cell in tidy["cells"]:
        cell["metadata"] = _lasting(cell.get("metadata", {}))
    return tidy


def normalise(notebook: Mapping[str, Any]) -> dict[str, Any]:
    """Return the notebook in its normal form; the one that was given stays as it was."""
    tidy = with_lasting_metadata(notebook)
    count = 0
    for cell in tidy["cells"]:
        cell["source"] = _lines(cell["source"])
        if cell["cell_type"] != "code":
            continue
        executed = cell.get("execution_count") is not None
        count += executed
        cell["execution_count"] = count if executed else None
        cell["outputs"] = _joined(cell["outputs"])
        for output in cell["outputs"]:
            if output["output_type"] == "execute_result":
                output["execution_count"] = cell["execution_count"]
            if output["output_type"] == "error":  # frames name files of this machine
                output["traceback"] = [f"{output['ename']}: {output['evalue']}"]
    return tidy


def _lasting(metadata: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in metadata.items() if key not in FLEETING}


def _lines(text: str | list[str]) -> list[str]:
    return "".join(text).splitlines(keepends=True)


def _joined(outputs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Join neighbouring pieces of one stream: where the kernel cut it depends on timing."""
    joined: list[dict[str, Any]] = []
    for output in outputs:
        last = joined[-1] if joined else {}
        if output["output_type"] == "stream":
            output["text"] = "".join(output["text"])
            if last.get("output_type") == "stream" and last["name"] == output["name"]:
                last["text"] += output["text"]
                continue
        joined.append(output)
    for output in joined:
        if output["output_type"] == "stream":
            output["text"] = _lines(output["text"])
        output.get("data", {}).pop(LIVE, None)
        for kind, value in output.get("data", {}).items():
            if isinstance(value, str) and not kind.startswith("image/png"):
                output["data"][kind] = _lines(value)
    return joined


def written(notebook: Mapping[str, Any]) -> str:
    """Write a notebook as it stands: sorted keys, one blank a level, real letters."""
    return json.dumps(notebook, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def as_text(notebook: Mapping[str, Any]) -> str:
    """Write the normal form as the bytes that are committed."""
    return written(normalise(notebook))
