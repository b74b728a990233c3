"""What the doctor looks at: one small probe a check, none of which reaches the network or writes for good.

A probe returns what it found, or raises `Trouble` with what is wrong and the cure. The order is part of
the spoken code: add at the end.

>>> disk(lambda _: 10**12).found
'1000.0 GB free'

Left out: mending. The doctor says what to type.
"""

from __future__ import annotations

import importlib.metadata
import json
import locale
import os
import platform
import re
import shutil
import socket
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from teachmem import errors
from teachmem.commands import places

WELL, WARNING, FAULT = range(3)
SETTINGS = {
    "TEACHMEM_HOME": "where the record of your progress lies",
    "TEACHMEM_WORK": "where your copies of the notebooks lie",
    "TEACHMEM_STATIC": "1: no live widgets, no record of progress (for tests)",
    "TEACHMEM_REQUIRE": "what tests may not skip (for CI)",
}
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome", "firefox", "microsoft-edge", "msedge")
GB = 10**9


@dataclass(frozen=True, slots=True)
class Found:
    """What one probe says: the words, how it stands, and the cure where there is one."""

    found: str
    state: int = WELL
    cure: str = ""


class Trouble(Exception):
    """Something is wrong: `cure` says what to type."""

    def __init__(self, found: str, cure: str, state: int = FAULT) -> None:
        super().__init__(found)
        self.cure = cure
        self.state = state


def project() -> dict[str, list[str]]:
    """Return the declared requirements: of the core, the notebooks and the whole kit, and of Python.

    They are read from pyproject.toml where there is one, else from what was installed.
    """
    file = places.PACKAGE.parents[1] / "pyproject.toml"
    if file.is_file():
        import tomllib

        told = tomllib.loads(file.read_text(encoding="utf-8"))["project"]
        extras = told["optional-dependencies"]
        return {
            "python": [told["requires-python"]],
            "core": [*told["dependencies"], *_foreign(extras["core"])],
            "full": _foreign(extras["full"]),
        }
    rows = importlib.metadata.requires("teachmem") or []
    wanted = {"python": [importlib.metadata.metadata("teachmem")["Requires-Python"]], "core": [], "full": []}
    for row in _foreign(rows):
        need, _, marker = row.partition(";")
        wanted["full" if "full" in marker else "core"].append(need.strip())
    return wanted


def _foreign(rows: Iterable[str]) -> list[str]:
    return [row for row in rows if not row.startswith("teachmem")]


def python() -> Found:
    """The interpreter is one that the kit was built for."""
    from packaging.specifiers import SpecifierSet

    wanted, running = project()["python"][0], platform.python_version()
    if not SpecifierSet(wanted).contains(running, prereleases=True):
        raise Trouble(f"Python {running}, wanted {wanted}", "make setup PYTHON=python3.12")
    return Found(f"Python {running}")


def packages(version: Callable[[str], str] = importlib.metadata.version) -> Found:
    """Every package of the core and the notebooks is there, in its range."""
    return _packages("core", version, "make setup", FAULT)


def extras(version: Callable[[str], str] = importlib.metadata.version) -> Found:
    """So are chromadb and fastmcp, without which parts of 03 and 04 cannot be run."""
    cure = "make setup; only 03's Chroma part and 04's server need them"
    return _packages("full", version, cure, WARNING)


def _packages(part: str, version: Callable[[str], str], cure: str, state: int) -> Found:
    from packaging.requirements import Requirement

    wrong, right = [], 0
    for need in map(Requirement, project()[part]):
        try:
            there = version(need.name)
        except importlib.metadata.PackageNotFoundError:
            wrong.append(f"{need.name} is missing")
            continue
        if need.specifier.contains(there, prereleases=True):
            right += 1
        else:
            wrong.append(f"{need.name} {there} is not {need.specifier}")
    if wrong:
        raise Trouble("; ".join(wrong), cure, state)
    return Found(f"{right} packages in range")


