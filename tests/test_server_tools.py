"""The tools over MCP in one process: who has which, what they answer, and how they refuse."""

import asyncio
import inspect
import json
import logging
import re

import pytest
from fastmcp import Client
from fastmcp.exceptions import ToolError
from helpers import everything, opened

from teachmem.course import world
from teachmem.principal import Principal
from teachmem.server import app
from teachmem.server.toolset import MOST_AT_FIRST, TOOLS, found
from teachmem.vocabulary import Role

SKILLS = sorted((world.data_folder() / "skills").glob("*.md"))
DOCK = Principal("northlight", "dock", "dock-1")
LEAD = Principal("northlight", "dock", "shift-lead", Role.PERSON, 3)


@pytest.fixture
def mem():
    with opened() as memory:
        yield memory


@pytest.fixture(autouse=True)
def quiet():
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


def served(mem, do, who=DOCK, **options):
    """Run `do(client)` against a server for one principal and return what it gives."""

    async def run():
        async with Client(app.build(mem, fixed=who, **options)) as client:
            return await do(client)

    return asyncio.run(run())


def called(mem, name, /, as_=DOCK, **arguments):
    """Call one tool and return its data."""

    async def do(client):
        answer = await client.call_tool(name, arguments)
        return answer.structured_content.get("result", answer.structured_content)

    return served(mem, do, as_)


def refused(mem, name, /, as_=DOCK, **arguments):
    """Call one tool, which must refuse and leave every table as it is; return its words."""
    before = everything(mem)
    with pytest.raises(ToolError) as caught:
        called(mem, name, as_, **arguments)
    assert everything(mem) == before
    return str(caught.value)


def test_few_tools_are_listed_and_all_can_be_found_and_called(mem):
    async def do(client):
        listed = [tool.name for tool in await client.list_tools()]
        names = [row["name"] for row in (await client.call_tool("search_tools", {"limit": 100})).data]
        described = {name: (await client.call_tool("describe_tool", {"name": name})).data for name in names}
        return listed, names, described

    listed, names, described = served(mem, do)
    assert 0 < len(listed) <= MOST_AT_FIRST
    assert set(listed) == {name for name in names if TOOLS[name].entry}
    assert set(names) == {name for name, tool in TOOLS.items() if tool.is_for(Role.AGENT)}
    for name, said in described.items():
        assert said["description"].startswith(TOOLS[name].says)
        assert "me" not in said["arguments"]["properties"], "nobody may say who they are"
    unlisted = set(names) - set(listed)
    assert unlisted
    assert called(mem, "working_stats")["notes"] == 0


def test_everything_is_listed_where_asked(mem):
    async def names(client):
        return {tool.name for tool in await client.list_tools()}

    assert served(mem, names, everything=True) == set(found("", Role.AGENT))
    assert served(mem, names, LEAD, everything=True) == set(TOOLS)


def test_what_a_tool_is_for_can_be_found_by_words():
    assert found("neighbours", Role.AGENT)[0] == "graph_neighbours"
    assert "semantic_history" in found("what was held before, version history", Role.AGENT)[:3]
    assert found("xyzzy", Role.AGENT) == []


def test_a_write_and_its_reads_agree_with_the_store(mem):
    told = called(
        mem,
        "semantic_remember",
        content="The hoist hums",
        subject="hoist",
        predicate="located_in",
        object="bay two",
    )
    memory_id = told["memory"]["id"]
    tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
    assert told["verdict"] == "accepted"
    assert tech.semantic.get(memory_id).content == "The hoist hums"
    assert called(mem, "semantic_search", query="hoist")["hits"][0]["id"] == memory_id
    assert called(mem, "graph_neighbours", entity="hoist")[0]["fact"] == memory_id
    assert called(mem, "graph_path", start="hoist", goal="bay two")["found"] is True
    assert called(mem, "graph_path", start="hoist", goal="nowhere") == {"found": False, "path": []}
    assert (
        called(mem, "semantic_revise", memory_id=memory_id, content="The hoist is silent")["verdict"]
        == "accepted"
    )
    assert [row["content"] for row in called(mem, "semantic_history", memory_id=memory_id)] == [
        "The hoist hums",
        "The hoist is silent",
    ]
    assert (
        called(mem, "semantic_retract", memory_id=memory_id, reason="gone")["memory"]["status"] == "cancelled"
    )
    assert called(mem, "semantic_search", query="hoist")["hits"] == []
    assert called(mem, "audit_verify")["status"] == "complete"


