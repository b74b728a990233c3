"""Erasure: every version, whoever quotes it, every read, every byte; the chain whole; nothing half done."""

from __future__ import annotations

import ctypes
import json
import sqlite3
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest
from helpers import START, connection, everything, opened, refusal, run_python, start_python, stop
from hypothesis import given, settings
from hypothesis import strategies as st

import teachmem
from teachmem import InvalidInput, LessonClock, MemoryRefused, NotFound
from teachmem.flow import nodes
from teachmem.ledger import rows, scrub
from teachmem.normal import normal_form
from teachmem.recall import embed, place, wiped
from teachmem.recall.chroma import ChromaIndex
from teachmem.recall.vectors import ExactIndex
from teachmem.rules import quote

SECRET = "Zebra quartz is the private word"


def store_at(path: Path, **more) -> teachmem.MemoryStore:
    return teachmem.open_memory(path, clock=LessonClock(START), **more)


def agent(mem, name="dock-1", fleet="dock", tenant="northlight", clearance=1):
    return mem.agent(name, fleet=fleet, tenant=tenant, clearance=clearance)


def person(mem, name="shift-lead", fleet="dock", tenant="northlight", clearance=1):
    return mem.person(name, fleet=fleet, tenant=tenant, clearance=clearance)


def found_in(folder: Path, *needles: str | bytes) -> list[tuple[str, object]]:
    """Return every file below `folder` that holds one of the texts (UTF-8, UTF-16) or bytes."""
    wanted = []
    for needle in needles:
        if isinstance(needle, bytes):
            wanted.append(needle)
        else:
            wanted += [
                said.encode(code)
                for said in {needle, needle.lower(), normal_form(needle)}
                for code in ("utf-8", "utf-16-le", "utf-16-be")
            ]
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return [(path.name, needle) for path in files for needle in wanted if needle in path.read_bytes()]


@pytest.fixture
def mem():
    with opened() as memory:
        yield memory


# ---- what it reaches ---------------------------------------------------------------------------


def test_every_version_is_emptied_and_the_chain_stays_complete(mem):
    tech, lead = agent(mem), person(mem)
    fact = tech.semantic.remember(
        SECRET,
        subject="zebra",
        predicate="related_to",
        object="quartz",
        confidence=0.9,
        qualifiers={"said by": "zebra"},
    ).memory
    mem.clock.advance(hours=1)
    then = mem.clock.now()
    mem.clock.advance(hours=1)
    tech.semantic.revise(fact.memory_id, content=SECRET + ", still")
    tech.semantic.retract(fact.memory_id, "zebra is not to be named")
    digests = [version.content_digest for version in tech.semantic.history(fact.memory_id)]
    done = lead.forget(fact.memory_id, "asked to")

    versions = tech.semantic.history(fact.memory_id)
    assert [version.content_digest for version in versions] == digests
    for version in versions:
        assert version.is_erased
        assert version.status == "deleted"
        assert dict(version.detail) == {"erased": done.entry}
        said = (version.content, version.subject, version.predicate, version.object, dict(version.qualifiers))
        assert said == ("", "", "", "", {})
    kept = [row for row in everything(mem)["memories"] if row[0] == fact.memory_id]
    assert not any(isinstance(value, bytes) for row in kept for value in row)  # no salt, no vector
    for known_at in (None, then):
        assert not tech.semantic.search("zebra quartz", known_at=known_at)
        assert not tech.semantic.list(known_at=known_at)
        assert not tech.graph.edges(known_at=known_at)
        with pytest.raises(NotFound):
            tech.semantic.get(fact.memory_id, known_at=known_at)
    assert "zebra" not in repr(everything(mem)).lower()
    assert mem.audit.verify(deep=True).status == "complete"
    assert done.versions == 3
    assert done.state == scrub.ERASED


def test_the_entry_names_every_version_with_its_digest_and_holds_no_words(mem):
    tech, lead = agent(mem), person(mem)
    fact = tech.semantic.remember(SECRET).memory
    tech.semantic.revise(fact.memory_id, content="another word")
    before = {version.version: version.content_digest for version in tech.semantic.history(fact.memory_id)}
    done = lead.forget(fact.memory_id, "the words of the reason")
    body = json.loads(everything_of_audit(mem)[done.entry])
    assert body["action"] == "forget"
    assert body["resource"] == fact.memory_id
    touched = {item["version"]: (item["digest"], item["status"]) for item in body["touched"]}
    assert touched == {version: (digest, "deleted") for version, digest in before.items()}
    assert "words" not in json.dumps(body)
    assert body["reason"] == done.reason_digest
    assert rows.content_digest("another reason", bytes.fromhex(done.reason_salt)) != body["reason"]
    assert done.reason_salt not in repr(everything(mem))


def everything_of_audit(mem) -> dict[int, str]:
    return {json.loads(row[0])["seq"]: row[0] for row in everything(mem)["audit"]}


