"""What a client can open by address instead of calling for: overviews, lists, vocabularies.

A resource is text that a person picks for a model to read, so each is short and says what it is.
Every one is read through the caller's own handle.

Left out: anything that changes the memory. That takes a tool.
"""

from __future__ import annotations

import json
from typing import Any

from fastmcp import FastMCP

from teachmem import vocabulary
from teachmem.server import shown
from teachmem.server.acting import ME, SERVING, THE_PERSON, Serving
from teachmem.server.tools import catalogue, procedural, review
from teachmem.server.toolset import TOOLS
from teachmem.store import Handle, Person

JSON = "application/json"
RECENT = 20


def add(server: FastMCP) -> None:
    """Add every resource and template to a server."""

    def resource(uri: str, mime_type: str = JSON) -> Any:
        return server.resource(uri, mime_type=mime_type)

    resource("memory://overview")(overview)
    resource("memory://me")(me_)
    resource("memory://vocabulary")(words)
    resource("memory://tools")(tools)
    resource("memory://working/scratchpad")(scratchpad)
    resource("memory://episodic/recent")(recent)
    resource("memory://semantic/latest")(latest)
    resource("memory://graph/triples")(triples)
    resource("memory://audit/head")(audit_head)
    resource("memory://procedural/skills")(skills)
    resource("memory://keystones")(keystones)
    resource("memory://review/inbox")(inbox)
    resource("memory://catalogue")(robots)
    resource("memory://catalogue/categories")(categories)
    resource("memory://catalogue/{robot}")(robot_row)
    resource("memory://semantic/{memory_id}")(fact)
    resource("memory://graph/{entity}")(around)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1, default=str)


def overview(me: Handle = ME) -> str:
    """The four tiers at a glance: what each is for, and how much of it you may read."""
    semantic = me.semantic.stats()
    return _json(
        {
            "working": {"is": "notes of the task at hand", **me.working.stats()},
            "episodic": {"is": "what happened, in order", **me.episodic.stats()},
            "semantic": {"is": "what is held to be true", **semantic},
            "graph": me.graph.stats(),
        }
    )


def me_(me: Handle = ME) -> str:
    """Who this server takes you for."""
    who = me.principal
    return _json(
        {
            "tenant": who.tenant,
            "fleet": who.fleet,
            "name": who.name,
            "role": who.role,
            "clearance": int(who.clearance),
        }
    )


def words() -> str:
    """The words that a memory may use: kinds, predicates, statuses, sources, visibilities."""
    return _json(
        {
            "kinds": {
                tier: [kind for kind in kinds if kind not in vocabulary.SYSTEM_KINDS[tier]]
                for tier, kinds in vocabulary.KINDS.items()
            },
            "scratchpad predicates": vocabulary.SCRATCHPAD_PREDICATES,
            "graph predicates": vocabulary.GRAPH_PREDICATES,
            "statuses": {"live": vocabulary.LIVE, "withheld": vocabulary.WITHHELD},
            "sources, strongest first": list(vocabulary.Source),
            "visibilities": list(vocabulary.Visibility),
        }
    )


def tools(me: Handle = ME) -> str:
    """Every tool that you have, with one line each."""
    return _json({name: listed.says for name, listed in TOOLS.items() if listed.is_for(me.principal.role)})


def scratchpad(me: Handle = ME) -> str:
    """The notes of the task at hand as they would be packed for a model."""
    return _json({"text": str(me.working.context()), "stats": me.working.stats()})


def recent(me: Handle = ME) -> str:
    """The twenty events that happened last."""
    return _json(shown.memories(me.episodic.recent(RECENT)))


def latest(me: Handle = ME) -> str:
    """The twenty facts that were recorded last."""
    return _json(shown.memories(me.semantic.list(limit=RECENT)))


def triples(me: Handle = ME) -> str:
    """Every triple of the graph that you may believe."""
    return _json([str(edge) for edge in me.graph.edges()])


def audit_head(me: Handle = ME, serving: Serving = SERVING) -> str:
    """Where your tenant's audit chain stands. Written down, it shows later what was cut or rewritten."""
    report = serving.mem.audit.verify(me.principal.tenant)
    return _json({"status": report.status, "entries": report.entries, "head": report.head})


def skills(me: Handle = ME) -> str:
    """The skills that you may use, with how often each was used."""
    return _json(procedural.skills_list(me=me))


def keystones(me: Handle = ME) -> str:
    """What people have put first in every context."""
    return _json(shown.memories(me.keystones()))


def inbox(me: Person = THE_PERSON) -> str:
    """What waits for you to decide. For people only."""
    return _json([review.said(candidate) for candidate in me.review.inbox()])


def robots(me: Handle = ME) -> str:
    """The catalogue in short: number, name, model, category and status of every robot."""
    return _json(catalogue.catalogue_list(limit=catalogue.ALL, me=me))


def categories(me: Handle = ME) -> str:
    """The categories of the catalogue, with how many robots each has."""
    rows = catalogue.rows_of(me).values()
    names = sorted({str(row["category"]) for row in rows})
    return _json({name: sum(row["category"] == name for row in rows) for name in names})


def robot_row(robot: str, me: Handle = ME) -> str:
    """One robot's row of the catalogue."""
    return _json(catalogue.row_of(me, robot))


def fact(memory_id: str, me: Handle = ME) -> str:
    """One fact, with its history."""
    return _json(
        {
            "fact": shown.memory(me.semantic.get(memory_id)),
            "history": shown.memories(me.semantic.history(memory_id)),
        }
    )


def around(entity: str, me: Handle = ME) -> str:
    """What one thing is connected with."""
    return _json([str(edge) for edge in me.graph.neighbours(entity)])
