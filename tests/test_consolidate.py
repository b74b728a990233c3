"""The sleep cycle: each memory is read once, nothing is believed unreviewed, no answer does harm."""

import json
import os
import shutil
from contextlib import suppress

import pytest
from helpers import START, connection, everything, opened, run_python, sizes, tables
from hypothesis import given, settings
from hypothesis import strategies as st
from test_processes import WHO, assert_whole, ended, failing_at, start, together  # noqa: F401

import teachmem
from teachmem import InvalidInput, MemoryRefused, ModelUnavailable
from teachmem.flow import consolidate, due
from teachmem.flow.answer import Unusable, claims_of
from teachmem.flow.models import ScriptedModel
from teachmem.ledger.database import Transaction
from teachmem.recall.vectors import ExactIndex
from teachmem.vocabulary import SYSTEM_KINDS, Tier


@pytest.fixture
def mem():
    with opened() as memory:
        yield memory


@pytest.fixture
def tech(mem):
    return mem.agent("dock-1", fleet="dock", tenant="northlight")


def lead(mem):
    return mem.person("shift-lead", fleet="dock", tenant="northlight")


def filled(tech, number=4, **more):
    return [
        tech.working.write(
            f"arm-{n}", "observed", "drift", f"arm {n} drifts after lunch", **more
        ).memory.memory_id
        for n in range(number)
    ]


def facts(*told, **more):
    return json.dumps({"facts": list(told), **more})


def fact(content, *evidence, **more):
    return {"content": content, "evidence": list(evidence), **more}


def candidates(mem):
    """Return every candidate with its draft, past every rule."""
    with connection(mem) as raw:
        found = raw.execute(
            "SELECT candidate_id, state, reason, draft, agent, role FROM candidates ORDER BY seq"
        )
        return [(*row[:3], json.loads(row[3])["draft"], *row[4:]) for row in found]


def drafts(mem):
    return [row[3] for row in candidates(mem)]


def read_sources(mem):
    with connection(mem) as raw:
        return sorted(source for (source,) in raw.execute("SELECT source FROM promotions"))


# ---- the run ---------------------------------------------------------------------------------------


def test_a_run_proposes_logs_one_event_and_marks_its_batch_in_one_go(mem, tech):
    notes = filled(tech)
    report = tech.consolidate(ScriptedModel())
    assert (report.outcome, report.read, len(report.proposed)) == ("proposed", 4, 1)
    (candidate, state, reason, draft, agent, role) = candidates(mem)[0]
    assert report.proposed == (candidate,)
    assert (state, agent, role) == ("staged", "dock-1", "system")
    assert draft["content"] == "arm 0, 1, 2, 3 drifts after lunch"
    assert draft["evidence"] == notes
    assert report.run in reason
    assert [waiting.candidate_id for waiting in lead(mem).review.inbox()] == [candidate]
    assert read_sources(mem) == sorted(notes)
    events = tech.episodic.recent()
    assert [event.kind for event in events] == ["consolidation"]
    assert candidate in events[0].content
    assert (events[0].source, events[0].is_inferred) == ("inferred", True)
    assert events[0].seq == report.audit_seq
    assert not tech.semantic.search("arm drifts after lunch").hits
    assert mem.audit.verify().status == "complete"


def test_a_second_run_over_nothing_new_calls_no_model_and_writes_nothing(mem, tech):
    filled(tech)
    tech.consolidate(ScriptedModel())
    before, model = everything(mem), ScriptedModel()
    report = tech.consolidate(model)
    assert (report.outcome, report.read, model.calls) == ("nothing due", 0, [])
    assert everything(mem) == before


def test_a_run_reads_what_is_new_however_old_it_is(mem, tech):
    filled(tech)
    tech.consolidate(ScriptedModel())
    late = tech.episodic.log("observation", "the belt broke", happened_at=START.replace(year=2019)).memory
    model = ScriptedModel()
    assert tech.consolidate(model).read == 1
    assert model.calls[0][1].count("\n") == 0
    assert late.memory_id in model.calls[0][1]


def test_each_reads_their_own_notes_and_nobody_elses(mem, tech):
    other = mem.agent("dock-2", fleet="dock", tenant="northlight")
    namesake = mem.agent("dock-1", fleet="line", tenant="northlight", clearance=2)
    filled(tech)
    for reader in (other, namesake):
        assert reader.consolidate(ScriptedModel()).outcome == "nothing due"
    assert tech.consolidate(ScriptedModel()).read == 4


