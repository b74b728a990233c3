"""Episodic recall against a plain loop over every row: same ids, same order, same scores."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import numpy as np
import oracle
import pytest
from helpers import START, connection, opened
from hypothesis import given, settings
from hypothesis import strategies as st

import teachmem
from teachmem import Draft, InvalidInput, LessonClock, MemoryStore, NotFound, Principal, Weights
from teachmem.clock import MICROS_PER_HOUR, from_micros, to_micros
from teachmem.recall import rank, ranked
from teachmem.recall.lexical import Entry, Postings
from teachmem.rules import admissible, shape

WRITERS = [
    Principal("northlight", "dock", "dock-1"),
    Principal("northlight", "dock", "dock-2"),
    Principal("northlight", "line", "line-3"),
    Principal("southgate", "dock", "dock-1"),
]
READERS = [
    *WRITERS,
    Principal("northlight", "dock", "dock-9", clearance=0),
    Principal("northlight", "lab", "lab-2", clearance=2),
    Principal("northlight", "dock", "safety-officer", "person", 3),
]
WORDS = [
    "gripper",
    "slipped",
    "slip",
    "station",
    "four",
    "the",
    "not",
    "HX-2207",
    "café",
    "cafe\u0301",
    "датчик",
    "把持部が滑った",
    "ชั้นวางสินค้า",
    "गोदाम",
    "مستودع",
    "로봇",
    "Straße",
    "🤖",
]
words = st.lists(st.sampled_from(WORDS), min_size=1, max_size=8).map(" ".join)
contents = words | st.text(min_size=1, max_size=40)
moments = st.integers(-60 * 24, 48).map(lambda hours: START + timedelta(hours=hours)) | st.just(START)
shares = st.sampled_from([0.0, 0.25, 0.5, 1.0])


@dataclass(frozen=True)
class Step:
    """One thing that is done to a store: a write by `who`, or a withdrawal of the n-th memory."""

    who: Principal
    draft: Draft
    withdraw: int | None = None


def drafts() -> st.SearchStrategy[Draft]:
    return st.builds(
        lambda content, tier, visibility, session, importance, happened, lasts: Draft(
            tier=tier,
            kind={"episodic": "observation", "working": "note", "semantic": "fact"}[tier],
            content=content,
            session=session,
            importance=importance if tier == "episodic" else None,
            valid_from=happened if tier == "episodic" else None,
            expires_at=None if lasts is None else START + lasts,
            visibility=visibility,
            **({"subject": "a", "predicate": "observed", "object": "b"} if tier == "working" else {}),
        ),
        contents,
        st.sampled_from(["episodic"] * 6 + ["working", "semantic"]),
        st.sampled_from(["team", "team", "agent", "org"]),
        st.sampled_from(["s1", "s2"]),
        shares | st.none(),
        moments | st.none(),
        st.none() | st.none() | st.sampled_from([timedelta(hours=-1), timedelta(0), timedelta(hours=5)]),
    )


steps = st.lists(
    st.builds(Step, st.sampled_from(WRITERS), drafts(), st.none() | st.none() | st.integers(0, 20)),
    min_size=1,
    max_size=25,
)


def play(mem: MemoryStore, step: Step) -> None:
    """Do one step; a draft that the gate refuses leaves nothing."""
    gate = mem._kit.gate
    if step.withdraw is not None:
        own = {row["memory_id"] for row in oracle.rows(mem) if row["agent"] == step.who.name}
        chosen = sorted(own)[step.withdraw : step.withdraw + 1]

        def find(tx: Any, now: int) -> list[Any]:
            found = [admissible.by_id(tx, step.who, memory_id, now) for memory_id in chosen]
            return [memory for memory in found if memory is not None and memory.fleet == step.who.fleet]

        gate.withdraw(step.who, find, action="test.withdraw")
        return
    org = step.draft.visibility == "org"
    lead = replace(step.who, name=f"lead of {step.who.name}", role="person", clearance=2)
    who = lead if org else step.who
    if shape.fault(step.draft) is None:
        gate.write(who, step.draft)


def handle(mem: MemoryStore, who: Principal) -> Any:
    make: Callable[..., Any] = mem.person if who.role == "person" else mem.agent
    return make(who.name, fleet=who.fleet, tenant=who.tenant, clearance=who.clearance)


def now_of(mem: MemoryStore, who: Principal) -> int:
    written = [row["recorded_at"] for row in oracle.rows(mem) if row["tenant"] == who.tenant]
    return max([to_micros(mem.clock.now()), *written])


asks = st.fixed_dictionaries(
    {
        "query": words | st.text(max_size=20) | st.sampled_from(["", "?!", "the and of"]),
        "k": st.sampled_from([1, 2, 3, 5, 60]),
        "weights": st.tuples(shares, shares, shares).filter(any).map(lambda three: Weights(*three)),
        "half_life_hours": st.sampled_from([5e-324, 1e-9, 0.5, 24, 24.0, 1e6, 1e300, 1.7e308]),
        "session": st.sampled_from([None, None, "s1", "s2", "nowhere"]),
        "at": st.none() | moments,
    }
)


def check(mem: MemoryStore, who: Principal, ask: dict[str, Any], known_at: datetime | None = None) -> None:
    """Recall as `who` and compare with the loop."""
    found = handle(mem, who).episodic.recall(**ask, known_at=known_at)
    expected = oracle.ranking(
        mem,
        who,
        ask["query"],
        at=now_of(mem, who) if ask["at"] is None else to_micros(ask["at"]),
        known_at=None if known_at is None else to_micros(known_at),
        weights=ask["weights"],
        half_life=ask["half_life_hours"],
        session=ask["session"],
    )
    oracle.assert_same(found, expected, ask["k"])


@settings(max_examples=150)
@given(steps, st.sampled_from(READERS), asks)
def test_recall_equals_the_plain_loop(done, who, ask):
    with opened() as mem:
        for step in done:
            play(mem, step)
        check(mem, who, ask)


@settings(max_examples=60)
@given(steps, st.sampled_from(READERS), asks, st.integers(0, 26))
def test_what_was_known_then_is_a_replay(done, who, ask, until):
    """`known_at` equals what a store says that stopped there."""
    with opened() as mem, opened() as short:
        for number, step in enumerate(done):
            for store in (mem, short)[: 2 if number < until else 1]:
                store.clock.set(START + timedelta(minutes=number))
                play(store, step)
        known_at = START + timedelta(minutes=until) - timedelta(microseconds=1)
        ask = {**ask, "at": ask["at"] or START}
        check(mem, who, ask, known_at)
        then = handle(mem, who).episodic.recall(**ask, known_at=known_at)
        stopped = handle(short, who).episodic.recall(**ask)
        assert [(hit.memory.memory_id, hit.score) for hit in then] == [
            (hit.memory.memory_id, hit.score) for hit in stopped
        ]


@settings(max_examples=60)
@given(steps, asks, st.sampled_from(READERS))
def test_the_index_follows_the_chain(tmp_path_factory, done, ask, who):
    """After each step, through this opened store and another, recall equals the loop."""
    path = tmp_path_factory.mktemp("follow") / "store.db"
    ids = teachmem.CountedIds()
    with (
        teachmem.open_memory(path, clock=LessonClock(START), ids=ids) as here,
        teachmem.open_memory(path, clock=LessonClock(START), ids=ids) as there,
    ):
        for number, step in enumerate(done[:12]):
            play(here if number % 2 else there, step)
            if number % 5 == 4:
                here.reindex()
            check(here, who, ask)
            if number % 3 == 0:
                check(there, who, ask)


def test_nobody_elses_rows_change_a_readers_answer():
    """Ids, scores and parts come from one's own partitions alone."""
    with opened() as mem:
        mine = handle(mem, WRITERS[0])
        for number in range(12):
            mine.episodic.log("observation", f"gripper slipped at station {number}", importance=0.5)
        before = [
            (hit.memory.memory_id, hit.score, hit.parts) for hit in mine.episodic.recall("gripper station 3")
        ]
        for other in WRITERS[1:]:
            for number in range(40):
                visibility = "team" if other.fleet != "dock" or other.tenant != "northlight" else "agent"
                handle(mem, other).episodic.log(
                    "observation", f"gripper station 3 {number}", importance=1, visibility=visibility
                )
                handle(mem, other).working.write(
                    "a", "observed", "b", f"gripper {number}", visibility="agent"
                )
        after = [
            (hit.memory.memory_id, hit.score, hit.parts) for hit in mine.episodic.recall("gripper station 3")
        ]
        assert before == after


