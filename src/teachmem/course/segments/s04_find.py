"""Exercise 4.3: load the one tool that is needed; its laws, and the wrong ideas about it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from teachmem.course.material import Exercise, Misconception, Wrong, show
from teachmem.course.segments import s04_desk
from teachmem.course.segments.s04_desk import DESK, NIGHT, Desk

Find = Callable[[Any, str], Any]

NEEDS = (
    (DESK, "belt speed", "belt_speed_set"),
    (DESK, "open a door", "door_open"),
    (NIGHT, "belt speed", "conveyor"),
)
NEEDED_BY_NOBODY = "translate a poem"


def _found(find: Find, desk: Desk, need: str) -> tuple[Any, str]:
    return s04_desk.awaited(find, desk, need), f"find_tool(client, {need!r})"


def finds_the_tool(find: Find) -> str | None:
    """The first part of the answer is the name of the tool that fits best."""
    for tools, need, due in NEEDS:
        got, called = _found(find, Desk(tools), need)
        if type(got) is not tuple or len(got) != 2:
            return f"{called} gave {show(got)}; a pair of a name and its arguments was due"
        if got[0] != due:
            return f"{called} gave {show(got[0])}, and search_tools puts {due!r} first"
    return None


def brings_its_arguments(find: Find) -> str | None:
    """The second part is what describe_tool says of its arguments."""
    for tools, need, due in NEEDS:
        got, called = _found(find, Desk(tools), need)
        if type(got) is not tuple or len(got) != 2 or got[1] != tools[due][1]:
            wanted = ", ".join(tools[due][1]["properties"])
            return f"{called} does not say which arguments {due!r} takes ({wanted}); nobody can call it so"
    return None


def loads_one_tool(find: Find) -> str | None:
    """Only the tool that is used is read whole."""
    for tools, need, _ in NEEDS:
        desk = Desk(tools)
        _, called = _found(find, desk, need)
        read = [given.get("name") for name, given in desk.calls if name == "describe_tool"]
        if len(set(read)) > 1:
            return f"{called} reads {len(set(read))} tools whole: {show(read)}; one is used"
    return None


def says_when_nothing_fits(find: Find) -> str | None:
    """Where no tool fits, the answer is None."""
    desk = Desk()
    try:
        got, called = _found(find, desk, NEEDED_BY_NOBODY)
    except Wrong as wrong:
        return f"no tool is for {NEEDED_BY_NOBODY!r}: {wrong}"
    return None if got is None else f"{called} gave {show(got)}; no tool is for that, and None was due"


def _from_memory(find: Find) -> bool:
    """Say whether a tool is named though no search was made for it."""
    desk = Desk()
    got, _ = _found(find, desk, "belt speed")
    return got is not None and not any(name == "search_tools" for name, _ in desk.calls)


EXERCISE = Exercise(
    id="4.3",
    title="The one tool that is needed",
    concept="progressive loading",
    expected="an async function of a client and of what is needed",
    fits=s04_desk.is_async,
    laws=(finds_the_tool, brings_its_arguments, loads_one_tool, says_when_nothing_fits),
    yes="the right tool with its arguments, one read whole and no other, and None where none fits",
    misconceptions=(
        Misconception(
            "the names are known beforehand",
            "Another server has other names, and this one may have others tomorrow. Ask it.",
            _from_memory,
        ),
        Misconception(
            "a line is enough",
            "A line says when to use a tool. What it must be handed stands in its schema alone.",
            "brings_its_arguments",
        ),
        Misconception(
            "load all, then choose",
            "Every schema stands in the context from then on, and is paid for with every question.",
            "loads_one_tool",
        ),
        Misconception(
            "something always fits",
            "A search that finds nothing says something too. An agent that takes any tool does any thing.",
            "says_when_nothing_fits",
        ),
    ),
    hints=(
        "Which of the tools that are listed at first tells you about the others?",
        "What does search_tools say of a tool, and what must you know beside that to call it?",
        "What is the first of an empty list?",
    ),
)
