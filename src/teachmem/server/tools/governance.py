"""Why an answer is what it is, and what the log says, over MCP."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from teachmem.errors import InvalidInput
from teachmem.server import shown
from teachmem.server.acting import ME, SERVING, THE_PERSON, Serving
from teachmem.server.shown import Shown
from teachmem.server.toolset import tool
from teachmem.store import Handle, Person


@tool()
def explain(
    query: str,
    memory_id: str | None = None,
    tier: str = "semantic",
    k: int = 5,
    at: datetime | None = None,
    known_at: datetime | None = None,
    me: Handle = ME,
) -> Shown:
    """Say why the answer to a question is what it is, and why a memory is not in it.

    Use it when an answer surprises you. With `memory_id` it names every gate between that memory and
    the answer; without it, the parts of each hit's score. `tier` is semantic or episodic.
    To get the answer itself, use semantic_search or ask.
    """
    if tier == "semantic":
        found = me.semantic.search(query, k, at=at, known_at=known_at)
    elif tier == "episodic":
        found = me.episodic.recall(query, k, at=at, known_at=known_at)
    else:
        raise InvalidInput("tier", f"must be semantic or episodic, not {tier!r}")
    if memory_id is not None:
        return shown.why_not(found.why_not(memory_id))
    hits = [
        {
            "id": hit.memory.memory_id,
            "score": round(hit.score, 3),
            "parts": {name: round(value, 3) for name, value in hit.parts.items()},
            "places": dict(hit.ranks),
            "raw": {name: round(value, 3) for name, value in hit.raw.items()},
        }
        for hit in found
    ]
    settings = {name: _plain(value) for name, value in found.settings.items()}
    return {"hits": hits, "settings": settings, "note": found.note}


def _plain(value: Any) -> Any:
    return value if isinstance(value, str | int | float | bool | list | dict | None) else str(value)


@tool()
def audit_verify(me: Handle = ME, serving: Serving = SERVING) -> Shown:
    """Check your tenant's audit chain from its first entry to its last.

    Use it to find out whether somebody has edited the log. complete, partial or broken; a chain shows
    edits, and cuts only as far back as the last checkpoint that someone else holds.
    For the entries about one memory, use audit_trail.
    """
    report = serving.mem.audit.verify(me.principal.tenant)
    findings = [{"entry": finding.seq, "what": finding.what} for finding in report.findings]
    return {
        "status": str(report.status),
        "entries": report.entries,
        "head": report.head,
        "findings": findings,
    }


@tool()
def audit_trail(memory_id: str, me: Handle = ME) -> list[Shown]:
    """Return the entries of the audit log about one memory that you may see, oldest first.

    Use it to find out who made, changed or withdrew a memory, and when. Whether the log itself is whole says
    audit_verify; what a memory said before says semantic_history.
    """
    return [
        {
            "entry": one.seq,
            "at": shown.moment(one.at),
            "action": one.action,
            "by": one.by,
            "role": one.role,
            "version": one.version,
            "status": one.status,
            "hash": one.hash,
        }
        for one in me.trail(memory_id)
    ]


@tool(people=True, writes=True)
def audit_checkpoint(me: Person = THE_PERSON, serving: Serving = SERVING) -> Shown:
    """Sign where your tenant's audit log stands, and return a code for the board.

    Use it at the end of a day, and give the code to somebody who cannot write to this store: it shows later
    whether the log was cut or rewritten. Nothing is signed if the log does not follow from its last
    checkpoint. To check the log, use audit_verify.
    """
    one = serving.mem.audit.checkpoint(me.principal.tenant)
    return {"code": one.code, "entry": one.seq, "head": one.head, "key": one.key}
