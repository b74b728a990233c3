"""Search for facts under attack: odd counts, broken embedders, indexes that know too much or too little."""

import importlib.util
import shutil
from datetime import UTC, datetime, timedelta

import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import teachmem
from teachmem.bench import fill
from teachmem.cli import app
from teachmem.clock import from_micros, to_micros
from teachmem.errors import TeachmemError
from teachmem.recall.embed import HashingEmbedder, WordEmbedder
from teachmem.recall.nearest import partition
from teachmem.recall.vectors import ExactIndex
from teachmem.rules import admissible

NOON = datetime(2026, 3, 15, 12, tzinfo=UTC)
DOCK = partition(("semantic", "team", "dock", ""))
chroma = pytest.mark.skipif(importlib.util.find_spec("chromadb") is None, reason="chromadb is not installed")


def opened(path=":memory:", vectors=None, embedder=None, start=NOON):
    return teachmem.open_memory(
        path, clock=teachmem.LessonClock(start), embedder=embedder or HashingEmbedder(), vectors=vectors
    )


def agent(mem, name="dock-1", fleet="dock"):
    return mem.agent(name, fleet=fleet, tenant="northlight")


def steward(mem):
    return mem.person("data-officer", fleet="dock", tenant="northlight", clearance=3)


def contents(answer):
    return [hit.memory.content for hit in answer]


def nearest(mem, text, k=5):
    """Return the ids that the vector index alone proposes, with their cosines."""
    vector = mem._kit.near.embedder.embed([text])[0]
    return mem._kit.near.index.search("northlight", [DOCK], vector, k)


# ---- few of many ------------------------------------------------------------------------------------------


@chroma
@pytest.mark.parametrize("few", [1, 4])
def test_a_reader_whose_admissible_facts_are_one_in_a_thousand_gets_them_all(tmp_path, few):
    made = fill.events(few * 1000)
    dock, lab = (fill.Principal("northlight", fleet, f"{fleet}-1") for fleet in ("dock", "lab"))
    parts = [
        (lab, "fact", made[1::1000]),
        (dock, "plan", made[2::1000]),
        (dock, "fact", [event for n, event in enumerate(made) if n % 1000 not in (1, 2)]),
    ]
    ids = fill.fill_facts(str(tmp_path / "store.db"), parts, HashingEmbedder())
    by_moment = sorted(made, key=lambda event: event.happened_at)
    early = by_moment[few - 1].happened_at
    with opened(tmp_path / "store.db", start=fill.END) as mem:
        for said in (made[0].content, "nothing that anybody wrote"):
            answer = agent(mem, "lab-2", "lab").semantic.search(said, k=few)
            assert {hit.memory.memory_id for hit in answer} == set(ids[:few])
            answer = agent(mem).semantic.search(said, k=few, kinds=["plan"])
            assert {hit.memory.memory_id for hit in answer} == set(ids[few : 2 * few])
            answer = agent(mem).semantic.search(said, k=few, at=from_micros(early))
            held = [event for event in by_moment[:few] if event not in made[1::1000]]
            assert sorted(contents(answer)) == sorted(event.content for event in held)
            assert len(agent(mem).semantic.search(said, k=50)) == 50


@chroma
@pytest.mark.parametrize("k", [1_000, 10**9, 10**30])
def test_more_than_there_is_may_be_asked_for_and_costs_the_index_nothing(tmp_path, k):
    with opened(tmp_path / "store.db") as mem:
        for number in range(90):
            agent(mem).semantic.remember(f"the hoist runs {number}")
        kept = (tmp_path / "store.db.chroma" / "chroma.sqlite3").stat
        for _ in range(3):
            answer = agent(mem).semantic.search("hoist", k=k)
            assert (len(answer), answer.note) == (90, "")
        inode = kept().st_ino
        assert len(agent(mem).semantic.search("hoist", k=k, kinds=[])) == 0
        assert len(agent(mem, "lab-1", "lab").semantic.search("hoist", k=k)) == 0
        assert kept().st_ino == inode


# ---- an embedder that breaks -------------------------------------------------------------------------------


class Moody(HashingEmbedder):
    """An embedder that gives no numbers for a question it does not like."""

    def embed(self, texts):
        made = super().embed(texts)
        return made * np.float32("nan") if "forbidden" in texts else made


@chroma
def test_an_embedder_that_fails_on_a_question_is_named_and_the_index_is_not_blamed(tmp_path):
    with opened(tmp_path / "store.db", embedder=Moody()) as mem:
        agent(mem).semantic.remember("the hoist runs")
        agent(mem).episodic.log("observation", "the hoist ran")
        assert agent(mem).semantic.search("hoist").note == ""
        inode = (tmp_path / "store.db.chroma" / "chroma.sqlite3").stat().st_ino
        for _ in range(4):
            with pytest.raises(TeachmemError, match="not finite"):
                agent(mem).semantic.search("forbidden")
            with pytest.raises(TeachmemError, match="not finite"):
                agent(mem).episodic.recall("forbidden", relevance="hybrid")
        assert agent(mem).semantic.search("hoist").note == ""
        assert (tmp_path / "store.db.chroma" / "chroma.sqlite3").stat().st_ino == inode


