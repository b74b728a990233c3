"""What any `recall.score` must obey: recency halves, relevance is a share, parts sum to the score."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

from hypothesis import strategies as st

from teachmem.course.rebuilding.law import Contract, Wrong, ask, close, examples, refusal, show, yours

ages = st.integers(0, 200).map(float)
half_lives = st.integers(1, 100).map(float)
shares = st.integers(0, 100).map(lambda hundredths: hundredths / 100)
terms = st.lists(st.sampled_from("arm bay cat dog eel".split()), max_size=6)
events = st.lists(terms, min_size=1, max_size=5)


@examples(age=ages, half_life=half_lives)
def every_half_life_halves(module: Any, age: float, half_life: float) -> str | None:
    """Recency is 0.5 ** (age / half-life): 1 for now, and half after every half-life."""
    got, due = ask(module, "recency", age, half_life), 0.5 ** (age / half_life)
    if not _is(got, due):
        return f"{yours('recency', age, half_life)} gave {show(got)}, {show(due)} was due"
    return None


@examples(ahead=ages, half_life=half_lives)
def the_future_counts_as_now(module: Any, ahead: float, half_life: float) -> str | None:
    """An event from a clock that is ahead of ours is as recent as now, and not more."""
    got = ask(module, "recency", -ahead, half_life)
    if not _is(got, 1.0):
        return f"{yours('recency', -ahead, half_life)} gave {show(got)}; it counts as now, so 1.0 was due"
    return None


@examples(recency=shares, importance=shares, relevance=shares, weight=shares)
def the_score_is_the_sum_of_weighted_parts(
    module: Any, recency: float, importance: float, relevance: float, weight: float
) -> str | None:
    """Each part is its value times its weight, and their sum is the score."""
    given = {"recency": recency, "importance": importance, "relevance": relevance}
    weights = {"recency": weight, "importance": 0.5, "relevance": 1.0}
    due = {name: weights[name] * value for name, value in given.items()}
    called = yours("parts", recency, importance, relevance, "Weights(**weights)").replace("'", "")
    got = ask(module, "parts", recency, importance, relevance, ask(module, "Weights", **weights))
    if not _same(got, due):
        return f"with weights {show(weights)}, {called} gave {show(got)}, {show(due)} was due"
    total = ask(module, "total", got)
    if not _is(total, sum(due.values())):
        return f"{yours('total', due)} gave {show(total)}, {show(sum(due.values()))} was due"
    return None


@examples(value=st.one_of(st.integers(-3, 3).map(float), st.sampled_from([math.nan, math.inf])))
def a_weight_is_a_number_from_0_to_1(module: Any, value: float) -> str | None:
    """A weight outside of 0 to 1 is refused with `InvalidInput`, one inside is taken."""
    refused = refusal(module, "Weights", recency=value)
    if (refused is None) != (0 <= value <= 1):
        done = "refused it" if refused is not None else "took it"
        return f"{yours('Weights', recency=value)} {done}; a weight is a number from 0 to 1"
    if refusal(module, "Weights", recency=0, importance=0, relevance=0) is None:
        return f"{yours('Weights', recency=0, importance=0, relevance=0)} took it; every event would score 0"
    return None


@examples(hours=st.one_of(st.integers(-3, 3).map(float), st.sampled_from([math.nan, math.inf])))
def a_half_life_is_finite_and_above_0(module: Any, hours: float) -> str | None:
    """A half-life that is not a finite number above 0 is refused with `InvalidInput`."""
    refused = refusal(module, "check_half_life", hours)
    if (refused is None) != (0 < hours < math.inf):
        return f"{yours('check_half_life', hours)} {'refused' if refused is not None else 'took'} it"
    return None


@examples(documents=events, question=terms)
def relevance_is_the_share_of_what_was_asked(
    module: Any, documents: list[list[str]], question: list[str]
) -> str | None:
    """Relevance is BM25 (k1 = 0.9, b = 0.4) as a share of what every asked word once would earn, at most 1.

    A word that no event holds is left out of the share.
    """
    corpus = _corpus(module, documents)
    for event in documents:
        got, due = ask(module, "relevance", question, event, corpus), _share(question, event, documents)
        if not _is(got, due):
            called = yours("relevance", question, event, "corpus").replace("'corpus'", "corpus")
            return f"of the events {show(documents)}, {called} gave {show(got)}, {show(due)} was due"
    return None


@examples(words=shares, meaning=shares)
def what_has_lapsed_counts_half(module: Any, words: float, meaning: float) -> str | None:
    """What is over and asked for keeps its parts, and one more, "lapsed", takes half of the score away."""
    found = {"words": words, "meaning": meaning}
    got, due = ask(module, "discounted", found), {**found, "lapsed": -(words + meaning) / 2}
    if not _same(got, due):
        return f"{yours('discounted', found)} gave {show(got)}, {show(due)} was due"
    return None


def _corpus(module: Any, documents: list[list[str]]) -> Any:
    try:
        return module.Corpus.of(documents)
    except Exception as error:
        raise Wrong(f"your Corpus.of({show(documents)}) raised {type(error).__name__}: {error}") from None


def _share(question: list[str], event: list[str], documents: list[list[str]]) -> float:
    """Say the same in one plain loop: the oracle."""
    mean = sum(map(len, documents)) / len(documents)
    earned = possible = 0.0
    for term in dict.fromkeys(question):
        holding = sum(term in document for document in documents)
        if not holding:
            continue
        rarity = math.log(1 + (len(documents) - holding + 0.5) / (holding + 0.5))
        possible += rarity
        if count := Counter(event)[term]:
            earned += rarity * count * 1.9 / (count + 0.9 * (0.6 + 0.4 * len(event) / mean))
    return min(1.0, earned / possible) if possible else 0.0


def _is(got: object, due: float) -> bool:
    return isinstance(got, int | float) and close(got, due)


def _same(got: object, due: dict[str, float]) -> bool:
    return isinstance(got, dict) and list(got) == list(due) and all(_is(got[name], due[name]) for name in due)


CONTRACT = Contract(
    "recall.score",
    tuple("K1 B LAPSED Weights Corpus recency check_half_life relevance parts discounted total".split()),
    (
        every_half_life_halves,
        the_future_counts_as_now,
        the_score_is_the_sum_of_weighted_parts,
        a_weight_is_a_number_from_0_to_1,
        a_half_life_is_finite_and_above_0,
        relevance_is_the_share_of_what_was_asked,
        what_has_lapsed_counts_half,
    ),
)
