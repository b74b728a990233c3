"""A library that writes memory to a file as it found it gets memory without anybody's old words in it.

An index of Chroma asks for room for many vectors at once and writes all of it to its file, the part
that it has not used yet too. That part holds whatever the process kept there before: vectors that
were erased since, for one. So while Chroma works, the allocator fills what it hands out, and after an
index was thrown away it gives free pages back to the system.

>>> with filled():
...     pass

Left out: allocators other than glibc's, which have no such switch. There this does nothing.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_PERTURB = -6  # glibc's M_PERTURB: fill what is allocated and what is freed
_FILL = 0x5A


def _allocator() -> Any:
    try:
        found = ctypes.CDLL(None)
        return found if hasattr(found, "mallopt") and hasattr(found, "malloc_trim") else None
    except (AttributeError, TypeError, OSError):  # another C library; no such thing as "this process"
        return None


_libc = _allocator()
_lock = threading.Lock()
_inside = 0


@contextmanager
def filled() -> Iterator[None]:
    """Have every block of memory that is handed out in this process filled while this runs."""
    _enter(1)
    try:
        yield
    finally:
        _enter(-1)


def _enter(step: int) -> None:
    global _inside
    with _lock:
        _inside += step
        if _libc:
            _libc.mallopt(_PERTURB, _FILL if _inside else 0)


def give_back() -> None:
    """Give free pages back to the system, which hands them out again as zeros."""
    if _libc:
        _libc.malloc_trim(0)