# ---- an index that knows another past ----------------------------------------------------------------------


@chroma
def test_a_fact_that_became_a_document_in_another_process_is_no_fact_here(tmp_path):
    with opened(tmp_path / "store.db") as mem:
        fact = steward(mem).semantic.remember("the hoist runs").memory.memory_id
        assert contents(agent(mem).semantic.search("hoist")) == ["the hoist runs"]
        assert len(nearest(mem, "hoist")) == 1
    with opened(tmp_path / "store.db") as mem:  # its index has not been told yet where the fact lay
        steward(mem).semantic.revise(fact, kind="document", source="catalogue")
        assert contents(steward(mem).semantic.search("hoist")) == []
        assert contents(steward(mem).semantic.search_documents("hoist")) == ["the hoist runs"]
        assert nearest(mem, "hoist") == []


class Misplacing(ExactIndex):
    """An index that proposes whatever it has, wherever it is asked."""

    def search(self, tenant, partitions, vector, k):
        return [(name, 1.0) for (_, name) in self._place_of][:k]


def test_of_what_an_index_proposes_the_table_keeps_only_the_family_that_was_asked_for():
    with opened(vectors=Misplacing()) as mem:
        fact = steward(mem).semantic.remember("the hoist runs").memory.memory_id
        row = {"id": "NL-1", "name": "Hoist", "model": "T", "category": "hoist", "summary": "Lifts."}
        document = steward(mem).load_catalogue([row])[0].memory.memory_id
        for handle in (steward(mem), agent(mem)):
            assert [hit.memory.memory_id for hit in handle.semantic.search("hoist", k=9)] == [fact]
            assert [hit.memory.memory_id for hit in handle.semantic.search_documents("hoist", k=9)] == [
                document
            ]


@chroma
def test_an_index_elsewhere_learns_that_the_store_was_embedded_anew(tmp_path):
    path, folder = tmp_path / "store.db", tmp_path / "elsewhere"
    with opened(path, folder) as mem:
        for number in range(5):
            agent(mem).semantic.remember(f"the hoist runs {number}")
        assert len(agent(mem).semantic.search("hoist")) == len(nearest(mem, "hoist")) == 5
    done = CliRunner().invoke(app, ["reindex", str(path), "--re-embed"])
    assert done.exit_code == 0
    with opened(path, folder, WordEmbedder()) as mem:
        assert agent(mem).semantic.search("the hoist runs 3", k=1)[0].memory.content == "the hoist runs 3"
        best = nearest(mem, "the hoist runs 3", k=1)[0]
        assert best[1] == pytest.approx(1, abs=1e-5)


def test_a_backup_in_the_place_of_its_store_is_found_out_by_the_second_question(tmp_path):
    path, index = tmp_path / "store.db", ExactIndex()
    with opened(path, index) as mem:
        ids = [agent(mem).semantic.remember(f"the hoist runs {n}").memory.memory_id for n in range(100)]
        agent(mem).semantic.search("hoist")
    shutil.copy(path, tmp_path / "backup.db")
    with opened(path, index) as mem:
        for memory_id in ids:
            agent(mem).semantic.retract(memory_id, "misread")
        assert len(agent(mem).semantic.search("hoist")) == 0
    for left in tmp_path.glob("store.db*"):
        left.unlink()
    shutil.copy(tmp_path / "backup.db", path)
    with opened(path, index) as mem:
        for _ in range(2):
            assert len(agent(mem).semantic.search("hoist", k=100)) == 100  # by its words, at once
        assert index.size("northlight", [DOCK]) == 100


# ---- filters and fields that are missing ------------------------------------------------------------------

VALUES = st.sampled_from([None, "a", "b"])
FACTS = st.lists(
    st.tuples(
        VALUES,
        VALUES,
        st.sampled_from(["fact", "plan"]),
        st.sampled_from(["dock-1", "dock-2"]),
        st.booleans(),
    ),
    min_size=1,
    max_size=12,
)


