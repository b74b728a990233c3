"""The ledger against a second implementation: its bytes, its hashes, and one entry for every change."""

import hashlib
import json
from datetime import UTC, datetime, timedelta

import orjson
import pytest
import rfc8785
from helpers import START, connection, everything, opened, sizes
from hypothesis import given, settings
from hypothesis import strategies as st

from teachmem import InvalidInput
from teachmem.ledger import chain
from teachmem.ledger.canonical import encode
from teachmem.vocabulary import MAX_DEPTH, MAX_INTEGER

# ---- the bytes ---------------------------------------------------------------------------------

keys = st.text(st.characters(min_codepoint=1, max_codepoint=0x7F), max_size=12)
texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=30)
leaves = st.none() | st.booleans() | st.integers(-MAX_INTEGER, MAX_INTEGER) | texts
values = st.recursive(leaves, lambda inner: st.lists(inner) | st.dictionaries(keys, inner), max_leaves=20)
bodies = st.dictionaries(keys, values, max_size=8)


@given(bodies)
def test_the_bytes_are_those_of_other_writers(body):
    assert (
        encode(body) == json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    )
    assert encode(body) == orjson.dumps(body, option=orjson.OPT_SORT_KEYS) == rfc8785.dumps(body)


@settings(max_examples=40)
@given(bodies)
def test_the_bytes_can_be_read_back_and_written_again(body):
    assert json.loads(encode(body)) == body
    assert encode(json.loads(encode(body))) == encode(body)


@settings(max_examples=40)
@given(bodies, st.randoms())
def test_the_order_of_keys_does_not_change_the_bytes(body, random):
    shuffled = list(body.items())
    random.shuffle(shuffled)
    assert encode(dict(shuffled)) == encode(body)


def test_the_published_escapes_are_kept():
    # RFC 8785, section 3.2.2.2: the short escapes, lower-case hex, nothing else escaped.
    assert encode({"a": '\u20ac$\u000f\nA\'B"\\"/'}) == '{"a":"€$\\u000f\\nA\'B\\"\\\\\\"/"}'.encode()


def test_the_published_example_is_written_as_published():
    # RFC 8785, section 3.2.2: its literals and its string. Its numbers are fractions, which no body holds.
    literals = [None, True, False]
    string = "\u20ac$\u000f\u000aA'\u0042\u0022\u005c\\\"/"
    wanted = '{"literals":[null,true,false],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}'
    assert encode({"string": string, "literals": literals}) == wanted.encode()
    for number in (333333333.33333329, 1e30, 4.50, 2e-3, 1e-27):
        with pytest.raises(InvalidInput, match="float"):
            encode({"numbers": [number]})


SHORT = {"\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", '"': '\\"', "\\": "\\\\"}


