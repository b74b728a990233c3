"""Skills over MCP. They are served as prompts too, which not every client shows to its model."""

from __future__ import annotations

from datetime import datetime

from teachmem.server import shown
from teachmem.server.acting import ME
from teachmem.server.shown import Shown
from teachmem.server.toolset import tool
from teachmem.store import Handle
from teachmem.tiers.procedural import Skill


def said(skill: Skill) -> Shown:
    """Return a skill in short."""
    return {
        "name": skill.name,
        "title": skill.title,
        "for": skill.trigger,
        "arguments": list(skill.arguments),
        "version": skill.version,
        "status": str(skill.memory.status),
        "source": str(skill.memory.source),
        "id": skill.memory.memory_id,
    }


@tool()
def skills_list(at: datetime | None = None, known_at: datetime | None = None, me: Handle = ME) -> list[Shown]:
    """Return every skill that you may use, by name, with how often it was used.

    Use it to see what there is. To find one for a task, use skills_choose.
    """
    found = me.procedural.list(at=at, known_at=known_at)
    return [{**said(skill), "uses": me.procedural.uses(skill.name)} for skill in found]


@tool()
def skills_choose(
    task: str,
    k: int = 3,
    at: datetime | None = None,
    known_at: datetime | None = None,
    me: Handle = ME,
) -> Shown:
    """Return the skills that fit a task best, by what they are for and by what they say.

    Use it before a task that somebody may have done before. Then fill one in with skills_use.
    """
    found = me.procedural.choose(task, k, at=at, known_at=known_at)
    hits = [
        {
            **said(Skill.of(hit.memory)),
            "score": round(hit.score, 3),
            "parts": {name: round(value, 3) for name, value in hit.parts.items()},
        }
        for hit in found
    ]
    return {"skills": hits, "note": found.note} if found.note else {"skills": hits}


@tool(writes=True)
def skills_use(
    name: str, arguments: dict[str, str] | None = None, session: str = "s1", me: Handle = ME
) -> Shown:
    """Fill a skill in with its arguments and log that it was used; return the text to follow.

    Use it when you are about to do the task. To find a skill, use skills_choose.
    """
    used = me.procedural.use(name, session, **(arguments or {}))
    return {"text": used.text, "skill": said(used.skill), "event": shown.receipt(used.receipt)}
