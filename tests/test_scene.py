"""Recall of events in their surroundings, against one plain loop over every row of the table."""

from __future__ import annotations

from datetime import timedelta

import oracle
import pytest
from helpers import START, connection
from hypothesis import given, settings
from hypothesis import strategies as st

import teachmem
from teachmem import CountedIds, InvalidInput, LessonClock, NotFound, Principal, Weights
from teachmem.clock import to_micros
from teachmem.recall.embed import HashingEmbedder

HASHING = HashingEmbedder()
RELEVANT = Weights(recency=0, importance=0, relevance=1)
WRITERS = [
    Principal("northlight", "dock", "dock-1"),
    Principal("northlight", "line", "line-3"),
    Principal("southgate", "dock", "dock-1"),
]
READERS = [
    *WRITERS,
    Principal("northlight", "dock", "dock-9"),
    Principal("northlight", "lab", "lab-2", clearance=2),
]
words = st.lists(
    st.sampled_from(["gripper", "slipped", "station", "four", "the", "把持部", "HX-2207"]), max_size=6
)
texts = words.map(" ".join)
events = st.lists(
    st.tuples(
        st.sampled_from(WRITERS),
        texts.filter(bool),
        st.sampled_from(["s1", "s2"]),
        st.integers(-90, 5),  # hours from the start
        st.sampled_from(["team", "agent"]),
        st.sampled_from([0.0, 0.5, 1.0]),
    ),
    max_size=12,
)


def handle(mem, who):
    return mem.agent(who.name, fleet=who.fleet, tenant=who.tenant, clearance=who.clearance)


def store():
    return teachmem.open_memory(clock=LessonClock(START), ids=CountedIds(), embedder=HASHING)


def loop(mem, who, query, *, at, known_at=None, weights=None, half_life=24.0, session=None):
    """Return {id: (score, relevance)} of every event, by the formula in the docstring, one by one."""
    weights = weights or Weights()
    held = [row for row in oracle.rows(mem) if oracle.believable(row, who, at, known_at, "episodic")]
    by_words = oracle.ranking(mem, who, query, at=at, known_at=known_at, weights=RELEVANT)
    lists = [{memory_id: found for memory_id, found, _ in by_words}, {}]
    asked = HASHING.embed([query])[0]
    for row in held:
        cosine = round(float(HASHING.embed([row["content"]])[0] @ asked), 6)
        lists[1][row["memory_id"]] = max(0.0, cosine)
    own = {row["memory_id"]: 0.0 for row in held}
    for scores in lists:
        best = max(scores.values(), default=0)
        for memory_id, value in scores.items():
            own[memory_id] += 0.5 * value / best if best else 0.0
    when = {row["memory_id"]: row["valid_from"] for row in held}
    found = {}
    for row in held:
        name = row["memory_id"]
        turns = sorted(
            (other["memory_id"] for other in held if other["session"] == row["session"]),
            key=lambda other: (when[other], other),
        )
        place = turns.index(name)
        beside = turns[max(0, place - 1) : place] + turns[place + 1 : place + 2]
        window = sum(own[other] for other in beside) / (len(beside) or 1)
        three = sorted((own[other] for other in turns), reverse=True)[:3]
        relevance = (own[name] + 0.5 * window + 0.5 * sum(three) / len(three)) / 2
        age = max(at - row["valid_from"], 0) / oracle.HOUR
        total = (
            weights.recency * 0.5 ** (age / half_life)
            + weights.importance * row["importance"]
            + weights.relevance * relevance
        )
        if session in (None, row["session"]):
            found[name] = (total, relevance)
    return found


def assert_as_loop(recalled, expected, k, weights):
    best = sorted((total for total, _ in expected.values()), reverse=True)[:k]
    assert [hit.score for hit in recalled] == pytest.approx(best, abs=1e-5)
    for hit in recalled:
        total, relevance = expected[hit.memory.memory_id]
        assert hit.score == pytest.approx(total, abs=1e-5)
        assert hit.parts["relevance"] == pytest.approx(weights.relevance * relevance, abs=1e-5)
        assert sum(hit.parts.values()) == hit.score
        assert 0 <= relevance <= 1


@given(
    events,
    texts,
    st.sampled_from([Weights(), RELEVANT]),
    st.integers(1, 13),
    st.sampled_from([None, "s1"]),
    st.sampled_from([None, -1, 0, 2]),
    st.integers(0, 12),
)
@settings(max_examples=120, deadline=None)
def test_every_reader_gets_what_the_loop_gets(made, query, weights, k, session, known_hours, asked_after):
    with store() as mem:
        for number, (who, content, held_in, hours, visibility, importance) in enumerate(made):
            handle(mem, who).episodic.log(
                "observation",
                content,
                held_in,
                importance=importance,
                happened_at=START + timedelta(hours=min(hours, 0)),
                visibility=visibility,
            )
            mem.clock.set(START + timedelta(minutes=number))
            if number == asked_after:  # so that the vectors have to follow the chain
                handle(mem, WRITERS[0]).episodic.recall(query, relevance="hybrid")
        mem.clock.set(START + timedelta(hours=6))
        known = None if known_hours is None else START + timedelta(minutes=5 * known_hours)
        at = START + timedelta(hours=6)
        for who in READERS:
            recalled = handle(mem, who).episodic.recall(
                query, k, weights=weights, session=session, relevance="hybrid", at=at, known_at=known
            )
            expected = loop(
                mem,
                who,
                query,
                at=to_micros(at),
                known_at=None if known is None else to_micros(known),
                weights=weights,
                session=session,
            )
            assert_as_loop(recalled, expected, k, weights)