def by_hand(value):
    """Write a value as RFC 8785 says in its sections 3.2.2 and 3.2.3, with nothing but string joining."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        signs = (SHORT.get(sign) or (f"\\u{ord(sign):04x}" if sign < " " else sign) for sign in value)
        return f'"{"".join(signs)}"'
    if isinstance(value, list):
        return f"[{','.join(map(by_hand, value))}]"
    pairs = sorted(value.items(), key=lambda pair: pair[0].encode("utf-16-be"))
    return "{" + ",".join(f"{by_hand(key)}:{by_hand(inner)}" for key, inner in pairs) + "}"


@given(bodies)
def test_the_bytes_are_those_that_the_rules_give_by_hand(body):
    assert encode(body) == by_hand(body).encode()


def nested(depth):
    value = "x"
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("body", "place"),
    [
        ({"a": 0.5}, "a"),
        ({"a": 1.0}, "a"),
        ({"a": float("nan")}, "a"),
        ({"a": [1, float("inf")]}, "a[1]"),
        ({"a": {"b": MAX_INTEGER + 1}}, "a.b"),
        ({"a": -MAX_INTEGER - 1}, "a"),
        ({"a": 10**5000}, "a"),
        ({"a": "\ud83d"}, "a"),
        ({"a": "\x00"}, "a"),
        ({"é": 1}, "body"),
        ({"a": {1: 1}}, "a"),
        ({"a": {"\x00": 1}}, "a"),
        ({"a": {None: 1}}, "a"),
        ({"a": b"x"}, "a"),
        ({"a": {1, 2}}, "a"),
        ({"a": START}, "a"),
        ({"a": nested(MAX_DEPTH)}, "a" + "[0]" * MAX_DEPTH),
        ({"a": nested(1500)}, "a" + "[0]" * MAX_DEPTH),
    ],
)
def test_what_two_readers_could_read_differently_cannot_enter(body, place):
    with pytest.raises(InvalidInput) as caught:
        encode(body)
    assert caught.value.field == place


def test_the_limits_themselves_can_enter():
    assert encode({"a": [MAX_INTEGER, -MAX_INTEGER]})
    assert encode({"a": nested(MAX_DEPTH - 1)})


# ---- the chain ---------------------------------------------------------------------------------


def recomputed(raw, tenant):
    """Follow a tenant's chain from the raw rows alone, with hashlib; return its number and last hash."""
    previous = hashlib.sha256(b"teachmem/audit/1/genesis").digest()
    rows = raw.execute("SELECT body, prev_hash, hash FROM audit").fetchall()
    own = [
        (json.loads(body), body, *hashes) for body, *hashes in rows if json.loads(body)["tenant"] == tenant
    ]
    own.sort(key=lambda row: row[0]["seq"])
    for number, (told, body, before, after) in enumerate(own, 1):
        assert told["seq"] == number
        assert before == previous
        previous = hashlib.sha256(b"teachmem/audit/1\n" + previous + body.encode()).digest()
        assert after == previous
    return len(own), previous


@pytest.fixture
def mem():
    with opened() as memory:
        yield memory


def fill(mem):
    """Let several principals of two tenants do every kind of act; return the acts' receipts."""
    tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
    peer = mem.agent("dock-2", fleet="dock", tenant="northlight")
    lead = mem.person("shift-lead", fleet="dock", tenant="northlight", clearance=2)
    cold = mem.agent("cold-1", fleet="cold", tenant="southgate")
    first = tech.working.write("arm-1", "observed", "drift", "der Arm driftet um 3 µm 腕")
    yield first
    yield tech.working.write("arm-1", "supersedes", first.memory.memory_id, "arm 1 is fixed")
    yield cold.working.write("door", "observed", "open", "the cold door stands open")
    mem.clock.advance(hours=1)
    yield tech.episodic.log("observation", "gate four is open", request_id="r1")
    yield tech.episodic.log("observation", "gate four is open", request_id="r1")
    yield peer.semantic.remember("gate four sticks", source="web")
    yield tech.semantic.remember("gate four is wide", visibility="org")
    mem.clock.advance(hours=-5)  # a clock that jumps back
    yield lead.semantic.remember("gate four is four metres wide", visibility="org", confidence=0.9)
    yield tech.working.clear(subject="arm-1")
    yield cold.episodic.log("observation", "the cold door is shut")


def test_every_tenants_chain_is_what_hashlib_makes_of_its_rows(mem):
    for _ in fill(mem):
        pass
    with connection(mem) as raw:
        found = {tenant: recomputed(raw, tenant) for tenant in ("northlight", "southgate")}
        heads = {row[0]: (row[1], row[2]) for row in raw.execute("SELECT tenant, seq, hash FROM audit_heads")}
    assert found == heads
    assert found["northlight"][0] == 7
    assert found["southgate"][0] == 2
    for tenant, (entries, head) in found.items():
        report = mem.audit.verify(tenant)
        assert (report.status, report.entries, report.head) == ("complete", entries, head.hex())
    assert mem.audit.verify().entries == 9


