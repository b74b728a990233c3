"""The tools, one module a tier. Importing this package puts all of them on the list."""

from teachmem.server.tools import (
    answering,
    asking,
    catalogue,
    discover,
    episodic,
    evolving,
    governance,
    graph,
    procedural,
    review,
    semantic,
    working,
)

__all__ = [
    "answering",
    "asking",
    "catalogue",
    "discover",
    "episodic",
    "evolving",
    "governance",
    "graph",
    "procedural",
    "review",
    "semantic",
    "working",
]
