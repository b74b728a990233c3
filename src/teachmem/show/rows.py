"""Memories as rows: a list of them, and a single one with every field.

The tier is a shape and a colour, the status an edge and a word; text from a tool or the web carries
the word *untrusted* on a yellow band.

>>> print(memories([]).text())
0 memories

Left out: choosing and ordering. Rows stand in the order in which they came.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from teachmem.record import Memory
from teachmem.show import markup, style, view, words
from teachmem.show.markup import Markup
from teachmem.vocabulary import LIVE, UNTRUSTED

_COLUMNS = ("memory", "tier", "kind", "status", "when", "by", "content")


def memories(given: Sequence[Memory], most: int = style.MOST_MARKS, now: datetime | None = None) -> view.View:
    """Return the view of a list of memories; times are told from `now`, if it is given."""
    rows = tuple(
        (
            each.memory_id,
            str(each.tier),
            claim(each),
            str(each.status),
            words.ago(each.happened_at, now),
            author(each),
            each.content,
        )
        for each in given
    )
    title = f"{len(given)} {'memory' if len(given) == 1 else 'memories'}"
    rest = f"and {len(given) - most} more" if len(given) > most else ""
    body: list[Markup] = []
    for row, each in zip(rows[:most], given, strict=False):
        cells = (
            markup.el("td", {"class": "tm-whole"}, words.short_id(each.memory_id)),
            markup.el("td", {"class": "tm-whole"}, markup.shape(each.tier), str(each.tier)),
            markup.el("td", {}, row[2]),
            markup.el("td", {}, status_chip(each)),
            markup.el("td", {}, row[4]),
            markup.el("td", {}, _author_markup(each)),
        )
        content = markup.el("td", {"colspan": len(cells) - 1}, markup.el("bdi", {}, words.said(each.content)))
        body.append(markup.el("tr", {}, *cells))
        body.append(markup.el("tr", {"class": "tm-more"}, markup.el("td", {}, ""), content))
    picture = [markup.table(_COLUMNS[:-1], body)] if body else []
    if rest:
        picture.append(markup.el("p", {}, rest))
    shown = range(min(most, len(rows)))
    return view.View(title, view.Table(_COLUMNS, rows), markup.join(picture), (), shown, rest=rest)


def memory(given: Memory) -> view.View:
    """Return the view of one memory: every field that says something, times exact and as people say them."""
    fields: dict[str, view.Cell] = {
        "tier": str(given.tier),
        "kind": given.kind,
        "claim": claim(given) if given.predicate else None,
        "content": words.said(given.content, None),
        "status": str(given.status),
        "source": f"untrusted {given.source}" if given.source in UNTRUSTED else str(given.source),
        "author": words.one_line(f"{given.agent} of {given.tenant}/{given.fleet}"),
        "visibility": str(given.visibility),
        "session": words.one_line(given.session) or None,
        "importance": None if given.importance is None else words.rounded(given.importance),
        "confidence": None if given.confidence is None else words.rounded(given.confidence),
        "inferred": "yes, nobody said it" if given.is_inferred else "no",
        "happened": _moment(given.happened_at),
        "valid until": _moment(given.valid_to),
        "expires": _moment(given.expires_at),
        "recorded": _moment(given.recorded_at),
        "superseded": _moment(given.superseded_at),
        "version": given.version,
        "audit entry": given.seq,
    }
    fields |= {f"rewrite, {name}": words.said(text, None) for name, text in given.rewrites.items()}
    rows = tuple((name, value) for name, value in fields.items() if value is not None)
    drawn = {
        "tier": markup.join([markup.shape(given.tier), str(given.tier)]),
        "status": status_chip(given),
        "content": markup.el("bdi", {}, words.said(given.content, None)),
        "source": _source(given),
    }
    body = (
        markup.el(
            "tr",
            {},
            markup.el("td", {"class": "tm-whole"}, name),
            markup.el("td", {}, drawn.get(name) or view.said_cell(value)),
        )
        for name, value in rows
    )
    title = f"{words.short_id(given.memory_id)}, {given.tier} memory"
    return view.View(title, view.Table(("field", "value"), rows), markup.table(("field", "value"), body))


def claim(given: Memory) -> str:
    """Return what is claimed about what, or the kind where there is no triple."""
    if given.predicate:
        return words.one_line(f"{given.subject} {given.predicate} {given.object}")
    return given.kind


def author(given: Memory) -> str:
    """Return who wrote it, with the word *untrusted* for text from a tool or the web."""
    name = words.one_line(given.agent)
    return f"{name} (untrusted {given.source})" if given.source in UNTRUSTED else name


def status_chip(given: Memory) -> Markup:
    """Draw a status: filled with its own edge where it is live, outline only where it is withheld."""
    edge = style.STATUS_EDGES.get(given.status, "")
    kind = f"tm-chip tm-fill tm-{edge}" if given.status in LIVE else "tm-chip"
    return markup.el("span", {"class": kind}, str(given.status))


def _author_markup(given: Memory) -> Markup:
    if given.source in UNTRUSTED:
        return markup.join([f"{words.one_line(given.agent)} ", _source(given)])
    return markup.text(words.one_line(given.agent))


def _source(given: Memory) -> Markup:
    if given.source in UNTRUSTED:
        return markup.el("span", {"class": "tm-untrusted"}, f"untrusted {given.source}")
    return markup.text(str(given.source))


def _moment(moment: datetime | None) -> str | None:
    return None if moment is None else f"{words.day(moment)} ({words.exact(moment)})"
