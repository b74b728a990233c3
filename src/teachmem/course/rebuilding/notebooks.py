"""Every notebook, run on a student's module, and compared with what is stored, cell by cell.

The kernel is started through `boot.py`, so that the module is the student's before anything is
imported. Everything that a cell prints or shows must be the same, but for pictures in PNG, whose bytes
are the plotting library's, and for cells that are tagged `nbval-ignore-output`. Where a cell prints the
source of what was rebuilt, the student's stands for the package's. A foil that breaks the module from
inside may find nothing to break in the student's, so a cell that switches one on may differ. A notebook
that shows something else on the package's own module too (a part of the kit is not installed) is not judged.

Left out: copies in `work/`. The committed notebooks are run, whose exercises are open.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from teachmem.course import notebook as notebook_files
from teachmem.course.normal_form import normalise
from teachmem.course.rebuilding import boot, own
from teachmem.course.rebuilding.report import Ruling
from teachmem.errors import TeachmemError
from teachmem.marks import foil

CELL = 120  # seconds, for one cell

#: What every kernel is started with: fixed hashes, one time zone, static views, this environment's kernel.
ENVIRONMENT = {
    "PYTHONHASHSEED": "0",
    "TZ": "UTC",
    "TEACHMEM_STATIC": "1",
    "JUPYTER_PREFER_ENV_PATH": "1",
    "ANONYMIZED_TELEMETRY": "False",
    "PYDEVD_DISABLE_FILE_VALIDATION": "1",
}
_QUIET = "get_config().IPKernelApp.log_level = 40\n"  # no note about local sockets


def run(
    what: Mapping[str, Any],
    sources: Mapping[str, str],
    segments: Sequence[str],
    tell: Callable[[str], None],
) -> Iterator[Ruling]:
    """Run the notebooks of `segments`, or all, on the student's module; stop after one that differs."""
    try:
        found = files(segments)
    except TeachmemError as error:
        tell(str(error))
        yield Ruling("notebooks", "", unjudged=f"not run: {error}")
        return
    for path in found:
        tell(f"notebook {path.stem} ...")
        seen = unlike(path, what, sources, tell)
        if seen and unlike(path, None, {}, tell):
            told = f"{path.stem}: shows something else on the package's own module, too, so it says nothing"
            yield Ruling(path.stem, "", unjudged=told)
            continue
        yield Ruling(path.stem, f"Notebook {path.stem} shows what is stored.", seen)
        if seen:
            return


def files(segments: Sequence[str]) -> list[Path]:
    """Return the notebooks to run. Raises `TeachmemError` where the course lies without them."""
    folder = _folder()
    found = sorted(folder.glob("[0-9][0-9]-*.ipynb"))
    wanted = {str(number).zfill(2) for number in segments}
    if strange := wanted - {path.name[:2] for path in found}:
        raise TeachmemError(f"there is no notebook of segment {', '.join(sorted(strange))} in {folder}")
    return [path for path in found if not wanted or path.name[:2] in wanted]


def _folder() -> Path:
    here = Path.cwd()
    for place in (Path(boot.__file__).parents[4], here, *here.parents):
        if (place / "notebooks" / "00-start-here.ipynb").is_file():
            return place / "notebooks"
    raise TeachmemError("the notebooks are not part of the installed package; work in a checkout of teachmem")


def unlike(
    path: Path,
    what: Mapping[str, Any] | None,
    sources: Mapping[str, str],
    tell: Callable[[str], None] = lambda line: None,
) -> str:
    """Say in which cell a notebook first shows something else than is stored, or ""."""
    stored = notebook_files.read(path)
    found, stopped = executed(path, what)
    ours, foils = _our_sources(what), _foils_of(what["module"]) if what else ()
    for cell, ran in zip(stored.cells, normalise(found)["cells"], strict=True):
        if not cell.is_code or "nbval-ignore-output" in cell.tags:
            continue
        due, got = _shown(cell.outputs), _shown(ran["outputs"])
        for name, source in sources.items():
            got = [text.replace(source.rstrip(), ours.get(name, source).rstrip()) for text in got]
        if due != got and not stopped and any(f'"{foil}"' in cell.source for foil in foils):
            tell(f"  cell {cell.name} switches on a foil of what you have rebuilt, so it was not compared")
        elif due != got:
            return f"cell {cell.name} {stopped or _difference(due, got)}"
    return f"it {stopped}" if stopped else ""


