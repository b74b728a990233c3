"""Timing, and the report that every benchmark returns: a table, remarks, figures and curves.

>>> Timing.of([1.0, 2.0, 9.0]).median
2.0
>>> report = Report("demo", ("events", "ms"), (("1,000", "0.5"),), ("Measured once.",), {"sizes": [1000]})
>>> print("\\n".join(report.lines()))
events    ms
────────────
 1,000   0.5
<BLANKLINE>
Measured once.
>>> print(*Curves("events", "ms", {"recall": {1_000: 2.0, 10_000: 3.0}}).growth())
recall grows from 1,000 events: x1.5 to 10,000.

Left out: deciding whether a figure is good, and drawing (`curves.py`).
"""

from __future__ import annotations

import gc
import io
import math
import os
import platform
import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import pairwise
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


@dataclass(frozen=True, slots=True)
class Spent:
    """What a way cost each time: milliseconds on the clock, and of the processor alone."""

    clock: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)

    def on(self, act: Callable[..., object], *given: object) -> None:
        """Do `act` once. Waiting, for the disk or for a core, is on the clock alone."""
        start, busy = time.perf_counter(), time.process_time()
        act(*given)
        self.processor.append((time.process_time() - busy) * 1000)
        self.clock.append((time.perf_counter() - start) * 1000)


def by_turns(
    ways: Mapping[str, Callable[[int], object]], times: int, before: Callable[[int], object] = bool
) -> dict[str, Spent]:
    """Do each way once a turn, so that a busy moment of the machine meets them all; turn -1 does not count.

    `before` is done at the beginning of each turn, and is not timed.
    """
    gc.collect()
    spent = {name: Spent() for name in ways}
    for turn in range(-1, times):
        before(turn)
        for name, act in ways.items():
            (spent[name] if turn >= 0 else Spent()).on(act, turn)
    return spent


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
class Curves:
    """What grows with what: of each way, its figure at each size. One size alone is drawn as bars."""

    of: str  # what is counted by the sizes
    unit: str
    ways: Mapping[str, Mapping[int, float]]

    def growth(self) -> Iterator[str]:
        """Say of each way how its figure grows from size to size."""
        for name, values in self.ways.items():
            sizes = sorted(values)
            steps = [f"x{values[large] / values[small]:.1f} to {large:,}" for small, large in pairwise(sizes)]
            if steps:
                yield f"{name} grows from {sizes[0]:,} {self.of}: {', '.join(steps)}."


@dataclass(frozen=True, slots=True)
class Report:
    """What a benchmark found: a table for people, `figures` for programs, `curves` to be drawn."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    remarks: tuple[str, ...]
    figures: Mapping[str, Any]
    curves: Curves | None = None
    machine: Mapping[str, Any] = field(default_factory=machine)

    def lines(self) -> list[str]:
        """Return the table, how the curves grow, and the remarks as plain text."""
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
        grown = self.curves.growth() if self.curves else ()
        return [*(line for line in shown if line), "", *grown, *self.remarks]

    def as_json(self) -> dict[str, Any]:
        """Return everything as plain values that `json.dumps` takes."""
        return {"benchmark": self.name, "machine": dict(self.machine), **dict(self.figures)}


def plain(value: Any) -> dict[str, Any]:
    """Return a frozen record of figures as a dict, nested ones too."""
    return asdict(value)
