"""A rejected value: in no spelling, by nobody, in its own fleets; what only looks like it passes."""

from datetime import timedelta
from itertools import product

import pytest
from helpers import START, connection, opened, refusal
from spellings import spellings

import teachmem
from teachmem import CountedIds, InvalidInput, LessonClock, MemoryRefused, NotFound
from teachmem.rules import alike, tombstone

VALUE = "The café door code is ﬁxed at 4411"


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


@pytest.fixture
def steward(mem):
    return mem.person("safety-officer", fleet="office", tenant="northlight", clearance=3)


def rejected(tech, lead, content=VALUE, **words):
    receipt = tech.semantic.remember(content)
    lead.semantic.reject(receipt.memory.memory_id, "never share codes", **words)
    return lead.tombstones()[0]


VARIANTS = spellings(VALUE)


def test_a_hundred_spellings_of_a_rejected_value_are_refused(mem, tech, lead):
    rejected(tech, lead)
    assert len(VARIANTS) >= 100
    for text in VARIANTS:
        error = refusal(mem, lambda text=text: tech.semantic.remember(text))
        assert error.receipt.steps[-1].check == "tombstone", text


LOOK_ALIKES = [
    *(f"The café door code is fixed at {number}" for number in range(4412, 4460)),
    *(f"The café door code is fixed at {number}4411" for number in range(1, 20)),
    *(f"The {place} door code is fixed at 4411" for place in "dock hall yard lab line gate roof bay".split()),
    *(
        f"The café {thing} code is fixed at 4411"
        for thing in "window locker safe cabinet fridge till".split()
    ),
    *(f"The café door {what} is fixed at 4411" for what in "bell number frame height budget lamp".split()),
    *(f"The café door code is {what} at 4411" for what in "ending starting printed refused sold".split()),
    *(f"The café door code is {no} fixed at 4411" for no in ("not", "never", "no longer", "neither")),
    "The café door code isn't fixed at 4411",
    "The café door code isn’t fixed at 4411",
    "Nobody has the café door code fixed at 4411",
    *(f"The café door code is fixed at 4411{unit}" for unit in ("%", ".5", "-7", "A")),
    "The café door code is fixed at -4411",
    "The café door code is fixed at 4411 and the second one at 4412",
    "The café door code is fixed",
    "Is there a code?",
    "кафе",
    "门禁密码是4411",
]


def test_a_hundred_texts_that_only_look_like_it_pass(tech, lead):
    rejected(tech, lead)
    assert len(set(LOOK_ALIKES)) >= 100
    for text in LOOK_ALIKES:
        assert tech.semantic.remember(text).verdict == "accepted", text


NEAR = [
    "4411 is the code at which the café door is fixed",
    "The café doors codes are fixed at 4411",
    "Please: the café-door code is fixed at 4411",
    "The cafe\u0301 d\u043e\u043er code is fixed at 4411",  # letters of another script that look the same
]


@pytest.mark.parametrize("text", NEAR)
def test_what_is_nearly_it_waits_for_a_person_with_the_rejected_one_beside_it(tech, lead, text):
    stone = rejected(tech, lead)
    receipt = tech.semantic.remember(text)
    assert receipt.verdict == "staged"
    assert VALUE not in str(receipt)
    (waiting,) = lead.review.inbox()
    assert waiting.content == text
    assert waiting.beside == (stone,)


@pytest.mark.parametrize("text", ["مفتاح الباب", "门禁密码", "रास्ता बंद है", "ประตู", "?!", "🔑", "Δρόμος"])
def test_a_value_in_any_script_has_a_print_of_its_own(mem, tech, lead, text):
    rejected(tech, lead, text)
    refusal(mem, lambda: tech.semantic.remember(f" {text} "))
    assert tech.semantic.remember(text + text).verdict in ("accepted", "staged")