def test_an_event_of_tomorrow_changes_nothing_today():
    with opened() as mem:
        tech = handle(mem, WRITERS[0])
        tech.episodic.log("observation", "gripper slipped")
        tech.episodic.log("observation", "belt squeaks, gripper fine")
        before = tech.episodic.recall("gripper slipped")
        tech.episodic.log("observation", "gripper gripper", happened_at=START + timedelta(hours=1))
        after = tech.episodic.recall("gripper slipped")
        assert [(hit.memory, hit.score) for hit in after] == [(hit.memory, hit.score) for hit in before]
        assert len(tech.episodic.recall("gripper", at=START + timedelta(hours=1))) == 3
        assert len(tech.episodic.recall("gripper", at=START + timedelta(minutes=59))) == 2


def test_ends_are_half_open():
    with opened() as mem:
        tech, gate = handle(mem, WRITERS[0]), mem._kit.gate
        end = START + timedelta(hours=1)
        gate.write(
            WRITERS[0],
            Draft(tier="episodic", kind="observation", content="gate open", session="s1", expires_at=end),
        )
        moment = timedelta(microseconds=1)
        assert len(tech.episodic.recall("gate", at=START)) == 1
        assert not tech.episodic.recall("gate", at=START - moment)
        assert len(tech.episodic.recall("gate", at=end - moment)) == 1
        assert not tech.episodic.recall("gate", at=end)
        assert len(tech.episodic.recall("gate", at=START, known_at=START)) == 1
        assert not tech.episodic.recall("gate", at=START, known_at=START - moment)


