"""A store that cannot be used says so in one sentence of ours, and is whole afterwards."""

import os
import shutil
import sqlite3
import stat
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path

import pytest
from helpers import SRC, connection, everything, opened, refusal
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import teachmem
from teachmem import InvalidInput, StoreError
from teachmem.ledger import database, schema

posix = pytest.mark.skipif(os.name == "nt", reason="Windows has other file permissions")


@pytest.fixture
def path(tmp_path):
    """A closed store with one note."""
    with opened(tmp_path / "store.db") as mem:
        note(mem, 0)
    return tmp_path / "store.db"


def note(mem, number):
    tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
    return tech.working.write("arm-1", "observed", f"drift {number}", f"arm 1 drifts by {number}")


def files(folder):
    return sorted(file.name for file in folder.iterdir())


def open_fails(url, *words):
    """Return the sentence with which opening fails; it holds every one of `words`."""
    with pytest.raises(StoreError) as caught:
        teachmem.open_memory(url).close()
    assert all(word in str(caught.value) for word in words), str(caught.value)
    assert "\n" not in str(caught.value)
    return str(caught.value)


# ---- what is no store ------------------------------------------------------------------------------


@pytest.mark.parametrize("content", [b"not a database", b"\x00" * 4096, "é".encode("latin-1") * 5000])
def test_a_file_that_is_no_database_is_refused_and_untouched(tmp_path, content):
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    open_fails(path, "not a database")
    assert path.read_bytes() == content
    assert files(tmp_path) == ["notes.txt"]


def test_a_database_of_somebody_else_is_refused_and_untouched(tmp_path):
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as raw:
        raw.execute("CREATE TABLE meta (key TEXT, value TEXT)")
        raw.execute("INSERT INTO meta VALUES ('schema', '1')")
        raw.commit()
    content = path.read_bytes()
    open_fails(path, "not a teachmem store", str(path))
    assert path.read_bytes() == content  # not even its journal mode
    assert files(tmp_path) == ["other.db"]


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("3", ["newer", "schema 3", "update"]),
        ("999", ["newer"]),
        ("", ["schema"]),
        ("x", ["schema"]),
        ("0", ["schema"]),
    ],
)
def test_a_store_of_another_schema_is_refused(path, said, words):
    with closing(sqlite3.connect(path)) as raw:
        raw.execute("UPDATE meta SET value = ? WHERE key = 'schema'", (said,))
        raw.commit()
    open_fails(path, *words)


def test_a_store_without_its_schema_or_a_table_is_refused(path, tmp_path):
    other = tmp_path / "other.db"
    shutil.copy(path, other)
    with closing(sqlite3.connect(path)) as raw:
        raw.execute("DELETE FROM meta")
        raw.commit()
    open_fails(path, "schema")
    with closing(sqlite3.connect(other)) as raw:
        raw.execute("DROP TABLE candidates")
        raw.commit()
    with opened(other) as mem, pytest.raises(StoreError, match="lacks one of its tables"):
        mem.agent("dock-1", fleet="dock", tenant="northlight").semantic.remember("it sticks", source="web")


def test_the_file_is_marked_as_ours_and_readable_by_its_owner_only(path):
    assert path.read_bytes()[68:72] == schema.APPLICATION_ID.to_bytes(4, "big")
    if os.name != "nt":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        with teachmem.open_memory(path) as mem:
            note(mem, 9)
            for file in path.parent.iterdir():
                assert stat.S_IMODE(file.stat().st_mode) == 0o600, file


def test_an_empty_file_becomes_a_store(tmp_path):
    path = tmp_path / "new.db"
    path.touch()
    with opened(path) as mem:
        assert note(mem, 1).verdict == "accepted"


# ---- what is no path ---------------------------------------------------------------------------------


@pytest.mark.parametrize("url", [None, 5, b"store.db", ["store.db"], True, object()])
def test_a_url_of_another_type_is_refused_by_name_and_makes_no_file(tmp_path, monkeypatch, url):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidInput) as caught:
        teachmem.open_memory(url)
    assert caught.value.field == "url"
    assert files(tmp_path) == []


def test_a_path_that_leads_nowhere_is_refused(tmp_path):
    open_fails(tmp_path, "is a folder")
    open_fails(tmp_path / "missing" / "store.db", "does not exist", "missing")
    (tmp_path / "file").touch()
    open_fails(tmp_path / "file" / "store.db", "cannot be opened")
    open_fails("a\x00b", "no file's path")
    open_fails("", "names no store")
    open_fails("nonsense://somewhere", "cannot be opened")
    open_fails("://", "no SQLAlchemy URL")
    open_fails(tmp_path / ("x" * 300), "cannot be opened")
    assert files(tmp_path) == ["file"]


