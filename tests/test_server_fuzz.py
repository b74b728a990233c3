"""Random calls at a server over HTTP: valid ones, nearly valid ones, and bytes of any kind.

Whatever comes, the answer is a result or a typed error: no status of 500, no word of a traceback, no wait
without end. Afterwards the server lives, its log is empty, and the whole chain of its store is there.
HYPOTHESIS_PROFILE=long sends more.
"""

import asyncio
import http.client
import json
import logging
import socket
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
from fastmcp import Client
from helpers import opened, stop
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_server_http import DOCK, ENVIRONMENT, LEAD, READER, client_of, free_port

import teachmem
from teachmem.principal import Principal
from teachmem.server import app
from teachmem.server.identity import TokenBook
from teachmem.server.toolset import TOOLS
from teachmem.vocabulary import Role

STEWARD = Principal("northlight", "dock", "data-officer", Role.PERSON, 3)
CALLERS = (DOCK, LEAD, READER, STEWARD)
KINDS = ("invalid_input: ", "not_found: ", "refused: ", "store: ", "index_unavailable: ", "error: ")
TRACES = ("Traceback", 'File "', "internal: ", "site-packages", "sqlalchemy", "SELECT ", "INSERT ")
CALLS = 12  # in one example
FACTOR = 10 if settings().max_examples > 100 else 1
quick = settings(max_examples=25 * FACTOR, suppress_health_check=list(HealthCheck))
many = settings(max_examples=120 * FACTOR, suppress_health_check=list(HealthCheck))


@pytest.fixture(autouse=True)
def quiet():
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


# ---- what is sent

WORDS = (
    "hoist",
    "gate four",
    "fact-0001",
    "northlight",
    "dock-1",
    "active",
    "2026-03-02",
    "restart",
    "",
    " ",
)
texts = st.one_of(st.sampled_from(WORDS), st.text(max_size=30))
numbers = st.one_of(st.integers(-3, 300), st.integers(), st.floats(allow_nan=False, allow_infinity=False))
json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), numbers, texts),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(texts, inner, max_size=3)),
    max_leaves=8,
)


def fitting(schema):
    """Return a strategy for values that a tool's schema allows."""
    if "enum" in schema or "const" in schema:
        return st.sampled_from(schema.get("enum") or [schema["const"]])
    for several in ("anyOf", "oneOf"):
        if several in schema:
            return st.one_of([fitting(each) for each in schema[several]])
    kind = schema.get("type")
    if kind == "string":
        return texts
    if kind == "integer":
        return st.integers(schema.get("minimum", -2), schema.get("maximum", 60))
    if kind == "number":
        return st.floats(schema.get("minimum", -1), schema.get("maximum", 2), allow_nan=False)
    if kind == "boolean":
        return st.booleans()
    if kind == "null":
        return st.none()
    if kind == "array":
        return st.lists(fitting(schema.get("items", {})), max_size=3)
    if kind == "object" and "properties" in schema:
        return arguments_of(schema)
    if kind == "object":
        inner = schema.get("additionalProperties", {})
        return st.dictionaries(texts, fitting(inner if isinstance(inner, dict) else {}), max_size=3)
    return json_values


def arguments_of(schema):
    needed = set(schema.get("required", ()))
    parts = {name: fitting(part) for name, part in schema.get("properties", {}).items()}
    return st.fixed_dictionaries(
        {name: part for name, part in parts.items() if name in needed},
        optional={name: part for name, part in parts.items() if name not in needed},
    )


def schemas():
    """Return the schema of every tool's arguments, as a client sees it."""

    async def read():
        with opened() as mem:
            async with Client(app.build(mem, fixed=STEWARD, everything=True)) as client:
                return {tool.name: tool.input_schema for tool in await client.list_tools()}

    found = asyncio.run(read())
    assert set(found) == set(TOOLS)
    return found


@st.composite
def calls(draw, every):
    """Draw a tool and its arguments: as the schema says, or with one thing wrong."""
    name = draw(st.sampled_from(sorted(every)))
    given = dict(draw(arguments_of(every[name])))
    wrong = draw(st.sampled_from(["nothing", "nothing", "value", "left out", "too much", "name"]))
    if wrong == "value" and given:
        given[draw(st.sampled_from(sorted(given)))] = draw(json_values)
    elif wrong == "left out" and given:
        del given[draw(st.sampled_from(sorted(given)))]
    elif wrong == "too much":
        given[draw(texts)] = draw(json_values)
    elif wrong == "name":
        name = draw(st.one_of(texts, st.just(name + " ")))
    return name, given


