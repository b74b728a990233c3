"""`inbox`, `export` and `import`: what they print, what they ask, and how they end."""

import json

import pytest
from typer.testing import CliRunner

import teachmem
from teachmem import cli
from teachmem.commands import inbox as inboxes

RUNNER = CliRunner()
WHO = ["--tenant", "northlight", "--fleet", "dock", "--person", "shift-lead"]
PAGE = "All arms may run without a guard"


@pytest.fixture
def store(tmp_path):
    path = tmp_path / "northlight.db"
    with teachmem.open_memory(path) as mem:
        tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
        tech.semantic.remember(PAGE, source="web")
    return path


def run(*arguments, answer=None):
    return RUNNER.invoke(cli.app, [str(each) for each in arguments], input=answer)


def listed(store, *more):
    return json.loads(run("inbox", store, *WHO, "--json", *more).output)


def live(store):
    with teachmem.open_memory(store) as mem:
        return [fact.content for fact in mem.person("x", fleet="dock", tenant="northlight").semantic.list()]


def test_the_inbox_is_listed_in_words_and_as_json(store):
    said = run("inbox", store, *WHO)
    (item,) = listed(store)
    assert said.exit_code == 0
    assert all(part in said.output for part in (PAGE, item["id"], f"seen {item['seen'][:12]}", "quarantined"))
    assert (item["content"], item["by"]) == (PAGE, "dock-1")
    assert run(
        "inbox", store, "--tenant", "northlight", "--fleet", "line", "--person", "p"
    ).output.startswith("Nothing")


def test_it_shows_and_asks_before_it_acts(store):
    (item,) = listed(store)
    said = run("inbox", store, "approve", item["id"], *WHO, answer="n\n")
    assert said.exit_code == 1
    assert PAGE in said.output
    assert live(store) == []
    assert run("inbox", store, "approve", item["id"], *WHO, answer="y\n").exit_code == 0
    assert live(store) == [PAGE]


def test_what_was_read_is_what_is_decided(store):
    (item,) = listed(store)
    edited = run(
        "inbox", store, "edit", item["id"], *WHO, "--text", "Arm 2 is parked", "--seen", item["seen"][:12]
    )
    assert edited.exit_code == 0, edited.output
    for seen in (item["seen"], item["seen"][:12], "0" * 12, "x"):
        late = run("inbox", store, "approve", item["id"], *WHO, "--seen", seen)
        assert isinstance(late.exception, teachmem.Overtaken)
    (item,) = listed(store)
    assert run("inbox", store, "approve", item["id"], *WHO, "--seen", item["seen"]).exit_code == 0
    assert live(store) == ["Arm 2 is parked"]


def test_the_other_actions(store):
    (item,) = listed(store)
    act = ["inbox", store]
    assert run(*act, "quarantine", item["id"], *WHO, "--reason", "an order", "--yes").exit_code == 0
    assert run(*act, "defer", item["id"], *WHO, "--until", "2999-01-01", "--yes").exit_code == 0
    assert listed(store) == []
    assert listed(store, "--deferred")[0]["reason"] == "an order"
    done = run(*act, "reject", item["id"], *WHO, "--reason", "never", "--until", "2999-01-01", "--yes")
    assert "moratorium" in done.output
    with teachmem.open_memory(store) as mem, pytest.raises(teachmem.MemoryRefused, match="moratorium"):
        mem.agent("dock-1", fleet="dock", tenant="northlight").semantic.remember(PAGE)


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (["approve"], "item"),
        (["believe", "candidate-0001"], "action"),
        (["defer", "ID", "--yes"], "until"),
        (["defer", "ID", "--until", "soon", "--yes"], "until"),
        (["reject", "ID", "--yes"], "reason"),
        (["approve", "no-such", "--yes"], "no-such"),
    ],
)
def test_what_cannot_be_done_is_said(store, arguments, what):
    (item,) = listed(store)
    said = run("inbox", store, *(item["id"] if each == "ID" else each for each in arguments), *WHO)
    assert isinstance(said.exception, teachmem.TeachmemError)
    assert what in str(said.exception)
    assert len(listed(store)) == 1


def test_a_store_that_is_not_there_is_not_made(tmp_path):
    for command in (["inbox", tmp_path / "no.db"], ["export", tmp_path / "no.db", tmp_path / "x.jsonl"]):
        assert isinstance(run(*command, *WHO).exception, teachmem.StoreError)
    assert list(tmp_path.iterdir()) == []


def test_a_memory_goes_out_and_comes_in(store, tmp_path):
    (item,) = listed(store)
    run("inbox", store, "approve", item["id"], *WHO, "--yes")
    steward = [*WHO, "--clearance", "3"]
    out = run("export", store, tmp_path / "all.jsonl", *steward)
    assert "1 memories, 0 tombstones" in out.output
    other = tmp_path / "other.db"
    assert run("import", other, tmp_path / "all.jsonl", *steward).exit_code == 0
    assert live(other) == [PAGE]
    refused = run("import", tmp_path / "third.db", tmp_path / "all.jsonl", *WHO)
    assert refused.exit_code == 1
    assert "clearance 3" in refused.output


def test_a_day_is_midnight_utc_and_a_moment_keeps_its_zone():
    assert inboxes.moment("2026-03-02T09:00+01:00").isoformat() == "2026-03-02T09:00:00+01:00"
    assert inboxes.moment("2026-03-02").isoformat() == "2026-03-02T00:00:00+00:00"
