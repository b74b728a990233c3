"""A value in a row that is not of its column's type: every read and write says so, or does without it."""

import math
import shutil
import sqlite3
import struct
from contextlib import closing

import pytest

import teachmem
from teachmem.errors import StoreError, TeachmemError
from teachmem.ledger import schema
from teachmem.recall.embed import HashingEmbedder
from teachmem.recall.vectors import ExactIndex

SHOWN = [column for column in schema.memories.c if column.name not in ("salt", "twin_key", "claim_key")]
NUMBERS = ("INTEGER", "BIGINT", "FLOAT")
DAMAGE = [
    (column.name, value)
    for column in SHOWN
    if column.name != "embedding"
    for value in ((b"\xff\x00", "abc", 2**62) if str(column.type) in NUMBERS else (b"\xff\x00", b"plain"))
]
DAMAGE += [
    ("embedding", value)
    for value in (b"", b"\x00\x01", b"\x00" * 40, struct.pack("<256f", *[math.nan] * 256), "text", None)
]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A closed store with something in every tier that has a table to be damaged."""
    path = tmp_path_factory.mktemp("whole") / "store.db"
    with teachmem.open_memory(path, embedder=HashingEmbedder(), vectors=ExactIndex()) as mem:
        tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
        for number in range(3):
            tech.working.write("arm-1", "observed", f"drift {number}", f"arm 1 drifts by {number}")
            tech.episodic.log("observation", f"the hoist slipped {number}", importance=0.5)
            tech.graph.link("hoist", "depends_on", f"dryer {number}")
            tech.semantic.remember(f"the hoist runs {number}", confidence=0.5)
    return path


def doors(mem, ids):
    tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
    now = mem.clock.now()
    yield lambda: tech.working.read()
    yield lambda: tech.working.context("arm")
    yield lambda: tech.working.stats()
    for relevance in ("words", "hybrid"):
        for times in ({}, {"known_at": now}):
            yield lambda relevance=relevance, times=times: tech.episodic.recall(
                "hoist", relevance=relevance, **times
            )
    yield lambda: tech.episodic.recent(5)
    yield lambda: tech.episodic.stats()
    yield lambda: tech.semantic.search("hoist")
    yield lambda: tech.semantic.search("hoist", kinds=["plan"])
    yield lambda: tech.semantic.search("hoist", known_at=now)
    yield lambda: tech.semantic.list(limit=3)
    yield lambda: tech.semantic.stats()
    yield lambda: tech.graph.neighbours("hoist")
    yield lambda: tech.graph.stats()
    for memory_id in ids:
        yield lambda memory_id=memory_id: tech.semantic.get(memory_id)
        yield lambda memory_id=memory_id: tech.semantic.history(memory_id)
        yield lambda memory_id=memory_id: tech.semantic.revise(memory_id, confidence=0.9)
    yield lambda: tech.semantic.remember("the hoist runs 1", confidence=0.5)
    yield lambda: tech.episodic.log("observation", "the hoist slipped again")
    yield lambda: mem.audit.verify()


@pytest.mark.parametrize(("column", "value"), DAMAGE, ids=[f"{name}-{value!r:.12}" for name, value in DAMAGE])
def test_no_door_lets_a_bare_error_out_or_takes_a_damaged_value_for_a_whole_one(
    whole, tmp_path, column, value
):
    path = tmp_path / "store.db"
    shutil.copy(whole, path)
    with closing(sqlite3.connect(path)) as raw:
        ids = [row[0] for row in raw.execute("SELECT memory_id FROM memories WHERE tier = 'semantic'")]
        raw.execute("PRAGMA ignore_check_constraints = ON")
        firsts = [row[0] for row in raw.execute("SELECT min(memory_id) FROM memories GROUP BY tier")]
        for first in firsts if column != "memory_id" else firsts[-1:]:  # ids stay apart
            raw.execute(f"UPDATE memories SET {column} = ? WHERE memory_id = ?", (value, first))
        raw.commit()
    with teachmem.open_memory(path, embedder=HashingEmbedder(), vectors=ExactIndex()) as mem:
        told = []
        for door in doors(mem, ids[:1]):
            try:
                door()
            except StoreError as error:
                told.append(str(error))
            except TeachmemError:
                pass  # not found, or a revision that would carry the value on and is refused
        assert all("damaged" in sentence for sentence in told)
        assert not told or column != "embedding"  # a vector follows from its text


@pytest.mark.parametrize(
    "said",
    [
        "X'0102'",
        "zeroblob(1024)",
        "CAST(X'0000C07F' || substr(embedding, 5) AS BLOB)",  # not a number
        "CAST(X'CDCCCC3F' || substr(embedding, 5) AS BLOB)",  # 1.6: no unit vector any more
    ],
)
def test_a_damaged_vector_is_made_again_from_its_text(whole, tmp_path, said):
    path = tmp_path / "store.db"
    shutil.copy(whole, path)
    with teachmem.open_memory(path, embedder=HashingEmbedder(), vectors=ExactIndex()) as mem:
        tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
        sound = [(hit.memory.memory_id, hit.score) for hit in tech.semantic.search("hoist runs", k=9)]
    with closing(sqlite3.connect(path)) as raw:
        raw.execute(f"UPDATE memories SET embedding = {said}")
        raw.commit()
    with teachmem.open_memory(path, embedder=HashingEmbedder(), vectors=ExactIndex()) as mem:
        tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
        assert [(hit.memory.memory_id, hit.score) for hit in tech.semantic.search("hoist runs", k=9)] == sound
