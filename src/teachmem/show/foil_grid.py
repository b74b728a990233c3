"""All foils by all probes in one picture: a dot where a probe fails with a foil on.

The columns are the probes, mark by mark; the rows are the foils, in the order of the first probe that
catches them, so that the dots run down a diagonal. A row without a dot is a fault that nobody would see, and
a column without one is a question that nothing has been seen to fail.

Left out: the names of so many rows and columns. The table has them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from teachmem.show import layout, markup, scorecard, style, view, words
from teachmem.show.markup import Markup
from teachmem.show.scorecard import Finding

TOP, LEFT, PITCH, DOT, GAP = 124, 10, 9, 7, 10  # GAP is between two marks
DOTTED = f"fill:{style.VERMILION};stroke:var(--tm-ink);stroke-width:.6"


def grid(caught: Mapping[str, Iterable[Finding]]) -> view.View:
    """Return the view; `caught` has for each foil what the kit answered with it on."""
    asked: dict[str, str] = {}
    for found in caught.values():
        asked |= {each.probe: str(each.mark) for each in found}
    marks = list(dict.fromkeys(asked.values()))
    probes = sorted(asked, key=lambda name: marks.index(asked[name]))
    failed = {name: [each for each in found if each.answer == "fails"] for name, found in caught.items()}
    columns = {name: sorted(probes.index(each.probe) for each in found) for name, found in failed.items()}
    order = sorted(failed, key=lambda name: columns[name] or [-1])  # what nothing catches stands on top
    rows = tuple((name, len(failed[name]), scorecard.probes_said(failed[name])) for name in order)
    loose = sum(not found for found in failed.values())
    silent = len(set(probes) - {each.probe for found in failed.values() for each in found})
    title = f"{words.count(len(order), 'foil')} by {words.count(len(probes), 'probe')}"
    told = f"foils that no probe catches: {loose or 'none'}; probes that catch no foil: {silent or 'none'}"
    picture = _picture(
        [columns[name] for name in order], [asked[name] for name in probes], f"{title}; {told}"
    )
    return view.View(title, view.Table(scorecard.FOILED, rows), picture, asked=told)


def _picture(rows: Sequence[Sequence[int]], marks: Sequence[str], alt: str) -> Markup:
    """Draw a dot for each number in a row; `marks` has the mark of every column."""
    starts = [place for place, mark in enumerate(marks) if place == 0 or marks[place - 1] != mark]
    at = [LEFT + PITCH * place + GAP * sum(start <= place for start in starts) for place in range(len(marks))]
    bottom = TOP + PITCH * len(rows)
    lines = [
        {"class": "tm-line", "x1": at[start] - 6, "y1": TOP - 6, "x2": at[start] - 6, "y2": bottom}
        for start in starts
    ]
    dots = [
        {"x": at[column], "y": TOP + PITCH * row, "width": DOT, "height": DOT, "style": DOTTED}
        for row, columns in enumerate(rows)
        for column in columns
    ]
    return markup.el(
        "svg",
        {"viewBox": f"0 0 {layout.WIDTH} {bottom + 6}", "width": "100%", "role": "img", "aria-label": alt},
        markup.el("title", {}, alt),
        *(_head(at[start], marks[start]) for start in starts),
        markup.el("g", {"style": "opacity:.35"}, *(markup.el("line", line) for line in lines)),
        *(markup.el("rect", dot) for dot in dots),
    )


def _head(x: int, mark: str) -> Markup:
    where = {"x": x, "y": TOP - 10, "font-size": 18, "transform": f"rotate(-38 {x} {TOP - 10})"}
    return markup.el("text", where, f" {mark.replace('_', ' ')} ")
