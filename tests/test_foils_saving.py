"""The foil of saving loses what another process was told is kept; without it nothing is lost."""

from datetime import UTC, datetime

import pytest
from helpers import everything, run_python

import teachmem
from teachmem.marks.foil import foil
from teachmem.recall.vectors import ExactIndex

NOON = datetime(2026, 3, 15, 12, tzinfo=UTC)
TABLES_OF_ROWS = ("memories", "audit", "audit_heads", "meta", "derivations", "requests", "candidates")
OTHER = """
import sys, teachmem
mem = teachmem.open_memory(sys.argv[1])
print(mem.agent("dock-2", fleet="dock", tenant="northlight").semantic.remember(sys.argv[2]).verdict)
mem.close()
"""


def opened(path):
    mem = teachmem.open_memory(path, clock=teachmem.LessonClock(NOON), vectors=ExactIndex())
    return mem, mem.agent("dock-1", fleet="dock", tenant="northlight")


def held(handle):
    return {memory.content for memory in handle.semantic.list()}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "facts.db"


def test_the_last_saver_wins_and_the_other_ones_fact_is_gone(path):
    (one, first), (two, second) = opened(path), opened(path)
    with one, two:
        first.semantic.remember("door three is open")
        with foil("whole_file_saver", one, two):
            assert held(first) == held(second) == {"door three is open"}  # each has read the file
            assert first.semantic.remember("lot 26-0131 is recalled").verdict == "accepted"
            assert second.semantic.remember("the mirror is clean").verdict == "accepted"
            assert held(first) == held(second) == {"door three is open", "the mirror is clean"}
            found = first.semantic.search("lot 26-0131 recalled", k=9)
            assert {hit.memory.content for hit in found} == held(first)
        assert one.audit.verify().status == "complete"  # the whole chain was replaced, not broken
        first.semantic.remember("lot 26-0131 is recalled")
        second.semantic.remember("the lamp is green")
        assert len(held(first)) == len(held(second)) == 4


def test_another_process_loses_its_fact_to_the_one_that_had_the_file_open(path):
    mem, tech = opened(path)
    with mem:
        tech.semantic.remember("door three is open")
        with foil("whole_file_saver", mem):
            held(tech)
            assert run_python(OTHER, path, "lot 26-0131 is recalled").strip() == "accepted"
            tech.semantic.remember("the mirror is clean")
        assert held(tech) == {"door three is open", "the mirror is clean"}
        assert run_python(OTHER, path, "lot 26-0131 is recalled").strip() == "accepted"
        tech.semantic.remember("the lamp is green")
        assert len(held(tech)) == 4


def test_a_saver_that_is_alone_loses_nothing_of_any_table(path):
    mem, tech = opened(path)
    with mem:
        old = tech.semantic.remember("door three is open", request_id="r1").memory.memory_id
        tech.semantic.remember("web text", source="web")
        tech.semantic.remember("a rule", evidence=[old])
        before = everything(mem)
        assert set(before) >= set(TABLES_OF_ROWS)
        with foil("whole_file_saver", mem):
            held(tech)
            tech.semantic.revise(old, content="door three is shut")
            tech.working.write("door-3", "observed", "shut", "door three is shut")
            with pytest.raises(teachmem.MemoryRefused):
                tech.semantic.remember("x", predicate="eats", subject="a", object="b")
        after = everything(mem)
        for name in TABLES_OF_ROWS:
            assert len(after[name]) >= len(before[name])
        assert mem.audit.verify().status == "complete"
        assert held(tech) == {"door three is shut", "a rule"}
