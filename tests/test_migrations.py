"""An older store is upgraded in place, whole or not at all, after a copy; its log is the same afterwards."""

import hashlib
import json
import os
import re
import shutil
import sqlite3
import warnings
from contextlib import closing

import old_stores
import pytest
from helpers import connection, everything, opened, start_python, stop
from test_attacks import ALONE

import teachmem
from teachmem import MemoryRefused, StoreError
from teachmem.ledger import migrations, schema, shape
from teachmem.ledger.database import Database
from teachmem.recall.vectors import ExactIndex

OURS = "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' ORDER BY 1, 2"
UNCHANGED = ("audit", "audit_heads", "derivations")
SHAPES = {2: "37eaa2cc5eaa60a1"}  # a digest of every table, index and trigger, by version


@pytest.fixture(params=old_stores.NAMES)
def name(request):
    return request.param


@pytest.fixture
def path(tmp_path, name):
    return old_stores.make(name, tmp_path / "store.db")


def upgraded(path, **more):
    with pytest.warns(UserWarning, match="was upgraded to schema 2"):
        return teachmem.open_memory(path, vectors=ExactIndex(), **more)


def read(path, question):
    with closing(sqlite3.connect(path)) as raw:
        return raw.execute(question).fetchall()


def dumped(path):
    with closing(sqlite3.connect(path)) as raw:
        return list(raw.iterdump())


def shaped(path):
    """Return every table, index and trigger, without white space at the ends of lines."""
    return [(*rest, re.sub(r"\s+\n", "\n", sql)) for *rest, sql in read(path, OURS)]


def columns(path, table):
    """Return every row of a table by column, without the columns that a database makes itself."""
    with closing(sqlite3.connect(path)) as raw:
        raw.row_factory = sqlite3.Row
        return [dict(row) for row in raw.execute(f"SELECT * FROM {table} ORDER BY rowid")]


def copy_of(path):
    return path.with_name(path.name + ".schema-1")


def test_the_shape_of_today_is_the_one_that_its_version_stands_for(tmp_path):
    with opened(tmp_path / "new.db"):
        pass
    text = json.dumps(shaped(tmp_path / "new.db"))
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    assert SHAPES[schema.SCHEMA_VERSION] == digest, "a table has changed: raise SCHEMA_VERSION, add a step"


def test_an_upgraded_store_has_the_very_tables_of_a_new_one(path, tmp_path):
    upgraded(path).close()
    with opened(tmp_path / "new.db"):
        pass
    assert shaped(path) == shaped(tmp_path / "new.db")
    assert read(path, "SELECT value FROM meta WHERE key = 'schema'") == [(str(schema.SCHEMA_VERSION),)]


def test_nothing_that_was_said_is_lost_or_changed_and_the_log_is_the_same(path, name):
    was = {table: columns(path, table) for table in ("memories", "candidates", "requests", *UNCHANGED)}
    if name != "first":
        was["tombstones"] = columns(path, "tombstones")
    upgraded(path).close()
    follows = {"twin_key", "claim_key", "draft", "payload_digest", "salt"}
    for table, before in was.items():
        now = columns(path, table)
        skip = set() if table in UNCHANGED or table == "tombstones" else follows - {"salt"}
        if table == "requests":
            skip = follows
        assert len(now) == len(before)
        for old, new in zip(before, now, strict=True):
            assert {key: new[key] for key in old if key not in skip} == {
                key: value for key, value in old.items() if key not in skip
            }


def test_the_chain_holds_and_what_an_early_log_cannot_prove_is_said(path, name):
    with upgraded(path) as mem:
        assert mem.audit.verify().status == "complete"
        report = mem.audit.verify(deep=True)
        assert report.status == ("partial" if name == "first" else "complete")
        assert [what for what in report.unchecked if "early teachmem" in what] == list(report.unchecked)
        assert ALONE.verify(path, deep=True).status == report.status
        mem.agent("dock-1", fleet="dock", tenant="northlight").semantic.remember("life goes on")
        assert mem.audit.verify(deep=True).status == report.status
        with connection(mem) as raw:  # the contents are proved in any case
            raw.execute("UPDATE memories SET content = 'nothing' WHERE memory_id = 'event-0001'")
        assert mem.audit.verify(deep=True).status == "broken"
        assert ALONE.verify(path, deep=True).status == "broken"