def test_the_claim_is_rejected_too_in_whatever_words(mem, tech, lead):
    triple = {"subject": "Bay two", "predicate": "manager", "object": "night lead"}
    said = tech.semantic.remember("The night lead runs bay two", **triple)
    lead.semantic.reject(said.memory.memory_id, "left the company")
    refusal(
        mem,
        lambda: tech.semantic.remember(
            "Ask the night lead about bay two", subject="bay  TWO", predicate="manager", object="Night lead"
        ),
    )
    other = {**triple, "object": "day lead"}
    assert tech.semantic.remember("Ask the day lead about bay two", **other).verdict == "accepted"
    note = tech.working.write("Bay two", "observed", "night lead", "the night lead was seen in bay two")
    assert note.verdict == "accepted"


def test_every_live_copy_in_the_fleet_goes_whatever_its_tier(mem, tech, lead):
    other = mem.agent("dock-2", fleet="dock", tenant="northlight")
    other.semantic.remember(VALUE.upper())
    tech.working.write("door", "observed", "code", VALUE)
    tech.episodic.log("observation", VALUE)
    there = mem.agent("line-1", fleet="line", tenant="northlight").semantic.remember(VALUE)
    rejected(tech, lead)
    assert not tech.semantic.list()
    assert not tech.working.read()
    assert not tech.episodic.recent()
    assert mem.agent("line-1", fleet="line", tenant="northlight").semantic.get(there.memory.memory_id)
    assert mem.audit.verify().status == "complete"


@pytest.mark.parametrize("door", ["note", "event", "rewrite"])
def test_other_tiers_and_rewrites_are_held_to_it(mem, tech, lead, door):
    rejected(tech, lead)
    doors = {
        "note": lambda: tech.working.write("door", "observed", "code", VALUE),
        "event": lambda: tech.episodic.log("observation", VALUE),
        "rewrite": lambda: tech.working.write(
            "door", "observed", "code", "see the card", rewrites={"shortened": VALUE}
        ),
    }
    refusal(mem, doors[door])


def test_a_rejection_in_one_fleet_leaves_another_alone_unless_it_is_made_for_all(mem, tech, lead, steward):
    line = mem.agent("line-1", fleet="line", tenant="northlight")
    stone = rejected(tech, lead)
    there = line.semantic.remember(VALUE)
    assert there.verdict == "accepted"
    with pytest.raises(InvalidInput, match="clearance 3"):
        lead.semantic.reject(stone.evidence[0], "again", fleets="all")
    steward.semantic.reject(there.memory.memory_id, "nowhere", fleets="all")
    error = refusal(mem, lambda: line.semantic.remember(VALUE))
    refusal(mem, lambda: mem.agent("lab-1", fleet="lab", tenant="northlight").semantic.remember(VALUE))
    assert not any(word in str(error) for word in ("office", "safety-officer", "nowhere", "tombstone-"))
    other = mem.agent("dock-1", fleet="dock", tenant="southgate")
    assert other.semantic.remember(VALUE).verdict == "accepted"
    with pytest.raises(MemoryRefused, match="clearance 3"):
        lead.lift(lead.tombstones()[0].tombstone_id, "mine alone")


def test_nobody_is_told_of_a_tombstone_that_they_cannot_see(mem, tech, lead):
    """An agent's text for every fleet waits for a person anyway; the person is told, the agent is not."""
    rejected(tech, lead)
    line = mem.agent("line-1", fleet="line", tenant="northlight")
    assert line.semantic.remember(VALUE, visibility="org").verdict == "staged"
    wide = mem.person("manager", fleet="line", tenant="northlight", clearance=2)
    refusal(mem, lambda: wide.semantic.remember(VALUE, visibility="org"))
    assert mem.person("line-lead", fleet="line", tenant="northlight").tombstones() == []


def test_a_moratorium_is_called_one_ends_and_is_announced_and_kept(mem, tech, lead):
    stone = rejected(tech, lead, until=mem.clock.now() + timedelta(days=2))
    assert (stone.name, stone.state) == ("moratorium", "standing")
    assert "moratorium" in str(refusal(mem, lambda: tech.semantic.remember(VALUE)))
    assert lead.review.inbox() == []
    mem.clock.advance(days=2)
    (item,) = lead.review.inbox()
    assert (item.candidate_id, item.state) == (stone.tombstone_id, "moratorium ended")
    assert "never share codes" in item.reason
    assert "nothing that you may see has changed since" in item.changes
    assert tech.semantic.remember(VALUE).verdict == "accepted"
    assert lead.tombstones()[0].state == "lapsed"
    with pytest.raises(MemoryRefused, match="lapsed"):
        lead.lift(stone.tombstone_id, "too late")


