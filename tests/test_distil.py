"""Skills out of experience: found by a stated rule, proposed once, never again once they were rejected."""

import json
from datetime import timedelta

import pytest
from helpers import opened, refusal

from teachmem import InvalidInput
from teachmem.flow import cluster
from teachmem.flow.models import ScriptedModel
from teachmem.rules import tombstone

SLIP = ("gripper of unit {n} slipped", "cleaned the pads of unit {n}", "recalibrated the grip of unit {n}")
SAID = {
    "title": "Cure a slipping gripper",
    "trigger": "a gripper slips",
    "steps": ["Clean the pads.", "Calibrate."],
}


@pytest.fixture
def mem():
    with opened() as memory:
        yield memory


@pytest.fixture
def tech(mem):
    return mem.agent("dock-1", fleet="dock", tenant="northlight")


@pytest.fixture
def lead(mem):
    return mem.person("shift-lead", fleet="dock", tenant="northlight")


def shift(mem, who, number, texts=SLIP, outcome=None, **more):
    """One session: something happens, and what is done about it."""
    session = f"s{number}"
    for text in texts:
        mem.clock.advance(minutes=1)
        who.episodic.log("observation", text.format(n=number), session, **more)
    if outcome:
        who.report_outcome(outcome, f"it was a {outcome} {number}", session=session)


def shifts(mem, who, numbers=range(3), **more):
    for number in numbers:
        shift(mem, who, number, **more)


def test_what_was_done_again_and_again_is_proposed_with_its_evidence(mem, tech, lead):
    shifts(mem, tech, outcome="success")
    tech.episodic.log("observation", "the canteen closes at two", "s9")
    report = tech.distil()
    assert (report.patterns, len(report.proposed)) == (1, 1)
    (item,) = lead.review.inbox()
    assert item.content == "1. cleaned the pads of unit 0\n2. recalibrated the grip of unit 0"
    assert item.draft.detail["trigger"] == "gripper of unit 0 slipped"
    assert len(item.evidence) == 9
    assert all("canteen" not in event.content for event in item.evidence)
    assert tech.procedural.list() == []  # nothing to follow until a person has said so


def test_an_approved_skill_has_a_version_and_is_served(mem, tech, lead):
    shifts(mem, tech)
    tech.distil(ScriptedModel(json.dumps(SAID)))
    memory = lead.review.approve(lead.review.inbox()[0]).memory
    (skill,) = tech.procedural.list()
    assert (skill.version, skill.title, skill.trigger) == (1, "Cure a slipping gripper", "a gripper slips")
    assert skill.memory.memory_id == memory.memory_id
    assert (str(memory.source), memory.is_inferred) == ("inferred", True)
    assert tech.procedural.choose("the gripper slips")[0].memory.memory_id == memory.memory_id
    assert str(tech.procedural.use(skill.name)).startswith("1. Clean the pads.")


def test_a_second_run_proposes_nothing_and_calls_no_model(mem, tech, lead):
    shifts(mem, tech)
    model = ScriptedModel(json.dumps(SAID), json.dumps({**SAID, "title": "Another title"}))
    assert len(tech.distil(model).proposed) == 1
    for _ in range(2):
        report = tech.distil(model)
        assert (report.proposed, report.counts["already_known"], len(model.calls)) == ((), 1, 1)
        if lead.review.inbox():
            lead.review.approve(lead.review.inbox()[0])
    lead.retract_skill(tech.procedural.list()[0].name, "no longer done so")
    assert tech.distil(model).proposed == ()


def test_a_rejected_cluster_stays_out_whatever_a_model_calls_it_and_though_it_grows(mem, tech, lead):
    shifts(mem, tech)
    tech.distil(ScriptedModel(json.dumps(SAID)))
    lead.review.reject(lead.review.inbox()[0], "it wears the pads out")
    (stone,) = lead.tombstones()
    assert stone.kind == "cluster"
    shifts(mem, tech, range(3, 5))  # five sessions now, three of which were rejected
    model = ScriptedModel(json.dumps({**SAID, "title": "Grip care", "steps": ["Wipe.", "Tune."]}))
    report = tech.distil(model)
    assert (report.proposed, report.skipped_tombstoned, model.calls) == ((), 1, [])
    lead.lift(stone.tombstone_id, "new pads")
    assert len(tech.distil(model).proposed) == 1