def test_a_session_can_be_consolidated_alone(mem, tech):
    filled(tech, 2, session="s1")
    filled(tech, 3, session="s2")
    assert tech.consolidate(ScriptedModel(), session="s2").read == 3
    assert tech.consolidate(ScriptedModel()).read == 2


def test_what_is_withdrawn_or_the_systems_own_is_not_due(mem, tech):
    filled(tech)
    tech.working.clear(subject="arm-0")
    assert tech.consolidate(ScriptedModel()).read == 3
    assert tech.consolidate(ScriptedModel()).read == 0


def test_a_run_is_bounded_and_says_that_more_is_due(mem, tech, monkeypatch):
    monkeypatch.setattr(due, "MOST_ROWS", 3)
    notes = filled(tech, 7)
    seen = []
    for read in (3, 3, 1, 0):
        model = ScriptedModel()
        report = tech.consolidate(model)
        assert (report.read, report.more) == (read, len(notes) - len(seen) - read > 0)
        seen += [note for note in notes if any(note in text for _, text in model.calls)]
    assert seen == notes


def test_one_endless_note_blocks_nothing(mem, tech, monkeypatch):
    monkeypatch.setattr(due, "BUDGET", 200)
    tech.working.write("arm", "observed", "log", "the arm moved " * 3000)
    notes = filled(tech, 2)
    model = ScriptedModel()
    assert tech.consolidate(model).read == 2
    assert "moved" not in model.calls[0][1]
    assert set(notes) < set(read_sources(mem))
    assert tech.consolidate(ScriptedModel()).outcome == "nothing due"


# ---- what a proposal may be ----------------------------------------------------------------------


def test_claims_without_ground_are_dropped_counted_and_say_nothing_about_other_peoples_ids(mem, tech):
    notes = filled(tech)
    held = tech.semantic.remember("the canteen closes at two").memory.memory_id
    stranger = mem.agent("line-3", fleet="line", tenant="northlight")
    hidden = stranger.working.write("belt", "observed", "noise", "belt three squeaks").memory.memory_id
    foreign = (
        mem.agent("cold-1", fleet="cold", tenant="southgate").episodic.log("observation", "door open").memory
    )
    answer = facts(
        fact("arms drift", *notes[:2], confidence=0.8),
        fact("invented", "note-9999"),
        fact("half invented", notes[0], "note-9999"),
        fact("not in the batch", held),
        fact("out of scope", hidden),
        fact("another tenant's", foreign.memory_id),
        fact("no evidence"),
    )
    report = tech.consolidate(ScriptedModel(answer), limit=10)
    assert [draft["content"] for draft in drafts(mem)] == ["arms drift"]
    assert {name: number for name, number in report.counts.items() if number} == {
        "evidence_not_found": 4,
        "evidence_not_in_batch": 1,
        "without_evidence": 1,
    }
    assert hidden not in str(report)


def test_a_proposal_is_never_wider_or_better_sourced_than_its_evidence(mem, tech):
    open_note, private = (filled(tech, 1, visibility=seen)[0] for seen in ("team", "agent"))
    boast = {
        "visibility": "org",
        "source": "person",
        "status": "confirmed",
        "keystone": True,
        "is_inferred": False,
    }
    answer = facts(
        fact("from the open one", open_note, **boast),
        fact("from both", open_note, private, confidence=1, **boast),
    )
    tech.consolidate(ScriptedModel(answer))
    open_draft, mixed = drafts(mem)
    assert (open_draft["visibility"], mixed["visibility"]) == ("team", "agent")
    assert {draft["source"] for draft in (open_draft, mixed)} == {None}  # what the writer is: inferred
    assert open_draft["confidence"] == 0.5
    assert tech.episodic.recent()[0].visibility == "agent"


@pytest.mark.parametrize("kind", [*SYSTEM_KINDS[Tier.SEMANTIC], "document", "no such kind"])
def test_a_kind_that_no_model_may_give_becomes_a_fact(mem, tech, kind):
    (note,) = filled(tech, 1)
    tech.consolidate(ScriptedModel(facts(fact("always restart twice", note, kind=kind))))
    assert [draft["kind"] for draft in drafts(mem)] == ["fact"]


