"""What any `recall.fuse` must obey: scores are stretched, weighed and added; ranks are there to be compared."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from teachmem.course.rebuilding.law import Contract, ask, close, examples, show, yours

names = st.sampled_from("abcde")
numbers = st.integers(-2, 8).map(float)
scores = st.dictionaries(names, numbers, max_size=4)
positive = st.dictionaries(names, st.integers(0, 8).map(float), max_size=4)
weights = st.integers(0, 4).map(lambda quarters: quarters / 4)


@examples(found=scores, lowest=st.integers(-1, 3).map(float))
def the_lowest_is_0_and_the_best_is_1(module: Any, found: dict[str, float], lowest: float) -> str | None:
    """Scores are stretched on a line: `lowest` becomes 0, the best becomes 1, and nothing is below 0.

    Where nothing is above the lowest, all are 0.
    """
    got = ask(module, "stretched", found, lowest)
    due = _stretched(found, lowest)
    if not _same(got, due):
        return f"{yours('stretched', found, lowest)} gave {show(got)}, {show(due)} was due"
    return None


@examples(words=positive, vectors=positive, weight=weights)
def each_list_gives_its_weighted_part(
    module: Any, words: dict[str, float], vectors: dict[str, float], weight: float
) -> str | None:
    """Every name of any list has one part a list: weight times stretched score, and 0 from a list that lacks it."""
    lists, weighed = {"words": words, "vectors": vectors}, {"words": weight, "vectors": 1 - weight}
    due = {
        name: {which: weighed[which] * _stretched(held, 0.0).get(name, 0.0) for which, held in lists.items()}
        for name in [*words, *vectors]
    }
    got = ask(module, "fuse", lists, weighed)
    if not isinstance(got, dict) or set(got) != set(due):
        return f"{yours('fuse', lists, weighed)} gave {show(got)}; the names {show(sorted(due))} were due"
    for name, parts in due.items():
        if not _same(got[name], parts) or list(got[name]) != list(parts):
            return f"{yours('fuse', lists, weighed)} gave {name!r} {show(got[name])}, {show(parts)} was due"
    return None


@examples(words=positive, vectors=positive, times=st.integers(2, 9))
def only_the_shape_of_a_list_counts(
    module: Any, words: dict[str, float], vectors: dict[str, float], times: int
) -> str | None:
    """A list whose scores are all twice as large says the same: lists need no common scale."""
    weighed = {"words": 0.5, "vectors": 0.5}
    before = ask(module, "fuse", {"words": words, "vectors": vectors}, weighed)
    larger = {name: times * value for name, value in words.items()}
    after = ask(module, "fuse", {"words": larger, "vectors": vectors}, weighed)
    if before.keys() != after.keys() or not all(_same(after[name], before[name]) for name in before):
        return f"words {show(words)} gave {show(before)}, and {times} times as much {show(after)}"
    return None


@examples(
    rankings=st.lists(st.lists(names, unique=True, max_size=4), max_size=3), k=st.sampled_from([60, 1, 10])
)
def ranks_add_one_over_k_plus_rank(module: Any, rankings: list[list[str]], k: int) -> str | None:
    """Reciprocal rank fusion adds 1 / (k + rank) over the rankings, where the first has rank 1."""
    due: dict[str, float] = {}
    for ranking in rankings:
        for place, name in enumerate(ranking):
            due[name] = due.get(name, 0.0) + 1 / (k + place + 1)
    got = ask(module, "reciprocal_ranks", rankings, k)
    if not _same(got, due):
        return f"{yours('reciprocal_ranks', rankings, k)} gave {show(got)}, {show(due)} was due"
    return None


@examples(found=positive)
def ranks_go_from_1_and_ties_by_name(module: Any, found: dict[str, float]) -> str | None:
    """The best has place 1, equals are ordered by name, and what scored nothing has no place."""
    due: dict[str, int] = {}
    left = {name: value for name, value in found.items() if value > 0}
    while left:
        best = min(left, key=lambda name: (-left[name], name))
        due[best] = len(due) + 1
        del left[best]
    got = ask(module, "ranks", found)
    if got != due:
        return f"{yours('ranks', found)} gave {show(got)}, {show(due)} was due"
    return None


def _stretched(found: dict[str, float], lowest: float) -> dict[str, float]:
    best = max([lowest, *found.values()])
    return {
        name: 0.0 if best == lowest or value < lowest else (value - lowest) / (best - lowest)
        for name, value in found.items()
    }


def _same(got: object, due: dict[str, float]) -> bool:
    return (
        isinstance(got, dict)
        and got.keys() == due.keys()
        and all(isinstance(got[name], int | float) and close(got[name], due[name]) for name in due)
    )


CONTRACT = Contract(
    "recall.fuse",
    ("fuse", "stretched", "reciprocal_ranks", "ranks"),
    (
        the_lowest_is_0_and_the_best_is_1,
        each_list_gives_its_weighted_part,
        only_the_shape_of_a_list_counts,
        ranks_add_one_over_k_plus_rank,
        ranks_go_from_1_and_ties_by_name,
    ),
)
