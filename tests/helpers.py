"""What the tests of the foundations share: a small world, and a look past every door into the tables."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import postgres

import teachmem
from teachmem import CountedIds, LessonClock, MemoryStore, TeachmemError
from teachmem.ledger import schema

START = datetime(2026, 3, 2, 9, tzinfo=UTC)
TESTS = str(Path(__file__).resolve().parent)
SRC = Path(__file__).resolve().parents[1] / "src"


def opened(url: str | os.PathLike[str] = ":memory:", start: datetime = START) -> MemoryStore:
    """Open a store whose clock stands still and whose ids count up."""
    return teachmem.open_memory(url, clock=LessonClock(start), ids=CountedIds())


@contextmanager
def connection(mem: MemoryStore) -> Iterator[Any]:
    """Lend the driver's own connection, past every rule."""
    raw = mem._database._engine.raw_connection()
    try:
        driver = raw.driver_connection
        yield driver if mem._database.dialect == "sqlite" else postgres.Raw(mem._database, driver)
    finally:
        raw.close()


@contextmanager
def tables(path: object) -> Iterator[Any]:
    """Lend a connection to the tables of the store at `path`, wherever it lies, without opening it as one."""
    if postgres.rooms is not None and not Path(str(path)).exists():
        with postgres.rooms.connect(postgres.rooms.of_path(str(path))) as driver:
            yield postgres.Raw(None, driver)
        return
    with closing(sqlite3.connect(str(path))) as driver:
        assert driver.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        yield driver


def everything(mem: MemoryStore) -> dict[str, list[tuple[Any, ...]]]:
    """Return every row of every table, for a comparison of before and after."""
    with connection(mem) as raw:
        return {
            name: sorted(raw.execute(f"SELECT * FROM {name}").fetchall(), key=repr)
            for name in schema.metadata.tables
        }


def sizes(mem: MemoryStore) -> dict[str, int]:
    """Return how many rows each table has."""
    return {name: len(rows) for name, rows in everything(mem).items()}


def refusal(mem: MemoryStore, act: Callable[[], object]) -> TeachmemError:
    """Return the error of ours that `act` raises; fail if it raises another, none, or wrote anything."""
    before = everything(mem)
    try:
        answer = act()
    except TeachmemError as error:
        assert everything(mem) == before, "a refused act wrote something"
        return error
    raise AssertionError(f"was not refused: {answer!r}")


def stop(process: subprocess.Popen[str]) -> None:
    """End a process that this test started, whatever it is doing, and let go of its pipes."""
    process.kill()
    process.wait(timeout=30)
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe:
            pipe.close()


def start_python(code: str, *arguments: object) -> subprocess.Popen[str]:
    """Start `code` in a Python of its own that finds this teachmem; its output is to be read."""
    path = os.pathsep.join(filter(None, [str(SRC), os.environ.get("PYTHONPATH", "")]))
    if postgres.rooms is not None:  # its stores go where ours go
        code = f"import sys\nsys.path.insert(0, {TESTS!r})\nimport postgres\npostgres.redirect()\n{code}"
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": path},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )


def run_python(code: str, *arguments: object) -> str:
    """Run `code` to its end and return what it printed; fail with its error output if it fails."""
    process = start_python(code, *arguments)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    return out
