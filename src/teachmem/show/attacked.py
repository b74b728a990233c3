"""An attack and its three verdicts: the same blocks three times, each with the first bad one torn.

>>> from teachmem.ledger.report import AuditReport, AuditStatus
>>> whole = AuditReport(AuditStatus.COMPLETE, 2, "9f" * 32)
>>> print(attacked(Attacked("northlight", "Nothing was done.", None, ("a", "b"), 2, (whole,) * 3)).text())
Nothing was done.
looked at            verdict   entry  what is wrong
the chain alone      complete
with the checkpoint  complete
with the rows        complete

Left out: why a way of looking ends where it does. That is what the segment is about.
"""

from __future__ import annotations

from teachmem.show import blocks, explore_chain, markup, style, view
from teachmem.show.explore_chain import Attacked


def attacked(given: Attacked, most: int = style.MOST_MARKS) -> view.View:
    """Return the view of an attack: what was done, and what each way of looking says to it."""
    rows = []
    picture = []
    actions = dict(enumerate(given.actions, 1))
    for way, report in zip(explore_chain.WAYS, given.reports, strict=True):
        first = report.findings[0] if report.findings else None
        rows.append((way, str(report.status), first.seq if first else "", first.what if first else ""))
        picture.append(markup.el("p", {}, markup.el("b", {}, f"{way}: {report.status}")))
        picture.append(blocks.chain(report, most, actions))
    table = view.Table(("looked at", "verdict", "entry", "what is wrong"), tuple(rows))
    where = f" At entry {given.seq} of {len(given.actions)}." if given.seq else ""
    return view.View(f"{given.done}{where}", table, markup.join(picture))
