"""The audit chain as blocks: whole, partial or broken, and where it broke.

>>> from teachmem.ledger.chain import Finding
>>> from teachmem.ledger.report import AuditReport, AuditStatus
>>> tail = Finding("northlight", 3, "does not link to the entry before it")
>>> print(report(AuditReport(AuditStatus.BROKEN, 4, "9f" * 32, (tail,))).text())
✕ broken: 4 entries checked, head 9f9f9f9f9f9f
tenant      entry  finding
northlight      3  does not link to the entry before it

Left out: the entries' own content. The chain holds digests; give `entries` to see their actions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from teachmem.ledger.report import AuditReport, AuditStatus
from teachmem.show import markup, style, view, words
from teachmem.show.markup import Markup

HEAD_DIGITS = 12
_GLYPH = {AuditStatus.COMPLETE: f"{style.ACCEPTED} ", AuditStatus.BROKEN: f"{style.REFUSED} "}


def report(
    given: AuditReport, most: int = style.MOST_MARKS, entries: Sequence[Mapping[str, Any]] | None = None
) -> view.View:
    """Return the view of a verification: the chain as blocks, and every finding.

    `entries`, audit bodies with at least a `seq` and an `action`, are written on the blocks.
    """
    checked = "1 entry" if given.entries == 1 else f"{given.entries} entries"
    title = (
        f"{_GLYPH.get(given.status, '')}{given.status}: {checked} checked, head {given.head[:HEAD_DIGITS]}"
    )
    rows = tuple((one.tenant, one.seq, one.what) for one in given.findings)
    rest = f"and {len(rows) - most} more findings" if len(rows) > most else ""
    actions = {one["seq"]: words.one_line(str(one["action"])) for one in entries or ()}
    picture = [chain(given, most, actions)]
    if rows:
        body = (
            markup.el("tr", {}, *(markup.el("td", {}, view.said_cell(cell)) for cell in row))
            for row in rows[:most]
        )
        picture.append(markup.table(("tenant", "entry", "finding"), body))
    if rest:
        picture.append(markup.el("p", {}, rest))
    table = view.Table(("tenant", "entry", "finding"), rows)
    notes = tuple(f"entry {seq}: {action}" for seq, action in sorted(actions.items())[:most])
    shown = range(min(most, len(rows)))
    return view.View(title, table, markup.join(picture), notes, shown, rest=rest)


def chain(given: AuditReport, most: int, actions: Mapping[int, str]) -> Markup:
    """Draw at most `most` blocks: the first entries, those that broke, the head; gaps are dotted."""
    broken = {one.seq for one in given.findings}
    kept = _kept(given.entries, sorted(broken), most)
    head = "" if broken else f"tm-{given.status}"
    drawn, before, said = [_block("genesis", "fixed start", "")], 0, []
    for seq in kept:
        if seq > before + 1:
            drawn.append(_block(f"{seq - before - 1} more", "not drawn", "tm-gap"))
        if seq in broken:
            drawn.append(_block(f"{style.REFUSED} {seq}", "broken here", "tm-broken"))
            said.append(f"broken at {seq}")
        else:
            under = actions.get(seq) or ("head" if seq == given.entries else "entry")
            drawn.append(_block(str(seq), under, head if seq == given.entries else ""))
        before = seq
    alt = f"chain of {given.entries} entries, {given.status}" + "".join(f", {each}" for each in said)
    return markup.el("div", {"class": "tm-trail", "role": "img", "aria-label": alt}, *drawn)


def _kept(entries: int, broken: Sequence[int], most: int) -> list[int]:
    last = max([entries, *broken], default=0)
    if last <= most:
        return list(range(1, last + 1))
    kept = {1, 2, last, *broken[: max(0, most - 3)]}
    return sorted(seq for seq in kept if seq > 0)


def _block(name: str, under: str, look: str) -> Markup:
    return markup.el("div", {"class": f"tm-step {look}".rstrip()}, f"{name} ", markup.el("small", {}, under))
