"""A neighbourhood of the graph: things as boxes, in layers by hops, and what is said of them on the edges.

An arrow points from the subject to the object. The picture holds at most seven things, the best
connected ones that hang together; how many more there are stands below it.

Left out: the facts behind the edges. Each edge names its memory, and `semantic.get` has the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from teachmem import store
from teachmem.errors import InvalidInput
from teachmem.normal import nfc
from teachmem.show import arrows, explore_graph, layout, markup, style, view, words
from teachmem.show.markup import Markup
from teachmem.tiers.graph import Edge

LINE = 17  # characters on one line of a box


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """Edges to be looked at, from `entity` where there is one. `asked` says how they were found."""

    edges: tuple[Edge, ...]
    entity: str | None = None
    asked: str = ""

    def __post_init__(self) -> None:
        for each in self.edges:
            if not isinstance(each, Edge):
                raise InvalidInput("edges", f"must hold Edge alone, not {type(each).__name__}")


def found(
    x: store.Handle | Iterable[Edge], entity: str | None = None, hops: int = 1, direction: str = "both"
) -> Neighbourhood:
    """Return what is to be looked at: edges as they are, or those that a handle finds around `entity`."""
    if not isinstance(x, store.Handle):
        return Neighbourhood(tuple(x), entity)
    if entity is None:
        return Neighbourhood(tuple(x.graph.edges()))
    edges = x.graph.neighbours(entity, hops, direction)
    return Neighbourhood(tuple(edges), entity, walked(hops, direction))


def walked(hops: int, direction: str) -> str:
    """Say how a neighbourhood was walked.

    >>> walked(1, "both"), walked(2, "out")
    ('within 1 hop, along edges and against them', 'within 2 hops, along edges only')
    """
    way = next(said for said, name in explore_graph.WALKS if name == direction)
    return f"within {words.count(hops, 'hop')}, {way}"


def graph(given: Neighbourhood, most: int = style.MOST_MARKS) -> view.View:
    """Return the view of a neighbourhood: `most` things at most, and the edges between them."""
    names = explore_graph.chosen(given.edges, given.entity, most)
    rows = tuple((each.subject, each.predicate, each.object, each.memory.memory_id) for each in given.edges)
    shown = [
        place for place, each in enumerate(given.edges) if each.subject in names and each.object in names
    ]
    total = len(explore_graph.things(given.edges))
    about = f" around {words.one_line(given.entity)}" if given.entity else ""
    title = f"graph{about}: {words.count(total, 'thing')}, {words.count(len(rows), 'edge')}"
    rest = _rest(total - len(names), len(rows) - len(shown))
    picture = [_picture(given, names, [given.edges[place] for place in shown])] if names else []
    if rest:
        picture.append(markup.el("p", {}, rest))
    notes = () if rows else ("note: there is no edge that you may read",)
    table = view.Table(("subject", "predicate", "object", "memory"), rows)
    return view.View(title, table, markup.join(picture), notes, shown, given.asked, rest)


def _rest(nodes: int, edges: int) -> str:
    told = [words.count(nodes, "thing")] if nodes else []
    told += [words.count(edges, "edge")] if edges else []
    return f"and {' and '.join(told)} more, not drawn" if told else ""


def _picture(given: Neighbourhood, names: Sequence[str], edges: Sequence[Edge]) -> Markup:
    """Draw the edges first, then the boxes, then the words of the edges, so that these stay legible."""
    lines = arrows.lines(edges)
    place = layout.of(names, [line.ends for line in lines], arrows.room(names, lines))
    drawn = arrows.drawn(lines, place)
    start = nfc(given.entity) if given.entity is not None else None
    itself = {edge.subject: edge.predicate for edge in edges if edge.subject == edge.object}
    boxes = [piece for name in names for piece in _box(name, place, name == start, itself.get(name, ""))]
    alt = "graph: " + "; ".join(words.one_line(str(edge)) for edge in edges)
    return markup.el(
        "svg",
        {"viewBox": f"0 0 {layout.WIDTH} {place.height}", "width": "100%", "role": "img", "aria-label": alt},
        markup.el("title", {}, alt),
        *_headings(place, start),
        *drawn.paths,
        *boxes,
        *drawn.words,
    )


def _headings(place: layout.Layout, start: str | None) -> Iterable[Markup]:
    """Say above each column how many hops it is away."""
    if start is None or not place.upright or place.layers[0] != (start,):
        return
    for hops, layer in enumerate(place.layers):
        x = place.places[layer[0]][0]
        said = words.count(hops, "hop") if hops else "start"
        yield markup.el("text", {"x": x, "y": 18, "font-size": 18, "text-anchor": "middle"}, said)


def _box(name: str, place: layout.Layout, is_start: bool, itself: str) -> list[Markup]:
    x, y = place.places[name]
    width, height = place.box_width, layout.BOX_HEIGHT
    frame = {"x": x - width // 2, "y": y - height // 2, "width": width, "height": height, "rx": 8}
    fill = {"style": f"fill:{style.TIERS['semantic'].colour};stroke-width:4"} if is_start else {}
    longest = LINE * width // layout.WIDEST_BOX
    said = wrapped(words.one_line(name), longest, 1 if itself else 2)
    if itself:
        said += wrapped(f"{itself} itself", longest + 2, 1)
    first = y + 7 - 11 * (len(said) - 1)
    look = {"class": "tm-onfill" if is_start else None, "font-size": 19}
    weights = [{"font-weight": None if itself and row else 600} for row in range(len(said))]
    return [
        markup.el("rect", {"class": "tm-node", **frame, **fill}),
        *(
            markup.el(
                "text", {**look, "x": x, "y": first + 22 * row, "text-anchor": "middle", **weight}, line
            )
            for row, (line, weight) in enumerate(zip(said, weights, strict=True))
        ),
    ]


def wrapped(said: str, longest: int, most: int = 2) -> list[str]:
    """Return a name on at most two lines, or `most`, cut where these are too short.

    >>> wrapped("Southgate Cold Storage", 19), wrapped("NL-0001", 19)
    (['Southgate Cold', 'Storage'], ['NL-0001'])
    >>> wrapped("anticlockwiseconveyorlubricantreservoir", 14)
    ['anticlockwisec', 'onveyorlub ...']
    """
    lines: list[str] = []
    for last in (False, True)[2 - most :]:
        if view.width_of(said) <= longest:
            return [*lines, said]
        if last:
            return [*lines, _fitting(said, longest - 4).rstrip() + " ..."]
        head = _fitting(said, longest)
        if " " in said[: len(head) + 1]:
            head = said[: said[: len(head) + 1].rindex(" ")]
        lines.append(head)
        said = said[len(head) :].strip()
    return lines


def _fitting(said: str, longest: int) -> str:
    while view.width_of(said) > longest:
        said = said[:-1]
    return said
