"""The tools, one module a tier. Importing this package puts all of them on the list."""

from teachmem.server.tools import (
    catalogue,
    discover,
    episodic,
    governance,
    graph,
    procedural,
    semantic,
    working,
)

__all__ = ["catalogue", "discover", "episodic", "governance", "graph", "procedural", "semantic", "working"]
