"""Exercise 3.1: recall@k; its laws, and the wrong ideas about it."""

from __future__ import annotations

from collections.abc import Callable

from teachmem.course.material import Exercise, Misconception, call, close, is_function, number, show, shown

Recall = Callable[[list[str], list[str], int], float]

# What was found, what answers the question, how deep one looks, and the share of the latter found there.
CASES: tuple[tuple[list[str], list[str], int, float], ...] = (
    (["a", "b", "c"], ["a"], 1, 1.0),
    (["a", "b", "c"], ["b"], 1, 0.0),
    (["a", "b", "c", "d"], ["b"], 3, 1.0),
    (["a", "b", "c", "d"], ["b", "z"], 2, 0.5),
    (["a", "b", "c", "d"], ["a", "d"], 2, 0.5),
    (["c", "a", "b", "d", "e"], ["a", "b", "c", "z"], 3, 0.75),
    (["a", "b"], ["a", "b", "y", "z"], 10, 0.5),
    (["a", "b", "c", "d", "e"], ["e"], 5, 1.0),
    ([], ["a"], 5, 0.0),
)
TWICE = (["a", "a", "b"], ["a", "z"], 3)


def _share(recall: Recall, found: list[str], evidence: list[str], k: int) -> float:
    return number(call(recall, found, evidence, k), shown(recall, found, evidence, k))


def is_the_share_of_the_evidence(recall: Recall) -> str | None:
    """Of what answers the question, recall@k is the share that stands among the first k."""
    for found, evidence, k, due in CASES:
        got = _share(recall, found, evidence, k)
        if not close(got, due):
            there = sorted(set(found[:k]) & set(evidence))
            what = f"{len(there)} of {len(evidence)} pieces of evidence"
            called = shown(recall, found, evidence, k)
            return f"{called} gave {show(got)}; {what} stand among the first {k}"
    return None


def counts_a_memory_once(recall: Recall) -> str | None:
    """A memory that is found twice is no more evidence than one that is found once."""
    found, evidence, k = TWICE
    got = _share(recall, found, evidence, k)
    if close(got, 0.5):
        return None
    return f"{shown(recall, found, evidence, k)} gave {show(got)}; 'z' was not found, and 'a' is one piece of evidence"


def the_order_of_the_evidence_is_no_matter(recall: Recall) -> str | None:
    """Evidence is a set: written in another order it gives the same recall."""
    for found, evidence, k, _ in CASES:
        one, other = _share(recall, found, evidence, k), _share(recall, found, evidence[::-1], k)
        if not close(one, other):
            called = shown(recall, found, evidence[::-1], k)
            return f"{called} gave {show(other)}, and {show(one)} with the evidence the other way round"
    return None


def _all(recall: Recall, expected: Callable[[list[str], list[str], int], float]) -> bool:
    return all(
        close(_share(recall, found, evidence, k), expected(found, evidence, k))
        for found, evidence, k, _ in CASES
        if found
    )


def _precision(found: list[str], evidence: list[str], k: int) -> float:
    return len(set(found[:k]) & set(evidence)) / k


def _precision_of_found(found: list[str], evidence: list[str], k: int) -> float:
    return len(set(found[:k]) & set(evidence)) / len(found[:k])


def _any(found: list[str], evidence: list[str], k: int) -> float:
    return float(bool(set(found[:k]) & set(evidence)))


def _without_k(found: list[str], evidence: list[str], k: int) -> float:
    return len(set(found) & set(evidence)) / len(evidence)


EXERCISE = Exercise(
    id="3.1",
    title="Recall@k",
    concept="recall@k",
    expected="a function of the ids found, the ids of the evidence, and k",
    fits=is_function,
    laws=(is_the_share_of_the_evidence, counts_a_memory_once, the_order_of_the_evidence_is_no_matter),
    yes="the share of the evidence among the first k, each memory counted once",
    misconceptions=(
        Misconception(
            "recall is precision",
            "Precision asks how much of what you were shown was right. Recall asks how much of what is right you were shown.",
            lambda recall: _all(recall, _precision) or _all(recall, _precision_of_found),
        ),
        Misconception(
            "one hit is enough",
            "A question that needs two facts is half answered by one. A share says so; yes or no hides it.",
            lambda recall: _all(recall, _any),
        ),
        Misconception(
            "a list is read to its end",
            "Nobody reads to place 90, and no context has room for it. What stands behind place k was not found.",
            lambda recall: _all(recall, _without_k),
        ),
        Misconception(
            "found twice is found more",
            "A list that repeats its best hit would then beat one that finds the rest too.",
            "counts_a_memory_once",
        ),
    ),
    hints=(
        "What do you divide by: what was found, how deep you looked, or what there was to find?",
        "Which part of the list does somebody see who looks at k places?",
        "What does your function say if the same id stands in the list twice?",
    ),
)
