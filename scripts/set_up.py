"""Build .venv from requirements.lock, or do nothing when nothing changed. Needs only the standard library.

The stamp ``.venv/teachmem-stamp`` says what the environment was built from: contents, not dates, because a
fresh clone changes every date. It is written last. A set-up that was interrupted leaves
``.venv/teachmem-unfinished`` instead, and the next one starts over. Left out: choosing the Python, which
``find_python.sh`` does, and opening the Lab.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VENV = ROOT / ".venv"
LOCK = ROOT / "requirements.lock"
STAMP = VENV / "teachmem-stamp"
UNFINISHED = VENV / "teachmem-unfinished"
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
VERSION = "{}.{}".format(*sys.version_info)


def expected_stamp() -> str:
    """Say what a finished environment for this checkout was built from."""
    digests = [
        f"{path.name} {hashlib.sha256(path.read_bytes()).hexdigest()}"
        for path in (LOCK, ROOT / "pyproject.toml")
    ]
    return "\n".join([f"python {VERSION}", f"place {VENV}", *digests, ""])


def read(path: Path) -> str:
    """Return the text of a file, or nothing when it is not there."""
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def usable() -> bool:
    """Say whether the .venv that is there can be built upon: not broken off, of this Python, with pip."""
    if not PYTHON.exists() or UNFINISHED.exists():
        return False
    stamp = read(STAMP).splitlines()
    if stamp and stamp[:2] != expected_stamp().splitlines()[:2]:
        return False  # another Python, or the folder was moved: its scripts point elsewhere
    probe = "import sys, pip; print('{}.{}'.format(*sys.version_info))"
    answer = subprocess.run([PYTHON, "-c", probe], capture_output=True, text=True, check=False)
    return answer.returncode == 0 and answer.stdout.strip() == VERSION


@contextmanager
def alone() -> Iterator[None]:
    """Let one set-up at a time work on this checkout; a second one waits, then finds the work done."""
    with LOCK.open("rb") as held:
        try:
            import fcntl
        except ImportError:  # Windows
            yield
            return
        with suppress(OSError):  # some network drives know no locks
            fcntl.flock(held, fcntl.LOCK_EX)
        yield


def run(*command: object) -> None:
    """Run one step of the set-up, with compiled modules allowed."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in ("PYTHONDONTWRITEBYTECODE", "PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")
    }
    environment |= {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INPUT": "1"}
    subprocess.run([str(word) for word in command], check=True, cwd=ROOT, env=environment)


def wheels_options(wheels: Path | None) -> list[str]:
    """Give the options that make pip and uv take everything from a folder, without network."""
    if wheels is None:
        return []
    if not wheels.is_dir():
        raise SystemExit(f"set-up: the folder {wheels} does not exist; `make wheelhouse` fills one.")
    filled_for = read(wheels / "python-version").strip()
    if filled_for not in ("", VERSION):
        raise SystemExit(
            f"set-up: {wheels} holds wheels for Python {filled_for}, this is {VERSION}; "
            f"say PYTHON=python{filled_for}."
        )
    return ["--no-index", "--find-links", str(wheels)]


def build(wheels: Path | None) -> None:
    """Make .venv and install uv, then the lock, then the project."""
    options = wheels_options(wheels)
    fresh = not usable()
    STAMP.unlink(missing_ok=True)
    if fresh:
        if VENV.exists():
            shutil.rmtree(VENV)
        VENV.mkdir()
        UNFINISHED.touch()
        base = getattr(sys, "_base_executable", None) or sys.executable
        run(base, "-m", "venv", VENV)
    UNFINISHED.touch()
    uv = ("-m", "uv", "pip", "install", "--python", PYTHON, *options)
    if subprocess.run([PYTHON, "-m", "uv", "--version"], capture_output=True, check=False).returncode:
        run(PYTHON, "-m", "pip", "install", "--quiet", *options, "uv")
    run(PYTHON, *uv, "--require-hashes", "--compile-bytecode", "-r", LOCK)
    run(PYTHON, *uv, "--no-deps", "--no-build-isolation", "-e", ROOT)
    finished = STAMP.with_suffix(".new")
    finished.write_text(expected_stamp(), encoding="utf-8", newline="\n")
    UNFINISHED.unlink()
    finished.replace(STAMP)


def set_up(wheels: Path | None) -> None:
    """Bring .venv up to date; a second call does nothing."""
    with alone():
        if PYTHON.exists() and not UNFINISHED.exists() and read(STAMP) == expected_stamp():
            return
        started = time.monotonic()
        print(f"set-up: building .venv with Python {VERSION}, a minute or more the first time", flush=True)
        build(wheels)
        print(f"set-up: done in {time.monotonic() - started:.0f} s", flush=True)


def fill(folder: Path) -> None:
    """Download every wheel of the lock for this system and this Python, and uv, into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    download = ("-m", "pip", "download", "--quiet", "--only-binary", ":all:", "--no-deps", "-d", folder)
    run(PYTHON, *download, "--require-hashes", "-r", LOCK)
    run(PYTHON, *download, "uv")
    (folder / "python-version").write_text(f"{VERSION}\n", encoding="utf-8", newline="\n")
    count = sum(1 for _ in folder.glob("*.whl"))
    print(f"wheelhouse: {count} wheels for Python {VERSION} on this system are in {folder}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line; answer with an exit code and, on failure, one sentence."""
    parser = argparse.ArgumentParser(description="Build .venv from requirements.lock.")
    parser.add_argument("--wheels", default="", help="install from this folder, without network")
    parser.add_argument("--fill", default="", help="fill this folder with wheels instead")
    options = parser.parse_args(arguments)
    if not (3, 11) <= sys.version_info[:2] < (3, 14):
        print(f"set-up: teachmem needs Python 3.11, 3.12 or 3.13; this is {VERSION}.", file=sys.stderr)
        return 1
    try:
        if options.fill:
            fill(Path(options.fill).resolve())
        else:
            set_up(Path(options.wheels).resolve() if options.wheels else None)
    except subprocess.CalledProcessError as failed:
        print(f"set-up: stopped, this step failed: {' '.join(failed.cmd)}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("set-up: interrupted; the next run starts over.", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
