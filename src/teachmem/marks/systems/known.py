"""The systems that can be asked by name, and what each needs.

>>> known("naive").make(print).name
'naive'

Left out: the adapters. To add one, put it into `KNOWN`; `docs/adapters.md` says how.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
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
    raise InvalidInput("--system", f"{name!r} is none of: {names}")


def maker(name: str, say: Callable[[str], None]) -> Callable[[], System]:
    """Return what makes the system of this name anew for every probe."""
    one = known(name)
    return lambda: one.make(say)