@pytest.mark.parametrize("spelling", [str, Path, lambda path: f"sqlite:///{path}"])
def test_one_store_has_several_spellings(path, spelling):
    with teachmem.open_memory(spelling(path)) as mem:
        assert mem.audit.verify().entries == 1


def test_two_stores_in_memory_share_nothing():
    with opened() as one, opened() as other, teachmem.open_memory("sqlite://") as third:
        note(one, 1)
        assert [mem.audit.verify().entries for mem in (one, other, third)] == [1, 0, 0]


# ---- closing -----------------------------------------------------------------------------------------


def test_what_was_written_is_there_when_the_store_is_opened_again(path):
    with teachmem.open_memory(path) as mem:
        (found,) = mem.agent("dock-1", fleet="dock", tenant="northlight").working.read()
        assert found.content == "arm 1 drifts by 0"
        note(mem, 1)
    with teachmem.open_memory(path) as mem:
        assert mem.audit.verify().entries == 2
    assert files(path.parent) == ["store.db"]  # the write-ahead log is folded in


@pytest.mark.parametrize("file", [True, False])
def test_a_closed_store_says_that_it_is_closed(path, file):
    mem = opened(path if file else ":memory:")
    tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
    mem.close()
    mem.close()  # twice is once
    for act in (
        tech.working.read,
        lambda: note(mem, 2),
        mem.audit.verify,
        lambda: tech.episodic.recall("arm"),
    ):
        with pytest.raises(StoreError, match="closed"):
            act()


# ---- what cannot be written ----------------------------------------------------------------------------

READ_ONLY = """
import sys
import tempfile
import teachmem
try:
    with teachmem.open_memory(sys.argv[1]) as mem:
        mem.agent("dock-1", fleet="dock", tenant="northlight").semantic.remember("it is so")
    print("written")
except teachmem.StoreError as error:
    print("refused:", error)
"""


