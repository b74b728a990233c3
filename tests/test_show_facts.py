"""Facts shown: fused hits, three lists side by side, the graph; against the store and plain arithmetic."""

import itertools
import re

import pytest
from helpers import opened, run_python
from hypothesis import given, settings
from hypothesis import strategies as st
from show_world import cells, fact_store, knowing, parsed, text_rows, words_in

from teachmem import InvalidInput, show
from teachmem.recall import hybrid
from teachmem.recall.embed import HashingEmbedder
from teachmem.show import arrows, explore_fusion, explore_graph, layout, neighbourhood, side_by_side
from teachmem.tiers.graph import Edge

QUESTIONS = [
    "Who is in charge of bay two?",
    "Friction of pad lot 25-1107 on plain board",
    "the lifting engine gets too hot",
    "...",
    "把持部",
]
question = pytest.mark.parametrize("question", QUESTIONS)


def plain(hits):
    return [(hit.memory.memory_id, hit.score, dict(hit.parts), dict(hit.raw)) for hit in hits]


def bars(html):
    return [element for element in parsed(html).iter() if element.get("class") == "tm-bar"]


def drawn_parts(bar):
    return {piece.get("class").removeprefix("tm-"): float(piece.get("style")[6:-1]) / 100 for piece in bar}


# Fused hits


@question
def test_the_numbers_of_a_fused_hit_are_the_same_three_times(question):
    found = knowing().semantic.search(question, k=7)
    names = ["words", "meaning"]
    true = [
        [
            *(f"{value:.3f}" for value in (hit.score, hit.parts["words"], hit.parts["meaning"])),
            *(str(hit.ranks.get(name, "-")) for name in names),
            *(f"{hit.raw[name]:.3f}" for name in names),
        ]
        for hit in found
    ]
    numbers = ["score", *names, *(f"{name} place" for name in names), *(f"{name} raw" for name in names)]
    frame = show.table(found)
    held = frame[numbers].to_numpy()
    assert [[cell if isinstance(cell, str) else f"{cell:.3f}" for cell in row] for row in held] == true
    told = text_rows(show.text(found), ["rank", "memory", *names][:2])[: len(found)]
    assert [row[2:9] for row in told] == true
    rows = cells(parsed(show.html(found)))
    above, below = rows[::2], rows[1::2]
    assert [row[3:] for row in above] == [row[:3] for row in true]
    places = [
        [f"{'not listed' if row[3 + i] == '-' else f'place {row[3 + i]}'} raw {row[5 + i]}" for i in (0, 1)]
        for row in true
    ]
    assert [row[2:] for row in below] == places


def test_the_pieces_of_a_fused_bar_are_as_long_as_their_parts():
    found = knowing().semantic.search(QUESTIONS[0], k=7)
    whole = sum(hybrid.WEIGHTS.values())
    for bar, hit in zip(bars(show.html(found)), found, strict=True):
        true = {name: part / whole for name, part in hit.parts.items() if part / whole > 1e-4}
        assert drawn_parts(bar) == pytest.approx(true, abs=1e-4)


def test_whether_it_is_an_answer_is_said_in_every_case():
    answers = {}
    for asked in (*QUESTIONS, "NL-0040", "the price of tea in orbit"):
        found = knowing().semantic.search(asked)
        answers[found.settings["answered"]] = found
        for twin in (show.text(found), words_in(parsed(show.html(found)))):
            assert ("answered: yes, a raw" in twin) == found.settings["answered"]
            assert ("answered: no, no raw" in twin) != found.settings["answered"]
            assert found.note in twin
    assert set(answers) == {True, False}
    nothing = fact_store().agent("guest", fleet="none", tenant="elsewhere").semantic.search("anything")
    assert show.text(nothing).startswith('0 hits for "anything"\n')
    assert f"note: {nothing.note}" in show.text(nothing)
    assert "answered" not in show.text(nothing)


# Three lists


@question
@pytest.mark.parametrize("k", [1, 5, 60])
def test_the_first_list_of_the_explorer_is_the_stores_own(question, k):
    """Oracle: `semantic.search`, whatever its weights are. The same ids, numbers and order."""
    gathered = explore_fusion.gather(knowing(), question)
    assert plain(explore_fusion.ranked(gathered)[:k]) == plain(knowing().semantic.search(question, k))
    assert explore_fusion.weights() == hybrid.WEIGHTS
    again = explore_fusion.ranked(gathered, "fused", hybrid.WEIGHTS["words"])
    assert plain(again) == plain(explore_fusion.ranked(gathered))