def test_from_the_first_entry_with_a_digest_of_the_columns_on_all_have_one(tmp_path):
    """Or whoever rewrote the end of a log could leave out what a changed column contradicts."""
    with upgraded(old_stores.make("first", tmp_path / "s.db")) as mem:
        tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
        tech.semantic.remember("life goes on")
        tech.semantic.remember("and on")
        with connection(mem) as raw:
            raw.execute("DROP TRIGGER audit_no_update")
            raw.execute("UPDATE audit SET body = json_remove(body, '$.touched[0].row') WHERE seq = 11")
        found = [finding.what for finding in mem.audit.verify(deep=True).findings if finding.seq == 11]
        assert any("a column of" in what for what in found)


def test_the_copy_is_the_store_as_it_was_and_its_owners_alone(path):
    was = {table: columns(path, table) for table in ("memories", "candidates", "audit", "meta")}
    upgraded(path).close()
    assert {table: columns(copy_of(path), table) for table in was} == was
    if os.name != "nt":
        assert copy_of(path).stat().st_mode & 0o777 == 0o600
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        teachmem.open_memory(path, vectors=ExactIndex()).close()  # and it is done once
    assert shape.copies(path) == [copy_of(path)]
    with upgraded(copy_of(path)) as mem:  # whoever wants back has a store
        assert mem.audit.verify().status == "complete"


def test_an_upgraded_store_does_what_a_new_one_does(path, name):
    with upgraded(path) as mem:
        tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
        lead = mem.person("shift-lead", fleet="dock", tenant="northlight")
        assert tech.working.write("arm-1", "observed", "drift", "anything", request_id="r1").audit_seq == 1
        assert tech.semantic.search("canteen")[0].memory.content == "The canteen closes at two"
        assert tech.semantic.remember("Bay two is led by line-3").verdict == "accepted"
        with pytest.raises(teachmem.InvalidInput, match="is a person's"):
            mem.agent("shift-lead", fleet="dock", tenant="northlight")
        (waiting,) = lead.review.inbox()
        assert waiting.draft.content == "The lift sticks, says a page"
        assert lead.review.approve(waiting.candidate_id).verdict == "accepted"
        if name == "first":  # its rule took minus five for five
            assert tech.semantic.remember("-5 degrees").verdict == "duplicate"
            assert tech.semantic.remember("5 degrees").verdict == "accepted"
        else:
            with pytest.raises(MemoryRefused):
                tech.semantic.remember("The yard is narrow")
        second = tech.semantic.remember(
            "The canteen is shut", subject="canteen", predicate="has_status", object="shut"
        )
        assert second.verdict == "accepted"
        assert [item for item in lead.review.inbox() if "contradict" in item.reason]
        assert mem.audit.verify().status == "complete"


def test_the_keys_that_an_upgrade_makes_are_those_that_the_gate_gives():
    """Over one of every kind of row that a gate writes."""
    with opened() as mem:
        tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
        note = tech.working.write("arm-1", "observed", "drift", "arm 1 drifts").memory.memory_id
        tech.working.write("arm-1", "supersedes", note, "set straight")
        tech.episodic.log("observation", "gate four is open", happened_at=mem.clock.now())
        fact = tech.semantic.remember("It opens", subject="Gate  4", predicate="has_status", object="open")
        tech.semantic.revise(fact.memory.memory_id, content="It opens at two", confidence=0.5)
        tech.graph.link("gate 4", "located_in", "dock")
        tech.report_outcome("success", "it went well")
        before = everything(mem)["memories"]
        with mem._database._engine.connect() as raw:
            raw.exec_driver_sql("UPDATE memories SET claim_key = NULL, twin_key = twin_key || 'x' WHERE 1")
            migrations._make_keys(raw)
        assert everything(mem)["memories"] == before


def test_two_rows_that_an_older_rule_told_apart_stay_apart(tmp_path):
    path = old_stores.make("first", tmp_path / "s.db")
    with closing(sqlite3.connect(path)) as raw:
        raw.execute(
            "UPDATE memories SET content = '5 degrees', agent = 'shift-lead' WHERE memory_id = 'fact-0005'"
        )
        raw.execute(
            "UPDATE memories SET content = '5 degrees', agent = 'shift-lead' WHERE memory_id = 'fact-0003'"
        )
        raw.commit()
    asked = "SELECT twin_key FROM memories WHERE memory_id IN ('fact-0003', 'fact-0005')"
    before = set(read(path, asked))
    upgraded(path).close()
    after = set(read(path, asked))
    assert len(before) == len(after) == 2
    assert len(before & after) == 1


def test_a_table_that_every_version_has_is_missed(path):
    with closing(sqlite3.connect(path)) as raw:
        raw.execute("DROP TABLE requests")
    before = dumped(path)
    with pytest.raises(StoreError, match="lacks its table requests"):
        teachmem.open_memory(path)
    assert_as_before(path, before)


