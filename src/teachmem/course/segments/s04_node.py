"""Exercise 4.1: a node that recalls events and not its own echo; its laws, and the wrong ideas about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import FrozenInstanceError, fields, replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any

from teachmem import store
from teachmem.clock import LessonClock
from teachmem.course.material import Exercise, Misconception, Wrong, call, is_function, show
from teachmem.flow import logbook
from teachmem.flow.state import Means, Node, State
from teachmem.ids import CountedIds
from teachmem.record import Memory

NOON = datetime(2026, 3, 15, 12, tzinfo=UTC)
MOST = 8
CALLED = "recall_episodes(state, means)"
TRIPS = (
    "hoist NL-0007 tripped at 95 degC, fog at bay three",
    "hoist NL-0007 tripped a second time with 240 kg only",
    "hoist NL-0007 was dried and lifts again",
)
LATE = "hoist NL-0007 tripped once more, the dryer lamp was out"
GULL = "a gull sat on the dock plate of bay one"
ASKED = (
    *(f"hoist NL-0007 tripped in week {week}?" for week in range(10)),  # each has an answer of its own
    "why has hoist NL-0007 tripped?",
)


@lru_cache(maxsize=1)
def _world() -> tuple[State, Means, datetime]:
    """Return the state and the means before the node, and a moment before the last trip.

    The store holds four trips, a gull, and an answer to each of the questions. No law writes to it.
    """
    clock = LessonClock(NOON - timedelta(days=2))
    mem = store.open_memory(clock=clock, ids=CountedIds())
    tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
    for content in (*TRIPS, GULL):
        tech.episodic.log("observation", content)
        clock.advance(hours=1)
    before = clock.now()
    clock.advance(hours=30)
    tech.episodic.log("observation", LATE)
    clock.set(NOON)
    met: list[tuple[State, Means]] = []

    def meet(state: State, means: Means) -> State:
        met.append((state, means))
        return state

    for question in ASKED:
        clock.advance(minutes=1)
        tech.ask(question)
    tech.ask(ASKED[-1], nodes={"recall_episodes": meet})
    state, means = met[0]
    return replace(state, remarks=("read before",)), means, before


def _gave(node: Node, state: State, means: Means) -> Any:
    def recall_episodes() -> Any:
        return node(state, means)

    return call(recall_episodes)


def _events(node: Node, state: State, means: Means) -> Sequence[Memory]:
    got = _gave(node, state, means)
    if not isinstance(got, State):
        raise Wrong(f"{CALLED} gave {show(got)}, which is no State")
    if not all(isinstance(event, Memory) for event in got.events):
        raise Wrong(
            f"{CALLED} gave events that are no memories: {show(got.events)}; a hit has its in .memory"
        )
    return tuple(got.events)


def gives_a_state(node: Node) -> str | None:
    """A node takes a state and gives a state."""
    state, means, _ = _world()
    got = _gave(node, state, means)
    return None if isinstance(got, State) else f"{CALLED} gave {show(got)}; the next node needs a State"


def keeps_what_is_known(node: Node) -> str | None:
    """What the nodes before it found is still there."""
    state, means, _ = _world()
    got = _gave(node, state, means)
    for each in fields(State):
        was, now = getattr(state, each.name), getattr(got, each.name)
        if each.name not in ("events", "cosines") and was != now:
            return f"before, state.{each.name} was {show(was)}; after {CALLED} it is {show(now)}"
    return None


def leaves_answers_out(node: Node) -> str | None:
    """An answer that was logged before is no event to answer from."""
    state, means, _ = _world()
    echo = [event for event in _events(node, state, means) if logbook.is_answer(event)]
    if not echo:
        return None
    return f"asked {show(state.question)}, {len(echo)} of its events are answers of its own, such as {show(echo[0].content)}"


def finds_what_happened(node: Node) -> str | None:
    """What happened and speaks of the question is there, however many answers were logged since."""
    state, means, _ = _world()
    for question, due in ((state.question, (*TRIPS, LATE)), ("was a gull at bay one?", (GULL,))):
        found = [event.content for event in _events(node, replace(state, question=question), means)]
        for content in due:
            if content not in found:
                return f"asked {show(question)}, it does not find {show(content)}; it gave {show(found)}"
    return None


def takes_eight_places(node: Node) -> str | None:
    """A context has room for eight events."""
    state, means, _ = _world()
    got = len(_events(node, state, means))
    return None if got <= MOST else f"{CALLED} gave {got} events; at most {MOST} are wanted"


def looks_at_the_asked_time(node: Node) -> str | None:
    """A question about what was known then is answered by what was known then."""
    state, means, before = _world()
    found = [event.content for event in _events(node, state, replace(means, known_at=before))]
    if LATE in found:
        return f"asked what was known at {before:%A %H:%M}, it recalls {show(LATE)}, which was logged later"
    if TRIPS[0] not in found:
        return f"asked what was known at {before:%A %H:%M}, it does not recall {show(TRIPS[0])}"
    return None


def _assigns(node: Node) -> bool:
    state, means, _ = _world()
    try:
        node(state, means)
    except FrozenInstanceError:
        return True
    return False


EXERCISE = Exercise(
    id="4.1",
    title="A node without echo",
    concept="pipeline",
    expected="a function of a state and the means",
    fits=is_function,
    laws=(
        gives_a_state,
        keeps_what_is_known,
        leaves_answers_out,
        finds_what_happened,
        takes_eight_places,
        looks_at_the_asked_time,
    ),
    yes="a new state with what happened, as of the time that is asked about, and no answer among it",
    misconceptions=(
        Misconception(
            "a node changes what it is given",
            "Then the trace could not show what went in. A state is frozen; make the next one from it.",
            _assigns,
        ),
        Misconception(
            "a node gives its own part",
            "The next node needs all that is known so far, not the events alone.",
            "gives_a_state",
        ),
        Misconception(
            "a new state starts empty",
            "Intents, edges and notes were found by the nodes before. A state that is made anew has lost them.",
            "keeps_what_is_known",
        ),
        Misconception(
            "an answer is an event like any other",
            "It says again what its evidence says, is newer than that, and fits the question better. So it comes first.",
            "leaves_answers_out",
        ),
        Misconception(
            "first cut, then filter",
            "Of the first eight, all may be answers. What is left out must not take a place first.",
            "finds_what_happened",
        ),
        Misconception(
            "a question is about now",
            "Whoever asks what was known on Friday is told what came on Sunday. The means say which times are asked about.",
            "looks_at_the_asked_time",
        ),
    ),
    hints=(
        "Which function makes a changed copy of something frozen?",
        "Ten answers were logged since the last trip. How many hits do you have to ask for, to be left with eight events?",
        "What do the means hold beside the tiers, and which two arguments of recall() would take it?",
    ),
)
