"""The fault campaign in short: every part once, every door; and that it would notice what it looks for."""

import json
import os
import random
import sqlite3
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import postgres
import pytest
import test_doors
from helpers import opened
from torture import clocks, hostile, indexes, run, servers, shim
from torture.doors import DOORS

import teachmem
from teachmem import InvalidInput, NotFound, StoreError
from teachmem.ledger import complaints, journal
from teachmem.recall import nearest
from teachmem.recall.embed import HashingEmbedder

RUN = Path(run.__file__)
#: What a handle offers that changes nothing; beside these, every method has its place among the doors.
READS = {
    *(f"working.{name}" for name in ("read", "context", "stats")),
    *(f"episodic.{name}" for name in ("recall", "recent", "since", "stats")),
    *(f"semantic.{name}" for name in ("get", "history", "list", "search", "search_documents", "stats")),
    *(f"graph.{name}" for name in ("edges", "neighbours", "path", "stats")),
    *(f"procedural.{name}" for name in ("choose", "get", "list", "uses")),
    *("context", "keystones", "trail", "tombstones", "review.inbox"),
}


@pytest.fixture(scope="module")
def preloaded():
    """Return the environment of a Python with the shim, or skip and say why there is none."""
    try:
        yield shim.environment()
    except shim.Missing as error:
        pytest.skip(str(error))
    shim.remove()


def campaign(environment, folder, *parts, minutes=0.01):
    """Run parts of the campaign in a process of its own; return its figures by fault."""
    told = folder / "told.json"
    arguments = [sys.executable, str(RUN), *parts, "--minutes", str(minutes), "--json", str(told)]
    done = subprocess.run(
        arguments, env=environment, capture_output=True, text=True, timeout=400, check=False
    )
    assert told.exists(), done.stderr
    found = json.loads(told.read_text(encoding="utf-8"))
    assert [what for one in found["figures"] for what in one["wrong"]] == [], done.stderr
    assert found["left_out"] == []
    struck = {}
    for one in found["figures"]:
        struck[one["fault"]] = struck.get(one["fault"], 0) + one["struck"]
    return struck


def test_every_method_that_changes_something_is_among_the_doors(tmp_path):
    with opened() as mem:
        world = test_doors.World(mem, tmp_path)
        found = {*test_doors.methods(world.tech), *test_doors.methods(world.steward)}
    named = {name.partition(" ")[0] for name in DOORS} - {"tidy", "checkpoint", "backup"}  # of the store
    assert found - READS == named


def test_a_kill_at_a_call_on_a_file_leaves_every_door_whole(tmp_path, preloaded):
    assert campaign(preloaded, tmp_path, "kills")["SIGKILL at a call on a file"] >= len(DOORS) - 2


def test_a_disk_that_refuses_leaves_every_door_whole_and_is_told(tmp_path, preloaded):
    struck = campaign(preloaded, tmp_path, "refusals")
    assert min(struck.values()) >= len(DOORS) - 3


def test_power_cuts_torn_files_and_other_bytes(tmp_path, preloaded):
    struck = campaign(preloaded, tmp_path, "power", "bytes", minutes=0.1)
    assert struck["power cut"] >= 15
    assert struck["the file, cut short"] >= 1


def test_several_processes_are_killed_and_locks_are_held(tmp_path, preloaded):
    struck = campaign(preloaded, tmp_path, "processes", "locks", minutes=0.1)
    assert struck["SIGKILL among several processes, fsync slowed"] >= 2
    assert struck["a lock held past the timeout"] == len(DOORS) - 1  # a backup only reads


def test_clocks_that_jump_and_moments_of_every_zone():
    chance = random.Random(7)
    found = [*clocks.jumps(chance, 8), *clocks.zones(chance, 60)]
    assert [what for one in found for what in one.wrong] == []
    assert all(one.struck for one in found)


def test_a_chroma_folder_that_is_damaged_while_it_is_used(tmp_path):
    pytest.importorskip("chromadb", reason="chromadb is not installed")
    found = list(indexes.damaged(tmp_path, random.Random(7), 1))
    assert [what for one in found for what in one.wrong] == []
    assert sum(one.struck for one in found) >= 12


def test_a_connection_to_a_server_is_cut_and_the_request_sent_again(tmp_path, caplog):
    try:
        found = list(servers.cut(tmp_path, random.Random(7), 1))
    except servers.NoServer as error:
        if postgres.is_required():
            raise
        pytest.skip(str(error))
    assert [what for one in found for what in one.wrong] == []
    assert sum(one.struck for one in found) >= 2 * len(servers.NAMES)
    assert caplog.records == []  # whoever called was told; nobody else needs a traceback


def test_hostile_words_at_every_door():
    (found,) = hostile.words(random.Random(7), 25, long=False)
    assert found.wrong == []
    assert found.struck > 50


# ---- what it found, one by one ------------------------------------------------------------------------


def failing(error):
    def fail(*_):
        raise error

    return fail


def test_a_commit_that_the_disk_did_not_confirm_is_not_said_to_be_undone():
    with (
        pytest.raises(StoreError, match="not known until the store is opened again"),
        complaints.committing(),
    ):
        raise sqlite3.OperationalError("disk I/O error")
    with pytest.raises(sqlite3.OperationalError), complaints.committing():
        raise sqlite3.OperationalError("no such table: x")


