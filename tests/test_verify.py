"""Verification: every reason to be partial, going on from a place, and the rows compared both ways."""

import json
import sqlite3
from contextlib import closing

import pytest
from helpers import connection, opened
from hypothesis import given
from hypothesis import strategies as st
from test_ledger import bodies, fill

from teachmem import InvalidInput
from teachmem.ledger import rows, schema, verify
from teachmem.ledger.canonical import decode, encode
from teachmem.vocabulary import MAX_DEPTH, MAX_INTEGER

# ---- the bytes, read back ------------------------------------------------------------------------

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(bodies)
def test_the_quick_reader_takes_what_the_writer_wrote(body):
    assert decode(encode(body)) == body


def taken(data):
    """Say what the slow way makes of the same bytes: read by `json`, written again by `encode`."""
    try:
        body = json.loads(data)
        return body if isinstance(body, dict) and encode(body) == data else None
    except (ValueError, RecursionError):
        return None


@given(st.dictionaries(st.text(), anything))
def test_the_quick_reader_refuses_what_the_slow_one_refuses(value):
    for spaces in (",", ", "):
        text = json.dumps(value, sort_keys=True, separators=(spaces, ":"), ensure_ascii=spaces == ", ")
        data = text.encode("utf-8", "surrogatepass")
        assert decode(data) == taken(data)


def nested(depth, inner=b'"x"'):
    return b'{"a":' + b"[" * depth + inner + b"]" * depth + b"}"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"[]",
        b'"text"',
        b'{"a":1,"a":1}',
        b'{"b":1,"a":1}',
        b'{"a":1.0}',
        b'{"a":1.5}',
        b'{"a":1e3}',
        b'{"a":-0}',
        b'{"a":NaN}',
        b'{"a":Infinity}',
        b'{"a":%d}' % (MAX_INTEGER + 1),
        b'{"a":%d}' % 10**30,
        b'{"a":"\\ud83d"}',
        b'{"a":"\\u0000"}',
        b'{"a":"\\u0041"}',
        b'{"a":"\\/"}',
        b'{"a":"\xff"}',
        '{"é":1}'.encode(),
        b' {"a":1}',
        b'{"a":1}\n',
        nested(MAX_DEPTH),
        nested(900),
        b'{"a":' * 30 + b"1" + b"}" * 30,
    ],
)
def test_another_spelling_is_no_body(data):
    assert decode(data) is None


@pytest.mark.parametrize(
    "data",
    [
        b"{}",
        b'{"a":"1.5e3","b":"\\"1.5"}',
        '{"a":"é"}'.encode(),
        b'{"a":[%d,-%d]}' % (MAX_INTEGER, MAX_INTEGER),
        nested(MAX_DEPTH - 1),
        nested(MAX_DEPTH, b""),
        b'{"a":[' + b",".join([b'{"b":[]}'] * 300) + b"]}",
    ],
)
def test_these_are_bodies(data):
    assert decode(data) == taken(data) == json.loads(data)


# ---- how much was checked -------------------------------------------------------------------------


@pytest.fixture
def mem():
    with opened() as memory:
        for _ in fill(memory):
            pass
        yield memory


def test_a_limit_makes_it_partial_and_the_end_is_where_to_go_on(mem):
    whole = mem.audit.verify("northlight")
    first = mem.audit.verify("northlight", limit=3)
    assert (first.status, first.entries) == ("partial", 3)
    assert "the limit was reached at entry 3 of northlight" in first.unchecked
    (end,) = first.ends
    rest = mem.audit.verify("northlight", after=(end.seq, end.hash.hex()), deep=True)
    assert (rest.status, rest.entries, rest.head) == ("partial", whole.entries - 3, whole.head)
    assert "entries 1 to 3 of northlight were not checked this time" in rest.unchecked
    assert str(rest).endswith("not checked this time")


@pytest.mark.parametrize("limit", [7, 8, 10**9])
def test_a_limit_that_is_not_reached_leaves_it_complete(mem, limit):
    assert mem.audit.verify("northlight", limit=limit).status == "complete"


def test_a_limit_counts_over_all_chains(mem):
    report = mem.audit.verify(limit=8)
    assert (report.status, report.entries) == ("partial", 8)
    assert [(end.tenant, end.seq) for end in report.ends] == [("northlight", 7), ("southgate", 1)]


