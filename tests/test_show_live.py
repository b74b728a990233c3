"""The widgets, without a browser: a slider changes picture and text, and only a live kernel gets one."""

from datetime import datetime
from types import SimpleNamespace

import ipywidgets
import pytest
from show_world import cells, dock, knowing, logged, parsed, words_in

from teachmem import InvalidInput, Weights, show
from teachmem.show import (
    explore,
    explore_fusion,
    live,
    live_board,
    live_facts,
    neighbourhood,
    side_by_side,
    view,
)

QUESTION = "gripper slipped at station four"


@pytest.fixture
def in_a_kernel(monkeypatch):
    """As in JupyterLab: a shell with a kernel, and nobody asks for static views."""
    monkeypatch.delenv("TEACHMEM_STATIC", raising=False)
    monkeypatch.setattr(view, "shell", lambda: SimpleNamespace(kernel=object()))


@pytest.fixture
def explorer():
    return Panel(live.build_score_explorer(dock(), QUESTION))


@pytest.fixture
def packer():
    return Panel(live.build_budget_packer(dock(), "restart the arm", session="dock-0315-a"))


def dock_time():
    """Return the moment of the lesson's store: a question about a moment is not logged."""
    return datetime.fromisoformat("2026-03-15T12:00:00Z")


class Panel:
    """A built widget, its controls by their labels."""

    def __init__(self, box):
        *controls, self.picture, self.text = box.children[1:]
        self.said = box.children[0]
        self.control = {control.description: control for control in controls}

    def __getitem__(self, label):
        return self.control[label]


def test_there_is_no_widget_without_a_kernel(monkeypatch, capsys):
    monkeypatch.delenv("TEACHMEM_STATIC", raising=False)
    assert not live.enabled()
    monkeypatch.setattr(view, "shell", lambda: SimpleNamespace())  # IPython in a terminal
    assert not live.enabled()


def test_there_is_no_widget_in_static_mode(in_a_kernel, monkeypatch, capsys):
    assert live.enabled()
    monkeypatch.setenv("TEACHMEM_STATIC", "1")
    assert not live.enabled()
    assert live.score_explorer(dock(), QUESTION) is None
    assert live.budget_packer(dock()) is None
    assert live.fusion_explorer(knowing(), "bay two") is None
    assert live.graph_explorer(knowing(), "bay two") is None
    assert live.chain_viewer(*logged()) is None
    assert live.lifecycle_board(knowing()) is None
    assert live.pipeline_trace(dock().ask("who runs bay two?", at=dock_time())) is None
    assert capsys.readouterr().out == f"{live.STATIC_LINE}\n" * 7
    assert live.STATIC_LINE == "live widget: run this cell in JupyterLab"


def test_in_a_kernel_the_widget_itself_is_returned(in_a_kernel, capsys):
    for box in (
        live.score_explorer(dock(), QUESTION),
        live.budget_packer(dock()),
        live.fusion_explorer(knowing(), "bay two"),
        live.graph_explorer(knowing(), "bay two"),
        live.chain_viewer(*logged()),
        live.lifecycle_board(knowing()),
        live.pipeline_trace(dock().ask("who runs bay two?", at=dock_time())),
    ):
        assert len(box.children) >= 4
    assert capsys.readouterr().out == ""


def test_the_explorer_begins_where_recall_stands(explorer):
    found = dock().episodic.recall(QUESTION)
    drawn = [row for row in cells(parsed(explorer.picture.value)) if len(row) == 8]
    assert [row[1] for row in drawn] == [hit.memory.memory_id for hit in found]
    assert [row[4] for row in drawn] == [f"{hit.score:.3f}" for hit in found]
    assert {row[2] for row in drawn} == {"same"}
    assert f"{dock().episodic.stats()['events']} events considered" in explorer.said.value


