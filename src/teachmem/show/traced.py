"""The trace of an answer: nine nodes in a row, what came out of each, and at one of them what went in.

>>> from teachmem.flow.pipeline import Answer, Trace
>>> from teachmem.flow.state import State
>>> asked = State("where is the hoist?")
>>> known = asked.remark("nobody knows")
>>> print(trace(Answer(asked.question, known, (Trace("retrieve", asked, known, 1.5),))).text())
"where is the hoist?" in 1 node
each node is given all that the nodes above it found
node      what came out
retrieve  remarks: nobody knows

Times differ from run to run, so they are shown where asked for.

Left out: the contents. A state is shown by its ids and counts; the memories have views of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Any

from teachmem.errors import InvalidInput
from teachmem.flow.pipeline import Answer, Trace
from teachmem.flow.state import State
from teachmem.record import Memory
from teachmem.show import markup, view, words
from teachmem.show.markup import Markup

ASKED = "each node is given all that the nodes above it found"
NAMED = 3  # of a list that are named; the others are counted
CUT = 48  # characters of a question or an answer that stand in a row
NOTHING = "nothing new"


def trace(given: Answer, node: str | None = None, times: bool = False) -> view.View:
    """Return the view of an answer's trace; of `node`, what went in and what came out field by field."""
    runs = {run.name: run for run in given.trace}
    if node is not None and node not in runs:
        raise InvalidInput("node", f"{node!r} is none of: {', '.join(runs)}")
    head = ("node", *(("ms",) if times else ()), "what came out")
    rows = tuple((run.name, *((round(run.ms, 1),) if times else ()), _came_out(run)) for run in given.trace)
    title = f"{words.said(given.question)} in {words.count(len(runs), 'node')}"
    drawn = [_steps(given.trace, node), _table(head, rows, given.trace, times, node)]
    notes: tuple[str, ...] = ()
    if node is not None:
        inside = both(runs[node])
        drawn += [markup.el("p", {}, markup.el("b", {}, node), " was given and gave:"), _sides(inside)]
        notes = ("\n".join([f"{node}:", *(f"  {name}: {old} | {new}" for name, old, new, _ in inside)]),)
    picture = markup.join(drawn)
    table = view.Table(head, rows)
    return view.View(title, table, picture, asked=ASKED, spelled=notes)


def both(run: Trace) -> list[tuple[str, str, str, bool]]:
    """Return each field that is filled after a node: its name, before, after, and whether it changed."""
    rows = []
    for each in fields(State):
        before, after = getattr(run.before, each.name), getattr(run.after, each.name)
        if _is_filled(after) or before != after:
            old, new = _in_words(each.name, before), _in_words(each.name, after)
            rows.append((each.name, old, new if before != after else "the same", before != after))
    return rows


def _came_out(run: Trace) -> str:
    said = [f"{name}: {_in_words(name, value)}" for name, value in run.changed.items()]
    return "; ".join(said) or NOTHING


def _is_filled(value: Any) -> bool:
    return bool(value.sentences or value.struck) if hasattr(value, "struck") else bool(value)


def _in_words(name: str, value: Any) -> str:
    if not _is_filled(value):
        return "nothing"
    return words.one_line(_SAID.get(name, str)(value))


def _listed(found: Sequence[object]) -> str:
    names = [words.short_id(one.memory_id) if isinstance(one, Memory) else str(one) for one in found[:NAMED]]
    more = f" and {len(found) - NAMED} more" if len(found) > NAMED else ""
    return ", ".join(names) + more


def _context(found: Any) -> str:
    left = f", {len(found.skipped)} left out" if found.skipped else ""
    return f"{words.count(len(found.lines), 'line')}, {found.used} of {found.budget} tokens{left}"


def _reply(found: Any) -> str:
    struck = f", {len(found.struck)} struck out" if found.struck else ""
    return f"{words.count(len(found.sentences), 'sentence')} {found.by} from {_listed(found.cited)}{struck}"


_SAID: Mapping[str, Callable[[Any], str]] = {
    "question": lambda value: words.said(value, CUT),
    "intents": lambda found: "; ".join(str(one) for one in found),
    "entities": _listed,
    "edges": lambda found: words.count(len(found), "triple"),
    "notes": _listed,
    "events": _listed,
    "facts": _listed,
    "cosines": lambda found: f"of {len(found)} memories",
    "context": _context,
    "reply": _reply,
    "text": lambda value: value if len(value) <= CUT else value[:CUT].rstrip() + " ...",
    "logged": lambda receipt: words.one_line(str(receipt)),
    "remarks": lambda found: "; ".join(found),
}


def _steps(runs: Sequence[Trace], node: str | None) -> Markup:
    """Draw the nodes in a line; the chosen one has a thick edge and says so."""
    steps = (
        markup.el(
            "div",
            {"class": "tm-step tm-stop" if run.name == node else "tm-step"},
            f"{place} {run.name.replace('_', ' ')} ",
            markup.el("small", {}, "shown below" if run.name == node else ", ".join(run.changed) or NOTHING),
        )
        for place, run in enumerate(runs, 1)
    )
    alt = "nodes in order: " + ", ".join(run.name for run in runs)
    return markup.el("div", {"class": "tm-trail", "role": "img", "aria-label": alt}, *steps)


def _table(
    head: Sequence[str], rows: Sequence[Sequence[Any]], runs: Sequence[Trace], times: bool, node: str | None
) -> Markup:
    longest = max((run.ms for run in runs), default=0.0) or 1.0
    body = []
    for row, run in zip(rows, runs, strict=True):
        name = markup.el("b", {}, run.name) if run.name == node else run.name
        cells = [markup.el("td", {"class": "tm-whole"}, name)]
        if times:
            width, said = 100 * run.ms / longest, f"{run.ms:.1f} ms"
            bar = markup.bar(f"{run.name}: {said}", [("tm-plain", width, "")])
            cells.append(markup.el("td", {"class": "tm-thin"}, bar, said))
        cells.append(markup.el("td", {}, row[-1]))
        body.append(markup.el("tr", {}, *cells))
    return markup.table(head, body)


def _sides(rows: Sequence[tuple[str, str, str, bool]]) -> Markup:
    drawn = (
        markup.el(
            "tr",
            {},
            markup.el("td", {"class": "tm-whole"}, markup.el("b", {}, name) if changed else name),
            markup.el("td", {}, old),
            markup.el("td", {}, markup.el("b", {}, new) if changed else new),
        )
        for name, old, new, changed in rows
    )
    return markup.table(("field", "went in", "came out"), drawn)
