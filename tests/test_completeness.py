"""Every change has its entry and every entry its change: the watch that sees to it, and each door in turn."""

import pytest
import watch
from helpers import connection, everything, opened
from sqlalchemy import update

from teachmem import InvalidInput, MemoryRefused
from teachmem.flow.models import ScriptedModel
from teachmem.ledger import chain, journal, schema
from teachmem.ledger.database import Prepared


@pytest.fixture
def mem():
    with opened() as memory:
        yield memory


@pytest.fixture
def tech(mem):
    return mem.agent("dock-1", fleet="dock", tenant="northlight")


@pytest.fixture
def lead(mem):
    return mem.person("shift-lead", fleet="dock", tenant="northlight", clearance=3)


def act_of(mem, tx, who):
    return journal.change(tx, who.principal, mem.clock, mem._kit.gate.ids)


# ---- the watch itself -------------------------------------------------------------------------------


def test_every_table_is_governed_or_said_to_be_free():
    assert {"memories", "candidates", "derivations", "tombstones"} <= watch.GOVERNED
    assert watch.GOVERNED | watch.FREE | {"audit"} == set(schema.metadata.tables)


@pytest.mark.parametrize("table", sorted(watch.GOVERNED))
def test_a_change_of_any_table_behind_the_pen_is_found(mem, tech, lead, table):
    doors_of(mem, tech, lead)
    change = Prepared(update(schema.metadata.tables[table]).values(tenant="northlight"))

    def behind_the_pen():
        with mem._database.write() as tx:
            assert tx.run(change) > 0

    with pytest.raises(watch.Unlogged, match=table):
        behind_the_pen()


def test_a_row_that_its_entry_does_not_name_is_found(mem, tech):
    def unnamed():
        with mem._database.write() as tx, act_of(mem, tx, tech) as act:
            note = written(act)
            act.touched.clear()
            act.entry("working.write", note)

    with pytest.raises(watch.Unlogged, match="no entry names"):
        unnamed()


def written(act):
    """Add a row with the pen, as the gate does."""
    row = {column.name: None for column in schema.memories.c}
    said = {"memory_id": "note-x", "version": 1, "tenant": "northlight", "fleet": "dock", "agent": "dock-1"}
    words = dict.fromkeys(("session", "subject", "predicate", "object", "conflict_key"), "")
    fixed = {"visibility": "team", "tier": "working", "kind": "note", "status": "active", "source": "agent"}
    held = {"content": "x", "content_digest": "ab", "salt": bytes(16), "qualifiers": "{}", "detail": "{}"}
    words = {name: value for name, value in words.items() if name in row}
    act.add({**row, **said, **words, **fixed, **held, "is_inferred": 0, "keystone": 0})
    return "note-x"


def test_an_entry_that_nothing_happened_for_is_found(mem, tech):
    with pytest.raises(watch.Hollow), mem._database.write() as tx, act_of(mem, tx, tech) as act:
        act.entry("working.write", "note-0001")


# ---- each door ---------------------------------------------------------------------------------------


def doors_of(mem, tech, lead):
    """Go through every kind of door once; yield its name and what it answered. The watch looks on."""
    peer = mem.agent("dock-2", fleet="dock", tenant="northlight")
    note = tech.working.write("arm-1", "observed", "drift", "arm 1 drifts", request_id="a").memory
    fact_id = lead.semantic.remember("gate four is wide", confidence=0.9, request_id="b").memory.memory_id
    doors = {
        "write": lambda: tech.working.write("arm-2", "observed", "drift", "arm 2 drifts", request_id="c"),
        "supersede": lambda: tech.working.write("arm-1", "supersedes", note.memory_id, "it is fixed"),
        "log": lambda: tech.episodic.log("observation", "gate four is open", request_id="d"),
        "remember": lambda: tech.semantic.remember("arm 2 wants oil", evidence=[fact_id], request_id="e"),
        "quarantine": lambda: tech.semantic.remember("gate four sticks", source="web", request_id="f"),
        "stage": lambda: peer.semantic.retract(fact_id, "it is narrow", request_id="g"),
        "revise": lambda: lead.semantic.revise(fact_id, content="gate four is very wide", request_id="h"),
        "retract": lambda: lead.semantic.retract(fact_id, "measured anew", request_id="i"),
        "clear": lambda: tech.working.clear(subject="arm-2", request_id="j"),
        "reject": lambda: lead.semantic.reject(
            tech.semantic.remember("arm 3 is idle").memory.memory_id, "it is not"
        ),
        "lift": lambda: lead.lift(lead.tombstones()[0].tombstone_id, "it is, after all"),
        "consolidate": lambda: tech.consolidate(ScriptedModel()),
        "checkpoint": lambda: mem.audit.checkpoint("northlight"),
    }
    return {name: (door, door()) for name, door in doors.items()}


