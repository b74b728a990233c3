"""The card: what memories answered to the probes, by marks or one by one, and what each foil is caught by.

Every answer is a sign of its own shape: a filled square holds, a cross fails, an empty circle is not
offered, and a dashed square could not be asked. They are counted and never added up: a memory that offers
no log and one whose log lies would otherwise be the same.

>>> from types import SimpleNamespace as Plain
>>> found = Plain(probe="said_twice", mark="verbatim", answer="fails", evidence="2 times", asks="Once?")
>>> print(by_marks([Plain(system="naive", version="1", way="a file", findings=(found,))]).text())
1 system, 1 probe: what each answered
mark      naive
verbatim  1 fails
naive 1: a file

Left out: asking. A card comes from `marks/probe.py`; anything of the same form can be shown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from teachmem.show import markup, style, view, words
from teachmem.show.markup import Markup

SAID = {
    "holds": ("1 holds", "{} hold"),
    "fails": ("1 fails", "{} fail"),
    "not offered": ("1 not offered", "{} not offered"),
    "could not run": ("1 could not run", "{} could not run"),
}
SIDE, IN_A_LINE = 15, 6  # of a sign in pixels; signs beside each other
FOILED = ("foil", "caught by", "probes that fail")


class Finding(Protocol):
    """One answer: see `marks/probe.py`."""

    @property
    def probe(self) -> str:
        """The name of the probe."""

    @property
    def mark(self) -> str:
        """Its mark."""

    @property
    def answer(self) -> str:
        """One of the four answers."""

    @property
    def evidence(self) -> str:
        """What was seen."""

    @property
    def asks(self) -> str:
        """What was asked."""


class Card(Protocol):
    """The answers of one system: see `marks/probe.py`."""

    @property
    def system(self) -> str:
        """Its name."""

    @property
    def version(self) -> str:
        """The version that was run."""

    @property
    def way(self) -> str:
        """How it was used."""

    @property
    def findings(self) -> Sequence[Finding]:
        """Its answers."""


def by_marks(cards: Sequence[Card]) -> view.View:
    """Return the view of several systems side by side: a row for every mark, a column for every system."""
    marks = list(dict.fromkeys(found.mark for card in cards for found in card.findings))
    answers = [[_answers(card.findings, mark) for card in cards] for mark in marks]
    rows = tuple((str(mark), *(said(each) for each in row)) for mark, row in zip(marks, answers, strict=True))
    columns = ("mark", *(card.system for card in cards))
    body = [
        markup.el(
            "tr",
            {},
            markup.el("td", {}, markup.el("b", {}, str(mark).replace("_", " "))),
            *(_cell(each, card.system, mark) for each, card in zip(row, cards, strict=True)),
        )
        for mark, row in zip(marks, answers, strict=True)
    ]
    asked = len({found.probe for card in cards for found in card.findings})
    title = f"{words.count(len(cards), 'system')}, {words.count(asked, 'probe')}: what each answered"
    notes = tuple(words.one_line(f"{card.system} {card.version}: {card.way}") for card in cards)
    picture = markup.join([_legend(), markup.table(columns, body)])
    return view.View(title, view.Table(columns, rows), picture, notes)


def beside(cards: Sequence[Card], mark: str) -> view.View:
    """Return the view of one mark: a row for every probe, a column for every system, with what was seen."""
    given = [{each.probe: each for each in card.findings if each.mark == mark} for card in cards]
    asked = {name: each.asks for found in given for name, each in found.items()}
    columns = ("probe", *(card.system for card in cards))
    rows = tuple(
        (name, *(str(found[name].answer) if name in found else "not asked" for found in given))
        for name in asked
    )
    body = [
        markup.el(
            "tr",
            {},
            markup.el("td", {}, markup.el("b", {}, name.replace("_", " ")), markup.el("p", {}, asks)),
            *(_seen(found.get(name)) for found in given),
        )
        for name, asks in asked.items()
    ]
    title = (
        f"{mark.replace('_', ' ')}: {words.count(len(asked), 'probe')}, {words.count(len(cards), 'system')}"
    )
    spelled = tuple(
        words.one_line(f"{card.system}, {each.probe}: {each.answer}, {each.evidence}")
        for card, found in zip(cards, given, strict=True)
        for each in found.values()
        if each.answer != "not offered"
    )
    return view.View(title, view.Table(columns, rows), markup.table(columns, body), spelled=spelled)


def one(card: Card, mark: str | None = None, answer: str | None = None) -> view.View:
    """Return the view of one system: what was asked and seen, of one mark and with one answer, or all."""
    found = [each for each in card.findings if mark in (None, each.mark) and answer in (None, each.answer)]
    columns = ("mark", "probe", "answer", "asked", "seen")
    rows = tuple(
        (str(each.mark), each.probe, str(each.answer), each.asks, words.visible(each.evidence))
        for each in found
    )
    head = ("probe", "answer", "what was asked, and what was seen")
    body = []
    last = ""
    for each in found:
        if each.mark != last and mark is None:
            named = markup.el("td", {"colspan": 3}, markup.el("b", {}, str(each.mark).replace("_", " ")))
            body.append(markup.el("tr", {}, named))
        last = each.mark
        body.append(_line(each))
    title = f"{words.one_line(card.system)}: {said(_answers(found))}" + (f", of {mark}" if mark else "")
    notes = (words.one_line(f"{card.version}; {card.way}"),)
    return view.View(title, view.Table(columns, rows), markup.table(head, body), notes)


def foils(caught: Mapping[str, Iterable[Finding]]) -> view.View:
    """Return the view of foils: `caught` has for each foil what the kit answered with it on."""
    failed = {name: [each for each in found if each.answer == "fails"] for name, found in caught.items()}
    rows = tuple((name, len(found), probes_said(found)) for name, found in failed.items())
    body = [
        markup.el(
            "tr",
            {},
            markup.el("td", {}, markup.el("b", {}, name.replace("_", " "))),
            _cell([each.answer for each in found], name, ""),
            markup.el("td", {}, probes_said(found).replace("_", " ")),
        )
        for name, found in failed.items()
    ]
    number = sum(bool(found) for found in failed.values())
    title = f"{words.count(len(rows), 'foil')}, {number} caught: each cross is a probe that fails with it on"
    picture = markup.table(("foil", "", "the probes that fail"), body)
    return view.View(title, view.Table(FOILED, rows), picture)


def probes_said(found: Iterable[Finding]) -> str:
    """Name the probes of these findings."""
    return ", ".join(each.probe for each in found) or "nothing"


def said(answers: Iterable[str]) -> str:
    """Say how often each answer was given.

    >>> said(["holds", "fails", "holds", "not offered"])
    '2 hold, 1 fails, 1 not offered'
    """
    counts = Counter(str(answer) for answer in answers)
    told = [
        (single if counts[answer] == 1 else several.format(counts[answer]))
        for answer, (single, several) in SAID.items()
        if counts[answer]
    ]
    return ", ".join(told) or "not asked"


def _answers(found: Iterable[Finding], mark: str | None = None) -> list[str]:
    """Return the answers to one mark's probes, or to all, those that hold first."""
    given = [str(each.answer) for each in found if mark in (None, each.mark)]
    return sorted(given, key=list(SAID).index)


