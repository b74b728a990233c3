"""What the course costs to run: every notebook from the top in a fresh kernel, beside an empty notebook.

The system says what a kernel, and every process that it has waited for, has taken of the processor.

Left out: comparing outputs, which `make test` does; the time that a student takes to read; and processor time
on Windows, which does not say what others have taken.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

from teachmem.bench.measure import Curves, Report, milliseconds, plain
from teachmem.errors import InvalidInput
from teachmem.show import style

EMPTY = "an empty notebook"
SECONDS = 300  # that one cell may take
AS_STORED = {"TEACHMEM_STATIC": "1", "PYTHONHASHSEED": "0", "TZ": "UTC", "JUPYTER_PREFER_ENV_PATH": "1"}


@dataclass(frozen=True, slots=True)
class Row:
    """One notebook: its code cells, seconds of the processor, and seconds on the clock, kernel included."""

    notebook: str
    cells: int
    processor: float
    clock: float


def run(paths: Sequence[Path]) -> Report:
    """Execute these notebooks one after the other, and an empty one before them; no file is changed."""
    try:
        import nbclient  # noqa: F401
    except ImportError as missing:
        raise InvalidInput("name", "bench notebooks needs nbclient; install teachmem[core]") from missing
    if not paths:
        raise InvalidInput("paths", "name no notebook")
    with tempfile.TemporaryDirectory() as home:
        rows = _rows(paths, Path(home))
    least, read = rows[0].processor, rows[1:]
    total = Row("together", *(sum(column) for column in zip(*map(_figures, read), strict=True)))
    table = tuple(
        (
            row.notebook,
            f"{row.cells}",
            f"{row.processor:.1f}",
            f"{row.processor / least:.1f}",
            f"{row.clock:.1f}",
        )
        for row in (*rows, total)
    )
    columns = ("notebook", "code cells", "processor s", "x empty", "clock s")
    remarks = (f"Each in a kernel of its own; {EMPTY} is what starting and ending one costs.",)
    curves = Curves("", "seconds of the processor", _drawn(rows))
    figures = {"rows": [plain(row) for row in rows], "together": plain(total)}
    return Report("notebooks", columns, table, remarks, figures, curves)


def _rows(paths: Sequence[Path], home: Path) -> list[Row]:
    """Execute an empty notebook and these, away from the settings and the record of whoever measures."""
    import nbformat

    settings = home / "profile_default" / "ipython_kernel_config.py"
    settings.parent.mkdir()
    settings.write_text("get_config().IPKernelApp.log_level = 40\n", encoding="utf-8")  # errors only
    empty: Any = nbformat.v4.new_notebook()  # type: ignore[no-untyped-call]
    with mock.patch.dict(os.environ, AS_STORED, IPYTHONDIR=str(home), TEACHMEM_HOME=str(home)):
        rows = [_executed(EMPTY, empty, home)]
        for path in paths:
            book: Any = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
            rows.append(_executed(path.stem, book, path.parent))
    return rows


def _drawn(rows: Sequence[Row]) -> dict[str, dict[int, float]]:
    """Return the empty notebook, those that take most one by one, and the others as one."""
    empty, *read = rows
    ordered = sorted(read, key=lambda row: -row.processor)
    own, others = ordered[: style.MOST_MARKS - 2], ordered[style.MOST_MARKS - 2 :]
    drawn = {row.notebook: row.processor for row in (empty, *own)}
    if others:
        drawn[f"and {len(others)} more"] = sum(row.processor for row in others)
    return {name: {0: seconds} for name, seconds in drawn.items()}


def _figures(row: Row) -> tuple[Any, ...]:
    return row.cells, row.processor, row.clock


def _executed(name: str, book: Any, folder: Path) -> Row:
    from nbclient import NotebookClient

    cells = sum(cell.cell_type == "code" for cell in book.cells)
    client = NotebookClient(
        book, kernel_name="python3", timeout=SECONDS, resources={"metadata": {"path": str(folder)}}
    )
    client.log.setLevel("WARNING")
    before = os.times()
    clock = milliseconds(client.execute) / 1000  # until the kernel has ended
    after = os.times()
    processor = sum(after[2:4]) - sum(before[2:4])  # of the processes that have ended
    return Row(name, cells, processor, clock)
