"""The lifecycle board: every memory in its state, the moves that are legal from one, and what recall admits.

Live states stand at the left, filled, each with its own edge; withheld ones at the right, outlined, by
name. An arrow is a move that one role may make from one state; the table below has those from all.

Left out: what a withheld memory says. Nothing here is a way to read it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from teachmem import states
from teachmem.show import explore_board, layout, markup, style, view, words
from teachmem.show.explore_board import Board
from teachmem.show.markup import Markup
from teachmem.vocabulary import LIVE, WITHHELD, Role, Status

WIDE, HIGH = 232, 64  # of a box
LEFT, RIGHT = 290, layout.WIDTH - 290  # the middles of the two columns
TOP, PITCH = 42, 78
BEND = 200  # how far an arrow within a column goes out
_NAMES = {Role.AGENT: "an agent", Role.PERSON: "a person", Role.SYSTEM: "the system"}


def board(given: Board) -> view.View:
    """Return the view of a board."""
    counts = explore_board.counts(given)
    rows = tuple(
        (
            str(status),
            "admits" if status in LIVE else "leaves out",
            *counts[status],
            ", ".join(states.legal(given.role, status)) or "nothing",
        )
        for status in Status
    )
    admitted = sum(number for _, number in counts.values())
    total = words.count(len(given.held), "memory").replace("memorys", "memories")
    name = words.one_line(given.reader)
    title = f"{total} in the reach of {name}, of which a read returns {admitted}"
    moves = ", ".join(given.moves) or "nothing"
    asked = f"{_NAMES[given.role]} may move what is {given.status} to: {moves}"
    columns = ("state", "recall", "memories", "returned", f"{_NAMES[given.role]} may move it to")
    body = (markup.el("tr", {}, *(markup.el("td", {}, view.said_cell(cell)) for cell in row)) for row in rows)
    lapsed = [
        f"{number - now} {status} {'has' if number - now == 1 else 'have'} lapsed or not begun"
        for status, (number, now) in counts.items()
        if status in LIVE and number > now
    ]
    notes = (f"left out at the moment of reading, before any sweep: {', '.join(lapsed)}",) if lapsed else ()
    picture = markup.join([_picture(given), markup.table(columns, body)])
    return view.View(title, view.Table(columns, rows), picture, notes, asked=asked)


def _picture(given: Board) -> Markup:
    places = dict(_places())
    arrows = [_arrow(places, given.status, after, after is given.to) for after in given.moves]
    said = "; ".join(f"{status} {number}" for status, (number, _) in explore_board.counts(given).items())
    alt = f"states with their memories: {said}; {_NAMES[given.role]} may move {given.status} to "
    alt += ", ".join(given.moves) or "nothing"
    box = f"0 0 {layout.WIDTH} {TOP + PITCH * len(WITHHELD)}"
    return markup.el(
        "svg",
        {"viewBox": box, "width": "100%", "role": "img", "aria-label": alt},
        markup.el("title", {}, alt),
        _text(LEFT, 28, "live: a read returns these", 20),
        _text(RIGHT, 28, "withheld: no read returns these", 20),
        *arrows,
        *(piece for status, place in places.items() for piece in _box(given, status, *place)),
    )


def _places() -> Iterable[tuple[Status, tuple[int, int]]]:
    """Return the middle of every box; the live three stand in the middle of their column."""
    for column, x in ((LIVE, LEFT), (WITHHELD, RIGHT)):
        first = TOP + PITCH * (len(WITHHELD) - len(column)) // 2 + HIGH // 2
        for row, status in enumerate(column):
            yield status, (x, first + PITCH * row)


def _box(given: Board, status: Status, x: int, y: int) -> Iterable[Markup]:
    live = status in LIVE
    look = f"stroke-width:{5 if status is given.status else 2}"
    if live:
        dotted = ";stroke-dasharray:2 5;stroke-linecap:round" if status is Status.PENDING else ""
        look += f";fill:{style.GREY}{dotted}"
    yield _frame(x, y, 0, look)
    if status is Status.CONFIRMED:
        yield _frame(x, y, 6, f"fill:{style.GREY}")
    held = given.of(status)
    ink = "tm-onfill" if live else None
    yield _text(x, y - 5, f"{status}: {len(held)}", 21, bold=True, ink=ink)
    yield _text(x, y + 20, _such_as(given, status), 17, ink=ink)


def _frame(x: int, y: int, inside: int, look: str) -> Markup:
    wide, high = WIDE - 2 * inside, HIGH - 2 * inside
    corner = {"x": x - wide // 2, "y": y - high // 2, "width": wide, "height": high, "rx": 8 - inside // 2}
    return markup.el("rect", {"class": "tm-node", **corner, "style": look})


def _such_as(given: Board, status: Status) -> str:
    """Name one memory of a state, the chosen one if it is there, and how many more there are."""
    ids = [each.memory_id for each in given.held if each.status is status]
    if not ids:
        return "none"
    first = given.chosen if given.chosen in ids else ids[0]
    more = f" and {len(ids) - 1} more" if len(ids) > 1 else ""
    return words.short_id(first) + more


def _arrow(places: dict[Status, tuple[int, int]], before: Status, after: Status, pointed_out: bool) -> Markup:
    """Return the arrow of one move: straight across, or bent outwards within a column."""
    (x1, y1), (x2, y2) = places[before], places[after]
    rightwards = 1 if x1 == LEFT else -1
    if x1 == x2:
        side = -1 if x1 == LEFT else 1
        start, end = (x1 + side * WIDE // 2, y1), (x2 + side * WIDE // 2, y2)
        out = x1 + side * (WIDE // 2 + BEND * min(abs(y2 - y1), 2 * PITCH) // (2 * PITCH))
        course = f"M{start[0]} {start[1]} Q{out} {(y1 + y2) // 2} {end[0]} {end[1]}"
        towards = (end[0] - out, end[1] - (y1 + y2) // 2)
    else:
        start = (x1 + rightwards * WIDE // 2, y1 + (y2 - y1) // 12)
        end = (x2 - rightwards * WIDE // 2, y2)
        course = f"M{start[0]} {start[1]} L{end[0]} {end[1]}"
        towards = (end[0] - start[0], end[1] - start[1])
    length = math.hypot(*towards)
    ux, uy = towards[0] / length, towards[1] / length
    barbs = [
        f"{layout.whole(end[0] - 14 * ux + turn * 7 * uy)} {layout.whole(end[1] - 14 * uy - turn * 7 * ux)}"
        for turn in (1, -1)
    ]
    head = f"M{barbs[0]} L{end[0]} {end[1]} L{barbs[1]}"
    thick = {"style": "stroke-width:5"} if pointed_out else {}
    return markup.el("path", {"class": "tm-line", "d": f"{course} {head}", **thick})


def _text(x: int, y: int, said: str, size: int, bold: bool = False, ink: str | None = None) -> Markup:
    look = {"class": ink, "x": x, "y": y, "font-size": size, "font-weight": 600 if bold else None}
    return markup.el("text", {**look, "text-anchor": "middle"}, f" {said} ")
