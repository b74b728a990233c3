"""Changing what is held: what a revision keeps, whose it stays, and what neither act may touch."""

import math
from datetime import UTC, datetime, timedelta

import pytest
from helpers import connection, opened

from teachmem.errors import InvalidInput, MemoryRefused, NotFound, TeachmemError
from teachmem.rules import amend

NOON = datetime(2026, 3, 15, 12, tzinfo=UTC)
NEW = {
    "content": "bay three is open",
    "subject": "bay three",
    "predicate": "located_in",
    "object": "hall two",
    "kind": "plan",
    "confidence": 0.25,
    "is_inferred": True,
    "valid_from": NOON,
    "valid_to": NOON + timedelta(days=2),
    "expires_at": NOON + timedelta(days=9),
    "qualifiers": {"list": [1, {"x": None}], "text": "é"},
}


@pytest.fixture
def mem():
    with opened(start=NOON) as memory:
        yield memory


def agent(mem, name="dock-1", fleet="dock"):
    return mem.agent(name, fleet=fleet, tenant="northlight")


@pytest.fixture
def tech(mem):
    return agent(mem)


@pytest.fixture
def fact(tech):
    said = {"subject": "bay two", "predicate": "has_status", "object": "shut", "confidence": 0.5}
    return tech.semantic.remember("bay two is shut", qualifiers={"by": "eye"}, **said).memory.memory_id


def nested(depth):
    value = []
    for _ in range(depth):
        value = [value]
    return value


def test_every_field_that_can_be_revised_is_tried_here():
    assert set(NEW) | {"source"} == set(amend.REVISABLE)


@pytest.mark.parametrize("field", NEW)
def test_one_field_changes_and_every_other_stays(tech, fact, field):
    old = tech.semantic.get(fact)
    new = tech.semantic.revise(fact, **{field: NEW[field]}).memory
    assert getattr(new, field) == NEW[field]
    for other in set(NEW) - {field}:
        assert getattr(new, other) == getattr(old, other), other
    assert (new.version, new.agent, new.fleet, new.visibility) == (2, old.agent, old.fleet, old.visibility)
    again = tech.semantic.revise(fact, **{field: NEW[field]})
    assert (again.verdict, again.audit_seq) == ("duplicate", None)


def test_a_vector_is_made_anew_where_the_text_changes_and_kept_where_it_does_not(mem, tech, fact):
    tech.semantic.revise(fact, confidence=0.9)
    tech.semantic.revise(fact, content="the dryer hums")
    with connection(mem) as raw:
        found = [row[0] for row in raw.execute("SELECT embedding FROM memories ORDER BY version")]
    assert found[0] is not None
    assert found[0] == found[1]
    assert found[1] != found[2]


ODD = {
    "deep": {"x": nested(3000)},
    "digits": 10**5000,
    "infinite": math.inf,
    "set": {1},
    "bytes": b"x",
    "object": object(),
}


# Of a field that takes no nesting, its own shape says what is wrong: depth matters for qualifiers alone.
PAIRS = [(field, odd) for field in NEW for odd in ODD if field == "qualifiers" or odd != "deep"]


@pytest.mark.parametrize(("field", "value"), PAIRS)
def test_what_no_table_could_keep_is_refused_in_our_own_words(mem, tech, fact, field, value):
    before = mem.audit.verify()
    with pytest.raises(MemoryRefused, match=field):
        tech.semantic.revise(fact, **{field: ODD[value]}, request_id="r1")
    assert mem.audit.verify() == before


def test_a_circle_of_qualifiers_is_refused(tech, fact):
    circle = {}
    circle["again"] = circle
    with pytest.raises(MemoryRefused, match="nested"):
        tech.semantic.revise(fact, qualifiers=circle)


def test_only_facts_are_changed_through_this_door(mem, tech):
    note = tech.working.write("gate", "observed", "open", "gate four is open").memory.memory_id
    event = tech.episodic.log("observation", "gate four opened").memory.memory_id
    before = mem.audit.verify()
    for memory_id in (note, event):
        with pytest.raises(NotFound):
            tech.semantic.revise(memory_id, content="gate four is shut")
        with pytest.raises(NotFound):
            tech.semantic.retract(memory_id, "misread")
    assert mem.audit.verify() == before


def test_a_revision_retires_a_twin_that_has_expired(mem, tech):
    gone = tech.semantic.remember("bay two is shut", expires_at=NOON + timedelta(hours=1)).memory.memory_id
    other = tech.semantic.remember("bay two is open").memory.memory_id
    mem.clock.advance(hours=2)
    receipt = tech.semantic.revise(other, content="bay two is shut")
    assert set(receipt.touched) == {gone, other}
    assert tech.semantic.history(gone)[-1].status == "outdated"
    assert mem.audit.verify().status == "complete"


