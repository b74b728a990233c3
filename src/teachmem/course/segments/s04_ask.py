"""Exercise 4.4: ask a memory over MCP; its laws, and the wrong ideas about it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from teachmem.course.material import Exercise, Misconception, show
from teachmem.course.segments import s04_desk
from teachmem.course.segments.s04_desk import ANSWERS, Desk

Ask = Callable[[Any, str], Any]

KNOWN = tuple(question for question, said in ANSWERS.items() if said["answered"])
UNKNOWN = next(question for question, said in ANSWERS.items() if not said["answered"])


def _asked(ask: Ask, desk: Desk, question: str) -> tuple[Any, str]:
    return s04_desk.awaited(ask, desk, question), f"ask_memory(client, {question!r})"


def gives_text_and_ids(ask: Ask) -> str | None:
    """What is answered comes as it was said, with the ids that it rests on."""
    for question in KNOWN:
        got, called = _asked(ask, Desk(), question)
        said = ANSWERS[question]
        if type(got) is not tuple or len(got) != 2:
            return f"{called} gave {show(got)}; a pair of the text and a list of ids was due"
        if got[0] != said["answer"]:
            return f"{called} gave the text {show(got[0])}; the memory said {show(said['answer'])}"
        if not isinstance(got[1], list | tuple) or list(got[1]) != said["cited"]:
            return f"{called} gave the ids {show(got[1])}; the answer cites {show(said['cited'])}"
    return None


def says_when_nothing_answers(ask: Ask) -> str | None:
    """Where nothing answers, the text is None and the ids are those of the nearest memories."""
    got, called = _asked(ask, Desk(), UNKNOWN)
    due = ANSWERS[UNKNOWN]["nearest"]
    if type(got) is not tuple or len(got) != 2:
        return f"{called} gave {show(got)}; nothing answers that, and (None, {show(due)}) was due"
    if got[0] is not None:
        return f"{called} gave the text {show(got[0])}; nothing answers that, and a caller would take it for an answer"
    if not isinstance(got[1], list | tuple) or list(got[1]) != due:
        return f"{called} gave the ids {show(got[1])}; the nearest memories are {show(due)}"
    return None


def asks_once(ask: Ask) -> str | None:
    """One question is one call: every ask is logged."""
    for question in ANSWERS:
        desk = Desk()
        _, called = _asked(ask, desk, question)
        if len(desk.calls) != 1:
            return f"{called} made {len(desk.calls)} calls: {show([name for name, _ in desk.calls])}"
        asked = desk.calls[0][1].get("question")
        if asked != question:
            return f"{called} asked {show(asked)}, which is another question"
    return None


def _searches(ask: Ask) -> bool:
    desk = Desk()
    _asked(ask, desk, KNOWN[0])
    return bool(desk.calls) and all(name == "semantic_search" for name, _ in desk.calls)


def _text_alone(ask: Ask) -> bool:
    got, _ = _asked(ask, Desk(), KNOWN[0])
    said = ANSWERS[KNOWN[0]]["answer"]
    return got == said or (type(got) is tuple and got[:1] == (said,) and not any(got[1:]))


EXERCISE = Exercise(
    id="4.4",
    title="Ask over MCP",
    concept="MCP",
    expected="an async function of a client and a question",
    fits=s04_desk.is_async,
    laws=(gives_text_and_ids, says_when_nothing_answers, asks_once),
    yes="the text as it was said with its ids, and None with the nearest where nothing answers, in one call",
    misconceptions=(
        Misconception(
            "the best hit is the answer",
            "A search always has a first hit, also where nothing answers. The memory can say that; a ranking cannot.",
            _searches,
        ),
        Misconception(
            "sources are decoration",
            "Without its ids an answer cannot be looked up, corrected or taken back.",
            _text_alone,
        ),
        Misconception(
            "a polite no is an answer",
            "A caller that shows every text shows this one as knowledge. Whether it is one stands beside it.",
            "says_when_nothing_answers",
        ),
        Misconception(
            "ask again until it answers",
            "Each call is logged, and the memory knows no more the second time.",
            "asks_once",
        ),
    ),
    hints=(
        "Which of the listed tools answers a question, and what is its one argument called?",
        "What is in `.data` beside the answer, and which of it would you show to somebody who doubts?",
        "How does a caller tell a text that answers from one that says that nothing does?",
    ),
)