def test_what_ends_now_counts_for_nobody_now():
    """Not even in how rare a word is, or how long events are."""
    with opened() as mem, opened() as alone:
        end = START + timedelta(hours=1)
        words = {"tier": "episodic", "kind": "observation", "session": "s1"}
        mem._kit.gate.write(WRITERS[0], Draft(content="gate open wide", expires_at=end, **words))
        for store in (mem, alone):
            handle(store, WRITERS[0]).episodic.log("observation", "gate shut and barred", "s2")
        for moment, same in ((end - timedelta(microseconds=1), False), (end, True)):
            found = [
                handle(store, WRITERS[0]).episodic.recall("gate shut open", session="s2", at=moment)[0].score
                for store in (mem, alone)
            ]
            assert (found[0] == found[1]) == same


# ---- the cache -----------------------------------------------------------------------------------


def test_a_store_replaced_under_a_live_index_is_read_anew(tmp_path):
    """The same number of entries, another chain: the index must not go on with the old one."""
    import sqlite3

    paths = [tmp_path / "a.db", tmp_path / "b.db"]
    for path, word in zip(paths, ("belt", "hoist"), strict=True):
        with opened(path) as mem:
            for number in range(3):
                handle(mem, WRITERS[0]).episodic.log("observation", f"{word} {number}")
    with opened(paths[0]) as mem:
        tech = handle(mem, WRITERS[0])
        assert len(tech.episodic.recall("belt")) == 3
        with sqlite3.connect(paths[1]) as source, sqlite3.connect(paths[0]) as target:
            source.backup(target)
        source.close()
        target.close()
        assert {hit.memory.content[:5] for hit in tech.episodic.recall("hoist")} == {"hoist"}
        check(
            mem,
            WRITERS[0],
            {
                "query": "hoist 1",
                "k": 5,
                "weights": Weights(),
                "half_life_hours": 24,
                "session": None,
                "at": None,
            },
        )