def test_a_candidate_says_what_it_would_change_and_is_not_asked_twice_for_one_text(mem, tech, fact):
    mate = agent(mem, "dock-2")
    first = mate.semantic.revise(fact, content="bay two is open")
    again = mate.semantic.revise(fact, content="bay two is open")
    assert (first.verdict, again.verdict) == ("staged", "duplicate")
    assert again.candidate_id == first.candidate_id
    with connection(mem) as raw:
        rows = raw.execute("SELECT draft, reason FROM candidates").fetchall()
    assert len(rows) == 1
    assert f'"revises": "{fact}"' in rows[0][0]
    assert "another's" in rows[0][1]


def test_two_different_changes_to_anothers_fact_are_two_questions(mem, tech, fact):
    """Neither is lost, neither is taken for the other, and each is asked once."""
    peer = agent(mem, "dock-2")
    changes = [{"confidence": 0.9}, {"qualifiers": {"days": "weekend"}}, {"is_inferred": True}]
    asked = [peer.semantic.revise(fact, **change) for change in changes]
    assert [receipt.verdict for receipt in asked] == ["staged"] * 3
    again = [peer.semantic.revise(fact, **change) for change in changes]
    assert [receipt.verdict for receipt in again] == ["duplicate"] * 3
    assert [one.candidate_id for one in again] == [one.candidate_id for one in asked]


def test_the_chain_names_the_act_and_never_holds_its_words(mem, tech, fact):
    tech.semantic.revise(fact, content="zebra quartz")
    tech.semantic.retract(fact, "walrus onyx")
    with connection(mem) as raw:
        bodies = [row[0] for row in raw.execute("SELECT body FROM audit ORDER BY seq")]
    assert [name in body for name, body in zip(("write", "revise", "retract"), bodies, strict=True)] == [
        True
    ] * 3
    assert not any(word in body for body in bodies for word in ("zebra", "quartz", "walrus", "onyx"))
    assert mem.audit.verify().status == "complete"


def test_a_retraction_is_answered_once_and_only_with_a_reason(tech, fact):
    for reason in ("", " ", None, 5, "\ud800", "x" * 100_001):
        with pytest.raises(InvalidInput, match="reason"):
            tech.semantic.retract(fact, reason)
    first = tech.semantic.retract(fact, "misread", request_id="r1")
    assert tech.semantic.retract(fact, "misread", request_id="r1").audit_seq == first.audit_seq
    with pytest.raises(MemoryRefused, match="request"):
        tech.semantic.retract(fact, "other", request_id="r1")


def test_who_only_reads_changes_nothing(mem, fact):
    reader = mem.agent("dock-1", fleet="dock", tenant="northlight", clearance=0)
    for act in (
        lambda: reader.semantic.revise(fact, content="x"),
        lambda: reader.semantic.retract(fact, "x"),
    ):
        with pytest.raises(MemoryRefused, match="clearance"):
            act()


def test_another_tenants_fact_is_as_good_as_absent(mem, fact):
    stranger = mem.person("officer", fleet="dock", tenant="southgate", clearance=3)
    for act in (
        lambda: stranger.semantic.revise(fact, content="x"),
        lambda: stranger.semantic.retract(fact, "x"),
    ):
        with pytest.raises(NotFound):
            act()


def test_no_value_of_any_field_sinks_a_batch(tech):
    odd = [None, 5, math.nan, b"x", nested(3000), {1}, "\ud800", "a\x00", 10**5000, datetime(2026, 3, 1)]  # noqa: DTZ001
    fields = [*amend.REVISABLE, "visibility", "evidence", "request_id"]
    items = [{"content": f"text {n} {name}", name: value} for n, value in enumerate(odd) for name in fields]
    items += [None, 5, "text", [("content", "x")], {5: 1}, {"content": "x", "evidence": ["fact-9999"]}]
    wrong_or_not = tech.semantic.remember_many([*items, {"content": "the last one"}])
    assert len(wrong_or_not) == len(items) + 1
    assert wrong_or_not[-1].verdict == "accepted"
    assert all(receipt.steps for receipt in wrong_or_not)
    assert wrong_or_not[-2].steps[-1].check == "links"
    for given in (None, 5, "text", {"content": "x"}):
        with pytest.raises(TeachmemError, match="items"):
            tech.semantic.remember_many(given)