def test_the_end_of_a_moratorium_tells_what_has_changed_since(mem, tech, lead):
    claim = {"subject": "bay two", "predicate": "manager"}
    said = tech.semantic.remember("The night lead runs bay two", **claim, object="night lead")
    end = mem.clock.now() + timedelta(days=2)
    lead.semantic.reject(said.memory.memory_id, "not before the audit", end)
    mem.clock.advance(days=1)
    tech.semantic.remember("The day lead runs bay two", **claim, object="day lead")
    mem.clock.advance(days=1)
    (item,) = lead.review.inbox()
    assert any("The day lead runs bay two" in change for change in item.changes)
    assert item.evidence[0].content == "The night lead runs bay two"


@pytest.mark.parametrize("until", [timedelta(0), timedelta(days=-1)])
def test_an_end_that_has_passed_is_refused(mem, tech, lead, until):
    receipt = tech.semantic.remember(VALUE)
    end = mem.clock.now() + until
    error = refusal(mem, lambda: lead.semantic.reject(receipt.memory.memory_id, "x", end))
    assert "until" in str(error)


def test_lifting_needs_a_person_of_the_fleet_and_a_reason_and_is_kept(mem, tech, lead):
    stone = rejected(tech, lead)
    stranger = mem.person("line-lead", fleet="line", tenant="northlight")
    with pytest.raises(NotFound):
        stranger.lift(stone.tombstone_id, "mine")
    with pytest.raises(InvalidInput):
        lead.lift(stone.tombstone_id, " ")
    lifted = lead.lift(stone.tombstone_id, "the code was changed")
    assert (lifted.state, lifted.lifted_by) == ("lifted", "shift-lead")
    assert lead.tombstones() == [lifted]
    assert tech.semantic.remember(VALUE).verdict == "accepted"
    with pytest.raises(MemoryRefused, match="lifted"):
        lead.lift(stone.tombstone_id, "again")


def test_only_a_person_rejects_and_only_what_is_theirs_to_change(mem, tech, lead, steward):
    private = tech.semantic.remember("my shorthand", visibility="agent").memory.memory_id
    assert not hasattr(tech, "tombstones")
    assert not hasattr(tech.semantic, "reject")
    with pytest.raises(NotFound):
        lead.semantic.reject(private, "x")
    with pytest.raises(NotFound):
        mem.person("line-lead", fleet="line", tenant="northlight").semantic.reject(private, "x")
    wide = mem.person("manager", fleet="dock", tenant="northlight", clearance=2)
    text = wide.semantic.remember("all hands meet at noon", visibility="org").memory.memory_id
    with pytest.raises(MemoryRefused, match="not yours"):
        lead.semantic.reject(text, "x")
    steward.semantic.reject(text, "x")
    assert steward.tombstones()[0].fleets == ()


def test_each_act_has_one_entry_with_the_person_and_none_of_their_words(mem, tech, lead):
    before = mem.audit.verify().entries
    stone = rejected(tech, lead)
    lead.lift(stone.tombstone_id, "walrus onyx")
    with connection(mem) as raw:
        bodies = [row[0] for row in raw.execute("SELECT body FROM audit ORDER BY seq")][before:]
    assert len(bodies) == 3  # remember, reject, lift
    assert all('"name":"shift-lead","role":"person"' in body for body in bodies[1:])
    assert not any(word in body for body in bodies for word in ("café", "never share", "walrus"))
    assert mem.audit.verify().status == "complete"


def test_a_print_needs_the_tenants_key(mem, tech, lead):
    stone = rejected(tech, lead, "4411")
    with connection(mem) as raw:
        key, kept = raw.execute("SELECT key, value_print FROM tombstones").fetchone()
    assert kept == tombstone.value_print(key, "4411") != tombstone.value_print("00" * 32, "4411")
    assert len(bytes.fromhex(key)) == 32
    assert stone.content == "4411"


