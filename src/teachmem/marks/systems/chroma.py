"""Chroma alone: a vector database used as a memory.

Where this installation has the pinned chromadb itself, its interpreter serves as the room: the database
still runs in a process of its own.

Left out: Chroma's server, and its own embedder, which would be downloaded.
"""

from __future__ import annotations

import importlib.metadata
import sys
from pathlib import Path

from teachmem.marks.system import System
from teachmem.marks.systems.lodger import Kind, Lodger, Say, silent
from teachmem.marks.systems.rooms import Room

NUMBER = "1.5.9"
CHROMA = Kind(
    name="chroma",
    way=(
        "PersistentClient on a folder: add, query, get, update and delete, with a collection for every scope "
        "and the vectors of a local embedder of words."
    ),
    room=Room("chroma", "python", (f"chromadb=={NUMBER}",)),
    served="serve_chroma.py",
    settings={},
)


def chroma(say: Say = silent) -> System:
    """Return a Chroma that is not open yet."""
    return Lodger(CHROMA, say, Path(sys.executable) if _here() else None)


def _here() -> bool:
    try:
        return importlib.metadata.version("chromadb") == NUMBER
    except importlib.metadata.PackageNotFoundError:
        return False