def test_a_moved_slider_changes_picture_and_text_to_what_the_arithmetic_says(explorer):
    before = explorer.picture.value, explorer.text.value
    explorer["recency weight"].value = 0.05
    explorer["half-life of recency"].value = 168.0
    assert explorer.picture.value != before[0]
    assert explorer.text.value != before[1]
    gathered = explore.gather(dock(), QUESTION)
    start = [hit.memory.memory_id for hit in explore.rescore(gathered, Weights())]
    ranked = explore.rescore(gathered, Weights(0.05, 0.3, 0.3), 168)
    moves = explore.moved(start, [hit.memory.memory_id for hit in ranked[:5]])
    found = explore.recollection(gathered, ranked, 5, Weights(0.05, 0.3, 0.3), 168)
    assert explorer.picture.value == show.html(found, moves=moves)
    assert parsed(explorer.text.value).find(".//pre").text == show.text(found, moves=moves)
    assert moves[0].startswith("up ")
    assert moves[0] in words_in(parsed(explorer.picture.value))


def test_start_again_puts_everything_back(explorer):
    before = explorer.picture.value
    for label in ("recency weight", "importance weight", "relevance weight"):
        explorer[label].value = 1.0
    explorer["half-life of recency"].value = 1.0
    assert explorer.picture.value != before
    explorer["start again"].click()
    assert explorer.picture.value == before


def test_a_question_that_nothing_can_answer_says_so():
    panel = Panel(live.build_score_explorer(dock(), "..."))
    assert dock().episodic.recall("...").note in words_in(parsed(panel.picture.value))


def test_a_budget_off_the_grid_is_where_the_slider_stands():
    slider = Panel(live.build_budget_packer(dock(), budget=403))["budget, tokens"]
    assert (slider.value - slider.min) % slider.step == 0


def test_weights_of_zero_are_a_sentence_and_not_an_error(explorer):
    for label in ("recency weight", "importance weight", "relevance weight"):
        explorer[label].value = 0.0
    for widget in (explorer.picture, explorer.text):
        assert "are all zero, so every event would score 0; raise one" in words_in(parsed(widget.value))
    explorer["relevance weight"].value = 0.5
    assert "all zero" not in explorer.picture.value


def test_the_explorer_considers_only_the_events_it_is_given():
    three = dock().episodic.recent(3)
    panel = Panel(live.build_score_explorer(dock(), QUESTION, events=three))
    assert "3 events considered" in panel.said.value
    assert {row[1] for row in cells(parsed(panel.picture.value)) if len(row) == 8} == {
        memory.memory_id for memory in three
    }


def test_the_packer_begins_with_its_budget_and_follows_the_slider(packer):
    for budget in (400, 60, 0, 2700):
        packer["budget, tokens"].value = budget
        context = dock().working.context("restart the arm", packer["budget, tokens"].value, "dock-0315-a")
        assert packer.picture.value.startswith(show.html(context))
        assert show.text(context) in parsed(packer.text.value).find(".//pre").text


def test_the_packer_shows_each_rewrite_beside_its_original(packer):
    options = packer["rewrite of"].options
    assert [option.split(": ")[1] for option in options] == ["shortened", "enriched"]
    for option in options:
        packer["rewrite of"].value = option
        memory_id, name = option.split(": ")
        note = next(memory for memory in dock().working.read(limit=100) if memory.memory_id == memory_id)
        seen = show.Rewrite(note.content, note.rewrites[name], f"{name} rewrite")
        assert packer.picture.value.endswith(show.html(seen))
        assert show.text(seen) in parsed(packer.text.value).find(".//pre").text


def test_a_pad_without_rewrites_or_notes_still_works():
    panel = Panel(live.build_budget_packer(dock(), session="dock-0313-a"))
    assert panel["rewrite of"].disabled
    empty = Panel(live.build_budget_packer(dock(), session="no-such-session"))
    assert "0 lines in, 0 left out" in empty.picture.value


def test_the_controls_are_as_large_as_the_picture():
    box = live.build_budget_packer(dock())
    assert "tm-live" in box._dom_classes
    assert ".tm-live{--jp-widgets-font-size:16px" in box.children[0].value


