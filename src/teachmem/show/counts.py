"""Counts, as `stats()` gives them: the totals in the title, every counted group as bars.

>>> print(stats({"notes": 3, "predicates": {"observed": 2, "inferred": 1}}).text())
3 notes
what        name      number
predicates  observed       2
predicates  inferred       1

Left out: counting. The tiers count what their reader may read.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from teachmem.errors import InvalidInput
from teachmem.show import markup, style, view, words
from teachmem.show.markup import Markup


def stats(given: Mapping[str, Any], most: int = style.MOST_MARKS) -> view.View:
    """Return the view of a dictionary of counts: totals in the title, counted groups as bars."""
    groups = {name: value for name, value in given.items() if isinstance(value, Mapping)}
    totals = [(name, value) for name, value in given.items() if name not in groups and value is not None]
    rows: list[tuple[view.Cell, ...]] = [
        ("total", words.one_line(name), _cell(value)) for name, value in totals
    ]
    shown: list[int] = []
    rest, picture = [], []
    number = markup.el("th", {"class": "tm-number"}, "number")
    for name, group in groups.items():
        what = words.one_line(name)
        counted = [(words.one_line(str(each)), _checked(f"{name}.{each}", n)) for each, n in group.items()]
        shown += range(len(rows), len(rows) + min(most, len(counted)))
        rows += [(what, each, amount) for each, amount in counted]
        largest = max((amount for _, amount in counted), default=1) or 1
        drawn = (_counted(each, amount, largest) for each, amount in counted[:most])
        picture.append(markup.table((markup.el("th", {"class": "tm-half"}, what), number, ""), drawn))
        if more := counted[most:]:
            rest.append(f"{len(more)} more of {what} ({words.number(sum(amount for _, amount in more))})")
    said = "and " + ", ".join(rest) if rest else ""
    if said:
        picture.append(markup.el("p", {}, said))
    title = ", ".join(_told(name, value) for name, value in totals) or "counts"
    table = view.Table(("what", "name", "number"), tuple(rows))
    return view.View(title, table, markup.join(picture), (), shown, rest=said)


def _checked(field: str, amount: object) -> int | float:
    if isinstance(amount, bool) or not isinstance(amount, int | float):
        raise InvalidInput(field, f"must be a number to be drawn as a bar, not {amount!r}")
    return amount if isinstance(amount, int) else words.rounded(amount)


def _cell(value: object) -> view.Cell:
    if isinstance(value, datetime):
        return words.exact(value)
    if isinstance(value, float):
        return words.rounded(value)
    return value if isinstance(value, int) else words.one_line(str(value))


def _told(name: str, value: object) -> str:
    """Say one total: "3 notes", "oldest Mon 2 Mar 06:05"."""
    if isinstance(value, int):
        return f"{value} {name[:-1] if value == 1 and name.endswith('s') else name}"
    return f"{name} {words.day(value) if isinstance(value, datetime) else view.said_cell(_cell(value))}"


def _counted(name: str, amount: float, largest: float) -> Markup:
    piece = ("tm-plain", 100 * max(0.0, amount) / largest, "")
    return markup.el(
        "tr",
        {},
        markup.el("td", {}, name),
        markup.el("td", {"class": "tm-number"}, words.number(amount)),
        markup.el("td", {"class": "tm-barcell"}, markup.bar(f"{name}: {words.number(amount)}", [piece])),
    )
