"""Packing against every subset there is."""

from __future__ import annotations

import math
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from teachmem import InvalidInput
from teachmem.recall import label, tokens
from teachmem.recall.pack import check_budget, pack

lengths = st.lists(st.integers(0, 9), max_size=8)


def packed(costs, budget):
    return pack([str(cost) for cost in costs], budget, int)


@given(lengths, st.integers(0, 30))
def test_the_choice_is_the_first_feasible_subset_by_rank(costs, budget):
    """Of all subsets that fit, the one that takes the better ranked line wherever two differ."""
    subsets = [
        taken
        for taken in product([1, 0], repeat=len(costs))
        if sum(cost for cost, take in zip(costs, taken, strict=True) if take) <= budget
    ]
    found = packed(costs, budget)
    assert tuple(int(place in found.chosen) for place in range(len(costs))) == max(subsets)


@given(lengths, st.integers(0, 30))
def test_every_line_is_chosen_or_skipped_with_what_was_left(costs, budget):
    found = packed(costs, budget)
    assert found.used == sum(costs[place] for place in found.chosen) <= budget == found.budget
    assert sorted([*found.chosen, *(skip.place for skip in found.skipped)]) == list(range(len(costs)))
    for skip in found.skipped:
        left = budget - sum(costs[place] for place in found.chosen if place < skip.place)
        assert skip.reason == f"needs {costs[skip.place]} tokens, {left} left"
        assert skip.tokens == costs[skip.place] > left


def test_a_line_that_does_not_fit_stops_nobody():
    assert packed([50, 3, 50, 4], 7).chosen == (1, 3)
    assert packed([50], 7).chosen == ()


def test_a_budget_of_0_is_0():
    assert packed([1, 2], 0).chosen == ()
    assert packed([1, 2], 0).used == 0


@pytest.mark.parametrize("budget", [-1, True, 1.0, math.nan, math.inf, "7", None])
def test_a_budget_is_a_whole_number(budget):
    with pytest.raises(InvalidInput, match="budget"):
        check_budget(budget)
    with pytest.raises(InvalidInput, match="budget"):
        packed([1], budget)


@given(
    st.lists(
        st.text(st.characters(exclude_categories=["Cs"]), max_size=40).map(
            lambda text: f"[note-0001 | a observed {label.plain(text)} | by dock-1] {label.quoted(text)}"
        ),
        max_size=6,
    )
)
def test_labelled_lines_together_cost_no_more_than_one_by_one(lines):
    """So a budget that the lines keep, the text handed to a model keeps.

    It holds since a line end is a token of its own and every line begins alike; for texts in general
    it does not: byte pairs of two halves may join up worse than each half did.
    """
    assert tokens.count("\n".join(lines)) <= sum(tokens.count(line + "\n") for line in lines)


def test_tokens_are_counted_honestly_in_any_script():
    assert tokens.count("") == 0
    assert tokens.count("把" * 600) >= 600
    assert tokens.count("the arm " * 1_000) > 1_500
