"""`teachmem demo`: a tour of twenty seconds, on real calls to a store in memory.

Every number on the screen comes from the call that is shown above it; nothing is written down here.

Left out: the other commands, and how any of it works; the notebooks build it by hand.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    import teachmem

START = datetime(2026, 3, 2, 9, tzinfo=UTC)
PAUSE = 2.2  # seconds after each scene; nine scenes

#: A scene is what is said, the call as it would be typed, and the lines of its answer.
Scene = tuple[str, str, list[str]]


def demo(
    fast: Annotated[bool, typer.Option("--fast", help="Do not pause between the scenes.")] = False,
) -> None:
    """Show the kit in twenty seconds, on real calls in memory."""
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False, soft_wrap=True)
    pause = PAUSE if console.is_terminal and not fast else 0.0
    for number, (said, call, answer) in enumerate(scenes(), start=1):
        console.print(Text(f"{number}  {said}", style="bold"))
        console.print(Text(f"   >>> {call}", style="cyan"))
        for line in answer:
            console.print(Text(f"   {line}"))
        console.print()
        time.sleep(pause)
    console.print("Next: teachmem lab")


def scenes() -> Iterator[Scene]:
    """Play the scenes on a store of their own."""
    import teachmem

    clock = teachmem.LessonClock(START)
    with teachmem.open_memory(clock=clock, ids=teachmem.CountedIds()) as mem:
        tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
        yield _note(tech)
        yield _events(tech, clock)
        yield _recall(tech)
        yield _why_not(tech)
        yield _context(tech)
        yield _duplicate(tech)
        yield _refusal(tech)
        yield _stranger(mem)
        yield _verify(mem)


def _note(tech: teachmem.Agent) -> Scene:
    receipt = tech.working.write("arm-1", "observed", "drift", "Arm 1 drifts; do NOT restart the arm")
    call = 'tech.working.write("arm-1", "observed", "drift", "Arm 1 drifts; do NOT restart the arm")'
    return "An agent keeps a note. The answer is a receipt.", call, [str(receipt), *map(str, receipt.steps)]


def _events(tech: teachmem.Agent, clock: teachmem.LessonClock) -> Scene:
    past = (
        (0, "The gripper of arm 1 slipped and dropped a crate"),
        (30, "The gripper was cleaned"),
        (17, "Lunch menu: fish soup"),
    )
    receipts = []
    for hours, words in past:
        clock.advance(hours=hours)
        receipts.append(tech.episodic.log("observation", words))
    lines = [f"{receipt}   {words!r}" for receipt, (_, words) in zip(receipts, past, strict=True)]
    return "Two shifts pass, and it logs what happens.", 'tech.episodic.log("observation", ...)', lines


QUESTION = "why did the gripper drop the crate?"


def _recall(tech: teachmem.Agent) -> Scene:
    recalled = tech.episodic.recall(QUESTION, k=2)
    lines = []
    for hit in recalled:
        parts = " + ".join(f"{name} {value:.3f}" for name, value in hit.parts.items())
        lines.append(f"{hit.score:.3f} = {parts}   {hit.memory.content!r}")
    return "It asks. Every score shows its parts.", f'tech.episodic.recall("{QUESTION}", k=2)', lines


def _why_not(tech: teachmem.Agent) -> Scene:
    recalled = tech.episodic.recall(QUESTION, k=2)
    there = {hit.memory.memory_id for hit in recalled}
    left = next(event for event in tech.episodic.recent(9) if event.memory_id not in there)
    call = f'recalled.why_not("{left.memory_id}")'
    return f"Why not {left.content!r}? Every gate answers.", call, [str(recalled.why_not(left.memory_id))]


def _context(tech: teachmem.Agent) -> Scene:
    packed = tech.working.context("arm", budget=60)
    lines = [*(line.text for line in packed.lines), f"{packed.used} of {packed.budget} tokens used"]
    return (
        "What a model would be shown: word for word, within a budget.",
        'tech.working.context("arm", 60)',
        lines,
    )


def _duplicate(tech: teachmem.Agent) -> Scene:
    receipt = tech.working.write("arm-1", "observed", "drift", "Arm 1 drifts; do NOT restart the arm")
    return "The same note again: the one that stands is returned.", "tech.working.write(...)", [str(receipt)]


def _refusal(tech: teachmem.Agent) -> Scene:
    lines = _refused(lambda: tech.semantic.remember("Always restart the arm", kind="rule"))
    return (
        "Only the system makes rules. The refusal says where it stopped.",
        ('tech.semantic.remember("Always restart the arm", kind="rule")'),
        lines,
    )


def _refused(act: Callable[[], Any]) -> list[str]:
    import teachmem

    try:
        return [f"it was not refused: {act()}"]
    except teachmem.MemoryRefused as error:
        return [*map(str, error.receipt.steps), "nothing was written"]


def _stranger(mem: teachmem.MemoryStore) -> Scene:
    other = mem.agent("cold-1", fleet="cold", tenant="southgate")
    recalled = other.episodic.recall(QUESTION)
    lines = [f"{len(recalled)} events: {recalled.note}"]
    return "Another company asks the same store.", f'other.episodic.recall("{QUESTION}")', lines


def _verify(mem: teachmem.MemoryStore) -> Scene:
    report = mem.audit.verify()
    lines = [f"{report.status}: {report.entries} entries, head {report.head[:12]}"]
    return "Every change has its entry, each linked to the one before.", "mem.audit.verify()", lines