@pytest.mark.parametrize("seq", [1, 5, 7, 8, 99])
def test_going_on_from_an_entry_that_is_another_one_is_broken(mem, seq):
    assert mem.audit.verify("northlight", after=(seq, "00" * 32)).broken_at == seq


@pytest.mark.parametrize(
    "after", [(0, "00" * 32), (1, "00"), (1, "zz" * 32), (1,), "x", (None, "00" * 32), 3]
)
def test_a_place_that_is_none_is_refused(mem, after):
    with pytest.raises(InvalidInput):
        mem.audit.verify("northlight", after=after)


def test_one_place_is_not_enough_for_two_chains(mem):
    with pytest.raises(InvalidInput, match="which tenant"):
        mem.audit.verify(after=(1, "00" * 32))


@pytest.mark.parametrize("limit", [0, -1, 1.5, True, "3"])
def test_a_limit_is_a_whole_number(mem, limit):
    with pytest.raises(InvalidInput, match="limit"):
        mem.audit.verify(limit=limit)


def test_links_alone_are_not_everything(mem):
    report = verify.verify(mem._database, form=False)
    assert (report.status, report.head) == ("partial", mem.audit.verify().head)


def test_progress_is_told_every_thousand_entries(monkeypatch):
    monkeypatch.setattr(verify, "STEP", 2)
    told = []
    with opened() as mem:
        for _ in fill(mem):
            pass
        mem.audit.verify(progress=lambda done, total: told.append((done, total)))
    assert told == [(2, 9), (4, 9), (6, 9), (8, 9)]


# ---- the rows, both ways ---------------------------------------------------------------------------


def change(mem, *statements):
    with connection(mem) as raw:
        for statement in statements:
            assert raw.execute(statement).rowcount > 0, statement


def test_a_store_that_nobody_touched_is_complete(mem):
    assert mem.audit.verify(deep=True).status == "complete"


ROW = "WHERE tenant = 'northlight' AND seq = 1"
EDITS = {
    "content": "UPDATE memories SET content = 'arm 1 is fine'",
    "content and bytes": "UPDATE memories SET content = x'ff00'",
    "content of another row": "UPDATE memories SET content = (SELECT content FROM memories WHERE seq = 3)",
    "salt": "UPDATE memories SET salt = zeroblob(16)",
    "salt as text": "UPDATE memories SET salt = 'salt'",
    "digest": "UPDATE memories SET content_digest = 'ab'",
    "status": "UPDATE memories SET status = 'confirmed'",
    "recorded": "UPDATE memories SET recorded_at = recorded_at - 1",
    "number": "UPDATE memories SET seq = 3",
    "a number that is none": "UPDATE memories SET seq = 'x'",
    "a number far off": "UPDATE memories SET seq = 99",
    "version": "UPDATE memories SET version = 9",
    "closed": "UPDATE memories SET superseded_at = recorded_at + 1",
    "erased": "UPDATE memories SET content = '', salt = NULL",
    "content without its salt": "UPDATE memories SET salt = NULL",
    "fleet": "UPDATE memories SET fleet = 'lab'",
    "agent": "UPDATE memories SET agent = 'lab-2'",
    "visibility": "UPDATE memories SET visibility = 'agent'",
    "session": "UPDATE memories SET session = 's9'",
    "tier": "UPDATE memories SET tier = 'semantic'",
    "kind": "UPDATE memories SET kind = 'fact'",
    "subject": "UPDATE memories SET subject = 'arm-2'",
    "predicate": "UPDATE memories SET predicate = 'inferred'",
    "object": "UPDATE memories SET object = 'no drift'",
    "importance": "UPDATE memories SET importance = 0.123",
    "confidence": "UPDATE memories SET confidence = 1",
    "is_inferred": "UPDATE memories SET is_inferred = 1",
    "source": "UPDATE memories SET source = 'person'",
    "valid_from": "UPDATE memories SET valid_from = 0",
    "valid_to": "UPDATE memories SET valid_to = 9000000000000000",
    "expires_at": "UPDATE memories SET expires_at = 9000000000000000",
    "qualifiers": "UPDATE memories SET qualifiers = '{\"a\": 1}'",
    "keystone": "UPDATE memories SET keystone = 1",
    "detail": "UPDATE memories SET detail = '{\"a\": 1}'",
    "detail that is none": "UPDATE memories SET detail = x'ff'",
}