def test_an_older_snapshot_neither_sees_later_rows_nor_resets_the_cache():
    with opened() as mem:
        tech, index = handle(mem, WRITERS[0]), mem._kit.index
        tech.episodic.log("observation", "gripper one")
        tech.episodic.recall("gripper")
        tenant = index._tenants["northlight"]
        old = tenant.passed.copy()
        tech.episodic.log("observation", "gripper two")
        tech.episodic.recall("gripper")
        assert index._tenants["northlight"] is tenant
        assert tenant.passed.keys() > old.keys()
        head = SimpleNamespace(tenant="northlight", seq=1, hash=old[1])
        assert tenant.is_of(None, head)
        assert not tenant.is_of(None, SimpleNamespace(tenant="northlight", seq=1, hash=b"another"))


def test_removed_rows_are_given_back_and_nothing_changes():
    """Compaction after many removals: the same answers as a fresh index."""
    with opened() as mem:
        tech = handle(mem, WRITERS[0])
        for number in range(400):
            tech.working.write(
                "a", "observed", "b", f"crate {number % 7} moved {number}", session=f"s{number % 3}"
            )
        tech.working.context("crate 3")
        tech.working.clear(session="s1")
        tech.working.clear(session="s2")
        tech.working.write("a", "observed", "b", "crate 3 came back", session="s0")
        before = tech.working.context("crate 3 back", budget=400)
        (part,) = mem._kit.index._tenants["northlight"].partitions.values()
        assert part.events == 135
        assert len(part) <= 256
        mem.reindex()
        assert tech.working.context("crate 3 back", budget=400) == before
        expected = oracle.ranking(
            mem,
            WRITERS[0],
            "crate 3 back",
            at=to_micros(START),
            weights=Weights(0.5, 0, 0.5),
            half_life=8,
            tier="working",
        )
        found = [line.memory.memory_id for line in before.lines]
        assert found == [memory_id for memory_id, _, _ in expected[: len(found)]]


# ---- the arrays against a full sort ------------------------------------------------------------------


def partitions(seed: int, sizes: tuple[int, ...], levels: int) -> list[Postings]:
    """Make partitions of events with few different times and importances, so that many tie."""
    chance = np.random.default_rng(seed)
    made = []
    for number, size in enumerate(sizes):
        part = Postings()
        for row in chance.permutation(size).tolist():
            drawn = chance.integers(0, levels, 4).tolist()
            part.add(
                Entry(
                    f"event-{row:05d}-{number}",
                    " ".join(["gripper"] * (drawn[0] % 3) + ["belt"] * (drawn[1] % 2) + ["crate"] * 2),
                    importance=drawn[2] / levels,
                    happened_at=int(drawn[3]) * MICROS_PER_HOUR,
                    valid_from=int(drawn[3]) * MICROS_PER_HOUR,
                    session=f"s{row % 2}",
                )
            )
        made.append(part)
    return made


def full_sort(parts: list[Postings], ask: rank.Ask, contents: dict[str, Entry]) -> list[str]:
    """Score every entry by the formula and sort."""
    corpus = rank.corpus_of(parts, ask.at)
    found = []
    for entry in contents.values():
        if entry.happened_at > ask.at or ask.session not in (None, entry.session):
            continue
        memory = SimpleNamespace(
            valid_to=None,
            happened_at=from_micros(entry.happened_at),
            importance=entry.importance,
            content=entry.content,
        )
        found.append((-ranked.scored(memory, ask, corpus).score, -entry.happened_at, entry.memory_id))
    return [memory_id for _, _, memory_id in sorted(found)]


@pytest.mark.parametrize("levels", [1, 2, 12])
@pytest.mark.parametrize("half_life", [1e-6, 24, 1e12])
@pytest.mark.parametrize("weights", [Weights(), Weights(1, 0, 0), Weights(0, 1, 0), Weights(0, 0, 1)])
def test_the_arrays_propose_what_a_full_sort_would(monkeypatch, levels, half_life, weights):
    entries: dict[str, Entry] = {}
    add = Postings.add
    monkeypatch.setattr(
        Postings, "add", lambda self, entry: (entries.update({entry.memory_id: entry}), add(self, entry))[1]
    )
    parts = partitions(levels, (1500, 700, 3), levels)
    for at, session in ((30 * MICROS_PER_HOUR, None), (5 * MICROS_PER_HOUR, "s1")):
        ask = rank.Ask(("gripper", "belt", "absent"), at, weights, half_life, session)
        expected = full_sort(parts, ask, entries)
        for k in (1, 7, 300, 5000):
            proposed = rank.top(parts, ask, k)
            assert len(proposed) <= k + rank.TIES
            assert set(expected[:k]) <= set(proposed)
        assert rank.top(parts, ask, 5000) == expected
        for place in (1, 2, 400, 1000):
            if place <= len(expected):
                assert rank.place(parts, ask, expected[place - 1]) == place
        assert rank.place(parts, ask, "event-none") is None


