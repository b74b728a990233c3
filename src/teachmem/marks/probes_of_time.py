"""Probes of the two times: when something held, and when it was known."""

from __future__ import annotations

from datetime import timedelta

from teachmem.marks.probe import control, expect, probe, texts
from teachmem.marks.system import System

NIGHT, DAY = "bay two is run by the night lead", "bay two is run by the day lead"
QUESTION = "who runs bay two?"


@probe("bitemporal", name="held_then", asks="Does a question about a moment get what held at that moment?")
def held_then(system: System) -> str:
    """Write one fact that held until noon and one that holds from noon."""
    agent, noon = system.acting("dock-1"), system.now()
    agent.write(NIGHT, valid_from=noon - timedelta(hours=8), valid_to=noon)
    agent.write(DAY, valid_from=noon, valid_to=noon + timedelta(hours=8))
    before, after = noon - timedelta(hours=1), noon + timedelta(hours=1)
    control(DAY in texts(agent.recall(QUESTION)), "what holds now is found")
    found = texts(agent.recall(QUESTION, at=before))
    expect(found == [NIGHT], f"for an hour before noon a search gives {found!r}")
    found = texts(agent.recall(QUESTION, at=after))
    expect(found == [DAY], f"for an hour after noon it gives {found!r}")
    return "each is found for its own hours alone"


@probe(
    "bitemporal",
    name="half_open",
    asks="At the very moment of a change, does one answer hold and not two or none?",
)
def half_open(system: System) -> str:
    """Ask for the moment at which one fact ends and the next begins."""
    agent, noon = system.acting("dock-1"), system.now()
    agent.write(NIGHT, valid_to=noon)
    agent.write(DAY, valid_from=noon)
    control(NIGHT in texts(agent.recall(QUESTION, at=noon - timedelta(hours=1))), "the first is found before")
    found = texts(agent.recall(QUESTION, at=noon))
    expect(found == [DAY], f"at the moment of the change a search gives {found!r}")
    return "at the moment of the change the new one holds, alone"


@probe("bitemporal", name="over_is_over", asks="Is what has ended left out of an answer about now?")
def over_is_over(system: System) -> str:
    """Write a fact that ends in an hour, and wait."""
    agent = system.acting("dock-1")
    agent.write(NIGHT, valid_to=system.now() + timedelta(hours=1))
    control(NIGHT in texts(agent.recall(QUESTION)), "it is found while it holds")
    system.advance(2)
    agent.write("bay two is painted blue")
    found = texts(agent.recall(QUESTION))
    control("bay two is painted blue" in found, "what holds is found after")
    expect(NIGHT not in found, "what ended an hour ago is given for now")
    return "found while it held, not after"


@probe(
    "bitemporal", name="believed_then", asks="After a correction, can it still say what was believed before?"
)
def believed_then(system: System) -> str:
    """Correct a fact two days later, and ask for what was known on the day between."""
    agent = system.acting("dock-1")
    held = agent.write(NIGHT)
    system.advance(24)
    between = system.now()
    system.advance(24)
    agent.revise(held, DAY)
    control(DAY in texts(agent.recall(QUESTION)), "the correction is believed now")
    found = texts(agent.recall(QUESTION, known_at=between))
    expect(found == [NIGHT], f"asked for what was believed before the correction it gives {found!r}")
    return "before the correction the old one, now the new one"


@probe(
    "bitemporal", name="not_known_yet", asks="Is what was learned later left out of what was known earlier?"
)
def not_known_yet(system: System) -> str:
    """Learn on the second day what held on the first, and ask for the first day's knowledge."""
    agent = system.acting("dock-1")
    agent.write("bay two is painted blue")
    first = system.now() + timedelta(minutes=1)
    system.advance(24)
    agent.write(NIGHT, valid_from=first - timedelta(hours=1))
    control(NIGHT in texts(agent.recall(QUESTION, at=first)), "today it is known that it held yesterday")
    found = texts(agent.recall(QUESTION, at=first, known_at=first))
    control("bay two is painted blue" in found, "what was known yesterday is found for yesterday")
    expect(NIGHT not in found, "what was learned today is given as known yesterday")
    return "it held yesterday, and was not known yesterday"


@probe("bitemporal", name="withdrawn_since", asks="Was what is withdrawn today believed yesterday?")
def withdrawn_since(system: System) -> str:
    """Withdraw a fact, and ask for now and for before."""
    agent = system.acting("dock-1")
    held = agent.write(NIGHT)
    between = system.now() + timedelta(minutes=1)
    system.advance(24)
    control(NIGHT in texts(agent.recall(QUESTION)), "it is believed before it is withdrawn")
    agent.retract(held, "misheard")
    expect(NIGHT not in texts(agent.recall(QUESTION)), "it is believed after it was withdrawn")
    expect(NIGHT in texts(agent.recall(QUESTION, known_at=between)), "nothing says that it was believed")
    return "not believed now, and known to have been believed"
