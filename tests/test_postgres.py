"""A store on a PostgreSQL server: what a file cannot do to a writer, a server can. Loopback only."""

import threading
from contextlib import closing, suppress

import postgres
import pytest
from helpers import run_python
from sqlalchemy import text
from typer.testing import CliRunner

import teachmem
from teachmem import StoreError
from teachmem.cli import app
from teachmem.ledger import complaints, database, served
from teachmem.ledger.database import Database

psycopg = pytest.importorskip("psycopg")
pytestmark = [
    pytest.mark.skipif(bool(postgres.why_not()) and not postgres.is_required(), reason=postgres.why_not()),
    pytest.mark.in_file("speaks to a server of its own"),
]
NAMES = iter(range(1, 1000))


@pytest.fixture(scope="module")
def server():
    own = postgres.Server()
    yield own
    own.stop()


@pytest.fixture
def url(server):
    name = f"store_{next(NAMES)}"
    with admin(server) as line:
        line.execute(f"CREATE SCHEMA {name}")
    return server.url(name)


def admin(server):
    host, port = server.address.split(":")
    return closing(psycopg.connect(host=host, port=port, user="teach", dbname="postgres", autocommit=True))


def tech_of(mem):
    return mem.agent("dock-1", fleet="dock", tenant="northlight")


def sever(server, also="true"):
    """Cut every connection to stores, as a failing network or a restart would."""
    with admin(server) as line:
        line.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            f"WHERE pid <> pg_backend_pid() AND datname = 'postgres' AND {also}"
        )


def test_a_store_is_made_used_closed_and_found_again(url):
    with teachmem.open_memory(url) as mem:
        tech_of(mem).semantic.remember("gate four is wide")
        assert (mem._database.file, mem._database.in_memory, mem._database.dialect) == (
            None,
            False,
            "postgresql",
        )
    with teachmem.open_memory(url.replace("+psycopg", "")) as mem:
        assert [fact.content for fact in tech_of(mem).semantic.list()] == ["gate four is wide"]
        assert mem.audit.verify(deep=True).status == "complete"


