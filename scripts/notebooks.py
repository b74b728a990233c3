"""Execute the notebooks and keep them in one normal form, so that a rerun makes no difference.

``python scripts/notebooks.py`` executes every notebook in place and normalises it; ``--check`` only says
which would change; ``--no-run`` leaves the outputs as they are. The normal form itself stands in
`teachmem.course.normal_form`. Left out: comparing outputs, which strict nbval does in ``make test``.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from teachmem.course.normal_form import FLEETING, as_text, normalise
from teachmem.course.notebook import LIVE
from teachmem.course.rebuilding.notebooks import ENVIRONMENT

__all__ = [
    "ENVIRONMENT",
    "FLEETING",
    "FOLDER",
    "LIVE",
    "as_text",
    "execute",
    "main",
    "normalise",
    "prepare_kernels",
]

FOLDER = Path(__file__).resolve().parents[1] / "notebooks"

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