@settings(max_examples=20)
@given(st.lists(bodies, min_size=1, max_size=8))
def test_any_entries_make_the_chain_that_hashlib_makes(entries):
    with opened() as mem:
        for number, body in enumerate(entries):
            said = {"time": number, "action": "a", "resource": "r", "event": f"e{number}"}
            with mem._database.write() as tx:
                chain.append(tx, chain.head(tx, "t", lock=True), {**body, **said})
        with connection(mem) as raw:
            number, head = recomputed(raw, "t")
        report = mem.audit.verify("t")
        assert (report.status, report.entries, report.head) == ("complete", number, head.hex())


def test_the_chain_binds_its_genesis_and_its_purpose():
    body = b'{"seq":1}'
    plain = hashlib.sha256(chain.GENESIS + body).digest()
    assert chain.link(chain.GENESIS, body) != plain
    assert hashlib.sha256(b"teachmem/audit/1/genesis").digest() == chain.GENESIS


# ---- one entry for every change ------------------------------------------------------------------


def test_every_act_leaves_one_entry_or_none_and_the_receipt_says_which(mem):
    before = everything(mem)
    for receipt in fill(mem):
        after = everything(mem)
        added = len(after["audit"]) - len(before["audit"])
        if receipt.verdict == "duplicate" or after == before:  # or a retry
            assert after == before
        else:
            assert added == 1
        before = after


def test_every_row_names_the_entry_that_wrote_it_and_every_entry_its_rows(mem):
    for _ in fill(mem):
        pass
    with connection(mem) as raw:
        entries = {
            (told["tenant"], told["seq"]): told
            for (body,) in raw.execute("SELECT body FROM audit")
            for told in [json.loads(body)]
        }
        versions = raw.execute("SELECT tenant, seq, memory_id, version, status, content_digest FROM memories")
        rows = {(tenant, seq, *rest) for tenant, seq, *rest in versions}
        told = {
            (*place, item["id"], item["version"], item["status"], item["digest"])
            for place, entry in entries.items()
            for item in entry["touched"]
        }
        assert rows == told
        for table in ("candidates", "derivations", "requests"):
            for place in raw.execute(f"SELECT tenant, seq FROM {table}"):
                assert tuple(place) in entries


def test_a_digest_proves_its_content_and_no_body_holds_any(mem):
    for _ in fill(mem):
        pass
    with connection(mem) as raw:
        log = "".join(body for (body,) in raw.execute("SELECT body FROM audit ORDER BY tenant, seq"))
        rows = raw.execute("SELECT content, salt, content_digest FROM memories").fetchall()
    for content, salt, digest in rows:
        assert hashlib.sha256(b"teachmem/content/1\n" + salt + content.encode()).hexdigest() == digest
        assert content not in log
    assert len({salt for _, salt, _ in rows}) == len({content for content, _, _ in rows})


def test_the_columns_of_the_log_are_generated_from_what_was_hashed(mem):
    for _ in fill(mem):
        pass
    with connection(mem) as raw:
        for body, *columns in raw.execute(
            "SELECT body, tenant, seq, time, action, resource, event FROM audit"
        ):
            told = json.loads(body)
            assert columns == [
                told[name] for name in ("tenant", "seq", "time", "action", "resource", "event")
            ]


@pytest.mark.parametrize("verb", ["UPDATE audit SET hash = prev_hash", "DELETE FROM audit"])
def test_the_log_refuses_an_accident(mem, verb):
    for _ in fill(mem):
        pass
    with connection(mem) as raw, pytest.raises(Exception, match="append-only"):
        raw.execute(verb)
    assert mem.audit.verify().status == "complete"


def test_an_entry_that_cannot_be_appended_takes_the_write_with_it(mem, monkeypatch):
    tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
    tech.working.write("arm-1", "observed", "drift", "arm 1 drifts")
    before = everything(mem)
    monkeypatch.setattr(chain, "append", lambda *_: (_ for _ in ()).throw(RuntimeError("no ink")))
    for act in (
        lambda: tech.working.write("arm-2", "observed", "drift", "arm 2 drifts"),
        lambda: tech.semantic.remember("gate four sticks", source="web"),
        lambda: tech.working.clear(everything=True),
    ):
        with pytest.raises(RuntimeError, match="no ink"):
            act()
        assert everything(mem) == before


