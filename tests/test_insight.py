"""Insights: found by counting, written once, never wider than their evidence, outdated when not so."""

import pytest
from helpers import everything, opened

from teachmem import InvalidInput, MemoryRefused


@pytest.fixture
def mem():
    with opened() as memory:
        yield memory


@pytest.fixture
def tech(mem):
    return mem.agent("dock-1", fleet="dock", tenant="northlight")


@pytest.fixture
def peer(mem):
    return mem.agent("dock-2", fleet="dock", tenant="northlight")


def fact(who, content="pads last a month", **more):
    return who.semantic.remember(content, **more).memory.memory_id


def test_a_memory_that_fails_twice_is_named_with_its_counts(mem, tech):
    pads, belt = fact(tech), fact(tech, "belts last a year")
    told = (("failure", pads), ("success", pads), ("failure", pads), ("failure", belt))
    for number, (outcome, used) in enumerate(told):
        tech.report_outcome(outcome, f"{outcome} in round {number}", [used])
    (found,) = tech.insights("failures")
    assert found.content == f"outcomes of {pads}: failure 2, success 1"
    assert (found.kind, found.source, found.is_inferred, found.visibility) == (
        "insight",
        "inferred",
        True,
        "team",
    )
    assert mem.audit.verify(deep=True).status == "complete"


def test_what_serves_one_agent_and_fails_another_is_named(mem, tech, peer):
    pads = fact(tech)
    tech.report_outcome("success", "held all day", [pads])
    peer.report_outcome("failure", "fell off", [pads])
    assert [found.content for found in tech.insights()] == [f"{pads} served dock-1 and failed dock-2"]


def test_two_claims_that_contradict_are_named_once(mem, tech, peer):
    said = {"subject": "NL-0003", "predicate": "located_in"}
    one = fact(tech, "NL-0003 is in bay two", object="bay two", **said)
    two = fact(peer, "NL-0003 is in bay three", object="bay three", **said)
    (found,) = tech.insights("contradictions")
    assert one in found.content
    assert two in found.content


def test_what_nobody_touched_for_long_is_stale_until_it_is_touched(mem, tech):
    old = fact(tech)
    mem.clock.advance(days=121)
    fact(tech, "belts last a year")
    (found,) = tech.insights("stale")
    assert found.content == f"nobody has touched {old} for 120 days"
    tech.semantic.revise(old, confidence=0.9)
    assert tech.insights("stale") == []


def test_a_second_run_writes_nothing(mem, tech, peer):
    pads = fact(tech)
    for who, outcome in ((tech, "success"), (peer, "failure"), (peer, "failure")):
        who.report_outcome(outcome, f"{outcome} again", [pads], session=f"s{len(who.episodic.recent())}")
        mem.clock.advance(hours=1)
    found = tech.insights()
    assert len(found) == 2
    before = everything(mem)
    assert tech.insights() == found
    assert everything(mem) == before


def test_a_count_that_grows_replaces_the_insight_before(mem, tech):
    pads = fact(tech)
    for number in range(2):
        tech.report_outcome("failure", f"fell off, {number}", [pads])
    (first,) = tech.insights("failures")
    tech.report_outcome("failure", "fell off once more", [pads])
    (second,) = tech.insights("failures")
    assert "failure 3" in second.content
    assert tech.semantic.history(first.memory_id)[-1].status == "outdated"


def test_an_insight_reaches_nobody_whom_its_evidence_does_not(mem, tech, peer):
    private = fact(tech, visibility="agent")
    for number in range(2):
        tech.report_outcome("failure", f"fell off, {number}", [private])
    (found,) = tech.insights()
    assert found.visibility == "agent"
    assert peer.insights() == []
    assert private not in str(peer.semantic.list().memories)
    stranger = mem.agent("line-3", fleet="line", tenant="northlight")
    assert stranger.insights() == []


def test_nobody_writes_an_insight_by_hand_and_an_unknown_focus_is_refused(tech):
    with pytest.raises(MemoryRefused):
        tech.semantic.remember("pads fail", kind="insight")
    with pytest.raises(InvalidInput, match="focus"):
        tech.insights("causes")


def test_who_only_reads_gets_no_insight_written(mem, tech):
    pads = fact(tech)
    for number in range(2):
        tech.report_outcome("failure", f"fell off, {number}", [pads])
    reader = mem.agent("dock-9", fleet="dock", tenant="northlight", clearance=0)
    with pytest.raises(MemoryRefused):
        reader.insights()
