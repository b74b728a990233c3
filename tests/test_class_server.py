"""A class on one server: nobody sees another table's words, nothing that was acknowledged is lost.

This is the short form. `scripts/class_server.py` takes sixty; `docs/class-server.md` has what came of it.
"""

import csv
import json
import stat
from pathlib import Path

import nbformat
import postgres
import pytest
import yaml
from typer.testing import CliRunner

import teachmem
from teachmem import InvalidInput
from teachmem.cli import app
from teachmem.commands import console
from teachmem.server.identity import TokenBook
from teachmem.show import live_console

import class_server

pytestmark = pytest.mark.in_file("starts a server of its own")
ROOT = Path(__file__).resolve().parents[1]


def test_a_small_class_on_a_server_sees_its_own_table_and_loses_nothing():
    if reason := postgres.why_not():
        if postgres.is_required():
            pytest.fail(reason)
        pytest.skip(reason)
    server = postgres.Server()
    try:
        who = class_server.students_of(8, 4)
        tried = class_server.run(server.url("public"), None, who, rounds=2, think=0.2)
    finally:
        server.stop()
    told = "\n".join(tried.lines())
    assert (tried.errors.total(), tried.leaks, tried.lost) == (0, [], []), told
    assert sum(map(len, tried.kept.values())) == 8 * 2 * 3
    assert "complete: 48 entries" in told


def test_the_trial_would_see_a_leak_and_a_loss(tmp_path):
    tried = class_server.Tried(took={"semantic_search": [0.1]}, seconds=1.0)
    tried.leaks.append("student-01 was shown another table's words")
    tried.errors["semantic_search: the store is locked"] += 2
    told = "\n".join(tried.lines())
    assert "errors 2, words of another table seen 1" in told
    assert "2 times: semantic_search: the store is locked" in told


def test_one_command_makes_the_tokens_of_a_class(tmp_path):
    out, book = tmp_path / "class.csv", tmp_path / "tokens.json"
    words = ["token", "class", "--tenant", "north-school", "--out", str(out), "--tokens", str(book)]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    rows = list(csv.DictReader(out.read_text(encoding="utf-8").splitlines()))
    assert (len(rows), len({row["token"] for row in rows})) == (61, 61)
    students = [row for row in rows if row["role"] == "agent"]
    assert {row["table"] for row in students} == {f"table-{number:02}" for number in range(1, 16)}
    for row in rows:
        stands_for = TokenBook(book).principal(row["token"], now=0)
        assert (stands_for.fleet, stands_for.name) == (row["table"], row["name"])
        assert int(stands_for.clearance) == (3 if row["role"] == "person" else 1)
        assert row["token"] not in book.read_text(encoding="utf-8")
    before = out.read_bytes(), book.read_bytes()
    again = CliRunner().invoke(app, words)
    assert isinstance(again.exception, InvalidInput)  # the first list is neither lost nor made useless
    assert (out.read_bytes(), book.read_bytes()) == before


# ---- the console ---------------------------------------------------------------------------------------


@pytest.fixture
def tabs():
    import ipywidgets

    with teachmem.open_memory() as mem:
        for table in ("table-01", "table-02"):
            student = mem.agent(f"student-of-{table}", fleet=table, tenant="north-school")
            student.semantic.remember(f"the gripper of {table} is blue")
            student.semantic.remember(f"a page says: <b>{table}</b> is safe", source="web")
        person = mem.person("instructor", fleet="staff", tenant="north-school", clearance=3)
        yield mem, person, live_console.build(ipywidgets, mem, person)


def text_of(page):
    return page.children[-1].value


def test_the_console_shows_what_is_there_now(tabs):
    mem, _, found = tabs
    inbox, chain, scope, recall = found.children
    assert "table-01&lt;/b&gt; is safe" in text_of(inbox)
    assert "<b>table-01" not in inbox.children[-2].value
    assert "complete: 4 entries" in text_of(chain)
    assert "no leak" in text_of(scope)
    mem.agent("student-9", fleet="table-09", tenant="north-school").semantic.remember("crate 9 is heavy")
    found.selected_index = 1
    assert "complete: 5 entries" in text_of(chain)
    found.selected_index = 2
    assert "student-9 of table-09" in text_of(scope)
    found.selected_index = 3
    assert "student-9 of table-09" in recall.children[1].options
    recall.children[2].value = "gripper"
    assert "table-02 is blue" in text_of(recall)
    recall.children[1].value = "student-of-table-01 of table-01"
    assert "table-01 is blue" in text_of(recall)
    assert "table-02 is blue" not in text_of(recall)


def test_a_decision_in_the_console_is_in_earnest_and_a_refused_one_is_told(tabs):
    mem, person, found = tabs
    inbox = found.children[0]
    which, reason, buttons = inbox.children[1:4]
    _, second = which.options
    buttons.children[1].click()  # rejects, without a reason
    assert "reason" in text_of(inbox)
    assert len(person.review.inbox()) == 2
    reason.value = "nobody has checked it"
    buttons.children[1].click()
    assert [item.candidate_id for item in person.review.inbox()] == [second]
    assert "accepted" in text_of(inbox)
    buttons.children[0].click()
    assert person.review.inbox() == []
    assert which.options == (live_console.NOTHING,)
    buttons.children[0].click()  # nothing is there to approve
    assert person.review.inbox() == []
    assert mem.audit.verify(deep=True).entries == 6


def test_no_agent_has_a_console_and_its_notebook_is_clean(tabs):
    mem, _, _ = tabs
    with pytest.raises(InvalidInput, match="no agent has a console"):
        live_console.build(None, mem, mem.agent("student-1", fleet="table-01", tenant="north-school"))
    book = nbformat.read(console.NOTEBOOK, as_version=4)
    nbformat.validate(book)
    assert all(not cell.get("outputs") for cell in book.cells)
    assert "127.0.0.1" in " ".join(console.command_for(8866, True))


def test_the_compose_file_names_three_services_and_no_port_beyond_this_machine():
    found = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
    assert set(found["services"]) == {"memory", "database", "vectors"}
    for service in found["services"].values():
        assert all(str(port).startswith("127.0.0.1:") for port in service.get("ports", ()))
    assert "PASSWORD:?" in json.dumps(found)  # no password is written down
