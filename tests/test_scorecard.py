"""The card: three twins of one set of answers, a file that comes back, a command and a widget; no sum."""

from __future__ import annotations

import json
import re

import pytest
from show_world import cells, parsed, words_in
from typer.testing import CliRunner

from teachmem import InvalidInput, cli, show
from teachmem.marks import card as cards_of
from teachmem.marks import matrix, probe
from teachmem.marks.foil import foil
from teachmem.marks.probe import Answer, Card, Finding, Mark
from teachmem.marks.systems import known
from teachmem.marks.systems.in_process import InProcess
from teachmem.marks.systems.naive import Naive
from teachmem.show import foil_grid, live_scorecard, scorecard, style

RUNNER = CliRunner()
QUICK = ("verbatim", "trust_state")


def asked(make, *marks):
    return probe.run(make, [one for one in probe.probes() if one.mark in (marks or QUICK)])


@pytest.fixture(scope="module")
def cards():
    return [asked(InProcess), asked(Naive)]


EVERY = Card(
    "every <answer>",
    "1",
    "by hand",
    tuple(
        Finding(f"probe_{place}", Mark.POISON, answer, f"<b>seen</b> {answer}", "asked?")
        for place, answer in enumerate([*Answer, Answer.FAILS])
    ),
)


def test_every_system_has_a_column_and_every_mark_a_row_whose_counts_are_those_of_the_card(cards):
    seen = scorecard.by_marks(cards)
    assert seen.table.columns == ("mark", "teachmem in process", "naive")
    assert [row[0] for row in seen.table.rows] == list(QUICK)
    for row in seen.table.rows:
        for card, told in zip(cards, row[1:], strict=True):
            numbers = [int(number) for number in re.findall(r"\d+", told)]
            assert sorted(numbers) == sorted(card.counts(Mark(row[0])).values())
    drawn = cells(parsed(seen.html()))
    assert [row[0] for row in drawn] == ["verbatim", "trust state"]
    for row, shown in zip(seen.table.rows, drawn, strict=True):
        assert all(told in cell for told, cell in zip(row[1:], shown[1:], strict=True))
    for card in cards:
        assert f"{card.system} {card.version}: {card.way}" in seen.text()


def test_there_is_a_sign_for_every_answer_and_each_has_a_shape_of_its_own():
    assert list(style.ANSWERS) == list(Answer) == list(scorecard.SAID)
    signs = {answer: str(scorecard.sign(answer, 0, 0)) for answer in Answer}
    without_colour = {re.sub(r"(fill|stroke):#\w+", "", each) for each in signs.values()}
    assert len(without_colour) == len(Answer)
    drawn = parsed(scorecard.by_marks([EVERY]).html())
    told = words_in(drawn)
    assert "1 holds, 2 fail, 1 not offered, 1 could not run" in told
    strip = drawn.find(".//tbody//svg")
    assert len(list(strip)) == 1 + len(EVERY.findings)  # its title, and a sign an answer
    assert (
        strip.get("aria-label")
        == f"every <answer> poison: {scorecard.said(each.answer for each in EVERY.findings)}"
    )


def test_one_card_says_for_every_probe_what_was_asked_and_what_was_seen(cards):
    for card in [*cards, EVERY]:
        seen = scorecard.one(card)
        assert len(seen.table.rows) == len(card.findings)
        told = words_in(parsed(seen.html()))
        for found in card.findings:
            assert found.asks
            assert " ".join(found.asks.split()) in told
            assert " ".join(found.evidence.split()) in told
            assert found.evidence in seen.text()
    failing = scorecard.one(EVERY, "poison", "fails")
    assert [row[1] for row in failing.table.rows] == ["probe_1", "probe_4"]
    assert scorecard.one(EVERY, "verbatim").table.rows == ()


