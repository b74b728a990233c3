"""The graph over MCP."""

from __future__ import annotations

from datetime import datetime

from teachmem.server import shown
from teachmem.server.acting import ME
from teachmem.server.shown import Shown
from teachmem.server.toolset import tool
from teachmem.store import Handle
from teachmem.tiers.graph import Edge


def _edge(edge: Edge) -> Shown:
    return {
        "subject": edge.subject,
        "predicate": edge.predicate,
        "object": edge.object,
        "fact": edge.memory.memory_id,
        "status": str(edge.memory.status),
    }


@tool()
def graph_neighbours(
    entity: str,
    hops: int = 1,
    direction: str = "both",
    predicates: list[str] | None = None,
    at: datetime | None = None,
    known_at: datetime | None = None,
    me: Handle = ME,
) -> list[Shown]:
    """Return the triples around a thing, up to `hops` edges away.

    Use it for what a thing is connected with. `direction` is out, in or both. For the way from one
    thing to another, use graph_path.
    """
    edges = me.graph.neighbours(
        entity, hops, direction=direction, predicates=predicates, at=at, known_at=known_at
    )
    return [_edge(edge) for edge in edges]


@tool()
def graph_path(
    start: str,
    goal: str,
    directed: bool = False,
    at: datetime | None = None,
    known_at: datetime | None = None,
    me: Handle = ME,
) -> Shown:
    """Return a shortest way from one thing to another as triples; `found` is false where there is none.

    Use it to find out how two things hang together. For what is next to one, use graph_neighbours.
    """
    way = me.graph.path(start, goal, directed=directed, at=at, known_at=known_at)
    return {"found": way is not None, "path": [_edge(edge) for edge in way or ()]}


@tool(writes=True)
def graph_link(
    subject: str,
    predicate: str,
    object: str,
    content: str | None = None,
    request_id: str | None = None,
    me: Handle = ME,
) -> Shown:
    """Remember a triple of the graph's vocabulary; `content` is its sentence.

    Use it where two things are connected. A predicate outside the vocabulary is refused; the
    resource memory://vocabulary lists them.
    For a fact that is no triple, use semantic_remember.
    """
    return shown.receipt(me.graph.link(subject, predicate, object, content, request_id=request_id))


@tool(destroys=True)
def graph_unlink(subject: str, predicate: str, object: str, reason: str, me: Handle = ME) -> list[Shown]:
    """Retract every fact that says exactly this triple and that you may believe; keep why.

    Use it when an edge is wrong. To say what took its place, use graph_link.
    """
    return [shown.receipt(each) for each in me.graph.unlink(subject, predicate, object, reason)]


@tool()
def graph_stats(at: datetime | None = None, known_at: datetime | None = None, me: Handle = ME) -> Shown:
    """Return how many things and triples the graph has, by predicate.

    Use it to see how large the graph is. To read edges, use graph_neighbours.
    """
    return me.graph.stats(at=at, known_at=known_at)
