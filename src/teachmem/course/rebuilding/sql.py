"""A clause of the student's, asked of a few rows in SQLite, without a store.

>>> from teachmem.ledger.schema import memories
>>> chosen(memories.c.status == "active", [{"status": "active"}, {"status": "deleted"}])
[0]

Left out: the constraints of the real table. A law wants rows in it that no gate would let in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Select, create_engine, literal_column, select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import StaticPool

from teachmem.course.laws import Wrong, fault
from teachmem.ledger.schema import memories

_ENGINE = create_engine("sqlite://", poolclass=StaticPool)
_COLUMNS = [column.name for column in memories.columns]


def chosen(clause: ColumnElement[bool], rows: Sequence[Mapping[str, Any]], **binds: Any) -> list[int]:
    """Return the places of the rows that a clause on `memories` lets through; a missing column is NULL."""
    with _ENGINE.connect() as connection:
        connection.exec_driver_sql("DROP TABLE IF EXISTS memories")
        connection.exec_driver_sql(f"CREATE TABLE memories (place, {', '.join(_COLUMNS)})")
        marks = ", ".join("?" * (len(_COLUMNS) + 1))
        values = [(place, *(row.get(name) for name in _COLUMNS)) for place, row in enumerate(rows)]
        connection.exec_driver_sql(f"INSERT INTO memories VALUES ({marks})", values)
        try:
            asked: Select[Any] = select(literal_column("place")).select_from(memories).where(clause)
            return [int(row[0]) for row in connection.execute(asked, binds)]
        except SQLAlchemyError as error:
            told = fault(getattr(error, "orig", None) or error)
            raise Wrong(f"the database cannot run your clause ({clause}): {told}") from None
