"""Exercise 4.2: the second version of a skill; its laws, and the wrong ideas about it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache

from teachmem import store
from teachmem.clock import LessonClock
from teachmem.course import world
from teachmem.course.material import Exercise, Misconception, Wrong, show
from teachmem.errors import InvalidInput, TeachmemError
from teachmem.ids import CountedIds
from teachmem.tiers import procedural

NAME = "diagnose-a-robot"
NEW = ("the cups of NL-0004 lose vacuum", "vacuum is low at the sack gripper")
OLD = ("the hoist is overheating", "arm NL-0012 is drifting", "the gripper slips")
OTHERS = {
    "compare NL-0003 with NL-0012": "compare-two-robots",
    "write a report for the maintenance of NL-0014": "write-a-maintenance-report",
}
GIVEN = ("NL-0004", "cup two hisses")


@dataclass(frozen=True, slots=True)
class Loaded:
    """What became of a text: the skills' names, its version, its arguments, what is chosen, and filled in."""

    names: tuple[str, ...]
    version: int
    arguments: tuple[str, ...]
    chosen: Mapping[str, str]
    filled: str


@lru_cache(maxsize=8)
def _loaded(text: str) -> Loaded:
    """Let `text` in after the skills of the course, in a store of its own."""
    clock = LessonClock(datetime(2026, 3, 15, 12, tzinfo=UTC))
    with store.open_memory(clock=clock, ids=CountedIds()) as mem:
        lead = mem.person("shift-lead", fleet="dock", tenant="northlight")
        files = sorted((world.data_folder() / "skills").glob("*.md"))
        lead.load_skills(path.read_text(encoding="utf-8") for path in files)
        clock.advance(minutes=1)
        try:
            lead.load_skills([text])
        except InvalidInput as refused:
            raise Wrong(f"the text is refused: {refused}") from None
        except TeachmemError as refused:
            raise Wrong(f"the gate refuses it: {refused}") from None
        tasks = (*NEW, *OLD, *OTHERS)
        hits = {task: list(lead.procedural.choose(task, 1)) for task in tasks}
        skill = lead.procedural.get(procedural.parse(text)["name"])
        given = dict.fromkeys(skill.arguments, "x") | dict(zip(("robot", "symptom"), GIVEN, strict=True))
        filled = procedural.fill(
            skill.memory.content, skill.arguments, {name: given[name] for name in skill.arguments}
        )
        names = tuple(one.name for one in lead.procedural.list())
        chosen = {task: found[0].memory.subject if found else "none" for task, found in hits.items()}
        return Loaded(names, skill.version, skill.arguments, chosen, filled)


def is_the_next_version(text: str) -> str | None:
    """A changed skill is the next version of the one that is known."""
    loaded = _loaded(text)
    if loaded.version == 2:
        return None
    return f"there are {len(loaded.names)} skills now: {show(list(loaded.names))}, and yours is version {loaded.version} of itself"


def serves_any_robot(text: str) -> str | None:
    """What differs from use to use has a place in the body."""
    loaded = _loaded(text)
    if set(loaded.arguments) != {"robot", "symptom"}:
        return f"the skill takes {show(list(loaded.arguments))}; whoever uses it hands in robot and symptom"
    missing = [value for value in GIVEN if value not in loaded.filled]
    if missing:
        return f"filled in for {GIVEN[0]}, its text does not hold {show(missing[0])}"
    named = sorted(set(re.findall(r"NL-\d{4}", loaded.filled)) - {GIVEN[0]})
    return f"filled in for {GIVEN[0]}, its text speaks of {named[0]}" if named else None


def is_chosen_for_vacuum(text: str) -> str | None:
    """Who describes a lost vacuum is handed this skill."""
    return _chosen(text, NEW)


def is_still_chosen_for_the_rest(text: str) -> str | None:
    """What the first version was for, the second is for too."""
    return _chosen(text, OLD)


def leaves_other_tasks_alone(text: str) -> str | None:
    """For other tasks other skills come first, as before."""
    for task, due in OTHERS.items():
        if (got := _loaded(text).chosen[task]) != due:
            return f"for {show(task)} it is {got} that is chosen now, and {due} was"
    return None


def _chosen(text: str, tasks: tuple[str, ...]) -> str | None:
    for task in tasks:
        if (got := _loaded(text).chosen[task]) != NAME:
            return f"for {show(task)} the skill that is chosen is {got}"
    return None


EXERCISE = Exercise(
    id="4.2",
    title="The second version of a skill",
    concept="skill",
    expected="the text of a skill: a head between two lines of three dashes, then the body",
    fits=lambda answer: isinstance(answer, str),
    laws=(
        is_the_next_version,
        serves_any_robot,
        is_chosen_for_vacuum,
        is_still_chosen_for_the_rest,
        leaves_other_tasks_alone,
    ),
    yes="version 2, chosen for a lost vacuum and for all that it was for, and out of the way of the others",
    misconceptions=(
        Misconception(
            "a new version has a new name",
            "Then there are two skills, and the old one is still handed out. The store counts versions by itself.",
            "is_the_next_version",
        ),
        Misconception(
            "a skill is written for its first case",
            "The next robot is then looked after as if it were this one. What changes from use to use is an argument.",
            "serves_any_robot",
        ),
        Misconception(
            "a good body is found by itself",
            "What a skill is for counts more than how it is done: the trigger has to say it.",
            "is_chosen_for_vacuum",
        ),
        Misconception(
            "the new case replaces the old ones",
            "A trigger holds every case that the skill is for, not the last one that somebody met.",
            "is_still_chosen_for_the_rest",
        ),
        Misconception(
            "the longer the trigger, the better",
            "A trigger that names every task is chosen for every task, and the right skill comes second.",
            "leaves_other_tasks_alone",
        ),
    ),
    hints=(
        "By what does the store know that your text is a version of a skill it has?",
        "Which words would somebody use who sees that a cup does not hold, and where does choose() look for them first?",
        "What did the trigger say before, and which of that is no longer in yours?",
    ),
)
