"""Chroma and the store: damage, locks, shared and foreign folders, servers that are down, mute or real."""

import http.server
import json
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from helpers import run_python, start_python, stop

import teachmem
from teachmem.errors import IndexUnavailable, InvalidInput, StoreError
from teachmem.ledger import settings
from teachmem.ledger.database import Database
from teachmem.recall import place
from teachmem.recall.embed import HashingEmbedder, WordEmbedder
from teachmem.recall.nearest import partition
from teachmem.recall.vectors import ExactIndex

pytest.importorskip("chromadb", reason="chromadb is not installed")

NOON = datetime(2026, 3, 15, 12, tzinfo=UTC)
DATA = Path(__file__).resolve().parents[1] / "data"
DOCK = partition(("semantic", "team", "dock", ""))


def opened(path=":memory:", vectors=None):
    clock = teachmem.LessonClock(NOON)
    return teachmem.open_memory(path, clock=clock, embedder=HashingEmbedder(), vectors=vectors)


def agent(mem):
    return mem.agent("dock-1", fleet="dock", tenant="northlight")


def contents(mem, query="hoist", k=10):
    return {hit.memory.content for hit in agent(mem).semantic.search(query, k=k)}


def nearest(mem, text, k=5):
    """Return the ids that the vector index alone proposes."""
    vector = HashingEmbedder().embed([text])[0]
    return [name for name, _ in mem._kit.near.index.search("northlight", [DOCK], vector, k)]


# ---- the same hits ---------------------------------------------------------------------------------------


def test_on_the_lessons_facts_chroma_finds_what_the_exact_index_finds(tmp_path):
    facts = [json.loads(line) for line in (DATA / "facts.jsonl").read_text(encoding="utf-8").splitlines()]
    queries = [json.loads(line) for line in (DATA / "queries.jsonl").read_text(encoding="utf-8").splitlines()]
    embedder, found = WordEmbedder(), {}
    for name, vectors in (("exact", ExactIndex()), ("chroma", tmp_path / "vectors")):
        clock = teachmem.LessonClock(NOON)
        with teachmem.open_memory(
            clock=clock, ids=teachmem.CountedIds(), embedder=embedder, vectors=vectors
        ) as mem:
            agent(mem).semantic.remember_many({"content": fact["content"]} for fact in facts)
            answers = [agent(mem).semantic.search(query["question"], k=10) for query in queries]
            assert not any(answer.note.startswith("the vector index") for answer in answers)
            found[name] = [[(hit.memory.memory_id, hit.score) for hit in answer] for answer in answers]
    assert any(found["exact"])
    assert found["exact"] == found["chroma"]


@pytest.mark.parametrize("exact", [True, False], ids=["exact", "chroma"])
def test_what_is_withdrawn_or_becomes_another_kind_leaves_its_partition(tmp_path, exact):
    with opened(tmp_path / "store.db", ExactIndex() if exact else None) as mem:
        steward = mem.person("data-officer", fleet="dock", tenant="northlight", clearance=3)
        ids = [steward.semantic.remember(f"the hoist runs {n}").memory.memory_id for n in range(3)]
        assert len(steward.semantic.search("hoist")) == 3
        steward.semantic.retract(ids[0], "misread")
        steward.semantic.revise(ids[1], kind="document", source="catalogue")
        assert [hit.memory.memory_id for hit in steward.semantic.search("hoist")] == [ids[2]]
        assert nearest(mem, "hoist") == [ids[2]]
        assert [hit.memory.memory_id for hit in steward.semantic.search_documents("hoist")] == [ids[1]]
        # A vector of zeros has no direction, and the old one must not stay in its stead.
        mem._kit.near.index.put("northlight", DOCK, [ids[2]], np.zeros((1, 256), dtype=np.float32))
        assert exact or nearest(mem, "hoist") == []


# ---- damage and locks ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """A store of enough facts that Chroma has written its graph files (it does so every 1,000)."""
    folder = tmp_path_factory.mktemp("large")
    with opened(folder / "store.db") as mem:
        agent(mem).semantic.remember_many({"content": f"hoist number {n}"} for n in range(1100))
        contents(mem)
    return folder


