"""Who sees what over MCP: every tool, resource and prompt, held to the same ten lines as the handles.

A tool is called as its function, with the reader's own handle: who that is, the credential says, which
`tests/test_server_http.py` holds. Whatever comes back is searched for the ids of the population, so that an
id in a label, a reason or a trail counts as much as one in a list.
"""

import asyncio
import re

import isolation
import pytest
from fastmcp import Client
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from isolation import QUESTION, TICKS, WORDS, may_see, moment
from test_isolation import in_scope, world

from teachmem import TeachmemError
from teachmem.clock import from_micros
from teachmem.server import app, resources
from teachmem.server.toolset import TOOLS

# What a read of the server is called with; "each id" and "each word" stand for one call each.
ID, WORD = object(), object()
READS = {
    "ask": {"question": QUESTION, "at": from_micros(moment(TICKS))},  # about a moment: it is not logged
    "context_assemble": {"query": QUESTION, "budget": 100_000},
    "catalogue_search": {"query": QUESTION, "k": 1000},
    "catalogue_list": {},
    "catalogue_get": {"robot": WORD},
    "catalogue_compare": {"first": WORD, "second": WORD},
    "episodic_recall": {"query": QUESTION, "k": 1000},
    "episodic_recent": {"n": 1000},
    "episodic_since": {"moment": from_micros(-1)},
    "episodic_stats": {},
    "explain": {"memory_id": ID, "query": QUESTION},
    "graph_neighbours": {"entity": WORD, "hops": 3},
    "graph_path": {"start": WORD, "goal": WORD},
    "graph_stats": {},
    "skills_list": {},
    "skills_choose": {"task": QUESTION, "k": 1000},
    "semantic_search": {"query": QUESTION, "k": 1000},
    "semantic_get": {"memory_id": ID},
    "semantic_list": {"limit": 1000},
    "semantic_history": {"memory_id": ID},
    "semantic_stats": {},
    "audit_trail": {"memory_id": ID},
    "keystones_list": {},
    "working_read": {"limit": 1000},
    "working_context": {"query": QUESTION, "budget": 100_000},
    "working_stats": {},
}
SHOWS_ALL = {  # of these, what must be there: a positive control
    "episodic_recent": isolation.of("episodic"),
    "episodic_recall": isolation.of("episodic"),
    "semantic_list": isolation.FACTS,
    "semantic_search": isolation.FACTS,
    "working_read": isolation.of("working"),
    "skills_list": isolation.of("procedural"),
}
ANY_TIME = {
    "semantic_history",
    "explain",
    "audit_trail",
}  # of any status and time, to whom the memory is in scope
ELSEWHERE = {  # about tools, the log and what waits; those that ask a person are of tests/test_server_*.py
    "search_tools",
    "describe_tool",
    "audit_verify",
    "review_inbox",
    "review_tombstones",
    "review_next",
    "catalogue_explain",
    "give_feedback",
}
_ID = re.compile(r"\b(?:working|episodic|semantic|procedural)-\d+\b")


def test_every_tool_that_does_not_write_is_known_here():
    reads = {name for name, tool in TOOLS.items() if not tool.writes}
    assert sorted(reads - set(READS) - ELSEWHERE) == [], (
        "say what this tool is called with, and what it shows"
    )
    assert sorted(set(READS) - set(TOOLS)) == []


def mentioned(call):
    try:
        return set(_ID.findall(str(call())))
    except TeachmemError:
        return set()


def calls(name, asked, ids):
    """Yield the arguments of every call that a read is asked with."""
    places = [place for place, value in asked.items() if value in (ID, WORD)]
    if not places:
        yield dict(asked)
    elif asked[places[0]] is ID:
        yield from ({**asked, places[0]: memory_id} for memory_id in ids)
    else:
        yield from ({**asked, **dict.fromkeys(places, word)} for word in WORDS)


@settings(max_examples=4, deadline=None, phases=[Phase.generate])
@given(st.integers(0, 2**32))
def test_no_tool_mentions_what_its_caller_may_not_see(seed):
    rng, everyone, mem = world(seed)
    with mem:
        mem.clock.set(from_micros(moment(TICKS)))
        ids = [versions[0]["memory_id"] for versions in everyone]
        for who in isolation.handles(mem, rng, everyone, 4):
            visible = {rows[0]["memory_id"] for rows in everyone if in_scope(who.principal, rows[-1])}
            at = moment(TICKS)
            held = {rows[0]["memory_id"]: row for rows in everyone
                    if (row := may_see(who.principal, rows, at, None)) is not None}  # fmt: skip
            for name, asked in READS.items():
                function = TOOLS[name].function
                given_ids = {memory_id for memory_id in ids if ID in asked.values()}
                for arguments in calls(name, asked, ids):
                    named = set(arguments.values()) & given_ids  # an error may say back what was asked for
                    found = mentioned(lambda: function(**arguments, me=who)) - (named - visible)  # noqa: B023
                    allowed = visible if name in ANY_TIME else set(held) | named
                    assert found <= allowed, (name, arguments, who.principal)
                if name in SHOWS_ALL:
                    wanted = {memory_id for memory_id, row in held.items() if SHOWS_ALL[name](row)}
                    assert mentioned(lambda: function(**asked, me=who)) == wanted, (name, who.principal)  # noqa: B023


@pytest.mark.parametrize("seed", [3, 14])
def test_no_resource_and_no_prompt_mentions_what_its_caller_may_not_see(seed):
    rng, everyone, mem = world(seed)
    with mem:
        mem.clock.set(from_micros(moment(TICKS)))
        for who in isolation.handles(mem, rng, everyone, 3):
            visible = {rows[0]["memory_id"] for rows in everyone if in_scope(who.principal, rows[-1])}
            held = {rows[0]["memory_id"] for rows in everyone
                    if may_see(who.principal, rows, moment(TICKS), None) is not None}  # fmt: skip

            async def read(who=who):
                async with Client(app.build(mem, fixed=who.principal)) as client:
                    fixed = [str(one.uri) for one in await client.list_resources()]
                    shown = [await client.read_resource(uri) for uri in fixed]
                    templates = {one.uri_template for one in await client.list_resource_templates()}
                    return str(shown), templates, str(await client.list_prompts())

            shown, templates, prompts = asyncio.run(read())
            assert set(_ID.findall(shown)) <= held
            assert templates == {
                "memory://catalogue/{robot}",
                "memory://semantic/{memory_id}",
                "memory://graph/{entity}",
            }
            names = {rows[-1]["subject"] for rows in everyone if rows[0]["memory_id"] in held}
            assert set(re.findall(r"\bskill-\d+\b", prompts)) <= names
            for rows in everyone:
                memory_id = rows[0]["memory_id"]
                found = mentioned(lambda: resources.fact(memory_id, me=who))  # noqa: B023
                assert found <= visible | {memory_id}
            for word in WORDS:
                assert mentioned(lambda: resources.around(word, me=who)) <= held  # noqa: B023
