"""Is the kit itself whole? Python, packages, SQLite, a store, the tokenizer, the notebooks' kernel.

>>> sorted(project())
['core', 'full', 'python']

Left out: what lies around it (`probe_room.py`).
"""

from __future__ import annotations

import importlib.metadata
import platform
import re
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path

from teachmem.commands import places
from teachmem.commands.probe import FAULT, WARNING, Found, Trouble


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
    _packages("full", version, cure, WARNING)
    return Found(", ".join(f"{name} {version(name)}" for name in ("chromadb", "fastmcp")))


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
    from teachmem.ledger.schema import SCHEMA_VERSION

    with teachmem.open_memory() as mem:
        agent = mem.agent("doctor", fleet="probe", tenant="probe")
        agent.working.write("probe", "observed", "probe", "the probe is in")
        agent.episodic.log("observation", "the probe is in")
        recalled = len(agent.episodic.recall("probe"))
        report = mem.audit.verify()
    if (recalled, str(report.status), report.entries) != (1, "complete", 2):
        raise Trouble(f"recalled {recalled} of 1, chain {report}", "make setup, then report it as an issue")
    return Found(
        f"wrote, recalled and verified {report.entries} entries; stores are of schema {SCHEMA_VERSION}"
    )


def tokenizer() -> Found:
    """The tokenizer counts as it did when the lessons were stored, and the word vectors know meaning."""
    from teachmem.recall import embed, tokens

    counted = tokens.count("do NOT restart the arm")
    if counted != 5:
        raise Trouble(f"counts {counted} tokens where 5 are right", "make setup")
    embedder = embed.default()
    if embedder.name != embed.WordEmbedder.name:
        raise Trouble(f"no word vectors: searches by {embedder.name}", "make setup", WARNING)
    question, near, far = embedder.embed(["the motor is hot", "an engine overheats", "lunch is at noon"])
    if question @ near <= question @ far:
        raise Trouble(f"the word vectors {embedder.name} know no meaning", "make setup")
    return Found(f"counts tokens; word vectors {embedder.name}")


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
