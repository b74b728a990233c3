"""Probes of review: people decide, on what they have seen, and the log says that they did."""

from __future__ import annotations

from teachmem.marks.probe import control, expect, probe, refused, texts
from teachmem.marks.system import Actor, Found, System

WISH = "every fleet charges at night"


def proposed(system: System, text: str = WISH) -> tuple[Actor, Actor, Found]:
    """Let an agent propose a text; return the agent, a person and what waits for that person."""
    agent, person = system.acting("dock-1"), system.acting("shift-lead", person=True)
    agent.propose(text)
    waiting = [item for item in person.pending() if item.text == text]
    control(len(waiting) == 1, "what was proposed waits for a person")
    return agent, person, waiting[0]


@probe(
    "human_review",
    name="waits_for_a_yes",
    asks="Is what was proposed held only after a person has approved it?",
)
def waits_for_a_yes(system: System) -> str:
    """Look before and after the approval."""
    agent = system.acting("dock-1")
    agent.write("gate four is open")
    control(
        "gate four is open" in texts(agent.recall("gate four is open")), "what is written is held at once"
    )
    agent.propose(WISH)
    expect(WISH not in texts(agent.recall(WISH)), "it is held before anybody said yes")
    agent, person, item = proposed(system, WISH)
    person.decide(item, "approve")
    control(WISH in texts(agent.recall(WISH)), "it is held after the approval")
    expect(not person.pending(), "it still waits after the approval")
    return "not held before the approval, held after it"


@probe(
    "human_review",
    name="no_means_no",
    asks="Does a rejected proposal stay out, and out of the inbox, when it is proposed again?",
)
def no_means_no(system: System) -> str:
    """Reject, and propose it again."""
    agent, person, item = proposed(system)
    person.decide(item, "reject")
    expect(WISH not in texts(agent.recall(WISH)), "it is held although a person said no")
    refused(agent.propose, WISH.upper())
    again = [waiting.text for waiting in person.pending()]
    expect(not again, f"the person is asked again: {again[:1]!r}")
    return "said no once, and not asked again"


@probe(
    "human_review",
    name="agents_do_not_decide",
    asks="Can an agent not approve what it has proposed, nor another agent?",
)
def agents_do_not_decide(system: System) -> str:
    """Let two agents try, and then a person."""
    agent, person, item = proposed(system)
    for who in (agent, system.acting("dock-2")):
        refused(who.decide, item.id, "approve")
        expect(WISH not in texts(agent.recall(WISH)), "an agent approved it")
    person.decide(item, "approve")
    control(WISH in texts(agent.recall(WISH)), "a person can")
    return "two agents could not, a person could"


@probe(
    "human_review",
    name="decides_on_what_was_read",
    asks="Is a yes to a text void if the text was edited after it was read?",
)
def decides_on_what_was_read(system: System) -> str:
    """Let a second person edit what the first has read."""
    agent, person, item = proposed(system, "arm 1 may restart after a check")
    system.acting("night-lead", person=True).edit(item.id, "arm 1 may restart at once")
    control(
        [one.text for one in person.pending()] == ["arm 1 may restart at once"],
        "the text was edited meanwhile",
    )
    why = refused(person.decide, item, "approve")
    found = texts(agent.recall("arm 1 may restart at once"))
    expect("arm 1 may restart at once" not in found, "a text was approved that the person had never read")
    return f"the person was told: {why}"


@probe(
    "human_review",
    name="decided_once",
    asks="Is the second of two people who decide told that it is decided, and nothing undone?",
)
def decided_once(system: System) -> str:
    """Let one approve and the other reject what both have read."""
    agent, person, item = proposed(system)
    second = system.acting("night-lead", person=True)
    also = next(one for one in second.pending() if one.text == WISH)
    person.decide(item, "approve")
    control(WISH in texts(agent.recall(WISH)), "the first decision holds")
    why = refused(second.decide, also, "reject")
    expect(WISH in texts(agent.recall(WISH)), "the second decision undid the first in silence")
    expect(why, "the second one was told nothing")
    return f"the second one was told: {why}"


@probe("human_review", name="names_the_person", asks="Does the log name the person who approved?")
def names_the_person(system: System) -> str:
    """Approve, and read the trail."""
    agent, person, item = proposed(system)
    person.decide(item, "approve")
    held = [one for one in agent.recall(WISH) if one.text == WISH]
    control(held, "it is held after the approval")
    trail = person.trail(held[0].id)
    expect(any("shift-lead" in line for line in trail), f"the log says {'; '.join(trail) or 'nothing'}")
    return "; ".join(trail)
