"""The event log: what happened last, since when, and how much of what."""

from __future__ import annotations

from collections import Counter
from datetime import datetime, timedelta

import oracle
import pytest
from helpers import START, opened
from hypothesis import given, settings
from hypothesis import strategies as st

from teachmem import Draft, InvalidInput, MemoryRefused
from teachmem.bench import fill
from teachmem.clock import to_micros

MINUTE = timedelta(minutes=1)


@pytest.fixture
def mem():
    with opened() as store:
        yield store


@pytest.fixture
def tech(mem):
    return mem.agent("dock-1", fleet="dock", tenant="northlight")


def said(events):
    return [event.content for event in events]


def test_since_returns_all_of_seven_hundred(tmp_path):
    made = [fill.Event(f"event {n}", 0.5, to_micros(START + n * MINUTE), f"s{n % 3}") for n in range(700)]
    path = str(tmp_path / "store.db")
    who = fill.Principal("northlight", "dock", "dock-1")
    fill.fill(path, who, made)
    with opened(path, START + 700 * MINUTE) as mem:
        tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
        assert said(tech.episodic.since(START)) == [f"event {n}" for n in reversed(range(700))]
        assert len(tech.episodic.since(START + MINUTE)) == 699
        assert said(tech.episodic.recent(3)) == ["event 699", "event 698", "event 697"]
        assert said(tech.episodic.recent(2, session="s0")) == ["event 699", "event 696"]
        assert len(tech.episodic.recent(10**30)) == 700
        stats = tech.episodic.stats()
        assert stats["events"] == 700
        assert stats["kinds"] == {"observation": 700}
        assert stats["sessions"] == {"s0": 234, "s1": 233, "s2": 233}
        assert (stats["oldest"], stats["newest"]) == (START, START + 699 * MINUTE)


@settings(max_examples=50)
@given(
    st.lists(
        st.tuples(st.integers(-5, 5), st.sampled_from(["s1", "s2"]), st.sampled_from(["team", "agent"])),
        max_size=15,
    ),
    st.integers(-6, 6),
    st.sampled_from([None, "s1", "s2"]),
    st.integers(1, 20),
)
def test_recent_and_since_equal_a_sort_of_every_row(logged, since, session, n):
    with opened() as mem:
        agents = [mem.agent(name, fleet="dock", tenant="northlight") for name in ("dock-1", "dock-2")]
        for number, (hours, where, visibility) in enumerate(logged):
            agents[number % 2].episodic.log(
                "observation",
                f"event {number}",
                where,
                happened_at=START + timedelta(hours=hours),
                visibility=visibility,
            )
        now = to_micros(START)
        rows = [
            row
            for row in oracle.rows(mem)
            if oracle.believable(row, agents[0].principal, now, None, "episodic")
            and session in (None, row["session"])
        ]
        rows.sort(key=lambda row: (-row["valid_from"], -row["seq"], row["memory_id"]))
        ids = [row["memory_id"] for row in rows]
        earliest = START + timedelta(hours=since)
        later = [row["memory_id"] for row in rows if row["valid_from"] >= to_micros(earliest)]
        assert [event.memory_id for event in agents[0].episodic.recent(n, session)] == ids[:n]
        assert [event.memory_id for event in agents[0].episodic.since(earliest, session)] == later
        told = agents[0].episodic.stats()
        believed = agents[0].episodic.recent(100)
        assert told["events"] == len(believed)
        assert told["sessions"] == Counter(event.session for event in believed)
        assert told["oldest"] == min((event.happened_at for event in believed), default=None)
        assert told["newest"] == max((event.happened_at for event in believed), default=None)


def test_of_events_of_one_moment_the_one_logged_last_is_the_most_recent(tech):
    for number in range(3):
        tech.episodic.log("observation", f"event {number}")
    assert said(tech.episodic.recent(1)) == ["event 2"]


def test_the_past_is_asked_for_by_its_own_time(mem, tech):
    tech.episodic.log("observation", "first")
    mem.clock.advance(hours=1)
    tech.episodic.log("observation", "second")
    tech.episodic.log("observation", "told late", happened_at=START)
    assert said(tech.episodic.recent(9, at=START)) == ["told late", "first"]
    assert said(tech.episodic.recent(9, known_at=START)) == ["first"]
    assert tech.episodic.stats(known_at=START - MINUTE) == {
        "events": 0,
        "kinds": {},
        "sessions": {},
        "oldest": None,
        "newest": None,
    }


def test_an_expired_event_is_gone_though_nobody_swept(mem, tech):
    mem._kit.gate.write(
        tech.principal,
        Draft(
            tier="episodic", kind="observation", content="gate open", session="s1", expires_at=START + MINUTE
        ),
    )
    assert len(tech.episodic.recent(5)) == 1
    mem.clock.advance(minutes=1)
    assert not tech.episodic.recent(5)
    assert not tech.episodic.recall("gate")
    assert tech.episodic.stats()["events"] == 0


@pytest.mark.parametrize("n", [0, -1, True, 1.0, "3", None])
def test_n_is_a_whole_number(tech, n):
    with pytest.raises(InvalidInput, match=r"^n:"):
        tech.episodic.recent(n)


@pytest.mark.parametrize("moment", [None, "last week", 3, datetime(2026, 3, 2)])  # noqa: DTZ001
def test_a_moment_has_a_zone(tech, moment):
    with pytest.raises(InvalidInput, match=r"^moment:"):
        tech.episodic.since(moment)
    with pytest.raises((InvalidInput, MemoryRefused)):
        tech.episodic.log("observation", "x", happened_at=moment or "now")


@pytest.mark.parametrize("session", ["", " ", 3, "\ud800", "\x00"])
def test_a_session_is_a_name(tech, session):
    for ask in (tech.episodic.recent, lambda session: tech.episodic.since(START, session)):
        with pytest.raises(InvalidInput, match=r"^session:"):
            ask(session=session)


def test_a_time_with_another_zone_is_the_same_moment(tech):
    from datetime import timezone

    there = timezone(timedelta(hours=9))
    receipt = tech.episodic.log("observation", "x", happened_at=START.astimezone(there))
    assert receipt.memory.happened_at == START
    assert len(tech.episodic.since(START.astimezone(there))) == 1


def test_the_same_words_at_another_moment_are_another_event(mem, tech):
    assert tech.episodic.log("observation", "gate open").verdict == "accepted"
    assert tech.episodic.log("observation", "Gate OPEN.").verdict == "duplicate"
    mem.clock.advance(seconds=1)
    assert tech.episodic.log("observation", "gate open").verdict == "accepted"
