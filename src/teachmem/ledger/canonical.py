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

Both ways go through `orjson`, which for a body in plain ASCII writes the same bytes ten times faster; a
test holds the two equal. Reading back, `decode` refuses every other spelling of the same value.

>>> decode(b'{"live":true,"seq":1}')
{'live': True, 'seq': 1}
>>> decode(b'{"seq":1,"live":true}') is decode(b'{"seq":1.0}') is None
True

Left out: numbers with a fraction, which RFC 8785 can write and two readers may round differently.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson
import rfc8785

from teachmem.errors import InvalidInput
from teachmem.principal import text_fault
from teachmem.vocabulary import MAX_DEPTH, MAX_INTEGER


def encode(body: Mapping[str, Any]) -> bytes:
    """Return the RFC 8785 bytes of `body`, or raise `InvalidInput` naming the place that cannot enter."""
    _check(body, "", 0)
    quick = orjson.dumps(body, option=_LIKE_OURS)
    return quick if _is_plain(quick) else rfc8785.dumps(dict(body))


_LIKE_OURS = orjson.OPT_SORT_KEYS | orjson.OPT_STRICT_INTEGER


def decode(data: bytes) -> dict[str, Any] | None:
    """Return the body that `data` spells, or None if these are not the RFC 8785 bytes of a body."""
    try:
        body = orjson.loads(data)
        if type(body) is not dict:
            return None
        is_quick = _is_plain(data) and _is_simple(body)
        same = orjson.dumps(body, option=_LIKE_OURS) if is_quick else encode(body)
    except (ValueError, TypeError, InvalidInput):
        return None
    return body if same == data else None


def _is_plain(data: bytes) -> bool:
    """ASCII without escapes: what orjson is known to write as RFC 8785 does."""
    return data.isascii() and b"\\" not in data


def _is_simple(body: dict[str, Any]) -> bool:
    """No fraction, and not so deep that one would have to count."""
    level: list[Any] = [body]
    for _ in range(MAX_DEPTH):
        inner = []
        for holder in level:
            for value in holder.values() if type(holder) is dict else holder:
                kind = type(value)
                if kind is float:
                    return False
                if kind is dict or kind is list:
                    inner.append(value)
        if not inner:
            return True
        level = inner
    return False


def _check(value: Any, place: str, depth: int) -> None:
    name = place or "body"
    if depth > MAX_DEPTH:
        raise InvalidInput(name, f"is nested deeper than {MAX_DEPTH}")
    if isinstance(value, str):
        if fault := text_fault(value):
            raise InvalidInput(name, fault)
    elif value is None or isinstance(value, bool):
        return
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
