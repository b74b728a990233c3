"""The systems that can be asked by name, and what each needs.

>>> known("naive").make(print).name
'naive'

An adapter of one's own is named by its file: "mine.py", or "mine.py:Mine" where it holds several.

Left out: the adapters. To add one to the kit, put it into `KNOWN`; `docs/adapters.md` says how.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import cast

from teachmem.errors import InvalidInput
from teachmem.marks.system import System
from teachmem.marks.systems.lodger import Say

HERE = "nothing"
ROOM = "the network, once, to install it in an environment of its own"


@dataclass(frozen=True, slots=True)
class Known:
    """One system: its name on the command line, its adapter as "module:name", and what it needs."""

    name: str
    adapter: str
    needs: str
    says: bool = False  # whether the adapter is told whom to tell what it installs

    def make(self, say: Say) -> System:
        """Return it, not open yet; `say` hears of every installation."""
        module, _, name = self.adapter.partition(":")
        adapter = getattr(import_module(f"teachmem.marks.systems.{module}"), name)
        return cast(System, adapter(say) if self.says else adapter())


KNOWN = (
    Known("teachmem", "in_process:InProcess", HERE),
    Known("mcp", "over_mcp:OverMcp", "fastmcp, which the extra full brings"),
    Known("http", "over_mcp:OverHttp", "fastmcp, which the extra full brings"),
    Known("naive", "naive:Naive", HERE),
    Known("server-memory", "server_memory:ServerMemory", f"node and npm, and {ROOM}", says=True),
    Known("langgraph-memory", "langgraph:in_memory", ROOM, says=True),
    Known("langgraph-sqlite", "langgraph:sqlite", ROOM, says=True),
    Known("mem0", "mem0:mem0", ROOM, says=True),
    Known("chroma", "chroma:chroma", f"{ROOM}, unless this one has it", says=True),
)


def known(name: str) -> Known:
    """Return the system of a name. Raises `InvalidInput` that lists those there are."""
    for one in KNOWN:
        if one.name == name:
            return one
    names = ", ".join(one.name for one in KNOWN)
    raise InvalidInput("--system", f"{name!r} is none of: {names}; nor is it the file of an adapter, FILE.py")


def maker(name: str, say: Callable[[str], None]) -> Callable[[], System]:
    """Return what makes the system of this name anew for every probe. A file is run, once."""
    file, _, called = name.partition(":")
    if file.endswith(".py"):
        return _of_file(Path(file), called)
    one = known(name)
    return lambda: one.make(say)


def _of_file(file: Path, called: str) -> type[System]:
    """Return the adapter that a file of Python defines: the one of that name, or its only one."""
    spec = spec_from_file_location(f"adapter_{file.stem}", file)
    if spec is None or spec.loader is None or not file.is_file():
        raise InvalidInput("--system", f"there is no file {file}")
    module = module_from_spec(spec)
    sys.modules[spec.name] = module  # a dataclass looks its module up there
    if (beside := str(file.resolve().parent)) not in sys.path:
        sys.path.append(beside)  # what it adapts often lies beside it
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise InvalidInput("--system", f"{file} does not run: {type(error).__name__}: {error}") from error
    found = {
        key: value
        for key, value in vars(module).items()
        if isinstance(value, type) and issubclass(value, System) and value.__module__ == spec.name
    }
    if called in found:
        return found[called]
    if not found:
        raise InvalidInput("--system", f"{file} defines no adapter, which is a class made from System")
    if called or len(found) != 1:
        which = f"no {called}" if called else "several adapters"
        there = ", ".join(found)
        raise InvalidInput("--system", f"{file} defines {which}; in it are: {there}. Say FILE.py:NAME")
    return next(iter(found.values()))