def test_an_export_gets_its_name_once_the_log_says_so(tmp_path, monkeypatch):
    with opened() as mem:
        steward = mem.person("officer", fleet="dock", tenant="northlight", clearance=3)
        steward.semantic.remember("The canteen closes at two")
        with monkeypatch.context() as patch:
            patch.setattr(journal.Change, "finish", failing(ZeroDivisionError()))
            with pytest.raises(ZeroDivisionError):
                steward.export(tmp_path / "out.jsonl")
        assert list(tmp_path.iterdir()) == []
        assert steward.export(tmp_path / "out.jsonl").memories == 1
        assert [path.name for path in tmp_path.iterdir()] == ["out.jsonl"]


def test_a_store_that_fails_is_not_taken_for_a_fault_of_an_item(monkeypatch):
    with opened() as mem:
        tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
        with monkeypatch.context() as patch:
            patch.setattr(journal.Change, "finish", failing(StoreError("the disk is full")))
            (receipt,) = tech.semantic.remember_many([{"content": "it sticks"}])
        assert (receipt.steps[-1].check, receipt.steps[-1].reason) == ("write", "the disk is full")


def test_a_file_that_cannot_be_deleted_hides_no_error(tmp_path, monkeypatch):
    with opened(tmp_path / "s.db") as mem:
        monkeypatch.setattr(os, "link", failing(OSError("no room")))
        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", lambda _: patch.setattr(Path, "unlink", failing(OSError("read-only"))))
            with pytest.raises(StoreError, match=r"b\.db' cannot be written: no room"):
                mem.backup(tmp_path / "b.db")


def test_a_question_of_a_megabyte_is_refused_and_no_error_quotes_one():
    with opened() as mem:
        tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
        long = "word " * 250_000
        for ask in (tech.semantic.search, tech.episodic.recall, tech.context, tech.working.context):
            with pytest.raises(InvalidInput, match="1,250,000 characters"):
                ask(long)
        with pytest.raises(NotFound) as caught:
            tech.semantic.get(long)
        assert len(str(caught.value)) < 2_100
        assert caught.value.memory_id == long


@pytest.mark.parametrize("year", [1, 9999])
def test_a_clock_that_no_log_can_hold_is_named(year):
    with opened(start=datetime(year, 6, 1, tzinfo=UTC)) as mem:
        with pytest.raises(InvalidInput, match=r"clock: stands at .* 1685 to 2254"):
            mem.agent("dock-1", fleet="dock", tenant="northlight").semantic.remember("it sticks")
        assert mem.audit.verify().entries == 0


def test_a_vector_index_that_has_lost_pages_is_built_again(tmp_path):
    pytest.importorskip("chromadb", reason="chromadb is not installed")
    with teachmem.open_memory(tmp_path / "s.db", embedder=HashingEmbedder()) as mem:
        tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
        tech.semantic.remember_many({"content": f"hoist number {n} runs"} for n in range(300))
        tech.semantic.search("hoist")
    kept = tmp_path / "s.db.chroma" / "chroma.sqlite3"
    kept.write_bytes(kept.read_bytes()[: kept.stat().st_size * 3 // 4])
    with teachmem.open_memory(tmp_path / "s.db", embedder=HashingEmbedder()) as mem:
        tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
        notes = [tech.semantic.search("hoist").note for _ in range(3)]
        assert any("built again" in note for note in notes)
        kinds = [nearest.partition(("semantic", "team", "dock", ""))]
        assert mem._kit.near.index.size("northlight", kinds) == 300


# ---- it would notice -----------------------------------------------------------------------------------

BROKEN = """
import random, sys
from pathlib import Path
from torture import disk, kills, shim
from torture.doors import DOORS
from teachmem.ledger.database import Transaction

def names(*wanted):
    for name in set(DOORS) - set(wanted):
        del DOORS[name]

what, folder = sys.argv[1], Path(sys.argv[2])
if what == "no sync":
    (found,) = disk.power_cuts(folder, random.Random(7), 25, synchronous="OFF")
    print(len(found.wrong))
elif what == "halves":  # each statement is committed by itself
    run = Transaction.run
    def alone(self, prepared, **binds):
        count = run(self, prepared, **binds)
        if not prepared.on(self._dialect)[0].lstrip().upper().startswith("SELECT"):
            self._cursor.execute("COMMIT")
            self._cursor.execute("BEGIN IMMEDIATE")
        return count
    Transaction.run = alone
    names("working.write")
    (found,) = kills.at_every_call(folder, random.Random(7), 12)
    print(len(found.wrong))
"""


@pytest.mark.parametrize("what", ["no sync", "halves"])
def test_the_campaign_finds_a_store_that_is_not_safe(tmp_path, preloaded, what):
    path = os.pathsep.join([str(RUN.parents[1]), str(RUN.parents[2] / "src")])
    done = subprocess.run(
        [sys.executable, "-c", BROKEN, what, str(tmp_path)],
        env={**preloaded, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout.splitlines()[-1]) >= 3