def test_what_was_derived_is_erased_if_it_quotes_it_and_flagged_if_not(mem):
    tech, lead = agent(mem), person(mem)
    root = tech.semantic.remember(SECRET).memory.memory_id
    quoting = tech.semantic.remember("They said: ZEBRA  quartz is the private word.", evidence=[root])
    beside = tech.semantic.remember("Somebody chose a word", evidence=[root])
    far = tech.semantic.remember(
        "zebra quartz is the private word, twice removed", evidence=[beside.memory.memory_id]
    )
    once = tech.semantic.remember("zebra quartz is the private word, then revised", evidence=[root])
    tech.semantic.revise(once.memory.memory_id, content="harmless now")
    apart = tech.semantic.remember("zebra quartz is the private word, by myself")
    done = lead.forget(root, "asked")

    erased = {each.memory.memory_id for each in (quoting, far, once)}
    assert set(done.derived) == erased
    assert done.flagged == (beside.memory.memory_id,)
    for each in erased:
        assert all(version.is_erased for version in tech.semantic.history(each))
    flagged = tech.semantic.get(beside.memory.memory_id)
    assert flagged.content == "Somebody chose a word"
    assert root in str(dict(flagged.detail))
    assert tech.semantic.get(apart.memory.memory_id).content.startswith("zebra")
    assert mem.audit.verify(deep=True).status == "complete"


def test_a_copy_that_somebody_made_independently_is_named_and_left(mem):
    tech, other, lead = agent(mem), agent(mem, "dock-2"), person(mem)
    hidden = agent(mem, "line-3", "line")
    one = tech.semantic.remember(SECRET).memory.memory_id
    two = other.semantic.remember(SECRET.upper()).memory.memory_id
    hidden.semantic.remember(SECRET)
    assert lead.forget(one, "asked").same_words == (two,)
    assert tech.semantic.get(two).content == SECRET.upper()


def test_rewrites_of_a_note_go_with_it_and_with_what_quotes_them(mem):
    tech, lead = agent(mem), person(mem)
    note = tech.working.write(
        "arm-1", "observed", "drift", SECRET, rewrites={"shortened": "the zebra matter"}
    ).memory.memory_id
    child = tech.semantic.remember("It is about the zebra matter again", evidence=[note]).memory.memory_id
    done = lead.forget(note, "asked")
    assert done.derived == (child,)
    assert "zebra" not in repr(everything(mem)).lower()
    assert not tech.working.read()
    assert "zebra" not in str(tech.working.context("zebra"))


def test_one_sentence_of_it_is_a_quote_however_an_answer_escapes_it(mem):
    tech, lead = agent(mem), person(mem)
    fact = tech.semantic.remember(
        'The store opens at six. The guard says "Zebra | quartz" at the door.\nNobody else may.'
    ).memory.memory_id
    answer = tech.ask("what does the guard say at the door?")
    assert fact in str(answer)
    logged = answer.state.logged.memory.memory_id
    other = tech.semantic.remember("Doors have guards", evidence=[fact]).memory.memory_id
    waits = tech.semantic.remember("The guard says zebra", evidence=[fact], source="web").candidate_id
    done = lead.forget(fact, "asked")
    assert done.derived == (logged,)
    assert done.flagged == (other,)
    assert "zebra | quartz" not in repr(everything(mem)).lower().replace("\\\\u007c", "|")
    assert waits in [row[0] for row in everything(mem)["candidates"]]  # in words of its own, for a person
    again = tech.ask("what does the guard say at the door?")
    assert "zebra" not in str(again).lower()
    assert mem.audit.verify(deep=True).status == "complete"


def test_an_answer_whose_evidence_is_erased_meanwhile_is_not_logged(mem, monkeypatch):
    tech, lead = agent(mem), person(mem)
    fact = tech.semantic.remember("The zebra quartz is kept in bay two").memory.memory_id
    real = nodes.respond

    def slow(state, means):
        lead.forget(fact, "asked")
        return real(state, means)

    monkeypatch.setattr(nodes, "respond", slow)
    answer = tech.ask("where is the zebra quartz kept?")
    assert any("not logged" in remark for remark in answer.state.remarks)
    assert "zebra" not in repr(everything(mem)).lower()


def test_an_event_leaves_recall_and_its_neighbours_stay(mem):
    tech, lead = agent(mem), person(mem)
    tech.episodic.log("observation", "gate four is open")
    event = tech.episodic.log("user_turn", SECRET).memory.memory_id
    tech.episodic.log("agent_response", "I shall keep it")
    for relevance in ("words", "hybrid"):
        assert event in [hit.memory.memory_id for hit in tech.episodic.recall("zebra", relevance=relevance)]
    lead.forget(event, "asked")
    for relevance in ("words", "hybrid"):
        answer = tech.episodic.recall("zebra", relevance=relevance)
        assert event not in [hit.memory.memory_id for hit in answer]
    assert len(tech.episodic.recent(10)) == 2
    assert "status" in str(answer.why_not(event)) or "trust" in str(answer.why_not(event))


def test_candidates_that_are_it_quote_it_or_ask_about_it_go_and_no_other(mem):
    tech, other, lead = agent(mem), agent(mem, "dock-2"), person(mem)
    fact = tech.semantic.remember(SECRET).memory.memory_id
    gone = [
        tech.semantic.remember("A page says zebra quartz is the private word", source="web"),
        other.semantic.revise(fact, content="Something else entirely"),
        tech.forget(fact, "please"),
    ]
    kept = tech.semantic.remember("A page says something else", source="web").candidate_id
    assert all(receipt.candidate_id for receipt in gone)
    done = lead.forget(fact, "asked")
    assert done.candidates == 3
    assert [row[0] for row in everything(mem)["candidates"]] == [kept]
    assert mem.audit.verify(deep=True).status == "complete"


