"""The trace of an answer: what the view says is what the pipeline's own trace says, live and still."""

import pytest
from helpers import opened
from show_world import HOSTILE, cells, parsed, words_in

from teachmem import InvalidInput, show
from teachmem.flow import pipeline
from teachmem.flow.models import ScriptedModel
from teachmem.show import live_trace, traced


@pytest.fixture(scope="module")
def answer():
    with opened() as mem:
        tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
        for number in range(5):
            tech.semantic.remember(f"hoist {number} stands in bay {number}")
            tech.episodic.log("observation", f"hoist {number} was oiled")
        tech.working.write("hoist", "observed", "noise", "the hoist squeaks")
        return tech.ask("where does the hoist stand?")


def test_the_table_has_a_row_for_each_node_with_what_it_changed(answer):
    table = show.table(answer)
    assert list(table["node"]) == list(pipeline.NODES)
    for run, said in zip(answer.trace, table["what came out"], strict=True):
        for name in run.changed:
            assert f"{name}: " in said
        assert run.changed or said == traced.NOTHING
    assert "ms" not in table.columns


def test_times_are_shown_where_asked_for(answer):
    table = show.table(answer, times=True)
    assert list(table["ms"]) == [round(run.ms, 1) for run in answer.trace]
    assert show.text(answer) == show.text(answer)  # and without them it is the same every time
    assert " ms" not in words_in(parsed(show.html(answer)))


def test_lists_are_named_in_part_and_counted_whole(answer):
    said = dict(zip(pipeline.NODES, show.table(answer)["what came out"], strict=True))
    facts = answer.state.facts
    assert f"and {len(facts) - traced.NAMED} more" in said["retrieve"]
    assert all(fact.memory_id in said["retrieve"] for fact in facts[: traced.NAMED])
    context = answer.state.context
    assert (
        f"{len(context.lines)} lines, {context.used} of {context.budget} tokens" in said["compress_context"]
    )


@pytest.mark.parametrize("node", pipeline.NODES)
def test_a_node_shows_what_went_in_and_what_came_out(answer, node):
    run = next(run for run in answer.trace if run.name == node)
    inside = traced.both(run)
    assert {name for name, *_, changed in inside if changed} == set(run.changed)
    assert all(new == "the same" for _, _, new, changed in inside if not changed)
    html = show.html(answer, node=node)
    assert words_in(parsed(html)).count("shown below") == 1
    assert html.count("tm-stop") >= 1
    drawn = [row for row in cells(parsed(html)) if len(row) == 3]
    assert [row[0] for row in drawn] == [name for name, *_ in inside]
    assert f"{node}:" in show.text(answer, node=node)


def test_a_node_that_is_not_there_is_named_with_those_that_are(answer):
    with pytest.raises(InvalidInput, match="log_episode"):
        show.text(answer, node="dream")


def test_hostile_texts_are_shown_as_text():
    with opened() as mem:
        tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
        tech.semantic.remember(HOSTILE)
        model = ScriptedModel(f"{HOSTILE} [fact-0001]. {HOSTILE} [fact-<b>].")
        asked = tech.ask(HOSTILE, model=model)
        for node in (None, *pipeline.NODES):
            assert parsed(show.html(asked, node=node)).find(".//script") is None
            assert "\u202e" not in show.text(asked, node=node)


class Board:
    def __init__(self, box):
        self.said, self.choice, self.picture, self.text = box.children


@pytest.fixture
def board(answer):
    import ipywidgets

    return Board(live_trace.build(ipywidgets, answer))


def test_the_slider_goes_over_the_nodes_and_changes_picture_and_text(board, answer):
    assert list(board.choice.options) == list(pipeline.NODES)
    assert board.choice.description == "node"
    seen = set()
    for node in pipeline.NODES:
        board.choice.value = node
        seen.add((board.picture.value, board.text.value))
        assert board.picture.value == str(show.html(answer, node=node, times=True))
    assert len(seen) == len(pipeline.NODES)


def test_nothing_is_asked_again():
    with opened() as mem:
        tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
        found = tech.ask("anybody?")
        entries = mem.audit.verify().entries
        import ipywidgets

        Board(live_trace.build(ipywidgets, found)).choice.value = "reason"
        assert mem.audit.verify().entries == entries


@pytest.mark.parametrize("thing", [None, "answer", pipeline.Answer("?", None, ())])
def test_what_is_no_answer_has_no_trace(thing):
    import ipywidgets

    with pytest.raises(InvalidInput, match="what ask"):
        live_trace.build(ipywidgets, thing)