def test_equal_events_of_two_partitions_are_told_apart_by_their_ids_alone():
    """Each partition once took recency from its own newest event, and rounding then chose between them."""
    parts = [Postings(), Postings()]
    for number in range(800):
        hours = 100.3
        parts[number % 2].add(
            Entry(f"event-{number:04d}", "gripper", 0.3, int(hours * MICROS_PER_HOUR), session=f"s{number}")
        )
    parts[0].add(Entry("event-9998", "belt", 0.0, int(101.7 * MICROS_PER_HOUR)))
    parts[1].add(Entry("event-9999", "belt", 0.0, int(106.7 * MICROS_PER_HOUR)))
    ask = rank.Ask(("gripper",), int(177.77 * MICROS_PER_HOUR), Weights(1, 0, 0), 24)
    expected = ["event-9999", "event-9998", *(f"event-{number:04d}" for number in range(5))]
    assert rank.top(parts, ask, 7)[:7] == expected


# ---- odd questions ---------------------------------------------------------------------------------


@pytest.fixture
def mem():
    with opened() as store:
        yield store


@pytest.fixture
def tech(mem):
    return handle(mem, WRITERS[0])


NO_WORD = ["", "   ", "?!*", "...", "🤖🔥", "the and of", "\ud800", "\x00", '"', "%", "--", "' OR ''='"[:1]]
ODD = [
    'a"b',
    "status: done",
    "retry OR",
    "NOT AND",
    "multi-agent",
    "gate*",
    "content MATCH 'x'",
    "'; DROP TABLE memories; --",
    "gripper\x00slipped",
    "gripper\ud800slipped",
    "把持部",
    "ชั้นวาง",
    "مستودع",
    "गोदाम में",
    "x" * 100_000,
    "gripper " * 12_500,
    " ".join(f"word{number}" for number in range(9_000)),
    "把" * 100_000,
]


@pytest.mark.parametrize("query", NO_WORD)
def test_a_question_without_a_word_ranks_by_the_rest_and_says_so(tech, query):
    old = tech.episodic.log(
        "observation", "gripper slipped", happened_at=START - timedelta(days=1), importance=0
    )
    new = tech.episodic.log("observation", "gripper fixed", importance=0)
    found = tech.episodic.recall(query)
    assert [hit.memory for hit in found] == [new.memory, old.memory]
    assert "no word" in found.note
    assert not any(hit.parts["relevance"] for hit in found)
    assert "no word" in tech.working.context(query).note


@pytest.mark.parametrize("query", ODD, ids=lambda query: ascii(query[:20]))
def test_an_odd_question_is_a_question(mem, tech, query):
    for content in ("gripper slipped", "status done", "multi-agent retry", "把持部が滑った", "गोदाम बंद"):
        tech.episodic.log("observation", content, importance=0.5)
    check(
        mem,
        WRITERS[0],
        {"query": query, "k": 3, "weights": Weights(), "half_life_hours": 24, "session": None, "at": None},
    )
    note = tech.episodic.recall(query).note
    if len(query) >= 50_000 and " " in query and "gripper" not in query:
        assert "only the first 256" in note
        assert "no recalled event shares a word" in note


def test_an_empty_store_says_so(tech):
    found = tech.episodic.recall("gripper")
    assert list(found) == []
    assert found.note == "there is no event that you may recall"
    assert "no word" in tech.episodic.recall("").note
    assert "no event" in tech.episodic.recall("").note
    assert found.frame().empty