def sqlite() -> Found:
    """SQLite can do what the store asks of it: WAL and JSON; full-text search is for comparison only."""
    cure = "use a Python whose sqlite3 has it; python.org, conda-forge and uv carry one"
    with (
        tempfile.TemporaryDirectory() as folder,
        closing(sqlite3.connect(Path(folder) / "probe.db")) as probe,
    ):
        (mode,) = probe.execute("PRAGMA journal_mode = WAL").fetchone()
        if mode != "wal":
            raise Trouble(f"SQLite {sqlite3.sqlite_version} gives journal mode {mode}, not WAL", cure)
        try:
            probe.execute("SELECT json_extract('{\"a\": 1}', '$.a')").fetchone()
            probe.execute("CREATE TABLE t (a INTEGER, b INTEGER GENERATED ALWAYS AS (a + 1) VIRTUAL)")
        except sqlite3.OperationalError as error:
            raise Trouble(f"SQLite {sqlite3.sqlite_version}: {error}", cure) from error
        try:
            probe.execute("CREATE VIRTUAL TABLE f USING fts5(x)")
        except sqlite3.OperationalError as error:
            raise Trouble(f"SQLite {sqlite3.sqlite_version} without FTS5", cure, WARNING) from error
    return Found(f"SQLite {sqlite3.sqlite_version} with WAL, JSON and FTS5")


def store() -> Found:
    """A note goes in, is read back, and the chain holds: the kit works on this machine."""
    import teachmem

    with teachmem.open_memory() as mem:
        agent = mem.agent("doctor", fleet="probe", tenant="probe")
        agent.working.write("probe", "observed", "probe", "the probe is in")
        agent.episodic.log("observation", "the probe is in")
        recalled = len(agent.episodic.recall("probe"))
        report = mem.audit.verify()
    if (recalled, str(report.status), report.entries) != (1, "complete", 2):
        raise Trouble(f"recalled {recalled} of 1, chain {report}", "make setup, then report it as an issue")
    return Found(f"wrote, recalled and verified {report.entries} entries")


def tokenizer() -> Found:
    """The tokenizer is there and counts as it did when the lessons were stored."""
    from teachmem.recall import tokens

    counted = tokens.count("do NOT restart the arm")
    if counted != 5:
        raise Trouble(f"counts {counted} tokens where 5 are right", "make setup")
    return Found("counts tokens")


def kernel() -> Found:
    """The notebooks' kernel `python3` starts this Python."""
    from jupyter_client.kernelspec import KernelSpecManager, NoSuchKernel

    try:
        command = KernelSpecManager().get_kernel_spec("python3").argv[0]
    except NoSuchKernel as error:
        raise Trouble("no kernel python3", "make setup") from error
    plain = re.fullmatch(r"python(3(\.\d+)?)?(\.exe)?", command) is not None
    same = (
        Path(command).exists() and Path(command).absolute().parent == Path(sys.executable).absolute().parent
    )
    if not (plain or same):
        cure = f"{sys.executable} -m ipykernel install --sys-prefix, and `teachmem lab` uses it"
        raise Trouble(f"the kernel python3 starts another Python: {command}", cure, WARNING)
    return Found("kernel python3")


def work() -> Found:
    """The folder of the student's copies can be written."""
    folder = places.work()
    near = next(place for place in (folder, *folder.parents) if place.exists())
    try:
        with tempfile.NamedTemporaryFile(dir=near):
            pass
    except OSError as error:
        cure = "set TEACHMEM_WORK to a folder of yours"
        raise Trouble(f"{near} cannot be written: {error.strerror}", cure) from error
    return Found(f"{folder} can be written")


