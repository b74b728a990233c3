"""The scope benchmark reads what it says, by the indexes that it names."""

import pytest
from helpers import opened

from teachmem import bench
from teachmem.bench import plans, scope


def test_the_report_has_every_read_at_every_size():
    report = bench.run("scope", [20, 60], 2)
    reads = {row[0] for row in report.rows}
    ours = {*"get list stats recent edges recall search".split(), "get, known_at", "list, known_at"}
    assert reads == {*ours, "bare get", "bare loop"}
    assert report.columns[1:3] == ("20 others, ms", "60 others, ms")
    assert all(row[-1] for row in report.rows)
    assert report.as_json()["own"] == scope.OWN


@pytest.mark.parametrize("clearance", [1, 2])
def test_every_read_of_a_scope_is_served_by_an_index_and_no_row_outside_is_looked_at(clearance):
    with opened() as mem:
        tech = mem.agent("dock-1", fleet="dock", tenant="northlight", clearance=clearance)
        tech.semantic.remember("the key hangs here", subject="key", predicate="located_in", object="here")
        now = mem.clock.now()
        reads = {
            "list": lambda: tech.semantic.list(),
            "stats": lambda: tech.semantic.stats(),
            "recent": lambda: tech.episodic.recent(3),
            "edges": lambda: tech.graph.edges(),
            "notes": lambda: tech.working.read(),
        }
        for name, read in reads.items():
            assert plans.indexes(mem, read) == ("by_address",), name
        assert set(plans.indexes(mem, lambda: tech.semantic.list(known_at=now))) <= {
            "by_address", "sqlite_autoindex_memories_1"
        }  # fmt: skip
        assert plans.indexes(mem, lambda: tech.semantic.list(limit=1, kind="fact")) == ("by_address",)
        assert plans.indexes(mem, lambda: tech.keystones()) == ("by_keystone",)


def test_a_read_that_walks_the_table_says_so():
    from sqlalchemy import select

    from teachmem.ledger.database import Prepared
    from teachmem.ledger.schema import memories

    everything = Prepared(select(memories.c.content))
    with opened() as mem:

        def read():
            with mem._database.read() as tx:
                tx.all(everything)

        assert plans.indexes(mem, read) == ("(no index)",)


def test_the_latest_events_are_the_same_by_either_way_to_find_them(monkeypatch):
    from teachmem.rules import admissible

    with opened() as mem:
        tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
        mate = mem.agent("line-3", fleet="line", tenant="northlight")
        for number in range(12):
            (tech, mate)[number % 2].episodic.log("observation", f"gate {number}")
            mem.clock.advance(minutes=1)
        few = tech.episodic.recent(4)
        used = plans.indexes(mem, lambda: tech.episodic.recent(4))
        monkeypatch.setattr(admissible, "FEW", 2)
        admissible._more_than_few.cache_clear()
        many = tech.episodic.recent(4)
        assert plans.indexes(mem, lambda: tech.episodic.recent(4)) != used
        admissible._more_than_few.cache_clear()
    assert few == many
    assert len(few) == 4
