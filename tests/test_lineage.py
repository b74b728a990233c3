"""What is derived: never wider nor more trusted than its evidence, and flagged when that falls."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from helpers import connection, opened, refusal
from hypothesis import given, settings
from hypothesis import strategies as st

from teachmem.clock import to_micros
from teachmem.errors import MemoryRefused
from teachmem.ledger import lineage
from teachmem.principal import Principal
from teachmem.recall import label
from teachmem.record import Draft
from teachmem.rules import conflict, derived, scope
from teachmem.vocabulary import LIVE, Role, Tier

NOON = datetime(2026, 3, 15, 12, tzinfo=UTC)
TENANT = "northlight"


@pytest.fixture
def mem():
    with opened(start=NOON) as memory:
        yield memory


@pytest.fixture
def tech(mem):
    return mem.agent("dock-1", fleet="dock", tenant=TENANT)


@pytest.fixture
def mate(mem):
    return mem.agent("dock-2", fleet="dock", tenant=TENANT)


@pytest.fixture
def lead(mem):
    return mem.person("shift-lead", fleet="dock", tenant=TENANT)


def claim(handle, text, **more):
    return handle.semantic.remember(text, **more).memory.memory_id


def system_writes(mem, evidence, **more):
    """A fact that the system derives in the name of dock-1."""
    who = Principal(TENANT, "dock", "dock-1", Role.SYSTEM)
    draft = Draft(tier=Tier.SEMANTIC, kind="insight", content="a conclusion", evidence=evidence, **more)
    return mem._kit.gate.write(who, draft)


# ---- bounds


def test_the_system_is_lowered_to_its_evidence_and_the_trail_says_so(mem, tech):
    private = claim(tech, "my shorthand", visibility="agent", confidence=0.4)
    shared = claim(tech, "arm 2 drifts", confidence=0.9)
    receipt = system_writes(mem, [private, shared], visibility="org", confidence=0.95)
    found = receipt.memory
    assert (found.visibility, found.confidence, found.source) == ("agent", 0.4, "inferred")
    (step,) = [step for step in receipt.steps if step.check == "derived"]
    assert (step.outcome, step.reason) == (
        "noted",
        "lowered to its evidence: visibility agent, confidence 0.4",
    )


def test_an_agent_who_cites_for_more_readers_than_its_evidence_has_is_refused(mem, tech):
    private = claim(tech, "my shorthand", visibility="agent")
    error = refusal(mem, lambda: tech.semantic.remember("arm 2 drifts", evidence=[private]))
    assert isinstance(error, MemoryRefused)
    assert "visibility 'agent'" in str(error)
    assert tech.semantic.remember("arm 2 drifts", evidence=[private], visibility="agent").memory


def test_an_agents_conclusion_from_what_nobody_said_is_one_too_and_no_surer(tech):
    guess = claim(tech, "the fuse may be worn", is_inferred=True, confidence=0.3)
    built = tech.semantic.remember("arm 2 needs a fuse", evidence=[guess], confidence=0.9).memory
    assert (built.is_inferred, built.confidence, built.source) == (True, 0.3, "agent")
    again = tech.semantic.revise(built.memory_id, confidence=1.0, is_inferred=False).memory
    assert (again.is_inferred, again.confidence) == (True, 0.3)  # no way round by a revision


def test_a_person_vouches_for_what_they_write(lead, tech):
    guess = claim(tech, "the fuse may be worn", is_inferred=True, confidence=0.3)
    built = lead.semantic.remember("arm 2 needs a fuse", evidence=[guess], confidence=0.9).memory
    assert (built.is_inferred, built.confidence, built.source) == (False, 0.9, "person")


agents = [("dock", "dock-1"), ("dock", "dock-2"), ("line", "line-3"), ("lab", "lab-2")]
reaches = st.builds(
    lambda visibility, who: conflict.reach(visibility, *who),
    st.sampled_from(["org", "team", "agent"]),
    st.sampled_from(agents),
)


@given(st.sampled_from(["org", "team", "agent"]), st.lists(reaches, max_size=3))
def test_the_narrowest_visibility_is_the_widest_that_shows_nobody_anything_new(asked, bounds):
    def readers(reach):
        return {who for who in agents if who[: len(reach)] == reach}

    def fits(visibility):
        found = readers(conflict.reach(visibility, "dock", "dock-1"))
        return visibility == "agent" or all(found <= readers(bound) for bound in bounds)

    order = ["org", "team", "agent"]
    expected = next(one for one in order[order.index(asked) :] if fits(one))
    assert derived.narrowest(asked, "dock", "dock-1", bounds) == expected


@given(st.sampled_from(["org", "team", "agent"]), st.sampled_from(agents), st.sampled_from(agents))
def test_a_reach_holds_the_readers_of_the_clause(visibility, author, reader):
    who = Principal(TENANT, *reader)
    inside = reader[: len(conflict.reach(visibility, *author))] == conflict.reach(visibility, *author)
    assert inside == scope.may_read(who, TENANT, *author, visibility)


# ---- flags


def test_what_rests_on_a_fallen_memory_is_flagged_and_asked_about_once(mem, tech, mate, lead):
    ground = claim(tech, "the cell is empty")
    built = claim(mate, "the arm may move", evidence=[ground])
    roof = claim(tech, "the shift may start", evidence=[built])
    aside = claim(tech, "the canteen closes at two")
    entries = mem.audit.verify().entries
    tech.semantic.retract(ground, "misread")
    assert mem.audit.verify().entries == entries + 1  # in the same act
    for memory_id in (built, roof):
        found = tech.semantic.get(memory_id)
        assert found.flags == {ground: "is cancelled"}
        line = label.line(found, to_micros(NOON))
        assert f"| flagged: {ground} is cancelled] " in line
        assert f"flagged: {ground} is cancelled" in label.full(found)
        assert "flagged" in str(tech.semantic.search("arm shift").why_not(memory_id).gates)
    assert not tech.semantic.get(aside).flags
    asked = [item for item in lead.review.inbox() if "flagged" in item.asks]
    assert {item.asks["flagged"] for item in asked} == {built, roof}
    lead.review.reject(next(item for item in asked if item.asks["flagged"] == roof), "not any more")
    assert lead.semantic.history(roof)[-1].status == "cancelled"

    lead.set_status(ground, "active", "read again")
    assert not tech.semantic.get(built).flags
    assert mem.audit.verify(deep=True).status == "complete"


def test_a_second_fall_adds_to_the_flag_and_asks_nobody_again(tech, lead):
    first, second = claim(tech, "a"), claim(tech, "b")
    built = claim(tech, "a and b", evidence=[first, second])
    tech.semantic.retract(first, "x")
    tech.set_status(second, "archived", "y")
    assert tech.semantic.get(built).flags == {first: "is cancelled", second: "is archived"}
    assert len(lead.review.inbox()) == 1
    tech.set_status(second, "active", "z")
    assert tech.semantic.get(built).flags == {first: "is cancelled"}


def test_every_door_that_withdraws_flags(mem, tech, lead):
    said = {"subject": "bay two", "predicate": "manager"}
    grounds = {
        "retract": claim(tech, "a"),
        "reject": claim(tech, "b"),
        "set_status": claim(tech, "c"),
        "conflict": claim(tech, "d manages bay two", object="d", **said),
        "expire": claim(tech, "e", expires_at=NOON + timedelta(hours=1)),
        "unlink": tech.graph.link("f", "contains", "g").memory.memory_id,
    }
    built = {name: claim(tech, f"built on {name}", evidence=[one]) for name, one in grounds.items()}
    tech.semantic.retract(grounds["retract"], "x")
    lead.semantic.reject(grounds["reject"], "x")
    lead.set_status(grounds["set_status"], "deleted", "x")
    lead.semantic.remember("h manages bay two", object="h", **said)
    tech.graph.unlink("f", "contains", "g", "x")
    mem.clock.advance(hours=2)
    mem.tidy()
    for name, memory_id in built.items():
        assert list(tech.semantic.get(memory_id).flags) == [grounds[name]], name
    assert mem.audit.verify().status == "complete"


def test_nobody_is_asked_about_what_only_its_author_may_read(tech, lead):
    ground = claim(tech, "a")
    private = claim(tech, "my reading of a", evidence=[ground], visibility="agent")
    tech.semantic.retract(ground, "x")
    assert tech.semantic.get(private).flags
    assert lead.review.inbox() == []


def test_a_confirmation_takes_flags_away_and_a_revision_keeps_them(tech, lead):
    ground = claim(tech, "a")
    built = claim(tech, "b", evidence=[ground])
    tech.semantic.retract(ground, "x")
    assert tech.semantic.revise(built, content="b, still").memory.flags
    assert not lead.set_status(built, "confirmed", "seen").memory.flags


def test_a_note_is_left_out_of_the_context_when_a_ground_of_its_ground_falls(tech):
    ground = tech.working.write("cell", "observed", "empty", "the cell is empty").memory.memory_id
    first = tech.working.write("arm-1", "depends_on", ground, "the arm may move").memory.memory_id
    second = tech.working.write("belt", "depends_on", first, "the belt may start").memory.memory_id
    assert second in str(tech.working.context())
    tech.working.write("cell", "supersedes", ground, "the cell is not empty")
    left = {skip.memory.memory_id: skip.reason for skip in tech.working.context().skipped}
    assert left[first] == left[second] == f"depends on {ground}, which is no longer live"


edges = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=14).map(
    lambda pairs: {(max(pair), min(pair)) for pair in pairs if pair[0] != pair[1]}
)


@settings(max_examples=40, deadline=None)
@given(edges, st.lists(st.tuples(st.integers(0, 7), st.booleans()), max_size=6))
def test_flags_are_what_a_plain_walk_over_the_table_says(pairs, moves):
    with opened(start=NOON) as mem:
        lead = mem.person("shift-lead", fleet="dock", tenant=TENANT)
        ids = []
        for number in range(8):
            evidence = [ids[low] for high, low in sorted(pairs) if high == number]
            ids.append(claim(lead, f"claim {number}", evidence=evidence))
        for number, back in moves:
            status = lead.semantic.history(ids[number])[-1].status
            wanted = "active" if back else "archived"
            if status != wanted:
                lead.set_status(ids[number], wanted, "x")

        def above(number):
            below = {low for high, low in pairs if high == number}
            return below.union(*(above(low) for low in below))

        now = [lead.semantic.history(memory_id)[-1] for memory_id in ids]
        for number, memory in enumerate(now):
            if memory.status in LIVE:
                fallen = {ids[low] for low in above(number) if now[low].status not in LIVE}
                assert set(memory.flags) == fallen
        with mem._database.read() as tx:
            for number, memory_id in enumerate(ids):
                assert set(lineage.grounds(tx, TENANT, memory_id)) == {ids[low] for low in above(number)}
        assert mem.audit.verify(deep=True).status == "complete"


# ---- tidying


def test_tidying_expires_and_archives_what_is_due_once_and_says_so_before(mem, tech, lead):
    expired = claim(tech, "the gate is shut", expires_at=NOON + timedelta(days=1))
    fact = claim(tech, "the hoist lifts 400 kg")
    task = claim(tech, "oil the hoist", kind="task")
    note = tech.working.write("arm-1", "observed", "drift", "arm 1 drifts").memory.memory_id
    event = tech.episodic.log("tool_call", "read the scale").memory.memory_id
    pinned, confirmed = claim(tech, "a", kind="task"), claim(tech, "b", kind="task")
    later = claim(tech, "c", kind="task", valid_from=NOON + timedelta(days=300))
    holding = claim(tech, "d", kind="task", valid_to=NOON + timedelta(days=300))
    lead.keystone(pinned)
    lead.set_status(confirmed, "confirmed", "seen")
    assert mem.tidy().moves == ()
    mem.clock.advance(days=100)
    planned = mem.tidy(dry_run=True)
    assert tech.semantic.history(expired)[-1].status == "active"
    done = mem.tidy()
    assert {move.memory_id: str(move.after) for move in done.moves} == {
        expired: "outdated",
        task: "archived",
        note: "archived",
        event: "archived",
    }
    assert set(planned.moves) == set(done.moves)
    assert str(planned) == "would move: 3 archived, 1 outdated"
    entries = mem.audit.verify().entries
    again = mem.tidy()
    assert (again.moves, str(again), mem.audit.verify().entries) == ((), "nothing to do", entries)
    live = {fact.memory_id for fact in tech.semantic.list()}
    assert live == {fact, pinned, confirmed, holding}
    assert tech.semantic.get(later, at=NOON + timedelta(days=301))
    tech.set_status(task, "active", "needed")
    assert mem.tidy().moves == ()
    assert mem.audit.verify(deep=True).status == "complete"


def test_tidying_goes_in_bounded_batches_of_one_entry_each_tenant_by_tenant(mem):
    for tenant in (TENANT, "southgate"):
        tech = mem.agent("dock-1", fleet="dock", tenant=tenant)
        for number in range(205):
            tech.working.write(f"arm-{number}", "observed", "drift", f"arm {number} drifts")
    mem.clock.advance(days=15)
    assert len(mem.tidy(tenant=TENANT).moves) == 205
    with connection(mem) as raw:
        rows = raw.execute("SELECT body FROM audit ORDER BY seq").fetchall()
    bodies = [json.loads(body) for (body,) in rows]
    swept = [body for body in bodies if body["action"] == "lifecycle.archived"]
    assert [(body["tenant"], body["count"], len(body["touched"])) for body in swept] == [
        (TENANT, 200, 200),
        (TENANT, 5, 5),
    ]
    assert swept[0]["actor"]["role"] == "system"
    assert len(mem.tidy(dry_run=True).moves) == 205  # those of the other tenant
