"""`teachmem connect` and `teachmem token`: what they print, and what they leave in a client's file."""

import json
import sys

import pytest
from typer.testing import CliRunner

from teachmem import TeachmemError, cli
from teachmem.commands import connect

RUNNER = CliRunner()
WHO = ["--store", "northlight.db", "--tenant", "northlight", "--fleet", "dock", "--agent", "dock-1"]


def said(*words, **options):
    done = RUNNER.invoke(cli.app, list(words), catch_exceptions=False, **options)
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.mark.parametrize("client", list(connect.Client))
def test_the_lines_start_this_python_by_its_whole_path(client, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    held = json.loads(said("connect", client, *WHO))
    (server,) = next(iter(held.values())).values()
    assert server["command"] == sys.executable
    assert server["args"][:3] == ["-m", "teachmem", "serve"]
    assert server["args"][4] == str(tmp_path / "northlight.db")
    assert not list(tmp_path.iterdir())


def test_merging_keeps_what_is_there_and_the_old_file_beside_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file = connect.place(connect.Client.CURSOR)
    file.parent.mkdir()
    before = '{"theme": "dark", "mcpServers": {"other": {"command": "x"}}}'
    file.write_text(before, encoding="utf-8")
    for _ in range(2):
        said("connect", "cursor", *WHO, "--write")
    held = json.loads(file.read_text(encoding="utf-8"))
    assert held["theme"] == "dark"
    assert set(held["mcpServers"]) == {"other", "teachmem"}
    assert json.loads(file.with_name("mcp.json.bak").read_text(encoding="utf-8"))["theme"] == "dark"
    assert sorted(path.name for path in file.parent.iterdir()) == ["mcp.json", "mcp.json.bak"]


@pytest.mark.parametrize("held", ["// a comment\n{}", "[1]", '{"mcpServers": 3}', "{"])
def test_a_file_that_cannot_be_merged_into_stays_as_it_is(tmp_path, monkeypatch, held):
    monkeypatch.chdir(tmp_path)
    file = connect.place(connect.Client.CLAUDE_CODE)
    file.write_text(held, encoding="utf-8")
    with pytest.raises(TeachmemError, match="not JSON that can be merged"):
        said("connect", "claude-code", *WHO, "--write")
    assert file.read_text(encoding="utf-8") == held
    assert [path.name for path in tmp_path.iterdir()] == [".mcp.json"]


def test_tokens_are_made_listed_and_revoked(tmp_path):
    file = ["--tokens", str(tmp_path / "tokens.json")]
    token = said("token", "make", *WHO[2:], "--days", "1", *file).strip()
    listed = said("token", "list", *file)
    assert token not in listed
    assert "agent dock-1 of northlight/dock, clearance 1, until" in listed
    said("token", "revoke", listed.split()[0], *file)
    assert "revoked" in said("token", "list", *file)
    with pytest.raises(TeachmemError, match="no open token"):
        said("token", "revoke", listed.split()[0], *file)
