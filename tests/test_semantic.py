"""The semantic tier: search against a plain loop, versions, pages, and what a reader may change."""

import math
from collections import Counter
from datetime import UTC, datetime, timedelta
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import teachmem
from teachmem.errors import IndexUnavailable, InvalidInput, MemoryRefused, NotFound
from teachmem.recall import hybrid, score, text
from teachmem.recall.embed import HashingEmbedder
from teachmem.recall.vectors import ExactIndex

NOON = datetime(2026, 3, 15, 12, tzinfo=UTC)


@pytest.fixture
def clock():
    return teachmem.LessonClock(NOON)


@pytest.fixture
def mem(clock):
    with opened(clock) as memory:
        yield memory


def opened(clock, vectors=None):
    return teachmem.open_memory(
        clock=clock, ids=teachmem.CountedIds(), embedder=HashingEmbedder(), vectors=vectors
    )


@pytest.fixture
def tech(mem):
    return agent(mem)


def agent(mem, name="dock-1", fleet="dock", clearance=1):
    return mem.agent(name, fleet=fleet, tenant="northlight", clearance=clearance)


def remembered(handle, content, **more):
    return handle.semantic.remember(content, **more).memory.memory_id


def found(recollection):
    return [hit.memory.memory_id for hit in recollection]


# ---- search ------------------------------------------------------------------------------------------

SENTENCES = st.lists(
    st.lists(
        st.sampled_from("gripper hoist dryer pads belt dock valve 四番 グリッパー".split()),
        min_size=1,
        max_size=6,
    ).map(" ".join),
    min_size=1,
    max_size=25,
    unique=True,
)


@settings(max_examples=60)
@given(
    SENTENCES,
    st.sampled_from(["gripper pads", "hoist", "四番 valve", "nothing like it"]),
    st.integers(1, 8),
    st.sampled_from([None, ["plan"]]),
    st.sampled_from([0, hybrid.FEW]),
)
def test_search_equals_a_plain_loop_over_all_facts(sentences, query, k, kinds, few):
    with opened(teachmem.LessonClock(NOON)) as mem, mock.patch.object(hybrid, "FEW", few):
        tech = agent(mem)
        plans, ids = [], {}
        for number, sentence in enumerate(sentences):
            kind = "fact" if number % 5 else "plan"
            ids[remembered(tech, sentence, kind=kind)] = sentence
            plans += [] if number % 5 else [next(reversed(ids))]
        hits = tech.semantic.search(query, k=k, kinds=kinds)
        embedder, asked = HashingEmbedder(), tuple(dict.fromkeys(text.terms(query)))
        corpus = score.Corpus.of(text.terms(sentence) for sentence in ids.values())
        words = {i: score.relevance(asked, text.terms(s), corpus) for i, s in ids.items()}
        vectors = embedder.embed(list(ids.values()))
        cosines = (vectors @ embedder.embed([query])[0]).round(6).tolist()
        meaning = dict(zip(ids, cosines, strict=True))
        wanted = ids if kinds is None else plans
        best_word, best_meaning = max(words[i] for i in wanted), max(meaning[i] for i in wanted)
        plain = {
            i: hybrid.WEIGHTS["words"] * (words[i] / best_word if best_word > 0 else 0)
            + hybrid.WEIGHTS["meaning"] * (max(0, meaning[i]) / best_meaning if best_meaning > 0 else 0)
            for i in wanted
        }
        expected = sorted(plain, key=lambda i: -plain[i])[:k]
        assert [hit.score for hit in hits] == pytest.approx([plain[i] for i in expected], abs=1e-5)
        for hit in hits:
            assert hit.score == pytest.approx(plain[hit.memory.memory_id], abs=1e-5)
            assert math.fsum(hit.parts.values()) == pytest.approx(hit.score)


def test_a_hit_says_where_it_stood_in_each_list(tech):
    exact = remembered(tech, "spare part HX-2207 fits the wrist joint")
    remembered(tech, "the canteen closes at two")
    hit = tech.semantic.search("HX-2207", k=1)[0]
    assert hit.memory.memory_id == exact
    assert hit.ranks["words"] == 1
    assert set(hit.raw) == set(hit.parts) == {"words", "meaning"}