def data() -> Found:
    """The data files are there and whole."""
    from teachmem.course import world

    folder = world.data_folder()
    counted = []
    for file in sorted(folder.glob("*.json*")):
        try:
            text = file.read_text(encoding="utf-8")
            rows = (
                json.loads(text) if file.suffix == ".json" else [json.loads(row) for row in text.splitlines()]
            )
        except (OSError, ValueError) as error:
            raise Trouble(
                f"{file.name} cannot be read: {error}", f"git checkout -- data/{file.name}"
            ) from error
        counted.append(f"{file.stem} {len(rows)}")
    missing = {"catalogue", "episodes", "notes"} - {name.split()[0] for name in counted}
    if missing:
        raise Trouble(f"missing: {', '.join(sorted(missing))}", "git checkout -- data")
    return Found(", ".join(counted))


def text() -> Found:
    """Files and the terminal speak UTF-8, and the four glyphs of the verdicts can be shown."""
    files, screen = locale.getpreferredencoding(False), sys.stdout.encoding or "ascii"
    try:
        "✓ = ‖ ✕".encode(screen)
        files_are = "é".encode(files) == "é".encode()
    except (UnicodeEncodeError, LookupError):
        files_are = False
    if not files_are:
        raise Trouble(f"files {files}, terminal {screen}", "set PYTHONUTF8=1 and start again", WARNING)
    return Found(f"files {files}, terminal {screen}")


def settings() -> Found:
    """What is set for teachmem in the environment is known; values stay private."""
    given = sorted(name for name in os.environ if name.startswith("TEACHMEM_"))
    unknown = [name for name in given if name not in SETTINGS]
    if unknown:
        raise Trouble(f"not known: {', '.join(unknown)}", f"known are {', '.join(SETTINGS)}", WARNING)
    if os.environ.get("TEACHMEM_STATIC", "") not in ("", "0"):
        cure = "unset TEACHMEM_STATIC, unless this is a test"
        raise Trouble("TEACHMEM_STATIC is set: no live widgets, no record of progress", cure, WARNING)
    return Found(", ".join(f"{name}: {SETTINGS[name]}" for name in given) or "none is set")


def room(
    which: Callable[[str], str | None] = shutil.which,
    free: Callable[[Path], int] = lambda place: shutil.disk_usage(place).free,
) -> Found:
    """JupyterLab finds what it needs: a loopback port, some disk; a browser is nice to have."""
    with socket.socket() as server:
        try:
            server.bind(("127.0.0.1", 0))
        except OSError as error:
            cure = "allow connections to 127.0.0.1; JupyterLab needs them"
            raise Trouble(f"no loopback port: {error.strerror}", cure) from error
    space = disk(free)
    browser = next((name for name in BROWSERS if which(name)), "")
    if not browser and sys.platform.startswith("linux"):
        cure = "none needed: open the address that `teachmem lab` prints"
        raise Trouble(f"{space.found}; no browser found", cure, WARNING)
    return Found(f"{space.found}; browser {browser or 'of the system'}")


def disk(free: Callable[[Path], int]) -> Found:
    """Say how much disk is free where the package lies. Raises `Trouble` below 0.1 GB."""
    space = free(places.PACKAGE) / GB
    if space < 0.1:
        raise Trouble(f"{space:.1f} GB free", "free some disk; a lesson needs a few MB")
    return Found(f"{space:.1f} GB free")


PROBES: tuple[tuple[str, Callable[[], Found]], ...] = (
    ("python", python),
    ("packages", packages),
    ("extras", extras),
    ("sqlite", sqlite),
    ("store", store),
    ("tokenizer", tokenizer),
    ("kernel", kernel),
    ("work", work),
    ("data", data),
    ("text", text),
    ("settings", settings),
    ("room", room),
)


def examine(probe: Callable[[], Found]) -> Found:
    """Run one probe; whatever it raises becomes a finding, so that the others still run."""
    try:
        return probe()
    except Trouble as trouble:
        return Found(str(trouble), trouble.state, trouble.cure)
    except errors.TeachmemError as error:
        return Found(str(error), FAULT, "make setup")
    except Exception as error:  # the doctor must end with a code whatever is broken
        return Found(f"{type(error).__name__}: {error}", FAULT, "make setup")
