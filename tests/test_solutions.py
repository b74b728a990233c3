"""Checks are tested like code: right answers pass, each wrong one gets its own card, `...` is not tried.

`tests/solutions/sNN.py` holds the sources. Each is checked twice: alone, and injected by cell id into
the notebook, where the model solutions run with the whole notebook and every other source with its own
cells only. There is no second tree of solved notebooks.
"""

import copy
import importlib
import re
from pathlib import Path

import nbformat
import pytest
from solutions.entry import Entry

from teachmem import course
from teachmem.course import checker, segments, words

from notebooks import FOLDER, prepare_kernels

NUMBERS = segments.numbers()
SOLUTIONS: dict[str, dict[str, Entry]] = {
    number: importlib.import_module(f"solutions.s{number}").SOLUTIONS for number in NUMBERS
}
ENTRIES = [(number, exercise, entry) for number in NUMBERS for exercise, entry in SOLUTIONS[number].items()]
VARIANTS = [
    pytest.param(number, exercise, entry, source, card, id=f"{exercise}-{place}")
    for number, exercise, entry in ENTRIES
    for place, (source, card) in enumerate(entry.variants())
]


@pytest.fixture(scope="module")
def lessons():
    """Every lesson, opened once: laws and answers change nothing in it."""
    opened = {number: course.open_lesson(number) for number in NUMBERS}
    yield opened
    for lesson in opened.values():
        lesson.close()
    checker.shared().close()


# What must be there


@pytest.mark.parametrize("number", NUMBERS)
def test_every_exercise_has_its_solutions(number):
    assert set(SOLUTIONS[number]) == {exercise.id for exercise in segments.find(number).exercises}


@pytest.mark.parametrize(("number", "exercise", "entry"), ENTRIES)
def test_there_is_another_right_answer_and_three_wrong_ones_with_every_card(number, exercise, entry):
    cards = [wrong.name for wrong in segments.find(number).exercise(exercise).misconceptions]
    assert entry.accepted
    assert len(entry.wrong) >= 3
    assert set(entry.wrong) == set(cards)
    assert len(cards) == len(set(cards))
    sources = [source.strip() for source, _ in entry.variants()]
    assert len(set(sources)) == len(sources)


@pytest.mark.parametrize("number", NUMBERS)
def test_predictions_cannot_be_guessed_from_their_form(number):
    """The right choice is not always the same letter, and not always the longest."""
    asked = [one for one in segments.find(number).predictions if one.choices]
    for one in asked:
        assert len(one.choices) >= 2
        assert list(one.choices) == sorted(one.choices)
    if len(asked) >= 3:
        assert len({one.right for one in asked}) > 1
        longest = [max(one.choices, key=lambda key: len(one.choices[key])) for one in asked]
        assert any(one.right != key for one, key in zip(asked, longest, strict=True))


@pytest.mark.parametrize(("number", "exercise", "entry"), ENTRIES)
def test_hints_ask_and_hold_no_solution(number, exercise, entry):
    lines = {line.strip() for line in entry.model.splitlines() if len(line.strip()) > 12}
    for hint in segments.find(number).exercise(exercise).hints:
        assert hint.endswith("?")
        assert not any(line in hint for line in lines)


# Alone


@pytest.mark.parametrize(("number", "exercise", "entry", "source", "card"), VARIANTS)
def test_a_source_is_told_what_it_must_be_told(lessons, number, exercise, entry, source, card):
    lesson = lessons[number]
    space = {"__name__": "__main__", "lesson": lesson, "mem": lesson.memory, "tech": lesson.tech}
    exec(entry.given, space)
    exec(source, space)
    verdict = lesson.verdict(exercise, space[entry.answer])
    assert (verdict.outcome, verdict.misconception) == ("not yet" if card else "yes", card or ""), verdict
    assert lesson.verdict(exercise, space[entry.answer]) == verdict  # the same every time


@pytest.mark.parametrize(("number", "exercise", "entry"), ENTRIES)
def test_odd_answers_are_told_something_and_raise_nothing(lessons, number, exercise, entry):
    assert lessons[number].verdict(exercise, ...).outcome == "untried"
    for answer in (None, 0, "text", [], {}, object(), print, Entry, lambda: 1, lambda *a, **k: [None]):
        verdict = lessons[number].verdict(exercise, answer)
        assert verdict.outcome == "not yet", (answer, verdict)
        assert verdict.text


# In the notebook


def notebook_of(number: str, folder: Path = FOLDER) -> Path | None:
    return next(iter(sorted(folder.glob(f"{number}-*.ipynb"))), None)


def cell_of(notebook, cell_id: str):
    found = [cell for cell in notebook.cells if cell.get("id") == cell_id]
    assert len(found) == 1, f"{len(found)} cells have the id {cell_id!r}"
    return found[0]


def check_of(notebook, exercise: str):
    call = re.compile(rf"""\.check\(\s*["']{re.escape(exercise)}["']""")
    found = [cell for cell in notebook.cells if cell.cell_type == "code" and call.search(cell.source)]
    assert len(found) == 1, f"{len(found)} cells check {exercise}"
    return found[0]


def printed(cell) -> str:
    return "".join("".join(out.text) for out in cell.outputs if out.get("name") == "stdout")


