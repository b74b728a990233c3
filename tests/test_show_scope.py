"""The time machine and the scope matrix: text, table, picture and widget say what the store says."""

import ipywidgets
import pytest
from helpers import START, opened

from teachmem import InvalidInput, NotFound, show
from teachmem.marks.foil import foil
from teachmem.show import explore_time, live, live_scope, readers, time_grid


@pytest.fixture
def mem():
    with opened() as memory:
        yield memory


@pytest.fixture
def tech(mem):
    return mem.agent("dock-1", fleet="dock", tenant="northlight")


@pytest.fixture
def fact(mem, tech):
    found = tech.semantic.remember("bay two is run by the night lead", subject="bay two", predicate="manager",
                                   object="night lead", valid_from="2026-03-01").memory.memory_id  # fmt: skip
    mem.clock.advance(days=3)
    tech.semantic.revise(
        found, content="bay two is run by the day lead", object="day lead", valid_from="2026-02-20"
    )
    return found


def test_every_cell_of_the_grid_is_what_get_answers(tech, fact):
    given = explore_time.gather(tech, [fact])
    assert (len(given.at), len(given.known_at)) == (2, 2)
    for row, at in enumerate(given.at):
        for column, known_at in enumerate(given.known_at):
            try:
                wanted = tech.semantic.get(fact, at=at, known_at=known_at).object
            except NotFound:
                wanted = explore_time.NOTHING
            assert given.said(row, column) == wanted
    seen = time_grid.grid(given, (1, 0))
    assert [row[1:] for row in seen.table.rows] == [("nothing", "day lead"), ("✓ night lead", "day lead")]
    assert "as known 02 Mar 09:00" in seen.text()
    assert all(str(cell) in str(seen.html()) for row in seen.table.rows for cell in row)
    assert list(seen.table.frame().columns) == list(seen.table.columns)


def test_the_time_machine_needs_a_memory_that_may_be_seen(mem, tech, fact):
    with pytest.raises(InvalidInput, match="ids"):
        explore_time.gather(tech, [])
    with pytest.raises(NotFound):
        explore_time.gather(mem.agent("line-3", fleet="line", tenant="northlight"), [fact])
    given = explore_time.gather(tech, fact, at=[START], known_at=["2020-01-01"])
    assert given.said(0, 0) == "nothing"


@pytest.fixture
def team(mem):
    who = [mem.agent(name, fleet=fleet, tenant="northlight") for name, fleet in
           (("dock-1", "dock"), ("dock-2", "dock"), ("line-3", "line"))]  # fmt: skip
    return [*who, mem.agent("cold-1", fleet="dock", tenant="southgate")]


@pytest.fixture
def memories(mem, team):
    told = {}
    for visibility in ("agent", "team"):
        told[visibility] = team[0].semantic.remember(f"the key hangs here, {visibility}", subject="key",
                                                     predicate="located_in", object=visibility,
                                                     visibility=visibility).memory.memory_id  # fmt: skip
    chief = mem.person("chief", fleet="lab", tenant="northlight", clearance=3)
    told["org"] = chief.semantic.remember("the key is red", subject="key", predicate="has_tag", object="red",
                                          visibility="org").memory.memory_id  # fmt: skip
    return told


def test_the_matrix_says_what_each_reader_sees_and_marks_what_a_copied_filter_leaks(team, memories):
    ids = [memories[name] for name in ("agent", "team", "org")]
    whole = readers.matrix(readers.gather(team, ids), 0)
    assert [row[1:] for row in whole.table.rows] == [
        ("✓", "✓", "✓"),
        ("", "✓", "✓"),
        ("", "", "✓"),
        ("", "", ""),
    ]
    assert "no leak" in whole.title
    assert "visibility = :own" in whole.text()
    with foil("copied_filter"):
        broken = readers.matrix(readers.gather(team, ids))
    assert broken.table.rows[1][1] == "✕ graph"
    assert "1 leak" in broken.title
    assert "graph" in str(broken.html())


def test_outside_a_kernel_both_widgets_say_one_line(team, tech, fact, memories, capsys):
    assert live.time_machine(tech, [fact]) is None
    assert live.scope_matrix(team, list(memories.values())) is None
    assert capsys.readouterr().out == f"{live.STATIC_LINE}\n" * 2
    show.times(tech, [fact])
    show.scope(team, list(memories.values()))
    said = capsys.readouterr().out
    assert "day lead" in said
    assert "the clause for dock-1" in said


def test_the_sliders_of_the_time_machine_mark_the_cell_that_they_name(tech, fact):
    box = live_scope.build_time_machine(ipywidgets, tech, [fact])
    _, at, known, _, text = box.children
    given = explore_time.gather(tech, [fact])
    for row in range(len(given.at)):
        for column in range(len(given.known_at)):
            at.value, known.value = row, column
            assert f"✓ {given.said(row, column)}" in text.value
            assert text.value.count("✓") == 1


def test_the_scope_matrix_turns_a_fault_on_for_one_look(team, memories):
    box = live_scope.build_scope_matrix(
        ipywidgets, team, list(memories.values()), {"copied_filter": lambda: foil("copied_filter")}
    )
    _, reader, fault, _, text = box.children
    assert "no leak" in text.value
    fault.value = "copied_filter"
    assert "1 leak" in text.value
    fault.value = fault.options[0]
    reader.value = 2
    assert "no leak" in text.value
    assert "the clause for line-3" in text.value