def test_documents_are_found_only_where_they_are_asked_for(mem, tech):
    steward = mem.person("data-officer", fleet="dock", tenant="northlight", clearance=3)
    rows = [
        {
            "id": f"NL-{n:04d}",
            "name": "Gripper",
            "model": "Tern 2",
            "category": "arm",
            "summary": "It grips boxes.",
        }
        for n in range(80)
    ]
    assert {receipt.verdict for receipt in steward.load_catalogue(rows)} == {"accepted"}
    fact = remembered(tech, "the gripper slips on wet boxes")
    assert found(tech.semantic.search("gripper boxes", k=5)) == [fact]
    assert len(tech.semantic.search_documents("gripper boxes", k=5)) == 5
    again = steward.load_catalogue([*rows[:3], {**rows[3], "summary": "It lifts."}])
    assert [receipt.verdict for receipt in again] == ["duplicate"] * 3 + ["accepted"]
    assert tech.semantic.stats()["documents"] == 80


def test_only_a_steward_loads_the_catalogue(mem):
    lead = mem.person("shift-lead", fleet="dock", tenant="northlight")
    row = {"id": "NL-1", "name": "Arm", "model": "Tern", "category": "arm", "summary": "Lifts."}
    with pytest.raises(MemoryRefused, match="clearance"):
        lead.load_catalogue([row])


def test_kinds_narrow_and_unknown_ones_are_refused(tech):
    fact = remembered(tech, "we paint the hoist")
    plan = remembered(tech, "we paint the hoist tomorrow", kind="plan")
    assert set(found(tech.semantic.search("hoist"))) == {fact, plan}
    assert found(tech.semantic.search("hoist", kinds=["plan"])) == [plan]
    for wrong in (["document"], ["song"], "plan"):
        with pytest.raises(InvalidInput, match="kinds"):
            tech.semantic.search("hoist", kinds=wrong)


def test_few_of_a_kind_among_many_are_all_found_whichever_way_they_are_looked_up(tech, monkeypatch):
    for number in range(400):
        kind = "plan" if number % 10 == 0 else "fact"
        remembered(tech, f"hoist {number} of bay {number % 7}", kind=kind)
    monkeypatch.setattr(hybrid, "PROPOSED", 8)
    answers = []
    for few in (0, hybrid.FEW):
        monkeypatch.setattr(hybrid, "FEW", few)
        answers.append(tech.semantic.search("bay 3", k=4, kinds=["plan"]))
        everything = tech.semantic.search("hoist", k=100, kinds=["plan"])
        assert len(everything) == 40
        assert {hit.memory.kind for hit in everything} == {"plan"}
    one, other = ([(hit.memory.memory_id, hit.score) for hit in answer] for answer in answers)
    assert one == other


def test_what_shares_no_word_is_still_found_while_the_vectors_cannot_be_asked(mem, tech, monkeypatch):
    def down(*_):
        raise IndexUnavailable("it is down")

    for number in range(100):
        remembered(tech, f"the hoist runs {number}")
    monkeypatch.setattr(mem._kit.near.index, "search", down)
    answer = tech.semantic.search("winch", k=3)
    assert len(answer) == 3
    assert "it is down" in answer.note


def test_a_small_scope_is_never_starved_by_a_large_one(mem, tech):
    other = agent(mem, "line-3", "line")
    for number in range(300):
        remembered(other, f"the hoist motor number {number} overheats")
    own = [remembered(tech, f"our hoist {word} overheats") for word in ("motor", "cable", "brake")]
    assert set(found(tech.semantic.search("hoist motor overheats", k=3))) == set(own)


def test_lapsed_facts_do_not_stand_in_the_way(tech):
    for number in range(300):
        remembered(tech, f"the hoist stands still {number}", valid_to=NOON - timedelta(hours=1))
    live = remembered(tech, "the hoist runs")
    assert found(tech.semantic.search("hoist stands still", k=3)) == [live]
    past = tech.semantic.search("hoist stands still", k=3, at=NOON - timedelta(hours=2))
    assert len(past) == 3


