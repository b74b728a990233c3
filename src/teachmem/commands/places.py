"""Where things lie: the checkout with its notebooks, the student's copies, a server's tokens.

>>> segment_of(["00-start-here", "02-episodic-memory"], "2")
'02-episodic-memory'

Left out: the data (`course/world.py`) and the record of progress (`course/journal.py`).
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from teachmem import errors

PACKAGE = Path(__file__).resolve().parents[1]
FIRST = "00-start-here"


def checkout() -> Path:
    """Return the folder that holds `notebooks/`: the one this package lies in, or one around you.

    Raises `TeachmemError` where there is none.
    """
    here = Path.cwd()
    for folder in (PACKAGE.parents[1], here, *here.parents):
        if (folder / "notebooks" / f"{FIRST}.ipynb").is_file():
            return folder
    raise errors.TeachmemError(
        f"no folder `notebooks` with {FIRST}.ipynb around the package or around {here}; "
        "work in a checkout of teachmem, installed with `make setup`"
    )


def check_store(store: str) -> None:
    """Refuse a path at which there is no store, so that a mistyped one makes none."""
    if "://" not in store and not Path(store).is_file():
        raise errors.StoreError(f"there is no store at {store!r}; give the path of one")


def work() -> Path:
    """Return the folder of the student's copies: TEACHMEM_WORK, or `work` in the checkout."""
    chosen = os.environ.get("TEACHMEM_WORK")
    return Path(chosen).expanduser().resolve() if chosen else checkout() / "work"


def tokens() -> Path:
    """Return the file of a server's tokens where none is given: beside the record of progress."""
    from teachmem.course import journal

    return journal.home() / "tokens.json"


def originals() -> dict[str, Path]:
    """Return the committed notebooks by name, in order of segment."""
    found = sorted((checkout() / "notebooks").glob("[0-9][0-9]-*.ipynb"))
    return {path.stem: path for path in found}


def original(segment: str) -> Path:
    """Return the committed notebook of a segment such as "02"."""
    found = originals()
    return found[segment_of(found, segment)]


def segment_of(names: Iterable[str], asked: str) -> str:
    """Return the one of `names` that `asked` means: its number, or its whole name.

    Raises `TeachmemError` that names those there are.
    """
    known = list(names)
    wanted = asked.removesuffix(".ipynb")
    for name in known:
        if wanted == name or (wanted.isdecimal() and wanted.zfill(2) == name[:2]):
            return name
    raise errors.TeachmemError(f"there is no segment {asked!r}; there are: {', '.join(known)}")
