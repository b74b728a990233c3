"""One value, one spelling: the bytes that are stored, hashed and never written again.

Audit bodies are encoded by RFC 8785 (JSON Canonicalization Scheme): keys sorted, no spaces,
one way to write each string and number. To keep that simple enough to re-implement in a
lesson, a body may hold only strings, integers, booleans, null, lists and objects with ASCII
keys; a fraction is written as a string.

>>> encode({"seq": 1, "actor": "dock-1", "live": True})
b'{"actor":"dock-1","live":true,"seq":1}'
>>> encode({"importance": 0.5})
Traceback (most recent call last):
    ...
teachmem.errors.InvalidInput: importance: holds a float; write it as a string

Left out: reading. `json.loads` reads these bytes like any other JSON.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import rfc8785

from teachmem.errors import InvalidInput
from teachmem.principal import text_fault
from teachmem.vocabulary import MAX_DEPTH, MAX_INTEGER


def encode(body: Mapping[str, Any]) -> bytes:
    """Return the RFC 8785 bytes of `body`, or raise `InvalidInput` naming the place that cannot enter."""
    _check(body, "", 0)
    return rfc8785.dumps(dict(body))


def _check(value: Any, place: str, depth: int) -> None:
    name = place or "body"
    if depth > MAX_DEPTH:
        raise InvalidInput(name, f"is nested deeper than {MAX_DEPTH}")
    if value is None or isinstance(value, bool):
        return
    if isinstance(value, str):
        if fault := text_fault(value):
            raise InvalidInput(name, fault)
    elif isinstance(value, int):
        if abs(value) > MAX_INTEGER:
            raise InvalidInput(name, f"holds an integer beyond the {MAX_INTEGER} that JSON carries exactly")
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            if not isinstance(key, str) or not key.isascii() or text_fault(key):
                raise InvalidInput(name, f"has the key {key!r}; keys are ASCII strings without U+0000")
            _check(inner, f"{place}.{key}" if place else key, depth + 1)
    elif isinstance(value, list | tuple):
        for index, inner in enumerate(value):
            _check(inner, f"{place}[{index}]", depth + 1)
    else:
        advice = "; write it as a string" if isinstance(value, float) else ""
        raise InvalidInput(name, f"holds a {type(value).__name__}{advice}")
