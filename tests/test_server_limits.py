"""How often, how much, how large, how slowly: what is over a limit is told, and nothing else suffers."""

import asyncio
import http.client
import json
import logging
import socket
import time

import anyio
import pytest
from helpers import start_python, stop
from hypothesis import given
from hypothesis import strategies as st
from test_server_http import DOCK, LEAD, LINE, client_of, free_port, serving

from teachmem import InvalidInput
from teachmem.commands import serve
from teachmem.principal import Principal
from teachmem.server import app, log
from teachmem.server.identity import TokenBook
from teachmem.server.limits import BURST, FORGET, Bucket, Limiter, Limits, caller


@pytest.fixture(autouse=True)
def quiet():
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


# ---- the limiter, without a network


class User:
    def __init__(self, who):
        self.access_token = type("Token", (), {"claims": {"principal": who}})()


def scope(who=DOCK, method="POST", client="127.0.0.1", **headers):
    raw = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    found = {"type": "http", "method": method, "headers": raw, "client": (client, 5000)}
    return found | ({"user": User(who)} if who else {})


def pieces(*bodies, more=False):
    """Return a `receive` that gives these pieces of a body, and waits for good if there should be `more`."""
    given = [
        {"type": "http.request", "body": body, "more_body": more or number < len(bodies)}
        for number, body in enumerate(bodies, 1)
    ]

    async def receive():
        if not given:
            await anyio.sleep_forever()
        return given.pop(0)

    return receive


async def echo(scope, receive, send):
    """Answer with what was sent."""
    body = (await receive()).get("body", b"") if scope["method"] == "POST" else b""
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": body})


async def ask(limiter, what=None, receive=None):
    """Return the status, the body and the headers of an answer."""
    sent = []

    async def send(message):
        sent.append(message)

    await limiter(what or scope(), receive or pieces(b"hello"), send)
    return sent[0]["status"], sent[1]["body"], dict(sent[0]["headers"])


def run(do, **limits):
    now = [0.0]
    app = limits.pop("app", echo)
    limiter = Limiter(app, Limits(**limits), clock=lambda: now[0])
    return asyncio.run(do(limiter, now)), limiter


def test_an_empty_bucket_is_told_and_fills_again_and_is_ones_own():
    async def do(limiter, now):
        seen = [(await ask(limiter))[0] for _ in range(25)]
        status, body, headers = await ask(limiter)
        other = [(await ask(limiter, scope(who)))[0] for who in (LINE, LEAD, None)]
        now[0] += 0.5
        return seen, status, json.loads(body), headers, other, [(await ask(limiter))[0] for _ in range(6)]

    (seen, status, body, headers, other, later), _ = run(do, rate=10)
    assert seen == [200] * 20 + [429] * 5
    assert status == 429
    assert body["error"]["message"].startswith("more than 10 requests a second")
    assert headers[b"retry-after"] == b"1"
    assert other == [200, 200, 200]
    assert later == [200] * 5 + [429]


@given(
    rate=st.floats(0.1, 1000),
    waits=st.lists(st.floats(0, 5), min_size=1, max_size=60),
)
def test_in_no_stretch_of_time_is_more_let_through_than_the_burst_and_the_rate(rate, waits):
    now, passed = 0.0, []
    bucket = Bucket(rate, now)
    for wait in waits:
        now += wait
        told = bucket.take(now)
        assert told >= 0
        if told == 0:
            passed.append(now)
        elif told < 1000:
            later = Bucket(rate, now)
            later.__dict__.update(bucket.__dict__)
            assert later.take(now + told * 1.001 + 1e-6) == 0, "the time that was told is enough"
    most = max(1.0, BURST * rate)
    for first in range(len(passed)):
        for last in range(first, len(passed)):
            assert last - first + 1 <= most + rate * (passed[last] - passed[first]) + 1e-6


