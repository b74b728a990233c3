"""The graph: what the believed triples say, as nodes and edges. It is a view and keeps nothing.

Every admissible fact that has a subject, a predicate and an object is an edge. So a fact that is
retracted, lapsed or out of scope leaves the graph by itself, at once, and a question about the past
gets the graph of the past. Two different predicates between the same two things are two edges.

Left out: inference. An edge is there because somebody said so.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from teachmem.clock import Moment
from teachmem.errors import InvalidInput
from teachmem.normal import nfc
from teachmem.principal import Principal
from teachmem.record import Memory, Receipt
from teachmem.rules import admissible, amend, shape
from teachmem.tiers.kit import Kit, check_count
from teachmem.tiers.semantic import SemanticMemory
from teachmem.vocabulary import GRAPH_PREDICATES, Tier


@dataclass(frozen=True, slots=True)
class Edge:
    """One triple, and the fact that says so."""

    subject: str
    predicate: str
    object: str
    memory: Memory

    def __str__(self) -> str:
        return f"{self.subject} {self.predicate} {self.object}"


class Graph:
    """The graph, as one principal may read and extend it."""

    def __init__(self, who: Principal, kit: Kit, semantic: SemanticMemory) -> None:
        self._who = who
        self._kit = kit
        self._semantic = semantic

    def link(
        self, subject: str, predicate: str, object: str, content: str | None = None, **more: Any
    ) -> Receipt:
        """Remember a triple; `content` is its sentence, by default the triple in words.

        `more` goes to `semantic.remember`. A predicate outside the vocabulary is refused.
        """
        said = content if content is not None else f"{subject} {str(predicate).replace('_', ' ')} {object}"
        return self._semantic.remember(said, subject=subject, predicate=predicate, object=object, **more)

    def unlink(self, subject: str, predicate: str, object: str, reason: str) -> list[Receipt]:
        """Retract every fact that you may believe and that says exactly this; return their receipts."""
        shape.check_member("predicate", predicate, GRAPH_PREDICATES)
        shape.check_text("reason", reason)
        triple = (_name(subject, "subject"), predicate, _name(object, "object"))
        found = [
            edge.memory.memory_id
            for edge in self._edges("edges", None, None, None)
            if (edge.subject, edge.predicate, edge.object) == triple
        ]
        return [
            amend.retract(self._kit.gate, self._who, Tier.SEMANTIC, memory_id, reason) for memory_id in found
        ]

    def neighbours(
        self,
        entity: str,
        hops: int = 1,
        direction: str = "both",
        *,
        predicates: Iterable[str] | None = None,
        at: Moment | None = None,
        known_at: Moment | None = None,
        widen: str | None = None,
    ) -> list[Edge]:
        """Return the edges within `hops` of `entity`, nearest first; `direction` is both, out or in."""
        hops = check_count("hops", hops)
        shape.check_member("direction", direction, ("both", "out", "in"))
        edges = _wanted(self._edges("neighbours", at, known_at, widen), predicates)
        reached = frontier = {_name(entity)}
        found: dict[str, Edge] = {}
        for _ in range(hops):
            crossed = [edge for edge in edges if _ends(edge, frontier, direction)]
            found.update(
                (edge.memory.memory_id, edge) for edge in crossed if edge.memory.memory_id not in found
            )
            frontier = {end for edge in crossed for end in (edge.subject, edge.object)} - reached
            reached = reached | frontier
            if not frontier:
                break
        return list(found.values())

    def path(
        self,
        start: str,
        goal: str,
        *,
        directed: bool = False,
        predicates: Iterable[str] | None = None,
        at: Moment | None = None,
        known_at: Moment | None = None,
        widen: str | None = None,
    ) -> list[Edge] | None:
        """Return a shortest path as edges, [] from a thing to itself, None where there is none."""
        edges = _wanted(self._edges("path", at, known_at, widen), predicates)
        first, last = _name(start, "start"), _name(goal, "goal")
        ways: dict[str, list[tuple[str, Edge]]] = {}
        for edge in edges:
            ways.setdefault(edge.subject, []).append((edge.object, edge))
            back = ways.setdefault(edge.object, [])
            if not directed:
                back.append((edge.subject, edge))
        if first not in ways:
            return None
        came_by: dict[str, tuple[str, Edge] | None] = {first: None}
        queue = deque([first])
        while queue and last not in came_by:
            here = queue.popleft()
            for there, edge in ways[here]:
                if there not in came_by:
                    came_by[there] = (here, edge)
                    queue.append(there)
        if last not in came_by:
            return None
        found: list[Edge] = []
        while (step := came_by[last]) is not None:
            last, edge = step
            found.insert(0, edge)
        return found

    def stats(
        self, *, at: Moment | None = None, known_at: Moment | None = None, widen: str | None = None
    ) -> dict[str, Any]:
        """Return how many nodes and edges there are, edges by predicate, and the best connected things."""
        edges = self._edges("stats", at, known_at, widen)
        degree = Counter(end for edge in edges for end in (edge.subject, edge.object))
        return {
            "nodes": len(degree),
            "edges": len(edges),
            "predicates": dict(sorted(Counter(edge.predicate for edge in edges).items())),
            "best connected": dict(sorted(degree.items(), key=lambda item: (-item[1], item[0]))[:7]),
        }

    def edges(
        self, *, at: Moment | None = None, known_at: Moment | None = None, widen: str | None = None
    ) -> list[Edge]:
        """Return every edge, in order of subject, predicate and object."""
        return self._edges("edges", at, known_at, widen)

    def _edges(self, read: str, at: Moment | None, known_at: Moment | None, widen: str | None) -> list[Edge]:
        with self._kit.asking(self._who, f"graph.{read}", at, known_at, widen) as (tx, reader, moment, known):
            rows = admissible.newest(tx, reader, moment, known, triples=True, tier=Tier.SEMANTIC)
        edges = (Edge(row.subject, row.predicate, row.object, row) for row in rows)
        return sorted(
            edges, key=lambda edge: (edge.subject, edge.predicate, edge.object, edge.memory.memory_id)
        )


def _wanted(edges: list[Edge], predicates: Iterable[str] | None) -> list[Edge]:
    if predicates is None:
        return edges
    if not isinstance(predicates, Iterable):
        raise InvalidInput("predicates", f"must be a list of predicates, not a {type(predicates).__name__}")
    chosen = [predicates] if isinstance(predicates, str) else list(predicates)
    for predicate in chosen:
        shape.check_member("predicates", predicate, GRAPH_PREDICATES)
    return [edge for edge in edges if edge.predicate in chosen]


def _ends(edge: Edge, frontier: set[str], direction: str) -> bool:
    leaves, arrives = edge.subject in frontier, edge.object in frontier
    return (leaves and direction != "in") or (arrives and direction != "out")


def _name(entity: object, field: str = "entity") -> str:
    shape.check_name(field, entity, empty=False)
    return nfc(str(entity))
