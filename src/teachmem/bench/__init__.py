"""Floor 7, benchmarks: how long things take on this machine, as ratios within one run.

A benchmark is not a test: nothing here passes or fails. `run` makes a store of each size in a
folder of its own, measures, and takes the folder away.

Left out: comparisons between machines. A ratio may be compared, a millisecond may not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from teachmem.bench import audit, recall, scope, search, server
from teachmem.bench.measure import Report
from teachmem.errors import InvalidInput

_RUNNERS: dict[str, tuple[Callable[[Sequence[int], int], Report], Sequence[int]]] = {
    "recall": (recall.run, recall.SIZES),
    "search": (search.run, search.SIZES),
    "audit": (audit.run, audit.SIZES),
    "server": (server.run, server.SIZES),
    "scope": (scope.run, scope.SIZES),
}
NAMES = tuple(_RUNNERS)

__all__ = ["NAMES", "Report", "run"]


def run(name: str, sizes: Sequence[int] | None = None, queries: int = recall.QUERIES) -> Report:
    """Run the benchmark `name` on stores of these sizes (its own if left out), so many questions each."""
    if name not in _RUNNERS:
        raise InvalidInput("name", f"{name!r} is no benchmark; there is: {', '.join(NAMES)}")
    runner, usual = _RUNNERS[name]
    sizes = usual if sizes is None else sizes
    for field, values in (("sizes", sizes), ("queries", [queries])):
        if not values or min(values) < 1:
            raise InvalidInput(field, f"must be 1 or more, not {values!r}")
    return runner(sizes, queries)
