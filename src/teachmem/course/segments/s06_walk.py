"""Exercise 6.2: walk the doors; its laws, and the wrong ideas about it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from teachmem.course.material import Exercise, Misconception, Wrong, call, is_function, show
from teachmem.errors import MemoryRefused
from teachmem.record import Receipt, Step
from teachmem.vocabulary import Outcome, Verdict

Door = Callable[[str], Receipt]
Walk = Callable[[Mapping[str, Door], list[str], str], Mapping[str, str]]

SPELLINGS = ["the code is 4411", "THE CODE IS 4411", " the code is 4411. "]
HARMLESS = "the side door sticks"
HOLDS, LEAKS, NOTHING = "holds", "leaks", "proves nothing"


def door(let_in: str = "", staged: str = "", *, harmless: bool = True) -> Door:
    """Return a door that lets in or stages one spelling each ("all" for all), and refuses the others."""

    def write(text: str) -> Receipt:
        if (text == HARMLESS and harmless) or let_in in (text, "all"):
            return Receipt(Verdict.ACCEPTED)
        if staged in (text, "all"):
            return Receipt(Verdict.STAGED)
        raise MemoryRefused(Receipt(Verdict.REFUSED, steps=(Step("tombstone", Outcome.REFUSED),)))

    return write


def _walked(walk: Walk, doors: Mapping[str, Door]) -> Mapping[str, str]:
    got = call(walk, doors, SPELLINGS, HARMLESS)
    if type(got) is not dict:
        raise Wrong(f"walking {len(doors)} doors gave {show(got)}; give a dict of the names of the doors")
    return got


def _wants(walk: Walk, told: str, given: Door, due: str) -> str | None:
    got = _walked(walk, {"note": given}).get("note")
    return None if got == due else f"a door that {told} {due}; your function said {show(got)}"


def a_door_that_lets_it_in_leaks(walk: Walk) -> str | None:
    """What accepts the value leaks."""
    return _wants(walk, "accepts whatever it is given", door("all"), LEAKS)


def a_door_that_refuses_it_holds(walk: Walk) -> str | None:
    """What refuses every spelling, and lets another sentence in, holds."""
    return _wants(walk, "refuses every spelling and lets the harmless sentence in", door(), HOLDS)


def every_spelling_is_tried(walk: Walk) -> str | None:
    """A door leaks if one spelling alone comes through."""
    for place, spelling in enumerate(SPELLINGS, 1):
        told = f"accepts spelling {place} of {len(SPELLINGS)} alone"
        if wrong := _wants(walk, told, door(spelling), LEAKS):
            return wrong
    return None


def a_door_that_lets_nothing_in_proves_nothing(walk: Walk) -> str | None:
    """A door that refuses the harmless sentence, too, says nothing about the value."""
    return _wants(walk, "refuses the harmless sentence as well", door(harmless=False), NOTHING)


def what_waits_is_not_in(walk: Walk) -> str | None:
    """What is put before a person has not come in."""
    told = "stages the value for a person, and accepts the harmless sentence,"
    return _wants(walk, told, door(staged="all"), HOLDS)


def every_door_is_walked(walk: Walk) -> str | None:
    """The walk goes on behind an open door."""
    doors = {"note": door("all"), "event": door(), "fact": door(SPELLINGS[1])}
    got, due = _walked(walk, doors), {"note": LEAKS, "event": HOLDS, "fact": LEAKS}
    return (
        None if got == due else f"of three doors, of which the first and the last leak, it said {show(got)}"
    )


EXERCISE = Exercise(
    id="6.2",
    title="Walk the doors",
    concept="tombstone",
    expected="a function of a dict of doors, a list of spellings and a harmless sentence",
    fits=is_function,
    laws=(
        a_door_that_lets_it_in_leaks,
        a_door_that_refuses_it_holds,
        every_spelling_is_tried,
        a_door_that_lets_nothing_in_proves_nothing,
        what_waits_is_not_in,
        every_door_is_walked,
    ),
    yes="every door is tried with every spelling, and a refusal counts where something else comes in",
    misconceptions=(
        Misconception(
            "one spelling stands for all",
            "The door that compares letter by letter refuses the one you tried, and takes the next.",
            "every_spelling_is_tried",
        ),
        Misconception(
            "a refusal is a proof",
            "A door that is nailed shut refuses, too. First see that it lets a harmless sentence in.",
            "a_door_that_lets_nothing_in_proves_nothing",
        ),
        Misconception(
            "what waits has come in",
            "A candidate is no memory: no read returns it, and a person can still say no.",
            "what_waits_is_not_in",
        ),
        Misconception(
            "the first leak ends the walk",
            "Mend that one, and the next one leaks. A walk reports every door.",
            "every_door_is_walked",
        ),
    ),
    hints=(
        "What does a door do with a value that it refuses: return something, or raise something?",
        "How many times must a door be tried before you may say that it holds?",
        "What would your function say of a door that refuses everything?",
    ),
)
