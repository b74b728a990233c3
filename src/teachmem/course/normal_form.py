"""The one form in which a notebook is stored, so that executing it again changes no byte.

Keys are sorted, execution counts go from 1, neighbouring pieces of a stream are joined, and nothing is
kept that a machine, an editor or a kernel left behind.

>>> cell = {"cell_type": "code", "id": "a", "source": "1", "metadata": {"execution": {"iopub": "09:00"}},
...         "execution_count": 7, "outputs": []}
>>> raw = {"cells": [cell], "metadata": {"widgets": {}}, "nbformat": 4, "nbformat_minor": 5}
>>> tidy = normalise(raw)
>>> tidy["cells"][0]["execution_count"], tidy["cells"][0]["metadata"], tidy["metadata"]["language_info"]
(1, {}, {'name': 'python'})

Left out: executing (`scripts/notebooks.py`).
"""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from typing import Any

from teachmem.course.notebook import LIVE

#: The one kernel of the course, without the version that happened to run it.
KERNEL = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}

#: What metadata may not keep: widget state, timing, what an editor or a trust store left.
FLEETING = ("widgets", "signature", "vscode", "execution", "ExecuteTime", "trusted", "collapsed")


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
