"""What a process runs first, so that one of its modules is the student's from the very first import.

This file is run by its path and imports nothing of teachmem: once a module is imported, others hold its
names, in default arguments, in statements that were prepared, in tables. A finder stands before all of
Python's own. When the module's turn comes, the package's is run, then the student's, and every public
name that both have is the student's from then on, for whoever imports it, by whatever name. Names that
the student has not written stay the package's, and call the student's.

Nothing is undone, because the process ends. Left out: the processes that this one may start; they run
the package's own module.
"""

from __future__ import annotations

import contextlib
import importlib.abc
import importlib.machinery
import importlib.util
import io
import json
import linecache
import os
import pickle
import struct
import sys
from collections.abc import Mapping, Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

OWN = "teachmem_rebuilt"  # the name under which the student's file is imported


class Rebuilding(importlib.abc.MetaPathFinder):
    """Finds the package's module `module` (`teachmem.recall.score`), with the student's laid over it.

    `file` is a Python file, or with `pickled` a pickle of what a notebook handed in: its names, and the
    source of each. `taken` are the names that were laid over; `fault` says why
    there are none.
    """

    def __init__(self, module: str, file: Path, pickled: bool) -> None:
        self.module, self.file, self.pickled = module, file, pickled
        self.given: tuple[str, ...] = ()
        self.taken: tuple[str, ...] = ()
        self.fault = ""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec of the one module that is rebuilt; None leaves every other to Python."""
        if fullname != self.module:
            return None
        spec = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = _Overlay(spec.loader, self)
        return spec

    def names(self) -> Mapping[str, Any]:
        """Run what the student has written and return what it defines."""
        if self.pickled:
            packed, sources = pickle.loads(self.file.read_bytes())
            names: dict[str, Any] = pickle.loads(packed)
            for name, source in sources.items():
                _with_source(names[name], f"<rebuilt {name}>", source)
            return names
        spec = importlib.util.spec_from_file_location(OWN, self.file)
        assert spec is not None
        assert spec.loader is not None
        module = sys.modules[OWN] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return vars(module)

    def lay_over(self, module: ModuleType) -> None:
        """Put the student's names in the place of those of `module`."""
        try:
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                names = dict(self.names())
        except BaseException as error:  # an exit, too; told by whoever asks
            self.fault = f"it cannot be imported: {type(error).__name__}: {error}"
            return
        self.given = tuple(sorted(name for name in names if not name.startswith("_")))
        ours = {name: thing for name, thing in vars(module).items() if not name.startswith("_")}
        own = {name: names[name] for name in ours if name in names and names[name] is not ours[name]}
        vars(module).update(own)
        self.taken = tuple(own)


def _with_source(thing: Any, place: str, source: str) -> None:
    """Let a function that came without its file show its source."""
    if isinstance(thing, FunctionType):
        thing.__code__ = thing.__code__.replace(co_filename=place, co_firstlineno=1)
        linecache.cache[place] = (len(source), None, source.splitlines(keepends=True), place)


class _Overlay(importlib.abc.Loader):
    def __init__(self, ours: Any, finder: Rebuilding) -> None:
        self.ours, self.finder = ours, finder

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Leave it to Python."""
        return None

    def exec_module(self, module: ModuleType) -> None:
        """Run the package's module, then lay the student's over it."""
        self.ours.exec_module(module)
        self.finder.lay_over(module)

    def __getattr__(self, name: str) -> Any:  # its source, its path: those of the package's
        return getattr(self.ours, name)


def install(module: str, file: str, pickled: bool) -> None:
    """Have `module` be the student's in this process. Nothing of teachmem may have been imported yet."""
    sys.meta_path.insert(0, Rebuilding(module, Path(file), pickled))


def installed() -> Any:
    """Return the finder that this process was started with, or None. By name: this file has two lives."""
    found = (finder for finder in sys.meta_path if type(finder).__name__ == Rebuilding.__name__)
    return next(found, None)


def fail(error: BaseException) -> None:
    """Tell who waits, as `course/worker.py` would, that the kit cannot even be imported on the module."""
    told = f"the kit cannot be imported on it: {type(error).__name__}: {error}"
    body = json.dumps({"n": 1, "fault": told}).encode()
    with contextlib.suppress(OSError):
        os.write(1, struct.pack(">I", len(body)) + body)
    os._exit(1)


def main() -> None:
    """Start a kernel: `boot.py WHAT -f FILE`, where WHAT is the JSON of what `install` takes."""
    sys.path[:] = [place for place in sys.path if Path(place or ".").resolve() != Path(__file__).parent]
    install(**json.loads(sys.argv.pop(1)))
    from ipykernel.kernelapp import launch_new_instance

    launch_new_instance()


if __name__ == "__main__":
    main()
