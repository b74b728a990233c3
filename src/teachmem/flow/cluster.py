"""What was done again and again: events of one shape, and the events that used to follow them.

Two events have one shape when at least half of their words are common (Jaccard 1901, over terms without
numbers), so that robots and counts may differ. A *pattern* is a shape that began the same steps in several
sessions: at least `SESSIONS`, none of which ended in a reported failure. A step counts when it followed
within `AHEAD` events in more than half of them.

>>> shape("arm 3 slipped at dock 7") == shape("arm 12 slipped at dock 9")
True

Left out: what a step means, and whether it helped. A person reads the pattern before anybody follows it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from teachmem.recall import text
from teachmem.record import Memory

ALIKE = 0.5
SESSIONS = 3
AHEAD = 6


@dataclass(frozen=True, slots=True)
class Pattern:
    """Events that began alike and what followed them. `evidence` is every event that speaks for it."""

    trigger: Memory
    steps: tuple[Memory, ...]  # an example of each step, in order
    evidence: tuple[Memory, ...]
    sessions: int

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of its evidence: what a pattern is known again by."""
        return tuple(memory.memory_id for memory in self.evidence)


def shape(content: str) -> frozenset[str]:
    """Return the terms of a text that make its shape."""
    return frozenset(term for term in text.terms(content) if not any(char.isdigit() for char in term))


def patterns(events: Sequence[Memory]) -> list[Pattern]:
    """Return the patterns in `events` (oldest first), those with the most steps and sessions first."""
    events = [event for event in events if event.session]
    kinds = _kinds(events)
    sessions: dict[str, list[int]] = defaultdict(list)
    failed = {event.session for event in events if event.detail.get("outcome") == "failure"}
    for place, event in enumerate(events):
        if event.session not in failed and event.kind != "outcome":
            sessions[event.session].append(place)
    found = [_pattern(kind, events, kinds, sessions) for kind in dict.fromkeys(kinds)]
    ranked = sorted(
        (pattern for pattern in found if pattern),
        key=lambda pattern: (-len(pattern.steps), -pattern.sessions, pattern.trigger.memory_id),
    )
    kept: list[Pattern] = []
    for pattern in ranked:  # what is a step of another pattern begins none of its own
        if not any(set(pattern.ids) <= set(other.ids) for other in kept):
            kept.append(pattern)
    return kept


def _kinds(events: Sequence[Memory]) -> list[int]:
    """Return for each event the place of the first event of its shape."""
    firsts: list[tuple[int, frozenset[str]]] = []
    kinds = []
    for place, event in enumerate(events):
        own = shape(event.content)
        known = next((first for first, other in firsts if _jaccard(own, other) >= ALIKE), None)
        if known is None:
            firsts.append((place, own))
        kinds.append(place if known is None else known)
    return kinds


def _jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other) if one or other else 0.0


def _pattern(
    kind: int, events: Sequence[Memory], kinds: Sequence[int], sessions: dict[str, list[int]]
) -> Pattern | None:
    followed: dict[int, list[tuple[int, int]]] = defaultdict(list)  # step: (how far behind, which event)
    begins = []
    for places in sessions.values():
        start = next((at for at, place in enumerate(places) if kinds[place] == kind), None)
        if start is None:
            continue
        begins.append(places[start])
        seen = {kind}
        for behind, place in enumerate(places[start + 1 : start + 1 + AHEAD]):
            if kinds[place] not in seen:
                seen.add(kinds[place])
                followed[kinds[place]].append((behind, place))
    often = {step: found for step, found in followed.items() if 2 * len(found) > len(begins)}
    if len(begins) < SESSIONS or not often:
        return None
    order = sorted(often, key=lambda step: (sum(at for at, _ in often[step]) / len(often[step]), step))
    places = sorted({*begins, *(place for step in order for _, place in often[step])})
    steps = tuple(events[often[step][0][1]] for step in order)
    return Pattern(events[begins[0]], steps, tuple(events[place] for place in places), len(begins))