class LyingIndex(ExactIndex):
    """An index that forgets to forget, and proposes what it should not know."""

    def __init__(self):
        super().__init__()
        self.foreign = []

    def drop(self, tenant, ids):
        pass

    def search(self, tenant, partitions, vector, k):
        return [(memory_id, 1.0) for memory_id in self.foreign] + super().search(
            tenant, partitions, vector, k
        )


def test_the_table_decides_whatever_an_index_still_holds(clock):
    lying = LyingIndex()
    with opened(clock, lying) as mem:
        tech, other = agent(mem), agent(mem, "line-3", "line")
        gone = remembered(tech, "the door code is 4411")
        hidden = remembered(other, "the door code of the line is 5522")
        tech.semantic.search("door code")
        tech.semantic.retract(gone, "never share codes")
        lying.foreign = [gone, hidden, "fact-9999"]
        assert not tech.semantic.search("door code", k=5)


@pytest.mark.parametrize(
    "query", ["", "???", "the of and", "x" * 100_000, "\ud800", "a\x00b", 'retry OR "', "四番"]
)
def test_an_odd_question_gets_an_answer(tech, query):
    remembered(tech, "the hoist runs")
    assert len(tech.semantic.search(query, k=3)) <= 1


def test_nothing_near_enough_is_said(tech):
    remembered(tech, "the hoist runs")
    answer = tech.semantic.search("zzzz qqqq", k=1)
    assert answer.settings["answered"] is False
    assert "close enough" in answer.note


def test_why_not_names_kind_rank_and_status(mem, tech):
    best = remembered(tech, "hoist motor overheats")
    plan = remembered(tech, "hoist motor repair", kind="plan")
    far = remembered(tech, "canteen closes at two")
    answer = tech.semantic.search("hoist motor overheats", k=1, kinds=["fact"])
    assert found(answer) == [best]
    assert "plan" in str(answer.why_not(plan))
    assert "stands at 2" in str(answer.why_not(far))
    assert str(answer.why_not(best)).endswith("was in the answer")
    with pytest.raises(NotFound):
        answer.why_not(remembered(agent(mem, "line-3", "line"), "elsewhere"))


# ---- many at once ------------------------------------------------------------------------------------


def test_one_bad_item_never_sinks_the_batch(tech):
    items = [
        {"content": "one"},
        {"content": ""},
        {"content": "two", "kind": "rule"},
        {"contents": "x"},
        {"content": "three"},
    ]
    receipts = tech.semantic.remember_many(items)
    assert [receipt.verdict for receipt in receipts] == [
        "accepted",
        "refused",
        "refused",
        "refused",
        "accepted",
    ]
    assert all(receipt.steps[-1].reason for receipt in receipts[1:4])
    assert tech.semantic.stats()["facts"] == 2


# ---- versions ----------------------------------------------------------------------------------------


def test_a_revision_is_a_new_version_and_the_old_one_stays_readable(tech, clock):
    fact = remembered(tech, "bay two is run by the night lead", confidence=0.4)
    then = clock.now()
    clock.advance(days=1)
    receipt = tech.semantic.revise(fact, content="bay two is run by the day lead")
    assert (receipt.verdict, receipt.memory.version, receipt.memory.confidence) == ("accepted", 2, 0.4)
    assert tech.semantic.get(fact, known_at=then).content.endswith("night lead")
    assert [version.version for version in tech.semantic.history(fact)] == [1, 2]
    assert found(tech.semantic.search("night lead", k=1, known_at=then)) == [fact]
    assert tech.semantic.search("bay two", k=1)[0].memory.content.endswith("day lead")


def test_a_revision_without_a_difference_writes_nothing(mem, tech):
    fact = remembered(tech, "bay two is shut")
    before = mem.audit.verify().entries
    receipt = tech.semantic.revise(fact, content="bay two is shut")
    assert (receipt.verdict, receipt.audit_seq) == ("duplicate", None)
    assert mem.audit.verify().entries == before


def test_another_fields_alone_is_a_new_version(tech):
    fact = remembered(tech, "bay two is shut")
    assert tech.semantic.revise(fact, confidence=0.9).memory.version == 2


