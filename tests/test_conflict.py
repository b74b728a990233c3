"""Two claims that contradict: which stands, who is asked, and that nobody is silenced by a contradiction."""

import json
from datetime import UTC, datetime, timedelta
from itertools import product

import pytest
from helpers import connection, opened
from hypothesis import given
from hypothesis import strategies as st

from teachmem.errors import NotFound
from teachmem.ledger import twin
from teachmem.principal import Principal
from teachmem.rules import conflict

NOON = datetime(2026, 3, 15, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


@pytest.fixture
def mem():
    with opened(start=NOON) as memory:
        yield memory


@pytest.fixture
def tech(mem):
    return mem.agent("dock-1", fleet="dock", tenant="northlight")


@pytest.fixture
def mate(mem):
    return mem.agent("dock-2", fleet="dock", tenant="northlight")


@pytest.fixture
def lead(mem):
    return mem.person("shift-lead", fleet="dock", tenant="northlight")


def manager(handle, name, **more):
    said = {"subject": "bay two", "predicate": "manager", "object": name, **more}
    return handle.semantic.remember(f"{name} manages bay two", **said)


def status(handle, receipt):
    return str(handle.semantic.history(receipt.memory.memory_id)[-1].status)


def believed(handle):
    return {fact.object for fact in handle.semantic.list(predicate="manager")}


def test_the_newer_and_stronger_supersedes_by_rule_and_the_entry_says_so(mem, tech, lead):
    old = manager(tech, "day-lead")
    mem.clock.advance(hours=1)
    new = manager(lead, "night-lead")
    assert (status(tech, old), status(tech, new)) == ("outdated", "active")
    assert new.steps[-2].check == "conflict"
    assert "becomes outdated" in new.steps[-2].reason
    assert set(new.touched) == {old.memory.memory_id, new.memory.memory_id}
    assert believed(tech) == {"night-lead"}
    with connection(mem) as raw:
        body = json.loads(raw.execute("SELECT body FROM audit ORDER BY seq DESC").fetchone()[0])
    assert body["by_rule"] == [old.memory.memory_id]
    assert mem.audit.verify().status == "complete"
    (then,) = tech.semantic.list(known_at=old.memory.recorded_at)
    assert then.memory_id == old.memory.memory_id


def test_a_weaker_newcomer_is_kept_and_withheld_once(tech, lead):
    manager(lead, "night-lead")
    weak = manager(tech, "day-lead")
    assert (weak.verdict, weak.memory.status) == ("accepted", "conflicted")
    assert "conflicted" in str(weak)
    assert believed(tech) == {"night-lead"}
    again = manager(tech, "day-lead")
    assert (again.verdict, again.memory, again.audit_seq) == ("duplicate", weak.memory, None)


@pytest.mark.parametrize(
    ("first", "second", "left"),
    [
        ({"confidence": 0.6}, {"confidence": 0.4}, {"first"}),
        ({"confidence": 0.4}, {"confidence": 0.6}, {"second"}),
        ({}, {"confidence": 0.5}, {"first", "second"}),
        ({"is_inferred": True, "confidence": 1.0}, {"confidence": 0.1}, {"second"}),
        ({"confidence": 0.1}, {"is_inferred": True, "confidence": 1.0}, {"first"}),
    ],
)
def test_inferred_comes_after_said_and_then_confidence_decides(tech, first, second, left):
    manager(tech, "first", **first)
    manager(tech, "second", **second)
    assert believed(tech) == left


def test_equals_stay_are_linked_flagged_and_put_before_a_person_once(mem, tech, mate):
    one, other = manager(tech, "day-lead"), manager(mate, "night-lead")
    assert believed(tech) == {"day-lead", "night-lead"}
    ids = [receipt.memory.memory_id for receipt in (one, other)]
    flags = [tech.semantic.get(memory_id).flags for memory_id in ids]
    assert flags == [{ids[1]: "says otherwise"}, {ids[0]: "says otherwise"}]
    with connection(mem) as raw:
        links = raw.execute("SELECT child, parent, relation FROM derivations").fetchall()
        (asked,) = raw.execute("SELECT candidate_id, state, draft FROM candidates").fetchall()
    assert links == [(ids[1], ids[0], "conflicts_with")]
    assert asked[:2] == (other.candidate_id, "staged")
    assert json.loads(asked[2])["conflict"] == [ids[1], ids[0]]
    mate.semantic.revise(ids[1], confidence=0.5)
    with connection(mem) as raw:
        assert raw.execute("SELECT count(*) FROM candidates").fetchone() == (1,)


def test_a_contradiction_that_is_over_takes_its_flags_with_it(tech, mate):
    one, other = manager(tech, "day-lead").memory, manager(mate, "night-lead").memory
    mate.semantic.revise(other.memory_id, content="day-lead manages bay two, too", object="Day-Lead")
    assert not tech.semantic.get(one.memory_id).flags
    assert not tech.semantic.get(other.memory_id).flags
    third = manager(mate, "porter").memory
    assert tech.semantic.get(one.memory_id).flags
    mate.semantic.retract(third.memory_id, "misread")
    assert not tech.semantic.get(one.memory_id).flags


def test_an_agent_who_is_surer_does_not_silence_another_agent(tech, mate):
    manager(tech, "day-lead")
    manager(mate, "night-lead", confidence=1.0)
    assert believed(tech) == {"day-lead", "night-lead"}


def test_a_persons_word_does_not_retire_what_is_not_theirs_to_change(mem, tech):
    wide = mem.person("data-officer", fleet="lab", tenant="northlight", clearance=3)
    manager(wide, "night-lead", source="catalogue", visibility="org", confidence=0.9)
    lead = mem.person("shift-lead", fleet="dock", tenant="northlight")
    manager(lead, "day-lead")
    assert believed(tech) == {"day-lead", "night-lead"}
    assert believed(mem.agent("lab-2", fleet="lab", tenant="northlight")) == {"night-lead"}


def test_a_confirmed_claim_has_a_persons_word(tech, mate, lead):
    one = manager(tech, "day-lead", confidence=0.2)
    lead.set_status(one.memory.memory_id, "confirmed", "seen on the roster")
    weak = manager(tech, "night-lead", confidence=1.0)
    assert weak.memory.status == "conflicted"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"qualifiers": {"days": "weekday"}}, {"qualifiers": {"days": "weekend"}}),
        ({"qualifiers": {"days": ["Monday", "Tuesday"]}}, {"qualifiers": {"days": ["Sunday"]}}),
        ({"valid_to": NOON + HOUR}, {"valid_from": NOON + HOUR}),
        ({"expires_at": NOON + HOUR}, {"valid_from": NOON + HOUR}),
        ({"subject": "bay two"}, {"subject": "bay three"}),
        ({"object": "Day-lead"}, {"object": "day-LEAD."}),
        ({"predicate": "contains"}, {"predicate": "contains"}),
    ],
)
def test_what_can_both_hold_is_no_conflict(tech, lead, first, second):
    receipts = [manager(who, name, **more) for who, name, more in ((tech, "a", first), (lead, "b", second))]
    assert all(receipt.steps[-2].outcome == "passed" for receipt in receipts)


