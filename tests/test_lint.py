"""A good notebook passes, and every rule finds its own fault and no other."""

from __future__ import annotations

import json
import platform
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import sample_lesson as sample
from hypothesis import given, settings
from hypothesis import strategies as st

from teachmem import TeachmemError
from teachmem.course import glossary, lint, notebook

ROOT = Path(__file__).resolve().parents[1]
Break = Callable[[dict[str, Any]], None]


def source(id: str, text: str) -> Break:
    return lambda lesson: sample.cell(lesson, id).update(source=text)


def append(id: str, text: str) -> Break:
    def change(lesson: dict[str, Any]) -> None:
        sample.cell(lesson, id)["source"] += text

    return change


def shows(id: str, **output: Any) -> Break:
    return lambda lesson: sample.cell(lesson, id).update(outputs=[output])


def prints(id: str, text: str) -> Break:
    return shows(id, output_type="stream", name="stdout", text=text)


def drop(id: str) -> Break:
    def change(lesson: dict[str, Any]) -> None:
        lesson["cells"].remove(sample.cell(lesson, id))
        code = [cell for cell in lesson["cells"] if cell["cell_type"] == "code"]
        for number, cell in enumerate(code, start=1):
            cell["execution_count"] = number

    return change


def meta(id: str, **values: Any) -> Break:
    return lambda lesson: sample.cell(lesson, id)["metadata"].update(values)


def data(id: str, kind: str, value: str, metadata: dict[str, Any] | None = None, **more: str) -> Break:
    return shows(id, output_type="display_data", data={kind: value, **more}, metadata=metadata or {})


def add(cell: dict[str, Any], before: str) -> Break:
    def change(lesson: dict[str, Any]) -> None:
        lesson["cells"].insert(lesson["cells"].index(sample.cell(lesson, before)), dict(cell))
        code = [cell for cell in lesson["cells"] if cell["cell_type"] == "code"]
        for number, found in enumerate(code, start=1):
            found["execution_count"] = number

    return change


def note(id: str, /, **values: Any) -> Break:
    return lambda lesson: sample.cell(lesson, id).update(values)


