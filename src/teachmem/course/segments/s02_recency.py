"""Exercise 2.1: recency; its laws, and the wrong ideas about it."""

from __future__ import annotations

import math
from collections.abc import Callable

from teachmem.course.material import Exercise, Misconception, call, close, is_function, number, show, shown

Recency = Callable[[float, float], float]

AGES = (0, 1, 6, 24, 48, 300)
HALF_LIVES = (1, 24, 168)


def _at(recency: Recency, age: float, half_life: float) -> float:
    return number(call(recency, age, half_life), shown(recency, age, half_life))


def this_moment_counts_in_full(recency: Recency) -> str | None:
    """An event of this very moment has recency 1."""
    for half_life in HALF_LIVES:
        got = _at(recency, 0, half_life)
        if not close(got, 1):
            return f"{shown(recency, 0, half_life)} gave {show(got)}, and nothing can be more recent than now"
    return None


def halves_with_every_half_life(recency: Recency) -> str | None:
    """One half-life later the recency is half of what it was, wherever one starts."""
    for half_life in HALF_LIVES:
        for age in AGES:
            before, after = _at(recency, age, half_life), _at(recency, age + half_life, half_life)
            if not close(after, before / 2):
                return (
                    f"{shown(recency, age, half_life)} gave {show(before)} and, one half-life later, "
                    f"{shown(recency, age + half_life, half_life)} gave {show(after)}"
                )
    return None


def fades_all_the_time(recency: Recency) -> str | None:
    """Half a half-life takes its share too: there are no steps."""
    for half_life in HALF_LIVES:
        whole, half = _at(recency, half_life, half_life), _at(recency, half_life / 2, half_life)
        if not close(half * half, whole):
            called = shown(recency, half_life / 2, half_life)
            return (
                f"{called} gave {show(half)}; half-way to {show(whole)} it must have faded, and not in steps"
            )
    return None


def the_future_counts_as_now(recency: Recency) -> str | None:
    """A clock ahead of ours cannot make an event more recent than now."""
    for half_life in HALF_LIVES:
        got, now = _at(recency, -5, half_life), _at(recency, 0, half_life)
        if not close(got, now):
            told = "beats" if got > now else "counts less than"
            return f"{shown(recency, -5, half_life)} gave {show(got)}: five hours ahead {told} this moment"
    return None


def _linear(recency: Recency) -> bool:
    drops = [_at(recency, age, 24) - _at(recency, age + 4, 24) for age in (0, 4, 8)]
    return drops[0] > 0 and all(close(drop, drops[0]) for drop in drops)


def _natural(recency: Recency) -> bool:
    return close(_at(recency, 24, 24), math.exp(-1))


def _future_wins(recency: Recency) -> bool:
    return _at(recency, -5, 24) > _at(recency, 0, 24)


def _future_is_past(recency: Recency) -> bool:
    return close(_at(recency, -5, 24), _at(recency, 5, 24))


def _older_is_more(recency: Recency) -> bool:
    return _at(recency, 48, 24) > _at(recency, 24, 24) > _at(recency, 1, 24)


EXERCISE = Exercise(
    id="2.1",
    title="Recency",
    concept="half-life",
    expected="a function of an age and a half-life in hours",
    fits=is_function,
    laws=(
        this_moment_counts_in_full,
        halves_with_every_half_life,
        fades_all_the_time,
        the_future_counts_as_now,
    ),
    yes="now counts in full, every half-life halves, and the future counts as now",
    misconceptions=(
        Misconception(
            "memory fades in a straight line",
            "A straight line reaches zero and goes below. A half-life takes half of what is left, always.",
            _linear,
        ),
        Misconception(
            "a half-life is a time constant",
            "exp(-age / t) leaves 37 % after t. A half-life leaves 50 %.",
            _natural,
        ),
        Misconception(
            "older is more",
            "The score then ranks the oldest event first. Age lowers recency.",
            _older_is_more,
        ),
        Misconception(
            "the future is more recent than now",
            "A robot with a fast clock would win every question. Ages below zero count as zero.",
            _future_wins,
        ),
        Misconception(
            "the future is like the past",
            "A clock that runs ahead is a fault of the clock. The event is new, so it counts as now.",
            _future_is_past,
        ),
    ),
    hints=(
        "How much is left after one half-life, after two, after three?",
        "Which number is raised to which power, when the power counts half-lives?",
        "What does your function say of an age of -5, and what should it say?",
    ),
)
