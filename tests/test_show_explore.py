"""The arithmetic behind the widgets: equal to what the store itself answers with the same settings."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from show_world import dock

from teachmem import InvalidInput, Weights
from teachmem.show import explore

QUESTIONS = ["gripper slipped at station four", "lunch menu", "who manages bay two?", "把持部", "..."]
weight = st.floats(0, 1)
weights = st.tuples(weight, weight, weight).filter(any).map(lambda three: Weights(*three))


def plain(hits):
    return [(hit.memory.memory_id, hit.score, dict(hit.parts)) for hit in hits]


@settings(max_examples=40)
@given(st.sampled_from(QUESTIONS), weights, st.floats(0.1, 10_000), st.integers(1, 60))
def test_rescoring_is_recall(question, given_weights, half_life, k):
    """Oracle: the store's own recall. Same ids, same order, the same floating-point numbers."""
    gathered = explore.gather(dock(), question)
    ranked = explore.rescore(gathered, given_weights, half_life)
    asked = dock().episodic.recall(question, k, weights=given_weights, half_life_hours=half_life)
    assert plain(ranked[:k]) == plain(asked)
    again = explore.recollection(gathered, ranked, k, given_weights, half_life)
    assert (again.query, again.at, again.settings) == (asked.query, asked.at, asked.settings)


def test_a_session_is_kept_to():
    gathered = explore.gather(dock(), QUESTIONS[0], session="dock-0315-a")
    asked = dock().episodic.recall(QUESTIONS[0], 50, session="dock-0315-a")
    assert plain(explore.rescore(gathered, Weights())) == plain(asked)
    assert {event.memory.session for event in gathered.events} == {"dock-0315-a"}


def test_all_that_may_be_recalled_is_considered_and_nothing_else():
    gathered = explore.gather(dock(), QUESTIONS[0])
    assert len(gathered.events) == dock().episodic.stats()["events"]
    assert {event.memory.tenant for event in gathered.events} == {"northlight"}


def test_named_events_narrow_what_is_considered_and_never_widen_it():
    best = [hit.memory for hit in dock().episodic.recall(QUESTIONS[0], 50, weights=Weights(0, 0, 1))]
    gathered = explore.gather(dock(), QUESTIONS[0], events=best)
    assert {event.memory.memory_id for event in gathered.events} == {memory.memory_id for memory in best}
    others = [event.memory.memory_id for event in explore.gather(dock(), "?").events]
    not_mine = next(f"event-{n:04d}" for n in range(1, 430) if f"event-{n:04d}" not in others)
    named = explore.gather(dock(), QUESTIONS[0], events=[best[0].memory_id, not_mine, "no-such-id"])
    assert [event.memory.memory_id for event in named.events] == [best[0].memory_id]
    assert explore.gather(dock(), QUESTIONS[0], events=[]).events == ()


def test_bad_settings_are_refused_as_recall_refuses_them():
    gathered = explore.gather(dock(), QUESTIONS[0])
    with pytest.raises(InvalidInput, match="half_life_hours"):
        explore.rescore(gathered, Weights(), 0)


@given(st.permutations(list("abcdefg")), st.permutations(list("abcdefg")))
def test_what_moved_says_how_far(before, after):
    for rank, (memory_id, said) in enumerate(zip(after, explore.moved(before, after), strict=True)):
        word, _, steps = said.partition(" ")
        sign = {"up": 1, "down": -1, "same": 0}[word]
        assert before.index(memory_id) == rank + sign * int(steps or 0)
        assert (word == "same") == (before.index(memory_id) == rank)
    assert explore.moved(["a"], ["b", "a"]) == ["new", "down 1"]


@settings(max_examples=40)
@given(
    st.integers(0, 3500),
    st.sampled_from([None, "restart the arm", "pads", "..."]),
    st.sampled_from([None, "dock-0315-a", "dock-0313-a"]),
)
def test_repacking_is_a_context(budget, query, session):
    """Oracle: the store's own context with this budget."""
    everything = explore.whole(dock(), query, session)
    assert explore.repack(everything, budget) == dock().working.context(query, budget, session)


def test_a_budget_that_is_none_is_refused():
    with pytest.raises(InvalidInput, match="budget"):
        explore.repack(explore.whole(dock()), -1)


def test_the_half_lives_rise_and_hold_the_default():
    hours = [hours for _, hours in explore.HALF_LIVES]
    assert hours == sorted(set(hours))
    assert 24 in hours
