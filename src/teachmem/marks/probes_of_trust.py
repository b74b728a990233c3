"""Probes of trust: what was withdrawn, doubted, outdone or has run out is in no answer."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from teachmem.marks.probe import control, expect, kept, probe, refused, texts
from teachmem.marks.system import NotOffered, System

FIT, RECALLED = "Lot 26-0209 is fit for use.", "Talk has it that lot 26-0209 is recalled."
LOT = ("lot 26-0209", "has_status")


@probe(
    "trust_state",
    name="retracted_is_gone",
    asks="Is a withdrawn memory left out of search, list, get by id and context?",
)
def retracted_is_gone(system: System) -> str:
    """Write two facts and withdraw one."""
    agent = system.acting("dock-1")
    agent.write("gate four sticks when it is cold")
    wrong = agent.write("gate four opens at six")
    control("gate four opens at six" in texts(agent.recall("gate four opens at six")), "it is found before")
    agent.retract(wrong, "read the wrong plan")
    paths: dict[str, Callable[[], list[str]]] = {
        "search": lambda: texts(agent.recall("gate four opens at six")),
        "list": lambda: texts(agent.everything()),
        "get": lambda: [str(agent.get(wrong))],
        "context": lambda: [agent.context("when does gate four open?")],
    }
    asked = []
    for path, read in paths.items():
        try:
            found = read()
        except NotOffered:
            continue
        asked.append(path)
        expect("opens at six" not in " ".join(found), f"{path} still returns it")
    kept = texts(agent.recall("gate four sticks when it is cold"))
    control("gate four sticks when it is cold" in kept, "the other one is found after")
    return f"withdrawn from {', '.join(asked)}; its neighbour is there"


@probe(
    "trust_state",
    name="certificate_outlives_rumour",
    asks="Is a well-founded fact still there after somebody repeated a rumour against it?",
)
def certificate_outlives_rumour(system: System) -> str:
    """Let a person state a fact and an agent contradict it, unsure."""
    person, agent = system.acting("shift-lead", person=True), system.acting("dock-1")
    person.write(FIT, triple=(*LOT, "fit for use"))
    control(kept(agent, FIT), "the fact is found before")
    system.advance(1)
    agent.write(RECALLED, triple=(*LOT, "recalled"), confidence=0.2)
    found = texts(agent.recall(FIT))
    expect(FIT in found, f"after the rumour a search gives {found[:2]!r}")
    return "what a person stated stands beside an agent's hearsay"


@probe(
    "trust_state",
    name="rumour_is_withheld",
    asks="Is an unsure claim that contradicts a sure one left out of a search for its own words?",
)
def rumour_is_withheld(system: System) -> str:
    """Write the rumour where nothing contradicts it, and where something does."""
    person, agent = system.acting("shift-lead", person=True), system.acting("dock-1")
    agent.write("Talk has it that bay one is shut.", triple=("bay one", "has_status", "shut"), confidence=0.2)
    control(
        "Talk has it that bay one is shut." in texts(agent.recall("bay one is shut")),
        "an unsure claim that nothing contradicts is found",
    )
    person.write(FIT, triple=(*LOT, "fit for use"))
    agent.write(RECALLED, triple=(*LOT, "recalled"), confidence=0.2)
    found = texts(agent.recall(RECALLED))
    expect(
        RECALLED not in found,
        f"the rumour is at place {found.index(RECALLED) + 1 if RECALLED in found else 0}",
    )
    return "the contradicted claim is withheld, an uncontradicted one is not"


@probe(
    "trust_state",
    name="run_out_without_a_sweep",
    asks="Is a memory that has run out left out at once, before any job has cleaned up?",
)
def run_out_without_a_sweep(system: System) -> str:
    """Write a permit for an hour and look before and after."""
    agent, text = system.acting("dock-1"), "the crane has a permit"
    agent.write(text, expires_at=system.now() + timedelta(hours=1))
    agent.write("the crane is yellow")
    control(text in texts(agent.recall(text)), "it is found while it holds")
    system.advance(2)
    found = texts(agent.recall(text))
    control("the crane is yellow" in found, "what does not run out is found after")
    expect(text not in found, "it is found an hour after its end")
    return "found before its end, not after it"


@probe(
    "trust_state",
    name="source_above_rank",
    asks="Is an agent refused that calls its own claim a person's or the catalogue's?",
)
def source_above_rank(system: System) -> str:
    """Let an agent claim its own source and two that are not its to claim."""
    agent = system.acting("dock-1")
    agent.write("belt three hums", source="agent")
    control("belt three hums" in texts(agent.recall("belt three hums")), "its own source is taken")
    for source in ("person", "catalogue"):
        text = f"belt four is safe, says the {source}"
        refused(agent.write, text, source=source)
        expect(text not in texts(agent.recall(text)), f"an agent's claim is held as from a {source}")
    return "claims in the name of a person and of the catalogue are not held"


@probe(
    "trust_state",
    name="corrected_is_replaced",
    asks="Does a correction take the place of what it corrects, in every answer about now?",
)
def corrected_is_replaced(system: System) -> str:
    """Write, correct, and ask for both."""
    agent = system.acting("dock-1")
    held = agent.write("rack nine carries 400 kg")
    control(
        "rack nine carries 400 kg" in texts(agent.recall("rack nine carries 400 kg")), "it is found before"
    )
    agent.revise(held, "rack nine carries 250 kg")
    found = texts(agent.recall("rack nine carries 400 kg"))
    expect("rack nine carries 250 kg" in found, f"the correction is not found, but {found[:2]!r}")
    expect("rack nine carries 400 kg" not in found, "what was corrected is still found")
    return "only the correction is found"


@probe(
    "trust_state",
    name="numbers_that_are_none",
    asks="Is a claim refused whose confidence is no number from 0 to 1, and not bent into one?",
)
def numbers_that_are_none(system: System) -> str:
    """Write with a confidence that is one, and with some that are not."""
    agent = system.acting("dock-1")
    agent.write("belt three hums", confidence=0.4)
    control("belt three hums" in texts(agent.recall("belt three hums")), "a confidence of 0.4 is taken")
    for wrong in (-1.0, 1.5, 7.0, 1e300):  # and not what JSON cannot carry: that, a client changes on its way
        text = f"belt {wrong} hums"
        refused(agent.write, text, confidence=wrong)
        expect(text not in texts(agent.recall(text)), f"it is held with a confidence of {wrong}")
    return "-1, 1.5, 7 and 1e300 were refused"
