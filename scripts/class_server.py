"""Try a class server: simulated students write and read at once, over HTTP on loopback, each with a token.

Every student is a client of their own, sits at a table, and says whose words they are; so whoever is shown
words of another table sees a leak, and what was acknowledged can be looked for afterwards. Printed are the
calls, how long they took, every error, and what a deep verification of the log says.

    python scripts/class_server.py --store postgresql://teach@127.0.0.1/class --students 60

Left out: other machines, and what a network between them adds.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import random
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fastmcp import Client

import teachmem
from teachmem.principal import Principal
from teachmem.server.identity import TokenBook

TENANT = "north-school"


@dataclass(slots=True)
class Tried:
    """What was seen: the seconds of every call by tool, errors, words of other tables, acknowledged ids."""

    took: dict[str, list[float]] = field(default_factory=dict)
    errors: Counter[str] = field(default_factory=Counter)
    leaks: list[str] = field(default_factory=list)
    kept: dict[Principal, list[str]] = field(default_factory=dict)
    lost: list[str] = field(default_factory=list)
    seconds: float = 0.0
    verdict: str = ""

    def lines(self) -> list[str]:
        """Return the report."""
        calls = sum(map(len, self.took.values()))
        told = [
            f"{len(self.kept)} students, {len({who.fleet for who in self.kept})} tables: {calls} calls in "
            f"{self.seconds:.1f} s, {calls / self.seconds:.0f} a second"
        ]
        for tool, took in sorted(self.took.items()):
            ranked = sorted(1000 * each for each in took)
            middle, late = ranked[len(ranked) // 2], ranked[int(0.95 * (len(ranked) - 1))]
            told.append(f"  {tool:18} median {middle:6.0f} ms, p95 {late:6.0f}, slowest {ranked[-1]:6.0f}")
        told += [f"  error, {count} times: {what}" for what, count in self.errors.most_common()]
        told.append(
            f"errors {self.errors.total()}, words of another table seen {len(self.leaks)}, "
            f"acknowledged and lost {len(self.lost)} of {sum(map(len, self.kept.values()))}; {self.verdict}"
        )
        return told


def students_of(number: int, tables: int) -> list[Principal]:
    """Return so many students, dealt to the tables."""
    return [
        Principal(TENANT, f"table-{1 + each % tables:02}", f"student-{1 + each:02}") for each in range(number)
    ]


@contextmanager
def serving(store: str, vectors: str | None, tokens: Path) -> Iterator[str]:
    """Run `teachmem serve --http` on a free port until the block ends; give its URL."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    more = ["--vectors", vectors] if vectors else []
    command = [sys.executable, "-m", "teachmem", "serve", "--store", store, "--http", "--port", str(port)]
    process = subprocess.Popen(
        [*command, "--tokens", str(tokens), *more],
        env={**os.environ, "ANONYMIZED_TELEMETRY": "False"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        for _ in range(600):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            if process.poll() is not None:
                raise SystemExit("the server did not start")
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.terminate()
        process.wait(timeout=60)


def run(store: str, vectors: str | None, who: Sequence[Principal], rounds: int, think: float) -> Tried:
    """Let every student make `rounds` of four calls, waiting up to `think` seconds before each."""
    tried = Tried(kept={each: [] for each in who})
    logging.getLogger("fastmcp").setLevel(logging.CRITICAL)
    with tempfile.TemporaryDirectory() as folder:
        book = TokenBook(Path(folder) / "tokens.json")
        tokens = {each: book.make(each, now=time.time()) for each in who}
        with serving(store, vectors, book.path) as url:
            started = time.monotonic()
            asyncio.run(_all(url, tokens, tried, rounds, think))  # noqa: TID251  (a script, with no loop yet)
            tried.seconds = time.monotonic() - started
    with teachmem.open_memory(store, vectors=vectors) as mem:
        for each, kept in tried.kept.items():
            handle = mem.agent(each.name, fleet=each.fleet, tenant=each.tenant)
            tried.lost += [memory_id for memory_id in kept if not handle.trail(memory_id)]
        tried.verdict = f"the log is {mem.audit.verify(TENANT, deep=True)}"
    return tried


async def _all(url: str, tokens: dict[Principal, str], tried: Tried, rounds: int, think: float) -> None:
    await asyncio.gather(*(_student(url, token, who, tried, rounds, think) for who, token in tokens.items()))


async def _student(url: str, token: str, who: Principal, tried: Tried, rounds: int, think: float) -> None:
    chance = random.Random(who.name)
    mine = f"{who.name} at {who.fleet}"

    async def call(client: Client[Any], tool: str, given: dict[str, Any]) -> Any:
        await asyncio.sleep(chance.random() * think)
        before = time.perf_counter()
        try:
            return (await client.call_tool(tool, given)).data
        except Exception as error:  # whatever a student would have seen
            tried.errors[f"{tool}: {str(error).splitlines()[0][:120]}"] += 1
            return None
        finally:
            tried.took.setdefault(tool, []).append(time.perf_counter() - before)

    async with Client(url, auth=token) as client:
        for number in range(rounds):
            subject, seen = f"crate {number}", {"predicate": "observed", "object": mine}
            writes = (
                ("semantic_remember", {"content": f"{mine} weighed {subject}"}),
                ("episodic_log", {"kind": "observation", "content": f"{mine} saw {subject}"}),
                ("working_write", {"subject": subject, "content": f"{mine} has it", **seen}),
            )
            for tool, given in writes:
                if told := await call(client, tool, given):
                    tried.kept[who].append(told["memory"]["id"])
            found = await call(client, "semantic_search", {"query": f"who weighed {subject}", "k": 20}) or {}
            for hit in found.get("hits", []):
                if f" at {who.fleet} " not in str(hit):
                    tried.leaks.append(f"{mine} was shown {hit}")


def main() -> None:
    """Run from the command line; leave with 1 if anything was leaked, lost or refused."""
    parser = argparse.ArgumentParser(description="Try a class server on loopback.")
    parser.add_argument("--store", help="a file's path or a SQLAlchemy URL; a new file if left out")
    parser.add_argument("--vectors", help="a Chroma server's URL")
    parser.add_argument("--students", type=int, default=60)
    parser.add_argument("--tables", type=int, default=15)
    parser.add_argument("--rounds", type=int, default=5, help="of four calls each")
    parser.add_argument("--think", type=float, default=0.0, help="seconds that a student waits, at most")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store = given.store or str(Path(folder) / "class.db")
        who = students_of(given.students, given.tables)
        tried = run(store, given.vectors, who, given.rounds, given.think)
    print("\n".join(tried.lines()))
    sys.exit(bool(tried.errors or tried.leaks or tried.lost or "complete" not in tried.verdict))


if __name__ == "__main__":
    main()
