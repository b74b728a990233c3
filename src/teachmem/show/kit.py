"""The kit in one picture: writes pass one gate into one table of four tiers, reads pass one clause, and
every change leaves an entry in one chain.

The counts are what this handle may read, asked of the tiers themselves; a tier that cannot count yet
shows none.

Source: the four memories are those of CoALA (Sumers et al. 2023, arXiv:2309.02427).
Left out: other readers. What they may read is not told to this one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from teachmem import store
from teachmem.ledger.report import AuditReport
from teachmem.show import markup, style, view, words
from teachmem.show.markup import Markup
from teachmem.vocabulary import Tier

BLOCKS = 6  # of the chain that are drawn at most

_HOLDS = {
    Tier.WORKING: ("notes", "what you are doing"),
    Tier.EPISODIC: ("events", "what happened"),
    Tier.SEMANTIC: ("facts", "what is true"),
    Tier.PROCEDURAL: ("skills", "how it is done"),
}
_PARTS = (
    ("gate", "every write is checked, whichever way it comes"),
    ("clause", "every read is filtered: scope and trust and time"),
    ("chain", "every change leaves an entry; a later edit shows"),
)


def tiers(handle: store.Handle, audit: AuditReport | None = None) -> view.View:
    """Return the kit in one picture, with the counts of what `handle` may read."""
    who = handle.principal
    name = words.one_line(f"{who.name} of {who.tenant}/{who.fleet}")
    rows: list[tuple[str, str, int | None, str]] = []
    for tier, (noun, holds) in _HOLDS.items():
        rows.append((str(tier), style.TIERS[tier].shape, _counted(handle, tier, noun), f"{noun}: {holds}"))
    rows += [(part, "", None, does) for part, does in _PARTS[:2]]
    chain, does = _PARTS[2]
    rows.append((chain, "", None if audit is None else audit.entries, does))
    table = view.Table(("part", "shape", "count", "what it is"), tuple(rows))
    title = f"one memory, as {name} may use it"
    return view.View(title, table, _picture(rows[:4], audit))


def _counted(handle: store.Handle, tier: Tier, noun: str) -> int | None:
    stats = getattr(getattr(handle, str(tier), None), "stats", None)
    told: Mapping[str, Any] = stats() if callable(stats) else {}
    return told.get(noun)


def _picture(rows: Sequence[tuple[str, str, int | None, str]], audit: AuditReport | None) -> Markup:
    counts = ", ".join(
        f"{name} memory {'' if n is None else n} {what.split(':')[0]}" for name, _, n, what in rows
    )
    alt = (
        f"a write passes the gate into one table of four tiers ({counts}); a read passes the clause; "
        "every change leaves an entry in the chain below"
    )
    drawn = [
        _words(70, 118, "write", 24, bold=True),
        _arrow(20, 140, 118),
        *_post(122, "gate"),
        _arrow(172, 140, 222),
        markup.el("rect", {"class": "tm-line", "x": 226, "y": 20, "width": 508, "height": 270, "rx": 8}),
        _words(480, 52, "one table, four tiers", 20),
        *(piece for place, row in enumerate(rows) for piece in _tier(place, row)),
        _arrow(738, 140, 786),
        *_post(790, "clause"),
        _arrow(840, 140, 940),
        _words(890, 118, "read", 24, bold=True),
        *_chain_blocks(audit),
    ]
    return markup.el(
        "svg",
        {"viewBox": "0 0 960 400", "width": "100%", "role": "img", "aria-label": alt},
        markup.el("title", {}, alt),
        *drawn,
    )


def _tier(place: int, row: tuple[str, str, int | None, str]) -> list[Markup]:
    name, _, amount, what = row
    noun, _, holds = what.partition(": ")
    x, y = 240 + 246 * (place % 2), 66 + 110 * (place // 2)
    counted = noun if amount is None else words.count(amount, noun[:-1])
    return [
        markup.el("rect", {"class": "tm-line", "x": x, "y": y, "width": 234, "height": 100, "rx": 4}),
        markup.outline(name, x + 32, y + 50, 21),
        _words(x + 60, y + 32, name, 21, bold=True, anchor="start"),
        _words(x + 60, y + 58, counted, 19, anchor="start"),
        _words(x + 60, y + 84, holds, 17, anchor="start"),
    ]


def _post(x: int, name: str) -> list[Markup]:
    """Draw what a write or a read has to pass: an upright with its name turned along it."""
    thick = {"class": "tm-line", "x": x, "y": 60, "width": 46, "height": 190, "style": "stroke-width:4"}
    turned = markup.el(
        "g", {"transform": f"rotate(-90 {x + 23} 155)"}, _words(x + 23, 162, name, 22, bold=True)
    )
    return [markup.el("rect", thick), turned]


def _chain_blocks(audit: AuditReport | None) -> list[Markup]:
    """Draw the chain below the gate: every change that passed leaves a block, six stand for more."""
    entries = audit.entries if audit else BLOCKS
    told = f"{audit.entries} entries, {audit.status}" if audit else "an entry for every change"
    drawn = [markup.el("path", {"class": "tm-line", "d": "M145 250 V345 H226"})]
    for place in range(min(entries, BLOCKS)):
        x = 226 + 60 * place
        drawn.append(markup.el("rect", {"class": "tm-line", "x": x, "y": 325, "width": 40, "height": 40}))
        left_out = "3 4" if place == BLOCKS - 1 and entries > BLOCKS else None  # those between are not drawn
        if place:
            ends = {"x1": x - 20, "y1": 345, "x2": x, "y2": 345}
            drawn.append(markup.el("line", {"class": "tm-line", **ends, "stroke-dasharray": left_out}))
    end = 226 + 60 * min(entries, BLOCKS)
    return [*drawn, _words(end, 352, f"one chain: {told}", 20, anchor="start")]


def _arrow(start: int, y: int, end: int) -> Markup:
    head = f"M{end - 10} {y - 7} L{end} {y} L{end - 10} {y + 7}"
    return markup.el("path", {"class": "tm-line", "d": f"M{start} {y} H{end} {head}"})


def _words(x: int, y: int, said: str, size: int, bold: bool = False, anchor: str = "middle") -> Markup:
    look = {"x": x, "y": y, "font-size": size, "text-anchor": anchor, "font-weight": 600 if bold else None}
    return markup.el("text", look, f" {said} ")
