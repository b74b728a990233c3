"""Embedders and vector indexes: Chroma beside the exact index, both in step with the chain."""

import shutil
import stat
import subprocess
import sys
import time
from datetime import UTC, datetime

import numpy as np
import pytest
from helpers import start_python, stop
from hypothesis import given
from hypothesis import strategies as st

import teachmem
from teachmem.errors import IndexUnavailable
from teachmem.recall import embed
from teachmem.recall.chroma import ChromaIndex
from teachmem.recall.embed import HashingEmbedder, WordEmbedder
from teachmem.recall.fuse import fuse, reciprocal_ranks, stretched
from teachmem.recall.vectors import ExactIndex

pytest.importorskip("chromadb", reason="chromadb is not installed")

NOON = datetime(2026, 3, 15, 12, tzinfo=UTC)


# ---- embedders -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("embedder", [HashingEmbedder(), WordEmbedder()], ids=lambda one: one.name)
@given(content=st.text(max_size=60))
def test_every_text_gets_one_unit_vector_or_zeros(embedder, content):
    vectors = embedder.embed([content, "gripper"])
    assert vectors.shape == (2, embedder.dimensions)
    assert np.isfinite(vectors).all()
    length = float(np.linalg.norm(vectors[0]))
    assert length == pytest.approx(1, abs=1e-5) or length == 0
    assert np.allclose(vectors[0], embedder.embed([content])[0], atol=1e-6)


def test_an_embedding_is_the_average_of_its_token_vectors():
    embedder = WordEmbedder()
    tokens, vectors = embedder.token_vectors("the hoist motor overheats")
    assert len(tokens) == len(vectors)
    average = embed.unit(vectors.mean(axis=0, keepdims=True))[0]
    assert np.allclose(average, embedder.embed(["the hoist motor overheats"])[0], atol=1e-5)


def test_word_vectors_know_meaning_and_hashed_ones_do_not():
    asked, right, wrong = (
        "lifting engine gets too hot",
        "the hoist motor overheats",
        "the canteen closes at two",
    )

    def margin(embedder):
        question, good, bad = embedder.embed([asked, right, wrong])
        return float(question @ good - question @ bad)

    assert margin(WordEmbedder()) > 0.15
    assert margin(HashingEmbedder()) < margin(WordEmbedder())


# ---- fusion --------------------------------------------------------------------------------------------

SCORES = st.dictionaries(st.sampled_from("abcdefgh"), st.floats(0, 5, allow_subnormal=False), min_size=1)


@given(SCORES, SCORES)
def test_fusion_equals_its_definition(words, meaning):
    weights = {"words": 0.6, "meaning": 0.4}
    fused = fuse({"words": words, "meaning": meaning}, weights)
    for name in set(words) | set(meaning):
        expected = sum(
            weight * (scores.get(name, 0) / max(scores.values()) if max(scores.values()) > 0 else 0)
            for scores, weight in ((words, 0.6), (meaning, 0.4))
        )
        assert sum(fused[name].values()) == pytest.approx(expected)


def test_stretching_keeps_order_and_ends():
    assert stretched({"a": -1.0, "b": 0.5, "c": 1.0}) == {"a": 0.0, "b": 0.5, "c": 1.0}
    assert stretched({"a": 0.0}) == {"a": 0.0}
    assert reciprocal_ranks([]) == {}


# ---- indexes -------------------------------------------------------------------------------------------


def clustered(count, seed=0):
    chance = np.random.default_rng(seed)
    centres = chance.normal(size=(40, 64))
    rows = centres[chance.integers(0, 40, count)] + 0.5 * chance.normal(size=(count, 64))
    return embed.unit(rows.astype(np.float32))


@pytest.fixture
def chroma(tmp_path):
    index = ChromaIndex(tmp_path / "vectors")
    yield index
    index.close()


def test_the_exact_index_equals_a_full_sort():
    vectors, index = clustered(500), ExactIndex()
    index.put("t", "p", [f"i{n}" for n in range(300)], vectors[:300])
    index.put("t", "q", [f"i{n}" for n in range(300, 500)], vectors[300:])
    index.drop("t", ["i7", "nothing"])
    index.put("t", "q", ["i8"], vectors[8:9])  # moves
    for number in range(20):
        cosines = vectors @ vectors[number]
        order = [f"i{n}" for n in np.argsort(-cosines, kind="stable") if n != 7]
        assert [name for name, _ in index.search("t", ["p", "q"], vectors[number], 10)] == order[:10]
    assert index.size("t", ["p"]) == 298
    assert [name for name, _ in index.search("t", ["q"], vectors[8], 1)] == ["i8"]
    assert index.search("t", ["none"], vectors[0], 3) == index.search("u", ["p"], vectors[0], 3) == []


