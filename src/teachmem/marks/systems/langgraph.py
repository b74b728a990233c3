"""LangGraph's long-term stores: the one in memory, and the one in SQLite.

Left out: checkpointers, which keep the state of a graph rather than memories.
"""

from __future__ import annotations

from teachmem.marks.system import System
from teachmem.marks.systems.lodger import Kind, Lodger, Say, silent
from teachmem.marks.systems.rooms import Room

PACKAGES = ("langgraph==1.2.24", "langgraph-checkpoint-sqlite==3.1.2")
ROOM = Room("langgraph", "python", PACKAGES)
_WAY = "put, get, search and delete, with a namespace for every scope and a JSON document for every memory"

IN_MEMORY = Kind(
    name="langgraph-memory",
    way=f"InMemoryStore with an index over the text, by a local embedder of words: {_WAY}.",
    room=ROOM,
    served="serve_langgraph.py",
    settings={"store": "memory"},
    keeps=False,
)
SQLITE = Kind(
    name="langgraph-sqlite",
    way=(
        f"SqliteStore in a file: {_WAY}; found by vectors where this Python loads SQLite's extensions, "
        "elsewhere a namespace is listed and ranked by shared words."
    ),
    room=ROOM,
    served="serve_langgraph.py",
    settings={"store": "sqlite"},
)


def in_memory(say: Say = silent) -> System:
    """Return an InMemoryStore that is not open yet."""
    return Lodger(IN_MEMORY, say)


def sqlite(say: Say = silent) -> System:
    """Return a SqliteStore that is not open yet."""
    return Lodger(SQLITE, say)