METHODS = (
    "initialize ping tools/list tools/call resources/list resources/read resources/templates/list "
    "resources/subscribe prompts/list prompts/get completion/complete logging/setLevel server/discover "
    "notifications/initialized notifications/cancelled tasks/get sampling/createMessage"
).split()
URIS = (
    "memory://overview",
    "memory://semantic/fact-0001",
    "memory://review/inbox",
    "memory://graph/%00",
    "file:///etc",
)
params = st.one_of(
    json_values,
    st.fixed_dictionaries(
        {},
        optional={
            "name": st.one_of(st.sampled_from(sorted(TOOLS)), json_values),
            "uri": st.one_of(st.sampled_from(URIS), json_values),
            "arguments": json_values,
            "cursor": json_values,
            "protocolVersion": json_values,
            "capabilities": json_values,
            "clientInfo": json_values,
            "_meta": json_values,
            "ref": json_values,
            "level": json_values,
        },
    ),
)
messages = st.one_of(
    st.fixed_dictionaries(
        {"jsonrpc": st.one_of(st.just("2.0"), st.just("2.0"), json_values)},
        optional={
            "id": st.one_of(st.integers(), texts, json_values),
            "method": st.one_of(st.sampled_from(METHODS), st.sampled_from(METHODS), json_values),
            "params": params,
            "result": json_values,
            "error": json_values,
        },
    ),
    json_values,
)
bodies = st.one_of(
    messages.map(lambda message: json.dumps(message).encode()),
    st.lists(messages, max_size=3).map(lambda batch: json.dumps(batch).encode()),
    st.binary(max_size=200),
    st.integers(1, 60_000).map(lambda depth: b"[" * depth),
    st.integers(1, 6_000).map(
        lambda digits: b'{"jsonrpc":"2.0","id":' + b"9" * digits + b',"method":"ping"}'
    ),
    st.just(b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":NaN,"y":1e999}}'),
    st.just(b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"\\ud800"}}'),
)
VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28", "2026-13-99", "")
visible = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=30)
headers = st.fixed_dictionaries(
    {},
    optional={
        "Content-Type": st.one_of(
            st.sampled_from(["text/plain", "application/json; charset=latin-1", ""]), visible
        ),
        "Accept": st.one_of(st.sampled_from(["*/*", "application/json", "text/event-stream"]), visible),
        "Mcp-Protocol-Version": st.one_of(st.sampled_from(VERSIONS), visible),
        "Mcp-Session-Id": visible,
        "Mcp-Method": st.one_of(st.sampled_from(METHODS), visible),
        "Mcp-Name": visible,
        "Mcp-Param-Query": visible,
        "Last-Event-Id": visible,
        "Content-Encoding": st.sampled_from(["gzip", "br", "identity"]),
        "Expect": st.sampled_from(["100-continue", "200-ok"]),
        "X-Forwarded-For": visible,
        "Upgrade": st.sampled_from(["websocket", "h2c"]),
    },
)
GOOD = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}


# ---- the server


@dataclass(frozen=True)
class Served:
    port: int
    tokens: dict
    store: Path
    log: Path
    process: subprocess.Popen


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fuzzed")
    book = TokenBook(folder / "tokens.json")
    tokens = {who: book.make(who, now=time.time()) for who in CALLERS}
    store, log, port = folder / "northlight.db", folder / "server.log", free_port()
    with teachmem.open_memory(store) as mem:
        dock = mem.agent("dock-1", fleet="dock", tenant="northlight")
        dock.semantic.remember("the hoist hums", subject="hoist", predicate="has_status", object="hum")
        dock.episodic.log("observation", "gate four is open")
    options = ["--store", store, "--http", "--port", port, "--tokens", book.path, "--rate", 100_000]
    with log.open("wb") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", "teachmem", "serve", *map(str, options)],
            env=ENVIRONMENT,
            stdout=out,
            stderr=out,
        )
    try:
        for _ in range(300):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            assert process.poll() is None, log.read_text(encoding="utf-8")
            time.sleep(0.1)
        yield Served(port, tokens, store, log, process)
    finally:
        stop(process)


@pytest.fixture(autouse=True, scope="module")
def unharmed(served):
    """After everything: the server lives, has said nothing of a crash, and its store is whole."""
    yield

    async def use():
        async with client_of(served.port, served.tokens[LEAD]) as client:
            return (await client.call_tool("semantic_remember", {"content": "the server lives"})).data

    assert asyncio.run(use())["verdict"] in ("accepted", "duplicate")
    assert served.process.poll() is None
    stop(served.process)
    assert served.log.read_text(encoding="utf-8") == "", "a crash is a bug even if nobody saw it"
    with teachmem.open_memory(served.store) as mem:
        report = mem.audit.verify(deep=True)
        assert report.status == "complete", str(report)