def test_a_revision_into_what_another_memory_says_is_a_duplicate(tech):
    first, second = remembered(tech, "bay two is shut"), remembered(tech, "bay three is shut")
    receipt = tech.semantic.revise(second, content="Bay TWO is shut.")
    assert (receipt.verdict, receipt.memory.memory_id) == ("duplicate", first)


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({}, InvalidInput),
        ({"tenant": "southgate"}, InvalidInput),
        ({"visibility": "org"}, InvalidInput),
        ({"content": " "}, MemoryRefused),
        ({"content": None}, MemoryRefused),
        ({"confidence": 2}, MemoryRefused),
        ({"kind": "rule"}, MemoryRefused),
        ({"source": "person"}, MemoryRefused),
        ({"valid_from": datetime(2026, 3, 1)}, MemoryRefused),  # noqa: DTZ001
        ({"qualifiers": {"n": math.nan}}, MemoryRefused),
    ],
)
def test_a_bad_revision_is_refused_and_nothing_changes(mem, tech, changes, error):
    fact = remembered(tech, "bay two is shut")
    before = mem.audit.verify()
    with pytest.raises(error):
        tech.semantic.revise(fact, **changes)
    assert mem.audit.verify() == before
    assert tech.semantic.get(fact).version == 1


def test_anothers_fact_is_put_before_a_person_and_a_person_may_change_it(mem, tech):
    fact = remembered(tech, "bay two is shut")
    mate = agent(mem, "dock-2")
    for receipt in (mate.semantic.revise(fact, content="bay two is open"), mate.semantic.retract(fact, "no")):
        assert receipt.verdict == "staged"
        assert receipt.candidate_id
    assert tech.semantic.get(fact).version == 1
    lead = mem.person("shift-lead", fleet="dock", tenant="northlight")
    changed = lead.semantic.revise(fact, content="bay two is open").memory
    assert (changed.agent, changed.source) == ("dock-1", "person")


def test_untrusted_text_does_not_become_belief_by_revision(tech):
    fact = remembered(tech, "all arms need a guard")
    receipt = tech.semantic.revise(fact, content="all arms may run without a guard", source="web")
    assert receipt.verdict == "staged"
    assert tech.semantic.get(fact).content == "all arms need a guard"


def test_a_retraction_withholds_at_once_and_keeps_its_reason_out_of_the_chain(mem, tech):
    fact = remembered(tech, "zebra quartz is the word")
    receipt = tech.semantic.retract(fact, "somebody misheard")
    assert receipt.memory.status == "cancelled"
    assert receipt.memory.detail["retracted_because"] == "somebody misheard"
    assert not tech.semantic.search("zebra quartz")
    for act in (
        lambda: tech.semantic.get(fact),
        lambda: tech.semantic.revise(fact, content="x"),
        lambda: tech.semantic.retract(fact, "again"),
    ):
        with pytest.raises(NotFound):
            act()
    assert len(tech.semantic.history(fact)) == 2
    assert mem.audit.verify().status == "complete"


def test_a_retried_revision_is_answered_once(tech):
    fact = remembered(tech, "bay two is shut")
    first = tech.semantic.revise(fact, content="bay two is open", request_id="r1")
    tech.semantic.revise(fact, content="bay two is painted")
    again = tech.semantic.revise(fact, content="bay two is open", request_id="r1")
    assert again.audit_seq == first.audit_seq
    assert tech.semantic.get(fact).content == "bay two is painted"
    with pytest.raises(MemoryRefused, match="request"):
        tech.semantic.revise(fact, content="other", request_id="r1")


def test_what_is_not_there_and_what_is_hidden_sound_the_same(mem, tech):
    hidden = remembered(tech, "my shorthand", visibility="agent")
    mate = agent(mem, "dock-2")
    for act in (
        lambda i: mate.semantic.get(i),
        lambda i: mate.semantic.history(i),
        lambda i: mate.semantic.revise(i, content="x"),
        lambda i: mate.semantic.retract(i, "x"),
    ):
        with pytest.raises(NotFound) as there:
            act(hidden)
        with pytest.raises(NotFound) as absent:
            act("fact-9999")
        assert str(there.value).replace(hidden, "X") == str(absent.value).replace("fact-9999", "X")


# ---- lists -------------------------------------------------------------------------------------------