@pytest.fixture
def mem():
    with store() as opened_store:
        yield opened_store


@pytest.fixture
def tech(mem):
    return mem.agent("dock-1", fleet="dock", tenant="northlight")


def test_a_turn_is_found_by_what_was_said_before_it(mem, tech):
    tech.episodic.log("user_turn", "did the gripper slip at station four", "s1", importance=0.5)
    mem.clock.set(START + timedelta(minutes=1))
    answer = tech.episodic.log("agent_response", "yes, twice", "s1", importance=0.5).memory
    mem.clock.set(START + timedelta(minutes=2))
    tech.episodic.log("observation", "lunch menu", "s2", importance=0.5)
    found = tech.episodic.recall("gripper slip at station four", 2, weights=RELEVANT, relevance="hybrid")
    assert found[1].memory.memory_id == answer.memory_id
    assert found[1].raw["words"] == 0
    assert found[1].raw["window"] > 0.9
    assert found[0].ranks["words"] == 1
    assert "words" not in found[1].ranks
    assert found.settings["relevance"] == "hybrid"
    assert tech.episodic.recall("gripper", weights=RELEVANT).settings["relevance"] == "words"


def test_a_turn_that_the_reader_may_not_recall_lends_nothing(mem, tech):
    other = mem.agent("line-3", fleet="line", tenant="northlight")
    mine = tech.episodic.log("observation", "nothing new", "s1", importance=0.5).memory
    plain = tech.episodic.recall("gripper slipped", weights=RELEVANT, relevance="hybrid")
    other.episodic.log("observation", "gripper slipped", "s1", importance=0.5)
    tech_2 = mem.agent("dock-2", fleet="dock", tenant="northlight")
    tech_2.episodic.log("observation", "gripper slipped", "s1", importance=0.5, visibility="agent")
    again = tech.episodic.recall("gripper slipped", weights=RELEVANT, relevance="hybrid")
    assert [hit.memory.memory_id for hit in again] == [mine.memory_id]
    assert again[0].score == plain[0].score
    with pytest.raises(NotFound):
        again.why_not("event-0002")


def test_a_row_changed_behind_the_chain_lends_nothing_either(mem, tech):
    kept = tech.episodic.log("observation", "and so it went on", "s1", importance=0.5).memory
    gone = tech.episodic.log("observation", "gripper slipped", "s1", importance=0.5).memory
    before = tech.episodic.recall("gripper slipped", weights=RELEVANT, relevance="hybrid")
    assert before[1].memory.memory_id == kept.memory_id
    with connection(mem) as raw:
        for (name,) in raw.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            raw.execute(f'DROP TRIGGER "{name}"')
        raw.execute("UPDATE memories SET status = 'outdated' WHERE memory_id = ?", (gone.memory_id,))
        raw.commit()
    after = tech.episodic.recall("gripper slipped", weights=RELEVANT, relevance="hybrid")
    assert [hit.memory.memory_id for hit in after] == [kept.memory_id]
    assert after[0].raw["window"] == 0


def test_every_gate_is_named(mem, tech):
    for number in range(4):
        tech.episodic.log("observation", f"gripper slipped {'again ' * number}", "s1", importance=0.5)
    found = tech.episodic.recall("gripper slipped", 2, relevance="hybrid")
    kept = {hit.memory.memory_id for hit in found}
    for number in range(1, 5):
        told = found.why_not(f"event-{number:04}")
        assert (not told.withheld_by) == (told.memory_id in kept)
    left = next(f"event-{number:04}" for number in range(1, 5) if f"event-{number:04}" not in kept)
    assert "stands at" in str(found.why_not(left))
    assert "the last of the 2 kept" in str(found.why_not(left))


@pytest.mark.parametrize("given_word", ["vectors", "", None, 3, ["hybrid"]])
def test_another_kind_of_relevance_is_refused(tech, given_word):
    with pytest.raises(InvalidInput, match="words, hybrid"):
        tech.episodic.recall("gripper", relevance=given_word)


@pytest.mark.parametrize("query", ["", "the", "🤖", "\ud800", "a" * 10_000, '"; DROP TABLE memories'])
def test_any_question_has_an_answer(tech, query):
    assert tech.episodic.recall(query, relevance="hybrid").note.endswith("no event that you may recall")
    tech.episodic.log("observation", "the robot 🤖", importance=0.5)
    assert len(tech.episodic.recall(query, relevance="hybrid")) == 1


def test_vectors_are_shared_by_the_handles_and_go_with_the_other_indexes(mem, tech, monkeypatch):
    tech.episodic.log("observation", "gripper slipped", importance=0.5)
    embedded = []
    plain = HashingEmbedder.embed
    monkeypatch.setattr(
        HashingEmbedder, "embed", lambda self, items: embedded.extend(items) or plain(self, items)
    )
    for _ in range(2):
        mem.agent("dock-1", fleet="dock", tenant="northlight").episodic.recall("gripper", relevance="hybrid")
    assert embedded.count("gripper slipped") == 1
    mem.reindex()
    tech.episodic.recall("gripper", relevance="hybrid")
    assert embedded.count("gripper slipped") == 2
