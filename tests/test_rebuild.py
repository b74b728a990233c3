"""A student's own module in the place of the package's: laws, notebooks, what is said, nothing left."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest
import rebuilt
from typer.testing import CliRunner

from teachmem import cli, course, show
from teachmem.clock import to_micros as micros
from teachmem.course import journal
from teachmem.course.rebuilding import boot, contracts, notebooks, report, run, wall
from teachmem.errors import InvalidInput, TeachmemError
from teachmem.recall import score
from teachmem.show import wall as show_wall

OURS = score.recency


class Mine:
    """As a cell of a notebook has it."""

    def recency(age_hours, half_life_hours=24):
        return 2.0 ** (-max(age_hours, 0.0) / half_life_hours)


class Endless:
    def recency(age_hours, half_life_hours=24):
        while age_hours > 3:
            pass
        return 1.0


def test_nothing_handed_in_is_not_tried_yet():
    assert str(course.rebuild("recall.score", ...)) == "recall.score: not tried yet"
    assert str(course.rebuild("score")) == "recall.score: not tried yet"


def test_a_rebuilt_part_runs_a_notebook_and_leaves_nothing_behind():
    found = course.rebuild("recall.score", Mine, part=True, segments=("02",))
    assert found.lawful
    assert [one.name for one in found.notebooks] == ["02-episodic-memory"]
    assert not any(one.seen or one.unjudged for one in found.notebooks), str(found)
    assert found.marks, "the marks were not asked"
    assert not found.amiss
    assert not found.passed, "one notebook of ten was asked"
    assert str(found).startswith(
        "recall.score, rebuilt in Mine (recency; the rest is the package's): "
        "its laws hold, and what else was asked\n"
    )
    assert found.names == ("recency",)
    assert score.recency is OURS
    assert journal.current().events()[-1]["id"] == "recall.score"


HELD, UNJUDGED = report.Ruling("one", "What holds."), report.Ruling("two", "", unjudged="two: not judged")


@pytest.mark.parametrize(
    ("notebooks", "some", "outcome", "event"),
    [
        (None, False, "its laws hold", "laws"),
        ((HELD,), True, "its laws hold, and what else was asked", "laws"),
        ((HELD, UNJUDGED), False, "yes, it is yours, as far as it could be judged", "yes"),
        ((HELD,), False, "yes, it is yours", "yes"),
        ((report.Ruling("one", "What holds.", "seen"),), False, "not yet", "not yet"),
    ],
)
def test_what_was_not_asked_or_not_judged_is_said_first(notebooks, some, outcome, event):
    marks = notebooks and (HELD,)
    found = report.Rebuilt("recall.score", "Mine", ("recency",), (), (HELD,), notebooks, marks, some=some)
    assert found.outcome == outcome
    assert str(found).splitlines()[0].endswith(f": {outcome}")
    assert found.as_event()["outcome"] == event


def test_a_whole_file_of_ones_own_is_taken_and_a_wrong_one_is_stopped_by_its_laws(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(rebuilt.altered("score", ("max(age_hours, 0.0)", "age_hours")), encoding="utf-8")
    found = course.rebuild("recall.score", str(file), segments=("02",))
    assert not found.lawful
    assert found.kept == ()
    assert found.notebooks is None
    assert str(found).splitlines()[1:3] == [
        "laws       6 of 7 hold",
        "  ✕ An event from a clock that is ahead of ours is as recent as now, and not more. But your "
        "recency(-1.0, 1.0) gave 2.0; it counts as now, so 1.0 was due.",
    ]


class Talking:
    """A law cannot say everything: here that a module does its work in silence."""

    def recency(age_hours, half_life_hours=24):
        print("I was asked")
        return 2.0 ** (-max(age_hours, 0.0) / half_life_hours)


def test_one_that_obeys_its_laws_and_shows_something_else_is_told_the_cell():
    found = course.rebuild("recall.score", Talking, part=True, segments=("02",))
    assert found.lawful
    assert not found.passed
    (notebook,) = found.notebooks
    assert notebook.seen.startswith("cell ")
    assert "'stdout: I was asked'" in notebook.seen
    assert found.marks is None
    assert "marks      not run: a notebook shows something else" in str(found)


def test_one_that_never_returns_is_stopped_and_named(monkeypatch):
    monkeypatch.setattr(run, "CALL", 0.5)
    found = course.rebuild("recall.score", Endless, part=True)
    assert found.laws[0].seen.endswith("did not return within 0.5 seconds")
    assert found.laws[0].seen.startswith("your recency(")
    assert all(one.unjudged for one in found.laws[1:])
    assert found.notebooks is None


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("1 / 0", "it cannot be imported: ZeroDivisionError: division by zero"),
        ("raise SystemExit(3)", "it cannot be imported: SystemExit: 3"),
        ("import os; os._exit(3)", run.STOPPED),
        ("other = 1", "it defines none of the names that the module offers"),
        ("def recency(): ...", "it does not define K1, B, LAPSED, Weights"),
    ],
)
def test_what_cannot_take_the_place_is_told_why(source, told, tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(source, encoding="utf-8")
    found = course.rebuild("recall.score", file)
    assert found.fault.startswith(told)
    assert not found.lawful
    assert f"not yet - {told}" in str(found)


@pytest.mark.parametrize(
    ("mine", "told"),
    [
        ("nowhere.py", "there is no file 'nowhere.py'"),
        (__file__ + "x", "there is no file"),
        (3, "must be a path, a module, or a class"),
        ({"recency": (one for one in ())}, "cannot be handed to the checker"),
    ],
)
def test_what_is_no_module_is_refused(mine, told):
    with pytest.raises(InvalidInput, match=told):
        course.rebuild("recall.score", mine)


def test_a_file_that_is_no_python_is_refused(tmp_path):
    (tmp_path / "mine.py").write_text("def :", encoding="utf-8")
    with pytest.raises(InvalidInput, match=r"mine\.py is no Python"):
        course.rebuild("recall.score", tmp_path / "mine.py")


def test_a_module_that_cannot_be_rebuilt_is_refused_and_the_others_named():
    with pytest.raises(InvalidInput, match=r"'ids' cannot be rebuilt; these can: ledger\.canonical, "):
        course.rebuild("ids", Mine)


def test_a_module_made_by_hand_is_taken_by_its_names(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made = ModuleType("mine")
    exec("def is_over(memory, at):\n    return False", vars(made))
    found = course.rebuild("validity", made, part=True, laws_only=True)
    assert found.names == ("is_over",)
    assert [law.name for law in found.laws if law.seen] == ["what_is_over_has_lapsed"]
    assert list(tmp_path.iterdir()) == []  # nothing is left where one works


def test_a_module_on_which_the_kit_cannot_even_be_imported_is_told_so():
    found = course.rebuild("trust", {"clause": lambda: 1}, laws_only=True)
    assert found.fault.startswith("the kit cannot be imported on it: ")


def test_inside_of_a_rebuilt_kernel_the_laws_alone_are_asked(monkeypatch):
    """A notebook that rebuilds something is itself run on a rebuilt module, and must not begin again."""
    monkeypatch.setattr(sys, "meta_path", [boot.Rebuilding("teachmem.x", Path("x"), False), *sys.meta_path])
    before = len(journal.current().events())
    found = course.rebuild("recall.score", Mine, part=True)
    assert found.lawful
    assert found.notebooks is found.marks is None
    assert "not run: the laws alone were asked for" in str(found)
    assert len(journal.current().events()) == before


# ---- the wall --------------------------------------------------------------------------------------


def told(name, outcome, at="2026-03-02T09:00:00+00:00", **more):
    return {"event": "rebuild", "id": name, "outcome": outcome, "at": at, "segment": "09", **more}


def runs(events):
    return {brick.module: brick.runs for brick in wall.wall_of(events).bricks if brick.runs != show_wall.OURS}


def test_the_wall_names_every_module_that_can_be_rebuilt():
    assert [brick.module for brick in wall.wall_of([]).bricks] == list(contracts.MODULES)
    assert runs([]) == {}


def test_the_best_run_counts_and_of_two_alike_the_newer_one():
    full = told(
        "rules.trust", "yes", laws=[3, 3], notebooks=[9, 9], marks=[86, 86], names=["clause"], part=False
    )
    lawful = told("recall.score", "laws", laws=[7, 7], names=["recency"], part=True)
    broken = told(
        "rules.trust", "not yet", at="2026-04-01T09:00:00+00:00", laws=[2, 3], broken="only_the_live"
    )
    later = full | {"at": "2026-03-09T09:00:00+00:00"}
    assert runs([full, lawful, later, broken]) == {
        "rules.trust": show_wall.YOURS,
        "recall.score": show_wall.LAWFUL,
    }
    text = str(wall.wall_of([full, lawful, later, broken]))
    assert text.startswith("yours: 1 of 12 modules\n")
    assert re.search(
        r"rules\.trust +yours +2026-03-09  3 of 3 laws, 9 of 9 notebooks, 86 of 86 marks\n", text
    )
    assert re.search(r"recall\.score +yours, by its laws +2026-03-02  7 of 7 laws \(recency\)\n", text)
    only_broken = str(wall.wall_of([broken]))
    assert re.search(
        r"rules\.trust +the package's +2026-04-01  yours broke the law: only the live", only_broken
    )


def test_an_event_of_another_kind_or_of_strange_shape_is_no_brick():
    strange = told("rules.trust", "yes", laws="many", names=None)
    assert runs([strange, {"event": "check", "id": "rules.trust", "outcome": "yes"}]) == {
        "rules.trust": show_wall.YOURS
    }


def test_what_was_run_is_on_the_wall(monkeypatch, tmp_path):
    monkeypatch.setenv("TEACHMEM_HOME", str(tmp_path))
    monkeypatch.setenv("TEACHMEM_STATIC", "")
    said = []
    mine = {"is_over": lambda one, at: bool(one.valid_to) and micros(one.valid_to) <= at}
    found = course.rebuild("validity", mine, part=True, laws_only=True, tell=said.append)
    assert found.lawful, str(found)
    assert said == [f"✓ {law.holds}" for law in found.laws]
    brick = next(one for one in course.wall().bricks if one.module == "rules.validity")
    assert (brick.runs, brick.names, brick.passed) == (show_wall.LAWFUL, "is_over", "6 of 6 laws")
    kept = (tmp_path / "progress.jsonl").read_text(encoding="utf-8")
    assert found.digest in kept
    assert "valid_to" not in kept  # no code


# ---- the command line ------------------------------------------------------------------------------


def test_the_command_shows_the_wall_a_contract_and_a_report(tmp_path):
    runner = CliRunner()
    assert runner.invoke(cli.app, ["rebuild"]).output.startswith("yours: ")
    assert "recency(age_hours: float" in runner.invoke(cli.app, ["rebuild", "score"]).output
    file = tmp_path / "mine.py"
    file.write_text("def recency(age_hours, half_life_hours=24):\n    return 1.0\n", encoding="utf-8")
    answer = runner.invoke(cli.app, ["rebuild", "score", str(file), "--part", "--laws-only"])
    assert answer.exit_code == 1
    assert "✕ Recency is 0.5 ** (age / half-life): 1 for now" in answer.output
    assert "but" not in answer.output.splitlines()[0]
    with pytest.raises(InvalidInput, match="cannot be rebuilt"):
        runner.invoke(cli.app, ["rebuild", "nowhere"], catch_exceptions=False)


def test_a_contract_is_a_text():
    assert course.contract("trust").splitlines()[:3] == [
        "rules.trust: what takes its place offers",
        "  clause() -> ColumnElement[bool]",
        "and obeys",
    ]


def test_without_hypothesis_the_cure_is_named(monkeypatch):
    monkeypatch.delitem(sys.modules, "teachmem.course.rebuilding.laws_of_trust", raising=False)
    monkeypatch.setitem(sys.modules, "hypothesis", None)
    with pytest.raises(TeachmemError, match=r"the laws need hypothesis; install the extra teachmem\[core\]"):
        course.contract("trust")


# ---- the notebooks ---------------------------------------------------------------------------------


def test_outside_a_checkout_the_notebooks_are_said_not_to_be_run(monkeypatch):
    def nowhere():
        raise TeachmemError("the notebooks are not part of the installed package")

    monkeypatch.setattr(notebooks, "_folder", nowhere)
    (one,) = notebooks.run({}, {}, (), lambda line: None)
    assert one.unjudged.startswith("not run: the notebooks are not part")
    assert not one.seen


def test_a_notebook_that_differs_on_the_package_too_is_not_judged(monkeypatch):
    monkeypatch.setattr(notebooks, "unlike", lambda *given: "cell a shows 'x'")
    found = list(notebooks.run({}, {}, ("00", "2"), lambda line: None))
    assert [one.name[:2] for one in found] == ["00", "02"]
    assert all("on the package's own module, too" in one.unjudged for one in found)


def test_a_segment_that_there_is_not_is_refused():
    with pytest.raises(TeachmemError, match="no notebook of segment 77"):
        notebooks.files(("77",))


def test_the_foils_of_a_module_are_those_that_reach_into_it():
    assert notebooks._foils_of("teachmem.recall.fuse") == ["rrf_sixty"]
    assert "ascii_fingerprint" in notebooks._foils_of("teachmem.rules.tombstone")
    assert "read_before_it_was_understood" in notebooks._foils_of("teachmem.flow.consolidate")
    assert notebooks._foils_of("teachmem.rules.trust") == []


def test_a_cell_with_a_foil_of_the_module_may_differ_and_that_is_said(monkeypatch):
    path = notebooks.files(("06",))[0]
    raw = json.loads(path.read_text(encoding="utf-8"))
    (cell,) = (cell for cell in raw["cells"] if '"ascii_fingerprint"' in "".join(cell["source"]))
    cell["outputs"] = [{"output_type": "stream", "name": "stdout", "text": ["accepted"]}]
    monkeypatch.setattr(notebooks, "executed", lambda path, what: (raw, ""))
    said = []
    assert notebooks.unlike(path, {"module": "teachmem.rules.tombstone"}, {}, said.append) == ""
    assert [cell["id"] in line for line in said] == [True]
    assert notebooks.unlike(path, {"module": "teachmem.rules.trust"}, {}).startswith(f"cell {cell['id']} ")


def test_the_wall_is_drawn_floor_upon_floor_with_words_on_every_brick():
    whole = told("rules.trust", "yes", laws=[3, 3], notebooks=[9, 9], marks=[86, 86])
    lawful = told("recall.score", "laws", laws=[7, 7])
    picture = show.html(wall.wall_of([whole, lawful]))
    floors = re.findall(r"<th>(flow|recall|rules|ledger)</th>", picture)
    assert floors == ["flow", "recall", "rules", "ledger"]  # the ground lies below
    chips = dict(re.findall(r'<span class="([^"]+)">(\w+: [^<]+)</span>', picture)[::-1])
    assert {look: chips[look] for look in ("tm-chip tm-fill", "tm-chip tm-dotted")} == {
        "tm-chip tm-fill": "trust: yours, 2026-03-02",
        "tm-chip tm-dotted": "score: yours, by its laws, 2026-03-02",
    }
    assert picture.count("tm-chip") >= len(contracts.MODULES)
    assert len(show.table(wall.wall_of([whole]))) == len(contracts.MODULES)