def test_nearness_is_the_same_both_ways_and_whole_for_a_text_itself():
    texts = [VALUE, *LOOK_ALIKES, *NEAR]
    for one, other in product(map(alike.gist, texts), repeat=2):
        assert alike.nearness(one, other) == alike.nearness(other, one)
        assert alike.nearness(one, one) in (0.0, 1.0)


def test_an_erased_value_stays_out_and_its_tombstone_can_still_be_lifted(mem, tech, lead, steward):
    """What is left are the prints: the spelling does not matter, nearness is gone with the words."""
    stone = rejected(tech, lead, "The door code is 4411")
    steward.forget(stone.evidence[0], "asked to")
    with connection(mem) as raw:
        assert not any("4411" in repr(row) for row in raw.execute("SELECT * FROM tombstones").fetchall())
    refusal(mem, lambda: tech.semantic.remember("the DOOR code is 4411."))
    assert tech.semantic.remember("4411 is the code of the doors").verdict == "accepted"
    (bare,) = lead.tombstones()
    assert (bare.content, bare.reason, bare.state) == (None, None, "standing")
    assert "erased text" in str(bare)
    lead.lift(stone.tombstone_id, "the code was changed")
    assert tech.semantic.remember("The door code is 4411").verdict == "accepted"
    assert mem.audit.verify(deep=True).status == "complete"


def test_a_moratorium_on_an_erased_value_ends_and_is_made_anew(mem, tech, lead, steward):
    stone = rejected(tech, lead, "The door code is 4411", until=mem.clock.now() + timedelta(days=1))
    steward.forget(stone.evidence[0], "asked to")
    mem.clock.advance(days=1)
    (item,) = lead.review.inbox()
    assert item.content == ""
    lead.review.reject(item, "still not")
    refusal(mem, lambda: tech.semantic.remember("The door code is 4411"))


class Talker:
    """An enricher that repeats what was rejected, whatever it is shown."""

    name = "talker"

    def suggest(self, content, kinds):
        return {
            "title": "the DOOR code is 4411",
            "tags": ["door", "zebra"],
            "triple": ["bay 2", "manager", "ghost"],
        }


def test_a_suggestion_does_not_bring_a_rejected_value_back():
    with teachmem.open_memory(clock=LessonClock(START), ids=CountedIds(), enricher=Talker()) as mem:
        tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
        lead = mem.person("shift-lead", fleet="dock", tenant="northlight")
        before = tech.semantic.remember("The yard is wide").memory.detail["enriched"]
        assert before["title"] == "the DOOR code is 4411"
        rejected(tech, lead, "The door code is 4411")
        rejected(tech, lead, "Zebra")
        claim = {"subject": "bay 2", "predicate": "manager", "object": "ghost"}
        held = tech.semantic.remember("a ghost runs bay 2", **claim).memory.memory_id
        lead.semantic.reject(held, "there is none")
        receipt = tech.semantic.remember("The yard is narrow")
        after = receipt.memory.detail["enriched"]
        assert "title" not in after
        assert "triple" not in after
        assert after["tags"] == ["door"]
        assert after["inferred"] == ["tags"]
        assert any(step.check == "tombstone" and "left out" in step.reason for step in receipt.steps)
        other = mem.agent("line-1", fleet="line", tenant="northlight").semantic.remember("The yard is narrow")
        assert other.memory.detail["enriched"]["title"] == "the DOOR code is 4411"


def test_a_rejected_insight_is_not_found_again(mem, tech, lead):
    claim = {"subject": "bay two", "predicate": "manager"}
    tech.semantic.remember("The night lead runs bay two", **claim, object="night lead")
    mate = mem.agent("dock-2", fleet="dock", tenant="northlight")
    mate.semantic.remember("The day lead runs bay two", **claim, object="day lead")
    (found,) = tech.insights("contradictions")
    lead.semantic.reject(found.memory_id, "both do")
    assert tech.insights("contradictions") == []
    assert mem.audit.verify(deep=True).status == "complete"
