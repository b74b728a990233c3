"""Facts and their index when a process dies half-way, or rebuilds the folder that another has open."""

import pytest
from helpers import run_python, start_python, stop
from typer.testing import CliRunner

import teachmem
from teachmem.cli import app
from teachmem.errors import StoreError
from teachmem.recall.embed import HashingEmbedder
from teachmem.recall.nearest import partition

pytest.importorskip("chromadb", reason="chromadb is not installed")

DOCK = partition(("semantic", "team", "dock", ""))
OPEN = """
import sys, teachmem
from teachmem.recall.embed import HashingEmbedder
mem = teachmem.open_memory(sys.argv[1], embedder=HashingEmbedder())
tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
"""
BULK = (
    OPEN
    + "tech.semantic.remember_many(print(n, flush=True) or {'content': f'hoist {n}'} for n in range(10**6))\n"
)
REBUILD = (
    OPEN
    + """
put = mem._kit.near.index.put
def slowly(tenant, partition, ids, vectors):
    for start in range(0, len(ids), 20):
        put(tenant, partition, ids[start : start + 20], vectors[start : start + 20])
        print("put", flush=True)
mem._kit.near.index.put = slowly
tech.semantic.search("hoist", k=1)
print("done", flush=True)
"""
)
REINDEX = OPEN + "mem.reindex()\nprint(len(tech.semantic.search('hoist', k=1000)))\nmem.close()\n"


@pytest.fixture
def path(tmp_path):
    return tmp_path / "store.db"


def opened(path):
    mem = teachmem.open_memory(path, embedder=HashingEmbedder())
    return mem, mem.agent("dock-1", fleet="dock", tenant="northlight")


def assert_whole(mem, tech):
    """Every fact of the table is found, and every one of them stands in the vector index."""
    held = {memory.content for memory in tech.semantic.list(limit=10_000)}
    answer = tech.semantic.search("hoist", k=10_000)
    assert {hit.memory.content for hit in answer} == held
    assert mem._kit.near.index.size("northlight", [DOCK]) == len(held)
    assert mem.audit.verify().status == "complete"


@pytest.mark.parametrize("number", [1, 137])
def test_a_kill_in_a_bulk_write_keeps_every_item_before_it_and_no_half(path, number):
    child = start_python(BULK, path)
    try:
        for _ in range(number + 1):
            last = int(child.stdout.readline())
    finally:
        stop(child)
    mem, tech = opened(path)
    with mem:
        held = {memory.content for memory in tech.semantic.list(limit=10_000)}
        assert {f"hoist {n}" for n in range(last)} <= held
        assert held == {f"hoist {n}" for n in range(len(held))}
        assert_whole(mem, tech)


def test_a_kill_in_a_rebuild_is_made_good_by_the_next_question(path):
    mem, tech = opened(path)
    with mem:
        tech.semantic.remember_many({"content": f"hoist {n}"} for n in range(400))
    child = start_python(REBUILD, path)
    try:
        lines = [child.stdout.readline() for _ in range(4)]
    finally:
        stop(child)
    assert lines == ["put\n"] * 4  # it was in the midst of it
    mem, tech = opened(path)
    with mem:
        assert_whole(mem, tech)


def test_a_reindex_elsewhere_costs_an_open_store_nothing(path):
    mem, tech = opened(path)
    with mem:
        for number in range(3):
            tech.semantic.remember(f"hoist {number}")
            assert_whole(mem, tech)
            assert run_python(REINDEX, path).strip() == str(number + 1)
        tech.semantic.remember("hoist at last")
        answer = tech.semantic.search("hoist", k=10)
        assert (len(answer), answer.note) == (4, "")
        assert_whole(mem, tech)


RE_EMBED = """
import sys, time
from teachmem.recall import embed
class Slow(embed.HashingEmbedder):
    name = "slow-256"
    def embed(self, texts):
        print("made", flush=True)
        time.sleep(60 if len(texts) > 1 else 0)
        return super().embed(texts)
embed.named = lambda name: Slow()
from teachmem.cli import app
app(["reindex", sys.argv[1], "--re-embed"], standalone_mode=False)
"""


@pytest.mark.in_file("speaks of a file on the command line")
def test_a_kill_while_embedding_anew_leaves_a_store_that_is_refused_until_it_is_done_again(path):
    mem, tech = opened(path)
    with mem:
        tech.semantic.remember_many({"content": f"hoist {n}"} for n in range(30))
    child = start_python(RE_EMBED, path)
    try:
        assert [child.stdout.readline() for _ in range(2)] == ["made\n"] * 2  # a trial, then the store's own
    finally:
        stop(child)
    with pytest.raises(StoreError, match="not for all yet"):
        opened(path)
    done = CliRunner().invoke(app, ["reindex", str(path), "--re-embed", "--embedder", "hashing"])
    assert done.exit_code == 0, done.output
    mem, tech = opened(path)
    with mem:
        assert len(tech.semantic.list(limit=100)) == 30
        assert_whole(mem, tech)
