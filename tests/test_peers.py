"""The adapters: what each is asked it answers as itself, or says that it does not offer it.

The systems of others run in environments of their own. CI asks every one that it can install, and elsewhere
one that is installed already is asked; where TEACHMEM_REQUIRE names `peers`, all are, and every probe.
"""

from __future__ import annotations

import inspect
import json
import os
import re
import shutil
import sys
from pathlib import Path

import pytest

from teachmem.errors import InvalidInput
from teachmem.marks import probe
from teachmem.marks.system import CouldNotRun, NotOffered, Refused
from teachmem.marks.systems import (
    chroma,
    known,
    langgraph,
    lodger,
    mem0,
    naive,
    rooms,
    server_memory,
    template,
    worker,
)

ALL = "peers" in os.environ.get("TEACHMEM_REQUIRE", "")
CI = bool(os.environ.get("CI"))
OTHERS = ("server-memory", "langgraph-memory", "langgraph-sqlite", "mem0", "chroma")
TEXT = "Bay two is led by rota B."


@pytest.fixture(autouse=True)
def nothing_left_running():
    yield
    lodger.leave()


@pytest.fixture
def opened(tmp_path):
    """Open a system by its name; skip where it cannot be had, unless all are required."""
    made = []

    def open_(name):
        if name in OTHERS and not (ALL or CI or is_here(name)):
            pytest.skip(f"not installed; `teachmem marks --system {name}` installs it")
        system = known.known(name).make(print)
        folder = tmp_path / str(len(made))
        folder.mkdir()
        made.append(system)
        try:
            system.open(folder)
        except CouldNotRun as why:
            if ALL:
                raise
            pytest.skip(f"{name}: {why}")
        return system

    yield open_
    for system in made:
        system.close()


def is_here(name):
    room = {"server-memory": server_memory.ROOM, "mem0": mem0.MEM0.room, "chroma": chroma.CHROMA.room}
    return room.get(name, langgraph.ROOM).ready


def texts(found):
    return [one.text for one in found]


@pytest.mark.parametrize("name", [one.name for one in known.KNOWN])
def test_a_system_keeps_what_is_written_finds_it_and_lets_it_go(opened, name):
    system = opened(name)
    agent = system.acting("dock-1")
    first = agent.write(TEXT)
    second = agent.write("The gate of bay four sticks in the cold.")
    assert first != second
    assert TEXT in texts(agent.recall(TEXT))
    assert TEXT in texts(agent.everything())
    assert "not run" not in system.version
    assert system.way
    assert "?" not in (system.name, system.version)
    agent.retract(first, "not so")
    assert TEXT not in texts(agent.everything())
    assert len(agent.everything()) == 1


@pytest.mark.parametrize("name", ["teachmem", "mcp", "http", *OTHERS])
def test_a_memory_is_got_by_its_id_and_says_something_else_after_a_revision(opened, name):
    agent = opened(name).acting("dock-1")
    memory = agent.write(TEXT)
    assert agent.get(memory).text == TEXT
    agent.revise(memory, "Bay two is led by rota C.")
    assert agent.get(memory).text == "Bay two is led by rota C."
    assert texts(agent.everything()) == ["Bay two is led by rota C."]


@pytest.mark.parametrize("name", ["teachmem", "mcp", "http", "naive", "server-memory", *OTHERS[2:]])
def test_what_lies_in_files_is_there_after_a_restart(opened, name):
    system = opened(name)
    memory = system.acting("dock-1").write(TEXT)
    system.reopen()
    assert texts(system.acting("dock-1").recall(TEXT)) == [TEXT]
    assert any(TEXT.encode() in path.read_bytes() for path in system.raw_files()), memory


@pytest.mark.parametrize("name", ["mcp", "http", *OTHERS[1:]])
def test_a_private_memory_and_another_fleet_are_kept_apart_where_scopes_are_offered(opened, name):
    system = opened(name)
    one, other, line = (
        system.acting("dock-1"),
        system.acting("dock-2"),
        system.acting("line-1", fleet="line"),
    )
    one.write("The key of the cabinet hangs behind door three.", private=True)
    one.write(TEXT)
    assert len(one.everything()) == 2
    assert texts(other.everything()) == [TEXT]
    assert line.everything() == []


