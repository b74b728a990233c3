"""A live notebook page and a deck that show what an attacker wrote: nothing runs, nothing is rewritten."""

import json

import pytest
from browser import sample
from browser.lab import OpenNotebook, serving
from browser.window import watch
from helpers import opened

from teachmem import show
from teachmem.course.notebook import Notebook

import decks

MONEY = "it costs $5 or $6 a day"  # what stands between the signs, a typesetter takes for a formula
ATTACK = (
    "<script>attacked()</script><img src=x onerror=attacked()><svg onload=attacked()></svg>"
    "\" autofocus onfocus=\"attacked()\" '><iframe srcdoc='<script>parent.attacked()</script>'></iframe>"
    "</style></pre></option></textarea></title><a href=javascript:attacked()>click</a> "
    f"$\\href{{javascript:attacked()}}{{click}}$ [click](javascript:attacked()) {MONEY}"
)
CELLS = {
    "views": f"""
import teachmem
from teachmem import show
from teachmem.show import live
words = {ATTACK!r}
name = words[:190]
mem = teachmem.open_memory()
tech = mem.agent(name, fleet=name, tenant=name)
for number in range(3):
    tech.semantic.remember(f"{{number}} {{words}}")
    tech.episodic.log("observation", f"{{number}} {{words}}", f"{{number}} {{name}}"[:190])
tech.working.write(name, "observed", name, words, rewrites={{"shortened": f"short {{words}}"}})
tech.graph.link(name, "contains", f"part {{name}}"[:190])
for thing in (tech.episodic.recall(words), tech.working.context(words), tech.episodic.recent(3), tech):
    show.show(thing)
show.graph(tech, name)
""",
    "money": f"""
dock = mem.agent("dock-1", fleet="dock", tenant="northlight")
dock.episodic.log("observation", {MONEY!r})
show.show(dock.episodic.recall("costs"))
""",
    "frame": "show.table(dock.episodic.recent(1))",
    "more": "tech.episodic.recall(words).frame()",
    "packer": "live.budget_packer(tech, words)",
    "graph": "live.graph_explorer(tech, name)",
    "board": "live.lifecycle_board(tech)",
    "scope": "live.scope_matrix([tech], ['fact-1'])",
    "words": "words",
    "last": "print(words)",
}
WATCHING = "window.attacked = () => (window.top.hits = (window.top.hits || 0) + 1)"
MADE = "img[src=x], iframe, object, svg[onload], [onfocus], [onerror], a[href^='javascript'], mjx-container"


@pytest.fixture(scope="module")
def page(browser, pictures, tmp_path_factory):
    root = tmp_path_factory.mktemp("hostile")
    cells = [sample.code_cell(name, "", source) | {"execution_count": None} for name, source in CELLS.items()]
    lesson = {"cells": cells, "nbformat": 4, "nbformat_minor": 5}
    lesson["metadata"] = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    (root / "99-hostile.ipynb").write_text(json.dumps(lesson), encoding="utf-8")
    with serving(root, tmp_path_factory.mktemp("home")) as server:
        window = watch(browser, 1400, 1000)
        window.page.add_init_script(WATCHING)
        notebook = OpenNotebook.open(window, server.url("99-hostile.ipynb"), tuple(CELLS))
        notebook.run_all()
        window.page.wait_for_timeout(500)  # what would run, runs at once
        yield notebook
        window.picture(pictures / "hostile.png")
        window.context.close()


def test_a_notebook_page_runs_nothing_of_what_it_shows(page, pictures):
    for name in CELLS:
        assert page.cell(name).locator(".jp-Cell-outputWrapper").locator(MADE).count() == 0, name
    assert "<script>attacked()</script>" in page.shown("views"), "the attack is shown"
    for name in ("packer", "graph", "board", "scope"):
        assert page.cell(name).locator(".widget-html").count() == 3, name
    thing = page.cell("graph").locator("datalist option").first
    assert "<script>attacked()" in thing.get_attribute("value"), "the choices are text, too"
    assert page.page.evaluate("window.hits || 0") == 0


def test_a_notebook_page_shows_words_as_they_were_written(page, pictures):
    assert MONEY in page.shown("money")
    assert MONEY in page.shown("frame")


def test_a_deck_runs_nothing_of_what_it_shows(browser, pictures, tmp_path):
    with opened() as mem:
        tech = mem.agent(ATTACK[:190], fleet=ATTACK[:190], tenant=ATTACK[:190])
        for number in range(3):
            tech.episodic.log("observation", f"{number} {ATTACK}")
        found = tech.episodic.recall(ATTACK)
        view = sample.displayed(text_html=show.html(found), text_plain=show.text(found))
        plain = sample.displayed(text_plain=ATTACK)
        asked = f"2.a  Which? \\{ATTACK}\n  a) `{ATTACK}`\n  b) \\\\{ATTACK}"
        failed = sample.FAILS | {"evalue": ATTACK}
        cells = [
            sample.words_cell("title", "title", "# A title"),
            sample.code_cell("views", "code", "show(found)", view, starts="slide"),
            sample.code_cell("plain", "code", "found", plain, starts="slide"),
            sample.code_cell("printed", "code", "print(found)", sample.printed(ATTACK), starts="slide"),
            sample.code_cell("failed", "code", "found()", failed, starts="slide"),
            sample.code_cell(
                "asked", "predict", "lesson.predict('2.a')", sample.printed(asked), starts="slide"
            ),
        ]
    path = tmp_path / "deck.html"
    path.write_text(decks.deck(Notebook("02-x.ipynb", {"cells": cells})), encoding="utf-8")
    window = watch(browser, decks.WIDTH, decks.HEIGHT)
    window.context.set_offline(True)
    window.page.add_init_script(WATCHING)
    window.page.goto(path.as_uri())
    window.page.wait_for_selector(".reveal.ready")
    window.page.wait_for_timeout(500)
    slides = window.page.locator(".reveal .slides")
    assert slides.locator(MADE).count() == 0
    assert slides.inner_html().count("&lt;script&gt;attacked()") > 5, "the attack is shown"
    assert window.page.evaluate("window.hits || 0") == 0
    window.picture(pictures / "hostile-deck.png")
    window.context.close()
