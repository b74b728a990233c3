"""Floor 7, benchmarks: how long things take on this machine, as ratios within one run.

A benchmark is not a test: nothing here passes or fails. `run` makes a store of each size in a
folder of its own, measures, and takes the folder away.

Left out: comparisons between machines. A ratio may be compared, a millisecond may not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from teachmem.bench import recall
from teachmem.bench.measure import Report
from teachmem.errors import InvalidInput

_RUNNERS: dict[str, Callable[[Sequence[int], int], Report]] = {"recall": recall.run}
NAMES = tuple(_RUNNERS)

__all__ = ["NAMES", "Report", "run"]


def run(name: str, sizes: Sequence[int] = recall.SIZES, queries: int = recall.QUERIES) -> Report:
    """Run the benchmark `name` on stores of these sizes with so many different questions each."""
    if name not in _RUNNERS:
        raise InvalidInput("name", f"{name!r} is no benchmark; there is: {', '.join(NAMES)}")
    for field, values in (("sizes", sizes), ("queries", [queries])):
        if not values or min(values) < 1:
            raise InvalidInput(field, f"must be 1 or more, not {values!r}")
    return _RUNNERS[name](sizes, queries)