@pytest.mark.parametrize("name", ["naive", "server-memory"])
def test_who_has_one_memory_for_everybody_says_so(opened, name):
    system = opened(name)
    for who in ({"fleet": "line"}, {"tenant": "southgate"}):
        with pytest.raises(NotOffered):
            system.acting("somebody", **who)
    with pytest.raises(NotOffered, match="private"):
        system.acting("dock-1").write(TEXT, private=True)


@pytest.mark.parametrize("name", ["naive", *OTHERS])
def test_nothing_is_built_for_a_system_that_it_does_not_have(opened, name):
    agent = opened(name).acting("dock-1")
    memory = agent.write(TEXT)
    for act in (
        lambda: agent.reject(memory, "no"),
        lambda: agent.write("x", source="web"),
        lambda: agent.recall("x", at=1),
        lambda: agent.consolidate(),
        lambda: agent.pending(),
        lambda: agent.forget(memory, "whoever asks"),
    ):
        with pytest.raises(NotOffered):
            act()


def test_over_mcp_and_over_http_what_is_refused_says_why(opened):
    for name in ("mcp", "http"):
        system = opened(name)
        agent, lead = system.acting("dock-1"), system.acting("data-officer", steward=True)
        memory = agent.write(TEXT)
        with pytest.raises(Refused, match="there is no tool 'semantic_reject'"):
            agent.reject(memory, "not so")
        lead.reject(memory, "not so")
        with pytest.raises(Refused, match="rejected"):
            agent.write(TEXT)
        assert agent.get("fact-none") is None
        assert agent.trail("fact-none") == []
        item = agent.propose("Bay nine is closed on Mondays.")
        assert agent.recall("Bay nine is closed") == []
        assert [one.id for one in lead.pending()] == [item]
        lead.decide(lead.pending()[0], "approve")
        assert texts(agent.recall("Bay nine is closed")) == ["Bay nine is closed on Mondays."]


WHO_MAY = ("scope_enforced", "human_review", "poison")


@pytest.mark.parametrize(
    ("name", "marks"), [("mcp", probe.Mark if CI or ALL else WHO_MAY), ("http", ("scope_enforced",))]
)
def test_no_mark_fails_over_mcp_and_what_could_not_run_is_none(name, marks):
    """What the tools do not have is not offered; all the rest holds, as it does in process."""
    card = probe.run(known.maker(name, print), [one for one in probe.probes() if one.mark in marks])
    others = {
        found.probe: found.evidence for found in card.findings if found.answer is not probe.Answer.HOLDS
    }
    assert set(others) <= {
        "own_words_shown",
        "through_an_import",
        "through_a_restore",
        "skill_in_other_words",
        "citations_exist",
        "no_wider_than_its_ground",
        "no_way_back",
    }
    assert all(evidence.startswith("there is no ") for evidence in others.values()), others


PAGE = Path(__file__).resolve().parents[1] / "docs" / "adapters.md"
COLUMNS = {"teachmem": "teachmem", "over MCP": "mcp", **{name: name for name in ("naive", *OTHERS)}}
LETTERS = dict(zip(probe.Answer, "hfnc", strict=True))


def measured():
    """Return what the page says of every system: the counts of each mark."""
    told = PAGE.read_text(encoding="utf-8").partition("## What they answered")[2]
    head, *lines = [row.split(" | ") for row in re.findall(r"^\| (.+) \|$", told, flags=re.MULTILINE)]
    return {
        COLUMNS[column]: {line[0]: line[place] for line in lines}
        for place, column in enumerate(head)
        if place
    }


def test_the_page_tells_of_every_system_and_every_mark():
    assert set(measured()) == {one.name for one in known.KNOWN} - {"http"}
    assert {tuple(column) for column in measured().values()} == {tuple(probe.Mark)}
    page = PAGE.read_text(encoding="utf-8")
    for one in known.KNOWN:
        assert f"| `{one.name}` |" in page


