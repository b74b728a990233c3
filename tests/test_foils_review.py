"""The foils of rejecting and reviewing bite while they are on, and leave no trace when they are off."""

import json
from datetime import UTC, datetime

import pytest
from helpers import everything, opened

from teachmem import MemoryRefused
from teachmem.errors import Overtaken
from teachmem.flow.models import ScriptedModel
from teachmem.marks.foil import foil, foils

NOON = datetime(2026, 3, 15, 12, tzinfo=UTC)
NAMES = (
    "approve_without_gate",
    "ascii_fingerprint",
    "edit_slips_past",
    "id_keyed_tombstone",
    "import_forgets_tombstones",
    "moratorium_in_disguise",
    "one_door_forgotten",
    "skill_keyed_on_words",
)
CODE = "The door code is 4411"


@pytest.fixture
def mem():
    with opened(start=NOON) as memory:
        yield memory


@pytest.fixture
def tech(mem):
    return mem.agent("dock-1", fleet="dock", tenant="northlight")


@pytest.fixture
def lead(mem):
    return mem.person("shift-lead", fleet="dock", tenant="northlight", clearance=3)


def outcome(act):
    """Return the verdict, or the check that refused."""
    try:
        return str(act().verdict)
    except MemoryRefused as refused:
        return refused.receipt.steps[-1].check
    except Overtaken:
        return "overtaken"


def rejected(tech, lead, text=CODE, **how):
    held = tech.semantic.remember(text).memory.memory_id
    lead.semantic.reject(held, "not to be kept", **how)
    return held


def contents(tech):
    return [memory.content for memory in tech.semantic.list()]


def test_an_export_brings_it_back_under_the_foil_alone(tmp_path, tech, lead):
    held = tech.semantic.remember(CODE).memory.memory_id
    tech.semantic.remember("Gate four sticks")
    lead.export(tmp_path / "yesterday.jsonl")
    lead.semantic.reject(held, "not to be kept")
    report = lead.load_export(tmp_path / "yesterday.jsonl")
    assert (report.accepted, len(report.refused), contents(tech)) == (0, 1, ["Gate four sticks"])
    lead.export(tmp_path / "today.jsonl")
    with foil("import_forgets_tombstones"):
        report = lead.load_export(tmp_path / "yesterday.jsonl")
        assert CODE in contents(tech)
        assert [str(one.state) for one in lead.tombstones()] == ["standing"]
    assert report.refused == []


def walked(tech, lead, text):
    """Try a value at several doors; return what each says."""
    fact = tech.semantic.remember("the yard is wide").memory.memory_id
    note = tech.working.write("yard", "observed", "wide", "the yard is wide").memory.memory_id
    lead.set_status(note, "archived", "done")
    return {
        "write": outcome(lambda: tech.working.write("door", "observed", "code", text)),
        "log": outcome(lambda: tech.episodic.log("observation", text)),
        "remember": outcome(lambda: tech.semantic.remember(text)),
        "link": outcome(lambda: tech.graph.link("yard", "located_in", "dock", text)),
        "outcome": outcome(lambda: tech.report_outcome("success", text)),
        "revise": outcome(lambda: tech.semantic.revise(fact, content=text)),
        "back": outcome(lambda: lead.set_status(note, "active", "needed")),
    }


def test_one_door_alone_is_forgotten(tech, lead):
    rejected(tech, lead)
    told = walked(tech, lead, CODE)
    assert set(told.values()) == {"tombstone", "accepted"}
    assert told.pop("back") == "accepted"  # its text was never rejected
    with foil("one_door_forgotten"):
        assert walked(tech, lead, CODE) == {**told, "revise": "accepted", "back": "accepted"}


def test_the_door_of_coming_back_is_not_the_one_that_is_forgotten(tech, lead):
    note = tech.working.write("door", "observed", "code", CODE).memory.memory_id
    lead.set_status(note, "archived", "done")
    rejected(tech, lead)
    with foil("one_door_forgotten"):
        assert outcome(lambda: lead.set_status(note, "active", "needed")) == "tombstone"


@pytest.mark.parametrize(
    ("days", "real", "under"), [(29, "tombstone", "tombstone"), (30, "tombstone", "accepted")]
)
def test_for_good_means_thirty_days_in_silence(mem, tech, lead, days, real, under):
    rejected(tech, lead)
    mem.clock.advance(days=days)
    assert outcome(lambda: tech.episodic.log("observation", CODE)) == real
    with foil("moratorium_in_disguise"):
        assert outcome(lambda: tech.semantic.remember(CODE)) == under
        (stone,) = lead.tombstones()
        assert (stone.name, stone.state, lead.review.inbox()) == ("tombstone", "standing", [])


def shifts(mem, who):
    for number in range(3):
        for text in (f"gripper of unit {number} slipped", f"sprayed unit {number} with oil"):
            mem.clock.advance(minutes=1)
            who.episodic.log("observation", text, f"s{number}")


def worded(title):
    return ScriptedModel(json.dumps({"title": title, "trigger": "a gripper slips", "steps": [f"{title}."]}))


def rejected_skill(mem, tech, lead):
    shifts(mem, tech)
    tech.distil(worded("Oil the gripper"))
    lead.review.reject(lead.review.inbox()[0], "oil ruins the pads")


