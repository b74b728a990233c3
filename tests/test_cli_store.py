"""`verify` as its exit codes: what is whole, what is broken, and what could not be looked at."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner

import teachmem
from teachmem import cli
from teachmem.commands import verify
from teachmem.ledger.report import AuditStatus

RUNNER = CliRunner()


@pytest.fixture
def store(tmp_path) -> Path:
    path = tmp_path / "northlight.db"
    with teachmem.open_memory(path) as mem:
        for tenant in ("northlight", "southgate"):
            agent = mem.agent("dock-1", fleet="dock", tenant=tenant)
            agent.episodic.log("observation", "gate four is open")
            agent.working.write("gate-4", "observed", "open", "gate four is open")
    return path


def damage(path: Path, *statements: str) -> None:
    """Do to the file what whoever holds it can do: triggers refuse changes only until they are dropped."""
    with closing(sqlite3.connect(path)) as connection:
        triggers = connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for (name,) in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        for statement in statements:
            connection.execute(statement)
        connection.commit()


def asked(*words: object):
    return RUNNER.invoke(cli.app, ["verify", *map(str, words)])


def test_a_whole_chain_answers_0_in_words_and_as_json(store):
    answer = asked(store)
    assert answer.exit_code == 0
    assert answer.output.startswith("complete: 4 entries checked, head ")
    assert "checkpoint that someone else holds" in " ".join(answer.output.split())
    told = json.loads(asked(store, "--json").output)
    assert (told["status"], told["entries"], told["findings"]) == ("complete", 4, [])
    with teachmem.open_memory(store) as mem:
        assert told["head"] == mem.audit.verify().head


def test_one_tenant_can_be_asked_for(store):
    assert "complete: 2 entries" in asked(store, "--tenant", "southgate").output


def test_looking_changes_no_byte(store):
    before = store.read_bytes()
    assert asked(store).exit_code == 0
    assert store.read_bytes() == before


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE audit SET body = replace(body, 'dock-1', 'dock-2') WHERE seq = 1",
        "DELETE FROM audit WHERE tenant = 'northlight' AND seq = 2",
        "DELETE FROM audit",
        "DROP TABLE audit",
    ],
)
def test_an_edit_answers_1_and_says_where(store, statement):
    damage(store, statement)
    answer = asked(store)
    assert answer.exit_code == 1
    assert answer.output.startswith("broken: ")
    told = json.loads(asked(store, "--json").output)
    assert told["status"] == "broken"
    assert told["findings"]


def missing(folder: Path) -> Path:
    return folder / "missing.db"


def empty(folder: Path) -> Path:
    (folder / "empty.db").touch()
    return folder / "empty.db"


def words(folder: Path) -> Path:
    (folder / "words.db").write_text("no database at all, only words\n" * 99, encoding="utf-8")
    return folder / "words.db"


def foreign(folder: Path) -> Path:
    damage(folder / "foreign.db", "CREATE TABLE songs (title TEXT)")
    return folder / "foreign.db"


def newer(folder: Path) -> Path:
    path = folder / "newer.db"
    teachmem.open_memory(path).close()
    damage(path, "UPDATE meta SET value = '999' WHERE key = 'schema'")
    return path


def cut(folder: Path) -> Path:
    path = folder / "cut.db"
    with teachmem.open_memory(path) as mem:
        agent = mem.agent("dock-1", fleet="dock", tenant="northlight")
        for number in range(200):
            agent.episodic.log("observation", f"gate {number} is open")
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 3])
    return path


@pytest.mark.parametrize("make", [missing, empty, words, foreign, newer, cut, lambda folder: folder])
def test_what_cannot_be_checked_answers_2_and_is_left_as_it_was(tmp_path, make):
    path = make(tmp_path)
    before = path.read_bytes() if path.is_file() else None
    answer = asked(path)
    assert isinstance(answer.exception, teachmem.TeachmemError), answer.output
    assert (path.read_bytes() if path.is_file() else None) == before


@pytest.mark.parametrize(
    "name", ["", ":memory:", "sqlite://", "sqlite:///missing.db", "no://such", "oracle://h/x"]
)
def test_a_name_that_is_no_store_answers_2_and_makes_no_file(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    answer = asked(name)
    assert isinstance(answer.exception, teachmem.StoreError)
    assert list(tmp_path.iterdir()) == []


def test_a_url_of_a_file_is_that_file(store):
    assert asked(f"sqlite:///{store}").exit_code == 0


def test_a_tenant_that_is_not_there_is_no_success(store):
    answer = asked(store, "--tenant", "nobody")
    assert isinstance(answer.exception, teachmem.StoreError)
    assert "'nobody'" in str(answer.exception)


def test_a_tenant_whose_entries_were_all_deleted_is_broken(store):
    damage(store, "DELETE FROM audit WHERE tenant = 'southgate'")
    assert asked(store, "--tenant", "southgate").exit_code == 1


def test_a_log_with_nothing_in_it_says_what_that_can_mean(tmp_path):
    path = tmp_path / "new.db"
    teachmem.open_memory(path).close()
    answer = asked(path)
    assert answer.exit_code == 0
    assert "Nothing was ever written, or everything was taken out." in answer.output


def test_partial_has_an_exit_code_of_its_own(store):
    answer = asked(store, "--limit", 3)
    assert answer.exit_code == 3
    assert answer.output.startswith("partial: 3 entries")
    assert set(verify.EXIT) == {str(status) for status in AuditStatus}
    assert verify.COULD_NOT_RUN not in verify.EXIT.values()
