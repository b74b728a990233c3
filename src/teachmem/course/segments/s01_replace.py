"""Exercise 1.3: which rewrite may stand in a note's place; its laws, and the wrong ideas about it."""

from __future__ import annotations

from collections.abc import Callable

from teachmem.course.material import Exercise, Misconception, Wrong, call, is_function, show, shown

Replace = Callable[[str, str], bool]

NOTE = "check the brake before the restart, do not restart before the check"
LOST = "check the brake before the restart, do not restart"
ADDED = "check the brake before the restart, do not restart before the check, because the brake is worn"
TURNED = "check the restart before the brake, do not restart before the check"
LOUD = NOTE.replace("not", "NOT")
WALK, WALKED = "do not restart the arm start the lift", "do not start the arm restart the lift"
LOG = "load on the wrist 41 Nm of 45 allowed, brake BK-540 fitted on Friday at 10:35, goods still carried by hand"
LOGGED = LOG.replace("41", "47")
UNSAID = "check the brake before the restart, do restart before the check"
OTHER = "all fine"


def _says_yes(may_replace: Replace, rewrite: str, note: str = NOTE) -> bool:
    rewrite = "".join(list(rewrite))  # another object, as a rewrite is
    got = call(may_replace, note, rewrite)
    if type(got) is not bool:
        raise Wrong(f"{shown(may_replace, note, rewrite)} gave {show(got)}, neither True nor False")
    return got


def _refuses(rewrite: str, fault: str, note: str = NOTE) -> Callable[[Replace], str | None]:
    def law(may_replace: Replace) -> str | None:
        return (
            f"it lets {rewrite!r} stand for {note!r}: {fault}"
            if _says_yes(may_replace, rewrite, note)
            else None
        )

    return law


def the_note_itself_may(may_replace: Replace) -> str | None:
    """What was said may be shown as what was said."""
    return None if _says_yes(may_replace, NOTE) else f"it does not let {NOTE!r} stand for itself"


def nothing_is_lost(may_replace: Replace) -> str | None:
    """A rewrite that drops words is another text."""
    return _refuses(LOST, "three words are gone")(may_replace) or _refuses(UNSAID, "one word is gone")(
        may_replace
    )


def nothing_is_added(may_replace: Replace) -> str | None:
    """A rewrite that adds words is a new claim."""
    return _refuses(ADDED, "nobody saw that the brake is worn")(may_replace)


def nothing_is_turned(may_replace: Replace) -> str | None:
    """The same words in another order are another text."""
    return _refuses(TURNED, "two words changed places")(may_replace) or _refuses(
        WALKED, "two words changed places", WALK
    )(may_replace)


def nothing_is_swapped(may_replace: Replace) -> str | None:
    """A short text that says something else is another text."""
    return (
        _refuses(OTHER, "it speaks of something else")(may_replace)
        or _refuses(LOGGED, "one digit is another", LOG)(may_replace)
        or _refuses(LOUD, "capitals can be the point")(may_replace)
    )


def _anything_goes(may_replace: Replace) -> bool:
    return all(_says_yes(may_replace, rewrite) for rewrite in (LOST, ADDED, TURNED, UNSAID, OTHER))


def _shorter_will_do(may_replace: Replace) -> bool:
    return _says_yes(may_replace, OTHER)


def _bag(may_replace: Replace) -> bool:
    return _says_yes(may_replace, WALKED, WALK) and not _says_yes(may_replace, LOST)


def _drops_freely(may_replace: Replace) -> bool:
    return _says_yes(may_replace, LOST)


def _adds_freely(may_replace: Replace) -> bool:
    return _says_yes(may_replace, ADDED)


EXERCISE = Exercise(
    id="1.3",
    title="May it stand in the note's place?",
    concept="verbatim",
    expected="a function of a note and a rewrite",
    fits=is_function,
    laws=(
        the_note_itself_may,
        nothing_is_lost,
        nothing_is_added,
        nothing_is_turned,
        nothing_is_swapped,
    ),
    yes="only what was said may be shown as what was said",
    misconceptions=(
        Misconception(
            "a rewrite is a rewrite",
            "Then any text may be shown as what was said. Somebody has to be able to say no.",
            _anything_goes,
        ),
        Misconception(
            "shorter will do",
            "Length says nothing about meaning. A short text can be about something else.",
            _shorter_will_do,
        ),
        Misconception(
            "nothing added, nothing wrong",
            "The word that is missing can be 'not'. Dropping words changes a claim as well.",
            _drops_freely,
        ),
        Misconception(
            "nothing lost, nothing wrong",
            "What is added reads like an observation, and nobody made it.",
            _adds_freely,
        ),
        Misconception(
            "a text is a bag of words",
            "First the brake, then the restart: the order is part of what was said.",
            _bag,
        ),
    ),
    hints=(
        "Which rewrites change nothing at all? How many of those are there?",
        "Can you tell from two texts alone that they mean the same?",
        "What is the strictest comparison of two texts that you know?",
    ),
)
