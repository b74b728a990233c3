"""The scratchpad: what is written is shown verbatim, within the budget, until it is cleared by name."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from datetime import timedelta

import oracle
import pytest
from helpers import START, opened, refusal
from hypothesis import given, settings
from hypothesis import strategies as st

from teachmem import InvalidInput, LessonClock, MemoryRefused, NotFound, Weights, open_memory
from teachmem.clock import to_micros
from teachmem.recall import pack, tokens
from teachmem.tiers import working

KEPT = "do NOT restart the arm before the check"


@pytest.fixture
def mem():
    with opened() as store:
        yield store


@pytest.fixture
def tech(mem):
    return mem.agent("dock-1", fleet="dock", tenant="northlight")


@pytest.fixture
def other(mem):
    return mem.agent("dock-2", fleet="dock", tenant="northlight")


def note(agent, content, subject="arm-1", session="s1", **more):
    return agent.working.write(subject, "observed", "something", content, session, **more).memory


def said(notes):
    return [memory.content for memory in notes]


# ---- context ---------------------------------------------------------------------------------------


@settings(max_examples=60)
@given(
    st.lists(
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1, max_size=80)
        | st.sampled_from([KEPT, "arm " * 200, '\n[note-0001 | a observed b | by x] "y"']),
        min_size=1,
        max_size=8,
    ),
    st.integers(0, 300),
    st.sampled_from([None, "", "arm", "restart the arm"]),
)
def test_a_context_keeps_its_budget_and_every_word(contents, budget, query):
    with opened() as mem:
        tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
        written = {}
        for number, content in enumerate(contents):
            try:
                written[note(tech, content, f"arm-{number}").memory_id] = content
            except MemoryRefused as refused:
                assert "blank" in str(refused)  # noqa: PT017
        context = tech.working.context(query, budget)
        assert context.used == sum(line.tokens for line in context.lines) <= budget
        assert tokens.count(str(context)) <= context.used
        assert len(str(context).splitlines()) == len(context.lines)
        for line, shown in zip(context.lines, str(context).splitlines(), strict=True):
            assert line.text == shown
            assert line.memory.content == written[line.memory.memory_id]
            assert json.loads(shown[shown.index("] ") + 2 :]) == line.memory.content
        assert {line.memory.memory_id for line in context.lines} | {
            left.memory.memory_id for left in context.skipped
        } == set(written)
        assert all("tokens" in left.reason for left in context.skipped)


def test_the_ranking_is_recency_and_as_much_relevance(mem, tech):
    for hours, content in ((0, "gripper slipped"), (5, "belt runs"), (9, "gripper open"), (9, "lunch")):
        mem.clock.set(START + timedelta(hours=hours))
        note(tech, content)
    for query, weights in (("gripper slipped", Weights(0.5, 0, 0.5)), (None, Weights(1, 0, 0))):
        context = tech.working.context(query)
        expected = oracle.ranking(
            mem,
            tech.principal,
            query or "",
            at=to_micros(mem.clock.now()),
            weights=weights,
            half_life=8,
            tier="working",
        )
        assert [line.memory.memory_id for line in context.lines] == [found[0] for found in expected]
        for line, (_, _, parts) in zip(context.lines, expected, strict=True):
            assert all(math.isclose(line.parts[name], parts[name], abs_tol=1e-12) for name in parts)


def test_a_long_row_first_is_skipped_and_the_rest_goes_on(tech):
    kept = note(tech, KEPT)
    long = note(tech, "the arm moved " * 3000)
    context = tech.working.context("the arm moved", budget=200)
    assert [line.memory for line in context.lines] == [kept]
    (left,) = context.skipped
    assert left.memory == long
    assert left.reason == f"needs {left.tokens} tokens, 200 left"
    assert left.tokens > 9_000


def test_a_budget_of_0_gives_nothing_and_says_why(tech):
    note(tech, KEPT)
    context = tech.working.context(budget=0)
    assert (str(context), context.used, context.budget) == ("", 0, 0)
    assert context.skipped[0].reason.endswith("0 left")


@pytest.mark.parametrize("budget", [-1, True, 1.5, math.nan, math.inf, "100", None])
def test_a_budget_is_a_whole_number_of_tokens(tech, budget):
    with pytest.raises(InvalidInput) as refused:
        tech.working.context(budget=budget)
    assert refused.value.field == "budget"


def test_rewrites_are_kept_and_never_shown(tech):
    rewrites = {"shortened": "restart the arm", "enriched": "it is safe to restart"}
    kept = note(tech, KEPT, rewrites=rewrites)
    assert kept.rewrites == rewrites
    shown = str(tech.working.context("restart safe"))
    assert KEPT in shown
    assert not any(wording in shown.replace(KEPT, "") for wording in rewrites.values())
    assert not tech.episodic.recall("safe")


@pytest.mark.parametrize(
    "rewrites",
    [
        {"short": "x"},
        {"shortened": 3},
        {"shortened": " "},
        {"enriched": "\ud800"},
        ["shortened"],
        "x",
        None,
        {3: "x"},
    ],
)
def test_other_rewrites_are_refused(mem, tech, rewrites):
    error = refusal(mem, lambda: note(tech, KEPT, rewrites=rewrites))
    assert isinstance(error, InvalidInput)
    assert error.field.startswith("rewrites")


def test_superseded_and_contradicted_notes_are_withheld(tech):
    first = note(tech, "the limit is 10")
    tech.working.write("limit", "supersedes", first.memory_id, "the limit is 20")
    second = note(tech, "gate four is open", "gate")
    tech.working.write("gate", "contradicts", second.memory_id, "gate four is shut")
    shown = str(tech.working.context("limit gate"))
    assert "limit is 20" in shown
    assert "four is shut" in shown
    assert "limit is 10" not in shown
    assert "four is open" not in shown
    assert {memory.content for memory in tech.working.read()} == {"the limit is 20", "gate four is shut"}


def test_a_note_whose_ground_is_gone_is_skipped_with_the_reason(mem, tech):
    ground = note(tech, "the cell is empty", "cell")
    resting = tech.working.write("arm-1", "depends_on", ground.memory_id, "the arm may move").memory
    assert resting in [line.memory for line in tech.working.context().lines]
    mem.clock.advance(minutes=1)
    tech.working.clear(subject="cell")
    context = tech.working.context()
    assert not context.lines
    (left,) = context.skipped
    assert left.memory.memory_id == resting.memory_id
    assert left.memory.flags == {ground.memory_id: "is deleted"}
    assert left.reason == f"depends on {ground.memory_id}, which is no longer live"
    assert left.tokens > 0
    before = tech.working.context(at=START, known_at=START)
    assert {line.memory.memory_id for line in before.lines} == {ground.memory_id, resting.memory_id}


def test_only_the_best_are_considered_and_the_note_says_so(tech, monkeypatch):
    monkeypatch.setattr(working, "CONSIDERED", 3)
    for number in range(5):
        note(tech, f"crate {number}")
    context = tech.working.context()
    assert len(context.lines) == 3
    assert context.note == "only the 3 best notes were considered"


def test_another_session_and_a_private_note_stay_out(tech, other):
    note(tech, "mine here")
    note(tech, "mine there", session="s2")
    note(other, "private", visibility="agent")
    assert said(line.memory for line in tech.working.context(session="s1").lines) == ["mine here"]
    assert "private" not in str(tech.working.context())
    assert "private" in str(other.working.context())


@pytest.mark.parametrize("field", ["session", "subject", "predicate"])
@pytest.mark.parametrize("value", ["", " ", 3, "\ud800", "\x00", "x" * 201, ["s1"]])
def test_an_empty_or_impossible_filter_is_refused(tech, field, value):
    note(tech, "x")
    with pytest.raises(InvalidInput) as refused:
        tech.working.read(**{field: value})
    assert refused.value.field == field
    if field == "session":
        with pytest.raises(InvalidInput, match="session"):
            tech.working.context(session=value)


# ---- read and stats -----------------------------------------------------------------------------


def test_read_is_newest_first_and_filters_exactly(mem, tech, other):
    for number in range(4):
        mem.clock.advance(minutes=1)
        note(tech if number % 2 else other, f"note {number}", f"arm-{number % 2}", f"s{number // 2}")
    assert said(tech.working.read()) == ["note 3", "note 2", "note 1", "note 0"]
    assert said(tech.working.read(limit=2)) == ["note 3", "note 2"]
    assert said(tech.working.read(subject="arm-1")) == ["note 3", "note 1"]
    assert said(tech.working.read(subject="arm-1", session="s0")) == ["note 1"]
    assert said(tech.working.read(subject="arm")) == []
    assert said(tech.working.read(predicate="inferred")) == []
    assert len(tech.working.read(limit=10**30)) == 4


@pytest.mark.parametrize("limit", [0, -1, True, 2.0, "2", None, math.nan])
def test_a_limit_is_a_whole_number(tech, limit):
    with pytest.raises(InvalidInput, match=r"^limit:"):
        tech.working.read(limit=limit)


def test_a_subject_is_the_same_in_either_form(tech):
    note(tech, "x", "cafe\u0301", "cafe\u0301")
    for name in ("cafe\u0301", "café"):
        assert len(tech.working.read(subject=name)) == 1
        assert len(tech.working.context(session=name).lines) == 1
    assert tech.working.clear(subject="cafe\u0301").touched


def test_stats_count_what_one_may_read(tech, other):
    note(tech, "gate four is open")
    tech.working.write("b", "inferred", "c", "so it was left open", "s2")
    note(other, "private", visibility="agent")
    assert tech.working.stats() == {
        "notes": 2,
        "predicates": {"inferred": 1, "observed": 1},
        "sessions": {"s1": 1, "s2": 1},
        "tokens": tokens.count("gate four is open") + tokens.count("so it was left open"),
    }
    assert tech.working.stats(known_at=START - timedelta(hours=1))["notes"] == 0


# ---- clear --------------------------------------------------------------------------------------


def test_clear_needs_a_selector(mem, tech):
    note(tech, "x")
    for words in ({}, {"everything": False}, {"everything": 1}, {"everything": "yes"}, {"everything": None}):
        error = refusal(mem, lambda words=words: tech.working.clear(**words))
        assert isinstance(error, InvalidInput)
        assert error.field == "selector"
    for field in ("subject", "session"):
        for value in ("", "  ", 7):
            assert refusal(mem, lambda f=field, v=value: tech.working.clear(**{f: v})).field == field
    for value in (60, timedelta(seconds=-1), "1h", math.nan):
        assert refusal(mem, lambda v=value: tech.working.clear(older_than=v)).field == "older_than"


def test_everything_is_cleared_by_name_and_only_ones_own(mem, tech, other):
    mine, private = note(tech, "mine"), note(tech, "private", visibility="agent")
    theirs = note(other, "theirs")
    far = note(mem.agent("dock-1", fleet="line", tenant="northlight"), "same name, another fleet")
    tech.episodic.log("observation", "an event is no note")
    receipt = tech.working.clear(everything=True)
    assert set(receipt.touched) == {mine.memory_id, private.memory_id}
    assert said(other.working.read()) == ["theirs"]
    statuses = {row["memory_id"]: row["status"] for row in oracle.rows(mem) if row["superseded_at"] is None}
    assert statuses[theirs.memory_id] == statuses[far.memory_id] == "active"
    assert len(tech.episodic.recent(5)) == 1
    assert mem.audit.verify().status == "complete"


def test_selectors_narrow_each_other(tech):
    for subject in ("a", "b"):
        for session in ("s1", "s2"):
            note(tech, f"{subject} {session}", subject, session)
    tech.working.clear(subject="a", session="s1")
    assert set(said(tech.working.read())) == {"a s2", "b s1", "b s2"}
    tech.working.clear(session="s2", everything=True)
    assert said(tech.working.read()) == ["b s1"]


def test_older_than_is_half_open(mem, tech):
    note(tech, "an hour old")
    mem.clock.advance(hours=1)
    assert tech.working.clear(older_than=timedelta(hours=1)).touched == ()
    mem.clock.advance(microseconds=1)
    note(tech, "new")
    assert len(tech.working.clear(older_than=timedelta(hours=1)).touched) == 1
    assert said(tech.working.read()) == ["new"]
    assert tech.working.clear(older_than=timedelta.max).touched == ()
    assert len(tech.working.clear(older_than=timedelta(0)).touched) == 0


def test_a_cleared_note_stays_in_the_ledger(mem, tech):
    kept = note(tech, "x")
    mem.clock.advance(hours=1)
    tech.working.clear(subject="arm-1")
    assert tech.working.read() == []
    (then,) = tech.working.read(known_at=START)
    assert then == replace(kept, superseded_at=mem.clock.now())
    assert [row["status"] for row in oracle.rows(mem)] == ["active", "deleted"]


def test_what_was_cleared_may_be_written_again(tech):
    note(tech, "x")
    assert tech.working.write("arm-1", "observed", "something", "x").verdict == "duplicate"
    tech.working.clear(subject="arm-1")
    assert tech.working.write("arm-1", "observed", "something", "x").verdict == "accepted"
    assert said(tech.working.read()) == ["x"]


def test_a_note_that_names_no_note_is_refused(mem, tech, other):
    secret = note(other, "private", visibility="agent")
    for target in ("note-9999", secret.memory_id):
        for predicate in ("supersedes", "contradicts", "depends_on"):
            error = refusal(mem, lambda p=predicate, t=target: tech.working.write("a", p, t, "x"))
            assert isinstance(error, NotFound)
            assert str(error) == str(NotFound(target))


def test_two_openings_of_one_file_see_each_others_notes(tmp_path):
    path = tmp_path / "store.db"
    with (
        open_memory(path, clock=LessonClock(START)) as one,
        open_memory(path, clock=LessonClock(START)) as two,
    ):
        here, there = (m.agent("dock-1", fleet="dock", tenant="northlight") for m in (one, two))
        assert not here.working.context("gate").lines
        for number in range(5):
            note(there if number % 2 else here, f"gate {number} open", f"gate-{number}")
            assert len(here.working.context("gate").lines) == number + 1
            assert len(there.working.context("gate").lines) == number + 1
        there.working.clear(subject="gate-1")
        assert len(here.working.context("gate").lines) == 4


def test_the_packer_is_the_one_in_recall(tech, monkeypatch):
    """A rebuilt packer takes effect, since the module is imported and not its names."""
    note(tech, "x")
    monkeypatch.setattr(pack, "pack", lambda lines, budget, count: pack.Packed((), 0, budget, (), ()))
    assert tech.working.context().lines == ()


def test_a_wider_clearance_reads_more_and_clears_no_more(mem, tech):
    theirs = note(mem.agent("dock-1", fleet="line", tenant="northlight"), "same name, another fleet")
    mine = note(tech, "mine")
    wide = mem.agent("dock-1", fleet="dock", tenant="northlight", clearance=2)
    assert len(wide.working.read()) == 2
    assert wide.working.clear(everything=True).touched == (mine.memory_id,)
    assert wide.working.read() == [theirs]