def test_one_mark_stands_side_by_side_with_what_was_seen(cards):
    seen = scorecard.beside([*cards, EVERY], "verbatim")
    names = [found.probe for found in cards[0].findings if found.mark == "verbatim"]
    assert [row[0] for row in seen.table.rows] == names
    assert {row[3] for row in seen.table.rows} == {"not asked"}
    assert "naive, said_twice: fails, written twice, it comes back 2 times" in seen.text()
    assert "written twice, it comes back 2 times" in words_in(parsed(seen.html()))


def test_no_view_says_how_many_of_how_many_or_a_percentage(cards):
    views = [scorecard.by_marks(cards), scorecard.one(cards[0]), scorecard.beside(cards, "verbatim")]
    for seen in views:
        assert not re.search(r"\d\s*%|\d+\s*/\s*\d+|\d+ of \d+|score", seen.text())


def test_foils_are_shown_with_the_probes_that_fail_and_one_that_nothing_catches_as_such():
    with foil("stop_at_first_misfit"):
        bitten = asked(InProcess, "negative_eval")
    whole = asked(InProcess, "negative_eval")
    caught = {"stop_at_first_misfit": bitten.findings, "none": whole.findings}
    seen = scorecard.foils(caught)
    failing = [found.probe for found in bitten.findings if found.answer is Answer.FAILS]
    assert failing
    assert seen.table.rows == (
        ("stop_at_first_misfit", len(failing), ", ".join(failing)),
        ("none", 0, "nothing"),
    )
    assert seen.title.startswith("2 foils, 1 caught")
    assert cells(parsed(seen.html()))[1] == ["none", "", "nothing"]


def test_a_matrix_that_was_computed_can_be_shown():
    computed = matrix.compute(["moratorium_in_disguise"], probe.probes("tombstone"))
    seen = scorecard.foils(computed.findings())
    assert [row[2] for row in seen.table.rows] == [", ".join(computed.caught_by("moratorium_in_disguise"))]


def test_many_foils_are_a_grid_with_a_dot_for_every_probe_that_fails(capsys):
    caught = {f"foil_{number}": EVERY.findings for number in range(9)} | {"loose": EVERY.findings[:1]}
    seen = foil_grid.grid(caught)
    assert len(seen.table.rows) == 10
    assert seen.table.rows[0] == ("loose", 0, "nothing")
    assert "foils that no probe catches: 1; probes that catch no foil: 3" in seen.text()
    assert len(parsed(seen.html()).findall(".//rect")) == 9 * 2
    show.foils(caught)
    assert "10 foils by 5 probes" in capsys.readouterr().out


def test_a_card_comes_back_from_its_file_as_it_was(cards):
    text = cards_of.written([*cards, EVERY])
    assert cards_of.read(text) == (*cards, EVERY)
    assert cards_of.written(cards_of.read(text)) == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '{"format": "another"}',
        '{"format": "teachmem cards 1"}',
        '{"format": "teachmem cards 1", "cards": [{"system": "x"}]}',
        cards_of.written([EVERY]).replace('"fails"', '"mostly holds"'),
        cards_of.written([EVERY]).replace('"poison"', '"kindness"'),
    ],
)
def test_what_is_no_file_of_cards_is_refused_with_the_reason(text):
    with pytest.raises(InvalidInput, match="file of cards"):
        cards_of.read(text)


def test_show_hands_the_cards_on(cards, capsys):
    show.cards(cards)
    show.card(cards[1], "verbatim")
    show.cards(cards, "verbatim")
    show.foils({"none": cards[0].findings})
    told = capsys.readouterr().out
    assert "2 systems" in told
    assert "1 foil, 0 caught" in told


# ---- the command ----------------------------------------------------------------------------------------


def says(*words):
    return RUNNER.invoke(cli.app, ["marks", *words])