@settings(max_examples=40)
@given(FACTS, st.lists(st.tuples(VALUES, VALUES, VALUES, VALUES, VALUES), min_size=1, max_size=4))
def test_every_filter_equals_a_loop_also_where_the_field_is_missing(made, asked):
    with opened(vectors=ExactIndex()) as mem:
        for number, (subject, thing, kind, name, ends) in enumerate(made):
            triple = (
                {"subject": subject, "predicate": "contains", "object": thing} if subject and thing else {}
            )
            agent(mem, name).semantic.remember(
                f"number {number}",
                kind=kind,
                valid_to=NOON + timedelta(hours=1) if ends else None,
                **triple,
            )
        tech = agent(mem)
        now = to_micros(NOON)
        rows = [
            row for row in oracle.rows(mem) if oracle.believable(row, tech.principal, now, None, "semantic")
        ]
        for subject, thing, kind, author, predicate in asked:
            filters = {
                "subject": subject,
                "object": thing,
                "predicate": predicate and {"a": "contains", "b": "related_to"}[predicate],
                "kind": kind and {"a": "fact", "b": "plan"}[kind],
                "author": author and {"a": "dock-1", "b": "nobody"}[author],
            }
            columns = {"author": "agent"}
            expected = {
                row["memory_id"]
                for row in rows
                if all(row[columns.get(name, name)] == value for name, value in filters.items() if value)
            }
            found = tech.semantic.list(limit=100, **filters)
            assert {memory.memory_id for memory in found} == expected
            if filters["kind"]:
                of_kind = {row["memory_id"] for row in rows if row["kind"] == filters["kind"]}
                hits = tech.semantic.search("number", k=100, kinds=[filters["kind"]])
                assert {hit.memory.memory_id for hit in hits} == of_kind


@pytest.mark.parametrize("name", admissible.FILTERS)
def test_no_filter_takes_a_missing_field_for_a_match(name):
    with opened() as mem:
        tech = agent(mem)
        tech.working.write("arm-1", "observed", "drift", "arm 1 drifts")
        tech.episodic.log("observation", "the arm drifted")
        tech.semantic.remember("no triple, no session")
        tech.graph.link("arm-1", "contains", "motor")
        believed = [
            row
            for tier in ("working", "episodic", "semantic")
            for row in oracle.rows(mem)
            if oracle.believable(row, tech.principal, to_micros(NOON), None, tier)
        ]
        values = {row[name] for row in believed}
        with mem._database.read() as tx:
            for value in [*sorted(values - {""}), "no such value"]:
                found = admissible.newest(tx, tech.principal, to_micros(NOON), **{name: value})
                expected = {row["memory_id"] for row in believed if row[name] == value}
                assert {memory.memory_id for memory in found} == expected
            with pytest.raises(TeachmemError):  # "" is how a missing field is kept, and cannot be asked for
                tech.semantic.list(**{"subject": ""})


# ---- every way to read a fact ------------------------------------------------------------------------------

READERS = [("dock-1", "dock"), ("dock-2", "dock"), ("line-1", "line")]
WRITES = st.lists(
    st.tuples(
        st.sampled_from(READERS),
        st.sampled_from(["agent", "team"]),
        st.sampled_from(["fact", "plan"]),
        st.booleans(),  # a triple
        st.sampled_from([None, -2, -1]),  # ends so many hours from noon, or never
        st.booleans(),  # retracted
    ),
    max_size=12,
)


def ids_of(reader, times):
    """Return the ids that each public read of facts gives away."""
    search = reader.semantic.search("hoist", k=100, **times)
    yield {hit.memory.memory_id for hit in search}
    yield {
        hit.memory.memory_id
        for kind in ("fact", "plan")
        for hit in reader.semantic.search("hoist", k=100, kinds=[kind], **times)
    }
    yield {memory.memory_id for memory in reader.semantic.list(limit=100, **times)}
    pages, cursor = set(), None
    while True:
        page = reader.semantic.list(limit=2, cursor=cursor, **times)
        pages |= {memory.memory_id for memory in page}
        cursor = page.cursor
        if cursor is None:
            break
    yield pages


@settings(max_examples=40, deadline=None)
@given(WRITES)
def test_every_read_of_facts_gives_exactly_what_the_clause_admits(made):
    with opened(vectors=ExactIndex()) as mem:
        written = []
        for number, (who, visibility, kind, linked, ends, gone) in enumerate(made):
            writer = agent(mem, *who)
            triple = {"subject": f"s{number}", "predicate": "contains", "object": "hoist"} if linked else {}
            memory_id = writer.semantic.remember(
                f"hoist {number}",
                kind=kind,
                visibility=visibility,
                valid_to=None if ends is None else NOON + timedelta(hours=ends),
                **triple,
            ).memory.memory_id
            written.append(memory_id)
            if gone:
                writer.semantic.retract(memory_id, "misread")
        for who in READERS:
            reader = agent(mem, *who)
            for times in ({}, {"at": NOON - timedelta(hours=1, minutes=30)}, {"known_at": NOON}):
                at = to_micros(times.get("at", NOON))
                known = to_micros(times["known_at"]) if "known_at" in times else None
                rows = {
                    row["memory_id"]: row
                    for row in oracle.rows(mem)
                    if oracle.believable(row, reader.principal, at, known, "semantic")
                }
                for given_away in ids_of(reader, times):
                    assert given_away == set(rows)
                assert reader.semantic.stats(**times)["facts"] == len(rows)
                edges = reader.graph.neighbours("hoist", **times)
                assert {edge.memory.memory_id for edge in edges} == {
                    memory_id for memory_id, row in rows.items() if row["predicate"]
                }
                for memory_id in written:
                    try:
                        assert reader.semantic.get(memory_id, **times).memory_id in rows
                    except teachmem.NotFound:
                        assert memory_id not in rows
