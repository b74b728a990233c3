"""mem0 with local parts: no key, no network, and no model between what is said and what is kept.

Left out: extraction (`infer=True`), which is a model's work; no answer here says anything about it.
"""

from __future__ import annotations

from teachmem.marks.system import System
from teachmem.marks.systems.lodger import Kind, Lodger, Say, silent
from teachmem.marks.systems.rooms import Room

PACKAGES = ("mem0ai==2.2.1", "qdrant-client==1.20.0", "langchain==1.1.0")
MEM0 = Kind(
    name="mem0",
    way=(
        "Memory.add(infer=False), search(filters=), get, update, delete and history, with Qdrant in a folder "
        "and a local embedder of words through the provider langchain; user_id is the scope, the message's "
        "name is the writer."
    ),
    room=Room("mem0", "python", PACKAGES),
    served="serve_mem0.py",
    settings={},
    writes=("private", "shared", "expires_at"),
    reads=("history", "trail"),
)


def mem0(say: Say = silent) -> System:
    """Return a mem0 that is not open yet."""
    return Lodger(MEM0, say)