def test_one_form_of_a_subject_for_both(tech, lead):
    manager(tech, "day-lead", subject="Bay  Two")
    manager(lead, "night-lead")
    assert believed(tech) == {"night-lead"}


def test_a_deputys_week_retires_no_chief(mem, tech, lead):
    manager(tech, "chief")
    manager(lead, "deputy", valid_from=NOON, valid_to=NOON + timedelta(days=7))
    assert believed(tech) == {"chief", "deputy"}
    mem.clock.advance(days=8)
    assert believed(tech) == {"chief"}


def test_what_begins_next_week_retires_nothing_today(tech, lead):
    manager(tech, "chief")
    manager(lead, "heir", valid_from=NOON + timedelta(days=7))
    assert believed(tech) == {"chief"}


def test_private_claims_of_others_and_other_fleets_conflict_with_nothing_and_tell_nothing(mem, tech, mate):
    manager(mem.person("shift-lead", fleet="dock", tenant="northlight"), "secret", visibility="agent")
    manager(mem.person("line-lead", fleet="line", tenant="northlight"), "line's", visibility="team")
    manager(
        mem.person("shift-lead", fleet="dock", tenant="southgate", clearance=3), "theirs", visibility="org"
    )
    receipt = manager(tech, "day-lead")
    assert receipt.steps[-2].outcome == "passed"
    assert manager(tech, "mine", visibility="agent", confidence=1.0).memory.status == "active"
    assert believed(mate) == {"day-lead"}  # a private claim retires nothing that others read


