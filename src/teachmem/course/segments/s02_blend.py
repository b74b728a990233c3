"""Exercise 2.2: blend three numbers into parts; its laws, and the wrong ideas about it."""

from __future__ import annotations

from collections.abc import Callable

from teachmem.course.material import (
    Exercise,
    Misconception,
    Wrong,
    call,
    close,
    is_function,
    number,
    show,
    shown,
)

Blend = Callable[[float, float, float, dict[str, float]], dict[str, float]]

NAMES = ("recency", "importance", "relevance")
USUAL = {"recency": 0.4, "importance": 0.3, "relevance": 0.3}
BLENDS = (
    ((1.0, 0.8, 0.0), USUAL),
    ((0.25, 0.3, 1.0), USUAL),
    ((0.5, 0.5, 0.5), {"recency": 0.2, "importance": 0.1, "relevance": 0.2}),
    ((0.123456, 0.654321, 0.111111), USUAL),
    ((0.9, 0.1, 0.6), {"recency": 0.0, "importance": 1.0, "relevance": 0.5}),
)


def _parts(blend: Blend, values: tuple[float, float, float], weights: dict[str, float]) -> dict[str, float]:
    called = shown(blend, *values, weights)
    got = call(blend, *values, weights)
    if type(got) is not dict:
        raise Wrong(f"{called} gave {show(got)}, which is no dict of parts")
    return {name: number(part, f"{called}[{name!r}]") for name, part in got.items()}


def gives_a_part_for_each(blend: Blend) -> str | None:
    """There are three parts, under their names."""
    for values, weights in BLENDS:
        got = _parts(blend, values, weights)
        if set(got) != set(NAMES):
            return f"{shown(blend, *values, weights)} gave parts named {show(sorted(got))}"
    return None


def each_part_is_weighed(blend: Blend) -> str | None:
    """Doubling one weight doubles that part and no other."""
    for values, weights in BLENDS:
        before = _parts(blend, values, weights)
        for name in NAMES:
            after = _parts(blend, values, {**weights, name: weights[name] / 2})
            for part in NAMES:
                due = before[part] / 2 if part == name else before[part]
                if not close(after[part], due):
                    return (
                        f"with half the weight for {name}, the part {part} went from "
                        f"{show(before[part])} to {show(after[part])}"
                    )
    return None


def a_full_part_is_its_weight(blend: Blend) -> str | None:
    """What is as recent, important and relevant as can be gets the weights themselves."""
    for _, weights in BLENDS:
        got = _parts(blend, (1.0, 1.0, 1.0), weights)
        for name in NAMES:
            if not close(got[name], weights[name]):
                return f"an event with 1 for everything got {show(got[name])} for {name}, whose weight is {weights[name]}"
    return None


def each_part_follows_its_own_number(blend: Blend) -> str | None:
    """Half as recent is half the part, and the other two do not move."""
    for values, weights in BLENDS:
        before = _parts(blend, values, weights)
        for place, name in enumerate(NAMES):
            lower = tuple(value / 2 if index == place else value for index, value in enumerate(values))
            after = _parts(blend, (lower[0], lower[1], lower[2]), weights)
            for part in NAMES:
                due = before[part] / 2 if part == name else before[part]
                if not close(after[part], due):
                    return f"with half the {name}, the part {part} went from {show(before[part])} to {show(after[part])}"
    return None


def _unweighed(blend: Blend) -> bool:
    got = _parts(blend, (0.5, 0.25, 1.0), USUAL)
    return [got.get(name) for name in NAMES] == [0.5, 0.25, 1.0]


def _shares(blend: Blend) -> bool:
    return close(sum(_parts(blend, (0.5, 0.25, 0.5), USUAL).values()), 1)


def _no_parts(blend: Blend) -> bool:
    return not isinstance(call(blend, 0.5, 0.5, 0.5, USUAL), dict)


EXERCISE = Exercise(
    id="2.2",
    title="Blend",
    concept="parts",
    expected="a function of recency, importance, relevance and a dict of weights",
    fits=is_function,
    laws=(
        gives_a_part_for_each,
        a_full_part_is_its_weight,
        each_part_is_weighed,
        each_part_follows_its_own_number,
    ),
    yes="three parts that add up to the score, each its own number times its own weight",
    misconceptions=(
        Misconception(
            "a score needs no parts",
            "A single number cannot be argued with. Return the parts; adding them is easy.",
            _no_parts,
        ),
        Misconception(
            "weights are for sorting only",
            "Without its weight a part says how recent, and not how much that counts here.",
            _unweighed,
        ),
        Misconception(
            "a score is a share",
            "Divided by their sum, the parts of a poor match look like those of a good one.",
            _shares,
        ),
    ),
    hints=(
        "Which three numbers does a person need to see who is surprised by a rank?",
        "How many multiplications does each part take?",
        "If the weights are all halved, what becomes of your parts?",
    ),
)