def test_a_retry_is_still_answered_and_nothing_is_left_to_test_a_guess_against(mem):
    tech, lead = agent(mem), person(mem)
    first = tech.semantic.remember(SECRET, request_id="r1")
    other = tech.semantic.remember("unrelated", request_id="r2")
    done = lead.forget(first.memory.memory_id, "asked")
    assert done.requests == 1
    again = tech.semantic.remember(SECRET, request_id="r1")
    assert (again.verdict, again.audit_seq) == (first.verdict, first.audit_seq)
    assert again.memory.is_erased
    assert tech.semantic.remember("unrelated", request_id="r2").memory == other.memory
    kept = {row[4]: row for row in everything(mem)["requests"]}
    assert kept["r1"][5:7] == ("", b"")
    assert kept["r2"][5] != ""


def test_the_same_words_may_be_written_again_and_are_a_new_memory(mem):
    tech, lead = agent(mem), person(mem)
    fact = tech.semantic.remember(SECRET).memory.memory_id
    lead.forget(fact, "asked")
    again = tech.semantic.remember(SECRET)
    assert again.verdict == "accepted"
    assert again.memory.memory_id != fact


def test_an_erased_memory_cannot_be_changed_or_named_any_more(mem):
    tech, lead = agent(mem), person(mem)
    note = tech.working.write("arm-1", "observed", "drift", SECRET).memory.memory_id
    fact = tech.semantic.remember("It rests on something", evidence=[note]).memory.memory_id
    lead.forget(fact, "asked")
    for act in (
        lambda: tech.semantic.revise(fact, content="back again"),
        lambda: tech.semantic.retract(fact, "gone"),
        lambda: tech.semantic.remember("more", evidence=[fact]),
        lambda: tech.forget(fact, "again"),
    ):
        assert isinstance(refusal(mem, act), NotFound)


def test_no_file_brings_an_erased_memory_back(mem, tmp_path):
    tech, lead = agent(mem), person(mem)
    fact = tech.semantic.remember(SECRET).memory.memory_id
    kept = tech.semantic.remember("The canteen closes at two").memory.memory_id
    before = tmp_path / "before.jsonl"
    officer = person(mem, "data-officer", clearance=3)
    officer.export(before)
    lead.forget(fact, "asked")
    report = officer.load_export(before)
    assert [(name, why.split(":")[0]) for _, name, why in report.refused] == [(fact, "erased")]
    assert [each.memory_id for each in tech.semantic.list()] == [kept]
    after = tmp_path / "after.jsonl"
    officer.export(after)
    assert found_in(tmp_path, SECRET) == [(before.name, SECRET.encode())]
    with opened() as other:  # where it was never erased, the file is as good as any
        assert person(other, "data-officer", clearance=3).load_export(before).accepted == 2


def test_an_imported_memory_that_was_erased_here_stays_erased_when_it_is_imported_again(mem, tmp_path):
    path = tmp_path / "export.jsonl"
    with opened() as other:
        agent(other).semantic.remember(SECRET)
        person(other, "data-officer", clearance=3).export(path)
    officer = person(mem, "data-officer", clearance=3)
    officer.load_export(path)
    (held,) = agent(mem).semantic.list()
    officer.forget(held.memory_id, "asked")
    assert officer.load_export(path).duplicates == 1
    assert not agent(mem).semantic.list()


def test_nothing_brings_an_erased_memory_back_to_life(mem):
    tech, lead = agent(mem), person(mem)
    fact = tech.semantic.remember(SECRET).memory.memory_id
    lead.forget(fact, "asked")
    for status in ("active", "confirmed", "pending", "archived"):
        error = refusal(mem, lambda status=status: lead.set_status(fact, status, "it was useful"))
        assert isinstance(error, MemoryRefused)
    assert isinstance(refusal(mem, lambda: lead.semantic.reject(fact, "no")), NotFound)
    assert isinstance(refusal(mem, lambda: lead.keystone(fact)), NotFound)
    assert mem.audit.verify(deep=True).status == "complete"


# ---- who may -----------------------------------------------------------------------------------


def test_who_may_erase_what_is_the_table_of_the_semantics(mem):
    """Every principal against every row, with the table written out by hand as the oracle."""
    writers = [agent(mem), agent(mem, "line-3", "line"), person(mem, "shift-lead")]
    askers = [
        person(mem, "shift-lead"),
        person(mem, "dock-lead"),
        person(mem, "line-lead", "line"),
        person(mem, "dock-lead", clearance=0),
        person(mem, "walker", "lab", clearance=2),
        person(mem, "data-officer", "lab", clearance=3),
        person(mem, "data-officer", "lab", tenant="southgate", clearance=3),
    ]
    number = 0
    for writer in writers:
        for visibility in ("agent", "team"):
            for asker in askers:
                number += 1
                text = f"{visibility} words number {number} of {writer.principal.name}"
                row = writer.semantic.remember(text, visibility=visibility).memory
                who = asker.principal
                own = (who.fleet, who.name) == (row.fleet, row.agent)
                sees = who.tenant == row.tenant and (
                    own or (visibility == "team" and (who.fleet == row.fleet or who.clearance >= 2))
                )
                team = visibility == "team" and who.fleet == row.fleet
                steward = who.tenant == row.tenant and who.clearance == 3
                if who.clearance == 0:
                    expected: object = MemoryRefused
                elif own or team or steward:
                    expected = None
                else:
                    expected = MemoryRefused if sees else NotFound
                if expected is None:
                    assert who.tenant == row.tenant
                    assert asker.forget(row.memory_id, "asked").memory_id == row.memory_id
                else:
                    error = refusal(mem, lambda asker=asker, row=row: asker.forget(row.memory_id, "asked"))
                    assert type(error) is expected, (who, row)


