"""Probes of erasure: what a person had erased is gone, to the last byte, and the log is whole."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from teachmem.marks.probe import control, expect, probe, refused, texts
from teachmem.marks.system import Actor, NotOffered, System

TEXT = "The night watch is Quillfeather, badge 7719"
NEEDLES = (b"Quillfeather", "Quillfeather".encode("utf-16-le"), b"quillfeather")


def held(system: System) -> tuple[Actor, Actor, str]:
    """Let an agent write the text and something else; return the agent, a person and the text's id."""
    agent, person = system.acting("dock-1"), system.acting("shift-lead", person=True)
    memory_id = agent.write(TEXT)
    agent.write("gate four is open")
    control(TEXT in texts(agent.recall(TEXT)), "the text is found before")
    return agent, person, memory_id


@probe(
    "erasure",
    name="erased_from_every_read",
    asks="Is an erased text in no read any more, and its neighbour in all?",
)
def erased_from_every_read(system: System) -> str:
    """Correct a text, erase the memory, and look on every path."""
    agent, person, memory_id = held(system)
    agent.revise(memory_id, f"{TEXT}9")
    between = system.now()
    system.advance(1)
    person.forget(memory_id, "asked for")
    paths: dict[str, Callable[[], str]] = {
        "search": lambda: " ".join(texts(agent.recall("Quillfeather", k=20))),
        "search in the past": lambda: " ".join(texts(agent.recall("Quillfeather", known_at=between, k=20))),
        "list": lambda: " ".join(texts(agent.everything())),
        "get": lambda: str(agent.get(memory_id)),
        "history": lambda: " ".join(agent.history(memory_id)),
        "context": lambda: agent.context("who is the night watch?"),
    }
    for path, read in paths.items():
        try:
            seen = read()
        except NotOffered:
            continue
        expect("Quillfeather" not in seen, f"{path} still gives it")
    control("gate four is open" in texts(agent.recall("gate four is open")), "its neighbour is there")
    return "in no read, now and in the past; its neighbour is there"


@probe(
    "erasure", name="no_bytes_left", asks="Are the bytes of an erased text gone from every file?", files=True
)
def no_bytes_left(system: System) -> str:
    """Look for the bytes before and after."""
    agent, _, memory_id = held(system)
    agent.recall("Quillfeather")

    def places() -> list[str]:
        found = [
            path.name for path in system.raw_files() if any(each in path.read_bytes() for each in NEEDLES)
        ]
        system.reopen()
        return found

    before = places()
    control(before, "its bytes are in a file before")
    system.acting("shift-lead", person=True).forget(memory_id, "asked for")
    after = places()
    expect(not after, f"its bytes are still in {', '.join(after)}")
    return f"before in {', '.join(before)}, after in no file"


@probe("erasure", name="log_whole_after", asks="Is the log complete after an erasure, and does it name it?")
def log_whole_after(system: System) -> str:
    """Verify before and after."""
    _, person, memory_id = held(system)
    control(system.verify() == "complete", "the log is complete before")
    person.forget(memory_id, "asked for")
    verdict = system.verify()
    expect(verdict == "complete", f"after an erasure the log is {verdict}")
    trail = person.trail(memory_id)
    expect(any("forget" in line for line in trail), f"the log says {'; '.join(trail) or 'nothing'} of it")
    return "complete before and after, and the erasure is in it"


@probe(
    "erasure", name="quotes_follow", asks="Is what was made from an erased text, and quotes it, erased too?"
)
def quotes_follow(system: System) -> str:
    """Write one memory that rests on it and quotes it, and one that only rests on it."""
    agent, person, memory_id = held(system)
    agent.write(f"Remember: {TEXT}. Call by radio.", evidence=(memory_id,))
    control("Remember" in " ".join(texts(agent.recall("Remember Quillfeather"))), "the quote is found before")
    person.forget(memory_id, "asked for")
    found = " ".join(texts(agent.recall("Remember Quillfeather", k=20)))
    expect("Quillfeather" not in found, f"the quote is still there: {found[:80]!r}")
    return "the quote was erased with it"


@probe("erasure", name="agents_only_ask", asks="Can an agent not erase by itself?")
def agents_only_ask(system: System) -> str:
    """Let an agent try, and then a person."""
    agent, person, memory_id = held(system)
    refused(agent.forget, memory_id, "to hide it")
    expect(TEXT in texts(agent.recall(TEXT)), "an agent erased it alone")
    person.forget(memory_id, "asked for")
    control(TEXT not in texts(agent.recall(TEXT)), "a person can")
    return "an agent could only ask for it, a person could"


@probe(
    "erasure", name="no_way_back", asks="Does an export that was made before not bring an erased text back?"
)
def no_way_back(system: System) -> str:
    """Export, erase, import."""
    agent, _, memory_id = held(system)
    steward = system.acting("data-officer", steward=True)
    with tempfile.TemporaryDirectory(prefix="teachmem-probe-") as folder:
        path = Path(folder) / "yesterday"
        steward.export(path)
        control(b"Quillfeather" in path.read_bytes(), "it is in the export")
        steward.forget(memory_id, "asked for")
        refused(steward.load, path)
    control("gate four is open" in texts(agent.recall("gate four is open")), "its neighbour is there")
    expect(TEXT not in texts(agent.recall(TEXT)), "the import brought it back")
    return "the import brought it not back"
