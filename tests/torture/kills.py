"""SIGKILL: at every call by which a door changes a file, torn in the middle of it, and at any moment.

Each trial is a process of its own on its own copy of a prepared store. Afterwards the store must be in one
of the states that an undisturbed run goes through, from commit to commit; if the call had returned, in the
last. Both verifiers must say complete, and the next write must work.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from teachmem import TeachmemError
from teachmem.ledger.database import Database, Transaction
from torture import shim, whole
from torture.doors import DOORS, World, world
from torture.figures import Figure

STORE = "s.db"
TOLD, FAILED = 0, 70
ALL = shim.WRITES | shim.SYNCS | shim.NAMES


class Prepared:
    """A door with its store as it was, and the states and file calls of an undisturbed run."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name, self.folder = name, folder
        folder.mkdir()
        with world(folder / STORE, "a") as w:
            self.names: dict[str, Any] = DOORS[name].before(w)
        self.before = whole.digest(folder / STORE)
        self.states: list[str] = []
        self.kinds, self.seconds = self._undisturbed()  # of each call on a file, in order

    def _undisturbed(self) -> tuple[list[int], float]:
        told = self.folder.with_name(f"{self.folder.name}-told")

        def run(w: World) -> None:
            states: list[str] = []
            shim.arm(w.folder, ALL, 0, shim.COUNT)
            began = time.monotonic()
            with _noted(states, w.folder / STORE):
                self.call(w)
            took = time.monotonic() - began
            told.write_text(json.dumps([states, shim.kinds(), took]), encoding="utf-8")

        code, path, said = self.trial(run)
        if code:
            raise RuntimeError(f"{self.name} failed undisturbed: {said}")
        self.states, kinds, took = json.loads(told.read_text(encoding="utf-8"))
        if whole.digest(path) != (self.states or [self.before])[-1]:
            raise RuntimeError(f"{self.name} changed the store outside of any transaction")
        if not self.states and self.name != "backup":
            raise RuntimeError(f"{self.name} changed nothing")
        told.unlink()
        return kinds, took

    def call(self, w: World) -> object:
        """Walk through the door."""
        return DOORS[self.name].call(w, self.names)

    def trial(self, run: Callable[[World], object], after: float | None = None) -> tuple[int, Path, str]:
        """Let a process run on a copy, killed `after` so many seconds; return code, copy and error."""
        copy = self.folder.with_name(f"{self.folder.name}-trial")
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(self.folder, copy)
        child = os.fork()
        if not child:
            os._exit(_in_child(copy, run, after))
        _, status = os.waitpid(child, 0)
        error = copy / "error"
        said = error.read_text(encoding="utf-8") if error.exists() else ""
        return os.waitstatus_to_exitcode(status), copy / STORE, said

    def judge(self, path: Path) -> list[str]:
        """Return what is wrong with a store after a kill."""
        found = whole.digest(path)
        wrong = []
        if (path.parent / "returned").exists() and found != (self.states or [self.before])[-1]:
            wrong.append("an acknowledged call is not there")
        elif found not in (self.before, *self.states):
            wrong.append("half a call is there")
        if (path.parent / "out.jsonl").exists() and found == self.before:
            wrong.append("an export lies there that the log does not know")
        for copy in path.parent.glob("backup.db"):
            wrong += whole.faults(copy)
        return [f"{self.name}: {what}" for what in wrong + whole.faults(path)]


def _in_child(copy: Path, run: Callable[[World], object], after: float | None) -> int:
    """Run in this process, which ends with it: without closing, which would make a checkpoint."""
    try:
        with world(copy / STORE, "b", hours=3) as w:
            if after is not None:
                signal.signal(signal.SIGALRM, signal.SIG_DFL)
                signal.setitimer(signal.ITIMER_REAL, max(after, 1e-6))  # ends it as SIGKILL does
            try:
                run(w)
            except BaseException as error:
                shim.arm(copy, 0, 0, shim.COUNT)
                ours = isinstance(error, TeachmemError)
                (copy / "error").write_text(f"{'' if ours else 'bare '}{type(error).__name__}: {error}")
                os._exit(FAILED)
            (copy / "returned").touch()
            os._exit(TOLD)
    except BaseException as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
    return 1


@contextmanager
def _noted(states: list[str], path: Path) -> Iterator[None]:
    """Note the state of the store after each commit of this block."""
    write = Database.write

    @contextmanager
    def noting(self: Database) -> Iterator[Transaction]:
        with write(self) as tx:
            yield tx
        if self.file == path:
            states.append(whole.digest(path))

    Database.write = noting  # type: ignore[method-assign]
    try:
        yield
    finally:
        Database.write = write  # type: ignore[method-assign]


def prepared(folder: Path, names: list[str]) -> Iterator[Prepared]:
    """Yield each door with its store, which is deleted when the next one is asked for."""
    for number, name in enumerate(names):
        yield Prepared(name, folder / f"{number}")
        for left in folder.glob(f"{number}*"):
            shutil.rmtree(left)


def at_every_call(folder: Path, chance: random.Random, most: int | None) -> Iterator[Figure]:
    """Kill each door before its n-th call on a file, and within its n-th write; all n, or `most`."""
    for door in prepared(folder, list(DOORS)):
        writes = door.kinds.count(shim.WRITES)
        places = [(place, ALL, shim.KILL) for place in range(len(door.kinds))]
        places += [(place, shim.WRITES, shim.TEAR) for place in range(writes)]
        if most is not None and len(places) > most:
            places = chance.sample(places, most)
        figure = Figure("SIGKILL at a call on a file", door.name, len(places))
        for place, kinds, how in places:

            def run(w: World, place: int = place, kinds: int = kinds, how: int = how) -> None:
                shim.arm(w.folder, kinds, place, how)
                door.call(w)  # noqa: B023

            code, path, _ = door.trial(run)
            figure.struck += code == -signal.SIGKILL
            figure.wrong += door.judge(path)
        yield figure


def at_any_moment(folder: Path, chance: random.Random, each: int) -> Iterator[Figure]:
    """Kill each door at moments drawn from the time that it takes, `each` times."""
    for door in prepared(folder, list(DOORS)):
        figure = Figure("SIGKILL at any moment", door.name, each)
        for _ in range(each):
            code, path, _ = door.trial(door.call, after=chance.uniform(0, 1.3 * door.seconds))
            figure.struck += code < 0
            figure.wrong += door.judge(path)
        yield figure