def test_a_retry_gets_the_first_receipt(mem):
    first = called(mem, "episodic_log", kind="observation", content="gate four is open", request_id="r1")
    assert (
        called(mem, "episodic_log", kind="observation", content="gate four is open", request_id="r1") == first
    )
    assert called(mem, "episodic_recent")[0]["id"] == first["memory"]["id"]


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        ("semantic_search", {"query": "x", "k": 0}, "invalid_input: k: must be a whole number"),
        ("semantic_search", {"query": "x", "k": "many"}, "invalid_input: k:"),
        ("semantic_search", {}, "invalid_input: query is missing"),
        ("semantic_search", {"query": "x", "who": "shift-lead"}, "who is no argument"),
        ("semantic_search", {"query": "x", "me": "shift-lead"}, "me is no argument"),
        ("semantic_search", {"query": "x", "at": "2026-03-02T09:00:00"}, "time zone"),
        ("semantic_get", {"memory_id": "fact-9999"}, "not_found: no memory 'fact-9999'"),
        ("semantic_remember", {"content": "always restart twice", "kind": "rule"}, "refused"),
        ("semantic_remember", {"content": "x" * 1_000_001}, "refused"),
        ("semantic_remember", {"content": "half \ud800"}, ""),
        ("semantic_remember", {"content": ""}, "refused"),
        ("semantic_remember", {"content": "x", "source": "person"}, "may not claim the source"),
        ("working_clear", {}, "everything=True"),
        ("catalogue_get", {"robot": "NL-9999"}, "the catalogue has no 'NL-9999'"),
        ("describe_tool", {"name": "nope"}, "there is no tool 'nope'"),
        ("nope", {}, "not_found: there is no tool 'nope'"),
    ],
)
def test_bad_input_gets_a_kind_and_a_cure_and_writes_nothing(mem, name, arguments, told):
    try:
        said = refused(mem, name, **arguments)
    except UnicodeEncodeError:  # the client itself cannot send half of a pair
        return
    assert told in said
    assert "Traceback" not in said
    assert "pydantic" not in said
    assert len(said) < 500


def test_a_bug_is_not_told_to_the_client(mem, monkeypatch):
    from teachmem.tiers.working import WorkingMemory

    def broken(self):
        raise ZeroDivisionError("the secret of the bug")

    monkeypatch.setattr(WorkingMemory, "stats", broken)
    said = refused(mem, "working_stats")
    assert said.startswith("internal: something failed inside")
    assert "secret" not in said


def test_resources_are_read_through_the_callers_own_handle(mem):
    tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
    other = mem.agent("line-3", fleet="line", tenant="northlight")
    mine = tech.semantic.remember("the dock's own word is quartz").memory.memory_id
    theirs = other.semantic.remember("the line's own word is basalt").memory.memory_id

    async def do(client):
        texts = {}
        for resource in await client.list_resources():
            texts[str(resource.uri)] = (await client.read_resource(resource.uri))[0].text
        assert mine in (await client.read_resource(f"memory://semantic/{mine}"))[0].text
        said = []
        for absent in (theirs, "fact-none"):
            with pytest.raises(Exception, match="not_found") as caught:
                await client.read_resource(f"memory://semantic/{absent}")
            said.append(str(caught.value).replace(absent, "X"))
        assert said[0] == said[1]
        return texts

    texts = served(mem, do)
    assert len(texts) + 3 >= 12
    assert any("quartz" in text for text in texts.values())
    assert not any("basalt" in text for text in texts.values())
    for text in texts.values():
        json.loads(text)


def test_every_tool_says_what_it_does_and_names_follow_one_scheme():
    for name, listed in TOOLS.items():
        assert listed.says.endswith(".")
        said = listed.function.__doc__
        assert "Use it" in said, f"{name} does not say when to use it"
        others = {other for other in TOOLS if other != name and re.search(rf"\b{other}\b", said)}
        assert others or "not " in said, f"{name} does not say when not, or what to use instead"
        assert name == name.lower()
        assert name.split("_")[0] in {
            "working",
            "episodic",
            "semantic",
            "graph",
            "catalogue",
            "audit",
            "search",
            "describe",
            "explain",
            "consolidate",
            "ask",
            "context",
            "review",
            "evolve",
            "insights",
            "keystones",
            "skills",
            "give",
        }


