"""Backup and restore: a whole, verified copy; back through the gate, and nothing decided since is undone."""

from __future__ import annotations

import sqlite3
import threading

import pytest
from helpers import START, connection, everything, start_python
from typer.testing import CliRunner

import teachmem
from teachmem import LessonClock
from teachmem.cli import app
from teachmem.errors import StoreError
from teachmem.recall.vectors import ExactIndex

SECRET = "Zebra quartz is the private word"


def opened(path):
    return teachmem.open_memory(path, clock=LessonClock(START), vectors=ExactIndex())


def agent(mem, name="dock-1", fleet="dock", tenant="northlight"):
    return mem.agent(name, fleet=fleet, tenant=tenant)


def officer(mem, tenant="northlight", clearance=3):
    return mem.person("data-officer", fleet="dock", tenant=tenant, clearance=clearance)


def contents(mem):
    with connection(mem) as raw:
        found = raw.execute("SELECT content FROM memories WHERE superseded_at IS NULL AND status = 'active'")
        return sorted(row[0] for row in found)


@pytest.fixture
def store(tmp_path):
    """A store with two tenants, three fleets, a private row, a revision and an event; and its backup."""
    with opened(tmp_path / "s.db") as mem:
        tech = agent(mem)
        tech.semantic.remember(SECRET)
        tech.semantic.remember("my own shorthand", visibility="agent")
        fact = tech.semantic.remember("The canteen closes at two").memory.memory_id
        tech.semantic.revise(fact, content="The canteen closes at three")
        tech.episodic.log("observation", "gate four is open")
        agent(mem, "line-3", "line").semantic.remember("Belt three squeaks", evidence=())
        agent(mem, "cold-1", "cold", "southgate").semantic.remember("Door three leaks")
        report = mem.backup(tmp_path / "b.db")
        assert report.status == "complete"
        assert report.head == mem.audit.verify().head
    return tmp_path


def test_the_copy_is_the_store_row_for_row_and_its_owners_alone(store):
    with opened(store / "s.db") as mem, opened(store / "b.db") as copy:
        assert everything(copy) == everything(mem)
        assert copy.audit.verify(deep=True).status == "complete"
    assert (store / "b.db").stat().st_mode & 0o777 == 0o600
    assert not list(store.glob(".*.part*"))


def test_nothing_is_overwritten_and_a_place_that_cannot_be_written_is_said(store):
    before = (store / "b.db").read_bytes()
    with opened(store / "s.db") as mem:
        with pytest.raises(StoreError, match="exists already"):
            mem.backup(store / "b.db")
        with pytest.raises(StoreError, match="does not exist"):
            mem.backup(store / "nowhere" / "b.db")
    assert (store / "b.db").read_bytes() == before


def test_a_backup_made_while_others_write_is_one_whole_moment(tmp_path):
    with opened(tmp_path / "s.db") as mem:
        tech, stop = agent(mem), threading.Event()

        def write():
            number = 0
            while not stop.is_set():
                number += 1
                tech.working.write("arm-1", "observed", "drift", f"note number {number}")

        writer = threading.Thread(target=write)
        writer.start()
        try:
            reports = [mem.backup(tmp_path / f"b{number}.db") for number in range(3)]
        finally:
            stop.set()
            writer.join()
        assert [report.status for report in reports] == ["complete"] * 3
        assert mem.audit.verify(deep=True).status == "complete"


def test_a_backup_of_a_broken_store_says_so_and_is_not_restored(store):
    raw = sqlite3.connect(store / "s.db")
    raw.execute("UPDATE memories SET content = 'another word' WHERE content = ?", (SECRET,))
    raw.commit()
    raw.close()
    with opened(store / "s.db") as mem:
        assert mem.backup(store / "broken.db").status == "broken"
        before = everything(mem)
        with pytest.raises(StoreError, match="not restored"):
            officer(mem).restore(store / "broken.db")
        assert everything(mem) == before


def test_what_was_erased_is_not_in_a_later_backup_even_while_its_bytes_wait(store):
    reader = sqlite3.connect(store / "s.db", isolation_level=None)
    with opened(store / "s.db") as mem:
        fact = next(row for row in agent(mem).semantic.list() if row.content == SECRET).memory_id
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM memories").fetchone()
        assert not officer(mem).forget(fact, "asked").is_finished
        assert mem.backup(store / "later.db").status == "complete"
        assert SECRET.encode() not in (store / "later.db").read_bytes()
        reader.close()