def test_out_of_scope_answers_as_absent(mem):
    hidden = agent(mem, "line-3", "line").semantic.remember(SECRET).memory.memory_id
    for who in (agent(mem), person(mem)):
        told = [
            str(refusal(mem, lambda who=who, each=each: who.forget(each, "asked"))).replace(each, "X")
            for each in (hidden, "fact-9999")
        ]
        assert told[0] == told[1]
        for odd in (None, 7, "", "a\x00b", "\ud800", "x" * 500):
            assert isinstance(refusal(mem, lambda who=who, odd=odd: who.forget(odd, "asked")), NotFound)


@pytest.mark.parametrize("reason", ["", " ", None, 7, "a\x00b", "\ud800"])
def test_a_reason_that_is_none_is_refused(mem, reason):
    fact = agent(mem).semantic.remember(SECRET).memory.memory_id
    for who in (agent(mem), person(mem)):
        assert isinstance(refusal(mem, lambda who=who: who.forget(fact, reason)), InvalidInput)


def test_an_agent_only_asks_and_only_for_its_own(mem):
    tech, other = agent(mem), agent(mem, "dock-2")
    fact = tech.semantic.remember(SECRET).memory.memory_id
    first = tech.forget(fact, "please", request_id="f1")
    assert first.verdict == "staged"
    assert tech.forget(fact, "please", request_id="f1").candidate_id == first.candidate_id
    again = tech.forget(fact, "for another reason")
    assert (again.verdict, again.candidate_id) == ("duplicate", first.candidate_id)
    assert tech.semantic.get(fact).content == SECRET
    assert isinstance(refusal(mem, lambda: other.forget(fact, "please")), MemoryRefused)


def test_ids_that_the_person_may_not_see_are_counted_and_a_steward_sees_them(mem):
    tech, lead, officer = agent(mem), person(mem), person(mem, "data-officer", clearance=3)
    fact = tech.semantic.remember(SECRET).memory.memory_id
    private = tech.semantic.remember(f"note to self: {SECRET}", evidence=[fact], visibility="agent").memory
    done = lead.forget(fact, "asked")
    assert (done.derived, done.unseen) == ((), 1)
    assert private.memory_id not in done.as_json()
    assert officer.forget(fact, "look again").derived == (private.memory_id,)


def test_a_person_approves_what_an_agent_asks_and_that_is_the_erasure(mem):
    tech, lead, line = agent(mem), person(mem), person(mem, "line-lead", "line")
    fact = tech.semantic.remember(SECRET).memory.memory_id
    asked = tech.forget(fact, "the reason for it").candidate_id
    (waits,) = lead.review.inbox()
    assert waits.candidate_id == asked
    assert waits.target.memory_id == fact
    assert any("erases" in change for change in waits.changes)
    assert not line.review.inbox()
    receipt = lead.review.approve(waits)
    assert (receipt.verdict, receipt.candidate_id, receipt.touched) == ("accepted", asked, (fact,))
    assert tech.semantic.history(fact)[0].is_erased
    assert not lead.review.inbox()
    body = json.loads(everything_of_audit(mem)[receipt.audit_seq])
    assert (body["action"], body["candidates"], body["actor"]["name"]) == ("forget", [asked], "shift-lead")
    everywhere = repr(everything(mem)).lower()
    assert "zebra" not in everywhere
    assert "the reason" not in everywhere
    assert lead.forget(fact, "once more").entry == receipt.audit_seq
    assert scrub.pending(mem._database) is None
    assert mem.audit.verify(deep=True).status == "complete"


def test_a_wish_to_erase_that_a_person_turns_down_changes_nothing(mem):
    tech, lead = agent(mem), person(mem)
    fact = tech.semantic.remember(SECRET).memory.memory_id
    first = tech.forget(fact, "please").candidate_id
    lead.review.reject(first, "it is needed")
    assert tech.semantic.get(fact).content == SECRET
    again = tech.forget(fact, "I still wish it")
    assert again.verdict == "staged"
    assert again.candidate_id != first


def test_approving_what_is_erased_already_or_not_the_persons_is_refused(mem):
    tech, lead, officer = agent(mem), person(mem), person(mem, "data-officer", clearance=3)
    private = tech.semantic.remember(SECRET, visibility="agent").memory.memory_id
    asked = tech.forget(private, "please").candidate_id
    assert SECRET not in str(lead.review.inbox())  # a wish does not show what only its writer may read
    error = refusal(mem, lambda: lead.review.approve(asked))
    assert isinstance(error, teachmem.TeachmemError)
    assert officer.review.approve(asked).touched == (private,)
    assert mem.audit.verify(deep=True).status == "complete"


def test_a_tombstone_of_an_erased_value_keeps_its_print_alone(mem):
    tech, lead = agent(mem), person(mem)
    fact = tech.semantic.remember(SECRET, subject="zebra", predicate="related_to", object="quartz")
    lead.semantic.reject(fact.memory.memory_id, "never the zebra")
    other = tech.semantic.remember("The canteen closes at two").memory.memory_id
    lead.semantic.reject(other, "it closes at three")
    done = lead.forget(fact.memory.memory_id, "asked")
    assert done.tombstones == 1
    assert "zebra" not in repr(everything(mem)).lower()
    bare, whole = sorted(lead.tombstones(), key=lambda one: one.content is not None)
    assert (bare.content, bare.triple, bare.reason, bare.state) == (None, (), None, "standing")
    assert whole.reason == "it closes at three"
    for spelling in (SECRET, f" {SECRET.upper()} ."):
        assert isinstance(refusal(mem, lambda said=spelling: tech.semantic.remember(said)), MemoryRefused)
    assert mem.audit.verify(deep=True).status == "complete"
    lead.lift(bare.tombstone_id, "it may be said again")
    assert tech.semantic.remember(SECRET).verdict == "accepted"
    assert mem.audit.verify(deep=True).status == "complete"


