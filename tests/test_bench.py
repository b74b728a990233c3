"""The benchmark measures what it says on a store that is like any other; its figures are nobody's test."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import oracle
import pytest
import watch
from helpers import opened

import teachmem
from teachmem import InvalidInput, bench
from teachmem.bench import audit, fill, server
from teachmem.bench.measure import Timing
from teachmem.clock import LessonClock, from_micros, to_micros
from teachmem.recall.embed import HashingEmbedder

WHO = fill.Principal("northlight", "dock", "dock-1")


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "store.db")


def test_a_filled_store_verifies_and_holds_what_was_made(path):
    made = fill.events(2_500)
    ids = fill.fill(path, WHO, made)
    with opened(path, fill.END) as mem:
        report = mem.audit.verify()
        assert (report.status, report.entries) == ("complete", 3)
        rows = {row["memory_id"]: row for row in oracle.rows(mem)}
        assert len(rows) == len(ids) == 2_500
        for memory_id, event in zip(ids, made, strict=True):
            row = rows[memory_id]
            assert row["content"] == event.content
            assert (row["importance"], row["valid_from"]) == (event.importance, event.happened_at)


def test_a_filled_row_is_what_the_gate_would_have_written(path, tmp_path):
    (event,) = fill.events(1)
    fill.fill(path, WHO, [event])
    with opened(path, fill.END) as filled, opened(tmp_path / "other.db", fill.END) as logged:
        words = {
            "importance": event.importance,
            "happened_at": from_micros(event.happened_at),
            "session": event.session,
        }
        for mem in (filled, logged):
            tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
            receipt = tech.episodic.log("observation", event.content, **words)
        assert receipt.verdict == "accepted"
        (one,), (other,) = oracle.rows(filled), oracle.rows(logged)
        by_chance = {"memory_id", "salt", "content_digest"}
        assert {name: one[name] for name in one.keys() - by_chance} == {
            name: other[name] for name in other.keys() - by_chance
        }


def test_the_same_seed_makes_the_same_texts():
    assert fill.events(50) == fill.events(50)
    assert fill.events(50) != fill.events(50, seed=9)
    assert fill.questions(fill.events(50), 5) == fill.questions(fill.events(50), 5)
    happened = [event.happened_at for event in fill.events(50)]
    assert happened == sorted(happened)
    assert happened[-1] < to_micros(fill.END)


def test_a_run_reports_every_size_and_agrees_with_the_loop():
    report = bench.run("recall", [30, 400], 4)
    told = report.as_json()
    assert json.loads(json.dumps(told, allow_nan=False)) == json.loads(json.dumps(told))
    assert [size["events"] for size in told["sizes"]] == [30, 400]
    assert all(size["same_ids"] == size["asked"] == 4 for size in told["sizes"])
    lines = report.lines()
    assert all(len(line) <= 160 for line in lines)
    assert lines[0].split()[:2] == ["events", "recall"]
    assert lines[2].split()[0] == "30"
    assert lines[3].split()[0] == "400"
    assert "4 of 4" in lines[2]


def test_filled_facts_are_what_the_gate_would_have_written(path, tmp_path):
    (event,) = fill.events(1)
    fill.fill_facts(path, [(WHO, "plan", [event])], HashingEmbedder())
    with (
        teachmem.open_memory(path, clock=LessonClock(fill.END), embedder=HashingEmbedder()) as filled,
        teachmem.open_memory(
            tmp_path / "other.db", clock=LessonClock(fill.END), embedder=HashingEmbedder()
        ) as other,
    ):
        tech = other.agent("dock-1", fleet="dock", tenant="northlight")
        since = from_micros(event.happened_at)
        tech.semantic.remember(event.content, kind="plan", valid_from=since)
        (one,), (two,) = oracle.rows(filled), oracle.rows(other)
        assert set(json.loads(two["detail"])) == {"enriched"}  # suggestions, which the filler leaves out
        other_wise = {"memory_id", "salt", "content_digest", "detail"}
        assert {name: one[name] for name in one.keys() - other_wise} == {
            name: two[name] for name in two.keys() - other_wise
        }
        assert filled.audit.verify().status == "complete"


def test_a_search_run_measures_every_way_and_its_answers_are_near_the_exact_ones():
    report = bench.run("search", [60, 300], 4)
    told = report.as_json()
    assert json.loads(json.dumps(told, allow_nan=False)) == json.loads(json.dumps(told))
    for size in told["sizes"]:
        ways = {way["name"]: way for way in size["ways"]}
        assert set(ways) >= {
            "search",
            "search, one kind",
            "search, small fleet",
            "search, early moment",
            "numpy",
        }
        assert all(way["timing"]["runs"] == 4 for way in ways.values())
        for name in ("search, one kind", "search, small fleet", "search, early moment"):
            assert ways[name]["exact"] == 1  # few are left, and all of them are looked at
        assert min(way["exact"] for way in ways.values()) >= 0.9
    assert all(len(line) <= 160 for line in report.lines())


@pytest.mark.parametrize(
    ("name", "sizes", "queries", "field"),
    [
        ("speed", [10], 1, "name"),
        ("recall", [], 1, "sizes"),
        ("recall", [10, 0], 1, "sizes"),
        ("recall", [10], 0, "queries"),
    ],
)
def test_a_run_that_cannot_be_is_refused(name, sizes, queries, field):
    with pytest.raises(InvalidInput) as refused:
        bench.run(name, sizes, queries)
    assert refused.value.field == field


def test_a_timing_sums_up():
    assert (
        *("recall", "search", "audit", "write", "scope", "context", "consolidate", "server", "import"),
    ) == bench.NAMES
    timing = Timing.of([float(number) for number in range(1, 101)])
    assert (timing.median, timing.p95, timing.runs) == (50.5, 95, 100)


def test_an_audit_run_measures_every_way_on_a_chain_that_holds():
    with watch.asleep():
        report = bench.run("audit", [60], 3)
    (row,) = report.as_json()["rows"]
    assert row["entries"] == 60
    assert min(row.values()) > 0
    assert all(len(line) <= 160 for line in report.lines())


def test_the_plain_verifiers_of_the_audit_run_come_to_the_same_head(path):
    fill.fill(path, WHO, fill.events(20), an_act=1)
    with teachmem.open_memory(path) as mem:
        head = mem.audit.verify("northlight").head
        assert mem.audit.verify().entries == 20
    with closing(sqlite3.connect(path)) as raw:
        bodies = [row[0].encode() for row in raw.execute("SELECT body FROM audit ORDER BY seq")]
    found = {audit.bare(bodies), audit.by_json(Path(path)), audit.least(Path(path))}
    assert {one.hex() for one in found} == {head}


def test_a_server_run_calls_both_servers_by_turns(monkeypatch):
    monkeypatch.setattr(server, "STARTS", 1)
    report = bench.run("server", sizes=[3], queries=2)
    assert [row[1] for row in report.rows] == ["start-up", "list", "search", "remember"]
    (row,) = report.as_json()["rows"]
    assert row["facts"] == 3
    assert {name: took["runs"] for name, took in row["calls"].items()} == {
        "list": 2,
        "search": 2,
        "remember": 2,
    }
    assert row["bare"]["runs"] == 2
    assert min(row["start"], row["bare_start"], *(took["median"] for took in row["calls"].values())) > 0
