"""An audit body is JSON text; these let the database itself read it, in each dialect's own words.

>>> print(BodyField("seq", number=True).compile())
json_extract(body, '$.seq')

Left out: what stands in a body (`journal.py`), and its exact bytes (`canonical.py`).
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import LargeBinary
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.elements import ColumnElement


class BodyField(ColumnElement[Any]):
    """One top-level field of an audit body, taken out of its JSON by the database."""

    inherit_cache = True

    def __init__(self, name: str, number: bool = False) -> None:
        self.name = name
        self.number = number


@compiles(BodyField)
def _body_field(element: BodyField, compiler: Any, **_: Any) -> str:
    return f"json_extract(body, '$.{element.name}')"


@compiles(BodyField, "postgresql")
def _body_field_postgresql(element: BodyField, compiler: Any, **_: Any) -> str:
    value = f"(body::jsonb ->> '{element.name}')"
    return f"({value}::bigint)" if element.number else value


class TextBytes(ColumnElement[bytes]):
    """The bytes of a text as they are stored, even where they are no text any more."""

    inherit_cache = True
    type = LargeBinary()

    def __init__(self, name: str) -> None:
        self.name = name


@compiles(TextBytes)
def _text_bytes(element: TextBytes, compiler: Any, **_: Any) -> str:
    return f"CAST({element.name} AS BLOB)"


@compiles(TextBytes, "postgresql")
def _text_bytes_postgresql(element: TextBytes, compiler: Any, **_: Any) -> str:
    return f"convert_to({element.name}, 'UTF8')"
