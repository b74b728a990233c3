"""Who sees what: every public read of every handle, against ten lines, for made-up populations.

`TEACHMEM_PAIRS=200000 pytest tests/test_isolation.py` looks at more pairs of reader and memory.
"""

import json
import os
import random
import tempfile
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import isolation
import pytest
from helpers import connection, everything, opened
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from isolation import READS, SURFACES, TICKS, Asked, may_see, moment

from teachmem import InvalidInput, MemoryRefused, NotFound, TeachmemError
from teachmem.clock import from_micros
from teachmem.marks.foil import foil
from teachmem.tiers import page as cursors

SIZE, READERS = 50, 8  # of one population
PAIRS = int(os.environ.get("TEACHMEM_PAIRS", "20000"))
START = datetime(1970, 1, 1, tzinfo=UTC)
seeds = st.integers(0, 2**32)
seen_pairs = {"pairs": 0, "shown": 0, "withheld": 0}


@pytest.mark.parametrize("surface", SURFACES)
def test_every_public_read_is_known_here(surface):
    with opened() as mem:
        there, known = SURFACES[surface](mem)
    assert sorted(there - known) == [], "say in tests/isolation.py what this shows, or that it writes"
    assert "semantic.search" in there  # the list is not empty by mistake


def test_a_name_that_no_handle_has_any_more_is_not_listed():
    with opened() as mem:
        there = set().union(*(surface(mem)[0] for surface in SURFACES.values()))
    assert sorted(isolation.known_names() - there) == []


def world(seed):
    rng = random.Random(seed)
    everyone = isolation.population(rng, SIZE)
    mem = opened(start=START)
    isolation.insert(mem, everyone)
    for tenant in sorted({versions[0]["tenant"] for versions in everyone}):
        isolation.chain_begins(mem, tenant)
    return rng, everyone, mem


def expected(reader, everyone, at, known_at, rows):
    found = (may_see(reader, versions, at, known_at) for versions in everyone)
    return {(row["memory_id"], row["version"]) for row in found if row is not None and rows(row)}


def judge(who, reader, everyone, ids, at, known_at, **more):
    times = {"at": from_micros(at), "known_at": None if known_at is None else from_micros(known_at), **more}
    asked = Asked(who, times, ids)
    for name, (how, shows, rows) in READS.items():
        if "widen" in more and name in isolation.NEVER_WIDENED:
            continue
        wanted, shown = expected(reader, everyone, at, known_at, rows), shows(asked)
        case = (name, reader, times)
        if how == "count":
            assert shown == len(wanted), case
        elif how == "ids":
            assert shown <= {memory_id for memory_id, _ in wanted}, case
        elif how == "some":
            assert shown <= wanted, case
            assert bool(shown) == bool(wanted), case
        else:
            assert shown == wanted, case


