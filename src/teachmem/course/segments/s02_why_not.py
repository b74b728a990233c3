"""Exercise 2.4: read a why-not; its laws, and the wrong ideas about it."""

from __future__ import annotations

from collections.abc import Callable

from teachmem.course.material import Exercise, Misconception, call, is_function, show
from teachmem.record import Gate, WhyNot

Reason = Callable[[WhyNot], "str | None"]

TRAILS = (
    (("scope", True), ("status", True), ("time", True), ("rank", False)),
    (("scope", True), ("status", False), ("time", False)),
    (("scope", True), ("time", False)),
    (("session", False), ("rank", False), ("status", True)),
)


def _why(gates: tuple[tuple[str, bool], ...]) -> WhyNot:
    return WhyNot("event-0001", tuple(Gate(name, passed, f"about the {name}") for name, passed in gates))


def names_the_first_closed_gate(reason: Reason) -> str | None:
    """The first gate that it did not pass is the reason."""
    for gates in TRAILS:
        got = call(reason, _why(gates))
        if got != next(name for name, passed in gates if not passed):
            told = ", ".join(f"{name} {'passed' if passed else 'closed'}" for name, passed in gates)
            return f"for the gates {told} your function gave {show(got)}"
    return None


def an_answer_has_no_reason(reason: Reason) -> str | None:
    """A memory that was in the answer was kept out by nothing."""
    got = call(reason, _why((("scope", True), ("rank", True))))
    return None if got is None else f"for a memory that was in the answer it gave {show(got)}"


def _gives_for_second(reason: Reason) -> object:
    return call(reason, _why(TRAILS[1]))


EXERCISE = Exercise(
    id="2.4",
    title="Read a why-not",
    concept="why not",
    expected="a function of a why-not",
    fits=is_function,
    laws=(names_the_first_closed_gate, an_answer_has_no_reason),
    yes="the first closed gate is the reason, and what was in the answer has none",
    misconceptions=(
        Misconception(
            "the last gate decides",
            "Behind a closed gate the others no longer matter. Read from the front.",
            lambda reason: _gives_for_second(reason) == "time",
        ),
        Misconception(
            "every gate is a reason",
            "A list of everything explains nothing. The first closed gate is enough to keep it out.",
            lambda reason: isinstance(_gives_for_second(reason), list | tuple | set),
        ),
        Misconception(
            "an open gate is a reason",
            "A gate that was passed kept nothing out.",
            lambda reason: _gives_for_second(reason) == "scope",
        ),
    ),
    hints=(
        "Which of the gates do you meet first that was not passed?",
        "In which order do the gates stand?",
        "What is there to return when every gate was passed?",
    ),
)
