"""Decks: what goes onto slides, where slides end, and the one file that comes out of it.

How a deck looks and moves is tested in a browser (`browser/test_decks_shown.py`).
"""

import dataclasses
import doctest
import importlib.util
import json
import re

import pytest
from browser import sample
from hypothesis import given
from hypothesis import strategies as st

from teachmem.course import notebook
from teachmem.course.notebook import Notebook

import deck_cells
import deck_layout
import deck_views
import decks
from deck_cells import DeckError, Piece
from notebooks import FOLDER


@pytest.fixture(scope="module")
def lesson():
    return sample.notebook()


@pytest.fixture(scope="module")
def pages(lesson):
    return deck_layout.pages(deck_cells.pieces(lesson))


def of(cell):
    return Notebook("02-x.ipynb", {"cells": [cell]})


def shown(cell):
    return [(piece.kind, piece.content) for piece in deck_cells.pieces(of(cell))]


# ---- what goes onto slides -------------------------------------------------------------------------


def test_what_only_a_notebook_can_do_leaves_nothing_but_its_minutes(lesson):
    left_out = {"exercise-2-1", "check-2-1", "hint-2-1", "aside", "live"}
    found = deck_cells.pieces(lesson)
    assert {piece.cell for piece in found if piece.kind == "time"} == left_out
    assert not [piece for piece in found if sample.SECRET in piece.content]


def test_no_minute_is_lost(lesson, pages):
    assert sum(page.minutes for page in pages) == sum(cell.minutes for cell in lesson.cells)


def test_a_lesson_stays_as_it_was(lesson):
    before = json.dumps(lesson.raw)
    decks.slides_notebook(lesson)
    assert json.dumps(lesson.raw) == before


def test_a_prediction_is_its_question_without_the_line_for_those_who_have_not_answered(lesson):
    asked = [piece for piece in deck_cells.pieces(lesson) if piece.part == "predict"]
    assert [piece.kind for piece in asked] == ["words"]
    assert asked[0].content == (
        "**2.a** Which comes first?\n\n- **a** the menu\n- **b** the \\*match\\* in \\<bay\\_four>"
    )


def test_setup_is_folded_and_what_it_says_is_shown():
    cell = sample.code_cell(
        "setup", "setup", "lesson = course.open_lesson('02')", sample.printed("12 notes\n")
    )
    assert shown(cell) == [("text", "12 notes")]


def test_source_that_a_cell_prints_is_shown_as_code():
    fetched = "print(inspect.getsource(score.recency))"
    source = f"import inspect\n\nfrom teachmem.recall import score\n\n{fetched}\nprint(1)"
    printed = "def recency(age):\n    x = 1\n\n    return x\n\n1\n"
    assert shown(sample.code_cell("run", "run", source, sample.printed(printed))) == [
        ("code", "from teachmem.recall import score\n\nprint(1)"),
        ("code", "def recency(age):\n    x = 1\n\n    return x"),
        ("text", "1"),
    ]


def test_a_cell_of_imports_alone_shows_what_it_printed_and_no_code():
    source = "import inspect\nfrom teachmem.recall import score\nprint(inspect.getsource(score.recency))"
    cell = sample.code_cell("run", "run", source, sample.printed("def half(x):\n    return x / 2\n"))
    assert shown(cell) == [("code", "def half(x):\n    return x / 2")]


def test_calls_to_the_lesson_go_and_those_inside_a_function_stay():
    calls = 'lesson.rewind()  # as before\nlesson.reveal("2.a")'
    source = f"def probe():\n    lesson.rewind()\n\n\nprint(probe())\n{calls}"
    cell = sample.code_cell("break", "break", source)
    assert shown(cell) == [("code", "def probe():\n    lesson.rewind()\n\nprint(probe())")]


def test_hide_input_hides_the_code():
    cell = sample.code_cell("run", "run", "print(1)", sample.printed("1\n"))
    cell["metadata"]["tags"].append("hide-input")
    assert shown(cell) == [("text", "1")]


def test_long_code_is_cut_between_statements_and_a_long_statement_shown_in_part():
    two = [text for _, text in shown(sample.code_cell("a", "build", sample.TWO_PARTS))]
    assert [len(part.splitlines()) for part in two] == [12, 12]
    assert two[1].endswith("first()\nsecond()")
    (one,) = [text for _, text in shown(sample.code_cell("a", "build", sample.LONG_FUNCTION))]
    assert len(one.splitlines()) == deck_cells.MOST_LINES
    assert one.endswith("# ... 16 more lines, 31 in all: see the notebook")


