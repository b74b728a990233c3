"""`teachmem forget`: a named person, a question first, the certificate, and an exit code for how far."""

import json
import sqlite3

import pytest
from typer.testing import CliRunner

import teachmem
from teachmem.cli import app
from teachmem.errors import MemoryRefused, NotFound, StoreError
from teachmem.recall.embed import HashingEmbedder
from teachmem.recall.vectors import ExactIndex


def run(*arguments, answer=None, who=("--tenant", "northlight", "--fleet", "dock", "--person", "shift-lead")):
    given = ["forget", *map(str, arguments), *who, "--reason", "asked to"]
    return CliRunner().invoke(app, given, input=answer, catch_exceptions=True)


@pytest.fixture
def store(tmp_path):
    path = tmp_path / "store.db"
    with teachmem.open_memory(path, embedder=HashingEmbedder(), vectors=ExactIndex()) as mem:
        tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
        kept = tech.semantic.remember("Zebra quartz is the private word").memory.memory_id
    return path, kept


def history(path, memory_id):
    with teachmem.open_memory(path, embedder=HashingEmbedder(), vectors=ExactIndex()) as mem:
        return mem.agent("dock-1", fleet="dock", tenant="northlight").semantic.history(memory_id)


def test_it_asks_and_no_changes_nothing(store):
    path, memory_id = store
    before = path.read_bytes()
    for answer in ("n\n", "\n", ""):
        assert run(path, memory_id, answer=answer).exit_code == 1
    assert path.read_bytes() == before


def test_it_erases_whatever_embedder_made_the_vectors(store):
    path, memory_id = store
    done = run(path, memory_id, answer="y\n")
    assert done.exit_code == 0, done.output
    assert "erased: " + memory_id in done.output
    assert "out of reach" in done.output
    assert history(path, memory_id)[0].is_erased
    assert b"ebra quartz" not in b"".join(
        file.read_bytes() for file in path.parent.iterdir() if file.is_file()
    )


def test_json_is_one_line_and_a_second_run_says_the_same_entry(store):
    path, memory_id = store
    first = json.loads(run(path, memory_id, "--yes", "--json").output)
    second = json.loads(run(path, memory_id, "--yes", "--json").output)
    assert first["state"] == second["state"] == "erased"
    assert first["entry"] == second["entry"]
    assert (first["reason"], second["reason"]) == ("asked to", None)


def test_a_reader_makes_it_pending_and_the_code_says_so(store):
    path, memory_id = store
    reader = sqlite3.connect(path, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM memories").fetchone()
    done = run(path, memory_id, "--yes")
    assert done.exit_code == 3
    assert "pending: a reader is open" in done.output
    reader.close()
    assert run(path, memory_id, "--yes").exit_code == 0


def test_what_cannot_be_done_is_an_error_of_ours_and_changes_nothing(store, tmp_path):
    path, memory_id = store
    assert isinstance(run(path, "fact-none", "--yes").exception, NotFound)
    line = ("--tenant", "northlight", "--fleet", "line", "--person", "line-lead")
    assert isinstance(run(path, memory_id, "--yes", who=line).exception, NotFound)
    assert isinstance(run(path, memory_id, "--yes", "--clearance", "0").exception, MemoryRefused)
    assert isinstance(run(tmp_path / "none.db", memory_id, "--yes").exception, StoreError)
    assert not (tmp_path / "none.db").exists()
    assert not history(path, memory_id)[0].is_erased