@pytest.mark.parametrize(
    ("field", "words"),
    [
        ("query", {"query": None}),
        ("query", {"query": b"gripper"}),
        ("query", {"query": ["gripper"]}),
        *[("k", {"k": value}) for value in (0, -1, True, 1.0, "3", None, math.nan)],
        *[
            ("half_life_hours", {"half_life_hours": value})
            for value in (0, -1, math.inf, math.nan, True, "24", None, 10**400)
        ],
        *[("session", {"session": value}) for value in ("", "  ", 3, "\ud800", "a\x00b", "x" * 201)],
        *[("weights", {"weights": value}) for value in ({}, 0, "x", (1, 0, 0))],
        ("at", {"at": datetime(2026, 3, 2, 9)}),  # noqa: DTZ001
        ("at", {"at": "some day"}),
        ("known_at", {"known_at": 3}),
    ],
)
def test_a_question_that_cannot_be_asked_names_the_field(tech, field, words):
    tech.episodic.log("observation", "gripper slipped")
    with pytest.raises(InvalidInput) as refused:
        tech.episodic.recall(**{"query": "gripper", **words})
    assert refused.value.field == field


@pytest.mark.parametrize("value", [math.nan, math.inf, -0.1, 1.1, True, None, "1"])
@pytest.mark.parametrize("part", ["recency", "importance", "relevance"])
def test_weights_are_shares(part, value):
    with pytest.raises(InvalidInput) as refused:
        Weights(**{part: value})
    assert refused.value.field == f"weights.{part}"
    with pytest.raises(InvalidInput, match="all zero"):
        Weights(0, 0, 0)


def test_any_k_is_large_enough(mem, tech):
    for number in range(3):
        tech.episodic.log("observation", f"gripper {number}")
    assert len(tech.episodic.recall("gripper", k=10**30)) == 3


def test_a_name_is_the_same_name_in_either_form(tech):
    tech.episodic.log("observation", "gripper slipped", session="cafe\u0301")
    for session in ("cafe\u0301", "café"):
        assert len(tech.episodic.recall("gripper", session=session)) == 1
        assert len(tech.episodic.recent(5, session=session)) == 1
        assert len(tech.episodic.since(START, session=session)) == 1


# ---- why not ---------------------------------------------------------------------------------------


def closed(why: Any) -> list[str]:
    return [gate.name for gate in why.withheld_by]


def test_why_not_for_what_one_may_not_see_sounds_like_absent(mem, tech):
    secret = handle(mem, WRITERS[1]).episodic.log("observation", "gripper slipped", visibility="agent")
    elsewhere = handle(mem, WRITERS[3]).episodic.log("observation", "gripper slipped")
    answer = tech.episodic.recall("gripper")
    for memory_id in (secret.memory.memory_id, elsewhere.memory.memory_id, "event-none", "", "\ud800", None):
        with pytest.raises(NotFound) as absent:
            answer.why_not(memory_id)
        assert str(absent.value) == str(NotFound(memory_id))


def test_why_not_names_tier_status_time_session_and_rank(mem, tech):
    note = tech.working.write("a", "observed", "b", "gripper slipped")
    gone = tech.episodic.log("observation", "gripper gone")
    play(mem, Step(WRITERS[0], Draft(tier="episodic", kind="observation", content="x"), 0))
    later = tech.episodic.log("observation", "gripper later", happened_at=START + timedelta(hours=3))
    other = tech.episodic.log("observation", "gripper other", session="s2")
    best = tech.episodic.log("observation", "gripper best", importance=1)
    worse = tech.episodic.log("observation", "belt", importance=0.1)
    answer = tech.episodic.recall("gripper", k=1, session="s1")
    assert closed(answer.why_not(best.memory.memory_id)) == []
    assert str(answer.why_not(best.memory.memory_id)).endswith("was in the answer")
    assert closed(answer.why_not(note.memory.memory_id)) == ["tier"]
    assert closed(answer.why_not(gone.memory.memory_id)) == ["status"]
    assert closed(answer.why_not(later.memory.memory_id)) == ["time"]
    assert "holds only from" in str(answer.why_not(later.memory.memory_id))
    assert closed(answer.why_not(other.memory.memory_id)) == ["session"]
    why = str(answer.why_not(worse.memory.memory_id))
    assert "rank: it scored" in why
    assert "stands at 2" in why
    assert "shares no word" in why
    blind = tech.episodic.recall("gripper", k=1, weights=Weights(1, 0, 0))
    unlucky = blind.why_not(worse.memory.memory_id)
    assert "shares no word" not in str(unlucky)


