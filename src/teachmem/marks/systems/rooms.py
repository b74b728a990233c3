"""A room of its own for every other system: an environment that is made once, on demand, and reused.

The packages are pinned, come through the ordinary clients (uv or pip, npm) as this machine has them set up,
and lie in a folder of caches, never in the environment of teachmem. A room is built aside and then put in
place, so that one that was interrupted is not taken for a whole one. What failed once is not tried again by
the same process.

>>> Room("mem0", "python", ("mem0ai==2.2.1",)).folder.name
'mem0-...'

Left out: cleaning up. The folder can be deleted at any time.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from teachmem.marks.system import CouldNotRun

SECONDS = 900  # for one step of an installation
LONGEST = 200  # characters of what an installer said
_failed: dict[str, str] = {}


def home() -> Path:
    """Return the folder of rooms: TEACHMEM_ROOMS, or the place for caches on this system."""
    if chosen := os.environ.get("TEACHMEM_ROOMS"):
        return Path(chosen).expanduser()
    if sys.platform == "win32":
        caches = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        caches = Path.home() / "Library" / "Caches"
    else:
        caches = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return caches / "teachmem" / "rooms"


@dataclass(frozen=True, slots=True)
class Room:
    """An environment for one system: of `kind` "python" or "node", with pinned packages."""

    name: str
    kind: str
    packages: tuple[str, ...]

    @property
    def folder(self) -> Path:
        """Where it lies: another pin or another Python is another room."""
        python = f"{sys.version_info.major}.{sys.version_info.minor}" if self.kind == "python" else ""
        mark = hashlib.sha256(" ".join((self.kind, python, *self.packages)).encode()).hexdigest()[:8]
        return home() / f"{self.name}-{mark}"

    @property
    def python(self) -> Path:
        """The interpreter of a Python room."""
        return python_of(self.folder)

    @property
    def ready(self) -> bool:
        """Whether it has been made."""
        return self.folder.is_dir()

    def enter(self, say: Callable[[str], None]) -> Path:
        """Return its folder, made if it is missing; `say` is told before anything is installed.

        Raises `CouldNotRun` with the reason where it cannot be made.
        """
        if self.ready:
            return self.folder
        if why := _failed.get(self.folder.name):
            raise CouldNotRun(why)
        say(f"{self.name}: installing {' '.join(self.packages)} into {self.folder}")
        aside = self.folder.with_name(f"{self.folder.name}.building-{os.getpid()}")
        try:
            aside.mkdir(parents=True)
            (_build_python if self.kind == "python" else _build_node)(self, aside)
            if not self.ready:  # another process may have been faster
                aside.rename(self.folder)
        except (OSError, subprocess.SubprocessError) as error:
            why = _failed[self.folder.name] = f"{self.name} could not be installed: {_reason(error)}"
            raise CouldNotRun(why) from error
        finally:
            shutil.rmtree(aside, ignore_errors=True)
        return self.folder


def python_of(folder: Path) -> Path:
    """Return the interpreter of a virtual environment."""
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def _build_python(room: Room, aside: Path) -> None:
    if importlib.util.find_spec("uv"):
        uv = [sys.executable, "-m", "uv"]
        _run([*uv, "venv", "--quiet", "--allow-existing", "--python", sys.executable, str(aside)])
        _run([*uv, "pip", "install", "--quiet", "--python", str(python_of(aside)), *room.packages])
    else:
        _run([sys.executable, "-m", "venv", str(aside)])
        _run([str(python_of(aside)), "-m", "pip", "install", "--quiet", *room.packages])


def _build_node(room: Room, aside: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise FileNotFoundError("there is no npm on this machine")
    # No address of a registry is written down, and no script of a package is run.
    (aside / ".npmrc").write_text("omit-lockfile-registry-resolved=true\n", encoding="utf-8")
    quiet = ["--no-audit", "--no-fund", "--ignore-scripts", "--fetch-retries=0", "--loglevel=error"]
    _run([npm, "install", "--prefix", str(aside), *quiet, *room.packages], aside)


def _run(command: list[str], folder: Path | None = None) -> None:
    subprocess.run(
        command, cwd=folder, check=True, capture_output=True, timeout=SECONDS, stdin=subprocess.DEVNULL
    )


def _reason(error: Exception) -> str:
    """Say in one line why it failed, without the addresses that an installer names."""
    if isinstance(error, subprocess.CalledProcessError):
        told = error.stderr.decode("utf-8", "replace").replace("npm error", " ")
        lines = [line.strip() for line in told.splitlines() if "complete log" not in line]
        said = re.sub(r"\S*://\S*", "(an address)", " ".join(line for line in lines if line))
        return said[:LONGEST] or f"the installer ended with {error.returncode}"
    if isinstance(error, subprocess.TimeoutExpired):
        return f"it took longer than {SECONDS} s"
    return getattr(error, "strerror", None) or str(error)
