"""The notebooks in JupyterLab, as a student meets them: run, predict, move a slider, solve an exercise."""

import copy
import importlib
import json
import re

import pytest
from browser.lab import OpenNotebook, serving
from browser.window import watch
from playwright.sync_api import expect

from teachmem.course import notebook
from teachmem.marks.attacks import attacks
from teachmem.show import explore_chain

from notebooks import FOLDER

LESSONS = [notebook.read(path) for path in sorted(FOLDER.glob("*.ipynb"))]
RED = (
    '.jp-OutputArea-output[data-mime-type="application/vnd.jupyter.stderr"], '
    '.jp-OutputArea-output[data-mime-type="application/vnd.jupyter.error"]'
)


@pytest.fixture(scope="module")
def server(browser, tmp_path_factory):
    """One JupyterLab for all notebooks, over copies without outputs: what is seen was made here."""
    root = tmp_path_factory.mktemp("notebooks")
    for lesson in LESSONS:
        bare = copy.deepcopy(dict(lesson.raw))
        for cell in bare["cells"]:
            if cell["cell_type"] == "code":
                cell |= {"outputs": [], "execution_count": None}
        (root / lesson.name).write_text(json.dumps(bare), encoding="utf-8")
    with serving(root, tmp_path_factory.mktemp("home")) as running:
        yield running


@pytest.fixture(scope="module", params=LESSONS, ids=lambda lesson: lesson.segment)
def opened(request, browser, server, pictures):
    """A notebook that has been run from top to bottom, and its lesson."""
    lesson = request.param
    watched = watch(browser, 1400, 1000)
    page = OpenNotebook.open(watched, server.url(lesson.name), tuple(cell.name for cell in lesson.cells))
    page.run_all()
    watched.picture(pictures / f"{lesson.segment}-run.png")
    yield page, lesson
    watched.picture(pictures / f"{lesson.segment}-solved.png")
    watched.context.close()
    server.stop_kernels()


def cells_that_call(lesson, text):
    return [cell for cell in lesson.cells if cell.is_code and re.search(text, cell.source)]


def test_it_runs_from_top_to_bottom_without_red(opened, pictures):
    page, lesson = opened
    code = [cell.name for cell in lesson.cells if cell.is_code]
    prompts = [page.cell(name).locator(".jp-InputPrompt").inner_text() for name in code]
    assert prompts == [f"[{number}]:" for number in range(1, len(code) + 1)]
    red = page.page.locator(RED)
    assert red.count() == 0, red.all_inner_texts()


def test_a_slider_moves_the_picture_and_its_text(opened, pictures):
    page, lesson = opened
    live = cells_that_call(lesson, r"\blive\.\w+\(")
    if not live:
        assert page.page.locator(".jupyter-widgets").count() == 0
        return
    for cell in live:
        shown = page.cell(cell.name)
        handles = shown.locator(".widget-slider .noUi-handle, .jupyter-widget-slider .noUi-handle")
        assert handles.count() >= 1
        _, picture, text = (shown.locator(".widget-html").nth(place) for place in range(3))
        for place in range(handles.count()):
            before = picture.inner_html(), text.inner_text()
            handle = handles.nth(place)
            at_end = handle.get_attribute("aria-valuenow") == handle.get_attribute("aria-valuemax")
            handle.focus()
            for _ in range(4):
                page.page.keyboard.press("ArrowLeft" if at_end else "ArrowRight")
            page.page.wait_for_function(  # the two arrive one after the other
                "([picture, html, text, words]) => picture.innerHTML !== html && text.innerText !== words",
                arg=[picture.element_handle(), before[0], text.element_handle(), before[1]],
                timeout=10_000,
            )
        assert page.page.locator(RED).count() == 0


VIEWING = [lesson for lesson in LESSONS if cells_that_call(lesson, r"live\.chain_viewer\(")]


@pytest.mark.parametrize("opened", VIEWING, ids=lambda lesson: lesson.segment, indirect=True)
def test_the_chain_viewer_says_of_each_attack_what_a_verification_says(opened, pictures):
    page, lesson = opened
    shown = page.cell(cells_that_call(lesson, r"live\.chain_viewer\(")[0].name)
    attack, place = (shown.locator(".noUi-handle").nth(number) for number in range(2))
    named = shown.locator(".widget-readout").nth(0)
    picture, text = (shown.locator(".widget-html").nth(number) for number in (1, 2))
    for handle in (attack, place):
        handle.focus()
        page.page.keyboard.press("Home")
    expect(text).to_contain_text("The store is as it was.")
    place.focus()
    page.page.keyboard.press("ArrowRight")  # some attacks cannot be made at the first entry
    attack.focus()
    for name, owed in attacks().items():
        if owed.restores:
            continue
        page.page.keyboard.press("ArrowRight")
        expect(named).to_have_text(name.replace("_", " "))
        expect(text).to_contain_text(owed.done)
        for way, verdict in zip(explore_chain.WAYS, (owed.alone, owed.held, owed.deep), strict=True):
            expect(text).to_contain_text(re.compile(rf"{way} +{verdict}"))
            expect(picture).to_contain_text(f"{way}: {verdict}")
    page.window.picture(pictures / f"{lesson.segment}-chain.png")
    place.focus()
    page.page.keyboard.press("End")  # the last attack is one on a vector, and the checkpoint has none
    expect(picture).to_contain_text("wrote nothing that this could change")
    attack.focus()
    page.page.keyboard.press("Home")
    expect(text).to_contain_text("The store is as it was.")
    assert page.page.locator(RED).count() == 0


def test_a_prediction_is_kept_and_told(opened, pictures):
    page, lesson = opened
    asked = lesson.of("predict")
    assert asked
    cell = asked[0]
    number = re.search(r'"(\d\.[a-z])"', cell.source)[1]
    assert f"{number}: not answered yet" in page.shown(cell.name)
    answered = cell.source.replace("..., ...", '"b", "sure"').replace("guess = ...", 'guess = "b"')
    page.write_and_run(cell.name, answered)
    assert f"{number}: kept" in page.shown(cell.name)
    told = next(other for other in lesson.cells if f'lesson.reveal("{number}")' in other.source)
    page.run(told.name)
    assert re.search(rf"^{re.escape(number)}: (?:right|you said)", page.shown(told.name), flags=re.MULTILINE)


def test_the_model_solutions_pass_their_checks(opened, pictures):
    page, lesson = opened
    solutions = importlib.import_module(f"solutions.s{lesson.segment}").SOLUTIONS
    assert solutions
    for exercise, entry in solutions.items():
        check = next(cell for cell in lesson.of("check") if f'"{exercise}"' in cell.source)
        page.run(check.name)
        assert page.shown(check.name).startswith(f"{exercise}: not tried yet")
        page.write_and_run(entry.cell, entry.model.rstrip())
        page.run(check.name)
        assert page.shown(check.name).startswith(f"{exercise}: yes")
    assert page.page.locator(RED).count() == 0


def test_nothing_was_asked_of_any_other_machine(opened, pictures):
    page, _ = opened
    assert page.window.outside == []
    assert any("/api/kernels" in url for url in page.window.asked)


def test_the_students_copy_is_what_changed(opened):
    """The course's own notebooks are as they were."""
    _, lesson = opened
    assert json.loads((FOLDER / lesson.name).read_text(encoding="utf-8")) == lesson.raw