def as_nobody(path):
    """Write to a store as somebody who is not root, for whom permissions hold."""
    command = [sys.executable, "-c", READ_ONLY, str(path)]
    if os.geteuid() == 0:
        tool = shutil.which("setpriv")
        if tool is None:
            pytest.skip("root may write everywhere, and there is no setpriv to be somebody else")
        command = [tool, "--reuid=65534", "--regid=65534", "--clear-groups", *command]
    done = subprocess.run(
        command,
        env={**os.environ, "PYTHONPATH": str(SRC), "PYTHONDONTWRITEBYTECODE": "1"},
        cwd="/",
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    if done.returncode and "teachmem" not in done.stderr:
        pytest.skip("this Python may be run by its owner only")
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture
def shared(path):
    """The same store in a folder that everybody may reach."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o777)
        store = Path(shutil.copy(path, folder))
        store.chmod(0o666)
        yield store
        Path(folder).chmod(0o777)


@posix
def test_a_store_that_may_be_written_is(shared):
    assert as_nobody(shared) == "written"


@posix
@pytest.mark.parametrize(("file", "folder"), [(0o444, 0o777), (0o444, 0o555), (0o666, 0o555), (0o000, 0o777)])
def test_a_read_only_file_or_folder_is_refused_in_one_sentence(shared, file, folder):
    content = shared.read_bytes()
    shared.chmod(file)
    shared.parent.chmod(folder)
    try:
        answer = as_nobody(shared)
    finally:
        shared.parent.chmod(0o777)
        shared.chmod(0o666)
    assert answer.startswith("refused: ")
    assert "writ" in answer
    assert shared.read_bytes() == content


def test_a_store_that_became_read_only_refuses_and_reads_on(path):
    with opened(path) as mem:
        tech = mem.agent("dock-2", fleet="dock", tenant="northlight")
        with connection(mem) as raw:
            raw.execute("PRAGMA query_only = ON")
        error = refusal(mem, lambda: tech.episodic.log("observation", "gate four is open"))
        assert "read-only" in str(error)
        assert len(tech.working.read()) == 1


# ---- a full disk ---------------------------------------------------------------------------------------


def test_a_full_disk_keeps_the_store_whole_and_the_next_write_works_once_there_is_room(path):
    with teachmem.open_memory(path) as mem:
        with connection(mem) as raw:  # the pool hands this connection out again
            pages = raw.execute("PRAGMA page_count").fetchone()[0]
            raw.execute(f"PRAGMA max_page_count = {pages + 4}")
        written, error = until_full(mem, 1)
        assert str(error).startswith("the disk is full")
        assert written > 1
        assert mem.audit.verify().entries == written
        refusal(mem, lambda: note(mem, written))
        with connection(mem) as raw:
            raw.execute("PRAGMA max_page_count = 1000000")
        assert note(mem, written).verdict == "accepted"
        report = mem.audit.verify()
        assert (report.status, report.entries) == ("complete", written + 1)


def until_full(mem, written):
    """Write notes until one is refused; return how many there are, and the refusal, which wrote nothing."""
    for number in range(written, 5000):
        before = everything(mem)
        try:
            note(mem, number)
        except StoreError as error:
            assert everything(mem) == before
            return number, error
    raise AssertionError("the disk was never full")


@pytest.fixture
def small_disk(tmp_path):
    """A disk of 1 MB, where this machine lets us make one."""
    mount, disk = shutil.which("mount"), tmp_path / "disk"
    disk.mkdir()
    made = mount and subprocess.run(
        [mount, "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk], capture_output=True, check=False
    )
    if not made or made.returncode:
        pytest.skip("this machine lets us make no small disk")
    yield disk
    subprocess.run(["umount", "-l", disk], check=True)


def test_a_disk_that_is_truly_full_loses_nothing_that_was_acknowledged(small_disk):
    path = small_disk / "store.db"
    with teachmem.open_memory(path) as mem:
        written, _ = until_full(mem, 0)
        assert written > 10
        assert mem.audit.verify().entries == written
    room = small_disk.parent / "room"
    shutil.copytree(small_disk, room)  # with the write-ahead log, for which there was no room to be folded in
    with teachmem.open_memory(room / "store.db") as mem:
        report = mem.audit.verify()
        assert (report.status, report.entries) == ("complete", written)
        note(mem, written)


# ---- a lock --------------------------------------------------------------------------------------------


def test_a_store_that_is_locked_for_too_long_says_so_and_can_still_be_read(path, monkeypatch):
    monkeypatch.setattr(database, "BUSY_SECONDS", 0.1)
    with teachmem.open_memory(path) as mem, closing(sqlite3.connect(path, isolation_level=None)) as other:
        tech = mem.agent("dock-2", fleet="dock", tenant="northlight")
        other.execute("BEGIN IMMEDIATE")
        error = refusal(mem, lambda: tech.semantic.remember("gate four is open", source="web"))
        assert "locked by another writer" in str(error)
        assert len(tech.working.read()) == 1
        other.execute("ROLLBACK")
        assert tech.semantic.remember("gate four is open", source="web").verdict == "staged"


def test_a_store_is_locked_while_it_is_opened(path, monkeypatch):
    monkeypatch.setattr(database, "BUSY_SECONDS", 0.1)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        open_fails(path, "locked")


# ---- a damaged file --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A closed store with twenty notes, to be copied."""
    path = tmp_path_factory.mktemp("whole") / "store.db"
    with opened(path) as mem:
        for number in range(20):
            note(mem, number)
    return path


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 10**6), st.binary(min_size=1, max_size=8), st.sampled_from([1, 10, 300]))
def test_garbage_anywhere_in_the_file_is_an_error_of_ours_or_a_finding(
    whole, tmp_path, place, garbage, times
):
    damaged = bytearray(data := whole.read_bytes())
    start = place % len(data)
    damaged[start : start + len(garbage) * times] = (garbage * times)[: len(data) - start]
    path = tmp_path / "store.db"
    for old in tmp_path.iterdir():
        old.unlink()
    path.write_bytes(damaged)
    try:
        with opened(path) as mem:
            found = mem.audit.verify().status
            read = mem.agent("dock-1", fleet="dock", tenant="northlight").working.read()
    except StoreError as error:
        said = str(error)
        assert "\n" not in said
    else:
        assert found in ("complete", "broken")
        assert len(read) <= 20


def test_a_row_changed_by_hand_is_named(path):
    with closing(sqlite3.connect(path)) as raw:
        raw.execute("UPDATE memories SET qualifiers = '{'")
        raw.commit()
    with opened(path) as mem, pytest.raises(StoreError, match="the row of 'note-0001' is damaged"):
        mem.agent("dock-1", fleet="dock", tenant="northlight").working.read()


IMPOSSIBLE = [
    "status = 'secret'",
    "tier = 'dream'",
    "visibility = 'all'",
    "source = 'gossip'",
    "importance = 3",
]
IMPOSSIBLE += ["confidence = -1", "tenant = ''", "valid_to = 5, valid_from = 5", "content = NULL"]


@pytest.mark.parametrize("change", IMPOSSIBLE)
def test_what_no_read_could_understand_cannot_be_put_into_a_row_by_hand(path, change):
    with closing(sqlite3.connect(path)) as raw, pytest.raises(sqlite3.IntegrityError):
        raw.execute(f"UPDATE memories SET {change}")