@given(st.lists(st.text(st.characters(exclude_categories=("C", "Z")), max_size=9), max_size=40))
def test_a_text_in_part_never_has_more_lines_than_a_slide_and_counts_the_rest(lines):
    part = deck_cells.in_part("\n".join(lines)).splitlines()
    assert len(part) <= deck_cells.MOST_LINES
    if len(lines) > deck_cells.MOST_LINES and "\n".join(lines).splitlines() == lines:
        kept = deck_cells.MOST_LINES - 1
        assert part[:-1] == lines[:kept]
        assert part[-1] == f"... {len(lines) - kept} more lines, {len(lines)} in all: see the notebook"


def test_a_widget_view_and_its_state_never_reach_a_slide():
    output = sample.displayed(text_plain="VBox()") | {"metadata": {}}
    output["data"][notebook.LIVE] = {"model_id": "x"}
    assert shown(sample.code_cell("a", "explore", "box", output)) == [("code", "box")]


def test_an_error_is_one_line_without_a_traceback():
    cell = sample.code_cell("a", "break", "forget()", sample.FAILS)
    assert shown(cell)[1] == ("text", "MemoryRefused: no")


@pytest.mark.parametrize(
    ("source", "on_the_slide"),
    [
        ("A [note](../docs/glossary.md#note).", "A *note*."),
        ("A [page](https://example.org/a).", "A [page](https://example.org/a)."),
        ("![a drawing](x.png)", "![a drawing](x.png)"),
        ("- You can pack. [check 1.1]", "- You can pack."),
    ],
)
def test_links_that_lead_nowhere_from_a_deck_become_words(source, on_the_slide):
    assert shown(sample.words_cell("a", "story", source)) == [("words", on_the_slide)]


# ---- where slides end ------------------------------------------------------------------------------


def test_no_slide_is_fuller_than_it_may_be(pages):
    for page in pages:
        assert page.left >= 0, [placed.piece.cell for placed in page.placed]
        assert page.placed


def test_nothing_shown_is_lost_or_turned_round(lesson, pages):
    placed = [placed.piece.cell for page in pages for placed in page.placed]
    wanted = [piece.cell for piece in deck_cells.pieces(lesson) if piece.kind not in ("time", "notes")]
    assert list(dict.fromkeys(placed)) == list(dict.fromkeys(wanted))


def test_notes_stand_with_the_slide_before_them(lesson, pages):
    noted = {page.placed[0].piece.cell: page.notes for page in pages if page.notes}
    assert noted == {
        "objectives": [lesson.cells[1].source],
        "source": [next(cell.source for cell in lesson.cells if cell.name == "speaker-mid")],
    }


def test_a_question_and_a_task_close_their_slide(pages):
    for page in pages:
        parts = [placed.piece.part for placed in page.placed]
        assert not set(parts[:-1]) & {"predict", "exercise"}


def test_a_slide_begins_with_no_fragment_and_code_is_followed_by_its_result(pages):
    assert not any(page.placed[0].is_fragment for page in pages)
    page = next(page for page in pages if page.placed[0].piece.cell == "story-receipt")
    assert [placed.piece.kind for placed in page.placed] == ["code", "view"]


def test_a_one_line_call_goes_when_its_picture_needs_the_slide(pages):
    for name in ("picture", "svg"):
        (page,) = [page for page in pages if any(placed.piece.cell == name for placed in page.placed)]
        assert [placed.piece.kind for placed in page.placed] == ["picture"]
        assert page.minutes == 1


def test_long_words_are_shared_out_by_paragraphs(pages):
    words = [p.piece.content for page in pages for p in page.placed if p.piece.cell == "long-words"]
    assert len(words) > 1
    assert "\n\n".join(words) == "\n\n".join(["## Much to say", *sample.PARAGRAPHS])


WORDS = st.text("abc def", min_size=1, max_size=600).filter(str.strip)
KINDS = st.sampled_from(["words", "code", "text", "notes", "time"])
PIECES = st.lists(
    st.builds(
        Piece,
        kind=KINDS,
        content=WORDS,
        cell=st.sampled_from("abc"),
        part=st.sampled_from(["story", "run", "predict", "exercise", "recap"]),
        starts=st.sampled_from(["slide", "subslide", "fragment", "-"]),
        minutes=st.integers(0, 5).map(float),
    ),
    max_size=25,
)


