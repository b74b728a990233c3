"""`teachmem reindex`: the index from the table, and every vector anew where another embedder made them."""

import pytest
from typer.testing import CliRunner

import teachmem
from teachmem.cli import app
from teachmem.errors import StoreError
from teachmem.recall.embed import HashingEmbedder
from teachmem.recall.vectors import ExactIndex


def run(*arguments):
    return CliRunner().invoke(app, ["reindex", *map(str, arguments)], catch_exceptions=True)


@pytest.fixture
def store(tmp_path):
    path = tmp_path / "store.db"
    with teachmem.open_memory(path, embedder=HashingEmbedder(), vectors=ExactIndex()) as mem:
        tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
        tech.semantic.remember("The hoist motor overheats when the warehouse is humid")
        tech.semantic.remember("The canteen closes at two")
        cold = mem.agent("cold-1", fleet="cold", tenant="southgate")
        cold.semantic.remember("Door three leaks")
    return path


def test_vectors_of_another_embedder_are_made_anew_on_request_only(store):
    with pytest.raises(StoreError, match="reindex"):
        teachmem.open_memory(store)
    refused = run(store)
    assert refused.exit_code != 0
    assert isinstance(refused.exception, StoreError)

    done = run(store, "--re-embed")
    assert done.exit_code == 0, done.output
    assert "northlight: 2 memories indexed" in done.output
    assert "southgate: 1 memories indexed" in done.output
    with teachmem.open_memory(store) as mem:
        tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
        best = tech.semantic.search("lifting engine gets too hot in moist air", k=1)[0]
        assert best.memory.content.startswith("The hoist")
        assert best.memory.version == 1
        report = mem.audit.verify()
        assert (report.status, report.entries) == ("complete", 5)  # three writes, one entry a tenant


def test_it_can_be_repeated_and_a_missing_store_is_never_made(store, tmp_path):
    run(store, "--re-embed")
    for _ in range(2):
        assert run(store).exit_code == 0
    missing = run(tmp_path / "none.db")
    assert isinstance(missing.exception, StoreError)
    assert not (tmp_path / "none.db").exists()


def test_a_store_without_memories_says_so(tmp_path):
    teachmem.open_memory(tmp_path / "empty.db").close()
    assert "no memory yet" in run(tmp_path / "empty.db").output