def test_through_every_door_goes_exactly_one_entry_by_whoever_went(mem, tech, lead):
    seen = set()
    run = chain.append

    def counted(tx, head, body):
        seen.add((body["action"], body["actor"]["role"], body["actor"]["name"]))
        return run(tx, head, body)

    chain.append = counted
    try:
        doors_of(mem, tech, lead)
    finally:
        chain.append = run
    assert mem.audit.verify(deep=True).status == "complete"
    assert {role for _, role, _ in seen} == {"agent", "person", "system"}
    assert len({action for action, *_ in seen}) >= 9


def test_a_retry_appends_nothing_and_takes_no_number(mem, tech, lead):
    doors = doors_of(mem, tech, lead)
    for name in ("write", "log", "remember", "quarantine", "stage", "revise", "retract", "clear"):
        door, first = doors[name]
        before = everything(mem)
        second = door()
        assert (second.verdict, second.audit_seq) == (first.verdict, first.audit_seq), name
        assert everything(mem) == before, name


def test_a_bad_draft_among_good_ones_takes_none_of_them_along(mem, lead):
    for content in ("half a \ud800", "", "a\x00b"):
        lead.semantic.remember(f"before {content!r}")
        with pytest.raises(MemoryRefused, match="refused at shape"):
            lead.semantic.remember(content)
        lead.semantic.remember(f"after {content!r}")
    assert mem.audit.verify(deep=True).entries == 6


# ---- what cannot enter ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "value",
    [
        2**53,
        -(2**53),
        0.5,
        1.0,
        float("nan"),
        float("inf"),
        "\ud800",
        "a\x00b",
        {1: "x"},
        {"é": 1},
        b"x",
        {1},
    ],
)
def test_what_two_readers_could_read_differently_takes_the_whole_act_back(mem, tech, value):
    tech.working.write("arm-1", "observed", "drift", "arm 1 drifts")
    before = everything(mem)

    def unfit():
        with mem._database.write() as tx, act_of(mem, tx, tech) as act:
            act.entry("working.write", written(act), more=[value])

    with pytest.raises(InvalidInput):
        unfit()
    assert everything(mem) == before
    assert mem.audit.verify(deep=True).status == "complete"


def body(**changed):
    import json

    said = {"tenant": "t", "seq": 1, "time": 1, "action": "a", "resource": "r", "event": "e", **changed}
    return json.dumps({name: value for name, value in said.items() if value is not ...}, sort_keys=True)


EMPTY = "NOT NULL|violates not-null"  # as a file says it, and a server


@pytest.mark.parametrize("missing", ["tenant", "seq", "time", "action", "resource", "event"])
@pytest.mark.parametrize("how", [None, ...])
def test_an_entry_without_one_of_its_parts_does_not_enter_the_table(mem, missing, how):
    insert = "INSERT INTO audit (body, prev_hash, hash) VALUES (?, ?, ?)"
    with connection(mem) as raw, pytest.raises(Exception, match=EMPTY):
        raw.execute(insert, (body(**{missing: how}), b"0", b"1"))


@pytest.mark.parametrize("columns", [(None, b"0", b"1"), (body(), None, b"1"), (body(), b"0", None)])
def test_an_entry_without_bytes_or_hashes_does_not_enter_the_table(mem, columns):
    with connection(mem) as raw, pytest.raises(Exception, match=EMPTY):
        raw.execute("INSERT INTO audit (body, prev_hash, hash) VALUES (?, ?, ?)", columns)


@pytest.mark.parametrize(
    ("second", "previous", "named", "key"),
    [
        (body(seq=1, event="f"), b"9", "audit.tenant, audit.seq", "audit_tenant_seq_key"),
        (body(seq=2, event="f"), b"0", "audit.tenant, audit.prev_hash", "audit_tenant_prev_hash_key"),
        (body(seq=2, event="e"), b"9", "audit.event", "audit_event_key"),
    ],
)
def test_a_number_a_predecessor_and_an_event_are_used_once(mem, second, previous, named, key):
    insert = "INSERT INTO audit (body, prev_hash, hash) VALUES (?, ?, ?)"
    with connection(mem) as raw:
        raw.execute(insert, (body(), b"0", b"1"))
        with pytest.raises(Exception, match=f"UNIQUE constraint failed: {named}|{key}"):
            raw.execute(insert, (second, previous, b"2"))


def test_a_generated_column_cannot_be_written_by_itself(mem):
    with connection(mem) as raw, pytest.raises(Exception, match=r"generated column|into column .seq."):
        raw.execute("INSERT INTO audit (body, prev_hash, hash, seq) VALUES ('{}', ?, ?, 1)", (b"", b""))