def test_strangers_are_counted_by_address_and_nothing_of_theirs_is_read():
    async def never():
        raise AssertionError("the body of a stranger was read")

    async def refuse(scope, receive, send):
        await send({"type": "http.response.start", "status": 401, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    async def do(limiter, _):
        near = [(await ask(limiter, scope(None), never))[0] for _ in range(4)]
        far = (await ask(limiter, scope(None, client="127.0.0.9"), never))[0]
        known = (await ask(limiter))[0]
        return near, far, known

    (near, far, known), _ = run(do, rate=1, app=refuse)
    assert near == [401, 401, 429, 429]
    assert (far, known) == (401, 401)


def test_all_tokens_of_one_principal_count_as_one():
    twin = Principal(DOCK.tenant, DOCK.fleet, DOCK.name, DOCK.role, DOCK.clearance)
    assert caller(scope(DOCK)) == caller(scope(twin))
    assert caller(scope(DOCK)) != caller(scope(LEAD))


def test_so_many_are_under_way_at_once_and_a_failed_one_counts_no_longer():
    release = anyio.Event()

    async def slow(scope, receive, send):
        await release.wait()
        if scope.get("fails"):
            raise RuntimeError("a bug")
        await echo(scope, receive, send)

    async def do(limiter, _):
        async with anyio.create_task_group() as group:
            first = []

            async def one(what):
                with pytest.raises(RuntimeError) if what.get("fails") else anyio.CancelScope():
                    first.append((await ask(limiter, what))[0])

            for number in range(3):
                group.start_soon(one, scope() | {"fails": number == 0})
            await anyio.wait_all_tasks_blocked()
            over, other = await ask(limiter), scope(LINE)
            group.start_soon(one, other)
            await anyio.wait_all_tasks_blocked()
            release.set()
        return first, over, await ask(limiter)

    (first, over, after), limiter = run(do, at_once=3, app=slow)
    assert first == [200, 200, 200]
    assert over[0] == 429
    assert b"3 requests are under way already" in over[1]
    assert after[0] == 200
    assert not limiter._under_way


KIB = 1024


@pytest.mark.parametrize(
    ("bodies", "declared", "status"),
    [
        ([b"x" * 2 * KIB], None, 200),
        ([b"x" * KIB, b"y" * KIB], None, 200),
        ([b"x" * 2 * KIB, b"y"], None, 413),
        ([b"x"] * (2 * KIB + 1), None, 413),
        ([b"x" * 100_000], None, 413),
        ([b"x"] * 100, "99999999999999999999999", 413),
        ([b"x"], "2049", 200),  # a lie costs nothing
        ([b"x"], "٣", 200),
        ([b""], None, 200),
    ],
)
def test_a_request_is_read_to_its_limit_and_given_on_whole(bodies, declared, status):
    async def do(limiter, _):
        what = scope() | {"headers": [(b"content-length", (declared or "").encode())] if declared else []}
        return await ask(limiter, what, pieces(*bodies))

    (found, body, _), limiter = run(do, kib=2)
    assert found == status
    assert body == b"".join(bodies) if status == 200 else b"more than 2 KiB" in body
    assert not limiter._under_way


def test_a_body_that_does_not_come_is_given_up_on():
    async def do(limiter, _):
        return await ask(limiter, receive=pieces(b"{", more=True))

    (status, body, _), limiter = run(do, seconds=0.01)
    assert (status, b"did not arrive whole" in body) == (408, True)
    assert not limiter._under_way


def test_who_has_gone_is_not_waited_for():
    async def gone():
        return {"type": "http.disconnect"}

    async def app(scope, receive, send):
        assert (await receive())["type"] == "http.disconnect"
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    async def do(limiter, _):
        return (await ask(limiter, receive=gone))[0]

    assert run(do, app=app)[0] == 200


def test_addresses_without_end_take_no_memory_without_end():
    async def do(limiter, now):
        for number in range(FORGET + 50):
            now[0] += 1
            await ask(limiter, scope(None, method="GET", client=f"address {number}"))
        return len(limiter._buckets)

    assert run(do)[0] <= FORGET


@pytest.mark.parametrize(
    "wrong", [{"rate": 0}, {"rate": float("nan")}, {"at_once": 0}, {"kib": 0}, {"kib": 5000}, {"rate": -1}]
)
def test_a_limit_that_is_none_is_refused(wrong):
    with pytest.raises(InvalidInput, match=next(iter(wrong))):
        Limits(**wrong)


# ---- a server in a process of its own

PATIENT = """
import sys
from pathlib import Path
import teachmem
from teachmem.server import app
from teachmem.server.limits import Limits
with teachmem.open_memory(sys.argv[1]) as mem:
    server = app.build(mem, tokens=Path(sys.argv[2]))
    limits = Limits(rate=float(sys.argv[4]), kib=64, seconds=0.4)
    app.run_http(server, "127.0.0.1", int(sys.argv[3]), limits=limits, log_level="critical")
"""


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    """A server with short patience; give its port, the book of its tokens and a token."""
    folder = tmp_path_factory.mktemp("served")
    book = TokenBook(folder / "tokens.json")
    token = book.make(DOCK, now=time.time())
    port = free_port()
    process = start_python(PATIENT, folder / "northlight.db", book.path, port, 50)
    try:
        for _ in range(300):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        yield port, book, token
        assert process.poll() is None, "the server lives"
    finally:
        stop(process)


def said_to(port, *parts, wait=0.05):
    """Send these parts one after another and return everything that is answered until the door is closed."""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as line:
        try:
            for part in parts:
                line.sendall(part)
                time.sleep(wait)
        except OSError:
            pass  # it was closed in the middle, as it should be
        found = b""
        try:
            while piece := line.recv(65536):
                found += piece
        except ConnectionError:
            pass
        return found


def head(token=None, length=2, **headers):
    lines = [
        "POST /mcp HTTP/1.1",
        "Host: 127.0.0.1",
        "Content-Type: application/json",
        f"Content-Length: {length}",
    ]
    lines += [f"Authorization: Bearer {token}"] if token else []
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def lives(port, token):
    async def use():
        async with client_of(port, token) as client:
            return (await client.call_tool("audit_verify", {})).data["status"]

    return asyncio.run(use())


def test_a_slow_head_a_slow_body_and_silence_are_ended(running):
    port, _, token = running
    assert said_to(port) == b""
    assert said_to(port, *[b"P", b"O", b"S", b"T"] * 30) == b""
    assert said_to(port, head(token)[:-4], *[b"\r\nX-A: b"] * 40) == b""
    assert said_to(port, head(token, 500), b"{", b'"', b"j").startswith(b"HTTP/1.1 408")
    assert said_to(port, head(None, 500), b"{", *[b" "] * 40).startswith(b"HTTP/1.1 401")
    assert lives(port, token) == "complete"


@pytest.mark.parametrize("size", [64 * KIB + 1, 300_000, 3_000_000])
def test_a_body_that_is_too_large_is_told_and_not_kept(running, size):
    port, _, token = running
    told = said_to(port, head(token, size) + b"x" * min(size, 500_000))
    assert told.startswith(b"HTTP/1.1 413"), told[:80]
    assert b"more than 64 KiB in one request; send it in parts" in told
    assert lives(port, token) == "complete"


def test_a_head_without_end_is_refused(running):
    port, _, token = running
    many = b"".join(b"X-%d: %s\r\n" % (number, b"y" * 1000) for number in range(500))
    told = said_to(port, head(token)[:-2] + many, wait=0)
    assert told == b"" or told.startswith(b"HTTP/1.1 400")
    assert lives(port, token) == "complete"


def test_a_session_is_of_its_credential_alone(running):
    """Another's session cannot be used, entered or laid under somebody; a revoked token ends one's own."""
    port, book, _ = running
    mine, same, other = (book.make(who, now=time.time()) for who in (DOCK, DOCK, LINE))
    client = {"name": "old", "version": "0"}
    start = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}

    def post(token, method, session=None, **params):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        headers = {
            "Authorization": f"Bearer {token}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
        } | ({"Mcp-Session-Id": session} if session else {})
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        connection.request("POST", "/mcp", json.dumps(body), headers)
        answer = connection.getresponse()
        found = answer.status, answer.headers.get("Mcp-Session-Id"), answer.read().decode()
        connection.close()
        return found

    status, session, _ = post(mine, "initialize", **start)
    assert (status, bool(session)) == (200, True)
    call = {"name": "working_write", "arguments": {"subject": "arm", "predicate": "is", "object": "up"}}
    assert post(mine, "tools/call", session, **call)[0] == 200
    for token in (other, same, book.make(LEAD, now=time.time())):
        assert post(token, "tools/call", session, **call)[0] == 404
    assert post("tm_wrong", "tools/call", session, **call)[0] == 401
    laid = "0" * 32
    assert post(mine, "initialize", laid, **start)[0] == 404, "who calls does not choose the session's name"
    book.revoke(book.grant(mine, now=time.time()).grant_id, now=time.time())
    assert post(mine, "tools/call", session, **call)[0] == 401


def test_a_damaged_file_of_tokens_opens_nothing_and_ends_nothing(running):
    port, book, token = running
    good = book.path.read_bytes()
    try:
        for wrong in (b"{", b"[1]", b"\xff"):
            book.path.write_bytes(wrong)
            assert said_to(port, head(token) + b"{}").startswith(b"HTTP/1.1 401")
        book.path.write_bytes(good)
        book.path.chmod(0o644)
        assert said_to(port, head(token) + b"{}").startswith(b"HTTP/1.1 401")
    finally:
        book.path.write_bytes(good)
        book.path.chmod(0o600)
    assert lives(port, token) == "complete"


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "127.0.0.1"}, None),
        ({"Host": "localhost:8765"}, None),
        ({"Host": "memory.school.example"}, None),
        ({"Host": "evil.example"}, 421),
        ({"Host": "127.0.0.1.evil.example"}, 421),
        ({"Host": ""}, 421),
        ({"Host": "127.0.0.1", "Origin": "http://evil.example"}, 403),
        ({"Host": "127.0.0.1", "Origin": "null"}, 403),
        ({"Host": "127.0.0.1", "Origin": "http://127.0.0.1.evil.example"}, 403),
        ({"Host": "evil.example", "Origin": "http://evil.example"}, 421),
        ({"Host": "127.0.0.1", "Origin": "file://"}, 403),
    ],
)
def test_a_web_page_that_renames_itself_gets_nowhere(named, headers, status):
    port, token = named
    lines = [f"{name}: {value}" for name, value in headers.items()]
    sent = "\r\n".join(["POST /mcp HTTP/1.1", *lines, f"Authorization: Bearer {token}", "Content-Length: 2"])
    told = said_to(
        port, f"{sent}\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n{{}}".encode()
    )
    found = int(told.split()[1])
    assert found == status if status else found not in (401, 403, 421, 500)