def test_why_not_of_a_lapsed_event_says_when_it_ended(mem, tech):
    for field in ("expires_at", "valid_to"):
        receipt = mem._kit.gate.write(
            WRITERS[0],
            Draft(
                tier="episodic",
                kind="observation",
                content=field,
                session="s1",
                valid_from=START,
                **{field: START + timedelta(hours=1)},
            ),
        )
        why = tech.episodic.recall("x", at=START + timedelta(hours=1)).why_not(receipt.memory.memory_id)
        assert closed(why) == ["time"]
        assert "2026-03-02T10:00:00" in str(why)


def test_why_not_of_the_past_judges_the_version_of_then(mem, tech):
    first = tech.episodic.log("observation", "gripper slipped")
    mem.clock.advance(hours=1)
    play(mem, Step(WRITERS[0], first.memory, 0))
    late = tech.episodic.log("observation", "gripper late", happened_at=START)
    then = tech.episodic.recall("gripper", at=START, known_at=START)
    assert [hit.memory.memory_id for hit in then] == [first.memory.memory_id]
    assert closed(then.why_not(first.memory.memory_id)) == []
    assert closed(then.why_not(late.memory.memory_id)) == ["known"]


def test_why_not_of_ties_agrees_with_the_answer(tech):
    ids = [tech.episodic.log("observation", "gripper", session=f"s{n}").memory.memory_id for n in range(9)]
    answer = tech.episodic.recall("gripper", k=3)
    assert [hit.memory.memory_id for hit in answer] == ids[:3]
    for place, memory_id in enumerate(ids[3:], 4):
        assert f"stands at {place};" in str(answer.why_not(memory_id))


def test_what_came_after_the_answer_is_not_judged_by_it(mem, tech):
    tech.episodic.log("observation", "gripper")
    answer = tech.episodic.recall("gripper", k=1)
    later = tech.episodic.log(
        "observation", "gripper", session="s2", happened_at=START + timedelta(minutes=1)
    )
    assert closed(answer.why_not(later.memory.memory_id)) == ["time"]


def test_the_frame_holds_what_the_answer_holds(tech):
    tech.episodic.log("observation", "gripper slipped", importance=0.5)
    answer = tech.episodic.recall("gripper")
    frame = answer.frame()
    parts, standing = ["recency", "importance", "relevance"], ["status", "confidence", "inferred"]
    assert list(frame.columns) == ["memory", "score", *parts, *standing, "content"]
    assert list(frame.loc[0, standing]) == ["active", None, False]
    assert frame.loc[0, "score"] == answer[0].score
    assert frame.loc[0, "content"] == "gripper slipped"
    assert answer.settings["k"] == 5
    assert answer.at == datetime(2026, 3, 2, 9, tzinfo=UTC)


def test_equal_scores_go_to_the_newest_then_to_the_smaller_id(mem, tech):
    for hours in (3, 1, 2, 1):
        tech.episodic.log(
            "observation", "gripper", f"s{hours}", importance=0.5, happened_at=START - timedelta(hours=hours)
        )
    tech.episodic.log("observation", "gripper", "s9", importance=0.5, happened_at=START - timedelta(hours=1))
    found = tech.episodic.recall("gripper", weights=Weights(0, 1, 1))
    assert [hit.memory.memory_id for hit in found] == ["event-0002", "event-0004", "event-0003", "event-0001"]


def test_the_table_decides_and_more_is_proposed_when_it_withholds(mem, tech):
    """A row changed past the chain: the cache still proposes it, the clause does not let it through."""
    ids = [
        tech.episodic.log("observation", f"gripper {number}", importance=1 - number / 100).memory.memory_id
        for number in range(12)
    ]
    tech.episodic.recall("gripper")
    with connection(mem) as raw:
        marks = ", ".join("?" * 8)
        raw.execute(f"UPDATE memories SET status = 'archived' WHERE memory_id IN ({marks})", ids[:8])
        raw.commit()
    assert [hit.memory.memory_id for hit in tech.episodic.recall("gripper", k=3)] == ids[8:11]
