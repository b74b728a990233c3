"""Facts over MCP."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from teachmem.server import shown
from teachmem.server.acting import ME
from teachmem.server.shown import Shown
from teachmem.server.toolset import tool
from teachmem.store import Handle
from teachmem.vocabulary import Visibility


@tool(entry=True, writes=True)
def semantic_remember(
    content: str,
    subject: str | None = None,
    predicate: str | None = None,
    object: str | None = None,
    kind: str = "fact",
    source: str | None = None,
    confidence: float | None = None,
    valid_from: datetime | None = None,
    valid_to: datetime | None = None,
    expires_at: datetime | None = None,
    qualifiers: dict[str, Any] | None = None,
    visibility: str = Visibility.TEAM,
    evidence: list[str] | None = None,
    request_id: str | None = None,
    me: Handle = ME,
) -> Shown:
    """Hold something to be true, for as long as nothing says otherwise.

    Use it for facts, decisions and preferences that others should find. Not for a note of this task
    (working_write) or an event (episodic_log). Give subject, predicate and object where the fact is a
    triple. `evidence` names the memories that it rests on. Text from a tool or the web has that as its
    source and waits for a person. Verdicts: accepted, duplicate, staged (a person decides).
    """
    given = me.semantic.remember(
        content,
        subject=subject,
        predicate=predicate,
        object=object,
        kind=kind,
        source=source,
        confidence=confidence,
        valid_from=valid_from,
        valid_to=valid_to,
        expires_at=expires_at,
        qualifiers=qualifiers or {},
        visibility=visibility,
        evidence=tuple(evidence or ()),
        request_id=request_id,
    )
    return shown.receipt(given)


@tool(writes=True)
def semantic_remember_many(items: list[dict[str, Any]], me: Handle = ME) -> list[Shown]:
    """Remember each item, a mapping of semantic_remember's arguments; return a receipt for each.

    A bad item is refused with its reason and its neighbours are kept. Times are not read here; use
    semantic_remember for a fact with dates.
    Use it for a list of facts. For a single one, use semantic_remember.
    """
    return [shown.receipt(each) for each in me.semantic.remember_many(items)]


@tool(entry=True)
def semantic_search(
    query: str,
    k: int = 5,
    kinds: list[str] | None = None,
    at: datetime | None = None,
    known_at: datetime | None = None,
    me: Handle = ME,
) -> Shown:
    """Return the k facts that answer best, by words and by meaning, each with its parts.

    Use it first when you need to know something. `note` says if no hit is close enough to be an
    answer. `at` asks what held in the world then, `known_at` what was recorded by then.
    For what happened, use episodic_recall; for an answer in words, ask.
    """
    return shown.recollection(me.semantic.search(query, k, kinds, at=at, known_at=known_at))


@tool()
def semantic_get(
    memory_id: str, at: datetime | None = None, known_at: datetime | None = None, me: Handle = ME
) -> Shown:
    """Return one fact by its id. Use it when you have an id; to find one, use semantic_search."""
    return shown.memory(me.semantic.get(memory_id, at=at, known_at=known_at))


@tool()
def semantic_list(
    kind: str | None = None,
    subject: str | None = None,
    predicate: str | None = None,
    object: str | None = None,
    author: str | None = None,
    limit: int = 20,
    cursor: str | None = None,
    at: datetime | None = None,
    known_at: datetime | None = None,
    me: Handle = ME,
) -> Shown:
    """Return a page of the facts that match, newest record first; hand `cursor` in for the next one.

    Use it to go through facts. To find the few that answer a question, use semantic_search.
    """
    page = me.semantic.list(
        kind=kind,
        subject=subject,
        predicate=predicate,
        object=object,
        author=author,
        limit=limit,
        cursor=cursor,
        at=at,
        known_at=known_at,
    )
    return {"memories": shown.memories(page), "cursor": page.cursor}


@tool(writes=True)
def semantic_revise(
    memory_id: str,
    content: str | None = None,
    subject: str | None = None,
    predicate: str | None = None,
    object: str | None = None,
    kind: str | None = None,
    source: str | None = None,
    confidence: float | None = None,
    valid_from: datetime | None = None,
    valid_to: datetime | None = None,
    expires_at: datetime | None = None,
    qualifiers: dict[str, Any] | None = None,
    request_id: str | None = None,
    me: Handle = ME,
) -> Shown:
    """Write the next version of a fact with what you give; the old one stays readable with known_at.

    Use it when a fact has changed or was wrong. What you leave out stays. Another's fact is put before
    a person. If nothing takes the place of a wrong fact, use semantic_retract.
    """
    given = {
        "content": content,
        "subject": subject,
        "predicate": predicate,
        "object": object,
        "kind": kind,
        "source": source,
        "confidence": confidence,
        "valid_from": valid_from,
        "valid_to": valid_to,
        "expires_at": expires_at,
        "qualifiers": qualifiers,
    }
    changes = {name: value for name, value in given.items() if value is not None}
    return shown.receipt(me.semantic.revise(memory_id, request_id=request_id, **changes))


@tool(destroys=True)
def semantic_retract(memory_id: str, reason: str, request_id: str | None = None, me: Handle = ME) -> Shown:
    """Withdraw a fact and keep why. No read returns it from now on; its history does.

    Use it when a fact is wrong and nothing takes its place; else use semantic_revise.
    """
    return shown.receipt(me.semantic.retract(memory_id, reason, request_id=request_id))


@tool()
def semantic_history(memory_id: str, me: Handle = ME) -> list[Shown]:
    """Return every version of a fact, oldest first: what was held, and when it was given up.

    Use it to see how a fact came to be what it is. Who changed it says audit_trail.
    """
    return shown.memories(me.semantic.history(memory_id))


@tool()
def semantic_stats(at: datetime | None = None, known_at: datetime | None = None, me: Handle = ME) -> Shown:
    """Return how many facts there are, by kind, source and author.

    Use it to see how much there is. To find facts, use semantic_search.
    """
    return me.semantic.stats(at=at, known_at=known_at)
