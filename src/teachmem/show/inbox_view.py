"""The inbox as a person reads it: what each candidate says, why it waits, and what approval would do.

One card an item, its rows the same in all twins. What reads like an order, a secret or a link is pointed
out; the rejected values that it is near stand in it.

>>> print(inbox(Inbox("shift-lead of northlight/dock", ())).text())
nothing waits for shift-lead of northlight/dock

Left out: deciding (`explore_inbox.py` tries it).
"""

from __future__ import annotations

from collections.abc import Iterator

from teachmem.record import Memory
from teachmem.rules.inbox import Candidate
from teachmem.show import markup, style, view, words
from teachmem.show.explore_inbox import Decided, Inbox
from teachmem.show.markup import Markup
from teachmem.vocabulary import UNTRUSTED, Verdict

_COLUMNS = ("item", "part", "what")
QUOTED = 4  # memories of the evidence that a card quotes; the others are named


def inbox(given: Inbox, most: int = style.MOST_MARKS) -> view.View:
    """Return the view of what waits for a person, oldest first."""
    cards = [_rows(item) for item in given.items]
    rows = tuple(
        (item.candidate_id, *row) for item, card in zip(given.items, cards, strict=True) for row in card
    )
    said = words.count(len(cards), "item") if cards else "nothing"
    title = f"{said} {'waits' if len(cards) < 2 else 'wait'} for {given.reader}"
    rest = f"and {len(cards) - most} more" if len(cards) > most else ""
    drawn = [_card(item, card) for item, card in zip(given.items[:most], cards, strict=False)]
    drawn += [markup.el("p", {}, rest)] if rest else []
    shown = range(sum(map(len, cards[:most])))
    return view.View(title, view.Table(_COLUMNS, rows), markup.join(drawn), (), shown, rest=rest)


def _rows(item: Candidate) -> list[tuple[str, str]]:
    """Return the parts of one card, each with its words."""
    by = f"{item.agent} of {item.fleet}"
    source = f", untrusted {item.draft.source}" if item.draft.source in UNTRUSTED else ""
    rows = [
        ("says", words.said(item.content)),
        ("by", words.one_line(f"{by} ({item.role}{source}), {words.day(item.proposed_at)}")),
        (str(item.state), words.one_line(item.reason)),
    ]
    rows += [("look twice", f"it {words.one_line(finding)}") for finding in item.findings]
    rows += [("approval", words.one_line(change)) for change in item.changes]
    rows += [("rests on", _quoted(memory)) for memory in item.evidence[:QUOTED]]
    if more := ", ".join(words.short_id(memory.memory_id) for memory in item.evidence[QUOTED:]):
        rows.append(("rests on", more))
    if item.unseen:
        rows.append(("rests on", f"{item.unseen} more that you may not see"))
    return rows + [("rejected", words.one_line(str(one))) for one in item.beside]


def _quoted(memory: Memory) -> str:
    return f"{words.short_id(memory.memory_id)}: {words.said(memory.content)}"


def _card(item: Candidate, rows: list[tuple[str, str]]) -> Markup:
    """Draw one item: its id and tier above, one line a part."""
    head = [
        markup.shape(item.draft.tier),
        markup.el("b", {}, f"{words.short_id(item.candidate_id)} "),
        markup.el("span", {"class": "tm-chip"}, str(item.state)),
    ]
    if item.draft.source in UNTRUSTED:
        head += [
            markup.text(" "),
            markup.el("span", {"class": "tm-untrusted"}, f"untrusted {item.draft.source}"),
        ]
    table = markup.table(_COLUMNS[1:], (_line(part, what) for part, what in rows))
    return markup.join([markup.el("p", {}, *head), table])


def _line(part: str, what: str) -> Markup:
    name = markup.el(
        "td", {"class": "tm-whole"}, markup.el("b", {}, part) if part in ("look twice", "rejected") else part
    )
    return markup.el("tr", {}, name, markup.el("td", {}, markup.el("bdi", {}, what)))


def decided(given: Decided) -> view.View:
    """Return the view of a trial: what the person is told, what then waits, and what a later run does."""
    rows = tuple(_story(given))
    table = view.Table(("then", "what"), rows)
    body = (_line(part, what) for part, what in rows)
    verdict = given.receipt.verdict
    title = f"{style.VERDICTS[verdict]} {verdict}: {given.done}"
    picture = markup.join([_strip(given), markup.table(table.columns, body)])
    return view.View(title, table, picture)


def _story(given: Decided) -> Iterator[tuple[str, str]]:
    for step in given.receipt.steps:
        if step.reason:
            yield step.check, f"{step.outcome}: {words.one_line(step.reason)}"
    if given.receipt.memory:
        yield "written", _quoted(given.receipt.memory)
    yield (
        "waits now",
        ", ".join(f"{words.short_id(one.candidate_id)} ({one.state})" for one in given.waits) or "nothing",
    )
    for one in given.waits:
        if given.action == "edit" and words.short_id(one.candidate_id) == given.item:
            yield "says now", words.said(one.content)
    for stone in given.stones:
        yield stone.name, words.one_line(str(stone))
    yield given.when, given.run
    for item in given.proposed:
        yield "proposes", f"{words.short_id(item.candidate_id)}: {words.said(item.content)}"
    for item in given.ended:
        yield "announces", words.one_line(item.reason)


def _strip(given: Decided) -> Markup:
    """Draw the way from the inbox through the act to the next run."""
    count, standing = len(given.proposed), sum(one.state == "standing" for one in given.stones)
    stops = given.receipt.verdict is Verdict.REFUSED
    boxes = (
        (given.item, "in the inbox", False),
        (given.action, str(given.receipt.verdict), stops),
        (words.count(standing, "value"), "kept out then", False),
        (given.when, f"{count} proposed" if count else "nothing proposed", False),
    )
    drawn = (
        markup.el(
            "div",
            {"class": "tm-step tm-stop" if stop else "tm-step"},
            f"{name} ",
            markup.el("small", {}, told),
        )
        for name, told, stop in boxes
    )
    alt = "; ".join(f"{name}: {told}" for name, told, _ in boxes)
    return markup.el("div", {"class": "tm-trail", "role": "img", "aria-label": alt}, *drawn)