@pytest.fixture
def fusion():
    return Panel(live_facts.build_fusion_explorer(ipywidgets, knowing(), "Who is in charge of bay two?"))


@pytest.fixture
def graph():
    return Panel(live_facts.build_graph_explorer(ipywidgets, knowing(), "bay two"))


def test_the_fusion_explorer_begins_with_what_search_answers(fusion):
    found = knowing().semantic.search("Who is in charge of bay two?")
    last = [row[-1] for row in cells(parsed(fusion.picture.value))]
    assert [cell.split()[:2] for cell in last] == [
        [hit.memory.memory_id, f"{hit.score:.3f}"] for hit in found
    ]
    assert all(cell.split("; ")[1].startswith("same") for cell in last)
    assert f"{knowing().semantic.stats()['facts']} facts considered" in fusion.said.value


def test_every_step_of_the_fusion_explorer_is_what_the_arithmetic_says(fusion):
    gathered = explore_fusion.gather(knowing(), "Who is in charge of bay two?")
    pictures = set()
    for way in explore_fusion.WAYS:
        fusion["ranked by"].value = way
        for weight in (0.0, 0.9, 1.0):
            fusion["weight of the words"].value = weight
            true = side_by_side.lists(gathered, 5, way, weight)
            assert fusion.picture.value == str(true.html())
            assert parsed(fusion.text.value).find(".//pre").text == true.text()
        pictures.add(fusion.picture.value)
    assert len(pictures) == len(explore_fusion.WAYS)
    assert "up " in words_in(parsed(fusion.picture.value))


def test_every_step_of_the_graph_explorer_is_what_the_store_says(graph):
    for thing, hops, direction in (("bay two", 1, "both"), ("bay two", 3, "out"), ("NL-0040", 2, "both")):
        graph["thing"].value, graph["hops"].value, graph["direction"].value = thing, hops, direction
        true = neighbourhood.found(knowing(), thing, hops, direction)
        assert graph.picture.value == show.html(true)
        assert parsed(graph.text.value).find(".//pre").text == show.text(true)


def test_a_thing_that_is_not_in_the_graph_is_a_sentence_and_not_an_error(graph):
    for nothing in ("<b>no such thing</b>", "", "bay"):
        graph["thing"].value = nothing
        for widget in (graph.picture, graph.text):
            assert "no edge that you may read leads to or from" in words_in(parsed(widget.value))
    graph["thing"].value = " NL-0040 "
    assert "graph around NL-0040" in graph.picture.value


def test_every_control_has_a_label_and_a_tooltip(explorer, packer, fusion, graph):
    for panel in (explorer, packer, fusion, graph, Panel(live_board.build(ipywidgets, knowing()))):
        for label, control in panel.control.items():
            assert label
            assert control.tooltip
            assert type(control).__name__ not in {"Dropdown", "Select", "RadioButtons"}  # see live.py
        assert panel.text.value != panel.picture.value
        parsed(f"<div>{panel.picture.value}</div>")


@pytest.mark.parametrize(
    ("build", "field"),
    [
        (lambda: live.build_score_explorer(dock(), QUESTION, k=0), "k"),
        (lambda: live.build_score_explorer(dock(), None), "query"),
        (lambda: live.build_budget_packer(dock(), budget=-1), "budget"),
        (lambda: live.build_budget_packer(dock(), session=""), "session"),
        (lambda: live_facts.build_fusion_explorer(ipywidgets, knowing(), "bay", k=0), "k"),
        (lambda: live_facts.build_fusion_explorer(ipywidgets, knowing(), None), "query"),
        (lambda: live_facts.build_graph_explorer(ipywidgets, knowing(), ""), "entity"),
        (lambda: live_facts.build_graph_explorer(ipywidgets, knowing(), "bay two", hops=0), "hops"),
    ],
)
def test_a_bad_argument_is_refused_by_name(build, field):
    with pytest.raises(InvalidInput, match=f"^{field}:"):
        build()
