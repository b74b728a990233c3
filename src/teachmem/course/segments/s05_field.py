"""Exercise 5.3: status, confidence or inference; its laws, and the wrong ideas about it."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from teachmem import store
from teachmem.clock import LessonClock
from teachmem.course.material import Exercise, Misconception, show
from teachmem.ids import CountedIds
from teachmem.recall.embed import HashingEmbedder
from teachmem.rules import conflict

Answer = dict[str, Any]

FIELDS = ("status", "confidence", "is_inferred")
CASES = {
    "a": "The shift-lead has looked, and stands by it.",
    "b": "dock-1 concluded it from two events; nobody has said it.",
    "c": "The probe is known to read a few degrees high.",
    "d": "It was so until Saturday; nobody may use it any more.",
    "e": "A model concluded it, 99 % certain; it must not outweigh what somebody said.",
    "f": 'The driver said: "150 kg, I think."',
}


@lru_cache(maxsize=3)
def _still_read(field: str) -> bool:
    """Say whether a fact is still read after its `field` has been set as low as it goes."""
    clock = LessonClock(datetime(2026, 3, 15, 12, tzinfo=UTC))
    with store.open_memory(clock=clock, ids=CountedIds(), embedder=HashingEmbedder()) as mem:
        tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
        fact = tech.semantic.remember("bay two is open", confidence=0.9).memory
        assert fact is not None
        if field == "status":
            tech.set_status(fact.memory_id, "outdated", "not so any more")
        elif field == "confidence":
            tech.semantic.revise(fact.memory_id, confidence=0.0)
        else:
            tech.semantic.revise(fact.memory_id, is_inferred=True)
        return len(tech.semantic.list()) == 1


def _said(case: str, field: str) -> str:
    return f"{case} ({CASES[case]}) with {field}"


def names_one_of_the_three(answer: Answer) -> str | None:
    """Each case gets one of the three fields, by its name."""
    if odd := set(answer) ^ set(CASES):
        return f"{show(min(map(str, odd)))} is {'missing' if odd <= set(CASES) else 'no case here'}"
    for case, field in sorted(answer.items()):
        if field is ...:
            return f"{case} ({CASES[case]}) is still open"
        if type(field) is not str or field not in FIELDS:
            return f"{case}: {show(field)} is none of {', '.join(FIELDS)}"
    return None


def what_may_not_be_used_is_a_status(answer: Answer) -> str | None:
    """Only a status keeps a memory out of every read."""
    if _still_read(answer["d"]):
        told = "set to 0" if answer["d"] == "confidence" else "set to True"
        return f"{_said('d', answer['d'])}: {told}, and a read still returns it"
    return None


def a_persons_word_is_a_status(answer: Answer) -> str | None:
    """That a person stands by it is no degree of certainty: the state is called confirmed."""
    if answer["a"] == "status":
        return None
    sure, confirmed = (
        conflict.strength("agent", False, 1.0),
        conflict.strength("agent", False, 0.5, "confirmed"),
    )
    assert confirmed > sure
    told = (
        "a confidence of 1 is weaker than a person's word with 0.50"
        if answer["a"] == "confidence"
        else "it was said"
    )
    return f"{_said('a', answer['a'])}: {told}; who stands by it is a state"


def who_said_it_is_no_number(answer: Answer) -> str | None:
    """A conclusion is marked as one, however certain it is."""
    for case in ("b", "e"):
        if answer[case] == "is_inferred":
            continue
        if answer[case] == "status":
            return f"{_said(case, 'status')}: no status says where a claim comes from, and a withheld one helps nobody"
        said, sure = conflict.strength("agent", False, 0.5), conflict.strength("agent", False, 0.99)
        assert sure > said > conflict.strength("agent", True, 0.99)
        return f"{_said(case, 'confidence')}: with 0.99 it beats what somebody said with 0.50; marked as inferred it does not"
    return None


def how_sure_is_a_number(answer: Answer) -> str | None:
    """A claim that is doubtful, and was said, has a lower confidence and stays readable."""
    for case in ("c", "f"):
        if answer[case] == "confidence":
            continue
        if not _still_read(answer[case]):
            return (
                f"{_said(case, 'status')}: now no read returns it, and a doubtful reading is still a reading"
            )
        return f"{_said(case, 'is_inferred')}: it was read or said, not concluded; it is only less sure"
    return None


EXERCISE = Exercise(
    id="5.3",
    title="Status, confidence or inference?",
    concept="confidence",
    expected='a dict of the letters "a" to "f", each with the name of a field',
    fits=lambda answer: type(answer) is dict,
    laws=(
        names_one_of_the_three,
        what_may_not_be_used_is_a_status,
        a_persons_word_is_a_status,
        who_said_it_is_no_number,
        how_sure_is_a_number,
    ),
    yes="status says whether it may be used, confidence how sure it is, is_inferred whether anybody said it",
    misconceptions=(
        Misconception(
            "a low number is a withdrawal",
            "A confidence of 0 is still returned, and some reader will not look at the number. Withdraw it.",
            lambda answer: answer["d"] == "confidence",
        ),
        Misconception(
            "certain is as good as said",
            "A model can be sure of what nobody ever said. How sure and who said so are two questions.",
            lambda answer: "confidence" in (answer["b"], answer["e"]),
        ),
        Misconception(
            "doubtful is withdrawn",
            "Withheld, the reading is lost to everybody. Lower its confidence, and the reader can weigh it.",
            lambda answer: "status" in (answer["c"], answer["f"]),
        ),
        Misconception(
            "confirmed is a high number",
            "No number makes up for a person who looked. Confirmed is a state, with a name behind it.",
            lambda answer: answer["a"] == "confidence",
        ),
    ),
    hints=(
        "Which question is asked in each case: may it be used, how sure is it, or did anybody say it?",
        "After which of the three changes does no read return the memory any more?",
        "Can somebody be very sure of something that nobody said?",
    ),
)