@pytest.mark.parametrize("damage", ["cut", "garbage", "gone", "folders gone"])
def test_damage_inside_heals_within_three_questions_and_every_answer_is_whole(tmp_path, large, damage):
    copy = tmp_path / "copy"
    shutil.copytree(large, copy)
    files = [file for file in (copy / "store.db.chroma").rglob("*") if file.suffix in (".bin", ".pickle")]
    assert sum(file.stat().st_size for file in files) > 1_000_000
    for file in files:
        if damage == "cut":
            file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
        elif damage == "garbage":
            file.write_bytes(bytes(range(256)) * (file.stat().st_size // 256 + 1))
        elif damage == "gone":
            file.unlink()
        else:
            shutil.rmtree(file.parent, ignore_errors=True)
    with opened(copy / "store.db") as mem:
        notes = []
        for _ in range(4):
            answer = agent(mem).semantic.search("hoist number 77", k=5)
            assert answer[0].memory.content == "hoist number 77"
            notes.append(answer.note)
        assert notes[3] == ""
        assert len(nearest(mem, "hoist number 77")) == 5
        assert mem._kit.near.index.size("northlight", [DOCK]) == 1100
        if damage in ("cut", "garbage"):
            assert any("does not answer" in note for note in notes)
            assert any("built again" in note for note in notes)
    assert sorted(item.name for item in copy.iterdir() if item.is_dir()) == ["store.db.chroma"]


HOLDS = """
import sqlite3, sys, time
line = sqlite3.connect(sys.argv[1], isolation_level=None)
line.execute("BEGIN EXCLUSIVE")
print("locked", flush=True)
time.sleep(60)
"""


def test_a_locked_folder_is_waited_out_and_never_thrown_away(tmp_path):
    with opened(tmp_path / "store.db") as mem:
        agent(mem).semantic.remember("the hoist runs")
        contents(mem)
    kept = tmp_path / "store.db.chroma" / "chroma.sqlite3"
    inode = kept.stat().st_ino
    holder = start_python(HOLDS, kept)  # a lock of this process would not keep this process out
    try:
        assert holder.stdout.readline() == "locked\n"
        with opened(tmp_path / "store.db") as mem:
            agent(mem).semantic.remember("the hoist stands")
            answer = agent(mem).semantic.search("hoist", k=3)
            assert {hit.memory.content for hit in answer} == {"the hoist runs", "the hoist stands"}
            assert "locked" in answer.note
            stop(holder)
            answer = agent(mem).semantic.search("hoist", k=3)
            assert (len(answer), answer.note) == (2, "")
            assert len(nearest(mem, "hoist")) == 2
    finally:
        stop(holder)
    assert kept.stat().st_ino == inode


# ---- one folder, several users ----------------------------------------------------------------------------


def test_two_handles_of_one_file_in_one_process_survive_a_reindex(tmp_path):
    with opened(tmp_path / "store.db") as one, opened(tmp_path / "store.db") as two:
        agent(one).semantic.remember("the hoist runs")
        assert contents(one) == contents(two) == {"the hoist runs"}
        two.reindex()
        assert two._kit.near.index.seen("northlight") == (0, b"")
        agent(one).semantic.remember("the hoist stands")
        for mem in (one, two, one):
            answer = agent(mem).semantic.search("hoist")
            assert (len(answer), answer.note) == (2, "")
            assert len(nearest(mem, "hoist")) == 2
        one.close()
        assert len(nearest(two, "hoist")) == 2


@pytest.mark.parametrize("again", [1, 2])
def test_stores_that_share_one_place_do_not_mix(tmp_path, again):
    for _ in range(again):
        for name in ("one", "two"):
            with opened(tmp_path / f"{name}.db", tmp_path / "shared") as mem:
                agent(mem).semantic.remember(f"the hoist of {name}")
                assert contents(mem) == {f"the hoist of {name}"}
                assert len(nearest(mem, "hoist")) == 1
                assert not agent(mem).semantic.search("hoist").note
    with opened(tmp_path / "one.db", tmp_path / "shared") as mem:
        mem._kit.near.index.forget("northlight")
        assert nearest(mem, "hoist") == []
    with opened(tmp_path / "two.db", tmp_path / "shared") as mem:
        assert len(nearest(mem, "hoist")) == 1


def test_no_folder_and_no_file_of_somebody_else_is_written_to_or_deleted(tmp_path):
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    (theirs / "letter.txt").write_text("dear reader", encoding="utf-8")
    for vectors in (theirs, theirs / "letter.txt"):
        with opened(tmp_path / "store.db", vectors) as mem:
            agent(mem).semantic.remember("the hoist runs")
            answer = agent(mem).semantic.search("hoist")
            assert [hit.memory.content for hit in answer] == ["the hoist runs"]
            assert "folder" in answer.note
            with pytest.raises(IndexUnavailable, match="folder"):
                mem.reindex()
            mem._kit.near.index.close()
            agent(mem).semantic.retract(answer[0].memory.memory_id, "so that it may be said again")
    assert [item.name for item in theirs.iterdir()] == ["letter.txt"]
    assert (theirs / "letter.txt").read_text(encoding="utf-8") == "dear reader"


@pytest.mark.parametrize(
    "vectors", ["", " ", 5, b"x", "ftp://x", "http://", "http://h:99999", "a\x00b", object()]
)
def test_a_place_that_is_none_is_refused_at_once(vectors):
    with pytest.raises(InvalidInput, match="vectors"):
        opened(vectors=vectors)


@pytest.mark.parametrize("embedder", [5, "wordllama", object()])
def test_an_embedder_that_is_none_is_refused_at_once(embedder):
    with pytest.raises(InvalidInput, match="embedder"):
        teachmem.open_memory(embedder=embedder)


@pytest.mark.parametrize("factor", [float("nan"), None])
def test_an_embedder_that_breaks_its_word_is_refused_before_anything_is_written(factor):
    class Broken(HashingEmbedder):
        name = "broken"

        def embed(self, texts):
            made = super().embed(texts)
            return made[:, :4] if factor is None else made * factor

    with teachmem.open_memory(embedder=Broken()) as mem:
        with pytest.raises(teachmem.TeachmemError, match="broken"):
            agent(mem).semantic.remember("the hoist runs")
        assert mem.audit.verify().entries == 0


def test_of_two_first_openers_one_embedder_wins(monkeypatch, tmp_path):
    path = str(tmp_path / "store.db")
    with Database.open(path) as one, Database.open(path) as two:
        settings.claim_embedder(one, "first")
        monkeypatch.setattr(settings, "embedder", lambda database: None)  # it looked before the other wrote
        with pytest.raises(StoreError, match="first"):
            settings.claim_embedder(two, "second")
        monkeypatch.undo()
        assert settings.embedder(one) == "first"
        settings.claim_embedder(one, "second", anew=True)
        assert settings.embedder(two) == "second"


# ---- quiet and private -----------------------------------------------------------------------------------


def test_a_store_with_chroma_says_nothing_and_asks_no_network(tmp_path):
    code = (
        "import socket, sys\n"
        "def refused(*_): raise AssertionError('a socket was asked for')\n"
        "socket.socket.connect = socket.getaddrinfo = refused\n"
        "import teachmem\n"
        "assert 'chromadb' not in sys.modules\n"
        "with teachmem.open_memory(sys.argv[1]) as mem:\n"
        "    tech = mem.agent('a', fleet='f', tenant='t')\n"
        "    tech.semantic.remember('the hoist runs')\n"
        "    answer = tech.semantic.search('hoist')\n"
        "    assert len(answer) == 1 and not answer.note, answer.note\n"
        "assert 'chromadb' in sys.modules\n"
    )
    assert run_python(code, tmp_path / "store.db") == ""


# ---- servers ---------------------------------------------------------------------------------------------


def test_a_mute_server_costs_seconds_and_nothing_else():
    with socket.socket() as mute:
        mute.bind(("127.0.0.1", 0))
        mute.listen(20)
        with opened(vectors=f"http://127.0.0.1:{mute.getsockname()[1]}") as mem:
            agent(mem).semantic.remember("the hoist runs")
            started = time.monotonic()
            answer = agent(mem).semantic.search("hoist")
            assert time.monotonic() - started < 4 * place.PING_SECONDS
            assert [hit.memory.content for hit in answer] == ["the hoist runs"]
            assert "does not answer" in answer.note


class Odd(http.server.BaseHTTPRequestHandler):
    """A server that is no Chroma server, or one that has hung since its heartbeat."""

    def do_GET(self):
        hung = self.server.hung
        if hung and not self.path.endswith("heartbeat"):
            hung.wait(60)
            return
        body = b'{"nanosecond heartbeat": 1}' if hung else b"<html>a shop</html>"
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_GET

    def log_message(self, *_):
        pass


@pytest.mark.parametrize("hangs", [True, False])
def test_a_server_that_hangs_or_is_another_costs_seconds_and_nothing_else(hangs):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Odd)
    server.daemon_threads, server.hung = True, threading.Event() if hangs else None
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        with opened(vectors=f"http://127.0.0.1:{server.server_port}") as mem:
            agent(mem).semantic.remember("the hoist runs")
            started = time.monotonic()
            answer = agent(mem).semantic.search("hoist")
            assert time.monotonic() - started < 10 * place.PING_SECONDS
            assert [hit.memory.content for hit in answer] == ["the hoist runs"]
            assert ("timed out" if hangs else "something else than a Chroma server") in answer.note
    finally:
        if hangs:
            server.hung.set()
        server.shutdown()
        server.server_close()


ANOTHER = """
import sys
import teachmem
from teachmem.recall.embed import HashingEmbedder
with teachmem.open_memory(sys.argv[1], embedder=HashingEmbedder(), vectors=sys.argv[2]) as mem:
    dock = mem.agent("dock-1", fleet="dock", tenant="northlight")
    dock.semantic.remember("the hoist creaks, says another process")
    found = dock.semantic.search("hoist")
    assert (len(found), found.note) == (3, ""), found
"""


def serving(folder, port):
    chroma = Path(sys.executable).with_name("chroma")
    process = subprocess.Popen(
        [str(chroma), "run", "--path", str(folder), "--host", "127.0.0.1", "--port", str(port)],
        env={**os.environ, "ANONYMIZED_TELEMETRY": "False"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    for _ in range(600):
        try:
            place.ping("127.0.0.1", port, False)
            return process
        except OSError:
            time.sleep(0.1)
    stop(process)
    raise AssertionError("the server did not start")


@pytest.mark.skipif(not Path(sys.executable).with_name("chroma").exists(), reason="no `chroma` beside Python")
def test_a_real_server_serves_two_stores_goes_down_and_comes_back(tmp_path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url, path = f"http://127.0.0.1:{port}", tmp_path / "store.db"
    server = serving(tmp_path / "server", port)
    try:
        with opened(path, url) as one, opened(path, url) as two, opened(tmp_path / "other.db", url) as other:
            agent(one).semantic.remember("the hoist runs")
            agent(two).semantic.remember("the hoist stands")
            agent(other).semantic.remember("the hoist of another store")
            for mem in (one, two):
                assert contents(mem) == {"the hoist runs", "the hoist stands"}
                assert len(nearest(mem, "hoist")) == 2
            assert contents(other) == {"the hoist of another store"}
            other.reindex()
            assert len(nearest(one, "hoist")) == 2
            two.reindex()
            assert len(contents(one)) == len(nearest(one, "hoist")) == 2

            run_python(ANOTHER, path, url)
            assert len(contents(one)) == len(nearest(one, "hoist")) == 3

            stop(server)
            agent(one).semantic.remember("the hoist rests")
            answer = agent(one).semantic.search("hoist")
            assert len(answer) == 4
            assert "does not answer" in answer.note

            server = serving(tmp_path / "server", port)
            for mem in (two, one):
                answer = agent(mem).semantic.search("hoist")
                assert (len(answer), answer.note) == (4, "")
                assert len(nearest(mem, "hoist")) == 4
    finally:
        stop(server)
