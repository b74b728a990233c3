r"""Files and folders that their owner alone can read: keys, tokens, memories, a student's record.

A file gets its mode when it is made, so there is no moment at which others could open it, and gets it
again at once, because the umask may have taken a right away from the owner too. What somebody has opened
to a group on purpose stays as it is.

>>> from tempfile import TemporaryDirectory
>>> with TemporaryDirectory() as folder:
...     file = Path(folder) / "kept" / "tokens.json"
...     make_folder(file.parent)
...     write(file, b"[]\n")
...     file.read_bytes()
b'[]\n'

Left out: Windows, where a file of the user's profile has that profile's rights.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

FILE, FOLDER = 0o600, 0o700
OTHERS = 0o077
_BINARY = getattr(os, "O_BINARY", 0)  # Windows would turn line ends


def create(path: str | os.PathLike[str]) -> int:
    """Make a new file and return its handle, open for reading and writing. Raises `FileExistsError`.

    A link that somebody laid in its place is no new file.
    """
    handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR | _BINARY, FILE)
    _own(handle)
    return handle


def open_file(path: str | os.PathLike[str]) -> int:
    """Return a handle for reading and for adding at the end; a missing file is made."""
    try:
        return create(path)
    except FileExistsError:
        return os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | _BINARY, FILE)


def write(path: str | os.PathLike[str], data: bytes) -> None:
    """Put `data` in the place of a file, whole or not at all, on the disk before this returns.

    A file that was there keeps its mode. Whoever calls sees to it that nobody else writes at the same time.
    """
    place = Path(path)
    aside = place.with_name(place.name + ".new")
    aside.unlink(missing_ok=True)
    try:
        with os.fdopen(create(aside), "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            if os.name == "posix" and place.exists():
                os.fchmod(file.fileno(), stat.S_IMODE(place.stat().st_mode))
        aside.replace(place)
    finally:
        discard(aside)


def discard(path: str | os.PathLike[str]) -> None:
    """Delete a file of ours that is of no more use; one that cannot be deleted stays."""
    with suppress(OSError):
        Path(path).unlink()


def make_folder(path: str | os.PathLike[str]) -> None:
    """Make a folder, and those above that are missing, for their owner only; one that is there stays."""
    folder = Path(path)
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    for each in reversed(missing):
        each.mkdir(mode=FOLDER, exist_ok=True)
        if os.name == "posix":
            each.chmod(FOLDER)


def close_folder(path: str | os.PathLike[str]) -> None:
    """Take every right in a folder from all but its owner."""
    if is_open_to_others(path):
        Path(path).chmod(FOLDER)


def is_open_to_others(path: str | os.PathLike[str]) -> bool:
    """Say whether somebody else than the owner may read, change or enter what is at `path`."""
    return os.name == "posix" and bool(Path(path).stat().st_mode & OTHERS)


def _own(handle: int) -> None:
    if os.name == "posix":
        os.fchmod(handle, FILE)
