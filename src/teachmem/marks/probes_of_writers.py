"""Probes of concurrency: what was acknowledged is there, whoever else has the memory open."""

from __future__ import annotations

from contextlib import closing

from teachmem.marks.probe import control, expect, probe, refused, texts
from teachmem.marks.system import System

LOT, MIRROR = "lot 26-0131 is recalled", "the mirror is clean"


@probe(
    "concurrency",
    name="two_openers_write",
    asks="Do two that have the memory open keep what each of them wrote?",
    files=True,
)
def two_openers_write(system: System) -> str:
    """Let two openers read, and then write in turn."""
    first = system.acting("dock-1")
    first.write("door three is open")
    with closing(system.beside()) as other:
        second = other.acting("dock-2")
        for reader in (first, second):
            control(
                "door three is open" in texts(reader.recall("door three is open")), "both read what is there"
            )
        first.write(LOT)
        second.write(MIRROR)
        first.write("belt two was oiled")
        for who, reader in (("the first", first), ("the second", second)):
            held = texts(reader.recall(LOT)) + texts(reader.recall(MIRROR))
            expect(LOT in held, f"what the first wrote is gone for {who}")
            expect(MIRROR in held, f"what the second wrote is gone for {who}")
    return "both find what both wrote"


@probe(
    "concurrency",
    name="one_finds_what_the_other_wrote",
    asks="Does one that searched before find what another has written since?",
    files=True,
)
def one_finds_what_the_other_wrote(system: System) -> str:
    """Search, let another opener write and withdraw, and search again."""
    first = system.acting("dock-1")
    gone = first.write("door three is open")
    with closing(system.beside()) as other:
        second = other.acting("dock-1")
        control(
            "door three is open" in texts(second.recall("door three is open")),
            "the second finds what was there",
        )
        first.write(LOT)
        expect(LOT in texts(second.recall(LOT)), "the second does not find what the first wrote since")
        first.retract(gone, "shut")
        expect(
            "door three is open" not in texts(second.recall("door three is open")),
            "the second finds what was withdrawn",
        )
    return "found what was written since, and not what was withdrawn since"


@probe(
    "concurrency",
    name="same_text_twice",
    asks="If two write the same text, is it there once and for both?",
    files=True,
)
def same_text_twice(system: System) -> str:
    """Let two openers write the same words as the same agent."""
    first = system.acting("dock-1")
    with closing(system.beside()) as other:
        second = other.acting("dock-1")
        first.write(MIRROR)
        control(MIRROR in texts(second.recall(MIRROR)), "the second finds what the first wrote")
        refused(second.write, MIRROR)
        for who, reader in (("the first", first), ("the second", second)):
            count = texts(reader.recall(MIRROR)).count(MIRROR)
            expect(count == 1, f"it is there {count} times for {who}")
    return "there once, for both"


@probe(
    "concurrency",
    name="two_corrections",
    asks="If two correct the same memory in turn, is every correction in its history?",
    files=True,
)
def two_corrections(system: System) -> str:
    """Let two openers read a memory and correct it in turn."""
    first = system.acting("dock-1")
    held = first.write("rack nine carries 400 kg")
    with closing(system.beside()) as other:
        second = other.acting("dock-1")
        for reader in (first, second):
            control(reader.history(held) == ["rack nine carries 400 kg"], "both read what is there")
        for kilograms, writer in ((250, first), (300, second), (200, first)):
            writer.revise(held, f"rack nine carries {kilograms} kg")
        said = [f"rack nine carries {kilograms} kg" for kilograms in (400, 250, 300, 200)]
        for who, reader in (("the first", first), ("the second", second)):
            expect(reader.history(held) == said, f"{who} reads {reader.history(held)!r}")
    return "four versions, for both"


@probe(
    "concurrency",
    name="there_after_a_restart",
    asks="Is every acknowledged write there after a restart?",
    files=True,
)
def there_after_a_restart(system: System) -> str:
    """Write, correct, withdraw, restart, and compare."""
    agent = system.acting("dock-1")
    held = [agent.write(f"rack {number} carries {number * 10} kg") for number in range(6)]
    agent.revise(held[1], "rack 1 carries 999 kg")
    agent.retract(held[2], "misread")
    before = sorted(texts(agent.recall("rack carries kg", k=20)))
    control(len(before) == 5 and "rack 1 carries 999 kg" in before, "all is there before")
    system.reopen()
    after = sorted(texts(system.acting("dock-1").recall("rack carries kg", k=20)))
    expect(
        after == before, f"before {len(before)}, after {len(after)}: {sorted(set(before) ^ set(after))[:2]!r}"
    )
    return f"{len(after)} memories came back, corrected and withdrawn as before"


@probe(
    "concurrency",
    name="two_processes_forty_writes",
    asks="If two processes write twenty texts each at once, are all forty there?",
    files=True,
    slow=True,
)
def two_processes_forty_writes(system: System) -> str:
    """Start both, wait for both, and count."""
    system.acting("dock-1").write("door three is open")
    control(
        "door three is open" in texts(system.acting("dock-1").recall("door three is open")),
        "one write is there",
    )
    sent = [[f"pallet {side}{number:02} stands in row {number}" for number in range(20)] for side in "AB"]
    waits = [system.process(part, f"dock-{place}") for place, part in enumerate(sent, start=2)]
    taken = sum(wait() for wait in waits)
    control(taken > 0, "the processes had writes acknowledged")
    system.reopen()
    found = set(texts(system.acting("dock-1").recall("pallet stands in row", k=200)))
    there = len(found & {text for part in sent for text in part})
    expect(there >= taken, f"{taken} were acknowledged, {there} are there")
    return f"{taken} acknowledged, {there} there"
