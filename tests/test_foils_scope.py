"""The foils of time and scope bite while they are on, and leave no trace when they are off."""

import pytest
from helpers import opened

from teachmem.marks.foil import foil


@pytest.fixture
def mem():
    with opened() as memory:
        yield memory


def believed(mem, *foils):
    """Write and correct a fact; return what was believed before and after the correction."""
    tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
    fact = tech.semantic.remember("bay two is run by the night lead", subject="bay two", predicate="manager",
                                  object="night lead").memory.memory_id  # fmt: skip
    mem.clock.advance(days=1)
    then = mem.clock.now()
    mem.clock.advance(days=1)
    tech.semantic.revise(fact, content="bay two is run by the day lead", object="day lead")
    return [tech.semantic.get(fact, known_at=moment).object for moment in (then, None)]


def test_an_overwriting_correction_takes_the_past_with_it(mem):
    assert believed(mem) == ["night lead", "day lead"]
    with opened() as other, foil("correction_overwrites"):
        assert believed(other) == ["day lead", "day lead"]
    with opened() as third:
        assert believed(third) == ["night lead", "day lead"]


def test_the_copied_filter_leaks_in_one_path_and_only_there(mem):
    tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
    mate = mem.agent("dock-2", fleet="dock", tenant="northlight")
    far = mem.agent("line-3", fleet="line", tenant="northlight")
    private = tech.semantic.remember("the key hangs at bay two", subject="key", predicate="located_in",
                                     object="bay two", visibility="agent").memory  # fmt: skip
    shown = lambda who: [edge.memory.memory_id for edge in who.graph.neighbours("key")]  # noqa: E731
    assert (shown(tech), shown(mate), shown(far)) == ([private.memory_id], [], [])
    with foil("copied_filter"):
        assert (shown(tech), shown(mate), shown(far)) == ([private.memory_id], [private.memory_id], [])
        assert not mate.semantic.search("key")
        assert not mate.semantic.list()
    assert shown(mate) == []
