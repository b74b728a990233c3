"""A rewrite beside its original: which words were lost, which were added.

The texts are compared word by word. A lost word is struck, outlined and named below; an added word is
underlined, on yellow, and named below. What looks like a small saving may be the one word that counts.

>>> seen = rewrite(Rewrite("do NOT restart the arm", "restart the arm now"))
>>> print(seen.text())
2 words lost, 1 word added: the rewrite keeps 3 of 5 words
change  words   original
lost    do NOT  1 to 2
added   now     after 5
original: [-do NOT-] restart the arm
rewrite: restart the arm {+now+}

Source: `difflib.SequenceMatcher` (Ratcliff and Obershelp 1988). Left out: meaning. A word that moved
counts as lost and added, and a synonym is another word.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass

from teachmem.errors import InvalidInput
from teachmem.show import markup, view, words
from teachmem.show.markup import Markup


@dataclass(frozen=True, slots=True)
class Rewrite:
    """Two texts to be compared: what was said, and what was made of it. `name` says which rewrite."""

    original: str
    rewrite: str
    name: str = "rewrite"

    def __post_init__(self) -> None:
        for field in ("original", "rewrite", "name"):
            if not isinstance(getattr(self, field), str):
                kind = type(getattr(self, field)).__name__
                raise InvalidInput(field, f"must be a string, not {kind}")


@dataclass(frozen=True, slots=True)
class _Run:
    """A run of words with one fate; `first` and `last` are its places in the original, from 1."""

    fate: str  # kept, lost or added
    words: str
    count: int
    first: int
    last: int


def rewrite(given: Rewrite) -> view.View:
    """Return the view of a rewrite beside its original, with lost and added words marked."""
    runs = list(_runs(given.original, given.rewrite))
    amount = {fate: sum(run.count for run in runs if run.fate == fate) for fate in ("kept", "lost", "added")}
    name = words.one_line(given.name)
    title = (
        f"{words.count(amount['lost'], 'word')} lost, {words.count(amount['added'], 'word')} added: "
        f"the {name} keeps {amount['kept']} of {words.count(amount['kept'] + amount['lost'], 'word')}"
    )
    rows = tuple((run.fate, run.words, _place(run)) for run in runs if run.fate != "kept")
    marked = {"kept": "{}", "lost": "[-{}-]", "added": "{{+{}+}}"}
    before = " ".join(marked[run.fate].format(run.words) for run in runs if run.fate != "added")
    after = " ".join(marked[run.fate].format(run.words) for run in runs if run.fate != "lost")
    table = view.Table(("change", "words", "original"), rows)
    spelled = (f"original: {before}", f"{name}: {after}")
    return view.View(title, table, _picture(runs, name), spelled=spelled)


def _runs(original: str, rewritten: str) -> Iterator[_Run]:
    old, new = original.split(), rewritten.split()
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag == "equal":
            yield _run("kept", old[i1:i2], i1 + 1, i2)
            continue
        if i2 > i1:
            yield _run("lost", old[i1:i2], i1 + 1, i2)
        if j2 > j1:
            yield _run("added", new[j1:j2], i2, i2)


def _run(fate: str, found: list[str], first: int, last: int) -> _Run:
    return _Run(fate, words.visible(" ".join(found)), len(found), first, last)


def _place(run: _Run) -> str:
    if run.fate == "added":
        return f"after {run.last}"
    return str(run.first) if run.first == run.last else f"{run.first} to {run.last}"


def _picture(runs: list[_Run], name: str) -> Markup:
    """Draw the two texts side by side, then name every lost and added run."""
    tags = {"lost": "del", "added": "ins"}

    def column(heading: str, without: str) -> Markup:
        told = [
            markup.el(tags[run.fate], {}, run.words) if run.fate in tags else markup.text(run.words)
            for run in runs
            if run.fate != without
        ]
        text = markup.el("bdi", {}, markup.join(told, " "))
        return markup.el("div", {}, markup.el("p", {}, markup.el("b", {}, heading)), text)

    pair = markup.el("div", {"class": "tm-pair"}, column("original", "added"), column(name, "lost"))
    named = []
    for fate in ("lost", "added"):
        found = [run for run in runs if run.fate == fate]
        each = markup.join((markup.el(tags[fate], {}, run.words) for run in found), " / ")
        named.append(markup.el("p", {}, markup.el("b", {}, f"{fate}: "), each or "nothing"))
    return markup.join([pair, *named])