def test_a_moratorium_on_a_skill_ends(mem, tech, lead):
    shifts(mem, tech)
    tech.distil()
    lead.review.reject(lead.review.inbox()[0], "not before the audit", mem.clock.now() + timedelta(days=1))
    assert tech.distil().skipped_tombstoned == 1
    mem.clock.advance(days=1)
    assert len(tech.distil().proposed) == 1


def test_a_rejection_holds_in_its_fleet(mem, tech, lead):
    shifts(mem, tech)
    tech.distil()
    lead.review.reject(lead.review.inbox()[0], "no")
    line = mem.agent("line-1", fleet="line", tenant="northlight")
    shifts(mem, line)
    assert len(line.distil().proposed) == 1


@pytest.mark.parametrize(
    ("numbers", "outcome", "texts"),
    [
        (range(2), None, SLIP),  # too few sessions
        (range(4), "failure", SLIP),  # it did not help
        (range(4), None, SLIP[:1]),  # nothing followed
    ],
)
def test_what_is_no_pattern_is_not_proposed(mem, tech, numbers, outcome, texts):
    shifts(mem, tech, numbers, outcome=outcome, texts=texts)
    assert tech.distil().patterns == 0


def test_a_skill_has_no_more_readers_than_its_evidence(mem, tech, lead):
    shifts(mem, tech, visibility="agent")
    tech.distil()
    (item,) = lead.review.inbox()
    assert item.draft.visibility == "agent"
    assert (item.evidence, item.unseen) == ((), 9)
    assert mem.agent("dock-2", fleet="dock", tenant="northlight").distil().patterns == 0


BAD = [
    "",
    "no JSON",
    "[]",
    "{}",
    json.dumps({"facts": []}),
    json.dumps({**SAID, "steps": []}),
    json.dumps({**SAID, "steps": [""]}),
    json.dumps({**SAID, "steps": "x"}),
    json.dumps({**SAID, "title": 5}),
    json.dumps({**SAID, "trigger": "a\x00b"}),
    ValueError("late"),
]


@pytest.mark.parametrize("answer", BAD, ids=str)
def test_an_answer_that_is_none_changes_nothing_and_the_pattern_stays(mem, tech, lead, answer):
    shifts(mem, tech)
    before = mem.audit.verify()
    report = tech.distil(ScriptedModel(answer))
    assert report.proposed == ()
    assert sum(report.counts.values()) == 1
    assert mem.audit.verify() == before
    assert len(tech.distil().proposed) == 1


def test_a_step_of_a_model_is_one_line(mem, tech, lead):
    shifts(mem, tech)
    tech.distil(ScriptedModel(json.dumps({**SAID, "steps": ["look\n2. open every door", "close"]})))
    assert lead.review.inbox()[0].content == "1. look 2. open every door\n2. close"


@pytest.mark.parametrize("limit", [0, -1, "x", None, True])
def test_a_limit_is_a_number(mem, tech, limit):
    assert isinstance(refusal(mem, lambda: tech.distil(limit=limit)), InvalidInput)
    assert isinstance(refusal(mem, lambda: tech.distil(5)), InvalidInput)


def test_shapes_leave_numbers_out_and_overlap_is_of_the_smaller_set():
    assert cluster.shape("unit 7 slipped") == cluster.shape("Unit 12 SLIPPED.")
    assert tombstone.overlap(["a", "b", "c"], ["b"]) == 1.0
    assert tombstone.overlap(["a", "b"], ["b", "c"]) == 0.5
    assert tombstone.overlap([], ["b"]) == 0.0
