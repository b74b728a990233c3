"""Many clients at one server on loopback, rude ones among them: nothing acknowledged is lost, it lives on."""

import asyncio
import http.client
import json
import logging
import os
import socket
import time
from pathlib import Path

import pytest
from fastmcp import Client
from test_server_http import client_of, serving

import teachmem
from teachmem.principal import Principal
from teachmem.server.identity import TokenBook

CLIENTS = 8
SECONDS = 300 if os.environ.get("HYPOTHESIS_PROFILE") == "long" else 20
WARM_UP = 0.4  # of the time, before memory is looked at


@pytest.fixture(autouse=True)
def quiet():
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


def resident(pid):
    """Return the resident memory of a process in MiB, or None where the system does not say."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return None
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


async def busy(port, token, name, until, acknowledged, seen):
    """Write and read in turn until the time is up; keep the id of every write that was acknowledged."""
    async with client_of(port, token) as client:
        turn = 0
        while time.monotonic() < until:
            said = f"{name} saw pallet {turn} at gate {turn % 7}"
            told = await client.call_tool("episodic_log", {"kind": "observation", "content": said})
            acknowledged.append(told.data["memory"]["id"])
            if turn % 3 == 0:
                told = await client.call_tool(
                    "semantic_remember", {"content": f"pallet {turn} of {name} is blue"}
                )
                acknowledged.append(told.data["memory"]["id"])
            found = await client.call_tool("episodic_recall", {"query": f"pallet {turn}", "k": 3})
            seen.append(len(found.data["hits"]))
            await client.call_tool("semantic_search", {"query": "blue pallet"})
            turn += 1


async def rude(port, token, until):
    """Send what no client should, again and again; a typed error or a closed door is all that may come."""
    good = {"Authorization": f"Bearer {token}", "Accept": "application/json, text/event-stream"}
    bodies = [
        b"{",
        b"[]",
        b'{"jsonrpc": "2.0", "id": 1, "method": "no/such"}',
        json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "nope"}}).encode(),
        b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": ' + b"[" * 5000,
        b"\xff\xfe" * 1000,
    ]
    sent = 0
    while time.monotonic() < until:
        body = bodies[sent % len(bodies)]
        status = await asyncio.to_thread(_post, port, body, good)
        assert 200 <= status < 500, (status, body[:60])
        with socket.create_connection(("127.0.0.1", port), timeout=5) as gone:  # leaves in mid-call
            head = f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n"
            gone.sendall(head.encode() + b"Content-Type: application/json\r\nContent-Length: 9999\r\n\r\n{")
        sent += 1
        await asyncio.sleep(0.2)


def _post(port, body, headers):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    try:
        connection.request("POST", "/mcp", body, {**headers, "Content-Type": "application/json"})
        return connection.getresponse().status
    finally:
        connection.close()


def test_eight_clients_and_a_rude_one_lose_nothing(tmp_path):
    book = TokenBook(tmp_path / "tokens.json")
    tokens = [
        book.make(Principal("northlight", "dock", f"dock-{n}"), now=time.time()) for n in range(CLIENTS)
    ]
    store = tmp_path / "northlight.db"
    acknowledged, seen, sizes = [], [], []

    async def everybody(port, pid):
        started = time.monotonic()
        until = started + SECONDS

        async def watch():
            while time.monotonic() < until:
                if time.monotonic() - started > WARM_UP * SECONDS:
                    sizes.append(resident(pid))
                await asyncio.sleep(SECONDS / 40)

        clients = [
            busy(port, token, f"dock-{n}", until, acknowledged, seen) for n, token in enumerate(tokens)
        ]
        await asyncio.gather(*clients, rude(port, tokens[0], until), watch())

    with serving(store, book.path, with_pid=True) as (port, pid):
        asyncio.run(everybody(port, pid))
    assert len(acknowledged) == len(set(acknowledged)) > CLIENTS
    assert min(seen) >= 1, "whoever has just written finds it"
    with teachmem.open_memory(store) as mem:
        steward = mem.person("data-officer", fleet="dock", tenant="northlight", clearance=3)
        held = {event.memory_id for event in steward.episodic.recent(100_000)}
        held |= {fact.memory_id for fact in steward.semantic.list(limit=100_000)}
        assert set(acknowledged) <= held
        report = mem.audit.verify(deep=True)
        assert report.status == "complete", str(report)
    if sizes and sizes[0] is not None:
        assert max(sizes) < 1.3 * sizes[0] + 50, sizes


def test_a_call_that_its_client_gave_up_on_leaves_the_server_alive(tmp_path):
    book = TokenBook(tmp_path / "tokens.json")
    token = book.make(Principal("northlight", "dock", "dock-1"), now=time.time())

    async def use(port):
        async with Client(f"http://127.0.0.1:{port}/mcp", auth=token) as client:
            many = {"items": [{"content": f"fact {n}"} for n in range(300)]}
            call = asyncio.create_task(client.call_tool("semantic_remember_many", many))
            await asyncio.sleep(0.15)
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
        async with client_of(port, token) as client:
            told = await client.call_tool("semantic_remember", {"content": "the server lives"})
            return told.data["verdict"], (await client.call_tool("audit_verify", {})).data["status"]

    with serving(tmp_path / "northlight.db", book.path) as port:
        assert asyncio.run(use(port)) == ("accepted", "complete")
