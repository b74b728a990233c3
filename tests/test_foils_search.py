"""The foils of search bite while they are on, and leave no trace when they are off."""

from datetime import UTC, datetime

import numpy as np
import pytest

import teachmem
from teachmem.marks.foil import foil
from teachmem.recall.vectors import ExactIndex

NOON = datetime(2026, 3, 15, 12, tzinfo=UTC)
RIGHT = "Pad HX-2270 is the soft foam pad of the training gripper."
NEAR = "Pads HX-2207, HX-2207 and HX-2207 again: lot is fit for use."


def opened(url=":memory:", **more):
    clock = teachmem.LessonClock(NOON)
    return teachmem.open_memory(url, clock=clock, vectors=ExactIndex(), **more)


def dock(mem):
    return mem.agent("dock-1", fleet="dock", tenant="northlight")


@pytest.fixture
def mem():
    with opened(ids=teachmem.CountedIds()) as memory:
        yield memory


@pytest.fixture
def tech(mem):
    return dock(mem)


class ByLetter:
    """Puts what speaks of HX-2207 next to a question about HX-2270, as word vectors do."""

    name = "by letter"
    dimensions = 2

    def embed(self, texts):
        near = {NEAR: (1.0, 0.0), "HX-2270": (1.0, 0.0), RIGHT: (0.6, 0.8)}
        other = {0: (0.9, 0.43589), 1: (0.8, 0.6), 2: (0.7, 0.71414)}
        return np.array([near.get(one, other[len(one) % 3]) for one in texts], dtype=np.float32).reshape(
            -1, 2
        )


def test_by_ranks_alone_a_clear_winner_in_one_list_loses():
    with opened(ids=teachmem.CountedIds(), embedder=ByLetter()) as mem:
        tech = dock(mem)
        for content in (RIGHT, NEAR, "hinge", "mirrors", "lamps in hx"):
            tech.semantic.remember(content)
        honest = tech.semantic.search("HX-2270", k=5)
        assert honest[0].memory.content == RIGHT
        with foil("rrf_sixty", mem):
            found = tech.semantic.search("HX-2270", k=5)
            assert found[0].memory.content == NEAR
            for hit in found:
                due = {name: 1 / (60 + hit.ranks[name]) if name in hit.ranks else 0.0 for name in hit.parts}
                assert dict(hit.parts) == due
                assert hit.score == sum(hit.parts.values())
        after = tech.semantic.search("HX-2270", k=5)
        assert [(hit.memory.memory_id, hit.parts) for hit in after] == [
            (hit.memory.memory_id, hit.parts) for hit in honest
        ]


def test_by_ranks_alone_every_fact_is_still_returned_once(tech):
    for number in range(12):
        tech.semantic.remember(f"station {number} has belt {number % 4}")
    with foil("rrf_sixty"):
        found = [hit.memory.memory_id for hit in tech.semantic.search("belt at station 3", k=50)]
    assert len(found) == len(set(found)) == 12
    assert tech.semantic.search("qqq", k=1)[0].score <= 1


def contents(handle, question):
    return {hit.memory.content for hit in handle.semantic.search(question, k=9)}


def test_a_stale_index_does_not_see_what_came_after_its_first_question(tmp_path):
    with opened(tmp_path / "facts.db") as one, opened(tmp_path / "facts.db") as two:
        first, second = dock(one), dock(two)
        first.semantic.remember("the mirror is clean")
        with foil("stale_index"):
            assert contents(second, "mirror") == {"the mirror is clean"}
            first.semantic.remember("lot 26-0131 is recalled")
            assert contents(second, "lot 26-0131") == {"the mirror is clean"}
        assert contents(second, "lot 26-0131") == {"the mirror is clean", "lot 26-0131 is recalled"}
        assert contents(first, "lot 26-0131") == {"the mirror is clean", "lot 26-0131 is recalled"}


def test_a_stale_index_is_stale_for_events_too(mem, tech):
    tech.episodic.log("observation", "belt three squeaks")
    with foil("stale_index"):
        assert len(tech.episodic.recall("belt")) == 1
        tech.episodic.log("observation", "belt four squeaks")
        assert len(tech.episodic.recall("belt")) == 1
    assert len(tech.episodic.recall("belt")) == 2


def test_even_a_stale_index_never_shows_what_was_retracted(tech):
    """The table decides: staleness loses what is new, it does not bring back what is gone."""
    old = tech.semantic.remember("lot 26-0131 is fit for use").memory.memory_id
    with foil("stale_index"):
        assert contents(tech, "lot") == {"lot 26-0131 is fit for use"}
        tech.semantic.retract(old, "recalled")
        assert contents(tech, "lot") == set()


def test_a_store_given_to_the_foil_is_built_anew_when_it_ends(mem, tech):
    tech.semantic.remember("the mirror is clean")
    with foil("stale_index", mem):
        assert contents(tech, "mirror") == {"the mirror is clean"}
        tech.semantic.remember("the lamp is green")
        assert contents(tech, "lamp") == {"the mirror is clean"}
    assert contents(tech, "lamp") == {"the mirror is clean", "the lamp is green"}
    assert mem.audit.verify().status == "complete"