def assert_as_before(path, before):
    """The store is of schema 1, holds what it held, and no copy lies about."""
    assert shape.copies(path) == []
    assert read(path, "SELECT value FROM meta WHERE key = 'schema'") == [("1",)]
    assert dumped(path) == before


def test_a_row_that_today_refuses_stops_the_upgrade_and_nothing_is_changed(tmp_path):
    path = old_stores.make("first", tmp_path / "s.db")
    with closing(sqlite3.connect(path)) as raw:
        raw.execute("UPDATE memories SET source = 'rumour' WHERE memory_id = 'fact-0001'")
        raw.commit()
    before = dumped(path)
    with pytest.raises(
        StoreError, match="schema 1 and could not be brought to schema 2; nothing in it was changed"
    ):
        teachmem.open_memory(path)
    assert_as_before(path, before)


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE candidates SET draft = 'no json'",
        "UPDATE memories SET content = x'ff', tier = 'semantic' WHERE memory_id = 'fact-0001'",
        "CREATE TABLE before_memories (a)",
        "DROP TABLE requests; CREATE TABLE requests (a); INSERT INTO requests VALUES (1)",
    ],
)
def test_whatever_an_older_store_holds_it_is_upgraded_or_left_with_a_sentence(tmp_path, damage):
    path = old_stores.make("first", tmp_path / "s.db")
    with closing(sqlite3.connect(path)) as raw:
        raw.executescript(damage)
    before = dumped(path)
    with pytest.raises(StoreError, match="nothing in it was changed"):
        teachmem.open_memory(path)
    assert_as_before(path, before)


@pytest.mark.parametrize("version", ["\u00b2", "\u0661", "9" * 5_000, "1.0", "-1", ""])
def test_a_version_that_no_teachmem_wrote_is_refused(tmp_path, version):
    path = old_stores.make("last", tmp_path / "s.db")
    with closing(sqlite3.connect(path)) as raw:
        raw.execute("UPDATE meta SET value = ? WHERE key = 'schema'", (version,))
        raw.commit()
    with pytest.raises(StoreError, match=r"newer teachmem|does not say which schema"):
        teachmem.open_memory(path)


@pytest.mark.parametrize("named", ["null", "5", "json('[1]')"])
def test_a_chain_that_was_broken_before_is_broken_after(path, named):
    with closing(sqlite3.connect(path)) as raw:
        for (trigger,) in raw.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            raw.execute(f"DROP TRIGGER {trigger}")
        raw.execute(f"UPDATE audit SET body = json_set(body, '$.actor.name', {named}) WHERE rowid = 1")
        raw.commit()
    with upgraded(path) as mem:
        assert mem.audit.verify().status == "broken"


def test_the_copy_goes_where_nothing_lies_not_even_a_link(tmp_path):
    path = old_stores.make("last", tmp_path / "s.db")
    copy_of(path).symlink_to(tmp_path / "elsewhere")
    upgraded(path).close()
    assert (tmp_path / "s.db.schema-1-2").is_file()
    assert not (tmp_path / "elsewhere").exists()


def test_a_store_that_cannot_be_written_says_that_it_has_to_be(path):
    before = path.read_bytes()
    with pytest.raises(StoreError, match=r"of schema 1 .* nothing in it was changed: .*read-only"):
        teachmem.open_memory(f"sqlite:///file:{path}?mode=ro&uri=true")
    assert path.read_bytes() == before
    assert shape.copies(path) == []


def test_a_newer_store_is_refused_by_the_command_too(path):
    with closing(sqlite3.connect(path)) as raw:
        raw.execute("UPDATE meta SET value = '3' WHERE key = 'schema'")
        raw.commit()
    before = path.read_bytes()
    with pytest.raises(StoreError, match="newer teachmem"):
        Database.open(str(path))
    assert path.read_bytes() == before


def test_what_was_erased_is_said_to_be_in_the_copy(tmp_path):
    path = old_stores.make("last", tmp_path / "s.db")
    with upgraded(path) as mem:
        lead = mem.person("shift-lead", fleet="dock", tenant="northlight")
        certificate = lead.forget("event-0001", "asked")
        assert any(str(copy_of(path)) in what for what in certificate.out_of_reach)
        copy_of(path).unlink()
        fact = lead.semantic.remember("and this").memory.memory_id
        assert not any("schema" in what for what in lead.forget(fact, "asked").out_of_reach)


def test_an_old_backup_is_restored(path, tmp_path):
    with teachmem.open_memory(tmp_path / "new.db", vectors=ExactIndex()) as mem:
        officer = mem.person("officer", fleet="dock", tenant="northlight", clearance=3)
        with pytest.warns(UserWarning, match="upgraded"):
            report = officer.restore(path)
        assert (report.verified, len(report.refused)) == (True, 0)
        assert report.accepted >= 6
    assert shape.copies(path) == []  # a backup is only read