def test_a_moratorium_of_an_erased_value_ends_without_its_words(mem):
    tech, lead = agent(mem), person(mem)
    fact = tech.semantic.remember(SECRET).memory.memory_id
    lead.semantic.reject(fact, "not this month", until=mem.clock.now() + timedelta(days=30))
    lead.forget(fact, "asked")
    mem.clock.advance(days=31)
    (ended,) = lead.review.inbox()
    assert "zebra" not in str(ended).lower()
    lead.review.approve(ended)
    assert tech.semantic.remember(SECRET).verdict == "accepted"


def test_deep_verification_finds_an_erasure_without_an_entry_and_an_entry_without_erasure(mem):
    tech, lead = agent(mem), person(mem)
    first, second = (tech.semantic.remember(f"{SECRET} {n}").memory.memory_id for n in range(2))
    lead.forget(first, "asked")
    assert mem.audit.verify(deep=True).status == "complete"
    with connection(mem) as raw:
        raw.execute("UPDATE memories SET content = ?, status = 'active' WHERE memory_id = ?", (SECRET, first))
    assert mem.audit.verify(deep=True).status == "broken"
    with connection(mem) as raw:
        raw.execute("UPDATE memories SET content = '', status = 'deleted' WHERE memory_id = ?", (first,))
        assert mem.audit.verify(deep=True).status == "complete"
        raw.execute(
            "UPDATE memories SET content = '', salt = NULL, status = 'deleted' WHERE memory_id = ?", (second,)
        )
    assert mem.audit.verify(deep=True).status == "broken"


# ---- the certificate ---------------------------------------------------------------------------


def test_the_certificate_says_what_it_cannot_reach_and_is_json(mem):
    tech, lead = agent(mem), person(mem)
    done = lead.forget(tech.semantic.remember(SECRET).memory.memory_id, "asked")
    told = json.loads(done.as_json())
    for word in ("exports", "backups", "checkpoints"):
        assert any(word in what for what in told["out_of_reach"])
        assert word in str(done)
    assert told["entry_hash"] in str(done)
    assert "zebra" not in (str(done) + done.as_json()).lower()
    report = mem.audit.verify()
    assert told["entry_hash"] == report.head


def test_erased_twice_writes_nothing_and_gives_the_same_certificate_without_the_reason(mem):
    tech, lead = agent(mem), person(mem)
    fact = tech.semantic.remember(SECRET).memory.memory_id
    first = lead.forget(fact, "asked")
    before = everything(mem)
    second = lead.forget(fact, "asked once more")
    assert everything(mem) == before
    assert (second.entry, second.entry_hash, second.versions) == (first.entry, first.entry_hash, 1)
    assert second.reason is None


def test_a_shared_server_and_a_foreign_index_are_named_as_out_of_reach():
    class Foreign(ExactIndex):
        def __init__(self):
            super().__init__()
            self.out_of_reach = "the files of somewhere else"

    with teachmem.open_memory(vectors=Foreign()) as mem:
        done = person(mem).forget(agent(mem).semantic.remember(SECRET).memory.memory_id, "asked")
    assert done.out_of_reach[-1] == "the files of somewhere else"


# ---- quoting -----------------------------------------------------------------------------------

words = st.text("abAB .!\u200b", min_size=1, max_size=30)


@given(words, words, words)
def test_a_text_inside_another_is_a_quote_in_any_spelling(before, text, after):
    form = normal_form(text)
    if len(form) >= quote.SHORT:
        assert quote.quotes(f"{before} {text.upper()} {after}", [form])
        assert quote.quotes(text, [form], derived=False)


@given(words, words)
def test_what_does_not_contain_it_is_no_quote(text, other):
    form, said = normal_form(text), normal_form(other)
    if form not in said:
        assert not quote.quotes(other, [form])


# ---- populations -------------------------------------------------------------------------------

steps = st.lists(
    st.tuples(
        st.sampled_from(["remember", "revise", "derive", "quote", "stage", "retract", "log", "note"]),
        st.integers(0, 9),
        st.integers(0, 9),
    ),
    min_size=1,
    max_size=14,
)


def populate(mem, script):
    """Run a script of writes; return the ids in order, with every text each has had and its parents."""
    tech = agent(mem)
    texts: dict[str, list[str]] = {}
    parents: dict[str, set[str]] = {}
    for number, (verb, first, second) in enumerate(script):
        ids = [each for each in texts if each.startswith("fact")]
        said = f"Zebra{number} quartz{first} secret{second} words"
        live = [each for each in ids if tech.semantic.history(each)[-1].status == "active"]
        at = live[first % len(live)] if live else None
        if verb == "log":
            texts[tech.episodic.log("observation", said).memory.memory_id] = [said]
        elif verb == "note":
            texts[tech.working.write("s", "observed", "o", said).memory.memory_id] = [said]
        elif verb == "remember" or at is None:
            made = tech.semantic.remember(said, request_id=f"r{number}").memory.memory_id
            texts[made] = [said]
        elif verb == "revise":
            tech.semantic.revise(at, content=said)
            texts[at].append(said)
        elif verb == "retract":
            tech.semantic.retract(at, f"because {texts[at][-1]}")
        elif verb == "stage":
            tech.semantic.remember(f"Page {number} says: {texts[at][0].upper()}", source="web")
        else:
            quoted = f"Child{number} heard: {texts[at][0].upper()}." if verb == "quote" else said
            made = tech.semantic.remember(quoted, evidence=[at]).memory.memory_id
            texts[made], parents[made] = [quoted], {at}
    return texts, parents


