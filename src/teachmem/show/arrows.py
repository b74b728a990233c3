"""The edges of a drawn graph: arrows from subject to object, and their words where no other words are.

Several predicates between the same two things share one arrow. Between two things of the same layer it
bends to the right. Words try a few places along their arrow and take the first that is free.

Left out: where the boxes stand (`layout.py`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from teachmem.show import layout, markup
from teachmem.show.markup import Markup
from teachmem.tiers.graph import Edge

SIZE, LINE_HEIGHT, LETTER = 18, 20, 10.0  # of the words: font, line, and the width of a letter
BEND = 84  # how far an arrow within a layer bends out
ALONG = (0.55, 0.42, 0.68, 0.3, 0.8)  # where the words may stand, of the way from the box at the left
APART, DEEP_APART = 16, 72  # between two arrows at one side of a box, at most


@dataclass(frozen=True, slots=True)
class Line:
    """One arrow and its words."""

    ends: tuple[str, str]
    said: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Drawn:
    """The arrows and their words, to be laid below and above the boxes."""

    paths: tuple[Markup, ...]
    words: tuple[Markup, ...]


@dataclass(frozen=True, slots=True)
class _Curve:
    """A quadratic Bezier curve from a to b, bent towards c."""

    a: tuple[float, float]
    c: tuple[float, float]
    b: tuple[float, float]

    def at(self, t: float) -> tuple[float, float]:
        x, y = (
            (1 - t) ** 2 * a + 2 * t * (1 - t) * c + t**2 * b
            for a, c, b in zip(self.a, self.c, self.b, strict=True)
        )
        return x, y

    def arrow(self) -> Markup:
        """Return the curve with a head at its end, in whole numbers."""
        (cx, cy), (bx, by) = self.c, self.b
        length = math.hypot(bx - cx, by - cy) or 1.0
        ux, uy = (bx - cx) / length, (by - cy) / length
        barbs = [(bx - 13 * ux + side * 7 * uy, by - 13 * uy - side * 7 * ux) for side in (1, -1)]
        a, c, b, one, other = (
            f"{layout.whole(x)} {layout.whole(y)}" for x, y in (self.a, self.c, self.b, *barbs)
        )
        return markup.el("path", {"class": "tm-line", "d": f"M{a} Q{c} {b} M{one} L{b} L{other}"})


def lines(edges: Iterable[Edge]) -> list[Line]:
    """Return one arrow for each ordered pair of things, with all that is said along it.

    What is said of a thing and itself stands in its box.
    """
    said: dict[tuple[str, str], dict[str, None]] = {}
    for edge in edges:
        if edge.subject == edge.object:
            continue
        said.setdefault((edge.subject, edge.object), {})[edge.predicate] = None
    return [Line(ends, tuple(predicates)) for ends, predicates in said.items()]


def room(names: Sequence[str], given: Sequence[Line]) -> int:
    """Return how much room the picture keeps at its right for arrows that bend out of the last layer."""
    place = layout.of(names, [line.ends for line in given])
    layer = _layer_of(place)
    last = len(place.layers) - 1
    bent = [line for line in given if layer[line.ends[0]] == layer[line.ends[1]]]
    if not place.upright or not any(layer[line.ends[0]] == last for line in bent):
        return 0
    return BEND + max(_size(line.said)[0] for line in bent) // 2


def drawn(given: Sequence[Line], place: layout.Layout) -> Drawn:
    """Return the arrows between the boxes of `place`, each with its words."""
    curves = _curves(given, place)
    taken: list[tuple[float, float, float, float]] = []
    words: list[Markup] = []
    for line, curve in zip(given, curves, strict=True):
        x, y = _free(curve, _size(line.said), taken)
        words += [
            markup.el(
                "text",
                {
                    "class": "tm-edge",
                    "x": x,
                    "y": y + LINE_HEIGHT * row,
                    "font-size": SIZE,
                    "text-anchor": "middle",
                },
                said,
            )
            for row, said in enumerate(line.said)
        ]
    return Drawn(tuple(curve.arrow() for curve in curves), tuple(words))


def _layer_of(place: layout.Layout) -> dict[str, int]:
    return {name: number for number, layer in enumerate(place.layers) for name in layer}


def _curves(given: Sequence[Line], place: layout.Layout) -> list[_Curve]:
    """Return the course of every arrow; those that meet at one side of a box are spread along it."""
    layer = _layer_of(place)
    sides = [_sides(line, layer) for line in given]
    ports: dict[tuple[str, int], list[tuple[int, int, int]]] = {}
    for number, (line, pair) in enumerate(zip(given, sides, strict=True)):
        for end, side in enumerate(pair):
            far = place.places[line.ends[1 - end]][1 if place.upright else 0]
            ports.setdefault((line.ends[end], side), []).append((far, number, end))
    at: dict[tuple[int, int], tuple[float, float]] = {}
    for (name, side), met in ports.items():
        x, y = place.places[name]
        length = layout.BOX_HEIGHT if place.upright else place.box_width
        step = min(APART if place.upright else DEEP_APART, (length - 16) / len(met))
        for position, (_, number, end) in enumerate(sorted(met)):
            aside = (position - (len(met) - 1) / 2) * step
            if place.upright:
                at[number, end] = (x + side * place.box_width / 2, y + aside)
            else:
                at[number, end] = (x + aside, y + side * layout.BOX_HEIGHT / 2)
    return [
        _course(at[number, 0], at[number, 1], bent=pair[0] == pair[1], upright=place.upright)
        for number, pair in enumerate(sides)
    ]


def _sides(line: Line, layer: dict[str, int]) -> tuple[int, int]:
    """Return at which side an arrow leaves its subject and meets its object; 1 faces the later layers."""
    one, other = (layer[end] for end in line.ends)
    return (1, 1) if one == other else (1, -1) if one < other else (-1, 1)


def _course(a: tuple[float, float], b: tuple[float, float], bent: bool, upright: bool) -> _Curve:
    middle = ((a[0] + b[0]) / 2, (a[1] + b[1]) / 2)
    if bent:
        middle = (middle[0] + 2 * BEND, middle[1]) if upright else (middle[0], middle[1] + BEND)
    return _Curve(a, middle, b)


def _size(said: Sequence[str]) -> tuple[int, int]:
    return layout.whole(LETTER * max(map(len, said))), LINE_HEIGHT * len(said)


def _free(
    curve: _Curve, size: tuple[int, int], taken: list[tuple[float, float, float, float]]
) -> tuple[int, int]:
    """Return where the first line of words is written, and note the place as taken."""
    boxes = []
    for t in ALONG:
        x, y = curve.at(t if curve.a < curve.b else 1 - t)
        boxes.append((x - size[0] / 2, y - size[1] / 2, x + size[0] / 2, y + size[1] / 2))
    found = next((box for box in boxes if not any(_overlap(box, other) for other in taken)), boxes[0])
    taken.append(found)
    return layout.whole((found[0] + found[2]) / 2), layout.whole(found[1] + 15)


def _overlap(one: tuple[float, float, float, float], other: tuple[float, float, float, float]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