def test_a_rejected_skill_comes_back_after_thirty_days_in_disguise(mem, tech, lead):
    rejected_skill(mem, tech, lead)
    mem.clock.advance(days=31)
    assert tech.distil(worded("Oil it")).skipped_tombstoned == 1
    with foil("moratorium_in_disguise"):
        assert len(tech.distil(worded("Oil it")).proposed) == 1


def test_keyed_on_words_a_skill_comes_back_in_others_and_the_model_is_called(mem, tech, lead):
    rejected_skill(mem, tech, lead)
    again = worded("Grease the jaws")
    assert (tech.distil(again).skipped_tombstoned, again.calls) == (1, [])
    with foil("skill_keyed_on_words"):
        same = worded("Oil the gripper")
        report = tech.distil(same)
        assert (report.proposed, report.counts["refused"], len(same.calls)) == ((), 1, 1)
        assert len(tech.distil(again).proposed) == 1
    assert lead.review.inbox()[0].draft.detail["title"] == "Grease the jaws"


def test_keyed_on_the_id_the_row_stays_out_and_the_value_comes_back(tech, lead):
    held = rejected(tech, lead)
    with foil("id_keyed_tombstone"):
        assert outcome(lambda: lead.set_status(held, "active", "needed")) == "tombstone"
        assert outcome(lambda: tech.semantic.remember(CODE)) == "accepted"
    assert outcome(lambda: tech.episodic.log("observation", CODE)) == "tombstone"


def test_keyed_on_the_id_the_loops_propose_it_again(mem, tech, lead):
    rejected(tech, lead)
    seen = tech.episodic.log("observation", "somebody typed at the door").memory.memory_id
    model = ScriptedModel(json.dumps({"facts": [{"content": CODE, "evidence": [seen]}]}))
    with foil("id_keyed_tombstone"):
        assert len(tech.consolidate(model).proposed) == 1


def test_with_ascii_letters_one_chinese_text_stands_for_all(tech, lead):
    tech.semantic.remember("請等一下")
    with foil("ascii_fingerprint"):
        rejected(tech, lead, "電壓過高")
        assert contents(tech) == []  # the other one was withdrawn with it
        assert outcome(lambda: tech.semantic.remember("三號碼頭已關閉")) == "tombstone"
        assert outcome(lambda: tech.semantic.remember("Gate four sticks")) == "accepted"


def test_with_ascii_letters_an_accent_coded_otherwise_slips_through(tech, lead):
    with foil("ascii_fingerprint"):
        rejected(tech, lead, "The caf\u00e9 code is 4411")
        assert outcome(lambda: tech.semantic.remember("The cafe\u0301 code is 4411")) in (
            "accepted",
            "staged",
        )
    rejected(tech, lead, "The caf\u00e9 gate is shut")
    assert outcome(lambda: tech.semantic.remember("The cafe\u0301 gate is shut")) == "tombstone"


def test_what_was_edited_after_it_was_read_is_approved_under_the_foil_alone(mem, tech, lead):
    other = mem.person("night-lead", fleet="dock", tenant="northlight")
    for real in (True, False):
        tech.semantic.remember(f"Arm {int(real)} may restart after a check", source="web")
        read = lead.review.inbox()[0]
        other.review.edit(read.candidate_id, f"Arm {int(real)} may restart at once")
        if real:
            assert outcome(lambda read=read: lead.review.approve(read)) == "overtaken"
            lead.review.reject(read.candidate_id, "no")
        else:
            with foil("edit_slips_past"):
                assert lead.review.approve(read).memory.content == "Arm 0 may restart at once"


def test_what_was_rejected_since_it_was_proposed_is_approved_under_the_foil_alone(mem, tech, lead):
    tech.semantic.remember(CODE, source="web")
    waiting = lead.review.inbox()[0]
    rejected(tech, lead, f"{CODE}.")
    assert outcome(lambda: lead.review.approve(waiting.candidate_id)) == "tombstone"
    with foil("approve_without_gate"):
        assert outcome(lambda: lead.review.approve(waiting.candidate_id)) == "accepted"
    assert CODE in contents(tech)


# All of them


@pytest.mark.parametrize("name", NAMES)
def test_a_foil_that_was_on_has_changed_nothing(mem, tech, lead, name):
    rejected(tech, lead)
    tech.semantic.remember("gate four sticks")
    tech.semantic.remember("gate five sticks", source="web")
    before = everything(mem)
    with foil(name, mem):
        assert contents(tech) == ["gate four sticks"]
        assert [item.content for item in lead.review.inbox()] == ["gate five sticks"]
    assert everything(mem) == before
    assert outcome(lambda: tech.semantic.remember(CODE.upper())) == "tombstone"
    assert (
        outcome(lambda: lead.semantic.revise(tech.semantic.list()[0].memory_id, content=CODE)) == "tombstone"
    )
    mem.clock.advance(days=40)
    assert outcome(lambda: tech.episodic.log("observation", CODE)) == "tombstone"
    assert mem.audit.verify(deep=True).status == "complete"


def test_they_are_among_the_foils():
    assert set(NAMES) <= {item.name for item in foils()}
