"""Bad input over MCP: a typed error within seconds, nothing half written, and a server that lives on."""

import asyncio
import json
import logging
import sqlite3
import subprocess
import sys
from contextlib import closing, contextmanager

import anyio
import pytest
from fastmcp import Client
from fastmcp.client.elicitation import ElicitResult
from fastmcp.exceptions import ToolError
from helpers import everything, opened, stop
from mcp.shared.exceptions import MCPError
from test_server_http import ENVIRONMENT

import teachmem
from teachmem.principal import Principal
from teachmem.server import app, asking
from teachmem.server.toolset import TOOLS
from teachmem.vocabulary import Role

DOCK = Principal("northlight", "dock", "dock-1")
LEAD = Principal("northlight", "dock", "shift-lead", Role.PERSON)
KINDS = ("invalid_input: ", "not_found: ", "refused: ", "store: ", "index_unavailable: ", "error: ")
pytestmark = pytest.mark.filterwarnings("ignore:The sampling capability is deprecated")


@pytest.fixture(autouse=True)
def quiet():
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


@pytest.fixture
def mem():
    with opened() as memory:
        yield memory


def served(mem, do, who=LEAD, **options):
    """Run `do(client)` within a minute at most; what takes longer fails."""

    async def run():
        with anyio.fail_after(60):
            async with Client(app.build(mem, fixed=who), timeout=30, **options) as client:
                return await do(client)

    return asyncio.run(run())


async def said(client, name, arguments):
    """Return the error that a call gives; it has a kind of ours, and is short."""
    answer = await client.call_tool(name, arguments, raise_on_error=False)
    assert answer.is_error, (name, arguments)
    text = answer.content[0].text
    assert text.startswith(KINDS), (name, text)
    assert len(text) < 1000, name
    assert "Traceback" not in text
    return text


async def lives(client):
    """Show that the server still answers, and that its log holds."""
    assert (await client.call_tool("audit_verify", {})).data["status"] == "complete"


def schemas(mem):
    async def read(client):
        return {
            name: (await client.call_tool("describe_tool", {"name": name})).data["arguments"]
            for name in TOOLS
        }

    return served(mem, read)


def test_every_tool_names_what_is_missing_what_is_too_much_and_what_is_of_the_wrong_type(mem):
    every, before = schemas(mem), everything(mem)

    async def do(client):
        for name, schema in every.items():
            told = await said(client, name, {"nonsense": 1})
            assert "nonsense is no argument of this tool" in told
            for argument in schema.get("required", ())[:4]:
                assert f"{argument} is missing" in told
            for argument in schema["properties"]:
                given = dict.fromkeys(schema.get("required", ()), "x")
                told = await said(client, name, {**given, argument: [[{"a": [1]}]]})
                assert "invalid_input" in told
        await lives(client)

    served(mem, do)
    assert everything(mem) == before


def test_a_megabyte_in_any_argument_is_answered_and_kept_nowhere(mem):
    every, before = schemas(mem), everything(mem)
    mega = "x" * 1_000_001

    async def do(client):
        for name, schema in every.items():
            texts = [
                one for one in schema.get("required", ()) if schema["properties"][one].get("type") == "string"
            ]
            for argument in texts:
                given = dict.fromkeys(texts, "x")
                answer = await client.call_tool(name, {**given, argument: mega}, raise_on_error=False)
                text = answer.content[0].text if answer.content else ""
                if answer.is_error:
                    assert text.startswith(KINDS), (name, argument, text[:200])
                    assert len(text) < 5000, (name, argument)
        await lives(client)

    served(mem, do)
    after = everything(mem)
    kept = [row for table, rows in after.items() for row in rows if row not in before[table]]
    assert not any(isinstance(value, str) and mega in value for row in kept for value in row)


@pytest.mark.parametrize(
    "name", ["", " ", "semantic_search ", "SEMANTIC_SEARCH", "../serve", "x" * 10_000, "a\x00b"]
)
def test_a_tool_that_is_none_is_not_found_in_one_sentence(mem, name):
    async def do(client):
        assert "there is no tool" in await said(client, name[:500], {})
        await lives(client)

    served(mem, do)


PATHS = [
    "../../etc/passwd",
    "..%2F..%2Fetc%2Fpasswd",
    "%00",
    "fact-0001%2F..%2Ffact-0002",
    "*",
    "%25",
    "'; DROP TABLE memories; --",
    "C:%5CWindows",
    "x" * 5000,
]


@pytest.mark.parametrize("path", PATHS)
def test_a_path_in_place_of_an_id_opens_nothing(mem, path):
    other = mem.agent("line-3", fleet="line", tenant="northlight")
    other.semantic.remember("the line's own word is basalt")
    before = everything(mem)

    async def do(client):
        for place in ("semantic", "catalogue"):
            with pytest.raises(Exception, match=r"(?i)not_found|not found|invalid|no '|validation") as caught:
                await client.read_resource(f"memory://{place}/{path}")
            assert "basalt" not in str(caught.value)
            assert "root:" not in str(caught.value)
        try:
            text = (await client.read_resource(f"memory://graph/{path}"))[0].text
        except Exception as error:
            text = str(error)
        assert text == "[]" or "basalt" not in text
        await lives(client)

    served(mem, do, DOCK)
    assert everything(mem) == before


# ---- clients that do not answer


async def never(*_):
    await anyio.sleep(3600)


