"""The catalogue of robots over MCP: documents, which recall leaves out unless asked."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from teachmem.errors import InvalidInput
from teachmem.record import Memory
from teachmem.server import shown
from teachmem.server.acting import ME
from teachmem.server.shown import Shown
from teachmem.server.toolset import tool
from teachmem.store import Handle

ALL = 10_000


@tool()
def catalogue_search(
    query: str,
    k: int = 5,
    at: datetime | None = None,
    known_at: datetime | None = None,
    me: Handle = ME,
) -> Shown:
    """Return the k rows of the catalogue that answer best.

    Use it for models, components and specifications. What somebody has said about a robot since is
    found with semantic_search.
    To find what was remembered about a robot, use semantic_search.
    """
    return shown.recollection(me.semantic.search_documents(query, k, at=at, known_at=known_at))


@tool()
def catalogue_list(
    category: str | None = None,
    model: str | None = None,
    status: str | None = None,
    limit: int = 20,
    me: Handle = ME,
) -> list[Shown]:
    """Return the catalogue's rows that match, in short, by number; a filter left out does not filter.

    Use it to see which robots there are. To find one by what it does, use catalogue_search.
    """
    wanted = {"category": category, "model": model, "status": status}
    chosen = {name: value for name, value in wanted.items() if value is not None}
    rows = sorted(rows_of(me).values(), key=lambda row: str(row["id"]))
    found = [row for row in rows if all(row.get(name) == value for name, value in chosen.items())]
    short = ("id", "name", "model", "category", "status")
    return [{name: row[name] for name in short if name in row} for row in found[: max(limit, 0)]]


@tool()
def catalogue_get(robot: str, me: Handle = ME) -> Shown:
    """Return the catalogue's row of one robot by its number, such as NL-0003, with all its figures.

    Use it when you have a robot's number. To find one by words, use catalogue_search.
    """
    return row_of(me, robot)


@tool()
def catalogue_compare(first: str, second: str, me: Handle = ME) -> Shown:
    """Return what two robots have in common and where they differ, field by field.

    Use it to choose between two robots. For the row of one, use catalogue_get.
    """
    one, other = row_of(me, first), row_of(me, second)
    same, different = {}, {}
    for name in sorted({*one, *other} - {"id"}):
        if one.get(name) == other.get(name):
            same[name] = one[name]
        else:
            different[name] = {first: one.get(name), second: other.get(name)}
    return {"same": same, "different": different}


def rows_of(me: Handle) -> dict[str, dict[str, Any]]:
    """Return every row of the catalogue that `me` may read, by number, as it was loaded."""
    found: dict[str, Memory] = {}
    for document in me.semantic.list(kind="document", limit=ALL):
        found.setdefault(str(document.qualifiers.get("catalogue_id")), document)
    return {number: dict(document.detail["row"]) for number, document in found.items()}


def row_of(me: Handle, robot: str) -> dict[str, Any]:
    """Return one row. Raises `InvalidInput` for a number that the catalogue does not have."""
    row = rows_of(me).get(robot.strip().upper())
    if row is None:
        raise InvalidInput("robot", f"the catalogue has no {robot!r}; catalogue_list names the robots")
    return row
