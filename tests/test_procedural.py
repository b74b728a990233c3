"""Skills: from files and revisions to choosing, using and counting, and what is refused."""

import pytest
from helpers import everything, opened, refusal

from teachmem import InvalidInput, MemoryRefused
from teachmem.course import world
from teachmem.tiers import procedural

FILES = [path.read_text(encoding="utf-8") for path in sorted((world.data_folder() / "skills").glob("*.md"))]
GREET = (
    "---\nname: greet\ntitle: Greet\ntrigger: a robot wakes up\narguments: robot\n---\nSay hello to {robot}."
)


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


def test_the_files_of_the_data_are_skills(lead, tech):
    receipts = lead.load_skills(FILES)
    assert len(receipts) == 5
    assert {str(receipt.verdict) for receipt in receipts} == {"accepted"}
    assert [skill.name for skill in tech.procedural.list()] == sorted(
        receipt.memory.subject for receipt in receipts
    )
    for skill in tech.procedural.list():
        given = dict.fromkeys(skill.arguments, "X7")
        filled = str(tech.procedural.use(skill.name, **given))
        assert "{" not in filled
        assert filled.count("X7") >= len(skill.arguments)


def test_loading_again_changes_nothing_and_a_new_body_is_the_next_version(lead, tech, mem):
    lead.load_skills([GREET])
    before = everything(mem)
    assert lead.load_skills([GREET])[0].verdict == "duplicate"
    assert everything(mem) == before
    then = mem.clock.now()
    mem.clock.advance(hours=1)
    lead.load_skills([GREET.replace("hello", "good morning")])
    assert tech.procedural.get("greet").version == 2
    assert str(tech.procedural.use("greet", robot="NL-0003")) == "Say good morning to NL-0003."
    assert tech.procedural.get("greet", known_at=then).memory.content == "Say hello to {robot}."
    assert mem.audit.verify().status == "complete"


@pytest.mark.parametrize(
    ("task", "name"),
    [
        ("the gripper of NL-0003 keeps slipping, what is wrong?", "diagnose-a-robot"),
        ("write the handover report for this shift", "write-a-maintenance-report"),
        ("what is the difference between two models?", "compare-two-robots"),
        ("check a claim that contradicts another fact", "review-a-claim"),
        ("my search found nothing", "plan-a-search"),
    ],
)
def test_a_task_chooses_the_skill_that_is_for_it(lead, tech, task, name):
    lead.load_skills(FILES)
    found = tech.procedural.choose(task)
    assert found[0].memory.subject == name
    for hit in found:
        assert sum(hit.parts.values()) == pytest.approx(hit.score)


def test_what_no_skill_is_for_is_said(lead, tech):
    lead.load_skills([GREET])
    assert list(tech.procedural.choose("quarterly taxes")) == []
    assert tech.procedural.choose("quarterly taxes").note == "no skill is for that"


def test_uses_are_counted_by_name_and_a_use_that_fails_is_none(lead, tech, mem):
    lead.load_skills([GREET])
    for number in range(3):
        mem.clock.advance(minutes=1)
        receipt = tech.procedural.use("greet", robot=f"NL-000{number}").receipt
        assert receipt.memory.content == f"used the skill greet, version 1, with robot NL-000{number}"
    assert tech.procedural.uses("greet") == 3
    for act in (
        lambda: tech.procedural.use("greet"),
        lambda: tech.procedural.use("greet", robot="x", song="y"),
        lambda: tech.procedural.use("great", robot="x"),
    ):
        assert isinstance(refusal(mem, act), InvalidInput)
    assert tech.procedural.uses("greet") == 3


def test_a_value_is_put_in_once_and_as_it_is():
    assert procedural.fill("{a} {b} {c}", ["a", "b"], {"a": "{b}", "b": "2"}) == "{b} 2 {c}"


def test_another_fleet_has_skills_of_its_own(lead, mem):
    lead.load_skills([GREET])
    line = mem.agent("line-3", fleet="line", tenant="northlight")
    assert line.procedural.list() == []
    with pytest.raises(InvalidInput, match="no skill 'greet'"):
        line.procedural.use("greet", robot="x")
    steward = mem.person("data-officer", fleet="lab", tenant="northlight", clearance=3)
    steward.load_skills([GREET.replace("hello", "welcome")], visibility="org")
    assert str(line.procedural.use("greet", robot="x")) == "Say welcome to x."


def test_a_retracted_skill_is_not_served_and_stays_in_the_ledger(lead, tech, mem):
    lead.load_skills([GREET])
    then = mem.clock.now()
    mem.clock.advance(hours=1)
    assert lead.retract_skill("greet", "we do not greet robots").memory.status == "cancelled"
    assert tech.procedural.list() == []
    assert [skill.name for skill in tech.procedural.list(known_at=then)] == ["greet"]
    assert isinstance(refusal(mem, lambda: lead.retract_skill("greet", "again")), InvalidInput)


def test_who_may_let_a_skill_in(mem, tech):
    for door in ("load_skills", "retract_skill"):
        assert not hasattr(tech, door), "no agent has a door to what tells others what to do"
    reader = mem.person("auditor", fleet="dock", tenant="northlight", clearance=0)
    assert isinstance(refusal(mem, lambda: reader.load_skills([GREET])), MemoryRefused)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ("just a body", "needs a head"),
        (GREET.replace("name: greet", "name: Greet Me"), "small letters"),
        (GREET.replace("trigger: a robot wakes up\n", ""), "skill.trigger"),
        (GREET.replace("arguments: robot", "arguments: robot, song"), "disagree about: song"),
        (GREET.replace("{robot}", "{robot} and {song}"), "disagree about: song"),
        (GREET.split("Say")[0], "skill.body"),
        ("", "skill"),
        (None, "skill"),
    ],
)
def test_a_file_in_bad_shape_is_refused_before_anything_is_written(lead, mem, wrong, told):
    assert told in str(refusal(mem, lambda: lead.load_skills([GREET, wrong])))