@settings(max_examples=30, deadline=None)
@given(st.sampled_from(QUESTIONS), st.floats(0, 1))
def test_other_weights_are_plain_min_max_fusion(question, weight):
    gathered = explore_fusion.gather(knowing(), question)
    best = {name: max([0.0, *(hit.raw[name] for hit in gathered.hits)]) for name in explore_fusion.LISTS}
    given_weights = {"words": weight, "meaning": sum(hybrid.WEIGHTS.values()) - weight}
    found = explore_fusion.ranked(gathered, "fused", weight)
    for hit in found:
        for name, part in hit.parts.items():
            share = max(0.0, hit.raw[name]) / best[name] if best[name] else 0.0
            assert part == pytest.approx(given_weights[name] * share)
        assert hit.score == pytest.approx(sum(hit.parts.values()))
    assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)
    assert len(found) == knowing().semantic.stats()["facts"]


@question
def test_reciprocal_ranks_are_what_the_places_are_worth(question):
    gathered = explore_fusion.gather(knowing(), question)
    found = explore_fusion.ranked(gathered, explore_fusion.RRF)
    for hit in found:
        assert hit.parts == {
            name: 1 / (60 + hit.ranks[name]) if name in hit.ranks else 0 for name in explore_fusion.LISTS
        }
        assert hit.score <= explore_fusion.full_score(explore_fusion.RRF)
    scores = [hit.score for hit in found]
    assert scores == sorted(scores, reverse=True)


@question
@pytest.mark.parametrize("name", explore_fusion.LISTS)
def test_one_list_alone_has_what_it_found_best_first(question, name):
    gathered = explore_fusion.gather(knowing(), question)
    found = explore_fusion.ranked(gathered, name)
    raw = [hit.raw[name] for hit in found]
    assert raw == sorted(raw, reverse=True)
    assert len(found) == sum(hit.raw[name] > 0 for hit in gathered.hits)
    listed = explore_fusion.listed(gathered, name)
    assert [hit.raw[name] for hit in listed] == raw
    assert [hit.ranks[name] for hit in listed] == list(range(1, len(listed) + 1))


@pytest.mark.parametrize("way", explore_fusion.WAYS)
def test_the_three_lists_are_the_same_in_text_table_and_picture(way):
    gathered = explore_fusion.gather(knowing(), QUESTIONS[1])
    seen = side_by_side.lists(gathered, 4, way)
    columns = [explore_fusion.listed(gathered, name) for name in explore_fusion.LISTS]
    columns.append(explore_fusion.ranked(gathered, way))
    frame = seen.table.frame()
    for name, column in zip(("by words", "by meaning", "together"), columns, strict=True):
        ids = [hit.memory.memory_id for hit in column]
        assert list(frame[name][: len(ids)]) == ids
        assert frame[name][len(ids) :].isna().all()
    rows = cells(parsed(str(seen.html())))
    assert len(rows) == 4
    for place, row in enumerate(rows):
        for cell, column, name in zip(row[1:], columns, ("words", "meaning", None), strict=True):
            hit = column[place]
            value = hit.raw[name] if name else hit.score
            assert cell.startswith(f"{hit.memory.memory_id} {value:.3f} ")
        assert side_by_side.origin(columns[2][place]) in row[3]
        assert all(column[place].memory.memory_id in seen.text().split("\n")[3 + place] for column in columns)
    last = bars(str(seen.html()))[2::3]
    for bar, hit in zip(last, columns[2], strict=False):
        true = {name: part / explore_fusion.full_score(way) for name, part in hit.parts.items() if part}
        assert drawn_parts(bar) == pytest.approx(true, abs=1e-4)


def test_a_list_that_found_nothing_leaves_its_column_empty():
    seen = side_by_side.lists(explore_fusion.gather(knowing(), "把持部"))
    assert list(seen.table.frame()["by words"].dropna()) == []
    empty = fact_store().agent("guest", fleet="none", tenant="elsewhere")
    for way in explore_fusion.WAYS:
        nothing = side_by_side.lists(explore_fusion.gather(empty, "bay"), way=way)
        assert nothing.table.rows == ()
        assert "there is no such memory that you may read" in words_in(parsed(str(nothing.html())))


