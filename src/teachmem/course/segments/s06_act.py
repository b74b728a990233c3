"""Exercise 6.3: moratorium or tombstone; its laws play every answer on a store, and the wrong ideas about it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache

from teachmem import store
from teachmem.clock import LessonClock
from teachmem.course.material import Exercise, Misconception, show
from teachmem.errors import MemoryRefused
from teachmem.ids import CountedIds
from teachmem.recall.embed import HashingEmbedder
from teachmem.record import Receipt

Answer = dict[str, str]

ACTS = ("tombstone", "moratorium", "retract", "defer", "quarantine")
CASES = {
    "a": "The code of the side door is a fact in memory. It must never be there.",
    "b": "A proposal waits that needs the new pads. They come in two weeks; until then nobody is to bring it up.",
    "c": "A fact says that gate four is shut. It was, and is open now. It may be shut again next week.",
    "d": "A proposal waits, and you cannot read it before tomorrow.",
    "e": "A text from a page waits. It looks planted; the safety-officer is to find it there, and marked.",
}
MEMORIES = "ac"  # the other cases are about what waits
SAID = "gate four is shut"


@dataclass(frozen=True, slots=True)
class Played:
    """What came of an act: is the value still read, what waits, and may it be written again?"""

    read: bool
    waits: tuple[str, ...]
    again: bool


@lru_cache(maxsize=32)
def played(act: str, on_memory: bool, days: int) -> Played | None:
    """Do `act` to a fact or to what waits, and look `days` later; None where it cannot be done to that."""
    clock = LessonClock(datetime(2026, 3, 15, 12, tzinfo=UTC))
    with store.open_memory(clock=clock, ids=CountedIds(), embedder=HashingEmbedder()) as mem:
        tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
        lead = mem.person("shift-lead", fleet="dock", tenant="northlight")
        made = tech.semantic.remember(SAID, source=None if on_memory else "web")
        name = made.memory.memory_id if made.memory else made.candidate_id or ""
        end = clock.now() + timedelta(days=14 if act == "moratorium" else 1)
        until = end if act == "moratorium" else None
        acts: Mapping[str, Callable[[], Receipt]] = {
            "retract": lambda: lead.semantic.retract(name, "not so"),
            "tombstone": lambda: lead.semantic.reject(name, "not so"),
            "moratorium": lambda: lead.semantic.reject(name, "not yet", until=until),
        }
        if not on_memory:
            acts = {
                "tombstone": lambda: lead.review.reject(name, "not so"),
                "moratorium": lambda: lead.review.reject(name, "not yet", until=until),
                "defer": lambda: lead.review.defer(name, end),
                "quarantine": lambda: lead.review.quarantine(name, "look at this"),
            }
        if act not in acts:
            return None
        acts[act]()
        clock.advance(days=days)
        read = any(fact.content == SAID for fact in tech.semantic.list())
        waits = tuple(item.state for item in lead.review.inbox() if item.candidate_id == name)
        try:
            tech.semantic.remember(SAID)
        except MemoryRefused:
            return Played(read, waits, again=False)
        return Played(read, waits, again=True)


def _told(answer: Answer, case: str, what: str) -> str:
    return f"{case} with {answer[case]}: {what}"


def _in(answer: Answer, case: str, days: int) -> Played | str:
    """Return what came of the answer to a case, or the sentence that it cannot be done."""
    on_memory = case in MEMORIES
    found = played(answer[case], on_memory, days)
    if found is not None:
        return found
    why = "it is a memory, and nothing waits" if on_memory else "it waits, and is no memory to take back"
    return _told(answer, case, why)


def names_one_of_the_five(answer: Answer) -> str | None:
    """Each case gets one of the five acts, by its name."""
    for case, act in sorted(answer.items()):
        if type(act) is not str or act not in ACTS:
            return f"{case}: {show(act)} is none of {', '.join(ACTS)}"
    return None


def never_is_for_good(answer: Answer) -> str | None:
    """What must never be there stays out, however long one waits."""
    found = _in(answer, "a", 365)
    if isinstance(found, str):
        return found
    return _told(answer, "a", "a year later it was written again, and accepted") if found.again else None


def until_has_an_end(answer: Answer) -> str | None:
    """What is not wanted until a day is refused before it, and may be proposed after it."""
    early, late = _in(answer, "b", 7), _in(answer, "b", 30)
    if isinstance(early, str) or isinstance(late, str):
        return early if isinstance(early, str) else str(late)
    if early.again:
        return _told(answer, "b", "a week later it was written, although the pads were not there")
    return None if late.again else _told(answer, "b", "the pads are there, and it is still refused")


def what_is_over_may_come_back(answer: Answer) -> str | None:
    """What was so, and is not so now, is taken back; it is no value that must stay out."""
    found = _in(answer, "c", 7)
    if isinstance(found, str):
        return found
    return (
        None if found.again else _told(answer, "c", "next week the gate was shut, and nobody could write it")
    )


def what_was_not_read_is_not_judged(answer: Answer) -> str | None:
    """What nobody has read yet waits until somebody has time."""
    found = _in(answer, "d", 2)
    if isinstance(found, str):
        return found
    if not found.waits:
        return _told(answer, "d", "it is not in the inbox any more, and nobody has read it")
    if "quarantined" in found.waits and answer["d"] == "quarantine":
        return _told(answer, "d", "it is marked as suspicious, and nobody has read it")
    return None


def what_is_suspicious_waits_and_is_marked(answer: Answer) -> str | None:
    """What somebody else is to look at stays in the inbox, with a mark."""
    found = _in(answer, "e", 0)
    if isinstance(found, str):
        return found
    return (
        None
        if found.waits
        else _told(answer, "e", "the safety-officer looked into the inbox, and it was not there")
    )


EXERCISE = Exercise(
    id="6.3",
    title="Moratorium or tombstone?",
    concept="moratorium",
    expected='a dict of the letters "a" to "e", each with the name of an act',
    fits=lambda answer: type(answer) is dict and set(answer) == set(CASES),
    laws=(
        names_one_of_the_five,
        never_is_for_good,
        until_has_an_end,
        what_is_over_may_come_back,
        what_was_not_read_is_not_judged,
        what_is_suspicious_waits_and_is_marked,
    ),
    yes="for good, until a day, over, not read yet, or suspicious: five answers, and only two of them reject",
    misconceptions=(
        Misconception(
            "a rejection wears off",
            "A secret is as secret in a year. What has an end is a moratorium, and must be called one.",
            lambda answer: answer["a"] == "moratorium",
        ),
        Misconception(
            "taken back is kept out",
            "To retract takes one memory back. The same words in a new row come in the next minute.",
            lambda answer: answer["a"] == "retract",
        ),
        Misconception(
            "not yet is never",
            "A no for good to something that is only early must be found and lifted. Say until when.",
            lambda answer: answer["b"] == "tombstone",
        ),
        Misconception(
            "what is over was wrong",
            "The gate was shut, and may be again. Rejecting the sentence forbids it for the day it is true.",
            lambda answer: answer["c"] in ("tombstone", "moratorium"),
        ),
        Misconception(
            "no time is a no",
            "A rejection is a judgement, and you have read nothing. Put it off.",
            lambda answer: answer["d"] in ("tombstone", "moratorium"),
        ),
        Misconception(
            "suspicious is rejected",
            "Then it is gone before the one who should see it has looked. Mark it, and let it wait.",
            lambda answer: answer["e"] in ("tombstone", "moratorium"),
        ),
    ),
    hints=(
        "In which of the five is the value itself to be kept out, whoever writes it?",
        "In which case do you know the day on which the reason ends?",
        "What is it about: a memory, or something that waits?",
    ),
)
