"""Contexts: a token budget as a bar, the notes in it as blocks, and what was skipped with the reason.

Every note below the budget is drawn to the same scale: filled if it is in the context, dashed if it
was left out. One that is longer than the whole budget fills the width and says its number.

Left out: choosing (`recall/pack.py`), and the rewrites of a note (`difference.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from teachmem.record import Memory
from teachmem.show import markup, style, view, words
from teachmem.show.markup import Markup
from teachmem.tiers.working import Context


class _Note(NamedTuple):
    """One note, in or out: the columns of the table."""

    place: int
    memory: str
    tokens: int
    outcome: str
    reason: str
    content: str


_IN, _OUT = "in", "left out"
BRIEF = 24  # characters of a note beside its bar; the context below has the whole of it


def context(given: Context, most: int = style.MOST_MARKS) -> view.View:
    """Return the view of a context: the budget, every note in it or left out, and its text."""
    rows = _rows(given)
    title = (
        f"context: {given.used} of {given.budget} tokens used, "
        f"{words.count(len(given.lines), 'line')} in, {len(given.skipped)} left out"
    )
    notes = [words.one_line(f"note: {given.note}")] if given.note else []
    notes.append(f"what the model reads:\n{given}" if given.lines else "what the model reads: nothing")
    chosen, left_out = (len(given.lines), len(rows))
    shown = [*range(min(most, chosen)), *range(chosen, min(chosen + most, left_out))]
    rest = _rest([row for place, row in enumerate(rows) if place not in shown])
    picture = [_budget_bar(given, rows[:chosen], most)]
    if shown:
        scale = max(1, min(given.budget, max(row.tokens for row in rows)))
        tokens = markup.el("th", {"class": "tm-number"}, "tokens")
        head = ("note", "memory", tokens, "size", "outcome", "content")
        picture.append(markup.table(head, (_drawn(rows[place], scale) for place in shown)))
    if rest:
        picture.append(markup.el("p", {}, rest))
    table = view.Table(("note", *_Note._fields[1:]), tuple(rows))
    return view.View(title, table, markup.join(picture), tuple(notes), shown, rest=rest)


def _rows(given: Context) -> list[_Note]:
    found: list[tuple[Memory, int, str, str]] = [(line.memory, line.tokens, _IN, "") for line in given.lines]
    found += [(left.memory, left.tokens, _OUT, left.reason) for left in given.skipped]
    return [
        _Note(place, memory.memory_id, tokens, outcome, reason, memory.content)
        for place, (memory, tokens, outcome, reason) in enumerate(found, 1)
    ]


def _rest(rows: Sequence[_Note]) -> str:
    told = []
    for outcome in (_IN, _OUT):
        tokens = [row.tokens for row in rows if row.outcome == outcome]
        if tokens:
            told.append(f"{len(tokens)} more {outcome} ({sum(tokens)} tokens)")
    return "and " + ", ".join(told) if told else ""


def _budget_bar(given: Context, chosen: Sequence[_Note], most: int) -> Markup:
    """Draw the budget as one bar: a block a line, the lines after `most` as one block, and the room left."""
    full = max(given.budget, 1)
    blocks = [(row.tokens, str(row.place)) for row in chosen[:most]]
    if more := chosen[most:]:
        blocks.append((sum(row.tokens for row in more), f"{more[0].place} to {more[-1].place}"))
    pieces = [("tm-working", 100 * tokens / full, f" {name} ") for tokens, name in blocks]
    room = given.budget - given.used
    pieces.append(("tm-room", 100 * room / full, f"{room} free" if room > full / 8 else ""))
    each = "; ".join(f"note {name}: {tokens} tokens" for tokens, name in blocks) or "no note"
    alt = f"budget of {given.budget} tokens, {given.used} used: {each}; {room} free"
    said = f"the budget of {given.budget} tokens: {given.used} used, {room} free"
    return markup.join([markup.el("p", {}, said), markup.bar(alt, pieces)])


def _drawn(row: _Note, scale: int) -> Markup:
    width = 100 * min(row.tokens, scale) / scale
    fill = "tm-working" if row.outcome == _IN else "tm-out"
    beyond = "too long" if row.tokens > scale else ""
    memory_id = words.short_id(row.memory)
    alt = f"{memory_id}: {row.tokens} tokens, {row.outcome}"
    outcome = f"{row.outcome}: {row.reason}" if row.reason else row.outcome
    return markup.el(
        "tr",
        {},
        markup.el("td", {}, str(row.place)),
        markup.el("td", {"class": "tm-whole"}, memory_id),
        markup.el("td", {"class": "tm-number"}, str(row.tokens)),
        markup.el("td", {"class": "tm-barcell tm-thin"}, markup.bar(alt, [(fill, width, beyond)])),
        markup.el("td", {"class": "tm-brief tm-outcome"}, words.one_line(outcome)),
        markup.el("td", {"class": "tm-brief tm-whole"}, markup.el("bdi", {}, words.said(row.content, BRIEF))),
    )