def descendants(parents, of):
    found = {of}
    while more := {child for child, above in parents.items() if above & found} - found:
        found |= more
    return found - {of}


@settings(max_examples=30)
@given(steps, st.integers(0, 30))
def test_in_any_population_what_is_erased_is_the_root_and_its_quoting_descendants(script, which):
    with opened() as mem:
        texts, parents = populate(mem, script)
        root = list(texts)[which % len(texts)]
        told = [normal_form(text) for text in texts[root]]
        quoting = {
            child
            for child in descendants(parents, root)
            if any(form in normal_form(text) for form in told for text in texts[child])
        }
        before = {row[0:2]: row for row in everything(mem)["memories"]}
        person(mem).forget(root, "asked")
        after = {row[0:2]: row for row in everything(mem)["memories"]}
        content = [column.name for column in rows.memories.c].index("content")
        for key, row in before.items():
            if key[0] in {root, *quoting}:
                assert after[key][content] == ""
            else:
                assert after[key][: content + 2] == row[: content + 2]
        tables = repr({name: kept for name, kept in everything(mem).items() if name != "memories"})
        assert not any(form in normal_form(tables) for form in told)
        assert mem.audit.verify(deep=True).status == "complete"
        tech = agent(mem)
        for text in texts[root]:
            for hit in [*tech.semantic.search(text, 50), *tech.episodic.recall(text, 50)]:
                assert hit.memory.memory_id not in {root, *quoting}


# ---- bytes -------------------------------------------------------------------------------------


def vector(text: str) -> bytes:
    return embed.to_bytes(embed.default().embed([text])[0])


@pytest.mark.parametrize("padding", [1, 40])
def test_no_byte_is_left_in_the_folder(tmp_path, padding):
    """Text of one page and of several, with its vector, in the database, its log and the Chroma folder."""
    long = " ".join([SECRET] * padding)
    with store_at(tmp_path / "s.db") as mem:
        tech, lead = agent(mem), person(mem)
        for number in range(30):
            tech.semantic.remember(f"filler number {number} about the gate")
        fact = tech.semantic.remember(long, subject="zebra", predicate="related_to", object="quartz")
        for number in range(30):
            tech.semantic.remember(f"more filler {number} about the hoist")
        tech.semantic.revise(fact.memory.memory_id, content=f"{long} again")
        tech.semantic.remember(f"quoting {long}", evidence=[fact.memory.memory_id])
        assert tech.semantic.search("zebra")
        needles = (SECRET, "zebra quartz", vector(long), vector(f"{long} again"), vector(f"quoting {long}"))
        assert found_in(tmp_path, *needles)
        done = lead.forget(fact.memory.memory_id, "asked")
        assert done.state == scrub.ERASED
        assert found_in(tmp_path, *needles) == []
        assert len(tech.semantic.search("gate hoist", k=100)) == 60
        assert found_in(tmp_path, *needles) == []
    assert found_in(tmp_path, *needles) == []


@settings(max_examples=8)
@given(steps, st.integers(0, 30))
def test_no_byte_is_left_of_any_population(tmp_path_factory, script, which):
    folder = tmp_path_factory.mktemp("population")
    with store_at(folder / "s.db", vectors=ExactIndex()) as mem:
        texts, _ = populate(mem, script)
        root = list(texts)[which % len(texts)]
        done = person(mem).forget(root, "asked")
        kept = [text for each in texts if each not in {root, *done.derived} for text in texts[each]]
        # what an independent memory says as well stays; here that is only who quotes without being erased
        words = [text for text in texts[root] if not any(normal_form(text) in normal_form(k) for k in kept)]
        assert found_in(folder, *words) == []


def test_while_somebody_reads_it_is_pending_and_the_next_opener_finishes(tmp_path):
    path = tmp_path / "s.db"
    with store_at(path, vectors=ExactIndex()) as mem:
        fact = agent(mem).semantic.remember(SECRET).memory.memory_id
    reader = sqlite3.connect(path, isolation_level=None)
    with store_at(path, vectors=ExactIndex()) as mem:
        agent(mem).semantic.remember("something after")
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM memories").fetchone()
        done = person(mem).forget(fact, "asked")
        assert done.state == scrub.A_READER
        assert not done.is_finished
        assert agent(mem).semantic.history(fact)[0].is_erased
        assert found_in(tmp_path, SECRET)  # still there, and said to be
        with store_at(path, vectors=ExactIndex()) as second:
            assert scrub.pending(second._database)
        reader.execute("ROLLBACK")
        reader.close()
    with store_at(path, vectors=ExactIndex()) as mem:
        assert scrub.pending(mem._database) is None
        assert found_in(tmp_path, SECRET) == []
        assert person(mem).forget(fact, "again").state == scrub.ERASED
        assert mem.audit.verify(deep=True).status == "complete"
    assert found_in(tmp_path, SECRET) == []


