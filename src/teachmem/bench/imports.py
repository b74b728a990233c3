"""What importing costs in processor time, beside a bare Python and beside numpy, each in a fresh process.

`import teachmem` fetches a name's module when the name is first asked for, so it is nearly free; opening a
store brings the database and numpy, the first search the word vectors, and a server or a view what an
extra has installed. All are started by turns; each process says what its own processor time was.

>>> list(WAYS)[:3]
['bare python', 'import numpy', 'import teachmem']

Left out: the disk. What was read once is in the system's memory, so a first start after boot takes longer.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from teachmem.bench.measure import Curves, Report, Timing, plain

SIZES = (4,)
ROUNDS = 10
_OPENED = "import teachmem; mem = teachmem.open_memory(); tech = mem.agent('a', fleet='f', tenant='t')\n"
WAYS: dict[str, str] = {
    "bare python": "",
    "import numpy": "import numpy",
    "import teachmem": "import teachmem",
    "and open a store": _OPENED,
    "and recall an event": _OPENED + "tech.episodic.log('observation', 'belt'); tech.episodic.recall('belt')",
    "and search a fact": _OPENED + "tech.semantic.remember('belt is on'); tech.semantic.search('belt')",
}
EXTRAS: dict[str, tuple[str, str]] = {  # what must be installed, and what is run
    "views (ipywidgets)": ("ipywidgets", "import teachmem.show, ipywidgets"),
    "plots (matplotlib)": ("matplotlib", "import matplotlib.pyplot"),
    "server (fastmcp)": ("fastmcp", "import teachmem.server.app"),
    "Chroma (chromadb)": ("chromadb", "import chromadb"),
}
_SAY = "\nimport time, sys\nprint(time.process_time(), 'numpy' in sys.modules)"


@dataclass(frozen=True, slots=True)
class Row:
    """One way: seconds of the processor, milliseconds from start to end, whether numpy came along.

    `together` is the milliseconds until the last of several that were started at once has ended.
    """

    way: str
    processor: float
    timing: Timing
    numpy: bool
    together: float


def run(sizes: Sequence[int] = SIZES, queries: int = ROUNDS) -> Report:
    """Start each way `queries` times by turns; the last of `sizes` is how many are started at once."""
    many = sizes[-1]
    ways = WAYS | {name: code for name, (needed, code) in EXTRAS.items() if importlib.util.find_spec(needed)}
    alone: dict[str, list[_Ended]] = {name: [] for name in ways}
    together: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(queries):
        for name, code in ways.items():
            alone[name] += started(code, 1)
            together[name].append(max(one.took for one in started(code, many)))
    found = [
        Row(
            name,
            median(one.processor for one in ended),
            Timing.of([one.took for one in ended]),
            ended[0].numpy,
            median(together[name]),
        )
        for name, ended in alone.items()
    ]
    bare = found[0].processor
    table = tuple(
        (
            row.way,
            f"{row.processor:.3f}",
            f"{row.processor / bare:.1f}",
            f"{row.timing.median:.0f}",
            f"{row.timing.p95:.0f}",
            f"{row.together:.0f}",
            "yes" if row.numpy else "no",
        )
        for row in found
    )
    columns = ("way", "processor s", "x bare", "ms", "p95", f"{many} at once, ms", "numpy")
    remarks = (
        "processor s is what the process says of itself at its end; ms is from its start to its end.",
        f"{many} at once: until the last of them has ended. Each 'and' does what stands above it, too.",
    )
    drawn = {row.way: {0: row.processor} for row in found if row.way in WAYS}
    curves = Curves("", "seconds of the processor", drawn)
    figures = {"together": many, "rows": [plain(row) for row in found]}
    return Report("import", columns, table, remarks, figures, curves)


@dataclass(frozen=True, slots=True)
class _Ended:
    took: float
    processor: float
    numpy: bool


def started(code: str, many: int) -> list[_Ended]:
    """Run `code` in so many fresh processes at once; return what each took. Raises if one fails."""
    before = time.perf_counter()
    running = [
        subprocess.Popen([sys.executable, "-c", code + _SAY], stdout=subprocess.PIPE, text=True)
        for _ in range(many)
    ]
    ended = []
    for process in running:
        said, _ = process.communicate()
        if process.returncode:
            raise RuntimeError(f"{code!r} failed in a process of its own")
        processor, brought = said.split()
        took = (time.perf_counter() - before) * 1000
        ended.append(_Ended(took, float(processor), brought == "True"))
    return ended
