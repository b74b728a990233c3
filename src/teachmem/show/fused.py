"""Fused hits: what words and meaning each gave to a score, and where each of the two had the memory.

A solid piece of a bar came from the words, a hatched one from the meaning. Below the numbers stand
the memory's place in each list, and the raw score before it was stretched and weighed: a best hit
with a full bar may still be a poor one, which only the raw score tells.

Left out: fusing (`recall/fuse.py`), and other weights (`fusion.py` and its live widget).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from teachmem.recall import hybrid
from teachmem.record import Hit, Recollection
from teachmem.show import hits, markup, style, view, words
from teachmem.show.markup import Markup

NO_PLACE = "-"  # the list does not have the memory


def is_fused(given: Recollection) -> bool:
    """Say whether a recollection was fused out of several lists, whether or not anything was found."""
    return isinstance(given.settings.get("weights"), Mapping)


def recollection(
    given: Recollection, most: int = style.MOST_MARKS, moves: Sequence[str] | None = None
) -> view.View:
    """Return the view of a fused recollection; `moves`, one a hit, says how its rank has changed."""
    names = list(given.settings["weights"])
    columns = (
        "rank",
        *(["moved"] if moves else []),
        "memory",
        "score",
        *names,
        *(f"{name} place" for name in names),
        *(f"{name} raw" for name in names),
        "content",
    )
    rows: tuple[tuple[view.Cell, ...], ...] = tuple(
        (
            rank,
            *([moves[rank - 1]] if moves else []),
            hit.memory.memory_id,
            words.rounded(hit.score),
            *(words.rounded(hit.parts.get(name, 0.0)) for name in names),
            *(str(hit.ranks.get(name, NO_PLACE)) for name in names),
            *(words.rounded(hit.raw.get(name, 0.0)) for name in names),
            hit.memory.content,
        )
        for rank, hit in enumerate(given.hits, 1)
    )
    full = sum(given.settings["weights"].values()) or 1.0
    body: list[Markup] = []
    for row, hit in zip(rows[:most], given.hits, strict=False):
        body += _drawn(dict(zip(columns, row, strict=True)), names, full, hit)
    rest = hits.rest(given.hits[most:])
    picture = [markup.table(hits.heading(names, bool(moves)), body)] if body else []
    if rest:
        picture.append(markup.el("p", {}, rest))
    title = f"{words.count(len(given.hits), 'hit')} for {words.said(given.query)}"
    table, shown = view.Table(columns, rows), range(min(most, len(rows)))
    return view.View(title, table, markup.join(picture), _notes(given), shown, _asked(given), rest)


def weights_said(weights: Mapping[str, float]) -> str:
    """Say with which weights the lists were added.

    >>> weights_said({"words": 0.5, "meaning": 0.5})
    'weights: words 0.50, meaning 0.50'
    """
    return "weights: " + ", ".join(f"{name} {weight:.2f}" for name, weight in weights.items())


def _asked(given: Recollection) -> str:
    return f"{weights_said(given.settings['weights'])}; as of {words.day(given.at)}"


def _notes(given: Recollection) -> tuple[str, ...]:
    """Say what limits the answer, and whether the raw scores let it be called one."""
    notes = [words.one_line(f"note: {given.note}")] if given.note else []
    if "answered" in given.settings and given.hits:
        bar = f"{hybrid.ENOUGH_WORDS:.2f} by words or {hybrid.ENOUGH_MEANING:.2f} by meaning"
        told = "yes, a" if given.settings["answered"] else "no, no"
        notes.append(f"answered: {told} raw score reaches {bar}")
    return tuple(notes)


def _drawn(row: dict[str, Any], names: Sequence[str], full: float, hit: Hit) -> list[Markup]:
    """Draw a hit on two lines: the bar and its parts, then the content and where each list had it."""
    number, whole = {"class": "tm-number"}, {"class": "tm-whole"}
    said = ", ".join(
        f"{name} {words.number(row[name])} ({_place(row[name + ' place'])}, raw {row[name + ' raw']:.3f})"
        for name in names
    )
    memory_id = words.short_id(row["memory"])
    pieces = [
        (f"tm-{hits.look(name)}", 100 * max(0.0, hit.parts.get(name, 0.0)) / full, "") for name in names
    ]
    alt = f"{memory_id}: score {words.number(row['score'])} from {said}"
    cells = [
        markup.el("td", {}, str(row["rank"])),
        markup.el("td", whole, memory_id),
        *([markup.el("td", whole, row["moved"])] if "moved" in row else []),
        markup.el("td", {"class": "tm-barcell"}, markup.bar(alt, pieces)),
        markup.el("td", number, words.number(row["score"])),
        *(markup.el("td", number, words.number(row[name])) for name in names),
    ]
    content = markup.el("bdi", {}, words.said(row["content"]))
    more = markup.el(
        "td",
        {"colspan": len(cells) - 1 - len(names)},
        content,
        f" by {words.one_line(hit.memory.agent)}",
    )
    places = (
        markup.el(
            "td", number, _place(row[f"{name} place"]), markup.el("br"), f"raw {row[f'{name} raw']:.3f}"
        )
        for name in names
    )
    below = markup.el("tr", {"class": "tm-more"}, markup.el("td", {}, ""), more, *places)
    return [markup.el("tr", {}, *cells), below]


def _place(place: str) -> str:
    return "not listed" if place == NO_PLACE else f"place {place}"