def test_forgetting_again_finishes_what_a_reader_held_up(tmp_path):
    path = tmp_path / "s.db"
    with store_at(path, vectors=ExactIndex()) as mem:
        fact = agent(mem).semantic.remember(SECRET).memory.memory_id
        with mem._database.read() as tx:
            assert tx.one(scrub._mark) is None
            assert not person(mem).forget(fact, "asked").is_finished
        assert person(mem).forget(fact, "asked").state == scrub.ERASED
        assert found_in(tmp_path, SECRET) == []


def test_a_mark_of_a_later_erasure_is_not_settled_by_an_earlier_one():
    with opened() as mem:
        with mem._database.write() as tx:
            scrub.mark(tx, "northlight/1")
        with mem._database.write() as tx:
            scrub.mark(tx, "northlight/2")
        scrub.settle(mem._database, "northlight/1")
        assert scrub.pending(mem._database) == "northlight/2"


def test_a_chroma_folder_left_by_another_installation_goes_too(tmp_path):
    path = tmp_path / "s.db"
    with store_at(path) as mem:
        fact = agent(mem).semantic.remember(SECRET).memory.memory_id
        assert agent(mem).semantic.search("zebra")
    assert found_in(place.beside(path), vector(SECRET))
    with store_at(path, vectors=ExactIndex()) as mem:  # as where chromadb is not installed
        assert person(mem).forget(fact, "asked").is_finished
    assert not place.beside(path).exists()


def test_a_chroma_folder_elsewhere_loses_it_when_it_is_next_opened(tmp_path):
    path, elsewhere = tmp_path / "s.db", tmp_path / "elsewhere"
    with store_at(path, vectors=elsewhere) as mem:
        fact = agent(mem).semantic.remember(SECRET).memory.memory_id
        agent(mem).semantic.remember("the gate is open")
        assert agent(mem).semantic.search("zebra")
    with store_at(path, vectors=ExactIndex()) as mem:
        person(mem).forget(fact, "asked")
    assert found_in(elsewhere, vector(SECRET))  # nobody knew of this folder
    with store_at(path, vectors=elsewhere) as mem:
        assert len(agent(mem).semantic.search("zebra gate")) == 1
        assert found_in(elsewhere, vector(SECRET)) == []