def test_bulk_and_revision_pass_the_same_check(tech, lead):
    manager(lead, "night-lead")
    said = {"content": "x manages bay two", "subject": "bay two", "predicate": "manager", "object": "x"}
    (bulk,) = tech.semantic.remember_many([said])
    assert bulk.memory.status == "conflicted"
    other = tech.semantic.remember(
        "bay three is manned", subject="bay three", predicate="manager", object="y"
    )
    moved = tech.semantic.revise(other.memory.memory_id, subject="bay two")
    assert moved.memory.status == "conflicted"
    assert believed(tech) == {"night-lead"}
    with pytest.raises(NotFound):
        tech.semantic.get(other.memory.memory_id)


times = st.none() | st.integers(0, 6)
claims = st.builds(
    conflict.Claim,
    object=st.sampled_from(["a", "A.", "b"]),
    start=times,
    end=times,
    qualifiers=st.dictionaries(
        st.sampled_from("xy"), st.lists(st.sampled_from("pqr"), min_size=1), max_size=2
    ),
    reach=st.sampled_from([(), ("dock",), ("line",), ("dock", "dock-1"), ("dock", "dock-2")]),
    strength=st.builds(
        conflict.strength,
        st.sampled_from(["person", "agent", "web"]),
        st.booleans(),
        st.none() | st.floats(0, 1),
    ),
).filter(lambda claim: claim.start is None or claim.end is None or claim.start < claim.end)


def points(claim):
    """Every (moment, case x, case y) for which a claim speaks, one by one."""
    moments = [t for t in range(-1, 8) if (claim.start is None or claim.start <= t)]
    moments = [t for t in moments if claim.end is None or t < claim.end]
    cases = [claim.qualifiers.get(name, list("pqrs")) for name in "xy"]
    return set(product(moments, *cases))


@given(claims, claims)
def test_two_claims_conflict_where_they_speak_of_one_point_to_common_readers(one, other):
    agents = [("dock", "dock-1"), ("dock", "dock-2"), ("line", "line-3"), ("lab", "lab-2")]
    readers = [{a for a in agents if a[: len(claim.reach)] == claim.reach} for claim in (one, other)]
    nested = readers[0] <= readers[1] or readers[1] <= readers[0]
    differ = one.object.lower().strip(".") != other.object.lower().strip(".")
    expected = bool(differ and nested and points(one) & points(other))
    assert one.conflicts_with(other) == other.conflicts_with(one) == expected


@given(claims, claims, st.integers(0, 7))
def test_a_claim_answers_another_if_it_covers_every_point_from_now_on(one, other, now):
    from_now = {point for point in points(other) if point[0] >= now}
    if not from_now:
        return
    covered = from_now <= points(one) and other.reach[: len(one.reach)] == one.reach
    open_end = one.end is None or other.end is not None
    assert one.answers(other, now) == bool(covered and open_end)


@given(claims, claims)
def test_strength_is_a_total_order_of_the_table(one, other):
    assert (one.strength > other.strength) + (one.strength < other.strength) + (
        one.strength == other.strength
    ) == 1


def test_rivals_are_those_that_the_writer_may_read(mem, tech):
    manager(tech, "day-lead")
    claim = conflict.Claim(
        object="x",
        start=None,
        end=None,
        qualifiers={},
        reach=(),
        strength=conflict.strength("agent", False, None),
    )
    key = twin.claim_key("bay two", "manager")
    with mem._database.read() as tx:
        for fleet, found in (("dock", 1), ("line", 0)):
            who = Principal("northlight", fleet, "x")
            assert len(conflict.rivals(tx, who, key, claim, 0, "")) == found
