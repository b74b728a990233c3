"""Floor 7, benchmarks: how long things take on this machine, as ratios within one run.

A benchmark is not a test: nothing here passes or fails. `run` makes a store of each size in a
folder of its own, measures, and takes the folder away.

Left out: comparisons between machines. A ratio may be compared, a millisecond may not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from teachmem.bench import audit, consolidate, context, imports, recall, scope, search, server, write
from teachmem.bench.measure import Report
from teachmem.errors import InvalidInput

_RUNNERS: dict[str, tuple[Callable[..., Report], Sequence[int]]] = {
    "recall": (recall.run, recall.SIZES),
    "search": (search.run, search.SIZES),
    "audit": (audit.run, audit.SIZES),
    "write": (write.run, write.SIZES),
    "scope": (scope.run, scope.SIZES),
    "context": (context.run, context.SIZES),
    "consolidate": (consolidate.run, consolidate.SIZES),
    "server": (server.run, server.SIZES),
    "import": (imports.run, imports.SIZES),
}
NAMES = tuple(_RUNNERS)

__all__ = ["NAMES", "Report", "run"]


def run(name: str, sizes: Sequence[int] | None = None, queries: int | None = None) -> Report:
    """Run the benchmark `name` on stores of these sizes, so many questions each; left out, its own."""
    if name not in _RUNNERS:
        raise InvalidInput("name", f"{name!r} is no benchmark; there is: {', '.join(NAMES)}")
    runner, usual = _RUNNERS[name]
    given = {"sizes": sizes, "queries": None if queries is None else [queries]}
    for field, values in given.items():
        if values is not None and (not values or min(values) < 1):
            raise InvalidInput(field, f"must be 1 or more, not {values!r}")
    return runner(usual if sizes is None else sizes, **({} if queries is None else {"queries": queries}))
