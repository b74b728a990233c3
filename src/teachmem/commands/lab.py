"""`teachmem lab`: JupyterLab on the student's own copies of the notebooks.

Copies are made once, in `work/`, and never overwritten. A copy has no outputs and no notes for the
instructor, so that a prediction is not answered by the page it stands on. JupyterLab listens on this
machine only.

Left out: setting up (`make lab` does it first).
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer

from teachmem import errors
from teachmem.commands import places


def lab(
    segment: Annotated[str, typer.Argument(metavar="[NN]", help="The segment to open.")] = "00",
    fresh: Annotated[
        str, typer.Option(metavar="NN", help="Make a new copy of this segment beside yours, and open it.")
    ] = "",
    no_browser: Annotated[
        bool, typer.Option("--no-browser-open", help="Print the address instead of opening a browser.")
    ] = False,
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 takes a free one.")] = 8888,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be done, and do nothing.")
    ] = False,
) -> None:
    """Open JupyterLab on your copy of a segment, on this machine only."""
    folder, source = places.work(), places.original(fresh or segment)
    planned = missing_copies(folder)
    target = next_name(folder, source.stem) if fresh else folder / source.name
    if fresh and target not in planned:
        planned[target] = source
    for copy, original in planned.items():
        typer.echo(f"{'would copy' if dry_run else 'copying'} {original.name} to {copy}")
        if not dry_run:
            make_copy(original, copy)
    if not planned:
        typer.echo(f"your copies are in {folder}; they stay as they are")
    if importlib.util.find_spec("jupyterlab") is None:
        raise errors.TeachmemError("JupyterLab is not installed; run `make setup`")
    command = command_for(target, port, no_browser)
    if dry_run:
        typer.echo(f"would open {target}")
        typer.echo(f"would run {' '.join(command)}")
        return
    typer.echo(f"opening {target}; Ctrl-C here ends JupyterLab, which asks back")
    raise typer.Exit(run(command))


def missing_copies(folder: Path) -> dict[Path, Path]:
    """Return which copies are not there yet, each with its original."""
    pairs = {folder / path.name: path for path in places.originals().values()}
    return {copy: original for copy, original in pairs.items() if not copy.exists()}


def next_name(folder: Path, stem: str) -> Path:
    """Return a name beside the copies there are: `02-x.ipynb`, then `02-x-2.ipynb`, `02-x-3.ipynb` ..."""
    number = 1
    while (path := folder / f"{stem}{f'-{number}' if number > 1 else ''}.ipynb").exists():
        number += 1
    return path


def make_copy(original: Path, copy: Path) -> None:
    """Write a student's copy; a file that is there already, even since just now, is left alone."""
    try:
        copy.parent.mkdir(parents=True, exist_ok=True)
        with copy.open("x", encoding="utf-8", newline="\n") as file:
            file.write(for_student(original.read_text(encoding="utf-8")))
    except FileExistsError:
        if not copy.is_file():
            raise errors.TeachmemError(f"{copy} is in the way; move it aside") from None
    except OSError as error:
        raise errors.TeachmemError(
            f"{copy} cannot be written ({error.strerror}); set TEACHMEM_WORK to a folder of yours"
        ) from error


def for_student(text: str) -> str:
    """Return a notebook without outputs and without the cells that speak to the instructor."""
    notebook = json.loads(text)
    notebook["cells"] = [
        cell | ({"outputs": [], "execution_count": None} if cell["cell_type"] == "code" else {})
        for cell in notebook["cells"]
        if "speaker" not in cell["metadata"].get("tags", [])
    ]
    return json.dumps(notebook, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def command_for(target: Path, port: int, no_browser: bool) -> list[str]:
    """Return the command that opens `target`, with the checkout as root where it can be, for the links."""
    checkout = places.checkout()
    root = checkout if target.is_relative_to(checkout) else target.parent
    return [
        *(sys.executable, "-m", "jupyter", "lab"),
        f"--ServerApp.root_dir={root}",
        f"--FileContentsManager.preferred_dir={target.parent}",
        f"--LabApp.default_url=/lab/tree/{target.relative_to(root).as_posix()}",
        "--ServerApp.ip=127.0.0.1",
        "--ServerApp.allow_remote_access=False",
        f"--ServerApp.port={port}",
        "--LabApp.news_url=None",
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
        "--LabApp.extension_manager=readonly",  # it would ask a package registry
        *(["--no-browser"] if no_browser else []),
        # In a container one is often root; the server is for this machine and asks for its token.
        *(["--allow-root"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []),
    ]


def run(command: list[str]) -> int:
    """Become JupyterLab, so that every signal is its own; on Windows, run it and wait for its end."""
    environment = {name: value for name, value in os.environ.items() if name != "TEACHMEM_STATIC"}
    environment["JUPYTER_PREFER_ENV_PATH"] = "1"  # this environment's kernel before any other python3
    sys.stdout.flush()
    if os.name != "nt":
        os.execve(command[0], command, environment)
    process = subprocess.Popen(command, env=environment)
    while True:
        try:
            return process.wait()
        except KeyboardInterrupt:  # the terminal has sent it to JupyterLab as well, which asks back
            continue