def test_skills_are_prompts_for_those_who_may_use_them(mem):
    lead = mem.person("shift-lead", fleet="dock", tenant="northlight")
    lead.load_skills([path.read_text(encoding="utf-8") for path in SKILLS])

    async def use(client):
        listed = {prompt.name: prompt for prompt in await client.list_prompts()}
        given = {"robot": "NL-0003", "symptom": "it slips"}
        filled = await client.get_prompt("diagnose-a-robot", given)
        with pytest.raises(Exception, match="symptom"):
            await client.get_prompt("diagnose-a-robot", {"robot": "NL-0003"})
        with pytest.raises(Exception, match="Unknown prompt"):
            await client.get_prompt("no-such-skill", {})
        return listed, filled.messages[0].content.text

    listed, filled = served(mem, use)
    assert len(listed) == 5
    assert [argument.name for argument in listed["diagnose-a-robot"].arguments] == ["robot", "symptom"]
    assert filled.startswith("Find out what is wrong with NL-0003. What was seen: it slips")
    tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
    assert tech.procedural.uses("diagnose-a-robot") == 1
    lead.retract_skill("plan-a-search", "not needed")

    async def names(client):
        return [prompt.name for prompt in await client.list_prompts()]

    assert len(served(mem, names)) == 4
    assert served(mem, names, Principal("northlight", "line", "line-3")) == []


def test_a_skill_is_chosen_and_used_by_tools_too(mem):
    lead = mem.person("shift-lead", fleet="dock", tenant="northlight")
    lead.load_skills([path.read_text(encoding="utf-8") for path in SKILLS])
    chosen = called(mem, "skills_choose", task="the gripper slips, what is wrong?")["skills"][0]
    assert chosen["name"] == "diagnose-a-robot"
    given = {"robot": "NL-0003", "symptom": "it slips"}
    assert "NL-0003" in called(mem, "skills_use", name=chosen["name"], arguments=given)["text"]
    uses = {row["name"]: row["uses"] for row in called(mem, "skills_list")}
    assert uses["diagnose-a-robot"] == 1
    assert sum(uses.values()) == 1


def test_an_answer_comes_with_its_ids_and_a_context_with_its_labels(mem):
    told = called(mem, "semantic_remember", content="The canteen closes at two in the afternoon")
    memory_id = told["memory"]["id"]
    answer = called(mem, "ask", question="when does the canteen close?", trace=True)
    assert answer["answered"] is True
    assert answer["cited"] == [memory_id]
    assert len(answer["trace"]) == 9
    unknown = called(mem, "ask", question="which torque has the wrist bolt?")
    assert unknown["answer"] == "nothing in memory answers this"
    assert memory_id in called(mem, "context_assemble", query="canteen")["text"]


def test_the_desk_of_the_exercises_speaks_as_the_server_does(mem):
    from teachmem.course.segments.s04_desk import Desk

    fact = mem.agent("dock-1", fleet="dock", tenant="northlight").semantic.remember("Door two has a bell")

    async def said(client, query, known, unknown):
        rows = (await client.call_tool("search_tools", {"query": query, "limit": 1})).data
        told = (await client.call_tool("describe_tool", {"name": rows[0]["name"]})).data
        asked = [(await client.call_tool("ask", {"question": each})).data for each in (known, unknown)]
        hits = (await client.call_tool("semantic_search", {"query": known})).data["hits"]
        none = (await client.call_tool("search_tools", {"query": "xylophone"})).structured_content
        assert rows[0].keys() == {"name", "does"}
        assert told.keys() == {"name", "description", "arguments"}
        assert told["arguments"]["type"] == "object"
        assert isinstance(told["arguments"]["properties"], dict)
        assert [one["answered"] for one in asked] == [True, False]
        assert {"answer", "answered", "cited", "intents"} <= asked[0].keys()
        assert asked[0]["cited"]
        assert asked[1]["nearest"]
        assert asked[1]["answer"] == "nothing in memory answers this"
        assert hits[0].keys() >= {"id", "content"}
        assert none == {"result": []}
        return True

    unknown = "Which torque has the wrist bolt?"
    assert served(mem, lambda client: said(client, "graph", "has door two a bell?", f"{unknown} door"))
    assert asyncio.run(said(Desk(), "door", "Who opens door two?", unknown))
    assert fact.verdict == "accepted"


def agent_of(mem, name="dock-1", fleet="dock"):
    return mem.agent(name, fleet=fleet, tenant="northlight")


def test_two_failures_on_one_memory_become_an_insight(mem):
    fact = agent_of(mem).semantic.remember("the left lane is free").memory.memory_id
    for text in ("it was blocked", "blocked again"):
        told = called(mem, "evolve_outcome", outcome="failure", text=text, used=[fact])
        assert told["verdict"] == "accepted"
        assert told["memory"]["kind"] == "outcome"
    assert called(mem, "insights_find", focus="stale") == []
    (found,) = called(mem, "insights_find", focus="failures")
    assert found["kind"] == "insight"
    assert fact in found["content"]
    assert refused(mem, "insights_find", focus="weather").startswith("invalid_input: focus")


