"""The command line as a whole: quick, documented, one sentence an error, and the short commands."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sample_lesson as sample
import typer
from typer.testing import CliRunner

import teachmem
from teachmem import cli
from teachmem.commands import demo, places

ROOT = Path(__file__).resolve().parents[1]
RUNNER = CliRunner()
REGISTRY = typer.main.get_command(cli.app).commands  # type: ignore[attr-defined]


def teachmem_says(*words: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run the real command in a process of its own."""
    command = [sys.executable, "-m", "teachmem", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60, **options)


def section(command: str) -> str:
    page = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    found = re.search(rf"^## {command}\n(.*?)(?=^## |\Z)", page, flags=re.MULTILINE | re.DOTALL)
    assert found, f"docs/cli.md has no section about {command}"
    return found[1]


def words_of(command: str) -> Iterator[str]:
    """Yield every option and argument of a command as it is typed."""
    for parameter in REGISTRY[command].params:
        if parameter.param_type_name == "argument":
            yield parameter.metavar.strip("[]") if parameter.metavar else parameter.name.upper()
        else:
            yield from (word for word in parameter.opts if word != "--help")


def test_every_command_of_the_manual_is_there():
    page = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^## (\w+)$", page, flags=re.MULTILINE)) - {"Settings"} == set(REGISTRY)


@pytest.mark.parametrize("command", sorted(REGISTRY))
def test_every_option_is_in_the_manual_and_no_other(command):
    told = section(command)
    for word in words_of(command):
        assert f"`{word}" in told, f"docs/cli.md does not describe {word} of {command}"
    tabled = set(re.findall(r"^\| `(-?-?[\w-]+)", told, flags=re.MULTILINE))
    assert tabled == set(words_of(command))
    assert REGISTRY[command].help
    assert all(parameter.help for parameter in REGISTRY[command].params if parameter.name != "help")


def test_every_setting_is_in_the_manual_and_known_to_the_doctor():
    from teachmem.commands import probe_room

    read = set()
    for path in (ROOT / "src").rglob("*.py"):
        read |= set(re.findall(r"TEACHMEM_[A-Z]+\b", path.read_text(encoding="utf-8")))
    assert read == set(probe_room.SETTINGS)
    assert set(re.findall(r"TEACHMEM_[A-Z]+", section("Settings"))) == read


def test_help_is_quick_and_imports_nothing_heavy():
    resource = pytest.importorskip("resource")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    answer = teachmem_says("--help")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert answer.returncode == 0
    assert all(command in answer.stdout for command in REGISTRY)
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 3  # aim: under 1
    heavy = ["jupyter_client", "matplotlib", "pandas", "ipywidgets", "tokenizers", "teachmem.course"]
    code = f"import sys, teachmem.cli; print([name for name in {heavy} if name in sys.modules])"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert loaded.stdout.strip() == "[]"


def test_an_error_is_one_sentence_on_stderr_and_exit_code_2():
    answer = teachmem_says("runsheet", "77")
    assert answer.returncode == 2
    assert answer.stdout == ""
    assert re.fullmatch(r"teachmem: there is no segment '77'; there are: 00-start-here.*\n", answer.stderr)


def test_a_terminal_without_a_sign_gets_an_escape_and_no_crash(tmp_path):
    own = {"PYTHONIOENCODING": "latin-1", "TEACHMEM_WORK": str(tmp_path / "\N{CHECK MARK}")}
    answer = teachmem_says("lab", "--dry-run", env=os.environ | own)
    assert answer.returncode == 0, answer.stderr
    assert r"\u2713" in answer.stdout


def test_an_unknown_command_names_itself():
    answer = teachmem_says("bogus")
    assert answer.returncode == 2
    assert "bogus" in answer.stderr


def test_the_version_is_that_of_the_package():
    assert RUNNER.invoke(cli.app, ["--version"]).output == f"teachmem {teachmem.__version__}\n"


def test_the_demo_shows_what_the_calls_answer():
    shown = RUNNER.invoke(cli.app, ["demo", "--fast"], env={"COLUMNS": "200"})
    assert shown.exit_code == 0
    flat = " ".join(shown.output.split())
    played = list(demo.scenes())
    for said, call, answer in played:
        for text in (said, call, *answer):
            assert " ".join(text.split()) in flat
    assert len(played) * demo.PAUSE <= 22


def test_the_parts_that_the_demo_shows_sum_to_the_score_it_shows():
    (recall,) = [answer for said, _, answer in demo.scenes() if "shows its parts" in said]
    assert len(recall) == 2
    for line in recall:
        score, _, parts = line.partition(" = ")
        numbers = [float(part) for part in re.findall(r"\b\d\.\d{3}\b", parts)]
        assert len(numbers) == 3
        assert sum(numbers) == pytest.approx(float(score), abs=0.002)


def test_the_demo_would_show_a_gate_that_lets_through():
    assert demo._refused(lambda: "accepted note-1") == ["it was not refused: accepted note-1"]