@pytest.fixture(scope="module")
def named(tmp_path_factory):
    folder = tmp_path_factory.mktemp("named")
    book = TokenBook(folder / "tokens.json")
    token = book.make(DOCK, now=time.time())
    with serving(
        folder / "northlight.db", book.path, "--known-as", "memory.school.example", "--rate", "1"
    ) as port:
        yield port, token


def test_a_stranger_does_not_choose_the_address_that_is_counted(named):
    port, _ = named
    told = [
        said_to(port, head(None, 0, **{"X-Forwarded-For": f"192.0.2.{number}", "Connection": "close"}))
        for number in range(12)
    ]
    assert {each.split()[1] for each in told} == {b"401", b"429"}


@pytest.mark.parametrize("allowed", [False, True])
def test_an_address_beyond_loopback_is_asked_for_by_name_and_warned_of(
    tmp_path, monkeypatch, capsys, allowed
):
    monkeypatch.setattr(app, "run_http", lambda server, host, port, **_: None)
    monkeypatch.setattr(log, "install", lambda: None)
    ways = {"http": True, "host": "192.0.2.7", "tokens": tmp_path / "tokens.json", "beyond_loopback": allowed}
    if not allowed:
        with pytest.raises(InvalidInput, match="--beyond-loopback"):
            serve.serve(str(tmp_path / "s.db"), **ways)
    else:
        serve.serve(str(tmp_path / "s.db"), **ways)
        assert "there is no TLS" in capsys.readouterr().err


def test_over_the_rate_a_request_is_told_when_to_come_again(named):
    port, token = named

    def asked():
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        connection.request("GET", "/elsewhere", headers={"Authorization": f"Bearer {token}"})
        answer = connection.getresponse()
        found = answer.status, answer.headers.get("Retry-After"), answer.read()
        connection.close()
        return found

    seen = [asked() for _ in range(12)]
    assert {status for status, _, _ in seen} <= {404, 429}
    told = [each for each in seen if each[0] == 429]
    assert told, "twelve in one go are more than two"
    assert all(again == "1" and b"more than 1 requests a second" in body for _, again, body in told)
    time.sleep(1.2)
    assert asked()[0] == 404