@settings(
    max_examples=max(1, -(-PAIRS // (SIZE * READERS))), deadline=None, suppress_health_check=list(HealthCheck)
)
@given(seeds)
def test_each_read_shows_what_the_ten_lines_say_and_nothing_else(seed):
    rng, everyone, mem = world(seed)
    with mem:
        ids = [versions[0]["memory_id"] for versions in everyone]
        for number, who in enumerate(isolation.handles(mem, rng, everyone, READERS)):
            at = moment(rng.randrange(TICKS))
            known_at = moment(rng.choice([None, rng.randrange(TICKS)]))
            judge(who, who.principal, everyone, ids, at, known_at)
            if who.principal.is_steward and number < 4:
                wider = replace(who.principal, widened=True)
                judge(who, wider, everyone, ids, at, known_at, widen="tenant")
            for versions in everyone:
                visible = may_see(
                    who.principal,
                    [
                        {
                            **versions[-1],
                            "status": "active",
                            "valid_from": None,
                            "valid_to": None,
                            "expires_at": None,
                        }
                    ],
                    at,
                    None,
                )
                seen_pairs["pairs"] += 1
                seen_pairs["shown" if visible else "withheld"] += 1
                if versions[0]["tier"] == "semantic":
                    told = told_of(lambda: len(who.semantic.history(versions[0]["memory_id"])))  # noqa: B023
                    assert told == (len(versions) if visible else "absent")


def exported(who, place):
    """Return the ids that a person's export holds."""
    who.export(place)
    rows = [json.loads(line) for line in place.read_text(encoding="utf-8").splitlines()]
    return {row["memory"]["memory_id"] for row in rows if "memory" in row}


@settings(max_examples=5, deadline=None)
@given(seeds)
def test_an_export_holds_what_its_reader_may_read_in_their_fleet(seed):
    rng, everyone, mem = world(seed)
    with mem, tempfile.TemporaryDirectory() as folder:
        for number, who in enumerate(isolation.handles(mem, rng, everyone, READERS)):
            reader = who.principal
            if hasattr(who, "export") and 1 <= reader.clearance <= 2:
                mine = [
                    rows[-1]
                    for rows in everyone
                    if in_scope(reader, rows[-1]) and rows[-1]["fleet"] == reader.fleet
                ]
                wanted = {row["memory_id"] for row in mine if row["status"] in isolation.LIVE}
                assert exported(who, Path(folder) / f"{number}.jsonl") == wanted


def told_of(ask):
    try:
        return ask()
    except NotFound:
        return "absent"


def test_enough_pairs_were_seen_and_both_answers_among_them():
    """The positive control: what may be seen was seen, and not only nothing compared with nothing."""
    if not seen_pairs["pairs"]:
        pytest.skip("the populations were not run")
    assert seen_pairs["pairs"] >= PAIRS
    assert min(seen_pairs["shown"], seen_pairs["withheld"]) > seen_pairs["pairs"] / 10


# ---- answers reveal nothing ------------------------------------------------------------------------


def answers(who, ids, at, known_at):
    """Return everything that a reader is told, scores, counts, notes, cursors and reasons included."""
    times = {"at": from_micros(at), "known_at": None if known_at is None else from_micros(known_at)}
    recollections = [
        who.episodic.recall("gripper dryer last week", 7, **times),
        who.episodic.recall("gripper dryer before the hoist", 7, relevance="hybrid", **times),
        who.episodic.recall("gripper dryer", 7, lapsed="discount", **times),
        who.semantic.search("gripper dryer", 7, **times),
        who.semantic.search("gripper dryer", 7, lapsed="discount", **times),
        who.semantic.search_documents("gripper", 7, **times),
    ]
    told = [[str(hit) for hit in found] + [found.note, str(dict(found.settings))] for found in recollections]
    told += [[str(told_of(lambda: found.why_not(name))) for name in ids] for found in recollections]  # noqa: B023
    told += [
        [
            str(who.working.context("gripper", budget=100, **times)),
            str(who.working.context(budget=60, **times)),
        ],
        [str(part.stats(**times)) for part in (who.working, who.episodic, who.semantic, who.graph)],
        [str(who.semantic.list(limit=2, **times)), str(who.semantic.list(limit=2, **times).cursor)],
        [str(told_of(lambda: who.semantic.history(name))) for name in ids],  # noqa: B023
        [
            str(who.graph.neighbours("gripper", hops=3, **times)),
            str(who.graph.path("gripper", "dryer", **times)),
        ],
    ]
    return told


@settings(max_examples=15, deadline=None)
@given(seeds)
def test_every_answer_is_the_same_as_if_the_rest_did_not_exist(seed):
    """Non-interference: a store with only what a reader may see gives the same answers, to the last digit."""
    rng, everyone, mem = world(seed)
    with mem:
        ids = [versions[0]["memory_id"] for versions in everyone]
        who = isolation.handles(mem, rng, everyone, 4)[rng.randrange(4)]
        own = [versions for versions in everyone if in_scope(who.principal, versions[-1])]
        at, known_at = moment(rng.randrange(TICKS)), moment(rng.choice([None, rng.randrange(TICKS)]))
        with opened(start=START) as small:
            isolation.insert(small, own)
            isolation.chain_begins(small, who.principal.tenant)
            make = small.agent if who.principal.role == "agent" else small.person
            reader = who.principal
            same = make(reader.name, fleet=reader.fleet, tenant=reader.tenant, clearance=reader.clearance)
            assert answers(who, ids, at, known_at) == answers(same, ids, at, known_at)


def in_scope(reader, row):
    timeless = dict.fromkeys(("valid_from", "valid_to", "expires_at"))
    return may_see(reader, [{**row, **timeless, "status": "active"}], 0, None) is not None


@settings(max_examples=10, deadline=None)
@given(seeds)
def test_an_absent_memory_and_a_hidden_one_are_asked_for_by_the_same_statements(seed):
    rng, everyone, mem = world(seed)
    with mem:
        who = isolation.handles(mem, rng, everyone, 1)[0]
        hidden = [
            versions[0]["memory_id"]
            for versions in everyone
            if versions[0]["tier"] == "semantic" and not in_scope(who.principal, versions[-1])
        ]
        reads = {
            "get": lambda name: who.semantic.get(name),
            "past": lambda name: who.semantic.get(name, known_at=from_micros(0)),
            "history": lambda name: who.semantic.history(name),
            "why": who.semantic.search("gripper").why_not,
            "event": who.episodic.recall("gripper").why_not,
            "revise": lambda name: who.semantic.revise(name, content="x"),
            "retract": lambda name: who.semantic.retract(name, "x"),
            "evidence": lambda name: who.semantic.remember("x", evidence=[name]),
            "depends": lambda name: who.working.write("x", "depends_on", name, "x"),
        }
        for name in hidden[:3]:
            for read in reads.values():
                assert heard(mem, read, name) == heard(mem, read, "semantic-none")


def heard(mem, read, name):
    """Return the statements that were run, their values left out, and what was said; ids made alike."""
    statements = []
    with connection(mem) as raw:
        raw.set_trace_callback(statements.append)
        try:
            error = None
            read(name)
        except TeachmemError as caught:
            error = (type(caught).__name__, str(caught).replace(name, "X"))
        finally:
            raw.set_trace_callback(None)
    return error, [statement.replace(name, "X") for statement in statements]


def test_a_cursor_made_by_hand_shows_only_what_its_reader_may_see():
    _, everyone, mem = world(7)
    with mem:
        tenant = everyone[0][0]["tenant"]
        who = mem.agent("nobody", fleet="nowhere", tenant=tenant)
        wanted = {m.memory_id for m in who.semantic.list(limit=10_000)}
        for seq in range(0, SIZE, 5):
            for name in ("a", "semantic-1", "z"):
                page = who.semantic.list(limit=10_000, cursor=cursors.cursor(seq, name))
                assert {memory.memory_id for memory in page} <= wanted


# ---- a handle stays what it is ---------------------------------------------------------------------


def test_a_wider_read_is_a_stewards_by_name_and_leaves_an_entry_without_content():
    with opened() as mem:
        tech = mem.agent("dock-1", fleet="dock", tenant="north")
        tech.semantic.remember("zebra quartz", visibility="agent")
        chief = mem.person("data-officer", fleet="lab", tenant="north", clearance=3)
        before = mem.audit.verify().entries
        assert [hit.memory.content for hit in chief.semantic.search("zebra")] == []
        assert mem.audit.verify().entries == before
        found = chief.semantic.search("zebra", widen="tenant")
        assert [hit.memory.content for hit in found] == ["zebra quartz"]
        assert mem.audit.verify().entries == before + 1
        assert found.why_not(found[0].memory.memory_id).gates
        assert mem.audit.verify().entries == before + 2
        with connection(mem) as raw:
            bodies = [row[0] for row in raw.execute("SELECT body FROM audit ORDER BY seq")][-2:]
        assert ["semantic.search" in bodies[0], "why_not" in bodies[1]] == [True, True]
        assert all(
            "read.widened" in body and "data-officer" in body and "zebra" not in body for body in bodies
        )
        assert chief.semantic.search("zebra").hits == ()  # the next one is as narrow as ever
        stranger = mem.person("auditor", fleet="dock", tenant="south", clearance=3)
        assert not stranger.semantic.search("zebra", widen="tenant")


@pytest.mark.parametrize("clearance", [0, 1, 2, 3])
def test_nobody_else_widens_and_a_refused_wish_writes_nothing(clearance):
    with opened() as mem:
        agents = mem.agent("dock-1", fleet="dock", tenant="north", clearance=clearance)
        lead = mem.person("lead", fleet="dock", tenant="north", clearance=min(clearance, 2))
        before = everything(mem)
        for who in (agents, lead):
            for read in (
                who.semantic.list,
                who.working.read,
                who.episodic.recent,
                who.graph.edges,
                who.semantic.stats,
            ):
                with pytest.raises(InvalidInput, match="widen"):
                    read(widen="tenant")
        chief = mem.person("chief", fleet="dock", tenant="north", clearance=3)
        for value in ("*", "", "all", "north", True, 1, ["tenant"]):
            with pytest.raises(InvalidInput, match="widen"):
                chief.semantic.list(widen=value)
        with pytest.raises(InvalidInput, match="known_at"):
            chief.semantic.list(widen="tenant", known_at=5)
        assert everything(mem) == before


def test_an_agent_and_a_person_do_not_share_a_name():
    with opened() as mem:
        early = mem.person("dock-1", fleet="dock", tenant="north")  # before anybody acted under the name
        tech = mem.agent("dock-1", fleet="dock", tenant="north")
        tech.semantic.remember("zebra quartz", visibility="agent")
        for act in (
            lambda: mem.person("dock-1", fleet="dock", tenant="north"),
            lambda: early.semantic.list(),
            lambda: early.semantic.remember("x"),
            lambda: early.working.clear(everything=True),
        ):
            with pytest.raises(InvalidInput, match="an agent's in fleet 'dock'; a person takes another name"):
                act()
        for fleet, tenant in (("line", "north"), ("dock", "south")):
            assert (
                mem.person("dock-1", fleet=fleet, tenant=tenant).semantic.remember("x").verdict == "accepted"
            )
        assert mem.agent("dock-1", fleet="dock", tenant="north", clearance=2).semantic.list()


# ---- a look back widens nothing --------------------------------------------------------------------


def test_what_was_narrowed_since_is_hidden_in_the_past_too():
    with opened(start=START) as mem:
        row = {
            **isolation.population(random.Random(1), 1)[0][0],
            "tenant": "north",
            "fleet": "dock",
            "agent": "dock-1",
            "memory_id": "fact-1",
            "tier": "semantic",
            "kind": "fact",
            "status": "active",
            "subject": "gate",
            "predicate": "depends_on",
            "object": "belt",
            "valid_from": None,
            "valid_to": None,
            "expires_at": None,
            "version": 1,
            "visibility": "org",
            "recorded_at": 0,
            "superseded_at": moment(2),
        }
        later = {**row, "version": 2, "visibility": "agent", "recorded_at": moment(2), "superseded_at": None}
        isolation.insert(mem, [[row, later]])
        isolation.chain_begins(mem, "north")
        writer = mem.agent("dock-1", fleet="dock", tenant="north")
        other = mem.agent("dock-2", fleet="dock", tenant="north")
        then = {"known_at": from_micros(moment(1)), "at": from_micros(moment(5))}
        assert writer.semantic.get("fact-1", **then).visibility == "org"
        assert [edge.memory.version for edge in writer.graph.edges(**then)] == [1]
        with pytest.raises(NotFound):
            other.semantic.get("fact-1", **then)
        assert not other.graph.edges(**then)
        assert not other.semantic.search("gate", **then)


# ---- every text field holds SQL --------------------------------------------------------------------

SQL = [
    "x'; DROP TABLE memories; --",
    'x"; DELETE FROM memories; --',
    "' OR '1'='1",
    "%",
    "_",
    "*",
    "\\'",
    "x') UNION SELECT * FROM audit --",
    ":reader_tenant",
    "?",
    "{0}",
    "%s",
    "json_extract(body, '$.x')",
]


@pytest.mark.parametrize("text", SQL)
def test_quotes_and_sql_in_any_text_field_are_only_text(text):
    with opened() as mem:
        mem.agent("dock-1", fleet="dock", tenant="north").semantic.remember("an honest fact")
        who = mem.agent(text, fleet=text, tenant=text)
        note = who.working.write(text, "observed", text, text, session=text, request_id=text).memory
        event = who.episodic.log("observation", text, session=text, request_id=text + "e").memory
        fact = who.semantic.remember(
            text,
            subject=text,
            predicate="depends_on",
            object=text,
            qualifiers={text: text},
            evidence=[note.memory_id],
        ).memory
        who.semantic.revise(fact.memory_id, content=text + " again")
        assert (note.subject, note.session, note.agent, event.content) == (text, text, text, text)
        assert [row.memory_id for row in who.working.read(subject=text, session=text)] == [note.memory_id]
        assert [row.memory_id for row in who.semantic.list(subject=text, object=text, author=text)] == [
            fact.memory_id
        ]
        assert who.episodic.recent(session=text) == [event]
        assert not who.semantic.list(kind=text)
        assert [edge.memory.memory_id for edge in who.graph.neighbours(text)] == [fact.memory_id]
        for found in (
            who.episodic.recall(text, session=text),
            who.semantic.search(text),
            who.working.context(text).lines,
            who.episodic.recall(text, relevance="hybrid"),
        ):
            assert len(found) == 1
        for act in (
            lambda: who.semantic.get(text),
            lambda: who.semantic.history(text),
            lambda: who.semantic.list(cursor=text),
            lambda: who.semantic.list(widen=text),
            lambda: who.semantic.search("x", lapsed=text),
            lambda: who.semantic.list(at=text),
            lambda: who.semantic.search("x", kinds=[text]),
            lambda: who.semantic.remember("x", kind=text),
            lambda: who.semantic.remember("x", source=text),
            lambda: who.semantic.remember("x", visibility=text),
            lambda: who.graph.link("a", text, "b"),
            lambda: who.semantic.remember("x", valid_from=text),
            lambda: who.semantic.retract(text, text),
            lambda: mem.agent(text, fleet=text, tenant=text, clearance=text),
        ):
            with pytest.raises((InvalidInput, MemoryRefused, NotFound)):
                act()
        who.semantic.retract(fact.memory_id, text)
        who.working.clear(subject=text)
        assert mem.audit.verify().status == "complete"
        honest = mem.agent("dock-1", fleet="dock", tenant="north").semantic.list()
        assert [row.content for row in honest] == ["an honest fact"]


def test_this_test_can_fail():
    """With a filter that was copied badly into one path, the ten lines and the reads disagree."""
    rng, everyone, mem = world(1)
    ids = [versions[0]["memory_id"] for versions in everyone]

    def judge_all():
        for who in isolation.handles(mem, rng, everyone, 40):
            judge(who, who.principal, everyone, ids, moment(TICKS - 1), None)

    with mem, foil("copied_filter"), pytest.raises(AssertionError, match=r"graph\."):
        judge_all()