@pytest.fixture
def room(tmp_path, monkeypatch):
    """A checkout in miniature, with segment 02 alone in it."""
    sample.write(sample.lesson(), tmp_path)
    sample.write(sample.lesson(), tmp_path, "00-start-here.ipynb")
    monkeypatch.setattr(places, "PACKAGE", tmp_path / "src" / "teachmem")
    monkeypatch.delenv("TEACHMEM_WORK", raising=False)
    return tmp_path


def test_lint_answers_0_for_a_good_notebook_and_1_with_the_finding_for_another(room):
    path = room / "notebooks" / sample.NAME
    good = RUNNER.invoke(cli.app, ["lint", str(path)])
    assert (good.exit_code, good.output) == (0, "1 notebook, 0 findings\n")
    lesson = sample.lesson()
    lesson["metadata"] = {}
    sample.cell(lesson, "story")["source"] += "\n\nLook!"
    path = sample.write(lesson, room)
    bad = RUNNER.invoke(cli.app, ["lint", str(path)])
    assert bad.exit_code == 1
    assert f"{sample.NAME}: story: marks:" in bad.output
    mended = RUNNER.invoke(cli.app, ["lint", "--fix", str(path)])
    assert "metadata put in its normal form" in mended.output
    assert "1 notebook, 1 finding\n" in mended.output
    assert mended.exit_code == 1


def test_lint_without_files_takes_all_of_the_course(room):
    answer = RUNNER.invoke(cli.app, ["lint"])
    assert "2 notebooks" in answer.output
    assert "00-start-here.ipynb: notebook: minutes" in answer.output


def test_a_run_sheet_is_printed_in_both_forms(room):
    assert RUNNER.invoke(cli.app, ["runsheet", "2"]).output.startswith(f"Run sheet: {sample.NAME}\n")
    assert RUNNER.invoke(cli.app, ["runsheet", "02", "--markdown"]).output.startswith("# Run sheet")


def test_a_run_sheet_of_unreadable_notes_is_an_error(room):
    lesson = sample.lesson()
    sample.cell(lesson, "notes-story")["source"] = "**Tell** more"
    sample.write(lesson, room)
    answer = RUNNER.invoke(cli.app, ["runsheet", "02"])
    assert isinstance(answer.exception, teachmem.TeachmemError)
    assert "teachmem lint" in str(answer.exception)


def test_a_checkout_that_is_not_there_gives_a_sentence(tmp_path, monkeypatch):
    monkeypatch.setattr(places, "PACKAGE", tmp_path / "a" / "b")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(teachmem.TeachmemError, match="work in a checkout"):
        places.checkout()


def test_bench_prints_the_report_keeps_the_figures_and_draws_the_curves(tmp_path):
    words = [
        "bench",
        "recall",
        "--sizes",
        "100,200",
        "--queries",
        "3",
        "--to",
        str(tmp_path / "new" / "here"),
    ]
    answer = RUNNER.invoke(cli.app, words)
    assert answer.exit_code == 0, answer.exception
    assert "200" in answer.output
    kept = tmp_path / "new" / "here"
    assert sorted(path.name for path in kept.iterdir()) == ["recall.json", "recall.svg"]
    assert json.loads((kept / "recall.json").read_text(encoding="utf-8"))["benchmark"] == "recall"
    assert "loop, kept: " in (kept / "recall.svg").read_text(encoding="utf-8")


def test_bench_all_runs_every_benchmark_and_server_and_import_keep_their_size(tmp_path, monkeypatch):
    from teachmem import bench as benchmarks
    from teachmem.bench.measure import Report
    from teachmem.commands import bench

    asked = {}

    def report(name, sizes, *_):
        asked[name] = sizes
        return Report(name, ("a",), (("1",),), (), {})

    monkeypatch.setattr(bench, "_report", report)
    answer = RUNNER.invoke(cli.app, ["bench", "all", "--sizes", "20,30", "--to", str(tmp_path)])
    assert answer.exit_code == 0, answer.exception
    assert list(asked) == [*benchmarks.NAMES, "retrieval", "notebooks"]
    assert {name for name, sizes in asked.items() if sizes is None} == set(bench.ONE_SIZE)
    assert all(name in bench.NAMES for name in asked)
    assert {path.stem for path in tmp_path.iterdir()} == set(asked)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["bench", "nothing"], "recall"),
        (["bench", "--sizes", "many"], "whole numbers such as 1000,10000"),
        (["bench", "--sizes", "0"], "1 or more"),
        (["bench", "--sizes", "10", "--queries", "0"], "1 or more"),
        (["bench", "--to", "/dev/null/here"], "cannot be made"),
        (["bench", "recall", "--locomo", "x.json"], "goes with"),
    ],
)
def test_a_benchmark_that_cannot_run_says_why(words, sentence, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    answer = RUNNER.invoke(cli.app, words)
    assert isinstance(answer.exception, teachmem.TeachmemError)
    assert sentence in str(answer.exception)
