"""The log of events over MCP."""

from __future__ import annotations

from datetime import datetime

from teachmem.recall.score import Weights
from teachmem.server import shown
from teachmem.server.acting import ME
from teachmem.server.shown import Shown
from teachmem.server.toolset import tool
from teachmem.store import Handle


@tool(entry=True, writes=True)
def episodic_log(
    kind: str,
    content: str,
    session: str = "s1",
    importance: float | None = None,
    source: str | None = None,
    request_id: str | None = None,
    me: Handle = ME,
) -> Shown:
    """Log what happened, as it happened.

    Use it for a turn of the user, your answer, a tool's call or an observation (`kind`: user_turn,
    agent_response, tool_call, observation). Not for what you conclude from it: that is
    semantic_remember. `importance` is 0 to 1; left out, it is estimated.
    """
    given = me.episodic.log(
        kind, content, session=session, importance=importance, source=source, request_id=request_id
    )
    return shown.receipt(given)


@tool(entry=True)
def episodic_recall(
    query: str,
    k: int = 5,
    session: str | None = None,
    half_life_hours: float = 24,
    recency: float = 0.4,
    importance: float = 0.3,
    relevance: float = 0.3,
    at: datetime | None = None,
    known_at: datetime | None = None,
    me: Handle = ME,
) -> Shown:
    """Return the k events that recency, importance and relevance put first, each with its parts.

    Use it to ask what happened. For what is held to be true, use semantic_search; for the latest
    events whatever they are about, use episodic_recent. The three weights may be changed.
    """
    found = me.episodic.recall(
        query,
        k,
        weights=Weights(recency, importance, relevance),
        half_life_hours=half_life_hours,
        session=session,
        at=at,
        known_at=known_at,
    )
    return shown.recollection(found)


@tool()
def episodic_recent(
    n: int = 10,
    session: str | None = None,
    at: datetime | None = None,
    known_at: datetime | None = None,
    me: Handle = ME,
) -> list[Shown]:
    """Return the n events that happened last, newest first. Use it to pick up where you left off.

    To find events about something, use episodic_recall.
    """
    return shown.memories(me.episodic.recent(n, session, at=at, known_at=known_at))


@tool()
def episodic_since(
    moment: datetime,
    session: str | None = None,
    at: datetime | None = None,
    known_at: datetime | None = None,
    me: Handle = ME,
) -> list[Shown]:
    """Return what has happened since a moment, which needs a time zone, newest first.

    Use it to catch up after a break. For the last few events, use episodic_recent.
    """
    return shown.memories(me.episodic.since(moment, session, at=at, known_at=known_at))


@tool()
def episodic_stats(at: datetime | None = None, known_at: datetime | None = None, me: Handle = ME) -> Shown:
    """Return how many events there are, by kind and session, and when the first and last happened.

    Use it to see how much there is. To read events, use episodic_recent.
    """
    found = me.episodic.stats(at=at, known_at=known_at)
    return {
        name: shown.moment(value) if isinstance(value, datetime) else value for name, value in found.items()
    }