@pytest.mark.parametrize("tool", ["consolidate", "catalogue_explain"])
def test_a_model_that_never_answers_is_given_up_on(mem, monkeypatch, tool):
    """In the protocol in which a server asks in the middle of a call, and waits."""
    monkeypatch.setattr(asking, "PATIENCE", 0.3)
    steward = mem.person("data-officer", fleet="lab", tenant="northlight", clearance=3)
    steward.load_catalogue([{"id": "NL-0001", "name": "x", "model": "y", "category": "door", "summary": "z"}])
    tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
    tech.episodic.log("observation", "gripper slipped on unit two")
    arguments = {"catalogue_explain": {"robot": "NL-0001"}}
    before = everything(mem)

    async def do(client):
        assert "no answer in 0.3 seconds" in await said(client, tool, arguments.get(tool, {}))
        await lives(client)

    served(mem, do, DOCK, mode="legacy", sampling_handler=never)
    assert everything(mem) == before


def test_a_person_who_never_answers_has_decided_nothing(mem, monkeypatch):
    monkeypatch.setattr(asking, "PATIENCE", 0.3)
    tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
    fact = tech.semantic.remember("the hoist hums").memory.memory_id
    tech.semantic.remember("the whole house needs this", visibility="org")
    before = everything(mem)

    async def do(client):
        assert "nobody answered in 0.3 seconds" in await said(client, "review_next", {})
        assert "nobody answered" in await said(client, "give_feedback", {"memory_id": fact})
        await lives(client)

    served(mem, do, mode="legacy", elicitation_handler=never)
    assert everything(mem) == before


@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.parametrize("content", [{}, {"decision": "burn"}, {"decision": 5}, {"decision": ["approve"]}])
def test_a_form_that_was_filled_in_wrongly_decides_nothing(mem, content, mode):
    tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
    tech.semantic.remember("the whole house needs this", visibility="org")
    before = everything(mem)

    async def wrong(message, response_type, params, context):
        return ElicitResult(action="accept", content=content)

    async def do(client):
        with pytest.raises((MCPError, ToolError)):  # a client that checks its own form says so first
            await client.call_tool("review_next", {})
        await lives(client)

    served(mem, do, mode=mode, elicitation_handler=wrong)
    assert everything(mem) == before


# ---- a store that somebody holds, and requests that look alike


@contextmanager
def process(store):
    """Run `teachmem serve` on pipes, its first greeting done; give a way to send and one to read."""
    who = ["--tenant", "northlight", "--fleet", "dock", "--agent", "dock-1"]
    running = subprocess.Popen(
        [sys.executable, "-m", "teachmem", "serve", "--store", str(store), *who],
        env=ENVIRONMENT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        encoding="utf-8",
    )

    def send(**message):
        line = message.pop("line", None) or json.dumps({"jsonrpc": "2.0", **message})
        running.stdin.write(line + "\n")
        running.stdin.flush()

    def read():
        return json.loads(running.stdout.readline())

    try:
        client = {"name": "rude", "version": "0"}
        start = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
        send(id=0, method="initialize", params=start)
        assert read()["id"] == 0
        send(method="notifications/initialized")
        yield send, read
    finally:
        stop(running)


def call(name, **arguments):
    return {"method": "tools/call", "params": {"name": name, "arguments": arguments}}


def test_two_requests_of_one_id_in_flight_are_both_answered_and_the_server_lives(tmp_path):
    store = tmp_path / "northlight.db"
    with process(store) as (send, read):
        for number in range(6):
            send(id=7, **call("episodic_log", kind="observation", content=f"pallet {number}"))
        answers = [read() for _ in range(6)]
        send(id=8, **call("audit_verify"))
        last = read()
    assert {one["id"] for one in answers} == {7}
    assert all("error" in one or not one["result"].get("isError") for one in answers)
    assert last["id"] == 8
    assert last["result"]["structuredContent"]["status"] == "complete"
    kept = {one["result"]["structuredContent"]["memory"]["id"] for one in answers if "result" in one}
    with teachmem.open_memory(store) as mem:
        tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
        assert kept <= {event.memory_id for event in tech.episodic.recent(100)}
        assert len(kept) >= 1


LINES = [
    "{",
    "[]",
    "null",
    '"x"',
    '{"jsonrpc": "2.0"}',
    '{"jsonrpc": "2.0", "id": {}, "method": 5}',
    "\u2028",
]


def test_lines_that_are_no_requests_do_not_end_the_server(tmp_path):
    with process(tmp_path / "northlight.db") as (send, read):
        for line in LINES:
            send(line=line)
        send(id="last", **call("audit_verify"))
        for _ in range(3 * len(LINES)):
            answer = read()
            if answer.get("id") == "last":
                break
        assert answer["result"]["structuredContent"]["status"] == "complete"


def test_a_locked_store_is_a_typed_error_in_seconds_and_is_written_when_it_is_free(tmp_path, monkeypatch):
    monkeypatch.setattr("teachmem.ledger.database.BUSY_SECONDS", 1)
    path = tmp_path / "northlight.db"
    with teachmem.open_memory(path) as mem:
        mem.agent("dock-1", fleet="dock", tenant="northlight").semantic.remember("the hoist hums")
        before = everything(mem)

        async def do(client):
            with closing(sqlite3.connect(path, isolation_level=None)) as other:
                other.execute("BEGIN IMMEDIATE")
                told = await said(client, "semantic_remember", {"content": "the dryer hums"})
                assert told.startswith("store: ")
                found = await client.call_tool("semantic_search", {"query": "hoist"})
                assert len(found.data["hits"]) == 1, "whoever reads does not wait for whoever writes"
                other.execute("ROLLBACK")
            assert everything(mem) == before
            told = await client.call_tool("semantic_remember", {"content": "the dryer hums"})
            assert told.data["verdict"] == "accepted"
            await lives(client)

        served(mem, do, DOCK)