def test_restoring_into_an_empty_store_brings_back_what_is_live_for_one_tenant(store, tmp_path):
    with opened(tmp_path / "new.db") as mem:
        report = officer(mem).restore(store / "b.db")
        assert (report.verified, report.accepted, report.refused) == (True, 5, [])
        assert contents(mem) == sorted(
            [
                SECRET,
                "my own shorthand",
                "The canteen closes at three",
                "gate four is open",
                "Belt three squeaks",
            ]
        )
        again = officer(mem).restore(store / "b.db")
        assert (again.accepted, again.duplicates) == (0, 5)
        assert mem.audit.verify(deep=True).status == "complete"


def test_restoring_into_a_store_that_has_gone_on_undoes_nothing(store):
    with opened(store / "s.db") as mem:
        tech, lead = agent(mem), officer(mem)
        rows = {row.content: row.memory_id for row in tech.semantic.list()}
        lead.semantic.reject(rows["The canteen closes at three"], "it closes at four")
        lead.forget(rows[SECRET], "asked")
        tech.semantic.retract(rows["my own shorthand"], "no longer")
        tech.semantic.remember("written after the backup")
        entries = mem.audit.verify().entries
        before = contents(mem)
        report = lead.restore(store / "b.db")
        assert contents(mem) == before
        assert report.accepted == 0
        assert report.duplicates == 2  # the event, and the fact of another fleet
        why = {name: told.split(":")[0] for _, name, told in report.refused}
        assert why[rows[SECRET]] == "erased"
        assert why[rows["my own shorthand"]] == "withdrawn"
        assert len(why) == 3
        after = mem.audit.verify(deep=True)
        assert after.status == "complete"
        assert after.entries >= entries
        assert lead.tombstones()[0].state == "standing"


def test_somebody_who_is_no_steward_restores_what_they_may_read(store, tmp_path):
    with opened(tmp_path / "new.db") as mem:
        report = officer(mem, clearance=1).restore(store / "b.db")
        assert report.accepted == 0
        assert len(report.refused) == 3  # of others; the private row and the other fleet were never read
        assert contents(mem) == []


def test_the_backup_is_only_read(store, tmp_path):
    before = (store / "b.db").read_bytes()
    with opened(tmp_path / "new.db") as mem:
        officer(mem).restore(store / "b.db")
    assert (store / "b.db").read_bytes() == before
    assert not list(store.glob("b.db-*"))


def test_what_is_no_backup_of_this_tenant_is_refused(store, tmp_path):
    torn = tmp_path / "torn.db"
    torn.write_bytes((store / "b.db").read_bytes()[:-9000])
    other = tmp_path / "letter.txt"
    other.write_text("not a store", encoding="utf-8")
    with opened(tmp_path / "new.db") as mem:
        for path in (torn, other, tmp_path / "missing.db", tmp_path):
            with pytest.raises(StoreError):
                officer(mem).restore(path)
        with pytest.raises(StoreError, match="nothing of the tenant"):
            officer(mem, tenant="eastgate").restore(store / "b.db")
        assert contents(mem) == []


KILLED = """
import os, sys, teachmem
from teachmem.flow import backup
from teachmem.recall.vectors import ExactIndex
backup.verify.verify = lambda *_, **__: os._exit(9)
teachmem.open_memory(sys.argv[1], vectors=ExactIndex()).backup(sys.argv[2])
"""


def test_a_kill_leaves_no_half_a_backup_under_its_name(store):
    process = start_python(KILLED, store / "s.db", store / "killed.db")
    process.communicate(timeout=120)
    assert process.returncode == 9
    assert not (store / "killed.db").exists()
    with opened(store / "s.db") as mem:
        assert mem.backup(store / "killed.db").status == "complete"
    assert not list(store.glob(".*.part*"))


def test_the_commands(store):
    runner = CliRunner()
    made = runner.invoke(app, ["backup", str(store / "s.db"), str(store / "cli.db")])
    assert made.exit_code == 0, made.output
    assert "complete" in made.output
    assert isinstance(
        runner.invoke(app, ["backup", str(store / "none.db"), str(store / "x.db")]).exception, StoreError
    )
    assert not (store / "none.db").exists()
    who = ["--tenant", "northlight", "--fleet", "dock", "--person", "data-officer", "--clearance", "3"]
    back = runner.invoke(app, ["restore", str(store / "cli.db"), str(store / "new.db"), *who])
    assert back.exit_code == 0, back.output
    assert "5 accepted" in back.output
    missing = runner.invoke(app, ["restore", str(store / "none.db"), str(store / "new.db"), *who])
    assert isinstance(missing.exception, StoreError)