@pytest.mark.parametrize("statement", EDITS.values(), ids=EDITS)
def test_an_edited_row_is_found_by_the_deep_look_alone(mem, statement):
    change(mem, f"{statement} {ROW}")
    assert mem.audit.verify().status == "complete"
    report = mem.audit.verify(deep=True)
    assert report.status == "broken"
    assert report.findings


def test_every_column_of_a_memory_is_covered_or_said_to_be_derived():
    proved = {"memory_id", "version", "tenant", "content", "content_digest", "salt", "status", "seq"}
    times = {"recorded_at", "superseded_at"}  # those of the entries that wrote and closed the version
    derived = {"embedding", "twin_key", "claim_key"}
    every = set(schema.memories.c.keys())
    assert every == proved | times | derived | set(rows.CLAIMED)


def test_the_edits_reach_every_column_that_is_claimed():
    assert set(rows.CLAIMED) <= set(EDITS)


def test_rows_taken_out_and_put_in_are_found(mem):
    change(mem, f"DELETE FROM memories {ROW} AND version = 1")
    report = mem.audit.verify(deep=True)
    assert report.broken_at == 1
    assert "there is no such row" in report.findings[0].what


@pytest.mark.parametrize("seq", [1, 2, 0, -4, 8, 999])
def test_a_forged_row_is_found_wherever_it_claims_to_come_from(mem, seq):
    with connection(mem) as raw:
        names = [row[1] for row in raw.execute("PRAGMA table_info(memories)")]
        kept = ", ".join(names)
        forged = kept.replace("memory_id", "'note-9999'").replace("twin_key", "NULL")
        forged = forged.replace(", seq", f", {seq}")
        raw.execute(f"INSERT INTO memories ({kept}) SELECT {forged} FROM memories {ROW} AND version = 1")
    report = mem.audit.verify(deep=True)
    assert report.status == "broken"
    assert any("note-9999" in finding.what for finding in report.findings)


@pytest.mark.parametrize("table", ["candidates", "requests"])
def test_a_row_of_another_table_from_beyond_the_log_is_found(mem, table):
    change(mem, f"UPDATE {table} SET seq = 99 WHERE tenant = 'northlight'")
    assert mem.audit.verify(deep=True).broken_at == 99


def test_a_text_that_is_none_is_broken_and_not_a_crash(tmp_path):
    path = tmp_path / "store.db"
    with opened(path) as mem:
        for _ in fill(mem):
            pass
    with closing(sqlite3.connect(path)) as raw:
        raw.execute(f"UPDATE memories SET detail = CAST(x'ff' AS TEXT) {ROW}")
        raw.commit()
    with opened(path) as mem:
        assert mem.audit.verify(deep=True).status == "broken"


def erase(mem, seq):
    with connection(mem) as raw:
        (name, version) = raw.execute(
            f"SELECT memory_id, version FROM memories WHERE tenant = 'northlight' AND seq = {seq}"
        ).fetchone()
    emptied = "UPDATE memories SET content = '', salt = NULL, status = 'deleted'"
    change(mem, f"{emptied} WHERE tenant = 'northlight' AND seq = {seq}")
    return {"id": name, "version": version}


def say_forgotten(mem, *items):
    from teachmem.ledger import chain

    with mem._database.write() as tx:
        head = chain.head(tx, "northlight", lock=True)
        said = {
            "action": "forget",
            "resource": items[0]["id"],
            "event": f"forget-{head.seq}",
            "time": head.time,
        }
        chain.append(tx, head, {**said, "touched": list(items)})


def test_an_erased_row_is_fine_once_an_entry_says_so(mem):
    one, two = erase(mem, 1), erase(mem, 3)
    assert mem.audit.verify(deep=True).broken_at == 1
    say_forgotten(mem, one)
    assert mem.audit.verify(deep=True).broken_at == 3
    say_forgotten(mem, one, two)
    assert mem.audit.verify(deep=True).status == "complete"


def test_what_was_forgotten_and_is_there_again_is_found(mem):
    with connection(mem) as raw:
        kept = raw.execute(f"SELECT content, salt, status FROM memories {ROW}").fetchone()
    say_forgotten(mem, erase(mem, 1))
    assert mem.audit.verify(deep=True).status == "complete"
    with connection(mem) as raw:
        raw.execute(f"UPDATE memories SET content = ?, salt = ?, status = ? {ROW}", kept)
    report = mem.audit.verify(deep=True)
    assert report.broken_at == 8
    assert "still held" in report.findings[0].what
