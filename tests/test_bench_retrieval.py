"""The retrieval benchmark: its measures against their definitions, and one real run over the data."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from teachmem.bench import retrieval
from teachmem.course import world
from teachmem.errors import StoreError

NAMES = st.lists(st.sampled_from("abcdefgh"), unique=True)
GRADES = st.dictionaries(st.sampled_from("abcdefgh"), st.integers(1, 3), min_size=1)


@given(NAMES, GRADES, st.integers(1, 8))
def test_the_measures_are_what_they_are_called(found, grades, depth):
    share = sum(name in grades for name in found[:depth]) / len(grades)
    assert retrieval.recall_at(found, grades, depth) == pytest.approx(share)
    gain = sum((2 ** grades.get(name, 0) - 1) / math.log2(place + 2) for place, name in enumerate(found[:10]))
    ideal = sum(
        (2**grade - 1) / math.log2(place + 2)
        for place, grade in enumerate(sorted(grades.values(), reverse=True))
    )
    assert retrieval.ndcg_at(found, grades) == pytest.approx(gain / ideal)
    best = sorted(grades, key=lambda name: -grades[name])
    assert retrieval.ndcg_at(best, grades) == pytest.approx(1)


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=2, max_size=40))
def test_the_interval_holds_the_mean_and_turns_with_the_question(pairs):
    ours, other = zip(*pairs, strict=True)
    mean, low, high = retrieval.difference(ours, other)
    assert mean == pytest.approx(sum(ours) / len(ours) - sum(other) / len(other))
    assert low <= mean + 1e-9
    assert high >= mean - 1e-9
    back = retrieval.difference(other, ours)
    assert back == pytest.approx((-mean, -high, -low), abs=1e-9)


SCORES = st.lists(st.sampled_from([0.0, 0.2, 0.5, 0.9]), min_size=1, max_size=9)


@given(SCORES, SCORES)
def test_telling_apart_equals_a_count_of_pairs(answered, absent):
    points = [1 if one > other else 0.5 if one == other else 0 for one in answered for other in absent]
    assert retrieval.told_apart(answered, absent) == pytest.approx(sum(points) / len(points))


def test_every_question_about_facts_is_asked_and_nothing_leaks():
    report = retrieval.run(world.data_folder())
    figures = report.as_json()
    told = "\n".join(report.lines())
    assert "returned for 0 of 10 questions" in told
    for way in retrieval.WAYS:
        assert way in told
    plain = figures["figures"] if "figures" in figures else figures["data"]["figures"]
    assert plain["words"]["paraphrase"] == 0  # no word is shared, by construction of the data
    assert plain["fused"]["R@10"] > plain["words"]["R@10"] > plain["bag of words"]["R@5"]
    assert plain["fused"]["lexical"] > 0.9


def test_a_folder_without_the_data_is_said(tmp_path):
    with pytest.raises(StoreError, match="facts"):
        retrieval.run(tmp_path)
