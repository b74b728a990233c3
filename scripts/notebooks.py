"""Execute the notebooks and keep them in one normal form, so that a rerun makes no difference.

``python scripts/notebooks.py`` executes every notebook in place and normalises it; ``--check`` only says
which would change; ``--no-run`` leaves the outputs as they are. `normalise` and `as_text` can be imported:
they need no kernel. Left out: comparing outputs cell by cell, which strict nbval does in ``make test``.
"""

from __future__ import annotations

import argparse
import copy
import importlib
import json
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[1] / "notebooks"

#: A live widget's number is drawn at random and means nothing without a kernel; its text stays.
LIVE = "application/vnd.jupyter.widget-view+json"

#: What every kernel is started with: fixed hashes, one time zone, static views, this environment's kernel.
ENVIRONMENT = {
    "PYTHONHASHSEED": "0",
    "TZ": "UTC",
    "TEACHMEM_STATIC": "1",
    "JUPYTER_PREFER_ENV_PATH": "1",
    "ANONYMIZED_TELEMETRY": "False",
    "PYDEVD_DISABLE_FILE_VALIDATION": "1",
}

#: The one kernel of the course, without the version that happened to run it.
KERNEL = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}

#: What metadata may not keep: widget state, timing, what an editor or a trust store left.
FLEETING = ("widgets", "signature", "vscode", "execution", "ExecuteTime", "trusted", "collapsed")


#: What IPython reads first: no note about local sockets, and sockets that reach this machine only.
IPYTHON_FILES = {
    "ipython_kernel_config.py": "get_config().IPKernelApp.log_level = 40\n",
    "startup/00-loopback.py": """\
from pytest_socket import socket_allow_hosts
socket_allow_hosts(["127.0.0.1", "::1"], allow_unix_socket=True)
del socket_allow_hosts
""",
}


def prepare_kernels(home: Path) -> None:
    """Set this process up so that every kernel it starts is the same on every machine, in a new folder."""
    os.environ.update(ENVIRONMENT, IPYTHONDIR=str(home))
    os.environ.pop("MPLBACKEND", None)  # the kernel chooses its inline backend only when none is set
    for name, text in IPYTHON_FILES.items():
        file = home / "profile_default" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8", newline="\n")
    # matplotlib's first import writes a font cache and says so on stderr, which is stored and compared.
    importlib.import_module("matplotlib.font_manager")


def normalise(notebook: Mapping[str, Any]) -> dict[str, Any]:
    """Return the notebook in its normal form; the one that was given stays as it was.

    >>> cell = {"cell_type": "code", "id": "a", "source": "1", "metadata": {"execution": {"iopub": "09:00"}},
    ...         "execution_count": 7, "outputs": []}
    >>> tidy = normalise({"cells": [cell], "metadata": {"widgets": {}}, "nbformat": 4, "nbformat_minor": 5})
    >>> tidy["cells"][0]["execution_count"], tidy["cells"][0]["metadata"], tidy["metadata"]["language_info"]
    (1, {}, {'name': 'python'})
    """
    tidy: dict[str, Any] = copy.deepcopy(dict(notebook))
    tidy["metadata"] = _lasting(tidy["metadata"]) | KERNEL
    count = 0
    for cell in tidy["cells"]:
        cell["source"] = _lines(cell["source"])
        cell["metadata"] = _lasting(cell["metadata"])
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


def as_text(notebook: Mapping[str, Any]) -> str:
    """Write the normal form as the bytes that are committed: sorted keys, one blank a level, real letters."""
    return json.dumps(normalise(notebook), indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def execute(path: Path) -> dict[str, Any]:
    """Run one notebook from the top in a fresh kernel, in its own folder, and return it."""
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.reads(path.read_text(encoding="utf-8"), as_version=4)  # type: ignore[no-untyped-call]
    client = NotebookClient(
        notebook,
        kernel_name="python3",
        timeout=120,
        resources={"metadata": {"path": str(path.parent)}},
        store_widget_state=False,
        record_timing=False,
    )
    client.execute()
    executed: dict[str, Any] = json.loads(json.dumps(notebook))
    return executed


def main(arguments: Sequence[str] | None = None) -> int:
    """Bring every notebook into its normal form; with ``--check`` answer 1 when one is not."""
    parser = argparse.ArgumentParser(description="Execute the notebooks and put them in their normal form.")
    parser.add_argument("notebooks", nargs="*", type=Path, help="some notebooks instead of all")
    parser.add_argument("--check", action="store_true", help="write nothing, say which would change")
    parser.add_argument("--no-run", action="store_true", help="keep the stored outputs, only normalise")
    options = parser.parse_args(arguments)
    paths = [path.resolve() for path in options.notebooks] or sorted(FOLDER.glob("*.ipynb"))
    changed = 0
    with tempfile.TemporaryDirectory() as home:
        if not options.no_run:
            prepare_kernels(Path(home))
        for path in paths:
            before = path.read_text(encoding="utf-8")
            after = as_text(json.loads(before) if options.no_run else execute(path))
            if after == before:
                print(f"{path.name}: unchanged")
                continue
            changed += 1
            print(f"{path.name}: {'would change' if options.check else 'written'}")
            if not options.check:
                path.write_text(after, encoding="utf-8", newline="\n")
    return int(options.check and changed > 0)


if __name__ == "__main__":
    sys.exit(main())