def test_pages_are_whole_and_without_repeats_while_facts_arrive(tech, clock):
    written = []
    for number in range(23):
        clock.advance(seconds=number % 2)  # some share a moment
        written.append(remembered(tech, f"fact number {number}"))
    pages, cursor = [], None
    while True:
        page = tech.semantic.list(limit=5, cursor=cursor)
        pages += [memory.memory_id for memory in page]
        cursor = page.cursor
        if cursor is None:
            break
        remembered(tech, f"arrived meanwhile {len(pages)}")
    assert pages == written[::-1]


@pytest.mark.parametrize("cursor", ["", "x", "bm8=", 5, "WzEsIDJd"])
def test_a_cursor_of_ones_own_making_is_refused(tech, cursor):
    with pytest.raises(InvalidInput, match="cursor"):
        tech.semantic.list(cursor=cursor)


def test_filters_leave_out_what_lacks_the_field(tech):
    plain = remembered(tech, "no triple here")
    edge = remembered(tech, "hoist needs dryer", subject="hoist", predicate="depends_on", object="dryer")
    assert {memory.memory_id for memory in tech.semantic.list()} == {plain, edge}
    for filters in ({"subject": "hoist"}, {"predicate": "depends_on"}, {"object": "dryer"}):
        assert [memory.memory_id for memory in tech.semantic.list(**filters)] == [edge]
    with pytest.raises(InvalidInput, match="subject"):
        tech.semantic.list(subject="")


def test_the_counts_are_those_of_a_loop_over_every_fact(mem, tech, clock):
    other, line = agent(mem, "dock-2"), agent(mem, "line-3", "line")
    steward = mem.person("data-officer", fleet="dock", tenant="northlight", clearance=3)
    steward.load_catalogue(
        [{"id": "NL-1", "name": "Arm", "model": "T", "category": "arm", "summary": "Lifts."}]
    )
    for number, handle in enumerate([tech, other, line, steward] * 4):
        triple = {"subject": f"s{number}", "predicate": "contains", "object": "o"} if number % 3 else {}
        kind = ("fact", "plan", "task")[number % 3]
        own = {"visibility": "agent"} if number % 5 == 0 else {}
        since = {"valid_from": NOON + timedelta(hours=number - 8)}
        remembered(handle, f"number {number}", kind=kind, **triple, **own, **since)
    clock.advance(hours=2)
    for handle in (tech, other, line, steward):
        for times in (
            {},
            {"at": NOON - timedelta(hours=6)},
            {"known_at": NOON},
            {"known_at": NOON - timedelta(1)},
        ):
            facts = handle.semantic.list(limit=1000, **times)
            documents = handle.semantic.list(limit=1000, kind="document", **times)
            told = handle.semantic.stats(**times)
            assert (told["facts"], told["documents"]) == (len(facts), len(documents))
            assert told["triples"] == sum(bool(fact.predicate) for fact in facts)
            for name, field in (("kinds", "kind"), ("sources", "source"), ("authors", "agent")):
                counted = Counter(str(getattr(fact, field)) for fact in facts)
                assert told[name] == counted
                assert list(told[name]) == sorted(counted)


# ---- the embedder of a store -------------------------------------------------------------------------


def test_another_embedder_is_refused_with_the_command_that_helps(tmp_path, clock):
    path = tmp_path / "store.db"
    with teachmem.open_memory(path, clock=clock, embedder=HashingEmbedder(), vectors=ExactIndex()) as mem:
        remembered(agent(mem), "the hoist runs")

    class Other(HashingEmbedder):
        name = "another"

    with pytest.raises(teachmem.StoreError, match=r"hashing.*another.*reindex"):
        teachmem.open_memory(path, clock=clock, embedder=Other(), vectors=ExactIndex())
    with teachmem.open_memory(path, clock=clock, embedder=HashingEmbedder(), vectors=ExactIndex()) as mem:
        assert len(agent(mem).semantic.search("hoist")) == 1


def test_a_vector_stands_in_the_table_and_is_that_of_the_text(mem, tech):
    fact = remembered(tech, "the hoist runs")
    near = mem._kit.near
    with mem._kit.database.read() as tx:
        kept = near.vector_of(tx, fact, 1)
    assert np.array_equal(kept, HashingEmbedder().embed(["the hoist runs"])[0])
