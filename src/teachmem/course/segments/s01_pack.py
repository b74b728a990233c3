"""Exercise 1.1: pack notes into a budget; its laws, and the wrong ideas about it."""

from __future__ import annotations

from collections.abc import Callable

from teachmem.course.material import Exercise, Misconception, Wrong, call, is_function, sequence, show, shown

Pack = Callable[[list[int], int], list[int]]

CASES = (
    ([30, 900, 40, 20], 100),
    ([900, 30, 40], 100),
    ([60, 50, 40], 100),
    ([10, 10], 20),
    ([5], 0),
    ([20, 90, 10, 30], 60),
    ([60, 30, 30, 40], 100),
    ([55, 50, 50], 100),
    ([10, 900, 800, 700, 600, 20], 100),
)


def _chosen(pack: Pack, lengths: list[int], budget: int) -> list[int]:
    called = shown(pack, lengths, budget)
    places = sequence(call(pack, lengths, budget), called)
    for place in places:
        if type(place) is not int or not 0 <= place < len(lengths):
            raise Wrong(f"{called} gave {show(places)}; {show(place)} is the place of no note")
    return places


def stays_in_budget(pack: Pack) -> str | None:
    """What is chosen never needs more than the budget."""
    for lengths, budget in CASES:
        places = _chosen(pack, lengths, budget)
        used = sum(lengths[place] for place in places)
        if used > budget:
            return f"{shown(pack, lengths, budget)} gave {show(places)}, which needs {used} tokens"
    return None


def each_note_once(pack: Pack) -> str | None:
    """No note is chosen twice."""
    for lengths, budget in CASES:
        places = _chosen(pack, lengths, budget)
        if len(set(places)) < len(places):
            return f"{shown(pack, lengths, budget)} gave {show(places)}, and one note stands there twice"
    return None


def leaves_out_only_what_did_not_fit(pack: Pack) -> str | None:
    """Going from the best note on, a note is left out only if it did not fit when its turn came."""
    for lengths, budget in CASES:
        places = _chosen(pack, lengths, budget)
        left = budget
        for place, needed in enumerate(lengths):
            if place in places:
                left -= needed
            elif needed <= left:
                called = shown(pack, lengths, budget)
                return (
                    f"{called} gave {show(places)}; note {place} needs {needed} tokens, "
                    f"{left} were left at its turn, and it is not there"
                )
    return None


def keeps_the_order(pack: Pack) -> str | None:
    """The best note stays first."""
    for lengths, budget in CASES:
        places = _chosen(pack, lengths, budget)
        if places != sorted(places):
            return f"{shown(pack, lengths, budget)} gave {show(places)}; a worse note stands before a better"
    return None


def _stops_early(pack: Pack) -> bool:
    return all(_chosen(pack, lengths, budget) == _until_full(lengths, budget) for lengths, budget in CASES)


def _until_full(lengths: list[int], budget: int) -> list[int]:
    places: list[int] = []
    for place, needed in enumerate(lengths):
        budget -= needed
        if budget < 0:
            break
        places.append(place)
    return places


def _shortest_first(pack: Pack) -> bool:
    return set(_chosen(pack, [60, 50, 40], 100)) == {1, 2}


EXERCISE = Exercise(
    id="1.1",
    title="Pack notes into a budget",
    concept="packing",
    expected="a function of a list of lengths and a budget",
    fits=is_function,
    laws=(stays_in_budget, each_note_once, leaves_out_only_what_did_not_fit, keeps_the_order),
    yes="within the budget, in order, and only what did not fit is left out",
    misconceptions=(
        Misconception(
            "stop at the first that does not fit",
            "One long note at the head then empties the context. Skip it and try the next one.",
            _stops_early,
        ),
        Misconception(
            "the shortest first",
            "That fits more notes and loses the best ones. The order is that of their rank.",
            _shortest_first,
        ),
        Misconception(
            "the budget is a wish",
            "A model's context has a hard end. What goes over it is cut off somewhere, in silence.",
            "stays_in_budget",
        ),
    ),
    hints=(
        "What should become of the notes behind one that is too long?",
        "What do you have to know, at each note's turn, to say whether it fits?",
        "Which two lines change when a note is taken, and which none when it is skipped?",
    ),
)
