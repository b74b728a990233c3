"""Exercise 9.3: three foils that nobody has named, each to be caught; the wrong ideas about it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from teachmem.course.material import Exercise, Misconception, show
from teachmem.errors import InvalidInput
from teachmem.marks import hidden
from teachmem.marks.hidden import CASES, Hidden
from teachmem.marks.probe import Finding, probes

Caught = Mapping[Hidden, str]


@lru_cache(maxsize=256)
def asked(case: Hidden, name: str) -> Finding:
    """Put a probe to a case."""
    return case.ask(name)


def fits(answer: Any) -> bool:
    """Say whether an answer is a dictionary; what its keys are is a law's business, which can say more."""
    return type(answer) is dict


def its_keys_are_the_cases(caught: Caught) -> str | None:
    """The keys are the three cases of one draw."""
    keys: list[object] = list(caught)
    if any(isinstance(case, Hidden) and set(keys) == set(hidden.draw(case.seed)) for case in keys):
        return None
    return f"its keys are {show(keys)}; the three cases of one draw were due, as in dict.fromkeys(cases)"


def each_case_has_a_probe_of_the_list(caught: Caught) -> str | None:
    """Each case gets the name of one probe."""
    for case in sorted(caught, key=lambda case: case.number):
        try:
            hidden.named(caught[case])
        except InvalidInput:
            return f"for case {case.number} you gave {show(caught[case])}, which is no name of a probe"
    return None


def each_case_is_caught(caught: Caught) -> str | None:
    """With the case's foil on, its probe says that the kit fails."""
    for case in sorted(caught, key=lambda case: case.number):
        found = asked(case, caught[case])
        if found.answer != "fails":
            return f"in case {case.number} {found}"
    return None


def _answers(caught: Caught) -> list[Finding]:
    return [asked(case, name) for case, name in caught.items()]


def _same_for_all(caught: Caught) -> bool:
    known = {one.name for one in probes()}
    return (
        len(caught) == CASES and len(known & set(caught.values())) < CASES and known >= set(caught.values())
    )


def _unanswered(caught: Caught) -> bool:
    return any(found.answer in ("could not run", "not offered") for found in _answers(caught))


def _right_mark(caught: Caught) -> bool:
    """Say whether a probe that holds has one of its own mark beside it that fails."""
    for case, name in caught.items():
        if asked(case, name).answer == "holds":
            beside = [one for one in probes(hidden.named(name).mark) if not one.slow and one.name != name]
            if any(asked(case, one.name).answer == "fails" for one in beside):
                return True
    return False


EXERCISE = Exercise(
    id="9.3",
    title="Three unseen foils",
    concept="foil",
    expected="a dictionary from the three cases to the names of three probes",
    fits=fits,
    laws=(its_keys_are_the_cases, each_case_has_a_probe_of_the_list, each_case_is_caught),
    yes="each of the three is caught by the probe that you named for it",
    misconceptions=(
        Misconception(
            "one probe for the whole house",
            "Three faults, three mechanisms. A probe asks one question, and sees what touches that.",
            _same_for_all,
        ),
        Misconception(
            "no answer is a no",
            "Its control failed, so it has asked nothing. Something is wrong, and it cannot say what.",
            _unanswered,
        ),
        Misconception(
            "the mark is enough",
            "Another probe of this mark catches it. A mark is as good as the questions that are asked for it.",
            _right_mark,
        ),
    ),
    hints=(
        "What should have happened instead, and who promised it?",
        "Which mark's question is that, and which of its probes does just what was done in the story?",
        "What do `case.ask(...)` and its evidence say of the probe that you had in mind?",
    ),
)