LINK = glossary.introduced_in("02")[0].link
HOME = "/".join(("", "home", "me"))  # in pieces: no file of the house holds such a path
CASES: list[tuple[str, str, str, Break]] = [
    ("tag", "story", "no tag", meta("story", tags=[])),
    ("tag", "story", "two tags", meta("story", tags=["story", "break"])),
    ("tag", "story", "unknown tag", meta("story", tags=["story", "tale"])),
    ("minutes", "story", "no minutes", meta("story", minutes=None)),
    ("minutes", "story", "minutes in words", meta("story", minutes="3")),
    ("minutes", "story", "negative minutes", meta("story", minutes=-1)),
    ("minutes", "story", "true is no number", meta("story", minutes=True)),
    ("minutes", "", "too long", meta("story", minutes=18)),
    ("once", "", "no setup", drop("setup")),
    ("once", "", "no recap", drop("recap")),
    ("once", "setup", "another lesson", source("setup", 'lesson = course.open_lesson("01")')),
    ("once", "", "no you can now", source("recap", "## What stays\n\nA score has parts.")),
    ("objectives", "", "no objectives", meta("objectives", tags=["story"])),
    ("objectives", "objectives", "none listed", source("objectives", "# Title\n\nMuch.")),
    (
        "objectives",
        "objectives",
        "four",
        source("objectives", "# Title\n\n" + "- You can weigh. [check 2.1]\n" * 4),
    ),
    ("objectives", "objectives", "no check", source("objectives", "# Title\n\n- You can weigh an event.")),
    (
        "objectives",
        "objectives",
        "no such check",
        source("objectives", "# Title\n\n- You can weigh. [check 2.9]"),
    ),
    (
        "objectives",
        "objectives",
        "not you can",
        source("objectives", "# Title\n\n- Know scores. [check 2.1]"),
    ),
    ("pace", "run-recall", "run before any commitment", drop("predict-2-a")),
    ("pace", "run-twice", "two runs", add(sample.code("run-twice", "run", 1, "1"), "misconception")),
    ("ask", "predict-2-a", "never asks", source("predict-2-a", "...")),
    (
        "ask",
        "story-code",
        "check elsewhere",
        add(sample.code("story-code", "story", 1, 'lesson.check("2.2")'), "recap"),
    ),
    ("ask", "predict-2-a", "another segment", source("predict-2-a", 'lesson.predict("1.a", ...)')),
    ("ask", "predict-2-a", "not a prediction's id", source("predict-2-a", 'lesson.predict("2.1", ...)')),
    ("ask", "predict-2-a", "id not written out", source("predict-2-a", "lesson.predict(which, ...)")),
    (
        "ask",
        "",
        "twice",
        add(sample.code("hint-again", "hint", 0, 'lesson.hint("2.1")', slide="skip"), "recap"),
    ),
    ("ask", "check-words", "check in words", add(sample.words("check-words", "check", 0, "Well?"), "recap")),
    ("exercise", "exercise-2-1", "hint missing", drop("hint-2-1")),
    (
        "exercise",
        "exercise-2-1",
        "solved",
        source("exercise-2-1", "def recency(age, half_life):\n    return 1"),
    ),
    ("exercise", "try-it", "no number", note("exercise-2-1-task", id="try-it")),
    (
        "exercise",
        "exercise-2-2",
        "check missing",
        add(sample.code("exercise-2-2", "exercise", 0, "blend = ..."), "recap"),
    ),
    ("speaker", "", "nothing to the instructor", drop("notes-story")),
    ("speaker", "notes-story", "no label", append("notes-story", "\n**Tell** More.")),
    ("speaker", "notes-story", "empty label", append("notes-story", "\n**Say**")),
    ("speaker", "", "nothing to cut", source("notes-story", sample.SPEAKER.partition("**Cut")[0])),
    ("ids", "number 3", "no id", note("story", id="")),
    ("ids", "setup", "id twice", note("story", id="setup")),
    ("ids", "deadbeef", "drawn id", note("story", id="deadbeef")),
    ("ids", "b7f3-c9d1", "drawn id with words", note("story", id="b7f3-c9d1")),
    ("counts", "run-recall", "has not run", note("run-recall", execution_count=None)),
    ("counts", "run-recall", "ran out of order", note("run-recall", execution_count=9)),
    ("counts", "run-recall", "empty", note("run-recall", source=" ", outputs=[])),
    ("slides", "story", "unknown slide", meta("story", slideshow={"slide_type": "page"})),
    ("slides", "notes-story", "notes shown", meta("notes-story", slideshow={"slide_type": "slide"})),
    ("slides", "hint-2-1", "hint shown", meta("hint-2-1", slideshow={})),
    ("metadata", "", "another kernel", lambda lesson: lesson["metadata"].update(kernelspec={"name": "env"})),
    ("metadata", "", "a version", lambda lesson: lesson["metadata"]["language_info"].update(version="3.11")),
    ("metadata", "story", "an editor's trace", meta("story", vscode={})),
    ("widget", "", "widget state", lambda lesson: lesson["metadata"].update(widgets={})),
    ("widget", "run-recall", "widget view", data("run-recall", notebook.LIVE, "{}")),
    ("path", "run-recall", "path in code", append("run-recall", f'\nopen("{HOME}/x")')),
    ("path", "run-recall", "path in an output", prints("run-recall", "in /var/x1/store.db")),
    ("path", "run-recall", "Windows path", prints("run-recall", r"in D:\data\me")),
    ("machine", "run-recall", "asks for the name", append("run-recall", "\nplatform.node()")),
    ("address", "run-recall", "address", prints("run-recall", "<object at 0x7f3a2b1c4d50>")),
    ("loop", "run-recall", "second loop", append("run-recall", "\nasyncio.run(main())")),
    ("install", "run-recall", "pip", source("run-recall", "!pip install teachmem")),
    ("install", "run-recall", "pip magic", source("run-recall", "%pip install teachmem")),
    ("install", "run-recall", "pip module", source("run-recall", "!python -m pip install teachmem")),
    ("network", "run-recall", "network", append("run-recall", '\nget("https://example.org/x")')),
    ("exempt", "run-recall", "tag", meta("run-recall", tags=["run", "nbval-ignore-output"])),
    ("exempt", "run-recall", "skipped", meta("run-recall", tags=["run", "nbval-skip"])),
    ("exempt", "run-recall", "comment", append("run-recall", "\n# NBVAL_IGNORE_OUTPUT")),
    (
        "error",
        "run-recall",
        "red",
        shows("run-recall", output_type="error", ename="E", evalue="x", traceback=[]),
    ),
    ("error", "run-recall", "not red", meta("run-recall", tags=["run", "raises-exception"])),
    ("stderr", "run-recall", "warning", shows("run-recall", output_type="stream", name="stderr", text="old")),
    ("alt", "story", "markdown image", append("story", "\n\n![](../docs/glossary.md)")),
    ("alt", "story", "img", append("story", '\n\n<img src="x">')),
    ("alt", "run-recall", "svg", data("run-recall", "text/html", "<div><svg><rect/></svg></div>")),
    ("alt", "run-recall", "svg never closed", data("run-recall", "image/svg+xml", "<svg><rect/>")),
    ("alt", "run-recall", "png", data("run-recall", "image/png", "aGk=", None, **{"text/plain": "<Figure>"})),
    ("names", "story", "JupyterLab", append("story", "\n\nOpen Jupyter Lab.")),
    ("names", "story", "teachmem", append("story", "\n\nTeachMem keeps it.")),
    ("names", "story", "Northlight", append("story", "\n\nThe arm stops at northlight.")),
    ("marks", "story", "exclamation", append("story", "\n\nLook!")),
    ("marks", "run-recall", "exclamation in a comment", append("run-recall", "\n# look!")),
    ("glyphs", "story", "emoji", append("story", "\n\nDone \N{ROCKET}")),
    ("glyphs", "run-recall", "arrow in an output", prints("run-recall", "a \N{RIGHTWARDS ARROW} b")),
    ("plain", "story", "heavy word", append("story", "\n\nYou utilise it.")),
    ("plain", "story", "long sentence", append("story", "\n\n" + "And so on " * 11 + ".")),
    ("headings", "objectives", "no title", source("objectives", "- You can weigh an event. [check 2.1]")),
    ("headings", "story", "skipped level", append("story", "\n\n#### Deep")),
    ("headings", "", "two titles", append("recap", "\n\n# Another")),
    ("links", "story", "no such term", append("story", "\n\n[x](../docs/glossary.md#nowhere)")),
    ("links", "story", "no such file", append("story", "\n\n[x](../docs/nothing.md)")),
    ("glossary", "", "term not linked", lambda lesson: _unlink(lesson)),
]


