"""The segments: one small module each, that holds what is asked and nothing of how it is asked.

To write segment NN, add `sNN.py` with a `SEGMENT`: its clock, which rows of the data it starts with, its
handles, its predictions and exercises (`material.py` says what each is made of, `laws.py` how a law
speaks). Then add `tests/solutions/sNN.py`; the tests say what is missing. An exercise with many laws
may have a module of its own, `sNN_name.py`.

>>> find("02").title
'Episodic memory'

Left out: the prose and the code that students read. That is the notebook's.
"""

from __future__ import annotations

import importlib
from functools import lru_cache
from pathlib import Path

from teachmem.course import words
from teachmem.course.material import Segment
from teachmem.errors import InvalidInput


@lru_cache
def numbers() -> tuple[str, ...]:
    """Return the numbers of the segments that exist, in order."""
    return tuple(sorted(path.stem[1:] for path in Path(__file__).parent.glob("s[0-9][0-9].py")))


def home(segment: Segment) -> str:
    """Return the name of the module that holds `segment`, by which another process finds it."""
    return segment.home or f"{__name__}.s{segment.number}"


def at(module: str) -> Segment:
    """Return the segment that a module holds as `SEGMENT`."""
    found: Segment = importlib.import_module(module).SEGMENT
    return found


def find(number: object) -> Segment:
    """Return a segment by its number: "02", "2" or 2. Raises `InvalidInput`, which names those there are."""
    wanted = str(number).strip() if isinstance(number, str | int) else ""
    wanted = wanted and wanted.zfill(2)
    if isinstance(number, bool) or wanted not in numbers():
        known = words.listed(numbers())
        raise InvalidInput("lesson", words.NO_LESSON.format(given=repr(number), known=known))
    return at(f"{__name__}.s{wanted}")