@pytest.mark.parametrize("name", [name for name in COLUMNS.values() if name != "mcp"])
def test_the_figures_of_the_page_are_what_is_answered_now(opened, name):
    if not ALL:
        pytest.skip("every probe is put to every system where TEACHMEM_REQUIRE names peers")
    opened(name)
    card = probe.run(known.maker(name, print))
    told = {}
    for mark in probe.Mark:
        counts = [(card.counts(mark)[answer], letter) for answer, letter in LETTERS.items()]
        told[mark] = " ".join(f"{number}{letter}" for number, letter in counts if number)
    assert told == measured()[name], [str(found) for found in card.findings]


def test_the_naive_store_can_be_read_in_one_look():
    assert 30 <= len(inspect.getsource(naive.NaiveStore).strip().splitlines()) <= 45


def test_the_template_is_an_adapter_that_runs_and_offers_only_what_it_has():
    card = probe.run(template.Template)
    counts = card.counts()
    assert counts[probe.Answer.COULD_NOT_RUN] == 0, [str(one) for one in card.findings]
    assert counts[probe.Answer.HOLDS] >= 2
    assert counts[probe.Answer.NOT_OFFERED] > len(card.findings) / 2


def test_a_name_that_is_none_lists_those_there_are():
    with pytest.raises(InvalidInput, match="naive"):
        known.known("nothing")


# ---- what can go wrong with a worker -------------------------------------------------------------------


def started(tmp_path, code, seconds=5.0):
    return worker.Worker([sys.executable, "-c", code], tmp_path, seconds=seconds)


def test_a_worker_that_says_nothing_is_ended(tmp_path):
    silent = started(tmp_path, "import time; time.sleep(600)", seconds=0.2)
    with pytest.raises(CouldNotRun, match="no answer to add in 0 s"):
        silent.call("add")
    assert silent._process.poll() is not None


def test_a_worker_that_dies_gives_its_last_words(tmp_path):
    with (
        started(tmp_path, "import sys; sys.stdin.readline(); sys.exit('out of oil')") as dying,
        pytest.raises(CouldNotRun, match="out of oil"),
    ):
        dying.call("add")


def test_what_is_no_answer_is_passed_over(tmp_path):
    code = (
        "import sys\nsys.stdin.readline()\nprint('hello')\nprint('[1]')\n"
        'print(\'{"method": "log"}\')\nprint(\'{"id": 1, "error": {"message": "no", "kind": "K"}}\')'
    )
    with started(tmp_path, code) as chatty, pytest.raises(worker.Failure, match="no") as told:
        chatty.call("add")
    assert told.value.kind == "K"


def test_a_program_that_is_not_there_could_not_run(tmp_path):
    with pytest.raises(CouldNotRun, match="could not be started"):
        worker.Worker([tmp_path / "nothing"], tmp_path)


# ---- rooms ---------------------------------------------------------------------------------------------


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("TEACHMEM_ROOMS", str(tmp_path / "rooms"))
    monkeypatch.setattr(rooms, "_failed", {})
    monkeypatch.setattr(lodger.Lodger, "as_run", {})
    return tmp_path / "rooms"


@pytest.mark.parametrize("kind", ["python", "node"])
def test_a_room_that_cannot_be_made_says_why_once_and_leaves_nothing(cache, tmp_path, kind):
    room = rooms.Room("nothing", kind, (str(tmp_path / "no-such-package.whl"),))
    if kind == "node" and shutil.which("npm") is None:
        pytest.skip("there is no npm on this machine")
    told = []
    for _ in range(2):
        with pytest.raises(CouldNotRun, match="nothing could not be installed: "):
            room.enter(told.append)
    assert len(told) == 1
    assert str(room.folder) in told[0]
    assert not room.ready
    assert list(cache.iterdir()) == []


