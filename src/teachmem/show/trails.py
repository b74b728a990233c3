"""Trails: what a write or a read had to pass, in order, and where it stopped.

A `Receipt` is the trail of the gate's checks; a `WhyNot` is the trail of gates between a memory and an
answer. Each step carries a glyph and a word, so that it reads the same in grey or aloud.

>>> from teachmem.record import Receipt, Step
>>> from teachmem.vocabulary import Outcome, Verdict
>>> blank = Step("shape", Outcome.REFUSED, "content: is blank")
>>> print(receipt(Receipt(Verdict.REFUSED, steps=(blank,))).text())
✕ refused
check  outcome    reason
shape  ✕ refused  content: is blank

Left out: checks after the one that refused. They were not run, so nothing is known of them.
"""

from __future__ import annotations

from collections.abc import Sequence

from teachmem.record import Receipt, WhyNot
from teachmem.show import markup, style, view, words
from teachmem.show.markup import Markup
from teachmem.vocabulary import Outcome

_GOING_ON = (Outcome.PASSED, Outcome.NOTED)


def receipt(given: Receipt) -> view.View:
    """Return the view of a receipt: the verdict, and every check with its outcome and reason."""
    verdict = f"{style.VERDICTS[given.verdict]} {given.verdict}"
    what = given.memory.memory_id if given.memory else given.candidate_id or ""
    title = f"{verdict} {words.short_id(what)}".rstrip()
    if given.audit_seq is not None:
        title += f", audit entry {given.audit_seq}"
    rows = tuple(
        (step.check, f"{style.OUTCOMES[step.outcome]} {step.outcome}", step.reason) for step in given.steps
    )
    stops = [step.outcome not in _GOING_ON for step in given.steps]
    notes = []
    if given.touched and not (given.memory and given.touched == (given.memory.memory_id,)):
        notes.append("touched: " + ", ".join(words.short_id(touched) for touched in given.touched))
    table = view.Table(("check", "outcome", "reason"), rows)
    return view.View(title, table, _trail(rows, stops), tuple(notes))


def why_not(given: WhyNot) -> view.View:
    """Return the view of a why-not: every gate, open or closed, with its reason."""
    closed = given.withheld_by
    memory_id = words.short_id(given.memory_id)
    if closed:
        title = f"{memory_id} was left out by {' and '.join(gate.name for gate in closed)}"
    else:
        title = f"{memory_id} was in the answer"
    rows = tuple(
        (gate.name, f"{style.ACCEPTED} open" if gate.passed else f"{style.REFUSED} closed", gate.reason)
        for gate in given.gates
    )
    table = view.Table(("gate", "outcome", "reason"), rows)
    return view.View(title, table, _trail(rows, [not gate.passed for gate in given.gates]))


def _trail(rows: Sequence[tuple[str, str, str]], stops: Sequence[bool]) -> Markup:
    """Draw the steps in a line, those that stopped it with a thick edge, and every reason below."""
    steps = (
        markup.el(
            "div",
            {"class": "tm-step tm-stop" if stop else "tm-step"},
            f"{outcome.split()[0]} {name} ",
            markup.el("small", {}, outcome.split()[1]),
        )
        for (name, outcome, _), stop in zip(rows, stops, strict=True)
    )
    said = "; ".join(f"{name} {outcome.split()[1]}" for name, outcome, _ in rows) or "no step"
    trail = markup.el("div", {"class": "tm-trail", "role": "img", "aria-label": f"trail: {said}"}, *steps)
    reasons = (
        markup.el("p", {}, markup.el("b", {}, name), f" {outcome.split()[1]}: {words.one_line(reason)}")
        for name, outcome, reason in rows
        if reason
    )
    return markup.join([trail, *reasons])