def run(notebook, folder: Path) -> None:
    from nbclient import NotebookClient

    settings = {"kernel_name": "python3", "timeout": 120, "store_widget_state": False}
    NotebookClient(notebook, resources={"metadata": {"path": str(folder)}}, **settings).execute()


def solved(path: Path, entries: dict[str, Entry]):
    """Return the notebook with every model solution in its cell, executed."""
    notebook = nbformat.read(path, as_version=4)
    for entry in entries.values():
        cell_of(notebook, entry.cell).source = entry.model
    run(notebook, path.parent)
    return notebook


def tried(path: Path, entries: dict[str, Entry]):
    """Return, for every other source, what the notebook's own check cell prints of it.

    One kernel serves them all: the setup cells, then the placeholder, each source and its check in turn.
    """
    notebook = nbformat.read(path, as_version=4)
    chosen = [
        cell
        for cell in notebook.cells
        if cell.cell_type == "code" and "setup" in cell.metadata.get("tags", ())
    ]
    expected = []
    for exercise, entry in entries.items():
        chosen += [cell_of(notebook, needed) for needed in entry.needs]
        sources = [(cell_of(notebook, entry.cell).source, "...")]
        sources += [pair for pair in entry.variants() if pair[0] != entry.model]
        for source, card in sources:
            check = copy.deepcopy(check_of(notebook, exercise))
            chosen += [nbformat.v4.new_code_cell(source), check]
            expected.append((exercise, card, check))
    notebook.cells = chosen
    for place, cell in enumerate(notebook.cells):
        cell["id"] = f"cell-{place}"
    run(notebook, path.parent)
    return [(exercise, card, printed(cell)) for exercise, card, cell in expected]


def told_rightly(exercise: str, card: str | None, text: str) -> bool:
    if card is None:
        return text.startswith(f"{exercise}: yes - ")
    if card == "...":
        return text.startswith(words.NOT_TRIED.format(id=exercise))
    named = words.MISCONCEPTION.split("{card}")[0].format(name=card)
    return text.startswith(f"{exercise}: not yet - ") and f"\n{named}" in text


@pytest.fixture(scope="module", autouse=True)
def kernels(tmp_path_factory):
    prepare_kernels(tmp_path_factory.mktemp("kernels"))


def need(number: str) -> Path:
    path = notebook_of(number)
    if path is None:
        pytest.skip(f"notebooks/ has no {number}-*.ipynb yet")
    return path


@pytest.mark.parametrize("number", NUMBERS)
def test_the_solved_notebook_runs_and_every_check_says_yes(number):
    notebook = solved(need(number), SOLUTIONS[number])
    for exercise in SOLUTIONS[number]:
        assert told_rightly(exercise, None, printed(check_of(notebook, exercise)))


@pytest.mark.parametrize("number", NUMBERS)
def test_in_the_notebook_every_other_source_is_told_the_same(number):
    told = tried(need(number), SOLUTIONS[number])
    assert [one for one in told if not told_rightly(*one)] == []
    assert len(told) == sum(
        1 + len(entry.accepted) + len(entry.wrong) for entry in SOLUTIONS[number].values()
    )


# The harness itself, on a notebook of its own


@pytest.fixture
def small(tmp_path):
    """Write a notebook of two exercises in the grammar of the course."""
    cell = nbformat.v4.new_code_cell
    opening = f"""\
import sys

sys.path.insert(0, {str(Path(__file__).parent)!r})
import sample_segment
from teachmem import course

lesson = course.open_lesson(sample_segment.SEGMENT)"""
    notebook = nbformat.v4.new_notebook(
        cells=[
            cell(opening, id="setup", metadata={"tags": ["setup"]}),
            cell("factor = 2", id="build"),
            cell("double = ...", id="exercise-77-1"),
            cell('lesson.check("77.1", double)', id="check-77-1"),
        ]
    )
    path = tmp_path / "77-sample.ipynb"
    nbformat.write(notebook, path)
    return path


ENTRY = Entry(
    cell="exercise-77-1",
    answer="double",
    needs=("build",),
    model="def double(n): return factor * n",
    accepted=("double = lambda n: n + n",),
    wrong={"twice is squared": "double = lambda n: n * n", "anything goes": "double = lambda n: 7"},
)


def test_the_harness_tells_right_from_wrong(small):
    told = tried(small, {"77.1": ENTRY})
    assert len(told) == 4
    assert all(told_rightly(*one) for one in told)
    for exercise, card, text in told:
        for other in {None, "...", *ENTRY.wrong} - {card}:
            assert not told_rightly(exercise, other, text)
    assert told_rightly("77.1", None, printed(check_of(solved(small, {"77.1": ENTRY}), "77.1")))


def test_the_harness_notices_a_model_that_is_wrong_and_a_cell_that_is_not_there(small):
    wrong = Entry(cell=ENTRY.cell, answer="double", model="double = 3", accepted=(), wrong={})
    assert not told_rightly("77.1", None, printed(check_of(solved(small, {"77.1": wrong}), "77.1")))
    lost = Entry(cell="exercise-9", answer="double", model="double = 3", accepted=(), wrong={})
    with pytest.raises(AssertionError, match="0 cells have the id 'exercise-9'"):
        solved(small, {"77.1": lost})