def test_chroma_finds_what_the_exact_index_finds(chroma):
    vectors, exact = clustered(3000), ExactIndex()
    names = [f"i{n}" for n in range(3000)]
    for index in (chroma, exact):
        index.put("t", "p", names, vectors)
        index.drop("t", names[:50])
    hits = 0
    for number in range(100, 150):
        expected = {name for name, _ in exact.search("t", ["p"], vectors[number], 10)}
        hits += len(expected & {name for name, _ in chroma.search("t", ["p"], vectors[number], 10)})
    assert hits / 500 >= 0.95
    assert chroma.size("t", ["p"]) == 2950


def test_adding_an_id_again_replaces_it_and_moving_it_leaves_nothing_behind(chroma):
    one, two = np.eye(2, 8, dtype=np.float32)
    chroma.put("t", "p", ["a"], one[None])
    chroma.put("t", "p", ["a"], two[None])
    assert chroma.search("t", ["p"], two, 5)[0] == ("a", pytest.approx(1))
    chroma.put("t", "q", ["a"], two[None])
    assert chroma.search("t", ["p"], two, 5) == []
    chroma.put("t", "p", ["zero"], np.zeros((1, 8), dtype=np.float32))
    assert chroma.size("t", ["p"]) == 0


@pytest.mark.parametrize("name", ["x", "a" * 600, "…", "a/b'\"", "..", " "])
def test_no_name_of_a_tenant_is_too_odd_for_chroma(chroma, name):
    chroma.put(name, name, ["a"], np.eye(1, 8, dtype=np.float32))
    chroma.passes(name, 3, b"h" * 32)
    assert chroma.size(name, [name]) == 1
    chroma.close()
    assert chroma.seen(name) == (3, b"h" * 32)
    chroma.forget(name)
    assert chroma.seen(name) == (0, b"")


# ---- a store with a Chroma folder -----------------------------------------------------------------------


def opened(path, vectors=None):
    clock = teachmem.LessonClock(NOON)
    return teachmem.open_memory(path, clock=clock, embedder=HashingEmbedder(), vectors=vectors)


def agent(mem):
    return mem.agent("dock-1", fleet="dock", tenant="northlight")


def contents(mem, query="hoist", k=10):
    return {hit.memory.content for hit in agent(mem).semantic.search(query, k=k)}


def test_the_folder_lies_beside_the_store_is_private_and_is_used_again(tmp_path):
    with opened(tmp_path / "store.db") as mem:
        agent(mem).semantic.remember("the hoist runs")
        assert contents(mem) == {"the hoist runs"}
    folder = tmp_path / "store.db.chroma"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    with opened(tmp_path / "store.db") as mem:
        assert mem._kit.near.index.seen("northlight")[0] == 1
        assert contents(mem) == {"the hoist runs"}


@pytest.mark.parametrize("damage", ["deleted", "garbage", "cut"])
def test_a_broken_folder_is_built_again(tmp_path, damage):
    with opened(tmp_path / "store.db") as mem:
        agent(mem).semantic.remember("the hoist runs")
        contents(mem)
    folder = tmp_path / "store.db.chroma"
    kept = folder / "chroma.sqlite3"
    if damage == "deleted":
        shutil.rmtree(folder)
    elif damage == "garbage":
        kept.write_bytes(b"not a database at all, only bytes " * 500)
    else:
        kept.write_bytes(kept.read_bytes()[:5000])
    with opened(tmp_path / "store.db") as mem:
        agent(mem).semantic.remember("the hoist stands")
        answer = agent(mem).semantic.search("hoist", k=5)
        assert {hit.memory.content for hit in answer} == {"the hoist runs", "the hoist stands"}
        assert ("built again" in answer.note) == (damage != "deleted")


