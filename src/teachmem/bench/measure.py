"""Timing, and the report that every benchmark returns.

>>> Timing.of([1.0, 2.0, 9.0]).median
2.0
>>> report = Report("demo", ("events", "ms"), (("1,000", "0.5"),), ("Measured once.",), {"sizes": [1000]})
>>> print("\\n".join(report.lines()))
events    ms
────────────
 1,000   0.5
<BLANKLINE>
Measured once.

Left out: deciding whether a figure is good.
"""

from __future__ import annotations

import gc
import io
import math
import os
import platform
import statistics
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np


@dataclass(frozen=True, slots=True)
class Timing:
    """Milliseconds of several runs: the middle one, and the one that 95 of 100 do not exceed."""

    median: float
    p95: float
    runs: int

    @classmethod
    def of(cls, milliseconds: Sequence[float]) -> Timing:
        """Sum up single measurements."""
        ordered = sorted(milliseconds)
        last = math.ceil(0.95 * len(ordered)) - 1
        return cls(statistics.median(ordered), ordered[last], len(ordered))


def milliseconds(act: Callable[[], object]) -> float:
    """Run `act` once and return how long it took."""
    start = time.perf_counter()
    act()
    return (time.perf_counter() - start) * 1000


def timing(acts: Iterable[Callable[[], object]]) -> Timing:
    """Time each of `acts` once, after a collection of garbage."""
    gc.collect()
    return Timing.of([milliseconds(act) for act in acts])


def machine() -> dict[str, Any]:
    """Say what the figures were measured on, without naming the machine."""
    return {
        "python": platform.python_version(),
        "numpy": np.__version__,
        "system": platform.system(),
        "processor": platform.machine(),
        "cores": os.cpu_count(),
    }


@dataclass(frozen=True, slots=True)
class Report:
    """What a benchmark found: a table for people, and `figures` for programs."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    remarks: tuple[str, ...]
    figures: Mapping[str, Any]
    machine: Mapping[str, Any] = field(default_factory=machine)

    def lines(self) -> list[str]:
        """Return the table and the remarks as plain text."""
        from rich import box
        from rich.console import Console
        from rich.table import Table

        table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
        for column in self.columns:
            table.add_column(column, justify="right")
        for row in self.rows:
            table.add_row(*row)
        out = io.StringIO()
        Console(file=out, width=200, color_system=None).print(table)
        shown = [line.rstrip() for line in out.getvalue().splitlines()]
        return [*(line for line in shown if line), "", *self.remarks]

    def as_json(self) -> dict[str, Any]:
        """Return everything as plain values that `json.dumps` takes."""
        return {"benchmark": self.name, "machine": dict(self.machine), **dict(self.figures)}


def plain(value: Any) -> dict[str, Any]:
    """Return a frozen record of figures as a dict, nested ones too."""
    return asdict(value)
