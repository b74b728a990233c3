"""Build the shim of this folder (`shim.c`), and arm it from a Python that has it preloaded.

Left out: systems other than Linux, and machines without a C compiler; `compiled()` says why, and whoever
asked is skipped with that reason.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
from functools import lru_cache
from pathlib import Path

SOURCE = Path(__file__).with_name("shim.c")
WRITES, SYNCS, NAMES = 1, 2, 4
COUNT, KILL, TEAR, FAIL_ONCE, FAIL, DELAY, LIE = range(7)


class Missing(Exception):
    """There is no shim here; the text says why."""


@lru_cache(maxsize=1)
def compiled() -> Path:
    """Return the shim as a library, built once a process; raises `Missing`."""
    compiler = next((found for name in ("cc", "gcc", "clang") if (found := shutil.which(name))), None)
    if sys.platform != "linux" or compiler is None:
        raise Missing("faults below the database need Linux and a C compiler")
    library = Path(tempfile.mkdtemp(prefix="teachmem-shim-")) / "shim.so"
    done = subprocess.run(
        [compiler, "-shared", "-fPIC", "-O1", "-o", library, SOURCE, "-ldl"],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise Missing(f"the shim was not built: {done.stderr.strip().splitlines()[-1]}")
    return library


def environment() -> dict[str, str]:
    """Return the environment of a Python that has the shim; raises `Missing`."""
    return {**os.environ, "LD_PRELOAD": str(compiled())}


def remove() -> None:
    """Delete the library; whoever has it open keeps it."""
    if compiled.cache_info().currsize:
        shutil.rmtree(compiled().parent, ignore_errors=True)
        compiled.cache_clear()


@lru_cache(maxsize=1)
def _calls() -> ctypes.CDLL:
    calls = ctypes.CDLL(None)
    calls.torture_seen.restype = ctypes.c_long
    calls.torture_kinds.restype = ctypes.POINTER(ctypes.c_char)
    return calls


def arm(folder: Path, of: int, nth: int, how: int, error: int = 0, micros: int = 0) -> None:
    """From the `nth` call on (from 0) do `how` to calls of the kinds `of` on files in `folder`."""
    path = os.fsencode(f"{os.path.realpath(folder)}/")
    _calls().torture_arm(path, of, ctypes.c_long(nth), how, error, ctypes.c_long(micros))


def seen() -> int:
    """Return how many calls were counted since it was armed."""
    return int(_calls().torture_seen())


def kinds() -> list[int]:
    """Return the kind of each of these calls, in order."""
    return list(_calls().torture_kinds()[: min(seen(), 65_536)])


def note_to(path: Path) -> None:
    """Write down every change of a file in the armed folder from now on."""
    _calls().torture_note(os.fsencode(path))


def mark(said: str) -> None:
    """Write `said` into the same log: what was acknowledged by then."""
    _calls().torture_mark(said.encode())