def test_more_facts_than_were_asked_for_are_not_taken(mem, tech):
    (note,) = filled(tech, 1)
    report = tech.consolidate(ScriptedModel(facts(*(fact(f"fact {n}", note) for n in range(9)))), limit=2)
    assert (len(report.proposed), report.counts["over_the_limit"]) == (2, 7)


def test_what_already_waits_or_is_held_is_not_proposed_again(mem, tech):
    (note,) = filled(tech, 1)
    answer = facts(fact("Arms drift.", note), fact("arms  DRIFT", note))
    report = tech.consolidate(ScriptedModel(answer))
    assert (len(report.proposed), report.counts["already_known"]) == (1, 1)
    filled(tech, 3)
    again = tech.consolidate(ScriptedModel(facts(fact("arms drift", tech.working.read()[0].memory_id))))
    assert (again.outcome, again.proposed, again.counts["already_known"]) == ("proposed", (), 1)
    assert tech.consolidate(ScriptedModel()).outcome == "nothing due"


def test_a_rejected_value_is_shown_to_no_model_and_proposed_by_none(mem, tech):
    texts = ("The door code is 4411", "arm 1 drifts", "arm 2 drifts")
    ids = [tech.working.write("x", "observed", "y", text).memory.memory_id for text in texts]
    fact_id = tech.semantic.remember("the door code is 4411").memory.memory_id
    lead(mem).semantic.reject(fact_id, "never share codes")
    model = ScriptedModel(facts(fact("the DOOR code is 4411.", ids[1]), fact("arms drift", *ids[1:])))
    report = tech.consolidate(model)
    assert (report.read, report.skipped_tombstoned, len(report.proposed)) == (2, 1, 1)
    assert "4411" not in model.calls[0][1] + "".join(draft["content"] for draft in drafts(mem))
    assert read_sources(mem) == sorted(ids[1:])  # the rejection has withdrawn the note that said it too


def test_the_loop_asks_the_checker_that_it_is_handed(mem, tech):
    filled(tech)

    def everything_is(tx, who, draft, now):
        return True

    model = ScriptedModel()
    report = consolidate.consolidate(tech._kit, tech.principal, model, rejected=everything_is)
    assert (report.outcome, report.skipped_tombstoned, model.calls) == ("nothing due", 4, [])


# ---- models that fail, and models that mean harm ---------------------------------------------------

DEEP = "[" * 100_000
UNUSABLE = {
    "empty": "",
    "blank": " \n\t",
    "words": "I am sorry, I cannot do that.",
    "half": '{"facts": [{"content": "arms dri',
    "no facts": "{}",
    "nothing said": facts(),
    "facts is text": '{"facts": "arms drift"}',
    "an entry is text": facts("arms drift"),
    "one bad entry": facts(fact("arms drift", "note-0001"), {"content": "x"}),
    "content is a number": facts({"content": 7, "evidence": ["note-0001"]}),
    "evidence is text": facts({"content": "arms drift", "evidence": "note-0001"}),
    "evidence is null": facts({"content": "arms drift", "evidence": [None]}),
    "not a number": '{"facts": [{"content": "x", "evidence": ["note-0001"], "confidence": NaN}]}',
    "too sure": facts(fact("arms drift", "note-0001", confidence=2)),
    "kind is a list": facts(fact("arms drift", "note-0001", kind=["rule"])),
    "deep": DEEP,
    "deep in an object": '{"facts": ' + DEEP,
    "many digits": '{"facts": [{"content": "x", "evidence": [], "confidence": ' + "9" * 10_000 + "}]}",
    "only invented ids": facts(fact("arms drift", "note-9999")),
    "a character that no text holds": facts(fact("arms\x00drift", "note-0001")),
    "half a surrogate pair": facts(fact("arms \ud800", "note-0001")),
    "blank content": facts(fact(" ", "note-0001")),
    "endless": facts(fact("x" * 200_000, "note-0001")),
    "a predicate of its own": facts(fact("x", "note-0001", subject="a", predicate="obey", object="b")),
    "half a triple": facts(fact("x", "note-0001", predicate="contains")),
    "no text": None,
}
FAILURES = [ModelUnavailable("too late"), TimeoutError(), ConnectionError(), KeyError("x"), RecursionError()]


