"""The story as a lesson loads it: every row there, at its time, by its author, word for word."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import teachmem
from teachmem import CountedIds, LessonClock, StoreError
from teachmem.course import world

START = datetime(2026, 3, 1, tzinfo=UTC)
END = datetime(2026, 3, 15, 12, tzinfo=UTC)


def loaded(**choices):
    clock = LessonClock(START)
    mem = teachmem.open_memory(clock=clock, ids=CountedIds())
    try:
        return mem, clock, world.load(mem, clock, **choices)
    except BaseException:
        mem.close()
        raise


def visible(mem):
    """Return every event and note that anybody in the data may read, by id."""
    found = {}
    for row in (*world.rows("episodes"), *world.rows("notes")):
        handle = mem.agent(row["agent"], fleet=row["fleet"], tenant=row["tenant"])
        found[row["tenant"], row["fleet"]] = handle
    return {
        (handle.principal.tenant, memory.memory_id): memory
        for handle in found.values()
        for memory in (*handle.episodic.recent(1000), *handle.working.read(limit=1000))
    }


@pytest.fixture(scope="module")
def whole():
    mem, clock, ids = loaded(episodes=True, notes=True)
    clock.set(END)
    with mem:
        yield mem, ids


def test_the_data_is_found_and_parsed_once():
    assert world.rows("episodes") is world.rows("episodes")
    assert world.data_folder().joinpath("notes.jsonl").is_file()


def test_a_missing_data_folder_says_what_to_do(monkeypatch, tmp_path):
    monkeypatch.setattr(world, "PACKAGE", tmp_path / "src" / "teachmem")
    with pytest.raises(StoreError, match="reinstall teachmem, or work in a checkout"):
        world.data_folder()
    packed = tmp_path / "src" / "teachmem" / "data"
    packed.mkdir(parents=True)
    (packed / "episodes.jsonl").touch()
    assert world.data_folder() == packed


def test_ids_count_along_with_the_file(whole):
    _, ids = whole
    assert ids["ep-365"] == "event-0365"
    assert ids["nt-066"] == "note-0066"
    assert len(ids) == len(world.rows("episodes")) + len(world.rows("notes"))


def test_every_event_is_there_as_the_file_has_it(whole):
    mem, ids = whole
    there = visible(mem)
    for row in world.rows("episodes"):
        event = there[row["tenant"], ids[row["id"]]]
        assert event.content == row["content"]
        assert (event.kind, event.session, event.agent) == (row["kind"], row["session"], row["agent"])
        assert event.happened_at == datetime.fromisoformat(row["at"])
        assert event.visibility == "team"
        assert event.source == "agent"
        assert row["importance"] in (event.importance, None)
        assert "story" not in json.dumps(dict(event.detail))


def test_every_note_is_there_unless_a_later_one_acted_on_it(whole):
    mem, ids = whole
    there = visible(mem)
    retired = {
        row["object"] for row in world.rows("notes") if row["predicate"] in ("contradicts", "supersedes")
    }
    for row in world.rows("notes"):
        note = there.get((row["tenant"], ids[row["id"]]))
        assert (note is None) == (row["id"] in retired)
        if note is not None:
            assert note.content == row["content"]
            assert note.object == ids.get(row["object"], row["object"])
            rewrites = {name for name in ("shortened", "enriched") if f"rewrite_{name}" in row}
            assert set(note.rewrites) == rewrites


def test_the_past_can_be_proved(whole):
    mem, ids = whole
    report = mem.audit.verify()
    assert report.status == "complete"
    assert report.entries == len(ids)


@given(st.integers(0, 15 * 24).map(lambda hours: START + timedelta(hours=hours)))
@settings(max_examples=8)
def test_until_cuts_by_time(until):
    mem, _, ids = loaded(episodes=lambda row: row["fleet"] == "lab", notes=True, until=until)
    with mem:
        wanted = {row["id"] for row in world.rows("episodes") if row["fleet"] == "lab"}
        wanted |= {row["id"] for row in world.rows("notes")}
        times = {row["id"]: world.moment(row) for name in ("episodes", "notes") for row in world.rows(name)}
        assert set(ids) == {one for one in wanted if times[one] <= until}


def test_a_note_whose_ground_was_left_out_says_so():
    with pytest.raises(StoreError, match="note nt-067 acts on nt-066, which was not loaded"):
        loaded(notes=lambda row: row["id"] == "nt-067")


def test_the_second_tenant_stays_apart(whole):
    mem, _ = whole
    dock = mem.agent("dock-1", fleet="dock", tenant="northlight", clearance=2)
    assert {event.tenant for event in dock.episodic.recent(1000)} == {"northlight"}


# Facts and triples


@pytest.fixture(scope="module")
def believed():
    mem, clock, ids = loaded(episodes=True, facts=True)
    clock.set(END)
    with mem:
        yield mem, ids


def steward(mem, tenant):
    return mem.person("auditor", fleet="lab", tenant=tenant, clearance=3)


def author(mem, row):
    make = mem.agent if row.get("writer", "agent") == "agent" else mem.person
    return make(row["agent"], fleet=row["fleet"], tenant=row["tenant"])


def test_every_fact_is_there_as_the_file_has_it(believed):
    mem, ids = believed
    revised = {row["revises"] for row in world.rows("facts")} - {None}
    for row in world.rows("facts"):
        versions = author(mem, row).semantic.history(ids[row["id"]])
        fact = next(one for one in versions if one.content == row["content"])
        assert (fact.subject, fact.predicate, fact.object) == tuple(
            row[name] or "" for name in ("subject", "predicate", "object")
        )
        assert (fact.kind, fact.confidence, fact.visibility) == (
            row["kind"],
            row["confidence"],
            row["visibility"],
        )
        assert fact.source == (row["source"] or ("agent" if row["writer"] == "agent" else "person"))
        assert (fact.valid_from, fact.valid_to) == (
            world.instant(row["valid_from"]),
            world.instant(row["valid_to"]),
        )
        assert dict(fact.qualifiers) == (row["qualifiers"] or {})
        assert fact.recorded_at == datetime.fromisoformat(row["at"])
        gone = versions[-1].status == "outdated"  # contradicted later, on stronger evidence
        assert (fact.superseded_at is not None) == (row["id"] in revised or gone)
        if row["revises"]:
            assert ids[row["id"]] == ids[row["revises"]]
        else:
            assert (fact.agent, fact.fleet) == (row["agent"], row["fleet"])


def test_the_facts_that_contradict_leave_the_one_on_stronger_evidence(believed):
    mem, ids = believed
    back = {memory_id: name for name, memory_id in ids.items()}
    found = {}
    for row in world.rows("facts"):
        last = author(mem, row).semantic.history(ids[row["id"]])[-1]
        if last.status != "active":
            found[back[last.memory_id]] = str(last.status)
    assert found == {"fa-109": "outdated", "fa-186": "conflicted"}


def test_a_private_fact_is_read_by_its_writer_alone(believed):
    mem, ids = believed
    row = next(row for row in world.rows("facts") if row["visibility"] == "agent")
    assert author(mem, row).semantic.get(ids[row["id"]])
    with pytest.raises(teachmem.NotFound):
        steward(mem, row["tenant"]).semantic.get(ids[row["id"]])


def test_what_ended_is_found_at_its_own_time_only(believed):
    mem, ids = believed
    row = next(row for row in world.rows("facts") if row["valid_to"] and row["valid_to"] < "2026-03-15")
    end = world.instant(row["valid_to"])
    reader = author(mem, row).semantic
    assert reader.get(ids[row["id"]], at=end - timedelta(seconds=1))
    with pytest.raises(teachmem.NotFound):
        reader.get(ids[row["id"]], at=end)


def test_a_fact_is_loaded_without_its_evidence_but_not_without_what_it_revises():
    mem, _, ids = loaded(facts=True)
    with mem:
        assert set(ids) == {row["id"] for row in world.rows("facts")}
        assert mem.audit.verify().entries == len(ids)
    with pytest.raises(StoreError, match="fact fa-060 revises fa-008, which was not loaded"):
        loaded(facts=lambda row: row["id"] == "fa-060")


def test_until_cuts_facts_too():
    until = datetime(2026, 3, 6, 10, 3, tzinfo=UTC)
    mem, _, ids = loaded(facts=True, until=until)
    with mem:
        assert set(ids) == {row["id"] for row in world.rows("facts") if world.moment(row) <= until}


def test_the_graph_is_the_file_as_it_stands_at_each_moment():
    mem, clock, ids = loaded(graph=True)
    clock.set(END)
    with mem:
        assert list(ids) == [row["id"] for row in world.rows("graph")]
        for at in (datetime(2026, 3, 4, tzinfo=UTC), END):
            due = set()
            for row in world.rows("graph"):
                start, end = world.instant(row["valid_from"]), world.instant(row["valid_to"])
                if (start is None or start <= at) and (end is None or at < end):
                    due.add((row["subject"], row["predicate"], row["object"], row["source"]))
            edges = steward(mem, "northlight").graph.edges(at=at)
            assert {(e.subject, e.predicate, e.object, str(e.memory.source)) for e in edges} == due
        line = mem.agent("line-3", fleet="line", tenant="northlight").graph.edges()
        assert {str(edge.memory.source) for edge in line} == {"catalogue", "person"}


def test_a_part_of_the_graph_can_be_chosen():
    mem, _, ids = loaded(graph=lambda row: row["subject"] == "NL-0003")
    with mem:
        assert len(ids) == sum(row["subject"] == "NL-0003" for row in world.rows("graph")) > 3


def test_loading_twice_gives_the_same_chain():
    heads = set()
    for _ in range(2):
        mem, _, _ = loaded(facts=True, graph=True)
        with mem:
            heads.add(mem.audit.verify().head)
    assert len(heads) == 1