@given(PIECES)
def test_any_pieces_are_laid_out_whole_and_in_order(pieces):
    found = deck_layout.pages(pieces)
    kept = [piece.content for piece in pieces if piece.kind not in ("notes", "time")]
    assert [placed.piece.content for page in found for placed in page.placed] == kept
    assert all(page.left >= 0 and not page.placed[0].is_fragment for page in found)
    if found:
        assert found[0].level == "slide"
        assert sum(page.minutes for page in found) == sum(piece.minutes for piece in pieces)
        notes = [piece.content for piece in pieces if piece.kind == "notes"]
        assert [note for page in found for note in page.notes] == notes


@given(st.integers(1, 60), st.integers(200, 900))
def test_a_divided_view_keeps_every_block_and_every_part_has_room(count, room):
    blocks = [f"<p>block {number}</p><pre>line\n{number}</pre>" for number in range(count)]
    html = '<div class="tm"><style>p{}</style>' + "".join(blocks) + "</div>"
    parts = list(deck_views.divided(html, 1168, room))
    inside = [
        part.removeprefix('<div class="tm"><style>p{}</style>').removesuffix("</div>") for part in parts
    ]
    assert "".join(inside) == "".join(blocks)
    assert all(deck_views.height(part, 1168) <= room for part in parts)


def test_a_table_that_is_too_long_says_how_many_rows_are_missing():
    rows = "".join(f"<tr><td>{number}</td><td>x</td><td>y</td></tr>" for number in range(50))
    html = f'<div class="tm"><table><thead></thead><tbody>{rows}</tbody></table></div>'
    (part,) = deck_views.divided(html, 1168, 500)
    kept = part.count("<td>x</td>")
    assert 0 < kept < 50
    assert f"... {50 - kept} more rows: see the notebook" in part
    assert deck_views.height(part, 1168) <= 500


# ---- the file --------------------------------------------------------------------------------------


def test_the_same_notebook_gives_the_same_bytes(lesson):
    assert decks.deck(lesson) == decks.deck(sample.notebook())


def test_a_deck_names_no_file_and_no_address_to_load(lesson):
    html = re.sub(r"<script>.*?</script>", "", decks.deck(lesson), flags=re.DOTALL)
    assert not re.search(r"<link[^>]+href=\"(?!data:)", html)
    assert not re.search(r"<(?:script|img|iframe|source)[^>]+src=\"(?!data:)", html)
    style = html[: html.index("</head>")]
    assert not re.search(r"@import|url\((?!data:)", style)
    assert re.search(r'<img alt=.bars, (?:"|&quot;)black(?:"|&quot;) and white', html)


def test_decks_are_written_where_they_are_wanted(tmp_path, capsys):
    path = tmp_path / "02-sample.ipynb"
    path.write_text(json.dumps(sample.notebook().raw), encoding="utf-8")
    assert decks.main([str(path), "--out", str(tmp_path / "out")]) == 0
    assert "02-sample.html" in capsys.readouterr().out
    assert (tmp_path / "out" / "02-sample.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_a_table_below_a_drawing_has_a_slide_of_its_own_and_every_row():
    drawing = '<svg viewBox="0 0 1000 450" width="100%"><title>states</title></svg>'
    rows = "".join(f"<tr><td>state {number}</td><td>moves</td></tr>" for number in range(8))
    table = f"<table><thead><tr><th>state</th><th>moves</th></tr></thead><tbody>{rows}</tbody></table>"
    html = f'<div class="tm"><style></style><p>all states</p>{drawing}{table}<p>a note</p></div>'
    first, second = deck_views.divided(html, 1168, 592)
    assert "<svg" in first
    assert "<table" not in first
    assert second.count("<tr>") == 9
    assert "a note" in second


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.ipynb")), ids=lambda path: path.name)
def test_every_notebook_of_the_course_has_a_deck(path):
    found = deck_layout.pages(deck_cells.pieces(notebook.read(path)))
    assert len(found) >= 8
    assert all(page.left >= 0 for page in found)


# ---- what cannot be built --------------------------------------------------------------------------


def test_a_notebook_that_has_not_run_is_refused_with_the_cure(tmp_path, capsys):
    cell = sample.code_cell("run-write", "run", "print(1)") | {"execution_count": None}
    path = tmp_path / "02-x.ipynb"
    path.write_text(json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4}), encoding="utf-8")
    assert decks.main([str(path), "--out", str(tmp_path)]) == 1
    said = capsys.readouterr().err
    assert said == (
        "decks: 02-x.ipynb, cell run-write: has not run, so there is nothing to show; "
        "run `make notebooks`, then `make decks`\n"
    )
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("given", ["slides", None, 3])
def test_an_unknown_slide_type_is_named_with_those_that_are_known(given):
    cell = sample.words_cell("story", "story", "x")
    cell["metadata"]["slideshow"] = {"slide_type": given}
    with pytest.raises(
        DeckError, match=r"cell story: .+ is no slide type; .+ slide subslide fragment skip notes -"
    ):
        deck_cells.pieces(of(cell))