def test_what_an_interrupted_build_has_left_in_the_folder_goes_too(tmp_path):
    path = tmp_path / "s.db"
    with store_at(path) as mem:
        fact = agent(mem).semantic.remember(SECRET).memory.memory_id
        near = mem._kit.near
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(near.index, "passes", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
            with pytest.raises(KeyboardInterrupt):
                agent(mem).semantic.search("zebra")
    assert found_in(place.beside(path), vector(SECRET))
    with store_at(path) as mem:
        assert person(mem).forget(fact, "asked").is_finished
        assert found_in(tmp_path, SECRET, vector(SECRET)) == []


def test_a_store_that_is_opened_by_a_uri_is_written_anew_too(tmp_path):
    url = f"sqlite:///file:{tmp_path / 's.db'}?mode=rwc&uri=true"
    with store_at(url) as mem:
        fact = agent(mem).semantic.remember(SECRET).memory.memory_id
        for number in range(50):
            agent(mem).semantic.remember(f"filler {number}")
        assert person(mem).forget(fact, "asked").state == scrub.ERASED
        assert found_in(tmp_path, SECRET, vector(SECRET)) == []


def test_a_folder_that_cannot_be_deleted_is_pending_and_said(tmp_path, monkeypatch):
    path = tmp_path / "s.db"
    with store_at(path) as mem:
        fact = agent(mem).semantic.remember(SECRET).memory.memory_id
        assert agent(mem).semantic.search("zebra")
        with monkeypatch.context() as patched:
            patched.setattr(place.shutil, "rmtree", lambda *_, **__: None)
            done = person(mem).forget(fact, "asked")
            assert done.state.startswith(scrub.PENDING)
            assert "cannot be deleted" in done.state
        assert found_in(tmp_path, vector(SECRET))
    with store_at(path) as mem:
        assert scrub.pending(mem._database) is None
        assert found_in(tmp_path, vector(SECRET)) == []


@pytest.mark.skipif(wiped._libc is None, reason="the switch is glibc's")
def test_memory_that_is_handed_out_while_chroma_works_holds_no_old_words():
    lib = wiped._libc
    lib.malloc.restype, lib.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
    lib.free.argtypes = [ctypes.c_void_p]
    size = 100_000

    def old_words() -> bool:
        block = lib.malloc(size)
        guard = lib.malloc(64)  # keeps the block from going back to the system
        ctypes.memmove(block, SECRET.encode() * (size // len(SECRET)), size - 100)
        lib.free(block)
        again = lib.malloc(size)
        found = SECRET.encode() in ctypes.string_at(again, size)
        lib.free(again)
        lib.free(guard)
        return found

    assert old_words()
    with wiped.filled(), wiped.filled():
        assert not old_words()
    assert old_words()


def test_an_index_that_is_built_again_has_nothing_of_the_one_before(tmp_path):
    made = np.random.default_rng(7).normal(size=(61, 256)).astype(np.float32)
    ids = [f"fact-{number}" for number in range(61)]
    for turn in range(5):
        index = ChromaIndex(tmp_path / str(turn))
        index.put("northlight", "dock", ids, made + turn)
        assert found_in(tmp_path, (made + turn)[60].tobytes())
        index.forget()
        index.put("northlight", "dock", ids[:60], made[:60])
        index.search("northlight", ["dock"], made[0], 3)
        index.close()
        assert found_in(tmp_path, (made + turn)[60].tobytes()) == []


# ---- kills and other processes -----------------------------------------------------------------

KILLED = """
import os, sys, teachmem
from teachmem.ledger import eraser, journal, scrub
from teachmem.recall.vectors import ExactIndex
path, fact, moment = sys.argv[1:]
mem = teachmem.open_memory(path, vectors=ExactIndex())
def die(*_, **__): os._exit(9)
if moment == "rows":
    real = eraser.erase_memory
    eraser.erase_memory = lambda *a: (real(*a), die())
elif moment == "entry":
    journal.Change.finish = die
elif moment == "bytes":
    scrub.clean = die
elif moment == "settle":
    scrub.settle = die
mem.person("shift-lead", fleet="dock", tenant="northlight").forget(fact, "asked")
"""


@pytest.mark.parametrize("moment", ["rows", "entry", "bytes", "settle"])
def test_a_kill_leaves_nothing_half_done(tmp_path, moment):
    path = tmp_path / "s.db"
    with store_at(path, vectors=ExactIndex()) as mem:
        tech = agent(mem)
        fact = tech.semantic.remember(SECRET, request_id="r1").memory.memory_id
        tech.semantic.remember(f"quoting {SECRET}", evidence=[fact])
        before = everything(mem)
    process = start_python(KILLED, path, fact, moment)
    process.communicate(timeout=120)
    assert process.returncode == 9
    with store_at(path, vectors=ExactIndex()) as mem:
        assert mem.audit.verify(deep=True).status == "complete"
        if moment in ("rows", "entry"):
            assert everything(mem) == before
            assert agent(mem).semantic.get(fact).content == SECRET
        else:
            assert scrub.pending(mem._database) is None
            assert found_in(tmp_path, SECRET) == []
            assert agent(mem).semantic.history(fact)[0].is_erased


WATCHES = """
import sys, teachmem
with teachmem.open_memory(sys.argv[1]) as mem:
    tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
    for line in sys.stdin:
        found = [*tech.semantic.search("zebra quartz", 9), *tech.episodic.recall("zebra quartz", 9)]
        print(sum("zebra" in hit.memory.content.lower() for hit in found), flush=True)
"""


def test_another_process_with_the_store_open_stops_returning_it_at_once(tmp_path):
    path = tmp_path / "s.db"
    with store_at(path) as mem:
        tech = agent(mem)
        fact = tech.semantic.remember(SECRET).memory.memory_id
        event = tech.episodic.log("observation", SECRET).memory.memory_id
        tech.semantic.remember("the gate is open")
    process = start_python(WATCHES, path)
    try:

        def asked() -> int:
            process.stdin.write("?\n")
            process.stdin.flush()
            return int(process.stdout.readline())

        assert asked() == 2
        with store_at(path) as mem:
            for each in (fact, event):
                assert person(mem).forget(each, "asked").is_finished
        assert asked() == 0
    finally:
        stop(process)
    assert found_in(tmp_path, SECRET, vector(SECRET)) == []


ERASES = """
import sys, teachmem
from teachmem.recall.vectors import ExactIndex
with teachmem.open_memory(sys.argv[1], vectors=ExactIndex()) as mem:
    lead = mem.person("shift-lead", fleet="dock", tenant="northlight")
    for each in sys.argv[2:]:
        print(lead.forget(each, "asked").entry)
"""


def test_two_processes_erase_the_same_memories_and_each_is_erased_once(tmp_path):
    path = tmp_path / "s.db"
    with store_at(path, vectors=ExactIndex()) as mem:
        ids = [agent(mem).semantic.remember(f"{SECRET} {n}").memory.memory_id for n in range(12)]
    processes = [start_python(ERASES, path, *order) for order in (ids, ids[::-1])]
    told = []
    for process in processes:
        out, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
        told.append(out.split())
    assert told[0] == told[1][::-1]
    with store_at(path, vectors=ExactIndex()) as mem:
        report = mem.audit.verify(deep=True)
        assert (report.status, report.entries) == ("complete", 24)
        assert found_in(tmp_path, SECRET) == []


def test_a_read_only_store_still_opens_with_an_unfinished_erasure(tmp_path):
    out = run_python(
        """
import sys, teachmem
from teachmem.ledger import scrub
from teachmem.recall.vectors import ExactIndex
mem = teachmem.open_memory(sys.argv[1], vectors=ExactIndex())
with mem._database.write() as tx:
    scrub.mark(tx, "northlight/1")
scrub.clean = lambda database: scrub.PENDING + "attempt to write a readonly database"
again = teachmem.open_memory(sys.argv[1], vectors=ExactIndex())
print(scrub.pending(again._database))
""",
        tmp_path / "s.db",
    )
    assert out.strip() == "northlight/1"


def test_the_trail_of_an_erased_memory_says_what_its_versions_were():
    with opened() as mem:
        tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
        lead = mem.person("shift-lead", fleet="dock", tenant="northlight")
        memory_id = tech.semantic.remember("zebra quartz is the private word").memory.memory_id
        tech.semantic.retract(memory_id, "misheard")
        lead.forget(memory_id, "asked")
        *made, erased = lead.trail(memory_id)
        assert [one.status for one in made] == ["active", "cancelled"]
        assert (erased.action, erased.by) == ("forget", "shift-lead")
