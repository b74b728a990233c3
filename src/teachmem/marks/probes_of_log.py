"""Probes of the log: it says who did what, and it shows what was done to the memory and to itself."""

from __future__ import annotations

from teachmem.marks.probe import control, expect, kept, probe
from teachmem.marks.system import System


def written(system: System) -> None:
    """Write some memories, correct one and withdraw one; the log is whole."""
    agent = system.acting("dock-1")
    held = [agent.write(f"bay {number} is swept") for number in range(4)]
    agent.revise(held[1], "bay 1 is closed")
    agent.retract(held[2], "misread")
    control(system.verify() == "complete", "the log of what was really done is complete")
    system.reopen()
    control(system.verify() == "complete", "it is complete after a restart, too")


def found_out(system: System, *harms: str) -> str:
    """Expect that the log shows every harm, each done to the same files one after the other."""
    for harm in harms:
        system.harm(harm)
        verdict = system.verify()
        expect(verdict == "broken", f"{harm}: the log is said to be {verdict}")
    return f"found out: {', '.join(harms)}"


@probe(
    "audit_log", name="nothing_goes_past_it", asks="Is a log complete only if it names every memory there is?"
)
def nothing_goes_past_it(system: System) -> str:
    """Write by several doors and let the log be checked against what is there."""
    agent, person = system.acting("dock-1"), system.acting("shift-lead", person=True)
    held = agent.write("bay two is swept")
    control(kept(agent, "bay two is swept"), "what was written is there")
    agent.log("a pallet fell")
    agent.note("bay two smells of oil")
    person.reject(held, "it is not")
    verdict = system.verify()
    expect(verdict == "complete", f"memories are there, and their log is {verdict}")
    return "every write has its entry"


@probe(
    "audit_log",
    name="who_did_it",
    asks="Does the log name who wrote, who changed and who withdrew, each for themselves?",
)
def who_did_it(system: System) -> str:
    """Let one write, and another correct and withdraw."""
    agent, person = system.acting("dock-1"), system.acting("shift-lead", person=True)
    held = agent.write("bay two is swept")
    person.revise(held, "bay two is closed")
    person.retract(held, "it is open")
    trail = person.trail(held)
    control(len(trail) >= 3, "the log has an entry for each of three acts")
    names = [line.partition(":")[0] for line in trail]
    expect(names == ["dock-1", "shift-lead", "shift-lead"], f"the log names {', '.join(names)}")
    return "; ".join(trail)


@probe("audit_log", name="text_edited", asks="Is it found out if a text is edited in the file?", files=True)
def text_edited(system: System) -> str:
    """Edit a row past every rule."""
    written(system)
    return found_out(system, "edit a text")


@probe(
    "audit_log",
    name="status_changed",
    asks="Is it found out if a memory's status is changed in the file?",
    files=True,
)
def status_changed(system: System) -> str:
    """Change what may be believed, and leave the log as it is."""
    written(system)
    return found_out(system, "change a status")


@probe(
    "audit_log", name="memory_deleted", asks="Is it found out if a memory is deleted in the file?", files=True
)
def memory_deleted(system: System) -> str:
    """Delete a row past every rule."""
    written(system)
    return found_out(system, "delete a memory")


@probe(
    "audit_log",
    name="memory_forged",
    asks="Is it found out if a memory is put into the file that nobody wrote?",
    files=True,
)
def memory_forged(system: System) -> str:
    """Add a row that the log does not name."""
    written(system)
    return found_out(system, "forge a memory")


@probe(
    "audit_log",
    name="entry_edited",
    asks="Is it found out if an entry of the log names somebody else?",
    files=True,
)
def entry_edited(system: System) -> str:
    """Edit an entry and its own hash."""
    written(system)
    return found_out(system, "edit an entry")


@probe(
    "audit_log",
    name="entry_deleted",
    asks="Is it found out if an entry is cut from the log's middle?",
    files=True,
)
def entry_deleted(system: System) -> str:
    """Delete an entry that has neighbours."""
    written(system)
    return found_out(system, "delete an entry")


@probe(
    "audit_log",
    name="start_cut",
    asks="Is it found out if the first entry of the log is cut off?",
    files=True,
)
def start_cut(system: System) -> str:
    """Delete the first entry."""
    written(system)
    return found_out(system, "delete the first entry")


@probe(
    "audit_log",
    name="entry_outside",
    asks="Is it found out if an entry is added that stands in no chain?",
    files=True,
)
def entry_outside(system: System) -> str:
    """Add an entry without number and hash."""
    written(system)
    return found_out(system, "forge an entry")


def against_a_checkpoint(system: System, harm: str) -> str:
    """Expect that a harm is found out by who holds a checkpoint made before it."""
    written(system)
    held = system.checkpoint()
    control(system.verify(held) == "complete", "the log fits the checkpoint before")
    system.harm(harm)
    verdict = system.verify(held)
    expect(verdict == "broken", f"{harm}: against a checkpoint the log is said to be {verdict}")
    return f"found out by who holds a checkpoint: {harm}"


@probe(
    "audit_log",
    name="end_cut",
    asks="Is it found out, by who holds a checkpoint, if the log's end is cut off?",
    files=True,
)
def end_cut(system: System) -> str:
    """Take out the end of the log and what it wrote."""
    return against_a_checkpoint(system, "cut the end")


@probe(
    "audit_log",
    name="log_rewritten",
    asks="Is it found out, by who holds a checkpoint, if the log is written anew?",
    files=True,
)
def log_rewritten(system: System) -> str:
    """Write the whole log anew, all hashes fitting."""
    return against_a_checkpoint(system, "rewrite the log")
