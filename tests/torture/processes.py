"""Several processes at one store, of which one after the other is killed; locks that are held too long.

Those who go on see every write that was acknowledged to anybody, their indexes answer like those of a new
opener, and a disk that takes its time over every fsync changes nothing but the pace.
"""

from __future__ import annotations

import json
import os
import random
import select
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import teachmem
from teachmem.recall.vectors import ExactIndex
from torture import disk, whole
from torture.doors import DOORS, EMBEDDER, World
from torture.figures import Figure
from torture.kills import STORE, prepared

START_SECONDS = 60  # at most, until the first writer writes
WRITER = """
import sys, teachmem
from pathlib import Path
from torture import shim
from torture.doors import EMBEDDER, NORTH
from teachmem.recall.vectors import ExactIndex
path, name, micros = sys.argv[1:]
mem = teachmem.open_memory(path, embedder=EMBEDDER, vectors=ExactIndex())
who = mem.agent(name, **NORTH)
shim.arm(Path(path).parent, shim.SYNCS, 0, shim.DELAY, micros=int(micros))
number, last = 0, None
while True:
    number += 1
    text = f"{name} counted crate {number}"
    if number % 3 == 0 and last:
        last = who.semantic.revise(last, content=text).memory.memory_id
    elif number % 3 == 1:
        last = who.semantic.remember(text, request_id=f"r{number}").memory.memory_id
    else:
        who.episodic.log("observation", text)
    print(text, flush=True)
"""


def several(folder: Path, chance: random.Random, seconds: float, writers: int = 3) -> Iterator[Figure]:
    """Let `writers` write for so long, killing one after the other; a reader stays open all the time."""
    path = folder / STORE
    figure = Figure("SIGKILL among several processes, fsync slowed", f"{writers} writers and a reader", 0)
    acknowledged: set[str] = set()
    running: dict[subprocess.Popen[str], float] = {}
    with teachmem.open_memory(path, embedder=EMBEDDER, vectors=ExactIndex()) as mem:
        reader = mem.agent("dock-1", fleet="dock", tenant="northlight")
        reader.semantic.remember("The canteen closes at two")
        end = time.monotonic() + seconds + START_SECONDS
        try:
            while time.monotonic() < end:
                while len(running) < writers:
                    figure.tried += 1
                    running[_writer(path, figure.tried, chance)] = 0.0
                ready, _, _ = select.select([one.stdout for one in running], [], [], 1)
                for one in [one for one in running if one.stdout in ready]:
                    assert one.stdout is not None
                    if not acknowledged:
                        end = time.monotonic() + seconds  # from the first write on
                    acknowledged.add(one.stdout.readline().strip())
                    running[one] = running[one] or time.monotonic() + chance.uniform(0, 0.6)
                    if time.monotonic() > running[one]:
                        acknowledged |= _killed(one)
                        figure.struck += 1
                        del running[one]
                if chance.random() < 0.1:
                    reader.semantic.search("counted crate")
        finally:
            for one in running:
                acknowledged |= _killed(one)
                figure.struck += 1
        answered = whole.answers(mem)
        with teachmem.open_memory(path, embedder=EMBEDDER, vectors=ExactIndex()) as new:
            if whole.answers(new) != answered:
                figure.wrong.append("the index of who stayed is not in step")
    if lost := acknowledged - whole.contents(path) - {""}:
        figure.wrong.append(f"{len(lost)} acknowledged writes are lost, such as {min(lost)!r}")
    figure.wrong += whole.faults(path)
    figure.what += f", {len(acknowledged)} writes acknowledged"
    yield figure


def _writer(path: Path, number: int, chance: random.Random) -> subprocess.Popen[str]:
    micros = chance.choice([0, 0, 2_000, 20_000])
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), f"dock-{number + 1}", str(micros)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        text=True,
    )


def _killed(one: subprocess.Popen[str]) -> set[str]:
    """Kill a writer; return what it had acknowledged and nobody had read yet, but for a line cut in half."""
    one.send_signal(signal.SIGKILL)
    out, _ = one.communicate(timeout=30)
    return {line.rstrip("\n") for line in out.splitlines(keepends=True) if line.endswith("\n")}


def locks(folder: Path, names: list[str] | None = None) -> Iterator[Figure]:
    """Call each door while somebody else holds the lock past the time limit, and again when it is free."""
    for door in prepared(folder, names or list(DOORS)):
        figure = Figure("a lock held past the timeout", door.name, 1)

        def run(w: World) -> None:
            engine = w.mem._database._engine
            with engine.connect() as connection:
                connection.exec_driver_sql("PRAGMA busy_timeout = 20")  # instead of ten seconds
            told = ""
            with closing(sqlite3.connect(w.folder / STORE, isolation_level=None)) as other:
                other.execute("BEGIN IMMEDIATE")
                before = whole.digest(w.folder / STORE)
                try:
                    told = _first_reason(door.call(w))  # noqa: B023
                except teachmem.StoreError as error:
                    told = str(error)
                found = whole.digest(w.folder / STORE)
                w.tech.semantic.search("yard")  # whoever reads is not kept waiting
            (w.folder / "report").write_text(json.dumps([told, found == before]), encoding="utf-8")
            if told:
                door.call(w)  # noqa: B023

        code, path, said = door.trial(run)
        if code:
            figure.wrong.append(f"{door.name}: {said}")
        else:
            told, is_same = json.loads((path.parent / "report").read_text(encoding="utf-8"))
            figure.struck += "locked" in told
            if not is_same:
                figure.wrong.append(f"{door.name}: a lock of somebody else let it through")
            elif "locked" not in told and door.name != "backup":
                figure.wrong.append(f"{door.name}: was told {told!r}")
            figure.wrong += [f"{door.name}: {what}" for what in whole.faults(path)]
        yield figure


def _first_reason(answer: object) -> str:
    return str(disk.said(answer)["told"])