def test_ten_openers_at_once_make_one_store(url):
    found = []

    def opening():
        try:
            Database.open(url).close()
        except Exception as error:
            found.append(error)

    threads = [threading.Thread(target=opening) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == []
    with Database.open(url) as one, one.read() as tx:
        assert tx.one(database.Prepared(text("SELECT count(*) FROM meta"))) == (1,)


def test_words_sort_byte_by_byte_whatever_the_server_thinks(url):
    names = ["b", "B", "a", "é", "A-1", "A 1", "Z"]
    with teachmem.open_memory(url) as mem:
        for name in names:
            mem.agent("dock-1", fleet="dock", tenant=name).semantic.remember("gate four is wide")
        assert [end.tenant for end in mem.audit.verify().ends] == sorted(names)


def test_the_log_cannot_be_changed_or_emptied_by_accident(url, server):
    with teachmem.open_memory(url) as mem:
        tech_of(mem).semantic.remember("gate four is wide")
        schema = url.rpartition("%3D")[2]
        for sql in ("UPDATE {}.audit SET hash = prev_hash", "DELETE FROM {}.audit", "TRUNCATE {}.audit"):
            with admin(server) as line, pytest.raises(psycopg.Error, match="append-only"):
                line.execute(sql.format(schema))
        assert mem.audit.verify(deep=True).status == "complete"


def test_a_lock_is_waited_for_so_long_and_no_longer(url, monkeypatch):
    monkeypatch.setattr(served, "_OF_SESSION", ("SET lock_timeout = '100ms'",))
    with teachmem.open_memory(url) as one, teachmem.open_memory(url) as two:
        with one._database.write(), pytest.raises(StoreError, match="locked by another writer"):
            tech_of(two).semantic.remember("gate four is wide")
        assert tech_of(two).semantic.remember("gate four is wide").verdict == "accepted"


def test_a_reader_sees_one_moment_and_waits_for_no_writer(url):
    with teachmem.open_memory(url) as one, teachmem.open_memory(url) as two:
        tech_of(one).semantic.remember("gate four is wide")
        with one._database.read() as tx, two._database.write():
            before = tx.all(database.Prepared(text("SELECT * FROM audit")))
        with one._database.read() as tx:
            tx.all(database.Prepared(text("SELECT 1")))
            tech_of(two).semantic.remember("gate five is wide")
            assert tx.all(database.Prepared(text("SELECT * FROM audit"))) == before
        with pytest.raises(psycopg.errors.ReadOnlySqlTransaction), one._database.read() as tx:
            tx.run(database.Prepared(text("DELETE FROM requests")))


def test_a_connection_cut_in_the_middle_of_a_write_keeps_nothing_and_the_next_write_works(url, server):
    with teachmem.open_memory(url) as mem:
        tech = tech_of(mem)
        tech.semantic.remember("gate four is wide")
        run = database.Transaction.run

        def cut(self, prepared, **binds):
            if "INSERT INTO audit " in prepared.on(self._dialect)[0]:
                sever(server)
            return run(self, prepared, **binds)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(database.Transaction, "run", cut)
            with pytest.raises(StoreError, match="lost; nothing of this write was kept"):
                tech.semantic.remember("gate five is wide")
        assert tech.semantic.remember("gate six is wide").audit_seq == 2
        assert mem.audit.verify(deep=True).entries == 2


def cut_around_commit(monkeypatch, server, after):
    """Cut the connection just before COMMIT is sent, or just after the server has carried it out."""
    commit = Database._commit

    def cutting(self, connection, cursor, number):
        if isinstance(number, str):
            monkeypatch.setattr(Database, "_commit", commit)
            cursor = Cutting(cursor, server, after)
        commit(self, connection, cursor, number)

    monkeypatch.setattr(Database, "_commit", cutting)


class Cutting:
    def __init__(self, cursor, server, after):
        self.cursor, self.server, self.after = cursor, server, after

    def execute(self, sql):
        if self.after:
            self.cursor.execute(sql)
        sever(self.server)
        self.cursor.execute("SELECT 1" if self.after else sql)  # the answer never comes


@pytest.mark.parametrize("after", [False, True])
def test_a_connection_cut_around_commit_is_asked_about_and_the_truth_told(url, server, monkeypatch, after):
    with teachmem.open_memory(url) as mem:
        tech = tech_of(mem)
        tech.semantic.remember("gate four is wide")
        cut_around_commit(monkeypatch, server, after)
        if after:
            assert tech.semantic.remember("gate five is wide", request_id="r1").verdict == "accepted"
        else:
            with pytest.raises(StoreError, match="nothing of this write was kept"):
                tech.semantic.remember("gate five is wide", request_id="r1")
        again = tech.semantic.remember("gate five is wide", request_id="r1")
        assert again.audit_seq == 2
        assert mem.audit.verify(deep=True).entries == 2


def test_where_nobody_can_say_whether_it_was_kept_that_is_said(url, server, monkeypatch):
    monkeypatch.setattr(served, "TRIES", 2)
    monkeypatch.setattr(served, "PAUSE_SECONDS", 0.01)
    with teachmem.open_memory(url) as mem:
        tech = tech_of(mem)
        tech.semantic.remember("gate four is wide")
        cut_around_commit(monkeypatch, server, after=True)
        monkeypatch.setattr(served, "kept", lambda *_: None)
        with pytest.raises(StoreError, match="same request_id"):
            tech.semantic.remember("gate five is wide", request_id="r1")
        assert tech.semantic.remember("gate five is wide", request_id="r1").audit_seq == 2


def test_a_server_that_restarts_between_two_calls_is_not_noticed(url, server):
    with teachmem.open_memory(url) as mem:
        tech = tech_of(mem)
        tech.semantic.remember("gate four is wide")
        server.halt()
        with pytest.raises(StoreError, match="refuses, or does not answer"):
            tech.semantic.remember("gate five is wide")
        with pytest.raises(StoreError, match="does not answer"):
            teachmem.open_memory(url)
        server.start()
        assert tech.semantic.remember("gate six is wide").audit_seq == 2
        assert [hit.memory.content for hit in tech.semantic.search("six").hits[:1]] == ["gate six is wide"]


WRITER = """
import sys, teachmem
url, name = sys.argv[1:]
with teachmem.open_memory(url) as mem:
    who = mem.agent("dock-1", fleet="dock", tenant="northlight")
    for number in range(25):
        who.episodic.log("observation", f"{name} counted crate {number}", request_id=f"{name}-{number}")
        assert who.semantic.remember(f"crate {number} is heavy").verdict in ("accepted", "duplicate")
"""


def test_three_processes_write_one_chain_and_one_of_each_fact(url):
    threads = [threading.Thread(target=run_python, args=(WRITER, url, f"dock-{n}")) for n in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with teachmem.open_memory(url) as mem:
        report = mem.audit.verify(deep=True)
        assert (report.status, report.entries) == ("complete", 3 * 25 + 25)
        assert len(tech_of(mem).semantic.list(limit=100)) == 25


def test_what_is_forgotten_is_erased_logically_and_the_certificate_says_so(url):
    with teachmem.open_memory(url) as mem:
        boss = mem.person("data-officer", fleet="dock", tenant="northlight", clearance=3)
        fact = boss.semantic.remember("the code is 7781").memory.memory_id
        done = boss.forget(fact, reason="asked by its owner")
        assert done.state == "erased logically"
        assert any("write-ahead" in place or "server" in place for place in done.out_of_reach)
        assert mem.audit.verify(deep=True).status == "complete"


def test_a_backup_is_a_file_that_needs_no_server_and_comes_back_to_one(url, server, tmp_path):
    with teachmem.open_memory(url) as mem:
        boss = mem.person("data-officer", fleet="dock", tenant="northlight", clearance=3)
        kept = boss.semantic.remember("gate four is wide")
        boss.forget(boss.semantic.remember("the code is 7781").memory.memory_id, reason="asked by its owner")
        assert mem.backup(tmp_path / "copy.db").status == "complete"
        head = mem.audit.verify("northlight").head
    with teachmem.open_memory(tmp_path / "copy.db") as copy:
        report = copy.audit.verify("northlight", deep=True)
        assert (report.status, report.head) == ("complete", head)
        again = copy.person("data-officer", fleet="dock", tenant="northlight", clearance=3)
        assert [fact.memory_id for fact in again.semantic.list()] == [kept.memory.memory_id]
    other = server.url(f"store_{next(NAMES)}")
    with admin(server) as line:
        line.execute(f"CREATE SCHEMA {other.rpartition('%3D')[2]}")
    with teachmem.open_memory(other) as mem:
        boss = mem.person("data-officer", fleet="dock", tenant="northlight", clearance=3)
        assert boss.restore(tmp_path / "copy.db").accepted == 1
        assert [fact.content for fact in boss.semantic.list()] == ["gate four is wide"]


def test_checkpoints_lie_with_whoever_signs_and_find_a_cut_log(url, server, tmp_path, monkeypatch):
    monkeypatch.setenv("TEACHMEM_HOME", str(tmp_path))
    with teachmem.open_memory(url) as mem:
        for number in range(3):
            tech_of(mem).semantic.remember(f"gate {number} is wide")
        mem.audit.checkpoint("northlight")
        assert len(list(tmp_path.glob("*.checkpoints"))) == 1
    schema = url.rpartition("%3D")[2]
    with admin(server) as line:
        line.execute(f"SET session_replication_role = replica; SET search_path = {schema}; DELETE FROM audit")
    with teachmem.open_memory(url) as mem:
        assert mem.audit.verify(checkpoint=mem.audit.checkpoints()).status == "broken"


def test_the_command_verifies_a_store_by_its_url_and_says_no_password(url, server):
    with teachmem.open_memory(url) as mem:
        tech_of(mem).semantic.remember("gate four is wide")
    secret = url.replace("teach@", "teach:Zebra7@")
    done = CliRunner().invoke(app, ["verify", secret, "--json", "--deep"])
    assert (done.exit_code, '"complete"' in done.output, "Zebra7" in done.output) == (0, True, False)
    empty = secret.rpartition("%3D")[0] + "%3Dnone_of_this_name"
    gone = secret.replace(server.address, f"127.0.0.1:{postgres.free_port()}")
    for wrong in (empty, gone):
        done = CliRunner().invoke(app, ["verify", wrong, "--json"])
        assert isinstance(done.exception, StoreError)
        assert "Zebra7" not in done.output + repr(done.exception)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ("postgresql://teach:Zebra7@127.0.0.1:{port}/none", "does not exist"),
        ("postgresql://nobody:Zebra7@127.0.0.1:{port}/postgres", "does not exist"),
        ("postgresql://teach:Zebra7@127.0.0.1:1/postgres", "does not answer"),
        ("postgresql://teach:Zebra7@no-such-host.invalid/postgres", "does not answer"),
        ("postgresql+nonsense://teach:Zebra7@127.0.0.1/postgres", "a store is a file, or"),
        ("mysql://teach:Zebra7@127.0.0.1/postgres", "a store is a file, or"),
        ("postgresql://teach:Zebra7@127.0.0.1:port/postgres", "no SQLAlchemy URL"),
        ("postgresql://127.0.0.1:1/postgres?user=teach&password=Zebra7", "does not answer"),
        ("postgresql://teach:x@Zebra7@127.0.0.1:port/postgres", "no SQLAlchemy URL"),
        ("postgresql://teach:x@y:Zebra7@127.0.0.1:1/postgres", "no SQLAlchemy URL"),
        ("postgresql://teach:a Zebra7@127.0.0.1:port/postgres", "no SQLAlchemy URL"),
        ("postgresql://127.0.0.1:1/postgres?PassWord=a 'Zebra7", "invalid connection option"),
    ],
)
def test_a_wrong_address_is_told_without_the_password(server, wrong, told):
    with pytest.raises(StoreError, match=told) as caught:
        teachmem.open_memory(wrong.format(port=server.port))
    error = caught.value
    while error is not None:
        assert "Zebra7" not in f"{error} {error!r}"
        error = error.__cause__


