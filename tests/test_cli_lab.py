"""`lab` and `reset`: copies are made once and never lost, and JupyterLab really starts, on loopback."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest
import sample_lesson as sample
from typer.testing import CliRunner

import teachmem
from teachmem import cli, course
from teachmem.commands import lab, places

RUNNER = CliRunner()


@pytest.fixture
def room(tmp_path, monkeypatch):
    """A checkout in miniature; JupyterLab is not started, the command is kept instead."""
    sample.write(sample.lesson(), tmp_path)
    sample.write(sample.lesson(), tmp_path, "00-start-here.ipynb")
    monkeypatch.setattr(places, "PACKAGE", tmp_path / "src" / "teachmem")
    monkeypatch.delenv("TEACHMEM_WORK", raising=False)
    started: list[list[str]] = []
    monkeypatch.setattr(lab, "run", lambda command: started.append(command) or 0)
    return tmp_path, started


def asked(*words: str, **options):
    return RUNNER.invoke(cli.app, list(words), **options)


def test_the_first_call_makes_copies_and_opens_the_first(room):
    folder, started = room
    answer = asked("lab")
    assert answer.exit_code == 0
    assert sorted(path.name for path in (folder / "work").iterdir()) == ["00-start-here.ipynb", sample.NAME]
    assert str(folder / "work") in answer.output
    assert "--LabApp.default_url=/lab/tree/work/00-start-here.ipynb" in started[0]
    assert "--ServerApp.ip=127.0.0.1" in started[0]


def test_a_copy_that_was_worked_in_is_never_overwritten(room):
    folder, _ = room
    asked("lab")
    mine = folder / "work" / sample.NAME
    mine.write_text("my own work", encoding="utf-8")
    (folder / "work" / "00-start-here.ipynb").unlink()
    assert asked("lab", "02").exit_code == 0
    assert mine.read_text(encoding="utf-8") == "my own work"
    assert (folder / "work" / "00-start-here.ipynb").is_file()
    lab.make_copy(folder / "notebooks" / sample.NAME, mine)
    assert mine.read_text(encoding="utf-8") == "my own work"


def test_fresh_makes_another_copy_beside_the_old(room):
    folder, started = room
    asked("lab")
    (folder / "work" / sample.NAME).write_text("my own work", encoding="utf-8")
    for number in (2, 3):
        assert asked("lab", "--fresh", "02").exit_code == 0
        fresh = folder / "work" / f"02-episodic-memory-{number}.ipynb"
        assert json.loads(fresh.read_text(encoding="utf-8"))["cells"]
        assert f"--LabApp.default_url=/lab/tree/work/{fresh.name}" in started[-1]
    assert (folder / "work" / sample.NAME).read_text(encoding="utf-8") == "my own work"


def test_fresh_without_an_old_copy_makes_the_first(room):
    folder, _ = room
    asked("lab", "--fresh", "2")
    assert sorted(path.name for path in (folder / "work").iterdir()) == ["00-start-here.ipynb", sample.NAME]


def test_a_copy_gives_nothing_away_and_loses_nothing_else(room):
    folder, _ = room
    asked("lab")
    copy = json.loads((folder / "work" / sample.NAME).read_text(encoding="utf-8"))
    original = sample.lesson()
    kept = [cell for cell in original["cells"] if "speaker" not in cell["metadata"]["tags"]]
    assert [cell["id"] for cell in copy["cells"]] == [cell["id"] for cell in kept]
    assert [cell["source"] for cell in copy["cells"]] == [cell["source"] for cell in kept]
    for cell in copy["cells"]:
        assert not cell.get("outputs")
        assert cell.get("execution_count") is None
    assert copy["metadata"] == original["metadata"]


def test_dry_run_says_all_and_does_nothing(room):
    folder, started = room
    answer = asked("lab", "02", "--dry-run", "--no-browser-open", "--port", "0")
    assert answer.exit_code == 0
    assert f"would open {folder / 'work' / sample.NAME}" in answer.output.replace("\n", "")
    assert "--no-browser" in answer.output
    assert "--ServerApp.port=0" in answer.output
    assert not (folder / "work").exists()
    assert not started


def test_an_unknown_segment_names_those_there_are_and_makes_nothing(room):
    folder, _ = room
    for words in (["lab", "7"], ["lab", "--fresh", "nine"], ["lab", ".."]):
        answer = asked(*words)
        assert isinstance(answer.exception, teachmem.TeachmemError)
        assert "00-start-here, 02-episodic-memory" in str(answer.exception)
    assert not (folder / "work").exists()


def test_copies_can_lie_elsewhere(room, tmp_path_factory, monkeypatch):
    folder, started = room
    elsewhere = tmp_path_factory.mktemp("desk") / "mine"
    monkeypatch.setenv("TEACHMEM_WORK", str(elsewhere))
    assert asked("lab", "02").exit_code == 0
    assert (elsewhere / sample.NAME).is_file()
    assert not (folder / "work").exists()
    assert f"--ServerApp.root_dir={elsewhere}" in started[0]


def test_something_in_the_way_gives_a_sentence(room):
    folder, _ = room
    (folder / "work").write_text("a file", encoding="utf-8")
    answer = asked("lab")
    assert isinstance(answer.exception, teachmem.TeachmemError)
    assert "is in the way" in str(answer.exception)


def free_port() -> int:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        return int(server.getsockname()[1])


@pytest.mark.skipif(os.name == "nt", reason="ends the server by a signal")
def test_jupyterlab_starts_on_this_machine_and_ends_by_a_signal(tmp_path):
    port = free_port()
    own = {"JUPYTER_TOKEN": "lesson", "TEACHMEM_WORK": str(tmp_path / "work"), "TEACHMEM_HOME": str(tmp_path)}
    folders = {f"JUPYTER_{name}_DIR": str(tmp_path / name) for name in ("CONFIG", "DATA", "RUNTIME")}
    command = [sys.executable, "-m", "teachmem", "lab", "--no-browser-open", "--port", str(port)]
    with (tmp_path / "log").open("w", encoding="utf-8") as log:
        process = subprocess.Popen(
            command, env=os.environ | own | folders, stdin=subprocess.DEVNULL, stdout=log, stderr=log
        )
    try:
        status = _status(port, process, tmp_path / "log")
        assert "started" in status
        with pytest.raises(urllib.error.HTTPError, match="403"):
            urllib.request.urlopen(f"http://127.0.0.1:{port}/api/status", timeout=10)
        place = f"http://127.0.0.1:{port}/api/contents/00-start-here.ipynb?content=0&token=lesson"
        with urllib.request.urlopen(place, timeout=10) as answer:
            assert json.load(answer)["type"] == "notebook"
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=30)


def _status(port: int, process: subprocess.Popen[bytes], log: Path) -> dict[str, object]:
    """Ask until the server answers; it is given a minute."""
    for _ in range(240):
        assert process.poll() is None, log.read_text(encoding="utf-8")
        try:
            with urllib.request.urlopen(
                f"http://127.0.0.1:{port}/api/status?token=lesson", timeout=10
            ) as answer:
                return dict(json.load(answer))
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.25)
    raise AssertionError(log.read_text(encoding="utf-8"))


@pytest.fixture
def record(monkeypatch):
    """Whether the record of progress was emptied; a test never touches the real one."""
    emptied: list[bool] = []
    monkeypatch.setattr(course, "reset_progress", lambda *, confirm=False: emptied.append(confirm))
    return emptied


def test_reset_asks_first_and_a_no_changes_nothing(room, record):
    folder, _ = room
    asked("lab")
    answer = asked("reset", "--work", input="n\n")
    assert answer.exit_code == 1
    assert "Nothing was changed." in answer.output
    assert record == []
    assert (folder / "work").is_dir()


@pytest.mark.parametrize("how", [{"input": "y\n"}, {"yes": True}])
def test_reset_empties_the_record_and_leaves_the_copies(room, record, how):
    folder, _ = room
    asked("lab")
    words = ["reset", "--yes"] if how.pop("yes", False) else ["reset"]
    assert asked(*words, **how).exit_code == 0
    assert record == [True]
    assert (folder / "work").is_dir()


def test_reset_moves_the_copies_aside_and_loses_none(room, record):
    folder, _ = room
    for aside in ("work-old", "work-old-2"):
        asked("lab")
        (folder / "work" / sample.NAME).write_text(aside, encoding="utf-8")
        answer = asked("reset", "--work", "--yes")
        assert answer.exit_code == 0
        assert not (folder / "work").exists()
        assert (folder / aside / sample.NAME).read_text(encoding="utf-8") == aside
    assert "There are no copies" in asked("reset", "--work", "--yes").output


def test_without_an_answer_nothing_is_reset(room, record):
    assert asked("reset", input="").exit_code == 1
    assert record == []


def test_the_real_record_is_emptied_by_the_real_command(tmp_path):
    own = {"TEACHMEM_HOME": str(tmp_path), "TEACHMEM_STATIC": "0"}
    tried = "from teachmem.course import journal; journal.current().add('00', 'check', '0.1', outcome='yes')"
    asks = "from teachmem.course import journal; print(len(journal.current().events()))"

    def python(*words: str) -> str:
        command = [sys.executable, *words]
        answer = subprocess.run(
            command,
            env=os.environ | own,
            capture_output=True,
            text=True,
            check=True,
            cwd=tmp_path,
            timeout=60,
        )
        return answer.stdout

    python("-c", tried)
    assert python("-c", asks) == "1\n"
    assert "empty" in python("-m", "teachmem", "reset", "--yes")
    assert python("-c", asks) == "0\n"