def _cell(answers: Sequence[str], system: str, mark: str) -> Markup:
    if not answers:
        return markup.el("td", {}, "")
    lines = -(-len(answers) // IN_A_LINE)
    wide, high = (SIDE + 3) * min(len(answers), IN_A_LINE) + 2, (SIDE + 3) * lines + 2
    alt = f"{system} {mark}: {said(answers)}".strip()
    signs = (
        sign(answer, (SIDE + 3) * (place % IN_A_LINE), (SIDE + 3) * (place // IN_A_LINE))
        for place, answer in enumerate(answers)
    )
    strip = markup.el(
        "svg",
        {
            "viewBox": f"-2 -2 {wide} {high}",
            "width": f"{wide / 16:.3f}em",  # of the words beside it, so that it grows on a slide
            "height": f"{high / 16:.3f}em",
            "role": "img",
            "aria-label": alt,
        },
        markup.el("title", {}, alt),
        *signs,
    )
    return markup.el("td", {}, strip, markup.el("p", {"class": "tm-faint"}, said(answers)))


def sign(answer: str, x: int, y: int) -> Markup:
    """Return the sign of an answer with its left upper corner at a point, for use inside an `svg`."""
    look = style.ANSWERS[answer]
    if look.shape == "circle":
        middle = SIDE / 2
        place = {"cx": x + middle, "cy": y + middle, "r": middle - 2.5}
        return markup.el("circle", {"class": "tm-line", **place, "style": "stroke-width:1.5"})
    if look.shape == "cross":
        course = f"M{x} {y} l{SIDE} {SIDE} M{x + SIDE} {y} l-{SIDE} {SIDE}"
        return markup.el("path", {"d": course, "style": f"stroke:{look.colour};stroke-width:5;fill:none"})
    square = {"x": x, "y": y, "width": SIDE - 1, "height": SIDE - 1}
    if look.edge == "dashed":
        return markup.el("rect", {"class": "tm-line", **square, "style": "stroke-dasharray:3 3"})
    return markup.el("rect", {"class": "tm-node", **square, "style": f"fill:{look.colour};stroke-width:1.5"})


def _alone(answer: str) -> Markup:
    """Return the sign of an answer in a picture of its own."""
    size = SIDE + 2
    return markup.el(
        "svg",
        {"class": "tm-glyph", "viewBox": f"-1.5 -1.5 {size} {size}", "role": "img", "aria-label": answer},
        sign(answer, 0, 0),
    )


def _legend() -> Markup:
    pieces = [markup.join([_alone(answer), answer]) for answer in SAID]
    return markup.el("p", {}, markup.join(pieces, "\u2003"))


def _seen(each: Finding | None) -> Markup:
    if each is None:
        return markup.el("td", {}, "not asked")
    seen = markup.el("p", {"class": "tm-faint"}, markup.el("bdi", {}, words.one_line(each.evidence)))
    return markup.el("td", {}, _alone(str(each.answer)), str(each.answer), seen)


def _line(each: Finding) -> Markup:
    answer = markup.el("td", {"class": "tm-whole"}, _alone(str(each.answer)), str(each.answer))
    seen = markup.el("bdi", {}, words.one_line(each.evidence))
    told = markup.el(
        "td", {}, markup.el("p", {}, each.asks), markup.el("p", {"class": "tm-faint"}, "seen: ", seen)
    )
    name = markup.el("td", {}, each.probe.replace("_", " "))
    return markup.el("tr", {}, name, answer, told)