def test_the_command_asks_prints_and_writes_and_its_code_says_that_something_fails(tmp_path):
    to, page = tmp_path / "cards.json", tmp_path / "cards.html"
    told = says("--system", "naive", "--json", str(to), "--html", str(page))
    assert told.exit_code == 1, told.output
    assert "naive, said_twice: fails, written twice, it comes back 2 times" in told.stdout
    (card,) = cards_of.read(to.read_text(encoding="utf-8"))
    assert len(card.findings) == len(probe.probes())
    assert json.loads(to.read_text(encoding="utf-8"))["format"] == cards_of.FORMAT
    html = page.read_text(encoding="utf-8")
    assert html.count('class="tm ') == 2
    assert "http" not in html.replace("teachmem over HTTP", "")


def test_of_one_mark_all_evidence_is_printed_and_without_a_failure_the_code_is_0():
    told = says("--mark", "trust_state", "--system", "teachmem", "--system", "naive", "--system", "teachmem")
    assert told.exit_code == 0, told.output
    assert "2 systems" in told.stdout
    assert "naive, retracted_is_gone: holds, " in told.stdout


def test_what_could_not_run_has_a_code_of_its_own(monkeypatch):
    def broken(*_, **__):
        raise RuntimeError("no floor")

    monkeypatch.setattr(Naive, "open", broken)
    told = says("--system", "naive", "--mark", "verbatim")
    assert told.exit_code == 3, told.output
    assert "could not run, RuntimeError: no floor" in told.stdout


def test_the_list_names_every_system_and_every_probe_and_asks_nothing(monkeypatch):
    monkeypatch.setattr(probe, "run", None)
    told = says("--list").stdout
    assert all(one.name in told for one in known.KNOWN)
    assert all(f" {one.name} " in told and one.asks in told for one in probe.probes())
    assert "written_again" not in says("--list", "--mark", "poison").stdout


@pytest.mark.parametrize(
    "words",
    [("--system", "nothing"), ("--mark", "nothing"), ("--json", "no/such/folder/x"), ("--html", "no/such/x")],
)
def test_a_bad_word_is_refused_before_anything_is_asked(monkeypatch, words):
    monkeypatch.setattr(probe, "run", None)
    told = says(*words)
    assert isinstance(told.exception, InvalidInput)


# ---- the widget -----------------------------------------------------------------------------------------


@pytest.fixture
def board(cards):
    import ipywidgets

    made = []

    def bitten():
        made.append(1)
        with foil("stop_at_first_misfit"):
            return asked(InProcess, "negative_eval")

    box = live_scorecard.build(ipywidgets, cards, {"stop_at_first_misfit": bitten})
    _, which, mark, picture, text = box.children
    return which, mark, picture, text, made


def test_the_widget_begins_side_by_side_and_a_mark_narrows_it(board, cards):
    which, mark, picture, text, _ = board
    assert which.options == (live_scorecard.ALL, "teachmem in process", "naive", "stop_at_first_misfit")
    assert mark.options == (live_scorecard.EVERY, *QUICK)
    assert str(scorecard.by_marks(cards).html()) == picture.value
    mark.value = "verbatim"
    assert str(scorecard.beside(cards, "verbatim").html()) == picture.value
    which.value = "naive"
    assert str(scorecard.one(cards[1], "verbatim").html()) == picture.value
    assert "written twice, it comes back 2 times" in text.value


def test_a_foil_is_asked_when_it_is_chosen_and_once(board):
    which, _, picture, text, made = board
    assert made == []
    which.value = "stop_at_first_misfit"
    assert "1 foil, 1 caught" in text.value
    assert "stop at first misfit" in words_in(parsed(f"<div>{picture.value}</div>"))
    which.value = live_scorecard.ALL
    which.value = "stop_at_first_misfit"
    assert made == [1]


def test_a_scorecard_of_nothing_is_refused():
    import ipywidgets

    with pytest.raises(InvalidInput, match="at least one card"):
        live_scorecard.build(ipywidgets, [], {})


def test_every_control_of_the_widget_has_a_label(board):
    for control in board[:2]:
        assert control.description
        assert control.tooltip
