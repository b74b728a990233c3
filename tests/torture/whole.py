"""Is a store whole after what was done to it? Asked of the rows, the log, two verifiers and the indexes."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import teachmem
from teachmem import standalone_verifier
from teachmem.ledger import schema
from teachmem.recall.vectors import ExactIndex
from torture.doors import EMBEDDER

QUESTIONS = ("canteen lunch", "lift sticks", "arm drifts", "crate counted")


def digest(path: Path) -> str:
    """Return one digest of every row of every table, for a comparison of before and after."""
    with closing(sqlite3.connect(path)) as raw:
        rows = {
            name: sorted(raw.execute(f"SELECT * FROM {name}"), key=repr) for name in schema.metadata.tables
        }
    return hashlib.sha256(repr(rows).encode()).hexdigest()


def contents(path: Path) -> set[str]:
    """Return what the store's rows say."""
    with closing(sqlite3.connect(path)) as raw:
        return {row[0] for row in raw.execute("SELECT content FROM memories")}


def held(path: Path) -> int:
    """Return how many memories the store has, whatever their state."""
    with closing(sqlite3.connect(path)) as raw:
        return int(raw.execute("SELECT count(DISTINCT memory_id) FROM memories").fetchone()[0])


def faults(path: Path) -> list[str]:
    """Return all that is wrong with a store that nobody has open; it can be written to afterwards."""
    wrong = []
    with teachmem.open_memory(path, embedder=EMBEDDER, vectors=ExactIndex()) as mem:
        report = mem.audit.verify(deep=True)
        if report.status != "complete":
            wrong.append(str(report))
        mem.agent("next", fleet="dock", tenant="northlight").semantic.remember("life goes on")
    with closing(sqlite3.connect(path)) as raw:
        if (said := raw.execute("PRAGMA integrity_check").fetchone()) != ("ok",):
            wrong.append(f"SQLite finds {said}")
        rows = set(raw.execute("SELECT seq, memory_id, version FROM memories"))
        bodies = [json.loads(body) for (body,) in raw.execute("SELECT body FROM audit")]
        requests = {row[0] for row in raw.execute("SELECT seq FROM requests")}
    told = {(body["seq"], item["id"], item["version"]) for body in bodies for item in body["touched"]}
    if not rows <= told:
        wrong.append(f"no entry names {sorted(rows - told)}")
    if not requests <= {body["seq"] for body in bodies}:
        wrong.append("a request is kept of an act that the log does not hold")
    alone = standalone_verifier.verify(path, deep=True)
    if alone.status != "complete":
        wrong.append(f"the verifier in one file finds {alone.findings[:3]}")
    return wrong


def answers(mem: teachmem.MemoryStore) -> list[list[str]]:
    """Return what the indexes of an open store answer, for a comparison with those of a new opener."""
    who = mem.agent("dock-1", fleet="dock", tenant="northlight")
    asked = [who.semantic.search(text, k=1_000) for text in QUESTIONS]
    asked += [who.episodic.recall(text, k=1_000) for text in QUESTIONS]
    return [sorted(f"{hit.memory.memory_id}: {hit.memory.content}" for hit in found) for found in asked]
