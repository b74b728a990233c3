"""What changes with use, over MCP: outcomes, status, skills from experience, insights, and erasure.

Left out: who may do what. The gate says that here as everywhere, and puts before a person what an agent
may only ask for.
"""

from __future__ import annotations

from datetime import datetime

from teachmem.server import shown
from teachmem.server.acting import ME
from teachmem.server.shown import Shown
from teachmem.server.toolset import tool
from teachmem.store import Handle, Person


@tool(writes=True)
def evolve_outcome(
    outcome: str,
    text: str,
    used: list[str] | None = None,
    session: str = "s1",
    request_id: str | None = None,
    me: Handle = ME,
) -> Shown:
    """Log how it went, and which memories you had relied on.

    Use it when a task is over: `outcome` is success, failure or partial, `used` the ids that you acted on.
    Two failures on one memory become an insight. Not for what happened on the way: that is episodic_log.
    """
    return shown.receipt(me.report_outcome(outcome, text, tuple(used or ()), session, request_id=request_id))


@tool(destroys=True)
def evolve_status(
    memory_id: str, status: str, reason: str, request_id: str | None = None, me: Handle = ME
) -> Shown:
    """Move a memory of any tier to another status, for a reason.

    Use it to archive what is no longer of use, or to mark what is outdated. To withdraw a wrong fact use
    semantic_retract, to change one semantic_revise. Another's memory, and what only people decide, is put
    before a person: the verdict is then staged.
    """
    return shown.receipt(me.set_status(memory_id, status, reason, request_id=request_id))


@tool(writes=True)
def evolve_skills(limit: int = 3, me: Handle = ME) -> Shown:
    """Propose skills from what you did again and again; each waits for a person.

    Use it at the end of a day, not of a task. What a person has rejected is not proposed again.
    To sum up facts, use consolidate.
    """
    found = me.distil(limit=limit)
    return {
        "proposed": list(found.proposed),
        "counts": {name: number for name, number in sorted(found.counts.items()) if number},
        "told": str(found),
    }


@tool(destroys=True)
def evolve_forget(memory_id: str, reason: str, me: Handle = ME) -> Shown:
    """Erase what a memory says, for good, in every version. Ask your person first.

    Use it for what must not be kept, such as somebody's data. A wrong fact is retracted instead, which
    keeps its history. An agent only asks, and only for its own memories: the verdict is staged. Under a
    person's credential it is done at once, cannot be undone, and returns a certificate.
    """
    if not isinstance(me, Person):
        return shown.receipt(me.forget(memory_id, reason))  # type: ignore[attr-defined]
    done = me.forget(memory_id, reason)
    return {"verdict": done.state, "id": done.memory_id, "audit_entry": done.entry, "certificate": str(done)}


@tool(writes=True)
def insights_find(focus: str | None = None, me: Handle = ME) -> list[Shown]:
    """Find what memories say together: contradictions, repeated failures, divergence, stale facts.

    Use it before you rely on many memories, or to see what needs a person. `focus` is contradictions,
    failures, divergence or stale; left out, all four. Each finding is kept once, as an insight with its
    evidence. To answer a question use ask.
    """
    return shown.memories(me.insights(focus))


@tool()
def keystones_list(
    at: datetime | None = None, known_at: datetime | None = None, me: Handle = ME
) -> list[Shown]:
    """Return what people have put first in every context, oldest first.

    Use it at the start of a session. context_assemble and ask hold them already; do not repeat them.
    """
    return shown.memories(me.keystones(at=at, known_at=known_at))
