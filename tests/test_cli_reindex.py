"""`teachmem reindex`: the index from the table, and every vector anew where another embedder made them."""

import pytest
from helpers import everything
from typer.testing import CliRunner

import teachmem
from teachmem.cli import app
from teachmem.errors import StoreError, TeachmemError
from teachmem.recall import minilm
from teachmem.recall.embed import HashingEmbedder, WordEmbedder
from teachmem.recall.nearest import Nearest
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
    assert "southgate: 1 memory indexed" in done.output
    with teachmem.open_memory(store) as mem:
        tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
        best = tech.semantic.search("lifting engine gets too hot in moist air", k=1)[0]
        assert best.memory.content.startswith("The hoist")
        assert best.memory.version == 1
        report = mem.audit.verify()
        assert (report.status, report.entries) == ("complete", 5)  # three writes, one entry a tenant
        said = [str(row) for row in everything(mem)["audit"]]
        for count in (1, 2):
            (entry,) = [row for row in said if f'"count":{count}' in row]
            assert '"action":"reindex"' in entry
            assert '"embedder":"wordllama-256"' in entry


def test_an_embedder_that_is_not_there_is_refused_before_the_store_is_touched(store, tmp_path, monkeypatch):
    monkeypatch.setattr(minilm.Path, "home", lambda: tmp_path)
    refused = run(store, "--re-embed", "--embedder", "minilm")
    assert isinstance(refused.exception, TeachmemError)
    assert "model.onnx" in str(refused.exception)
    with teachmem.open_memory(store, embedder=HashingEmbedder(), vectors=ExactIndex()) as mem:
        assert mem.audit.verify().entries == 3
    assert run(store, "--re-embed", "--embedder", "wordllama").exit_code == 0
    back = run(store, "--re-embed", "--embedder", HashingEmbedder.name)
    assert "indexed with hashing-256 (lexical)" in back.output
    teachmem.open_memory(store, embedder=HashingEmbedder()).close()


def test_a_store_kept_open_notices_that_it_was_embedded_anew(store):
    with teachmem.open_memory(store, embedder=HashingEmbedder(), vectors=ExactIndex()) as mem:
        tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
        fact = tech.semantic.search("canteen", k=1)[0].memory.memory_id
        assert run(store, "--re-embed").exit_code == 0
        before = everything(mem)
        for act in (
            lambda: tech.semantic.remember("The dryer hums"),
            lambda: tech.semantic.revise(fact, content="The canteen closes at three"),
            lambda: tech.semantic.search("canteen"),
            lambda: tech.semantic.search("canteen", known_at=mem.clock.now()),
        ):
            with pytest.raises(StoreError, match="'wordllama-256', not from 'hashing-256"):
                act()
        (told,) = tech.semantic.remember_many([{"content": "The dryer hums"}])
        assert told.verdict == "refused"
        assert "wordllama-256" in told.steps[-1].reason
        assert everything(mem) == before
        tech.working.write("dryer", "observed", "hum", "the dryer hums")  # what has no vector goes on
        tech.semantic.retract(fact, "it never closes")
        assert run(store, "--re-embed", "--embedder", "hashing").exit_code == 0
        tech.semantic.remember("The dryer hums")
        assert len(tech.semantic.search("dryer", k=5)) == 2


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


def test_what_was_interrupted_is_finished_by_running_it_again(store, monkeypatch):
    """Killed after the first tenant: until then nobody can open it, so nobody reads a mixture."""
    whole, done = Nearest.embed_anew, []

    def killed(self, act, progress=None):
        if done:
            raise KeyboardInterrupt
        done.append(whole(self, act, progress))
        return done[0]

    monkeypatch.setattr(Nearest, "embed_anew", killed)
    assert run(store, "--re-embed").exit_code != 0
    assert done
    monkeypatch.setattr(Nearest, "embed_anew", whole)
    for embedder in (HashingEmbedder(), WordEmbedder()):
        with pytest.raises(StoreError, match="reindex"):
            teachmem.open_memory(store, embedder=embedder)
    assert isinstance(run(store).exception, StoreError)
    assert run(store, "--re-embed").exit_code == 0
    with teachmem.open_memory(store) as mem:
        assert mem.audit.verify().status == "complete"
        cold = mem.agent("cold-1", fleet="cold", tenant="southgate")
        one, other = WordEmbedder().embed(["the third gate drips", "Door three leaks"])
        best = cold.semantic.search("the third gate drips", k=1)[0]
        assert best.raw["meaning"] == pytest.approx(float(one @ other), abs=1e-5)
