"""Every door of the server and every status, through a client: found by introspection, so none is forgotten.

A tool that writes has to be named here: as a door, at which every spelling of a rejected value is tried, or
as one that brings no text of its caller's into memory.
"""

import asyncio
import json
import logging
import re

import pytest
from fastmcp import Client
from fastmcp.exceptions import ToolError
from helpers import opened
from spellings import spellings
from test_isolation_server import ANY_TIME, ELSEWHERE, ID, WORD
from test_isolation_server import READS as ASKED
from test_trust import NOON, filled, put

from teachmem.principal import Principal
from teachmem.server import app
from teachmem.server.toolset import TOOLS
from teachmem.vocabulary import LIVE, Role, Status

VALUE = "Café door has status ﬁxed open"
TRIPLE = {"subject": "Café door", "predicate": "has_status", "object": "ﬁxed open"}
VARIANTS = spellings(VALUE)
DOCK = Principal("northlight", "dock", "dock-1")
LEAD = Principal("northlight", "dock", "shift-lead", Role.PERSON)

# What a door is called with for a text. The calls act for dock-1, those of people for the shift-lead.
DOORS = {
    "working_write": lambda text: {
        "subject": "door", "predicate": "observed", "object": "state", "content": text
    },
    "episodic_log": lambda text: {"kind": "observation", "content": text},
    "semantic_remember": lambda text: {"content": text},
    "semantic_remember (the claim)": lambda text: {"content": f"other words {len(text)}", **TRIPLE},
    "semantic_remember_many": lambda text: {"items": [{"content": text}]},
    "semantic_revise": lambda text: {"memory_id": "fact-0001", "content": text},
    "graph_link": lambda text: {
        "subject": "yard", "predicate": "located_in", "object": "dock", "content": text
    },
    "evolve_outcome": lambda text: {"outcome": "success", "text": text},
    "evolve_status": lambda text: {"memory_id": "note-0001", "status": "active", "reason": text},
    "ask": lambda text: {"question": text},
    "consolidate": lambda text: {},
    "review_decide": lambda text: {
        "action": "edit", "candidate_id": "candidate-0001", "seen": "", "text": text
    },
    "give_feedback": lambda text: {"memory_id": "fact-0001"},
}  # fmt: skip
SAID_BACK = {  # a refusal that is told in an answer instead of as an error
    "semantic_remember_many": lambda told: told["result"][0]["verdict"] == "refused",
    "ask": lambda told: any("a person rejected this value" in remark for remark in told["remarks"]),
    "consolidate": lambda told: not told["proposed"] and told["counts"] == {"skipped_tombstoned": 1},
    # the rating is kept, and the comment stands in quotes inside a sentence of the tool's own
    "give_feedback": lambda told: told["memory"]["content"].startswith("feedback on fact-0001: 1 of 5"),
}
QUIET = {
    # they withdraw, decide or pin
    *("working_clear", "semantic_retract", "graph_unlink", "semantic_reject", "review_lift"),
    *("review_next", "keystones_set", "evolve_forget", "audit_checkpoint"),
    # they write words of their own
    *("skills_use", "evolve_skills", "insights_find"),
}


@pytest.fixture(autouse=True)
def quiet():
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


pytestmark = pytest.mark.filterwarnings("ignore:The sampling capability is deprecated")


def test_every_tool_that_writes_is_a_door_that_is_walked_or_brings_no_text_in():
    writing = {name for name, tool in TOOLS.items() if tool.writes}
    named = {door.partition(" ")[0] for door in DOORS} | QUIET
    assert sorted(writing - named) == [], "new tools: are they doors? then tombstones must hold at them"
    assert sorted(named - writing) == []