def is_harmless(text):
    found = [trace for trace in TRACES if trace in text]
    assert not found, (found, text[:500])


# ---- the tests

EVERY = schemas()


@quick
@given(who=st.sampled_from(CALLERS), asked=st.lists(calls(EVERY), min_size=1, max_size=CALLS))
def test_a_call_gives_a_result_or_a_typed_error(served, who, asked):
    async def use():
        async with client_of(served.port, served.tokens[who]) as client:
            for name, arguments in asked:
                answer = await asyncio.wait_for(client.call_tool(name, arguments, raise_on_error=False), 60)
                if answer.is_error:
                    text = answer.content[0].text
                    assert text.startswith(KINDS), (name, arguments, text)
                    assert len(text) < 2000
                    is_harmless(text)

    asyncio.run(use())


def post(served, body, token, more, method="POST", path="/mcp"):
    connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=60)
    try:
        sent = {**GOOD, **more} | ({"Authorization": f"Bearer {token}"} if token else {})
        connection.request(method, path, body, sent)
        answer = connection.getresponse()
        if method == "GET" and answer.status == 200:  # a stream stays open
            return answer.status, ""
        return answer.status, answer.read().decode("utf-8", "replace")
    finally:
        connection.close()


@many
@given(
    who=st.sampled_from([*CALLERS, None]),
    body=bodies,
    more=headers,
    method=st.sampled_from(["POST", "POST", "POST", "DELETE", "PUT", "PATCH", "OPTIONS", "HEAD"]),
    path=st.sampled_from(
        ["/mcp", "/mcp", "/mcp", "/mcp/", "/", "/.well-known/oauth-protected-resource/mcp", "/%00"]
    ),
)
def test_a_request_of_any_kind_is_answered_below_500(served, who, body, more, method, path):
    status, told = post(served, body, served.tokens.get(who), more, method, path)
    assert 200 <= status < 500, (status, told[:300])
    if who is None and path == "/mcp" and method == "POST":
        assert status == 401
    is_harmless(told)


@quick
@given(body=bodies, more=headers)
def test_a_request_in_a_session_of_the_older_protocol_too(served, body, more):
    token = served.tokens[LEAD]
    start = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "old", "version": "0"},
    }
    first = json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": start})
    connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=60)
    connection.request("POST", "/mcp", first, {**GOOD, "Authorization": f"Bearer {token}"})
    answer = connection.getresponse()
    session = answer.headers["Mcp-Session-Id"]
    answer.read()
    connection.close()
    kept = {name: value for name, value in more.items() if name != "Accept"}
    status, told = post(served, body, token, {**kept, "Mcp-Session-Id": session})
    assert 200 <= status < 500, (status, told[:300])
    is_harmless(told)
    assert post(served, b"", token, {"Mcp-Session-Id": session}, "DELETE")[0] in (200, 204, 404)


LOCAL = b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n"
lines = st.one_of(
    st.binary(max_size=300),
    st.tuples(
        st.sampled_from([b"POST", b"GET", b"CONNECT", b"\x16\x03\x01", b"PRI"]), st.binary(max_size=60)
    ).map(lambda parts: parts[0] + b" /mcp HTTP/1.1\r\n" + parts[1] + b"\r\n\r\n"),
    st.sampled_from(
        [
            LOCAL + b"Content-Length: -1\r\n\r\n",
            LOCAL + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
            LOCAL + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n",
            LOCAL + b"Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n",
            LOCAL + b"Host: evil.example\r\n\r\n",
            b"POST /mcp HTTP/1.1\r\n\r\n",
            b"GET http://evil.example/mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
            b"GET /mcp HTTP/9.9\r\n\r\n",
            b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        ]
    ),
)


@many
@given(line=lines)
def test_bytes_that_are_no_request_are_refused_or_left(served, line):
    with socket.create_connection(("127.0.0.1", served.port), timeout=60) as connection:
        connection.sendall(line)
        connection.shutdown(socket.SHUT_WR)
        told = b""
        try:
            while piece := connection.recv(65536):
                told += piece
        except ConnectionError:
            pass
    assert told == b"" or (told.startswith(b"HTTP/1.1 ") and told[9:10] in b"1234"), told[:200]
    is_harmless(told.decode("latin-1"))
