"""A student's own module in the place of the package's: laws, notebooks, what is said, nothing left."""

from __future__ import annotations

from types import ModuleType

import pytest
import rebuilt

from teachmem import course
from teachmem.course import journal
from teachmem.course.rebuilding import run
from teachmem.errors import InvalidInput
from teachmem.recall import score

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
    assert found.passed
    assert str(found).startswith("recall.score, rebuilt in Mine (recency; the rest is the package's): yes")
    assert found.names == ("recency",)
    assert score.recency is OURS
    assert journal.current().events()[-1]["id"] == "recall.score"


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


def test_a_module_made_by_hand_is_taken_by_its_names():
    made = ModuleType("mine")
    exec("def is_over(memory, at):\n    return False", vars(made))
    found = course.rebuild("validity", made, part=True, laws_only=True)
    assert found.names == ("is_over",)
    assert [law.name for law in found.laws if law.seen] == ["what_is_over_has_lapsed"]


def test_a_module_on_which_the_kit_cannot_even_be_imported_is_told_so():
    found = course.rebuild("trust", {"clause": lambda: 1}, laws_only=True)
    assert found.fault.startswith("the kit cannot be imported on it: ")