def test_bad_arguments_of_a_fusion_are_refused_by_name():
    with pytest.raises(InvalidInput, match=r"^k:"):
        show.fusion(knowing(), "bay", k=0)
    with pytest.raises(InvalidInput, match=r"^way:"):
        show.fusion(knowing(), "bay", way="best")
    with pytest.raises(InvalidInput, match=r"^query:"):
        show.fusion(knowing(), None)


# The graph

NAMES = "abcdefghij"
TRIPLES = st.lists(
    st.tuples(
        st.sampled_from(NAMES),
        st.sampled_from(["contains", "related_to", "depends_on"]),
        st.sampled_from(NAMES),
    ),
    max_size=20,
    unique=True,
)


def edges_of(triples):
    memory = knowing().semantic.search("bay", 1)[0].memory
    return [Edge(*triple, memory) for triple in triples]


@settings(max_examples=25, deadline=None)
@given(TRIPLES, st.sampled_from(NAMES), st.integers(1, 4), st.sampled_from(["both", "out", "in"]))
def test_what_is_within_some_hops_is_what_the_store_calls_neighbours(triples, entity, hops, direction):
    import teachmem

    with teachmem.open_memory(embedder=HashingEmbedder()) as mem:
        tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
        for triple in triples:
            tech.graph.link(*triple)
        found = explore_graph.within(explore_graph.gather(tech), entity, hops, direction)
        assert found == tech.graph.neighbours(entity, hops, direction)


@given(TRIPLES.filter(bool), st.integers(1, 9))
def test_what_is_drawn_begins_at_the_entity_and_hangs_together(triples, most):
    edges = edges_of(triples)
    entity = triples[0][0]
    names = explore_graph.chosen(edges, entity, most)
    assert names[0] == entity
    assert len(names) == len(set(names)) == min(most, len(explore_graph.things(edges)))
    reached, component = {entity}, {entity}
    for _ in NAMES:
        component |= {end for s, _, o in triples if {s, o} & component for end in (s, o)}
        reached |= {end for s, _, o in triples if {s, o} & reached and {s, o} <= set(names) for end in (s, o)}
    assert component & set(names) == reached


@given(TRIPLES.filter(bool))
def test_boxes_stand_apart_inside_the_picture_at_whole_numbers(triples):
    edges = edges_of(triples)
    names = explore_graph.chosen(edges, None, 7)
    drawn = arrows.lines([edge for edge in edges if edge.subject in names and edge.object in names])
    place = layout.of(names, [line.ends for line in drawn], arrows.room(names, drawn))
    for x, y in place.places.values():
        assert isinstance(x, int)
        assert isinstance(y, int)
        assert place.box_width / 2 <= x <= layout.WIDTH - place.box_width / 2
        assert layout.MARGIN + layout.BOX_HEIGHT / 2 <= y <= place.height - layout.BOX_HEIGHT / 2
    for (x1, y1), (x2, y2) in itertools.combinations(place.places.values(), 2):
        assert abs(x1 - x2) >= place.box_width or abs(y1 - y2) >= layout.BOX_HEIGHT
    layer = {name: number for number, members in enumerate(place.layers) for name in members}
    for line in drawn:  # layers are hops, so no arrow passes through a layer
        assert abs(layer[line.ends[0]] - layer[line.ends[1]]) <= 1


@given(TRIPLES)
def test_text_table_and_picture_have_the_same_edges(triples):
    edges = edges_of(triples)
    given_edges = show.Neighbourhood(tuple(edges))
    frame = show.table(given_edges)
    assert list(zip(frame["subject"], frame["predicate"], frame["object"], strict=True)) == triples
    names = explore_graph.chosen(edges, None, 7)
    kept = [triple for triple in triples if triple[0] in names and triple[2] in names]
    if kept:
        told = text_rows(show.text(given_edges), ["subject", "predicate", "object"])[: len(kept)]
        assert [tuple(row[:3]) for row in told] == kept
        svg = next(parsed(show.html(given_edges)).iter("svg"))
        assert svg.get("aria-label") == "graph: " + "; ".join(" ".join(triple) for triple in kept)
        assert len(list(svg.iter("path"))) == len({(s, o) for s, _, o in kept if s != o})
        words = [element.text for element in svg.iter("text") if element.get("class") == "tm-edge"]
        assert sorted(words) == sorted(predicate for s, predicate, o in kept if s != o)
    left = len({end for s, _, o in triples for end in (s, o)}) - len(names)
    assert bool(re.search(rf"^and {left} things?\b", show.text(given_edges), re.MULTILINE)) == (left > 0)


