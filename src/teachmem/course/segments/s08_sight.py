"""Exercise 8.2: which attack does what show; its laws, and the wrong ideas about it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from teachmem.course.material import Exercise, Misconception, show
from teachmem.marks.attacks import Attack, attacks

NAMES = (
    "edit_a_body",
    "rewrite_from_here",
    "cut_the_end_and_the_rows",
    "edit_a_content",
    "forge_a_row",
    "edit_a_vector",
)
LOOKS = ("chain", "checkpoint", "rows", "nothing")
Sight = Mapping[str, str]


def _says(attack: Attack, look: str) -> str:
    return {"chain": attack.alone, "checkpoint": attack.held, "rows": attack.deep}[look]


def every_attack_has_one_of_the_four(sight: Sight) -> str | None:
    """Each of the six attacks is given one of the four words."""
    for name in NAMES:
        if sight.get(name) not in LOOKS:
            return f"for {name} you gave {show(sight.get(name))}; choose one of {', '.join(LOOKS)}"
    return None


def what_you_name_shows_it(sight: Sight) -> str | None:
    """The look that is named says broken."""
    for name in NAMES:
        look = sight[name]
        if look != "nothing" and _says(attacks()[name], look) != "broken":
            return f"after {name} a look at the {look} still says complete"
    return None


def the_least_that_shows_it(sight: Sight) -> str | None:
    """What the chain alone shows needs nothing else, and "nothing" is for what no look shows."""
    for name in NAMES:
        look, attack = sight[name], attacks()[name]
        if look in ("checkpoint", "rows") and attack.alone == "broken":
            return f"after {name} the chain alone says broken already; that is less than the {look}"
        if look == "nothing" and "broken" in (attack.alone, attack.held, attack.deep):
            return f"after {name} one of the three looks does say broken"
    return None


def _gave(look: str, *names: str) -> Callable[[Any], bool]:
    return lambda sight: any(sight.get(name) == look for name in names)


def _sees_all(sight: Sight) -> bool:
    return sight.get("edit_a_vector") in LOOKS[:3]


EXERCISE = Exercise(
    id="8.2",
    title="Where each look ends",
    concept="checkpoint",
    expected="a dictionary from the six attacks to one of four words",
    fits=lambda value: isinstance(value, dict),
    laws=(every_attack_has_one_of_the_four, what_you_name_shows_it, the_least_that_shows_it),
    yes="each attack has the least that shows it, and one has nothing",
    misconceptions=(
        Misconception(
            "a chain proves history",
            "A chain proves that it hangs together. Whoever can write one can write another that does.",
            _gave("chain", "rewrite_from_here", "cut_the_end_and_the_rows"),
        ),
        Misconception(
            "the chain holds the memories",
            "It holds digests of them. A memory that was changed leaves the chain as it was.",
            _gave("chain", "edit_a_content", "forge_a_row"),
        ),
        Misconception(
            "a checkpoint sees everything",
            "It sees the log. What was done to the memories alone, it cannot know.",
            _gave("checkpoint", "edit_a_content", "forge_a_row"),
        ),
        Misconception(
            "whatever was changed can be seen",
            "Only what a digest covers. A vector follows from the text, is covered by none, and can be made anew.",
            _sees_all,
        ),
    ),
    hints=(
        "What is changed by the attack: an entry, all that follows it too, or a memory?",
        "Does the log still hang together afterwards, and does it still name what is there?",
        "Which of the six changes something that no entry holds a digest of?",
    ),
)