def test_slide_metadata_of_another_form_is_refused_too():
    cell = sample.words_cell("story", "story", "x")
    cell["metadata"]["slideshow"] = ["slide"]
    with pytest.raises(DeckError, match="is no slide type"):
        deck_cells.pieces(of(cell))


def test_a_notebook_without_a_slide_is_refused():
    with pytest.raises(DeckError, match="no cell of it goes onto a slide"):
        decks.slides_notebook(of(sample.words_cell("aside", "story", "x", "skip")))


def test_a_paragraph_without_end_is_named():
    piece = Piece("words", "word " * 2000, "story", "story", "slide")
    with pytest.raises(DeckError, match=r"cell story: a paragraph of 10000 letters"):
        deck_layout.pages([piece])


def test_without_reveal_the_cure_is_named(monkeypatch, tmp_path):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(DeckError, match="sphinx-revealjs is not installed; run `make setup`"):
        decks.reveal_file("dist/reveal.js")
    spec = dataclasses.make_dataclass("Spec", ["origin"])(str(tmp_path / "__init__.py"))
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: spec)
    with pytest.raises(DeckError, match=r"has no dist/reveal\.js .+ run `make setup`"):
        decks.reveal_file("dist/reveal.js")


def test_a_missing_notebook_is_named_and_the_others_are_built(tmp_path, capsys):
    path = tmp_path / "02-sample.ipynb"
    path.write_text(json.dumps(sample.notebook().raw), encoding="utf-8")
    assert decks.main([str(tmp_path / "09-none.ipynb"), str(path), "--out", str(tmp_path)]) == 1
    answer = capsys.readouterr()
    assert "09-none.ipynb" in answer.err
    assert (tmp_path / "02-sample.html").exists()


# ---- the instructor's guide ------------------------------------------------------------------------

GUIDE = (decks.SLIDES / "README.md").read_text(encoding="utf-8")


def test_the_guide_names_commands_and_targets_that_exist():
    from typer.testing import CliRunner

    from teachmem.cli import app

    named = set(re.findall(r"teachmem ([a-z]+)(?= [0-9-]|`|$)", GUIDE, flags=re.MULTILINE))
    assert {"doctor", "runsheet", "lab"} <= named
    for name in named:
        assert CliRunner().invoke(app, [name, "--help"]).exit_code == 0, name
    makefile = (decks.ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"(?:^|`)make ([a-z]+)", GUIDE, flags=re.MULTILINE):
        assert re.search(rf"^{target}:", makefile, flags=re.MULTILINE), target


def test_the_guide_says_which_segments_are_here():
    stated = dict(re.findall(r"^\| (\d\d) .+ \| \d+ \| (here|planned) \|$", GUIDE, flags=re.MULTILINE))
    here = {path.name[:2] for path in FOLDER.glob("*.ipynb")}
    assert stated == {
        f"{number:02d}": "here" if f"{number:02d}" in here else "planned" for number in range(10)
    }


def test_the_guide_explains_every_slide_type_every_label_and_every_complaint():
    for slide_type in deck_cells.SLIDE_TYPES:
        assert f"| `{slide_type}`" in GUIDE
    told = {"objectives", "setup", "explore"}  # need no explanation
    for part, label in decks.PART_WORDS.items():
        assert part in told or f"| {label} |" in GUIDE, label
    for complaint in ("has not run, so there is nothing to show", "is no slide type", "is not installed"):
        assert complaint in GUIDE


@pytest.mark.parametrize("module", [deck_cells, deck_layout, deck_views], ids=lambda module: module.__name__)
def test_the_examples_in_the_docstrings_hold(module):
    result = doctest.testmod(module)
    assert result.attempted
    assert not result.failed
