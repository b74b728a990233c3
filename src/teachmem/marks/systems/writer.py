"""Another process that writes to a file that is in use: reads what to write as JSON, says how much was taken.

    python -m teachmem.marks.systems.writer < task.json

Foils that are on where it was started are on here too, so that a fault of saving bites in both processes.

Left out: reading. Whoever started it looks at what is there.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path

import teachmem
from teachmem.clock import LessonClock
from teachmem.errors import TeachmemError
from teachmem.marks import foil
from teachmem.recall.vectors import ExactIndex

SECONDS = 120


def start(file: Path, name: str, texts: Iterable[str], now: datetime) -> Callable[[], int]:
    """Start it; the result waits for its end and returns how many writes it had acknowledged."""
    task = {"file": str(file), "name": name, "texts": list(texts), "foils": foil.switched_on()}
    child = subprocess.Popen(
        [sys.executable, "-m", "teachmem.marks.systems.writer"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )
    assert child.stdin is not None
    child.stdin.write(json.dumps({**task, "now": now.isoformat()}) + "\n")
    child.stdin.flush()  # it begins now, and not when somebody waits for it

    def wait() -> int:
        try:
            out, _ = child.communicate(timeout=SECONDS)
        except BaseException:
            child.kill()
            child.communicate()
            raise
        return int(out or 0)

    return wait


def main() -> None:
    """Write every text, and print how many were acknowledged."""
    task = json.loads(sys.stdin.readline())
    taken = 0
    with ExitStack() as stack:
        clock = LessonClock(task["now"])
        mem = stack.enter_context(teachmem.open_memory(task["file"], clock=clock, vectors=ExactIndex()))
        for name in task["foils"]:
            stack.enter_context(foil.foil(name, mem))
        agent = mem.agent(task["name"], fleet="dock", tenant="northlight")
        for text in task["texts"]:
            try:
                agent.semantic.remember(text)
                taken += 1
            except TeachmemError as error:
                print(error, file=sys.stderr)
    print(taken)


if __name__ == "__main__":
    main()