@pytest.mark.parametrize("answer", UNUSABLE.values(), ids=UNUSABLE)
def test_an_unusable_answer_changes_nothing_and_the_batch_stays_due(mem, tech, answer):
    filled(tech)
    before = everything(mem)

    class Model:
        name = "hostile"

        def complete(self, instructions, text, *, most_tokens=1024):
            return answer

    report = tech.consolidate(Model())
    assert (report.outcome, report.proposed, report.more) == ("unusable answer", (), True)
    assert everything(mem) == before
    assert tech.consolidate(ScriptedModel()).read == 4


@pytest.mark.parametrize("failure", FAILURES, ids=repr)
def test_a_model_that_fails_changes_nothing_and_the_batch_stays_due(mem, tech, failure):
    filled(tech)
    before = everything(mem)
    report = tech.consolidate(ScriptedModel(failure))
    assert report.outcome == "no answer"
    assert "nothing was changed" in str(report)
    assert everything(mem) == before
    assert tech.consolidate(ScriptedModel()).read == 4


def test_a_model_that_says_there_is_nothing_has_read_the_batch(mem, tech):
    filled(tech)
    report = tech.consolidate(ScriptedModel(facts(nothing=True)))
    assert (report.outcome, report.proposed) == ("proposed", ())
    assert "proposed nothing" in tech.episodic.recent()[0].content
    assert tech.consolidate(ScriptedModel()).outcome == "nothing due"


def test_the_wrapping_of_an_answer_may_be_sloppy(mem, tech):
    told = facts(fact("arms drift", "note-0001"))
    for answer in (f"```json\n{told}\n```", f"Here you are: {told} - anything else?", f"[see below]\n{told}"):
        assert [claim.content for claim in claims_of(answer)] == ["arms drift"]
    assert claims_of(json.dumps([fact("arms drift", "note-0001")]))[0].evidence == ("note-0001",)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner) | st.dictionaries(st.sampled_from(["facts", "content", "evidence", "x"]), inner)
    ),
    max_leaves=12,
)


@given(st.text() | json_values.map(json.dumps) | json_values.map(lambda value: json.dumps({"facts": value})))
def test_any_answer_is_a_list_of_claims_or_unusable(answer):
    with suppress(Unusable):
        assert all(isinstance(claim.content, str) for claim in claims_of(answer))


ids = st.sampled_from(["note-0001", "note-0002", "note-0009", "x"])


@settings(max_examples=40)
@given(st.lists(st.tuples(st.text(max_size=30), st.lists(ids)), max_size=8))
def test_whatever_is_claimed_only_what_rests_on_the_batch_is_proposed(claims):
    """Against a plain model: a claim with a ground and a text is proposed once a value, within the limit."""
    with opened() as mem:
        tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
        filled(tech, 2)
        before = sizes(mem)
        report = tech.consolidate(ScriptedModel(facts(*(fact(text, *ids) for text, ids in claims))))
        grounded = [ids for _, ids in claims[:5] if ids and set(ids) <= {"note-0001", "note-0002"}]
        assert len(report.proposed) <= len(grounded)
        assert set(map(len, map(set, [report.proposed]))) == {len(report.proposed)}
        for draft in drafts(mem):
            assert (draft["content"], draft["evidence"]) in [
                (text, list(dict.fromkeys(ids))) for text, ids in claims[:5]
            ]
        if report.outcome != "proposed":
            assert sizes(mem) == before
        assert not tech.semantic.list().memories
        assert mem.audit.verify().status == "complete"


@pytest.mark.parametrize("limit", [0, -1, 21, True, 1.5, "5", None])
def test_a_limit_that_is_none_is_refused(tech, limit):
    with pytest.raises(InvalidInput):
        tech.consolidate(ScriptedModel(), limit)


def test_who_only_reads_and_what_is_no_model_are_refused(mem, tech):
    reader = mem.agent("dock-9", fleet="dock", tenant="northlight", clearance=0)
    with pytest.raises(MemoryRefused):
        reader.consolidate(ScriptedModel())
    with pytest.raises(InvalidInput):
        tech.consolidate("a model")


# ---- two at once, and death at every step ----------------------------------------------------------

