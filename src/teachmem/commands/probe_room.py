"""Is there what the kit needs around it? A folder for copies, data, UTF-8, settings, disk, a browser.

>>> disk(lambda _: 10**12).found
'1000.0 GB free'

Left out: the kit itself (`probe_kit.py`).
"""

from __future__ import annotations

import json
import locale
import os
import shutil
import socket
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from teachmem.commands import places
from teachmem.commands.probe import WARNING, Found, Trouble

SETTINGS = {
    "TEACHMEM_HOME": "where the record of your progress lies",
    "TEACHMEM_WORK": "where your copies of the notebooks lie",
    "TEACHMEM_ROOMS": "where the environments of other memory systems are made",
    "TEACHMEM_STATIC": "1: no live widgets, no record of progress (for tests)",
    "TEACHMEM_REQUIRE": "what tests may not skip (for CI)",
}
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome", "firefox", "microsoft-edge", "msedge")
GB = 10**9


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