def test_without_npm_a_node_room_could_not_be_made(cache, monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda _: None)
    with pytest.raises(CouldNotRun, match="there is no npm on this machine"):
        rooms.Room("nothing", "node", ("x@1",)).enter(print)


def test_a_whole_card_could_not_run_where_a_system_cannot_be_installed(cache, monkeypatch):
    def fail(*_):
        raise OSError(101, "Network is unreachable")

    monkeypatch.setattr(rooms, "_build_python", fail)
    told = []
    card = probe.run(known.maker("mem0", told.append))
    assert card.findings
    assert {found.answer for found in card.findings} == {probe.Answer.COULD_NOT_RUN}
    assert {found.evidence for found in card.findings} == {
        "mem0 could not be installed: Network is unreachable"
    }
    assert len(told) == 1
    assert "not run" in card.version


def test_a_worker_that_talks_on_without_an_answer_is_ended(tmp_path):
    code = "import sys\nsys.stdin.readline()\nwhile True:\n    print('{\"id\": 0}', flush=True)"
    talker = started(tmp_path, code, seconds=0.5)
    with pytest.raises(CouldNotRun, match="no answer to add"):
        talker.call("add")
    assert talker._process.poll() is not None


@pytest.mark.parametrize("error", ["no", ["no"], 5, None])
def test_an_error_of_any_form_is_one(tmp_path, error):
    said = json.dumps({"id": 1, "error": error})
    code = f"import sys\nsys.stdin.readline()\nprint('[' * 200_000)\nprint({said!r})"
    with started(tmp_path, code) as odd, pytest.raises(worker.Failure):
        odd.call("add")


def test_the_settings_of_this_process_do_not_reach_a_worker(tmp_path, monkeypatch):
    monkeypatch.setenv("SOME_API_KEY", "secret")
    code = (
        "import json, os, sys\nsys.stdin.readline()\nprint(json.dumps({'id': 1, 'result': list(os.environ)}))"
    )
    with started(tmp_path, code) as asked:
        names = asked.call("environment")
    assert "PATH" in names
    assert "SOME_API_KEY" not in names


def test_an_adapter_of_ones_own_is_asked_by_its_file(tmp_path):
    mine = tmp_path / "mine.py"
    mine.write_text(Path(template.__file__).read_text(encoding="utf-8"), encoding="utf-8")
    asked = probe.probes("verbatim")
    expected = [(each.probe, each.answer) for each in probe.run(template.Template, asked).findings]
    for name in (str(mine), f"{mine}:Template"):
        card = probe.run(known.maker(name, print), asked)
        assert card.system == "template"
        assert [(each.probe, each.answer) for each in card.findings] == expected


def test_an_adapter_finds_what_lies_beside_its_file(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "shelf_beside_mine.py").write_text("WAY = 'a shelf'", encoding="utf-8")
    mine = tmp_path / "mine.py"
    mine.write_text(
        "from __future__ import annotations\n"
        "from dataclasses import dataclass\n"
        "from shelf_beside_mine import WAY\n"
        "from teachmem.marks.system import System\n"
        "@dataclass\nclass Row:\n    text: str\n"
        "class Mine(System):\n    way = WAY\n",
        encoding="utf-8",
    )
    assert known.maker(str(mine), print)().way == "a shelf"


@pytest.mark.parametrize(
    ("text", "called", "words"),
    [
        (None, "", "there is no file"),
        ("x = 1", "", "defines no adapter"),
        ("x = 1 / 0", "", "ZeroDivisionError"),
        ("raise SystemExit(0)", "", "does not run"),
        ("from teachmem.marks.system import System\nclass A(System): ...\nclass B(System): ...", "", "A, B"),
        ("from teachmem.marks.system import System\nclass A(System): ...", ":C", "no C; in it are: A"),
    ],
)
def test_a_file_that_is_no_adapter_is_told_as_such(tmp_path, text, called, words):
    mine = tmp_path / "mine.py"
    if text is not None:
        mine.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidInput, match=words):
        known.maker(f"{mine}{called}", print)
