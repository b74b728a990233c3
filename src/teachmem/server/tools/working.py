"""The scratchpad over MCP."""

from __future__ import annotations

from datetime import datetime, timedelta

from teachmem.server import shown
from teachmem.server.acting import ME
from teachmem.server.shown import Shown
from teachmem.server.toolset import tool
from teachmem.store import Handle


@tool(entry=True, writes=True)
def working_write(
    subject: str,
    predicate: str,
    object: str,
    content: str,
    session: str = "s1",
    source: str | None = None,
    request_id: str | None = None,
    me: Handle = ME,
) -> Shown:
    """Keep a note of the task at hand.

    Use it for what this session needs and the next does not. For what should last, use
    semantic_remember; for what happened, episodic_log. `predicate` is one of observed, inferred,
    relevant_to, summarized_as, contradicts, supersedes, depends_on; for the last three `object` is a
    note's id. Text from a tool or the web has source "tool" or "web" and waits for a person.
    """
    given = me.working.write(
        subject, predicate, object, content, session, source=source, request_id=request_id
    )
    return shown.receipt(given)


@tool()
def working_read(
    subject: str | None = None,
    predicate: str | None = None,
    session: str | None = None,
    limit: int = 20,
    at: datetime | None = None,
    known_at: datetime | None = None,
    me: Handle = ME,
) -> list[Shown]:
    """Return the live notes that match, newest first.

    Use it to look notes up by name. To fill a prompt with the best ones, use working_context.
    """
    return shown.memories(me.working.read(subject, predicate, session, limit, at=at, known_at=known_at))


@tool()
def working_context(
    query: str | None = None,
    budget: int = 1500,
    session: str | None = None,
    at: datetime | None = None,
    known_at: datetime | None = None,
    me: Handle = ME,
) -> Shown:
    """Pack the best notes into a budget of tokens, as labelled lines; say what was skipped and why.

    Use it before you answer from notes. It looks at notes only; ask looks at every tier.
    """
    packed = me.working.context(query, budget, session, at=at, known_at=known_at)
    skipped = [{"id": left.memory.memory_id, "why": left.reason} for left in packed.skipped]
    return {"text": str(packed), "tokens": packed.used, "budget": packed.budget, "skipped": skipped}


@tool(destroys=True)
def working_clear(
    subject: str | None = None,
    session: str | None = None,
    older_than_minutes: float | None = None,
    everything: bool = False,
    request_id: str | None = None,
    me: Handle = ME,
) -> Shown:
    """Withdraw the notes that you wrote and that match every selector.

    Use it when a task is done. Without a selector nothing is cleared, unless you say everything=true.
    Nobody else's notes are touched.
    To withdraw a fact, use semantic_retract.
    """
    age = None if older_than_minutes is None else timedelta(minutes=older_than_minutes)
    given = me.working.clear(subject, session, age, everything=everything, request_id=request_id)
    return shown.receipt(given)


@tool()
def working_stats(at: datetime | None = None, known_at: datetime | None = None, me: Handle = ME) -> Shown:
    """Return how many live notes there are, by predicate and session, and their tokens.

    Use it to see what fills the scratchpad. To read notes, use working_read.
    """
    return me.working.stats(at=at, known_at=known_at)
