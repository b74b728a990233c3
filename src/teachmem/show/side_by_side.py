"""Fusion: by words, by meaning, and both together, side by side, each hit with where it came from.

A bar in the first two columns is the raw score, stretched so that the list's best is full. A bar in
the third is the sum: solid from the words, hatched from the meaning. Under reciprocal rank fusion the
bars are nearly alike, whatever the raw scores say; that is what it throws away.

Left out: the arithmetic (`explore_fusion.py`).
"""

from __future__ import annotations

from collections.abc import Sequence

from teachmem.record import Hit
from teachmem.show import explore, explore_fusion, fused, hits, markup, style, view, words
from teachmem.show.explore_fusion import FUSED, LISTS, Gathered
from teachmem.show.markup import Markup

BRIEF = 44  # characters of a fact in a column
COLUMNS = (
    "place",
    "by words",
    "words raw",
    "by meaning",
    "meaning raw",
    "together",
    "score",
    "from",
    "moved",
)


def lists(gathered: Gathered, k: int = 5, way: str = FUSED, weight: float | None = None) -> view.View:
    """Return the view of a question: both lists and the one that `way` makes of them.

    `weight` is that of the words, by default the store's. Ranks move against the store's own answer.
    """
    together = explore_fusion.ranked(gathered, way, weight)
    before = [hit.memory.memory_id for hit in explore_fusion.ranked(gathered)]
    moves = explore.moved(before, [hit.memory.memory_id for hit in together])
    columns = [*(explore_fusion.listed(gathered, name) for name in LISTS), together]
    longest = max(map(len, columns))
    rows = tuple(_row(place, columns, moves) for place in range(longest))
    shown = range(min(k, longest, style.MOST_MARKS))
    final = {hit.memory.memory_id: place for place, hit in enumerate(together, 1)}
    full = explore_fusion.full_score(way, weight)
    where = "at right" if way in LISTS else "together"
    body = [_drawn(place, columns, moves, final, full, where) for place in shown]
    title = f"{words.said(gathered.query)} by words, by meaning and {_named(way)}"
    head = (
        "place",
        _head(("words",), "by words"),
        _head(("meaning",), "by meaning"),
        _head(LISTS, _named(way)),
    )
    picture = markup.table(head, body) if body else markup.text("")
    notes = (words.one_line(f"note: {gathered.note}"),) if gathered.note else ()
    rest = f"and {longest - len(shown)} more" if longest > len(shown) else ""
    if rest:
        picture = markup.join([picture, markup.el("p", {}, rest)])
    table = view.Table(COLUMNS, rows)
    return view.View(title, table, picture, notes, shown, _asked(way, weight), rest, _spelled(columns, shown))


def _named(way: str) -> str:
    return f"by {way} alone" if way in LISTS else f"together ({way})"


def _asked(way: str, weight: float | None) -> str:
    if way == FUSED:
        return fused.weights_said(explore_fusion.weights(weight))
    return f"{way}: the weights play no part"


def _row(place: int, columns: Sequence[Sequence[Hit]], moves: Sequence[str]) -> tuple[view.Cell, ...]:
    cells: list[view.Cell] = [place + 1]
    for name, column in zip(LISTS, columns, strict=False):
        hit = column[place] if place < len(column) else None
        cells += [hit.memory.memory_id, words.rounded(hit.raw[name])] if hit else [None, None]
    if place < len(columns[-1]):
        hit = columns[-1][place]
        cells += [hit.memory.memory_id, words.rounded(hit.score), origin(hit), moves[place]]
    else:
        cells += [None] * 4
    return tuple(cells)


def origin(hit: Hit) -> str:
    """Say where each list had a hit: "words 1, meaning 4", or "words 1, not by meaning"."""
    return ", ".join(f"{name} {hit.ranks[name]}" if name in hit.ranks else f"not by {name}" for name in LISTS)


def _head(names: Sequence[str], said: str) -> Markup:
    return markup.el("th", {"class": "tm-list"}, *(markup.swatch(name) for name in names), said)


def _drawn(
    place: int,
    columns: Sequence[Sequence[Hit]],
    moves: Sequence[str],
    final: dict[str, int],
    full: float,
    where: str,
) -> Markup:
    cells = [markup.el("td", {}, str(place + 1))]
    for name, column in zip(LISTS, columns, strict=False):
        if place >= len(column):
            cells.append(markup.el("td", {"class": "tm-list"}, ""))
            continue
        hit = column[place]
        memory_id = hit.memory.memory_id
        width = 100 * explore_fusion.stretched(column, name)[memory_id]
        ends = f"{where} {final[memory_id]}" if memory_id in final else f"not {where}"
        cells.append(_cell(hit, [(f"tm-{name}", width, "")], hit.raw[name], f"raw {name}", ends))
    if place < len(columns[-1]):
        hit = columns[-1][place]
        pieces = [(f"tm-{hits.look(name)}", 100 * hit.parts[name] / full, "") for name in LISTS]
        cells.append(_cell(hit, pieces, hit.score, "score", f"{origin(hit)}; {moves[place]}"))
    else:
        cells.append(markup.el("td", {"class": "tm-list"}, ""))
    return markup.el("tr", {}, *cells)


def _cell(hit: Hit, pieces: Sequence[tuple[str, float, str]], value: float, what: str, more: str) -> Markup:
    memory_id = words.short_id(hit.memory.memory_id)
    told = f"{memory_id} {words.number(words.rounded(value))}"
    return markup.el(
        "td",
        {"class": "tm-list"},
        markup.bar(f"{memory_id}: {what} {words.number(words.rounded(value))}", pieces),
        markup.el("p", {}, markup.el("b", {}, told)),
        markup.el("p", {}, more),
        markup.el("p", {"class": "tm-faint"}, markup.el("bdi", {}, words.said(hit.memory.content, BRIEF))),
    )


def _spelled(columns: Sequence[Sequence[Hit]], shown: Sequence[int]) -> tuple[str, ...]:
    """Return what each id in the text's rows says; in the picture it stands in the cell."""
    found = {
        column[place].memory.memory_id: column[place].memory.content
        for place in shown
        for column in columns
        if place < len(column)
    }
    return tuple(
        f"{words.short_id(memory_id)}: {words.said(content)}" for memory_id, content in found.items()
    )
