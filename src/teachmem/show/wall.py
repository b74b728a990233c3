"""The wall: the modules that can be rebuilt, floor upon floor, with whose code runs in each.

A brick that is filled is yours: its laws, the notebooks and the marks were kept. A dotted edge says that
its laws hold, an outline that the package's own runs; each says so in words as well.

>>> print(wall(Wall((Brick("recall.score", "yours", "recency", "2026-03-02", "7 of 7 laws"),))).text())
yours: 1 of 1 modules
module        runs   since       what it passed
recall.score  yours  2026-03-02  7 of 7 laws (recency)

Left out: running anything. `course.rebuild` does that, and `course.wall` reads what it noted.
"""

from __future__ import annotations

from dataclasses import dataclass

from teachmem.show import markup, view
from teachmem.show.markup import Markup

YOURS, LAWFUL, OURS = "yours", "yours, by its laws", "the package's"
_LOOKS = {YOURS: "tm-chip tm-fill", LAWFUL: "tm-chip tm-dotted"}


@dataclass(frozen=True, slots=True)
class Brick:
    """One module: whose code runs in it, what of it they wrote, since when, and what it passed."""

    module: str
    runs: str
    names: str = ""
    since: str = ""
    passed: str = ""


@dataclass(frozen=True, slots=True, repr=False)
class Wall:
    """Every module that can be rebuilt, from the ground up. As text it is one line a module."""

    bricks: tuple[Brick, ...]

    def __str__(self) -> str:
        return wall(self).text()

    __repr__ = __str__


def wall(given: Wall) -> view.View:
    """Return the view of a wall."""
    yours = sum(brick.runs == YOURS for brick in given.bricks)
    rows = tuple((brick.module, brick.runs, brick.since, _passed(brick)) for brick in given.bricks)
    columns = ("module", "runs", "since", "what it passed")
    return view.View(
        f"{YOURS}: {yours} of {len(given.bricks)} modules", view.Table(columns, rows), _picture(given)
    )


def _passed(brick: Brick) -> str:
    written = f" ({brick.names})" if brick.names and brick.passed else ""
    return brick.passed + written


def _picture(given: Wall) -> Markup:
    """Draw the floors, the highest first, each with its bricks."""
    floors: dict[str, list[Markup]] = {}
    for brick in given.bricks:
        floor, _, name = brick.module.partition(".")
        said = markup.join([f"{name}: {brick.runs}", *([f", {brick.since}"] if brick.since else [])])
        chip = markup.el("span", {"class": _LOOKS.get(brick.runs, "tm-chip")}, said)
        floors.setdefault(floor, []).append(chip)
    rows = [
        markup.el("tr", {}, markup.el("th", {}, floor), markup.el("td", {}, markup.join(bricks, " ")))
        for floor, bricks in reversed(floors.items())
    ]
    passed = [f"{brick.module}: {_passed(brick)}" for brick in given.bricks if brick.passed]
    notes = [markup.el("p", {"class": "tm-faint"}, line) for line in passed]
    return markup.join([markup.table(("floor", "whose code runs"), rows), *notes])
