"""Where the things of a graph stand in its picture: in layers, by how many hops they are from the first.

networkx finds the hops and spreads the layers. Nothing is drawn by chance: the same edges give the same
whole numbers on every machine, which a picture made of springs would not.

Left out: drawing (`neighbourhood.py`), and large graphs. Seven things can be read at the back of a room.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

WIDTH, BOX_HEIGHT = 1040, 56
WIDEST_BOX = 206
MARGIN = 40  # above the first box, for the heading of its layer
PITCH, DEEP_PITCH = 78, 152  # from box to box in a column; from row to row where layers are rows
MOST_COLUMNS = 3  # with more layers than that, they are rows: an edge needs room for its words


@dataclass(frozen=True, slots=True)
class Layout:
    """The middle of each box, and how the layers lie."""

    places: Mapping[str, tuple[int, int]]
    layers: tuple[tuple[str, ...], ...]
    upright: bool  # layers are columns
    box_width: int
    height: int


def of(names: Sequence[str], ends: Sequence[tuple[str, str]], bulge: int = 0) -> Layout:
    """Place `names`, the first of them first, joined by `ends`; `bulge` keeps room at the right.

    >>> found = of(["arm", "jaw", "bay", "pad"], [("arm", "jaw"), ("bay", "arm"), ("jaw", "pad")])
    >>> found.layers, found.upright
    ((('arm',), ('bay', 'jaw'), ('pad',)), True)
    >>> found.places["arm"][1] == found.places["pad"][1]
    True
    """
    import networkx

    graph = networkx.Graph()
    graph.add_nodes_from(names)
    graph.add_edges_from(ends)
    layers = _layers(graph, names)
    upright = len(layers) <= MOST_COLUMNS
    most = max(map(len, layers))
    side = WIDTH - bulge
    box = WIDEST_BOX if upright else min(WIDEST_BOX, side // most - 24)
    height = MARGIN + (PITCH * most if upright else DEEP_PITCH * (len(layers) - 1) + BOX_HEIGHT + 8)
    spread = networkx.multipartite_layout(
        graph, subset_key=dict(enumerate(layers)), align="vertical" if upright else "horizontal"
    )
    across = _scaled(
        {name: float(place[0]) for name, place in spread.items()}, box / 2 + 2, side - box / 2 - 2
    )
    top, bottom = MARGIN + BOX_HEIGHT / 2, height - BOX_HEIGHT / 2 - (PITCH - BOX_HEIGHT if upright else 8)
    down = _scaled({name: float(place[1]) for name, place in spread.items()}, top, bottom)
    places = {name: (across[name], down[name]) for name in names}
    return Layout(places, tuple(map(tuple, layers)), upright, box, height)


def _layers(graph: Any, names: Sequence[str]) -> list[list[str]]:
    """Return the names by hops from the first, each layer in the order that crosses least."""
    import networkx

    hops: dict[str, int] = {}
    for name in names:  # more than one start only where the graph falls apart
        if name not in hops:
            hops |= networkx.single_source_shortest_path_length(graph, name)
    layers: list[list[str]] = []
    rank: dict[str, float] = {}
    for hop in range(max(hops.values()) + 1):
        members = [name for name in names if hops[name] == hop]

        above = {name: [rank[other] for other in graph[name] if hops[other] == hop - 1] for name in members}
        middle = {name: sum(ranks) / len(ranks) if ranks else 0.0 for name, ranks in above.items()}
        layers.append(sorted(members, key=lambda name: (middle[name], name)))
        rank |= {name: place - (len(members) - 1) / 2 for place, name in enumerate(layers[-1])}
    return layers


def _scaled(values: Mapping[str, float], low: float, high: float) -> dict[str, int]:
    """Return `values` stretched from `low` to `high` as whole numbers; equal ones stand in the middle."""
    least, span = min(values.values()), max(values.values()) - min(values.values())
    middle = (low + high) / 2
    return {
        name: whole(middle if span < 1e-9 else low + (value - least) / span * (high - low))
        for name, value in values.items()
    }


def whole(value: float) -> int:
    """Return the nearest whole number; the last digits, which may differ between machines, play no part."""
    return math.floor(round(value, 6) + 0.5)