def test_a_schema_of_somebody_else_is_left_alone(url, server):
    schema = url.rpartition("%3D")[2]
    with admin(server) as line:
        line.execute(f"CREATE TABLE {schema}.orders (id int)")
    with pytest.raises(StoreError, match="not a teachmem store"):
        teachmem.open_memory(url)


def test_two_stores_in_two_schemas_share_nothing_and_wait_for_nothing(url, server):
    other = server.url(f"store_{next(NAMES)}")
    with admin(server) as line:
        line.execute(f"CREATE SCHEMA {other.rpartition('%3D')[2]}")
    with teachmem.open_memory(url) as one, teachmem.open_memory(other) as two:
        with one._database.write():
            tech_of(two).semantic.remember("gate four is wide")
        assert (one.audit.verify().entries, two.audit.verify().entries) == (0, 1)


def test_a_store_looks_into_no_schema_but_its_own(url, server):
    """The next schema of the search path holds a store, too: it is neither read nor written."""
    with teachmem.open_memory(url) as mem:
        tech_of(mem).semantic.remember("gate four is wide")
    fresh = f"store_{next(NAMES)}"
    with admin(server) as line:
        line.execute(f"CREATE SCHEMA {fresh}")
    with teachmem.open_memory(f"{server.url(fresh)}%2C{url.rpartition('%3D')[2]}") as mem:
        assert mem.audit.verify(deep=True).entries == 0
        tech_of(mem).semantic.remember("gate four is narrow")
        assert mem.audit.verify(deep=True).entries == 1
    with teachmem.open_memory(url) as mem:
        assert mem.audit.verify(deep=True).entries == 1


def test_every_complaint_of_a_server_has_a_sentence_of_ours():
    for state, sentence in complaints._STATES:
        kind = psycopg.errors.lookup(state) if len(state) == 5 else psycopg.OperationalError
        error = kind("of the driver")
        error.sqlstate = state.ljust(5, "0")
        with pytest.raises(StoreError) as caught, complaints.clear():
            raise error
        assert str(caught.value) == sentence
    with suppress(psycopg.ProgrammingError), complaints.clear():
        raise psycopg.errors.SyntaxError("a bug of ours stays one")