def test_a_change_without_an_entry_is_a_bug_that_commits_nothing(mem):
    from teachmem.ledger import journal

    tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
    note = tech.working.write("arm-1", "observed", "drift", "arm 1 drifts").memory
    before = everything(mem)
    with (
        pytest.raises(RuntimeError, match="without an audit entry"),
        mem._database.write() as tx,
        journal.change(tx, tech.principal, mem.clock, mem._kit.gate.ids) as act,
    ):
        act.replace(note.memory_id, status="deleted")
    assert everything(mem) == before


def test_time_never_runs_backwards_and_nothing_is_lost_when_a_clock_jumps_back(mem):
    tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
    written = []
    for hours in (0, 5, -9, 1, -400):
        mem.clock.advance(hours=hours)
        written.append(
            tech.working.write("arm-1", "observed", f"at {hours}", f"the clock moved by {hours}").memory
        )
        assert tech.working.read()[0] == written[-1]
    assert [note.recorded_at for note in written] == sorted(note.recorded_at for note in written)
    assert len(tech.working.read()) == len(written)
    assert mem.audit.verify().status == "complete"


def test_a_clock_may_stand_before_the_epoch():
    moment = datetime(1931, 5, 1, tzinfo=UTC)
    with opened(start=moment) as mem:
        tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
        assert tech.working.write("arm-1", "observed", "drift", "arm 1 drifts").memory.recorded_at == moment
        assert tech.episodic.log("observation", "gate four is open").memory.happened_at == moment
        assert len(tech.episodic.recent()) == len(tech.working.read()) == 1
        assert mem.audit.verify().status == "complete"


def test_thousands_of_notes_are_cleared_by_one_entry_that_names_them_all(mem):
    tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
    for number in range(2000):
        tech.working.write("arm-1", "observed", f"drift {number}", f"arm 1 drifts by {number}")
    before = sizes(mem)
    receipt = tech.working.clear(everything=True)
    assert len(receipt.touched) == 2000
    assert sizes(mem) == {**before, "memories": 4000, "audit": 2001}
    assert tech.working.read() == []
    with connection(mem) as raw:
        (body,) = raw.execute("SELECT body FROM audit WHERE seq = 2001").fetchone()
    assert [item["id"] for item in json.loads(body)["touched"]] == list(receipt.touched)
    assert mem.audit.verify().status == "complete"


def test_two_tenants_share_nothing_but_the_file(mem):
    for _ in fill(mem):
        pass
    cold = mem.agent("cold-1", fleet="cold", tenant="southgate", clearance=3)
    assert {note.tenant for note in cold.working.read()} == {"southgate"}
    before = mem.audit.verify("southgate")
    mem.agent("dock-1", fleet="dock", tenant="northlight").working.write("a", "observed", "b", "c")
    assert mem.audit.verify("southgate") == before


def test_a_version_is_closed_the_moment_the_next_one_begins(mem):
    tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
    first = tech.working.write("arm-1", "observed", "drift", "arm 1 drifts").memory
    mem.clock.advance(hours=1)
    tech.working.write("arm-1", "supersedes", first.memory_id, "arm 1 is fixed")
    with connection(mem) as raw:
        rows = raw.execute(
            "SELECT version, status, recorded_at, superseded_at FROM memories WHERE memory_id = ? "
            "ORDER BY version",
            (first.memory_id,),
        ).fetchall()
    (one, active, _, closed), (two, outdated, begun, still_open) = rows
    assert (one, active, two, outdated) == (1, "active", 2, "outdated")
    assert closed == begun
    assert still_open is None
    then = tech.working.read(known_at=START + timedelta(minutes=30))
    assert [(note.version, note.status, note.content) for note in then] == [(1, "active", "arm 1 drifts")]