def test_a_dozen_things_are_grouped_after_seven_and_whole_in_the_table():
    edges = edges_of([("arm", "contains", f"part {number}") for number in range(11)])
    given_edges = show.Neighbourhood(tuple(edges), "arm")
    assert "and 5 things and 5 edges more, not drawn" in show.text(given_edges).split("\n")
    html = show.html(given_edges)
    assert html.count('class="tm-node"') == 7
    assert len(show.table(given_edges)) == 11
    assert show.html(given_edges, most=12).count('class="tm-node"') == 12


def test_a_picture_of_the_graph_is_the_same_in_another_process(monkeypatch):
    code = """
import sys, teachmem
from teachmem import show
from teachmem.recall.embed import HashingEmbedder
with teachmem.open_memory(ids=teachmem.CountedIds(), embedder=HashingEmbedder()) as mem:
    tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
    for said in "a b,b c,c d,d e,b e,a f,f g,g a,a h,h i".split(","):
        tech.graph.link(said[0], "related_to", said[2])
    print(show.html(tech.graph.edges()))
"""
    drawn = set()
    for seed in "123":  # sets come in another order
        monkeypatch.setenv("PYTHONHASHSEED", seed)
        drawn.add(run_python(code))
    assert len(drawn) == 1
    assert "related_to" in drawn.pop()


def test_the_words_of_edges_around_every_thing_of_the_data_do_not_lie_on_each_other():
    everything = knowing().graph.edges()
    for entity, hops in itertools.product(explore_graph.things(everything), (1, 2)):
        seen = show.Neighbourhood(tuple(explore_graph.within(everything, entity, hops)), entity)
        svg = next(parsed(show.html(seen)).iter("svg"))
        at = [
            (int(word.get("x")), int(word.get("y")), len(word.text) * 4.8)
            for word in svg.iter("text")
            if word.get("class") == "tm-edge"
        ]
        for (x1, y1, half), (x2, y2, other) in itertools.combinations(at, 2):
            assert abs(y1 - y2) >= 18 or abs(x1 - x2) >= half + other, (entity, hops)


def test_show_graph_asks_the_handle_or_takes_edges(capsys):
    tech = knowing()
    show.graph(tech, "bay two", hops=2, direction="out")
    edges = tech.graph.neighbours("bay two", 2, "out")
    asked = show.Neighbourhood(tuple(edges), "bay two", "within 2 hops, along edges only")
    show.graph(edges, "bay two")
    show.graph(tech)
    show.graph(tech, "no such thing")
    printed = capsys.readouterr().out
    assert printed == "\n".join(
        [
            show.text(asked),
            show.text(show.Neighbourhood(tuple(edges), "bay two")),
            show.text(tech.graph.edges()),
            show.text(neighbourhood.found(tech, "no such thing")),
            "",
        ]
    )
    assert "there is no edge that you may read" in printed


def test_a_retracted_edge_is_gone_from_the_next_picture():
    with opened() as mem:
        tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
        tech.graph.link("arm", "contains", "jaw")
        before = show.html(neighbourhood.found(tech, "arm"))
        tech.graph.unlink("arm", "contains", "jaw", "it was taken off")
        after = show.html(neighbourhood.found(tech, "arm"))
    assert "jaw" in before
    assert "jaw" not in after


def test_bad_arguments_of_a_graph_are_refused_by_name():
    with pytest.raises(InvalidInput, match=r"^edges: must hold Edge alone, not int"):
        show.graph([1])
    with pytest.raises(InvalidInput, match=r"^entity:"):
        show.graph(knowing().graph.neighbours("bay two"), "no such thing")
    with pytest.raises(InvalidInput, match=r"^hops:"):
        show.graph(knowing(), "bay two", hops=0)
    with pytest.raises(InvalidInput, match=r"^direction:"):
        show.graph(knowing(), "bay two", direction="up")
    with pytest.raises(InvalidInput, match=r"^most:"):
        show.graph(knowing(), "bay two", most=0)
