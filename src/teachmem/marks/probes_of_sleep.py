"""Probes of consolidation: what was experienced is summed up once, founded, and not believed at once."""

from __future__ import annotations

from teachmem.marks.probe import control, expect, kept, probe, refused, texts
from teachmem.marks.system import System

HUM, IN_OTHER_WORDS = "Roller 31 hums.", "A hum comes from roller 31."


@probe(
    "consolidation",
    name="summed_up_once",
    asks="Is one event summed up once, where a model words it otherwise the second time?",
)
def summed_up_once(system: System) -> str:
    """Run twice over the same event."""
    agent, person = system.acting("dock-1"), system.acting("shift-lead", person=True)
    event = agent.log("roller 31 hums")
    control(agent.consolidate([(HUM, [event])]) == 1, "the first run makes a fact of it")
    again = agent.consolidate([(IN_OTHER_WORDS, [event])])
    waiting = [item.text for item in person.pending()]
    expect(again == 0 and IN_OTHER_WORDS not in waiting, f"the second run made {again} more: {waiting!r}")
    return "the second run made nothing"


@probe(
    "consolidation",
    name="late_is_not_lost",
    asks="Is an event summed up that lies days back when the next run comes?",
)
def late_is_not_lost(system: System) -> str:
    """Wait three days before the next run."""
    agent, person = system.acting("dock-1"), system.acting("shift-lead", person=True)
    event = agent.log("roller 30 squeaks")
    made = agent.consolidate([("Roller 30 squeaks.", [event])])
    there = "Roller 30 squeaks." in texts(person.pending()) or kept(agent, "Roller 30 squeaks.")
    control(made == 1 and there, "a fresh event is summed up")
    event = agent.log("roller 31 hums")
    system.advance(72)
    made = agent.consolidate([(HUM, [event])])
    expect(made == 1, "an event of three days ago is summed up by no run")
    return "three days later it was still summed up"


@probe("consolidation", name="evidence_exists", asks="Is a summary dropped whose evidence was never there?")
def evidence_exists(system: System) -> str:
    """Let a model cite one event that is there and one that is not."""
    agent, person = system.acting("dock-1"), system.acting("shift-lead", person=True)
    event = agent.log("roller 31 hums")
    made = agent.consolidate([(HUM, [event]), ("Roller 31 was oiled.", ["event-9999"]), ("It is old.", [])])
    control(made >= 1, "the founded one is made")
    waiting = [item.text for item in person.pending()] + texts(agent.recall("Roller 31 was oiled."))
    expect(made == 1 and "Roller 31 was oiled." not in waiting, f"{made} facts were made: {waiting!r}")
    return "the founded one was made, the two unfounded ones were not"


@probe(
    "consolidation", name="a_summary_waits", asks="Is a summary believed only after a person has approved it?"
)
def a_summary_waits(system: System) -> str:
    """Look for the summary before and after."""
    agent, person = system.acting("dock-1"), system.acting("shift-lead", person=True)
    event = agent.log("roller 31 was replaced at noon")
    control(agent.consolidate([(HUM, [event])]) == 1, "a summary is made")
    expect(HUM not in texts(agent.recall(HUM)), "a model's sentence is believed at once")
    person.decide(next(item for item in person.pending() if item.text == HUM), "approve")
    control(HUM in texts(agent.recall(HUM)), "it is believed after the approval")
    return "not believed before the approval, believed after it"


@probe(
    "consolidation", name="no_wider_than_its_ground", asks="Does a summary of private memories stay private?"
)
def no_wider_than_its_ground(system: System) -> str:
    """Sum up what is private and what is not, approve both, and look as a colleague."""
    agent, colleague = system.acting("dock-1"), system.acting("dock-2")
    person = system.acting("shift-lead", person=True)
    shown = agent.log("gate four sticks")
    hidden = agent.log("the key hangs at bay two", private=True)
    control(
        agent.consolidate([("Gate four sticks.", [shown]), ("The key is at bay two.", [hidden])]) == 2,
        "two summaries are made",
    )
    for item in person.pending():
        refused(person.decide, item, "approve")
    control(
        "Gate four sticks." in texts(colleague.recall("Gate four sticks.")), "a colleague finds the open one"
    )
    expect(
        "The key is at bay two." not in texts(colleague.recall("The key is at bay two.")),
        "a colleague finds the private one",
    )
    return "the summary of a private memory is as private"


@probe(
    "consolidation",
    name="a_bad_answer_loses_nothing",
    asks="Is an event still summed up after a model's answer to it was of no use?",
)
def a_bad_answer_loses_nothing(system: System) -> str:
    """Let the first answer be unfounded, and the second good."""
    agent = system.acting("dock-1")
    control(
        agent.consolidate([("Gate four sticks.", [agent.log("gate four sticks")])]) == 1,
        "a good answer is taken",
    )
    event = agent.log("roller 31 hums")
    control(agent.consolidate([("Nothing is wrong.", ["event-9999"])]) == 0, "the bad answer makes nothing")
    expect(agent.consolidate([(HUM, [event])]) == 1, "after a bad answer the event is summed up by no run")
    return "the run after the bad answer summed it up"
