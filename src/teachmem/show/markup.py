"""HTML by hand, as strings: what is text is escaped, and every fragment is also well-formed XML.

>>> el("td", {"class": "tm-number"}, text("a < b"))
Markup('<td class="tm-number">a &lt; b</td>')

There are two kinds of string. A `Markup` is HTML already; any other `str` is text and gets escaped, so
that a memory that says `<script>` is shown saying it.

Left out: scripts, and anything that would be fetched. A picture is complete in itself.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping

from teachmem.show import sheet, style, words

VERBATIM = "mathjax_ignore"  # JupyterLab would set what stands between two dollar signs as a formula
_EMPTY = ("br", "rect", "circle", "polygon", "line", "path")


class Markup(str):
    """A string that is HTML already."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"Markup({str(self)!r})"


def text(value: str) -> Markup:
    """Escape a text; `Markup` passes unchanged."""
    if isinstance(value, Markup):
        return value
    return Markup(html.escape(words.visible(value), quote=True))


def el(tag: str, attributes: Mapping[str, object] | None = None, *children: str) -> Markup:
    """Return one element; children that are not `Markup` are escaped, an attribute of None is left out."""
    given = "".join(
        f' {name}="{text(str(value))}"' for name, value in (attributes or {}).items() if value is not None
    )
    if tag in _EMPTY:
        return Markup(f"<{tag}{given}/>")
    return Markup(f"<{tag}{given}>{join(children)}</{tag}>")


def join(parts: Iterable[str], between: str = "") -> Markup:
    """Put fragments together, escaping those that are not `Markup`."""
    return Markup(text(between).join(text(part) for part in parts))


def table(head: Iterable[str], rows: Iterable[Markup]) -> Markup:
    """Return a table from its header cells and finished rows."""
    cells = (cell if isinstance(cell, Markup) else el("th", {}, cell) for cell in head)
    return el(
        "table",
        {"class": "tm-table"},
        el("thead", {}, el("tr", {}, *cells)),
        el("tbody", {}, *rows),
    )


def bar(alt: str, pieces: Iterable[tuple[str, float, str]]) -> Markup:
    """Return a bar of pieces: each a class, a width in percent and the words written on it."""
    inside = (
        el("span", {"class": name, "style": f"width:{width:.2f}%"}, said)
        for name, width, said in pieces
        if width >= 0.01
    )
    return el("div", {"class": "tm-bar", "role": "img", "aria-label": alt}, *inside)


def swatch(name: str) -> Markup:
    """Return the sample of a fill, for a legend; the word stands beside it."""
    return el("span", {"class": f"tm-swatch tm-{name}"}, " ")


def shape(tier: str, size: int = 17) -> Markup:
    """Return the glyph of a tier: square, circle, hexagon or triangle, with its name as alt text."""
    look = style.TIERS[tier]
    return el(
        "svg",
        {
            "class": "tm-glyph",
            "viewBox": "0 0 20 20",
            "width": size,
            "height": size,
            "role": "img",
            "aria-label": f"{tier}: {look.shape}",
        },
        outline(tier, 10, 10, 9),
    )


def outline(tier: str, x: float, y: float, radius: float) -> Markup:
    """Return the shape of a tier around a point, for use inside an `svg`."""
    look = style.TIERS[tier]
    paint = {"fill": look.colour, "style": "stroke:var(--tm-ink);stroke-width:1.5"}
    if look.shape == "square":
        side = radius * 1.7
        return el("rect", {"x": x - side / 2, "y": y - side / 2, "width": side, "height": side, **paint})
    if look.shape == "circle":
        return el("circle", {"cx": x, "cy": y, "r": radius, **paint})
    corners = {
        "hexagon": ((-1, 0), (-0.5, -0.87), (0.5, -0.87), (1, 0), (0.5, 0.87), (-0.5, 0.87)),
        "triangle": ((0, -1), (1, 0.8), (-1, 0.8)),
    }[look.shape]
    points = " ".join(f"{x + dx * radius:.1f},{y + dy * radius:.1f}" for dx, dy in corners)
    return el("polygon", {"points": points, **paint})


def page(label: str, *children: str) -> Markup:
    """Return a whole fragment: the stylesheet it needs, and one labelled group with the children."""
    inside = join(children)
    sheet_needed = el("style", {}, Markup(sheet.needed(inside)))
    return el("div", {"class": f"tm {VERBATIM}", "role": "group", "aria-label": label}, sheet_needed, inside)