RACER = (
    WHO
    + """
from teachmem.flow.models import ScriptedModel

class Slow(ScriptedModel):
    def complete(self, instructions, text, *, most_tokens=1024):
        answer = super().complete(instructions, text)
        wait()  # both have read the batch and asked before either writes
        return answer

mem, who = open_for(sys.argv[1], "dock-1")
report = who.consolidate(Slow())
print(json.dumps([report.outcome, len(report.proposed), str(report)]))
"""
)


def test_of_two_processes_at_once_one_proposes_and_the_other_is_told(tmp_path, start):  # noqa: F811
    path = tmp_path / "store.db"
    with teachmem.open_memory(path) as mem:
        filled(mem.agent("dock-1", fleet="dock", tenant="northlight"))
    racers = [start(RACER, path) for _ in range(2)]
    together(*racers)
    told = sorted(map(ended, racers))
    assert [outcome[:2] for outcome in told] == [["overtaken", 0], ["proposed", 1]]
    assert "nothing was changed" in told[0][2]
    with tables(path) as raw:
        counts = [
            raw.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in ("candidates", "promotions")
        ]
        events = raw.execute("SELECT count(*) FROM memories WHERE kind = 'consolidation'").fetchone()[0]
    assert (counts, events) == ([1, 4], 1)
    assert_whole(path)


DYING = (
    WHO
    + """
from teachmem.flow.models import ScriptedModel
from teachmem.ledger.database import Transaction
from teachmem.recall.vectors import ExactIndex
run = Transaction.run

def die(path, place):
    mem, who = open_for(path, "dock-1")
    left = iter([None] * (place - 1))

    def dying(self, *rest, **binds):
        if next(left, "none") == "none":
            os._exit(9)
        return run(self, *rest, **binds)

    Transaction.run = dying
    who.consolidate(ScriptedModel())
    os._exit(0)

codes = []
for place, path in enumerate(sys.argv[1:], 1):
    child = os.fork()
    if not child:
        die(path, place)
    codes.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
print(json.dumps(codes))
"""
)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the next test asks the same of a system without fork")
@pytest.mark.in_file("copies the file of a store")
def test_a_run_killed_before_any_one_statement_has_done_nothing_and_is_due_again(tmp_path):
    paths = [tmp_path / f"{number}.db" for number in range(1, 51)]
    with opened(paths[0]) as mem:
        filled(mem.agent("dock-1", fleet="dock", tenant="northlight"), 2)
    for path in paths[1:]:
        shutil.copy(paths[0], path)
    codes = json.loads(run_python(DYING, *paths))
    died = codes.count(9)
    assert codes == [9] * died + [0] * (len(paths) - died)
    assert 15 <= died < len(paths)
    for code, path in zip(codes[: died + 1], paths, strict=False):
        with teachmem.open_memory(path, vectors=ExactIndex()) as mem:
            report = mem.agent("dock-1", fleet="dock", tenant="northlight").consolidate(ScriptedModel())
            assert report.outcome == ("proposed" if code else "nothing due")
            assert len(candidates(mem)) == 1
            assert mem.audit.verify().status == "complete"


def test_a_statement_that_fails_takes_the_whole_run_with_it(mem, tech, monkeypatch):
    filled(tech)
    before, failed = everything(mem), 0
    while everything(mem) == before:
        with monkeypatch.context() as patch:
            patch.setattr(Transaction, "run", failing_at(failed + 1))
            try:
                tech.consolidate(ScriptedModel())
            except OSError:
                failed += 1
    assert failed >= 15
    assert len(candidates(mem)) == 1
    assert mem.audit.verify().status == "complete"


def test_what_was_withdrawn_while_the_model_thought_carries_nothing(mem, tech):
    notes = filled(tech)

    class Meanwhile(ScriptedModel):
        def complete(self, instructions, text, *, most_tokens=1024):
            tech.working.clear(subject="arm-0")
            return super().complete(instructions, text)

    answer = facts(fact("from the cleared one", notes[0]), fact("from another", notes[1]))
    report = tech.consolidate(Meanwhile(answer))
    assert [draft["content"] for draft in drafts(mem)] == ["from another"]
    assert report.counts["evidence_not_found"] == 1
    assert notes[0] not in read_sources(mem)