def test_a_folder_deleted_while_open_costs_nothing_but_a_sentence(tmp_path):
    with opened(tmp_path / "store.db") as mem:
        agent(mem).semantic.remember("the hoist runs")
        contents(mem)
        shutil.rmtree(tmp_path / "store.db.chroma")
        agent(mem).semantic.remember("the hoist stands")
        assert contents(mem) == {"the hoist runs", "the hoist stands"}
        assert contents(mem) == {"the hoist runs", "the hoist stands"}


def test_reindex_builds_the_index_from_the_table(tmp_path):
    with opened(tmp_path / "store.db") as mem:
        for number in range(5):
            agent(mem).semantic.remember(f"the hoist runs {number}")
        contents(mem)
        mem.reindex()
        assert mem._kit.near.index.seen("northlight") == (0, b"")
        assert len(contents(mem)) == 5


def test_a_server_that_is_down_is_said_and_nothing_is_lost():
    with opened(":memory:", "http://127.0.0.1:9") as mem:
        started = time.monotonic()
        agent(mem).semantic.remember("the hoist runs")
        answer = agent(mem).semantic.search("hoist", k=1)
        assert time.monotonic() - started < 20
        assert answer[0].memory.content == "the hoist runs"
        assert "does not answer" in answer.note
        with pytest.raises(IndexUnavailable):
            mem.reindex()


OTHER = """
import sys, teachmem
from teachmem.recall.embed import HashingEmbedder
with teachmem.open_memory(sys.argv[1], embedder=HashingEmbedder()) as mem:
    tech = mem.agent("dock-2", fleet="dock", tenant="northlight")
    for line in sys.stdin:
        verb, _, rest = line.strip().partition(" ")
        if verb == "write":
            print(tech.semantic.remember(rest).verdict, flush=True)
        else:
            found = sorted(hit.memory.content for hit in tech.semantic.search(rest, k=50))
            print("|".join(found), flush=True)
"""


def test_two_processes_find_each_others_facts_at_the_next_search(tmp_path):
    path = tmp_path / "store.db"
    with teachmem.open_memory(path, embedder=HashingEmbedder()) as mem:
        here, expected = agent(mem), set()
        other = start_python(OTHER, path)
        try:
            for number in range(12):
                here.semantic.remember(f"hoist seen here {number}")
                other.stdin.write(f"write hoist seen there {number}\nsearch hoist seen\n")
                other.stdin.flush()
                assert other.stdout.readline().strip() == "accepted", other.stderr.read()
                expected |= {f"hoist seen here {number}", f"hoist seen there {number}"}
                assert set(other.stdout.readline().strip().split("|")) == expected
                assert contents(mem, "hoist seen", 50) == expected
        finally:
            stop(other)
        # By vectors alone, too: nothing of the other process is missing from this one's open index.
        vector = HashingEmbedder().embed(["hoist seen there 3"])[0]
        near = mem._kit.near
        assert near.index.search("northlight", ['["semantic", "team", "dock", ""]'], vector, 1)[0][1] > 0.99


def test_a_process_killed_in_the_middle_of_its_writes_leaves_an_index_that_catches_up(tmp_path):
    path = tmp_path / "store.db"
    code = OTHER.replace("for line in sys.stdin:", "for n in range(10_000):").split("        verb")[0]
    code += "        print(tech.semantic.remember(f'hoist {n}').memory.memory_id, flush=True)\n"
    code += "        if n % 3 == 0: tech.semantic.search('hoist', k=1)\n"
    acknowledged = set()
    for _ in range(3):
        child = start_python(code, path)
        try:
            for _ in range(8):
                acknowledged.add(child.stdout.readline().strip())
        finally:
            stop(child)
    acknowledged.discard("")
    with teachmem.open_memory(path, embedder=HashingEmbedder()) as mem:
        lead = mem.agent("dock-2", fleet="dock", tenant="northlight")
        assert acknowledged <= {hit.memory.memory_id for hit in lead.semantic.search("hoist", k=1000)}
        assert mem.audit.verify().status == "complete"


def test_opening_a_store_loads_neither_chroma_nor_the_model(tmp_path):
    code = (
        "import sys, teachmem\n"
        "with teachmem.open_memory(sys.argv[1]) as mem:\n"
        "    mem.agent('a', fleet='f', tenant='t').working.write('a', 'observed', 'b', 'c')\n"
        "print([name for name in ('chromadb', 'wordllama') if name in sys.modules])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "s.db")],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert (done.stdout.strip(), done.stderr) == ("[]", "")