@pytest.mark.parametrize("door", DOORS)
def test_no_spelling_of_a_rejected_value_comes_in_through_a_client(door):
    name = door.partition(" ")[0]
    texts = VARIANTS[:: max(1, len(VARIANTS) // 30)]
    with opened() as mem:
        tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
        lead = mem.person("shift-lead", fleet="dock", tenant="northlight")
        tech.semantic.remember("the yard is wide")
        tech.working.write("door", "observed", "state", texts[0])  # to be brought back, once it is withdrawn
        tech.working.clear(everything=True)
        tech.semantic.remember("the yard is narrow", source="web")
        lead.semantic.reject(tech.semantic.remember(VALUE, **TRIPLE).memory.memory_id, "not so")
        said = []

        async def sampled(messages, params, context):
            seen = re.findall(r"\[((?:note|event)-\d+)", messages[0].content.text)[-1:]
            return json.dumps({"facts": [{"content": said[-1], "evidence": seen}]})

        async def elicited(message, response_type, params, context):
            from fastmcp.client.elicitation import ElicitResult

            return ElicitResult(action="accept", content={"rating": 1, "comment": said[-1]})

        async def walk():
            who = LEAD if TOOLS[name].people or name == "evolve_status" else DOCK
            handlers = {"sampling_handler": sampled, "elicitation_handler": elicited}
            async with Client(app.build(mem, fixed=who), timeout=30, **handlers) as client:
                for text in texts:
                    said.append(text)
                    mem.clock.advance(minutes=1)
                    if name == "consolidate":
                        tech.episodic.log("observation", f"swept {len(said)}")
                    asked = DOORS[door](text)
                    if "seen" in asked:
                        asked["seen"] = lead.review.inbox()[0].digest
                    if name in SAID_BACK:
                        told = (await client.call_tool(name, asked)).structured_content
                        assert SAID_BACK[name](told), (text, told)
                    else:
                        with pytest.raises(ToolError, match=r"refused: .*a person rejected this value"):
                            await client.call_tool(name, asked)

        asyncio.run(walk())
        held = [*tech.semantic.list(), *tech.working.read(), *tech.episodic.recent(500)]
        assert not any(one.content in VARIANTS for one in held)
        assert mem.audit.verify(deep=True).status == "complete"


# ---- every status on every path that a client can read


def arguments(asked, ids):
    """Yield the arguments of each call: one for every id or word that the tool can be asked about."""
    places = [place for place, value in asked.items() if value in (ID, WORD)]
    if not places:
        yield dict(asked)
        return
    for value in ids if asked[places[0]] is ID else ("zebra", "quartz"):
        yield {**asked, **dict.fromkeys(places, value)}


# Of these something must be seen while the memories are live: a positive control.
SEEN = {
    "ask", "context_assemble", "catalogue_search", "catalogue_list", "episodic_recall", "episodic_recent",
    "episodic_since", "graph_neighbours", "keystones_list", "semantic_get", "semantic_list",
    "semantic_search", "skills_list", "skills_choose", "working_read", "working_context",
}  # fmt: skip


@pytest.mark.parametrize("status", Status)
def test_a_client_is_shown_the_live_three_and_none_of_the_withheld_five(status):
    with opened(start=NOON) as mem:
        tech = filled(mem)
        lead = mem.person("shift-lead", fleet="dock", tenant="northlight")
        text = "---\nname: zebra-skill\ntitle: Zebra\ntrigger: zebra quartz\narguments:\n---\nZebra quartz."
        ids = [*tech.ids.values(), lead.load_skills([text])[0].memory.memory_id]
        for memory_id in ids:
            put(mem, memory_id, status=str(status))
        shown = {}

        async def look():
            async with Client(app.build(mem, fixed=tech.principal), timeout=30) as client:
                for name, asked in ASKED.items():
                    if name in ANY_TIME or name.endswith("_stats"):
                        continue
                    spoken = {key: WORDS if isinstance(value, str) else value for key, value in asked.items()}
                    for given in arguments(spoken, ids):
                        times = {"moment": "1970-01-02T00:00:00Z", "at": NOON.isoformat()}
                        given |= {key: times[key] for key in times if key in given}
                        try:
                            told = str((await client.call_tool(name, given)).structured_content)
                        except ToolError as refused:
                            told = str(refused)
                        named = set(map(str, given.values()))
                        shown.setdefault(name, set()).update({one for one in ids if one in told} - named)
                        if "NL-0001" in told and name.startswith("catalogue"):
                            shown[name].add("NL-0001")
                        if name == "semantic_get" and "zebra" in told:
                            shown[name].add("itself")
                for one in await client.list_resources():
                    told = (await client.read_resource(one.uri))[0].text
                    shown[str(one.uri)] = {each for each in ids if each in told}
                shown["prompts"] = {one.name for one in await client.list_prompts()}

        asyncio.run(look())
        if status in LIVE:
            assert sorted(name for name in SEEN if not shown[name]) == []
            assert shown["prompts"] == {"zebra-skill"}
        else:
            assert {name: seen for name, seen in shown.items() if seen} == {}


WORDS = "zebra quartz"


def test_every_read_of_a_client_is_looked_at():
    reads = {name for name, tool in TOOLS.items() if not tool.writes}
    assert reads - set(ASKED) <= ELSEWHERE
