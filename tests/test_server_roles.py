"""Who one is, through MCP: no argument says it, and what is out of sight is not there.

Both go over the tools that the built server has, found by introspection.
"""

import asyncio
import inspect
import logging

import pytest
from fastmcp import Client
from helpers import everything, opened

from teachmem.principal import Principal
from teachmem.server import app
from teachmem.server.toolset import TOOLS
from teachmem.vocabulary import Role

DOCK = Principal("northlight", "dock", "dock-1")
LEAD = Principal("northlight", "dock", "shift-lead", Role.PERSON)


@pytest.fixture(autouse=True)
def quiet():
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


IDENTITY = set("tenant fleet agent person principal role clearance me who actor by reader user token".split())


def test_no_tool_takes_an_argument_that_says_who_calls():
    async def tried():
        with opened() as mem:
            before = everything(mem)
            async with Client(app.build(mem, fixed=LEAD, everything=True)) as client:
                for tool in await client.list_tools():
                    assert not IDENTITY & set(tool.input_schema["properties"]), tool.name
                    told = dict.fromkeys(("me", "agent", "tenant", "role"), "officer")
                    filled = dict.fromkeys(tool.input_schema.get("required", ()), "x")
                    answer = await client.call_tool(tool.name, {**filled, **told}, raise_on_error=False)
                    assert answer.is_error, tool.name
                    for name in told:
                        assert f"{name} is no argument of this tool" in answer.content[0].text, tool.name
            assert everything(mem) == before

    asyncio.run(tried())


def test_a_memory_out_of_sight_is_to_every_tool_as_one_that_is_not_there():
    """Each tool that takes a memory's id, found by its arguments; reads and writes of agents and people."""
    filled = {
        "reason": "x",
        "status": "archived",
        "content": "x",
        "query": "x",
        "action": "approve",
        "candidate_id": "x",
        "seen": "x",
    }

    def arguments(listed, memory_id):
        given = {"memory_id": memory_id}
        for name, parameter in inspect.signature(listed.function).parameters.items():
            if parameter.default is parameter.empty and name in filled:
                given[name] = filled[name]
        return given

    async def tried(who, hidden):
        tried_at = set()
        async with Client(app.build(mem, fixed=who), timeout=30) as client:
            for name, listed in TOOLS.items():
                takes = set(inspect.signature(listed.function).parameters)
                if "memory_id" not in takes or not listed.is_for(who.role):
                    continue
                said = []
                for memory_id in (hidden, "fact-none"):
                    call = client.call_tool(name, arguments(listed, memory_id), raise_on_error=False)
                    answer = await call
                    text = answer.content[0].text
                    said.append((answer.is_error, text.replace(memory_id, "X")))
                assert said[0] == said[1], name
                tried_at.add(name)
        return tried_at

    with opened() as mem:
        other = mem.agent("line-3", fleet="line", tenant="northlight")
        hidden = other.semantic.remember("the line's own word is basalt").memory.memory_id
        before = everything(mem)
        agents, people = (asyncio.run(tried(who, hidden)) for who in (DOCK, LEAD))
        assert everything(mem) == before
    assert agents >= {
        "semantic_get",
        "audit_trail",
        "evolve_status",
        "evolve_forget",
        "explain",
        "give_feedback",
    }
    assert people - agents == {"semantic_reject", "keystones_set"}