def _unlink(lesson: dict[str, Any]) -> None:
    story = sample.cell(lesson, "story")
    story["source"] = story["source"].replace(f"- {LINK}", "")


def test_a_good_notebook_passes(tmp_path):
    path = sample.write(sample.lesson(), tmp_path)
    assert lint.lint(path) == []


@pytest.mark.parametrize(("rule", "cell", "how", "change"), CASES, ids=[f"{c[0]}-{c[2]}" for c in CASES])
def test_a_broken_notebook_has_exactly_its_own_fault(tmp_path, rule, cell, how, change):
    lesson = sample.lesson()
    change(lesson)
    found = lint.lint(sample.write(lesson, tmp_path))
    assert {finding.rule for finding in found} == {rule}, found
    assert cell in {finding.cell for finding in found}
    assert all(finding.sentence for finding in found)


def test_a_name_that_is_no_segments_is_found(tmp_path):
    lesson = sample.lesson()
    found = lint.lint(sample.write(lesson, tmp_path, "episodic.ipynb"))
    assert "name" in {finding.rule for finding in found}


def test_the_name_of_this_machine_is_found(tmp_path, monkeypatch):
    monkeypatch.setattr(platform, "node", lambda: "desk-17")
    lesson = sample.lesson()
    prints("run-recall", "running on desk-17 now")(lesson)
    assert [finding.rule for finding in lint.lint(sample.write(lesson, tmp_path))] == ["machine"]


def test_no_rule_is_without_its_case():
    assert {rule.__name__ for rule in lint.RULES} == {case[0] for case in CASES} | {"name"}


