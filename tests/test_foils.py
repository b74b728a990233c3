"""Every foil bites while it is on, and leaves no trace when it is off."""

from datetime import UTC, datetime, timedelta

import pytest

import teachmem
from teachmem.errors import InvalidInput
from teachmem.marks.foil import foil, foils

NOON = datetime(2026, 3, 15, 12, tzinfo=UTC)
WARNING = "do NOT restart the arm"


@pytest.fixture
def mem():
    with teachmem.open_memory(clock=teachmem.LessonClock(NOON), ids=teachmem.CountedIds()) as memory:
        yield memory


@pytest.fixture
def tech(mem):
    return mem.agent("dock-1", fleet="dock", tenant="northlight")


def test_the_shortener_loses_the_warning_that_the_kit_keeps(tech):
    words = " ".join(f"word{number}" for number in range(40))
    tech.working.write("arm", "observed", "brake", f"{words} {WARNING}")
    assert WARNING in str(tech.working.context())
    with foil("keyless_shortener"):
        assert WARNING not in str(tech.working.context())
    assert WARNING in str(tech.working.context())


def test_a_short_note_is_whole_even_under_the_shortener(tech):
    tech.working.write("arm", "observed", "brake", WARNING)
    with foil("keyless_shortener"):
        assert WARNING in str(tech.working.context())


def test_enrichment_is_shown_only_by_the_foil(tech):
    tech.working.write(
        "pads", "observed", "wear", "pad wear seen", rewrites={"enriched": "the supplier is at fault"}
    )
    assert "pad wear seen" in str(tech.working.context())
    with foil("enrichment_replaces_note"):
        assert "supplier" in str(tech.working.context())
        assert "pad wear seen" not in str(tech.working.context())
    assert "supplier" not in str(tech.working.context())


def test_one_long_row_at_the_head_empties_only_the_foiled_context(mem, tech):
    tech.working.write("arm", "observed", "brake", WARNING)
    mem.clock.advance(minutes=1)
    tech.working.write("log", "observed", "vibration", "it moved " * 500)
    assert len(tech.working.context(budget=100).lines) == 1
    with foil("stop_at_first_misfit"):
        assert str(tech.working.context(budget=100)) == ""
    assert len(tech.working.context(budget=100).lines) == 1


@pytest.fixture
def events(tech):
    def at(hours, content, importance=0.5):
        when = NOON - timedelta(hours=hours)
        return tech.episodic.log(
            "observation", content, importance=importance, happened_at=when
        ).memory.memory_id

    return {
        "menu": at(0.1, "soup on the menu in the canteen", 0.8),
        "exact": at(30, "gripper slipped at station four", 0.5),
        "old": at(300, "gripper slipped at station nine", 0.5),
        "日本": at(40, "把持部が箱を落とした", 0.5),
    }


def best(recollection):
    return recollection[0].memory.memory_id


def test_oldest_first_ranks_the_oldest_first(mem, tech, events):
    only_age = teachmem.Weights(recency=1, importance=0, relevance=0)
    assert best(tech.episodic.recall("gripper", weights=only_age)) == events["menu"]
    with foil("oldest_first", mem):
        assert best(tech.episodic.recall("gripper", weights=only_age)) == events["old"]
    assert best(tech.episodic.recall("gripper", weights=only_age)) == events["menu"]


def test_newest_wins_ignores_the_question_and_says_so_in_the_parts(mem, tech, events):
    only_relevance = teachmem.Weights(recency=0, importance=0, relevance=1)
    assert best(tech.episodic.recall("gripper slipped", weights=only_relevance)) in (
        events["exact"],
        events["old"],
    )
    with foil("newest_wins", mem):
        found = tech.episodic.recall("gripper slipped", weights=only_relevance)
        assert best(found) == events["menu"]
        assert found[0].parts["relevance"] == 0
    assert best(tech.episodic.recall("gripper slipped", weights=only_relevance)) != events["menu"]


def test_ascii_words_only_is_blind_to_another_script(mem, tech, events):
    def relevance():
        hits = {hit.memory.memory_id: hit for hit in tech.episodic.recall("把持部が箱", k=10)}
        return hits[events["日本"]].parts["relevance"]

    assert relevance() > 0
    with foil("ascii_words_only", mem):
        assert relevance() == 0
    assert relevance() > 0


def test_a_foil_ends_even_if_the_block_raises(tech):
    tech.working.write("arm", "observed", "brake", WARNING)
    with pytest.raises(RuntimeError), foil("stop_at_first_misfit"):
        raise RuntimeError
    assert tech.working.context().lines


def test_an_unknown_foil_is_refused_and_the_known_ones_named():
    with pytest.raises(InvalidInput, match="stop_at_first_misfit"), foil("no such fault"):
        pass


def test_every_foil_tells_what_is_seen_and_how_it_comes_about():
    assert len(foils()) >= 6
    for item in foils():
        assert item.seen.endswith(".")
        assert item.mechanism.endswith(".")
        assert item.name in str(item)
