"""Between the table and the record: one row of `memories` is one `Memory`.

>>> COLUMNS[0], COLUMNS[-1]
('memory_id', 'seq')

Left out: `salt`, `embedding`, `twin_key` and `claim_key`. They serve the store and are no part of what a
reader is shown.
"""

from __future__ import annotations

import hashlib
import json
import operator
from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Any

import orjson

from teachmem.clock import from_micros
from teachmem.errors import StoreError
from teachmem.ledger.schema import memories
from teachmem.record import EMPTY, Memory
from teachmem.vocabulary import Source, Status, Tier, Visibility

_KEPT_BACK = ("salt", "embedding", "twin_key", "claim_key")
SHOWN = tuple(column for column in memories.c if column.name not in _KEPT_BACK)
COLUMNS = tuple(column.name for column in SHOWN)

_TIMES = ("valid_from", "valid_to", "recorded_at", "superseded_at", "expires_at")
_CAST = {"visibility": Visibility, "tier": Tier, "status": Status, "source": Source}
_TO_WORD = tuple((COLUMNS.index(name), {str(word): word for word in kind}) for name, kind in _CAST.items())
_TO_TIME = tuple(COLUMNS.index(name) for name in _TIMES)
_TO_FLAG = tuple(COLUMNS.index(name) for name in ("is_inferred", "keystone"))
_TO_JSON = tuple(COLUMNS.index(name) for name in ("qualifiers", "detail"))


def check(row: Sequence[Any], columns: tuple[str, ...] = COLUMNS) -> None:
    """Raise `StoreError` if a value of `row`, which has these columns, is not of its column's type."""
    if name := _misfit(tuple(map(type, row)), columns):
        which = f"the row of {row[0]!r}" if columns[0] == "memory_id" else "a row"
        raise StoreError(f"{which} is damaged or was changed by hand: its {name} is no {name}")


@lru_cache(maxsize=1_000)
def _misfit(types: tuple[type, ...], columns: tuple[str, ...]) -> str:
    """Return the first column whose value cannot be of this type, "" if all fit."""
    for name, found in zip(columns, types, strict=True):
        column = memories.c[name]
        wanted = column.type.python_type
        fits = (wanted, int) if wanted is float else (wanted,)
        if found not in fits and not (column.nullable and found is type(None)):
            return name
    return ""


def to_memory(row: Sequence[Any]) -> Memory:
    """Return the record of a row selected as `SHOWN`; raise `StoreError` for one that was damaged."""
    check(row)
    try:
        return _to_memory(row)
    except (ValueError, TypeError, OverflowError) as error:
        raise StoreError(f"the row of {row[0]!r} is damaged or was changed by hand: {error}") from error


def _to_memory(row: Sequence[Any]) -> Memory:
    values = list(row)
    for index, words in _TO_WORD:
        values[index] = words.get(values[index]) or _CAST[COLUMNS[index]](values[index])
    for index in _TO_TIME:
        if values[index] is not None:
            values[index] = from_micros(values[index])
    for index in _TO_FLAG:
        values[index] = bool(values[index])
    for index in _TO_JSON:
        values[index] = _frozen(values[index])
    return Memory(**dict(zip(COLUMNS, values, strict=True)))


def _frozen(text: str) -> Mapping[str, Any]:
    return MappingProxyType(json.loads(text)) if text != "{}" else EMPTY


_spelled = json.JSONEncoder(default=dict, ensure_ascii=False, sort_keys=True, allow_nan=False).encode


def to_json(value: Mapping[str, Any]) -> str:
    """Return JSON text for `qualifiers` or `detail`; their numbers are finite, checked at the gate."""
    return _spelled(value)


def content_digest(content: str, salt: bytes) -> str:
    """Return the hex digest that the chain holds: it proves a content without revealing it.

    >>> content_digest("gate four is open", bytes(16))[:12]
    '564031cf0c39'
    """
    return digest_of_bytes(content.encode(), salt)


def digest_of_bytes(content: bytes, salt: bytes) -> str:
    """Return the same digest of a content that was read as bytes."""
    return hashlib.sha256(b"teachmem/content/1\n" + salt + content).hexdigest()


# What a row says beside its content, in this order; the status stands in the entry itself.
CLAIMED = (
    *("fleet", "agent", "visibility", "session", "tier", "kind", "subject", "predicate", "object"),
    *("importance", "confidence", "is_inferred", "source", "valid_from", "valid_to", "expires_at"),
    *("qualifiers", "keystone", "detail"),
)
_in_order = operator.itemgetter(*CLAIMED)
_FRACTIONS = tuple(CLAIMED.index(name) for name in ("importance", "confidence"))
_FLAGS = tuple(CLAIMED.index(name) for name in ("is_inferred", "keystone"))


def row_digest(values: Mapping[str, Any], salt: bytes) -> str:
    """Return the hex digest of all that a row says beside its content, for the chain to hold.

    It covers the columns `CLAIMED` as one JSON list; fractions are spelled as Python's `repr` does. Not
    covered: the embedding and the twin key, which follow from these, and when the version was closed.
    """
    claimed = list(_in_order(values))
    for place in _FRACTIONS:
        if claimed[place] is not None:
            claimed[place] = repr(float(claimed[place]))
    for place in _FLAGS:
        claimed[place] = int(claimed[place])
    return hashlib.sha256(b"teachmem/row/1\n" + salt + orjson.dumps(claimed)).hexdigest()