# ---- kills, races, a full disk -----------------------------------------------------------------------

OPENER = """
import os, sys, warnings
import sqlalchemy
from sqlalchemy import event
import teachmem
from teachmem.recall.vectors import ExactIndex

warnings.simplefilter("ignore")

def upgrade(path):
    with teachmem.open_memory(path, vectors=ExactIndex()) as mem:
        return mem.audit.verify().status

def upgrade_and_die(path, place):
    left = iter(range(1, place))

    def dying(*_):
        if next(left, None) is None:
            os.kill(os.getpid(), 9)

    event.listen(sqlalchemy.Engine, "before_cursor_execute", dying)
    upgrade(path)
    os._exit(0)

teachmem.open_memory(vectors=ExactIndex()).close()  # what is imported late is there before anybody forks
print("ready", flush=True)
sys.stdin.readline()
if len(sys.argv) == 2:
    print(upgrade(sys.argv[1]))
else:
    for number, path in enumerate(sys.argv[1:]):
        child = os.fork()
        if not child:
            upgrade_and_die(path, 1 + 9 * number)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_kill_at_any_statement_leaves_the_old_store_or_the_new_one(tmp_path):
    paths = [old_stores.make("first", tmp_path / f"{number}.db") for number in range(25)]
    process = start_python(OPENER, *paths)
    out, err = process.communicate("go\n", timeout=120)
    codes = [int(line) for line in out.splitlines()[1:]]
    assert set(codes) == {-9, 0}, err
    assert sum(len(shape.copies(path)) for path in paths) >= 8
    for path, code in zip(paths, codes, strict=True):
        version = read(path, "SELECT value FROM meta WHERE key = 'schema'")
        assert version == [("1",) if code else ("2",)]
        if code:
            upgraded(path).close()
        with teachmem.open_memory(path, vectors=ExactIndex()) as mem:
            assert mem.audit.verify().status == "complete"
            assert len(mem.agent("dock-1", fleet="dock", tenant="northlight").episodic.recent(9)) == 1
        assert read(path, "SELECT name FROM sqlite_master WHERE name LIKE 'before_%'") == []


def test_of_many_who_open_an_old_store_at_once_one_upgrades_it(tmp_path):
    path = old_stores.make("last", tmp_path / "s.db")
    openers = [start_python(OPENER, path) for _ in range(4)]
    try:
        for opener in openers:
            assert opener.stdout.readline() == "ready\n"
        for opener in openers:
            opener.stdin.write("go\n")
            opener.stdin.flush()
        told = [opener.communicate(timeout=60) for opener in openers]
    finally:
        for opener in openers:
            stop(opener)
    assert [out for out, _ in told] == ["complete\n"] * 4, told
    assert shape.copies(path) == [copy_of(path)]


def test_a_disk_that_is_full_at_the_copy_leaves_the_store_as_it_was(tmp_path):
    resource = pytest.importorskip("resource", reason="this system limits no file")
    path = old_stores.make("last", tmp_path / "s.db")
    before = dumped(path)
    full = f"""
import resource, signal, sys, teachmem
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, ({path.stat().st_size // 2}, {resource.RLIM_INFINITY}))
try:
    teachmem.open_memory(sys.argv[1])
except teachmem.StoreError as error:
    print(error)
"""
    process = start_python(full, path)
    out, err = process.communicate(timeout=60)
    assert "nothing in it was changed" in out, (out, err)
    assert "full" in out or "disk" in out
    assert_as_before(path, before)
    with upgraded(path) as mem:
        assert mem.audit.verify().status == "complete"


def test_the_commands_upgrade_and_an_old_store_is_no_broken_one(tmp_path):
    from typer.testing import CliRunner

    from teachmem.cli import app

    path = old_stores.make("first", tmp_path / "s.db")
    shutil.copy(path, tmp_path / "other.db")
    with pytest.warns(UserWarning, match="upgraded"):
        done = CliRunner().invoke(app, ["verify", str(path)])
    assert done.exit_code == 0, done.output
    with pytest.warns(UserWarning, match="upgraded"):
        done = CliRunner().invoke(app, ["verify", "--deep", str(tmp_path / "other.db")])
    assert done.exit_code == 3, done.output
    with closing(sqlite3.connect(path)) as raw:
        raw.execute("DROP TABLE tombstones")  # of a store of today it is missed
    assert CliRunner().invoke(app, ["verify", str(path)]).exit_code == 1
