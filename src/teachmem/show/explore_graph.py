"""The part of a graph that is looked at: which edges, which things, how far from where it began.

`gather` reads every edge that the handle may believe, once. `within` is then the walk of `neighbours`
over them, so that a widget can walk on without asking the store.

>>> def edge(said: str) -> Edge:
...     return Edge(*said.split(), memory=None)
>>> edges = [edge("arm contains jaw"), edge("jaw contains pad"), edge("bay contains arm")]
>>> [str(each) for each in within(edges, "arm", 1, "out")], chosen(edges, "arm", 3)
(['arm contains jaw'], ['arm', 'jaw', 'bay'])

Left out: drawing. Who may believe what was decided when the edges were read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from teachmem import store
from teachmem.errors import InvalidInput
from teachmem.normal import nfc
from teachmem.tiers.graph import Edge

# How a walk is said and what `graph.neighbours` calls it.
WALKS = (
    ("along edges and against them", "both"),
    ("along edges only", "out"),
    ("against edges only", "in"),
)


def gather(handle: store.Handle) -> list[Edge]:
    """Return every edge that `handle` may believe."""
    return handle.graph.edges()


def things(edges: Sequence[Edge]) -> list[str]:
    """Return what the edges are about, in order of name."""
    return sorted({end for edge in edges for end in (edge.subject, edge.object)})


def within(edges: Sequence[Edge], entity: str, hops: int = 1, direction: str = "both") -> list[Edge]:
    """Return the edges within `hops` of `entity`, nearest first, as `graph.neighbours` does."""
    found: list[Edge] = []
    reached = frontier = {nfc(entity)}
    for _ in range(hops):
        crossed = [
            edge
            for edge in edges
            if (direction != "in" and edge.subject in frontier)
            or (direction != "out" and edge.object in frontier)
        ]
        found += [edge for edge in crossed if edge not in found]
        frontier = {end for edge in crossed for end in (edge.subject, edge.object)} - reached
        reached = reached | frontier
    return found


def chosen(edges: Sequence[Edge], entity: str | None, most: int) -> list[str]:
    """Return at most `most` things to draw, in the order in which they were chosen.

    It begins with `entity`, or the best connected thing, and goes on to the best connected of what an
    edge leads to from there; so what is drawn hangs together as far as the edges let it.
    """
    degree = Counter(end for edge in edges for end in (edge.subject, edge.object))
    if entity is not None and nfc(entity) not in degree:
        if edges:
            raise InvalidInput("entity", f"{entity!r} is at neither end of any of these edges")
        return []
    order: list[str] = []
    near: set[str] = set() if entity is None else {nfc(entity)}
    while len(order) < min(most, len(degree)):
        best = min(near or degree.keys() - set(order), key=lambda name: (-degree[name], name))
        order.append(best)
        touched = {
            end
            for edge in edges
            if best in (edge.subject, edge.object)
            for end in (edge.subject, edge.object)
        }
        near = (near | touched) - set(order)
    return order