def test_an_agent_moves_what_is_its_own_and_asks_about_the_rest(mem):
    own = agent_of(mem).semantic.remember("the left lane is free").memory.memory_id
    others = agent_of(mem, "dock-2").semantic.remember("the right lane is free").memory.memory_id
    told = called(mem, "evolve_status", memory_id=own, status="archived", reason="old")
    assert (told["verdict"], told["memory"]["status"]) == ("accepted", "archived")
    told = called(mem, "evolve_status", memory_id=others, status="archived", reason="old")
    assert told["verdict"] == "staged"
    assert agent_of(mem).semantic.get(others).status == "active"
    said = refused(mem, "evolve_status", memory_id=own, status="gone", reason="old")
    assert said.startswith("invalid_input")


def test_an_agent_asks_for_erasure_and_a_person_erases(mem):
    own = agent_of(mem).semantic.remember("the quartz driver lives at 12 Quay Road").memory.memory_id
    assert called(mem, "evolve_forget", memory_id=own, reason="private")["verdict"] == "staged"
    assert "quartz" in agent_of(mem).semantic.get(own).content
    told = called(mem, "evolve_forget", as_=LEAD, memory_id=own, reason="private")
    assert told["verdict"] == "erased"
    assert own in told["certificate"]
    assert not any("quartz" in str(row) for row in everything(mem)["memories"])
    hidden = agent_of(mem, "line-1", "line").semantic.remember("basalt").memory.memory_id
    assert refused(mem, "evolve_forget", memory_id=hidden, reason="x").startswith("not_found")


def test_keystones_are_listed_and_people_alone_sign_the_log(mem):
    fact = agent_of(mem).semantic.remember("stop at the yellow line").memory.memory_id
    called(mem, "keystones_set", as_=LEAD, memory_id=fact)
    assert [row["id"] for row in called(mem, "keystones_list")] == [fact]
    assert "no tool 'audit_checkpoint'" in refused(mem, "audit_checkpoint")
    told = called(mem, "audit_checkpoint", as_=LEAD)
    assert mem.audit.verify("northlight", checkpoint=told["code"]).status == "complete"
    assert told["entry"] >= 2


def test_a_trail_tells_who_made_and_withdrew_a_memory_to_those_who_may_see_it(mem):
    tech = agent_of(mem)
    fact = tech.semantic.remember("the left lane is free").memory.memory_id
    tech.semantic.retract(fact, "a lorry stands there")
    trail = called(mem, "audit_trail", memory_id=fact)
    assert [(row["entry"], row["action"], row["by"], row["status"]) for row in trail] == [
        (1, "semantic.write", "dock-1", "active"),
        (2, "semantic.retract", "dock-1", "cancelled"),
    ]
    assert trail[-1]["hash"] == mem.audit.verify("northlight").head
    assert "lorry" not in str(trail)
    own = tech.semantic.remember("a note to self", visibility="agent").memory.memory_id
    other = Principal("northlight", "dock", "dock-2")
    said = [refused(mem, "audit_trail", as_=other, memory_id=each) for each in (own, "fact-9999")]
    assert said[0].replace(own, "X") == said[1].replace("fact-9999", "X")


def test_what_evolves_without_evidence_proposes_nothing(mem):
    assert called(mem, "evolve_skills")["proposed"] == []


# Reads of what waits, of the log, of the catalogue's sheet and of tools themselves have no other time.
TIMELESS = {
    "audit_trail",
    "audit_verify",
    "catalogue_compare",
    "catalogue_explain",
    "catalogue_get",
    "catalogue_list",
    "describe_tool",
    "review_inbox",
    "review_tombstones",
    "search_tools",
    "semantic_history",
}


def test_every_read_of_memories_takes_both_times():
    for name, listed in TOOLS.items():
        if listed.writes and name != "ask":
            continue
        taken = {"at", "known_at"} <= set(inspect.signature(listed.function).parameters)
        assert taken != (name in TIMELESS), name


def test_both_times_mean_over_mcp_what_they_mean_in_python(mem):
    tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
    tech.episodic.log("observation", "gate four opened")
    tech.semantic.remember("gate four sticks")
    then = mem.clock.now()
    mem.clock.advance(days=1)
    tech.episodic.log("observation", "gate four closed")
    tech.semantic.remember("gate four is oiled")
    past = then.isoformat()
    assert [row["content"] for row in called(mem, "episodic_recent", known_at=past)] == ["gate four opened"]
    assert called(mem, "episodic_stats", known_at=past)["events"] == 1
    assert called(mem, "semantic_stats", known_at=past)["facts"] == 1
    assert len(called(mem, "semantic_list", known_at=past)["memories"]) == 1
    assert len(called(mem, "semantic_list")["memories"]) == 2
