"""Over HTTP on loopback and over stdio, each in a process of its own: who may in, and as whom."""

import asyncio
import http.client
import json
import logging
import os
import socket
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest
from fastmcp import Client
from fastmcp.client.transports import StdioTransport
from helpers import SRC, stop

import teachmem
from teachmem.principal import Principal
from teachmem.server.identity import TokenBook
from teachmem.vocabulary import Role

DOCK = Principal("northlight", "dock", "dock-1")
LINE = Principal("northlight", "line", "line-3")
LEAD = Principal("northlight", "dock", "shift-lead", Role.PERSON)
READER = Principal("northlight", "dock", "dock-9", Role.AGENT, 0)


@pytest.fixture(autouse=True)
def quiet():
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


ENVIRONMENT = {**os.environ, "PYTHONPATH": str(SRC), "ANONYMIZED_TELEMETRY": "False"}


@contextmanager
def serving(store, tokens, *more, with_pid=False):
    """Run `teachmem serve --http` on a free port until the block ends; give the port (and the process id)."""
    port = free_port()
    options = ["--store", str(store), "--http", "--port", str(port), "--tokens", str(tokens), *more]
    process = subprocess.Popen(
        [sys.executable, "-m", "teachmem", "serve", *options],
        env=ENVIRONMENT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        for _ in range(300):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            assert process.poll() is None, process.stderr.read()
            time.sleep(0.1)
        yield (port, process.pid) if with_pid else port
    finally:
        stop(process)


def client_of(port, token):
    return Client(f"http://127.0.0.1:{port}/mcp", auth=token)


def post(port, **headers):
    """Send a bare request and return its status."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    sent = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream", **headers}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}})
    connection.request("POST", "/mcp", body, sent)
    status = connection.getresponse().status
    connection.close()
    return status


def test_the_token_alone_says_who_calls(tmp_path):
    book = TokenBook(tmp_path / "tokens.json")
    tokens = {who: book.make(who, now=time.time()) for who in (DOCK, LINE, LEAD, READER)}
    ended = book.make(DOCK, now=time.time() - 100, seconds=10)
    store = tmp_path / "northlight.db"

    async def use(port):
        async with client_of(port, tokens[DOCK]) as dock:
            told = await dock.call_tool("semantic_remember", {"content": "the hoist hums"})
            memory_id = told.data["memory"]["id"]
            assert told.data["memory"]["author"] == "dock-1"
            names = {row["name"] for row in (await dock.call_tool("search_tools", {"limit": 99})).data}
            with pytest.raises(Exception, match="agent is no argument"):
                await dock.call_tool("semantic_remember", {"content": "x", "agent": "shift-lead"})
        async with client_of(port, tokens[LINE]) as line:
            assert (await line.call_tool("semantic_search", {"query": "hoist"})).data["hits"] == []
            with pytest.raises(Exception, match="not_found"):
                await line.call_tool("semantic_get", {"memory_id": memory_id})
        async with client_of(port, tokens[LEAD]) as lead:
            assert (await lead.call_tool("semantic_get", {"memory_id": memory_id})).data["id"] == memory_id
            more = {row["name"] for row in (await lead.call_tool("search_tools", {"limit": 99})).data}
            assert names <= more
        async with client_of(port, tokens[READER]) as reader:
            assert (await reader.call_tool("semantic_get", {"memory_id": memory_id})).data["id"] == memory_id
            with pytest.raises(Exception, match="clearance 0 reads only"):
                await reader.call_tool("semantic_remember", {"content": "the hoist hums loudly"})

    with serving(store, book.path) as port:
        asyncio.run(use(port))
        good = {"Authorization": f"Bearer {tokens[DOCK]}"}
        assert post(port) == 401
        assert post(port, Authorization="Bearer tm_wrong") == 401
        assert post(port, Authorization=f"Bearer {ended}") == 401
        assert post(port, **good, Host="evil.example") == 421
        assert post(port, **good, Origin="http://evil.example") == 403
        book.revoke(book.grant(tokens[DOCK], now=time.time()).grant_id, now=time.time())
        assert post(port, **good) == 401, "a revoked token ends at once"
    with teachmem.open_memory(store) as mem:
        assert mem.audit.verify().status == "complete"


def test_two_servers_over_stdio_on_one_store_keep_every_write(tmp_path):
    store = tmp_path / "northlight.db"

    def transport(name):
        who = ["--tenant", "northlight", "--fleet", "dock", "--agent", name]
        arguments = ["-m", "teachmem", "serve", "--store", str(store), *who]
        return StdioTransport(sys.executable, arguments, env=ENVIRONMENT, keep_alive=False)

    async def write(name):
        async with Client(transport(name), timeout=60) as client:
            calls = [
                client.call_tool("episodic_log", {"kind": "observation", "content": f"{name} saw {n}"})
                for n in range(40)
            ]
            answers = await asyncio.gather(*calls)
            return [answer.data["memory"]["id"] for answer in answers]

    async def both():
        return await asyncio.gather(write("dock-1"), write("dock-2"))

    one, two = asyncio.run(both())
    with teachmem.open_memory(store) as mem:
        tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
        assert {event.memory_id for event in tech.episodic.recent(1000)} == {*one, *two}
        assert len({*one, *two}) == 80
        assert mem.audit.verify().status == "complete"


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--tenant", "northlight"], "say who this is for"),
        (["--tenant", "t", "--fleet", "f", "--agent", "a", "--person", "b"], "say who this is for"),
        (["--http", "--agent", "a"], "the token says who calls"),
        (["--http", "--host", "0.0.0.0"], "--beyond-loopback"),
    ],
)
def test_a_server_that_is_asked_for_wrongly_says_so(tmp_path, options, told):
    done = subprocess.run(
        [sys.executable, "-m", "teachmem", "serve", "--store", str(tmp_path / "s.db"), *options],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 2
    assert told in done.stderr
    assert not (tmp_path / "s.db").exists()


def test_refusals_fill_no_pipe_and_people_have_their_tools(tmp_path):
    """Nobody reads the server's stderr here: hundreds of refused calls must not make it wait for a reader."""
    book = TokenBook(tmp_path / "tokens.json")
    dock, lead = book.make(DOCK, now=time.time()), book.make(LEAD, now=time.time())

    async def use(port):
        async with client_of(port, dock) as agent:
            for _ in range(30):
                with pytest.raises(Exception, match="there is no tool 'review_inbox'"):
                    await agent.call_tool("review_inbox", {})
                with pytest.raises(Exception, match="not_found"):
                    await agent.call_tool("semantic_get", {"memory_id": "fact-none"})
            listed = {row["name"] for row in (await agent.call_tool("search_tools", {"limit": 99})).data}
        async with client_of(port, lead) as person:
            assert (await person.call_tool("review_inbox", {})).data == []
            more = {row["name"] for row in (await person.call_tool("search_tools", {"limit": 99})).data}
        return more - listed

    with serving(tmp_path / "northlight.db", book.path) as port:
        assert {"review_inbox", "review_decide", "keystones_set"} <= asyncio.run(use(port))
