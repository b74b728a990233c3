"""Recollections of events: every hit as a bar of the parts of its score, with the numbers beside it.

A bar is as long as the score is high, on the scale of the highest score that the weights allow. The
table's heading is the legend: each part has its colour and its hatch.

Left out: ranking, the hits stand in the order in which they came; and fused hits (`fused.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from teachmem.recall.score import Weights
from teachmem.record import Hit, Recollection
from teachmem.show import markup, style, view, words
from teachmem.show.markup import Markup


def recollection(
    given: Recollection, most: int = style.MOST_MARKS, moves: Sequence[str] | None = None
) -> view.View:
    """Return the view of a recollection; `moves`, one a hit, says how its rank has changed."""
    names = list(dict.fromkeys(name for hit in given.hits for name in hit.parts))
    columns: tuple[str, ...] = (
        "rank",
        *(["moved"] if moves else []),
        "memory",
        "score",
        *names,
        "when",
        "content",
    )
    rows: tuple[tuple[view.Cell, ...], ...] = tuple(
        (
            rank,
            *([moves[rank - 1]] if moves else []),
            hit.memory.memory_id,
            words.rounded(hit.score),
            *(words.rounded(hit.parts.get(name, 0.0)) for name in names),
            words.ago(hit.memory.happened_at, given.at),
            hit.memory.content,
        )
        for rank, hit in enumerate(given.hits, 1)
    )
    notes = [words.one_line(f"note: {given.note}")] if given.note else []
    rest_said = rest(given.hits[most:])
    full = _full_scale(given)
    head, body = heading(names, bool(moves)), []
    for row, hit in zip(rows[:most], given.hits, strict=False):
        body += _drawn(dict(zip(columns, row, strict=True)), names, full, hit)
    picture = [markup.table(head, body)] if body else []
    if rest_said:
        picture.append(markup.el("p", {}, rest_said))
    title = f"{words.count(len(given.hits), 'hit')} for {words.said(given.query)}"
    shown = range(min(most, len(rows)))
    table = view.Table(columns, rows)
    return view.View(title, table, markup.join(picture), tuple(notes), shown, _asked(given), rest_said)


def _asked(given: Recollection) -> str:
    """Say with which settings it was asked."""
    told = []
    weights = given.settings.get("weights")
    if isinstance(weights, Weights):
        each = ", ".join(f"{name} {getattr(weights, name):.2f}" for name in weights.__slots__)
        told.append(f"weights: {each}")
    if "half_life_hours" in given.settings:
        told.append(f"half-life {hours(given.settings['half_life_hours'])}")
    if given.settings.get("session"):
        told.append(f"session {words.one_line(given.settings['session'])}")
    return "; ".join([*told, f"as of {words.day(given.at)}"])


def hours(value: float) -> str:
    """Say a number of hours.

    >>> hours(24), hours(1), hours(7.25)
    ('24 hours', '1 hour', '7.25 hours')
    """
    return f"{value:.3g} hour{'' if value == 1 else 's'}"


def rest(hits: Sequence[Hit]) -> str:
    """Say how many hits are not written out, and what they scored."""
    if not hits:
        return ""
    span = f"scores {words.number(hits[0].score)} to {words.number(hits[-1].score)}"
    return f"and {len(hits)} more, {span}"


def _full_scale(given: Recollection) -> float:
    """Return the score that a full bar stands for: the highest that these weights allow."""
    best = max((sum(part for part in hit.parts.values() if part > 0) for hit in given.hits), default=1.0)
    weights = given.settings.get("weights")
    if isinstance(weights, Weights):
        best = max(best, weights.recency + weights.importance + weights.relevance)
    return best or 1.0


def heading(names: Sequence[str], moved: bool) -> list[Markup]:
    """Return the cells of the heading, which is the legend of the bars."""
    number = {"class": "tm-number"}
    return [
        markup.el("th", {}, "rank"),
        markup.el("th", {}, "memory"),
        *([markup.el("th", {}, "moved")] if moved else []),
        markup.el("th", {}, "parts of the score"),
        markup.el("th", number, "score"),
        *(markup.el("th", number, markup.swatch(look(name)), name) for name in names),
    ]


def look(part: str) -> str:
    """Return the name of the fill of a part; one that has none of its own shares a common one."""
    return part if part in style.PARTS else "other"


def _drawn(row: dict[str, Any], names: Sequence[str], full: float, hit: Hit) -> list[Markup]:
    number, whole = {"class": "tm-number"}, {"class": "tm-whole"}
    said = ", ".join(f"{name} {words.number(row[name])}" for name in names)
    pieces = [(f"tm-{look(name)}", 100 * max(0.0, hit.parts.get(name, 0.0)) / full, "") for name in names]
    alt = f"{words.short_id(row['memory'])}: score {words.number(row['score'])} from {said}"
    cells = [
        markup.el("td", {}, str(row["rank"])),
        markup.el("td", whole, words.short_id(row["memory"])),
        *([markup.el("td", whole, row["moved"])] if "moved" in row else []),
        markup.el("td", {"class": "tm-barcell"}, markup.bar(alt, pieces)),
        markup.el("td", number, words.number(row["score"])),
        *(markup.el("td", number, words.number(row[name])) for name in names),
    ]
    content = markup.el("bdi", {}, words.said(row["content"]))
    told = f" by {words.one_line(hit.memory.agent)}, {row['when']}"
    more = markup.el("td", {"colspan": len(cells) - 1}, content, told)
    return [markup.el("tr", {}, *cells), markup.el("tr", {"class": "tm-more"}, markup.el("td", {}, ""), more)]
