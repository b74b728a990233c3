"""What serving costs: start-up and milliseconds a call, beside a bare FastMCP server in the same run.

Both servers are processes of their own, asked over stdio by the same client. The *bare* one has one tool
that gives back what it is handed: what a call costs before any memory is looked at.

>>> sorted(CALLS)
['list', 'remember', 'search']

Left out: HTTP, many clients at once (`tests/test_server_soak.py`), and a client's model.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from teachmem import store as stores
from teachmem.bench.measure import Curves, Report, Timing
from teachmem.errors import InvalidInput

SIZES = (200,)
STARTS = 3
# Every tool is listed: a client asks for the list again at each call of a tool that is not.
WHO = ("--tenant", "northlight", "--fleet", "dock", "--agent", "dock-1", "--all-tools")
BARE = """\
from fastmcp import FastMCP
server = FastMCP("bare")
@server.tool
def echo(text: str) -> dict:
    return {"text": text}
server.run(transport="stdio", show_banner=False)
"""
CALLS: Mapping[str, tuple[str, Any]] = {
    "list": ("semantic_list", lambda number: {"limit": 10}),
    "search": ("semantic_search", lambda number: {"query": f"belt of station {number}"}),
    "remember": ("semantic_remember", lambda number: {"content": f"Crate {number} is in aisle {number % 9}"}),
}


@dataclass(frozen=True, slots=True)
class Row:
    """One size: start-up in seconds (the middle one), and the calls of both servers in milliseconds."""

    facts: int
    start: float
    bare_start: float
    calls: Mapping[str, Timing]
    bare: Timing


def run(sizes: Sequence[int] = SIZES, queries: int = 200) -> Report:
    """Measure on stores of so many facts; `queries` is how many calls of each kind are timed."""
    try:
        import fastmcp  # noqa: F401
    except ImportError as missing:
        raise InvalidInput("name", "bench server needs fastmcp; install teachmem[full]") from missing
    found = [_measure(size, queries) for size in sizes]
    columns = ("facts", "call", "ms", "p95", "bare ms", "x bare")
    table = []
    for row in found:
        start, bare = 1000 * row.start, 1000 * row.bare_start
        table.append((f"{row.facts:,}", "start-up", f"{start:.0f}", "", f"{bare:.0f}", f"{start / bare:.2f}"))
        for name, took in row.calls.items():
            ratio = f"{took.median / row.bare.median:.2f}"
            times = (f"{took.median:.2f}", f"{took.p95:.2f}", f"{row.bare.median:.2f}", ratio)
            table.append((f"{row.facts:,}", name, *times))
    remarks = (
        "start-up is from starting the process to its first list of tools.",
        "bare is a FastMCP server with one tool that echoes; the client is the same, over stdio.",
    )
    calls = {name: {row.facts: row.calls[name].median for row in found} for name in CALLS}
    calls["bare"] = {row.facts: row.bare.median for row in found}
    figures = {"rows": [asdict(row) for row in found]}
    curves = Curves("facts", "milliseconds a call", calls)
    return Report("server", columns, tuple(table), remarks, figures, curves)


def _measure(size: int, queries: int) -> Row:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "served.db"
        with stores.open_memory(path) as mem:
            dock = mem.agent("dock-1", fleet="dock", tenant="northlight")
            dock.semantic.remember_many(
                {"content": f"Belt {number} of station {number % 20} was set to {number} mm"}
                for number in range(size)
            )
        ours = ["-m", "teachmem", "serve", "--store", str(path), *WHO]
        starts = [asyncio.run(_started(ours)) for _ in range(STARTS)]
        bare_starts = [asyncio.run(_started(["-c", BARE])) for _ in range(STARTS)]
        calls = asyncio.run(_called(ours, queries))
    return Row(size, sorted(starts)[STARTS // 2], sorted(bare_starts)[STARTS // 2], calls, calls.pop("echo"))


def _client(arguments: Sequence[str]) -> Any:
    from fastmcp import Client
    from fastmcp.client.transports import StdioTransport

    log = Path(os.devnull)
    return Client(StdioTransport(sys.executable, list(arguments), keep_alive=False, log_file=log))


async def _started(arguments: Sequence[str]) -> float:
    """Start a server and list its tools; return the seconds until the list is there."""
    before = time.perf_counter()
    async with _client(arguments) as client:
        await client.list_tools()
        return time.perf_counter() - before


async def _called(ours: Sequence[str], times: int) -> dict[str, Timing]:
    """Call both servers by turns, so that what else the machine does falls on both."""
    async with _client(ours) as memory, _client(["-c", BARE]) as bare:
        acts = {name: (memory, tool, given) for name, (tool, given) in CALLS.items()}
        acts["echo"] = (bare, "echo", lambda number: {"text": str(number)})
        took: dict[str, list[float]] = {name: [] for name in acts}
        for number in range(-1, times):  # the first one builds what is built once, and does not count
            for name, (client, tool, given) in acts.items():
                before = time.perf_counter()
                await client.call_tool(tool, given(number))
                if number >= 0:
                    took[name].append((time.perf_counter() - before) * 1000)
    return {name: Timing.of(found) for name, found in took.items()}
