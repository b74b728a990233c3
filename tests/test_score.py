"""The formula itself, by its laws."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from teachmem import InvalidInput, Weights
from teachmem.recall import score
from teachmem.recall.score import Corpus

terms = st.lists(st.sampled_from("abcde"), max_size=8)
shares = st.floats(0, 1)


def test_recency_halves_with_every_half_life_and_the_future_counts_as_now():
    assert [score.recency(24 * n, 24) for n in range(4)] == [1, 0.5, 0.25, 0.125]
    assert score.recency(-5) == 1
    assert score.recency(1e300, 1e-300) == 0
    assert score.recency(1, 5e-324) == 0
    assert score.recency(1e9, 1e300) == 1


@given(st.floats(0, 1e6), st.floats(0, 1e6), st.floats(0.01, 1e6))
def test_the_newer_of_two_never_has_the_lower_recency(one, other, half_life):
    newer, older = sorted((one, other))
    assert score.recency(newer, half_life) >= score.recency(older, half_life)


@given(terms, st.lists(terms, max_size=6))
def test_relevance_is_a_share_and_zero_without_a_common_word(question, documents):
    corpus = Corpus.of(documents)
    for document in documents:
        found = score.relevance(question, document, corpus)
        assert 0 <= found <= 1
        assert (found > 0) == bool(set(question) & set(document))


@given(st.integers(1, 6), st.lists(terms.filter(bool), min_size=1, max_size=6))
def test_an_average_event_with_every_word_once_has_relevance_1(length, others):
    event = [f"w{number}" for number in range(length)]
    corpus = Corpus(len(others) + 1, float(length), lambda term: 1)
    assert math.isclose(score.relevance(event, event, corpus), 1.0)


def test_a_word_that_nobody_holds_changes_nothing_and_a_repeated_question_neither():
    corpus = Corpus.of([["gripper", "slip"], ["belt"]])
    once = score.relevance(["gripper"], ["gripper", "slip"], corpus)
    assert once == score.relevance(["gripper", "zebra"], ["gripper", "slip"], corpus)
    assert once == score.relevance(["gripper"] * 5, ["gripper", "slip"], corpus)


def test_a_rare_word_counts_more_than_a_common_one():
    corpus = Corpus.of([["gripper", "belt"], ["belt"], ["belt"]])
    assert corpus.rarity("gripper") > corpus.rarity("belt") > 0
    both = ["gripper", "belt"]
    assert score.relevance(both, ["gripper"], corpus) > score.relevance(both, ["belt"], corpus)


def test_nothing_is_divided_by_an_empty_corpus():
    corpus = Corpus.of([])
    assert (corpus.events, corpus.mean_length) == (0, 0)
    assert score.relevance(["a"], ["a"], corpus) == 0
    assert score.relevance(["a"], [], Corpus.of([[], []])) == 0


@given(shares, shares, shares, shares, shares, shares)
def test_the_parts_are_weighted_and_sum_to_the_score(a, b, c, x, y, z):
    if not a + b + c:
        return
    found = score.parts(x, y, z, Weights(a, b, c))
    assert found == {"recency": a * x, "importance": b * y, "relevance": c * z}
    assert score.total(found) == sum(found.values())


@pytest.mark.parametrize("hours", [0, -1, math.inf, -math.inf, math.nan, True, "24", None, 10**400])
def test_a_half_life_is_a_finite_number_above_zero(hours):
    with pytest.raises(InvalidInput, match="half_life_hours"):
        score.check_half_life(hours)


@pytest.mark.parametrize("hours", [5e-324, 1, 24.5, 1.7e308])
def test_any_finite_half_life_above_zero_will_do(hours):
    score.check_half_life(hours)