def _foils_of(module: str) -> list[str]:
    """Return the names of the foils that put something else into a module, or into a class of it."""
    reached: dict[str, list[object]] = {}
    for one in foil.foils():
        reached[one.name] = []
        one.apply(lambda target, name, instead, at=reached[one.name]: at.append(target))
    return [
        name
        for name, targets in reached.items()
        if any(module in (vars(one).get("__module__"), getattr(one, "__name__", "")) for one in targets)
    ]


def _our_sources(what: Mapping[str, Any] | None) -> dict[str, str]:
    if what is None:
        return {}
    file = Path(boot.__file__).parents[2].joinpath(*what["module"].split(".")[1:]).with_suffix(".py")
    return own.sources_of(file.read_text(encoding="utf-8"))


def _shown(outputs: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return all that a cell showed, each text with what kind it is of."""
    texts = []
    for output in outputs:
        if output["output_type"] == "stream":
            texts.append(f"{output['name']}: {''.join(output['text'])}")
        elif output["output_type"] == "error":
            texts.append(f"error: {output['ename']}: {output['evalue']}")
        for kind, value in sorted(output.get("data", {}).items()):
            if not kind.startswith("image/") or kind == "image/svg+xml":
                texts.append(f"{kind}: {value if isinstance(value, str) else ''.join(map(str, value))}")
    return texts


def _difference(due: Sequence[str], got: Sequence[str]) -> str:
    """Say the first line that differs."""
    one = "\n".join(due).splitlines()
    other = "\n".join(got).splitlines()
    for line, new in zip(one, other, strict=False):
        if line != new:
            return f"shows {new[:160]!r} where {line[:160]!r} is stored"
    rest = other[len(one) :] or one[len(other) :]
    return (
        f"shows {rest[0][:160]!r} beyond what is stored"
        if len(other) > len(one)
        else f"lacks {rest[0][:160]!r}"
    )


def executed(path: Path, what: Mapping[str, Any] | None) -> tuple[dict[str, Any], str]:
    """Run a notebook from the top in a kernel of its own; return it, and why it stopped early, if so."""
    import nbformat
    from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
    from jupyter_client.manager import AsyncKernelManager
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

    argv = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    if what is not None:
        argv[1:3] = [boot.__file__, json.dumps(what)]

    class Specs(KernelSpecManager):
        def get_kernel_spec(self, kernel_name: str) -> KernelSpec:
            return KernelSpec(argv=argv, display_name="Python 3", language="python")

    book = nbformat.reads(path.read_text(encoding="utf-8"), as_version=4)  # type: ignore[no-untyped-call]
    for cell in book.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    manager = AsyncKernelManager(kernel_name="python3", kernel_spec_manager=Specs())
    client = NotebookClient(
        book,
        km=manager,
        timeout=CELL,
        resources={"metadata": {"path": str(path.parent)}},
        shutdown_kernel="immediate",
        store_widget_state=False,
        record_timing=False,
    )
    stopped = ""
    with tempfile.TemporaryDirectory(prefix="teachmem-ipython-") as home:
        config = Path(home) / "profile_default" / "ipython_kernel_config.py"
        config.parent.mkdir()
        config.write_text(_QUIET, encoding="utf-8")
        environment = os.environ | ENVIRONMENT | {"IPYTHONDIR": home}
        environment.pop("MPLBACKEND", None)  # the kernel chooses its inline backend only when none is set
        try:
            client.execute(cleanup_kc=True, env=environment)
        except CellExecutionError as error:
            stopped = f"raised {error.ename}: {error.evalue}"[:300]
        except CellTimeoutError:
            stopped = f"did not end within {CELL} seconds"
        except (DeadKernelError, RuntimeError) as error:
            stopped = f"brought its kernel down ({type(error).__name__})"
    plain: dict[str, Any] = json.loads(json.dumps(book))
    return plain, stopped