ALLOWED: list[tuple[str, Break]] = [
    ("live widget", lambda lesson: _live(lesson)),
    (
        "error that is meant",
        lambda lesson: (
            shows("run-recall", output_type="error", ename="E", evalue="x", traceback=[])(lesson),
            meta("run-recall", tags=["run", "raises-exception"])(lesson),
        ),
    ),
    ("svg with a title", data("run-recall", "text/html", "<svg><title>two bars</title></svg>")),
    ("decoration", data("run-recall", "text/html", '<svg aria-hidden="true"></svg>')),
    ("png with alt", data("run-recall", "image/png", "aGk=", {"image/png": {"alt": "two bars"}})),
    ("png with a text twin", data("run-recall", "image/png", "aGk=", None, **{"text/plain": "two bars"})),
    ("loopback", append("run-recall", '\nget("http://127.0.0.1:8888/x")')),
    ("not equal", append("run-recall", "\nassert 1 != 2  # 1 != 2")),
    ("names in code", append("story", "\n\nThe tenant is `northlight`, the file `x.sqlite`.")),
    ("another script", append("story", "\n\n把持部 and größer, 3 × 4 ≥ 12, 5 °C.")),
    ("glyphs of the course", prints("run-recall", "✓ accepted ✕ refused ‖ staged")),
    ("a comparison in words", append("story", "\n\nThe end (not the start) is open: `a != b`.")),
    ("half a minute", meta("story", minutes=2.5)),
]


def _live(lesson: dict[str, Any]) -> None:
    append("run-recall", "\nshow.live.score_explorer(lesson.tech)")(lesson)
    meta("run-recall", tags=["run", "nbval-ignore-output"])(lesson)


@pytest.mark.parametrize(("how", "change"), ALLOWED, ids=[how for how, _ in ALLOWED])
def test_what_is_allowed_is_not_found(tmp_path, how, change):
    lesson = sample.lesson()
    change(lesson)
    assert lint.lint(sample.write(lesson, tmp_path)) == []


def test_segment_00_has_ten_minutes(tmp_path):
    lesson = sample.lesson()
    found = lint.lint(sample.write(lesson, tmp_path, "00-start-here.ipynb"))
    assert any(finding.rule == "minutes" and "10 are there" in finding.sentence for finding in found)


def test_fix_puts_metadata_right_and_touches_nothing_else(tmp_path):
    lesson = sample.lesson()
    lesson["metadata"] = {"kernelspec": {"name": "mine"}, "widgets": {}}
    sample.cell(lesson, "story")["metadata"]["vscode"] = {}
    sample.cell(lesson, "run-recall")["execution_count"] = 9
    path = sample.write(lesson, tmp_path)
    before = json.loads(path.read_text(encoding="utf-8"))
    assert lint.fix(path)
    after = json.loads(path.read_text(encoding="utf-8"))
    assert [finding.rule for finding in lint.lint(path)] == ["counts"]
    for old, new in zip(before["cells"], after["cells"], strict=True):
        assert {key: old[key] for key in old if key != "metadata"} == {
            key: new[key] for key in new if key != "metadata"
        }
    stored = path.read_bytes()
    assert not lint.fix(path)
    assert path.read_bytes() == stored


@pytest.mark.parametrize(
    "content", [b"", b"{}", b"[]", b"\xff", b'{"nbformat": 3, "cells": []}', b'{"nbformat": 4, "cells": [1]}']
)
def test_what_is_no_notebook_gives_a_sentence(tmp_path, content):
    path = tmp_path / "02-x.ipynb"
    path.write_bytes(content)
    with pytest.raises(TeachmemError, match=r"02-x\.ipynb: is not a notebook"):
        lint.lint(path)


def places(value: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the way to every value inside a JSON document."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, held in inside:
        yield (*way, key)
        yield from places(held, (*way, key))


WAYS = list(places(sample.lesson()))


ODD = (None, 0, True, -1.5, "", "x", [], [1], [None], {}, {"a": [1]})


@settings(max_examples=150)
@given(st.sampled_from(WAYS), st.sampled_from(ODD))
def test_a_notebook_with_one_odd_value_gives_findings_or_a_sentence_and_never_a_crash(way, odd):
    lesson = sample.lesson()
    holder = lesson
    for key in way[:-1]:
        holder = holder[key]
    holder[way[-1]] = odd
    with TemporaryDirectory() as folder:
        path = sample.write(lesson, Path(folder))
        try:
            lint.lint(path)
            lint.fix(path)
        except TeachmemError as error:
            told = str(error)
        else:
            told = sample.NAME
    assert sample.NAME in told


def test_a_missing_notebook_gives_a_sentence(tmp_path):
    with pytest.raises(TeachmemError, match="give the path of a notebook"):
        lint.lint(tmp_path / "02-x.ipynb")


@pytest.mark.parametrize("path", sorted((ROOT / "notebooks").glob("*.ipynb")), ids=lambda path: path.name)
def test_every_committed_notebook_passes(path):
    assert [str(finding) for finding in lint.lint(path)] == []
