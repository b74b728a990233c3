"""The decks in a real browser, from a file and without network: every slide walked with the keyboard."""

import re
from dataclasses import dataclass
from typing import Any

import pytest
from browser import sample
from browser.window import watch

from teachmem.course import notebook
from teachmem.course.notebook import Notebook

import decks
from notebooks import FOLDER

LESSONS = [sample.notebook(), *(notebook.read(path) for path in sorted(FOLDER.glob("*.ipynb")))]
WORDS, SMALL, DRAWN = 28, 20, 19  # pixels: the least size of words, of code and views, in drawings

#: What is measured of the slide that is shown: its corners, and the size and place of every text on it.
MEASURE = """() => {
  const slide = Reveal.getCurrentSlide();
  const seen = element => !element.closest('aside, style, title, desc');
  const zoom = element => {
    let factor = 1;
    for (let at = element; at; at = at.parentElement) factor *= parseFloat(getComputedStyle(at).zoom) || 1;
    return factor;
  };
  const texts = [];
  const walker = document.createTreeWalker(slide, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode, element = text.parentElement;
    if (!text.data.trim() || !seen(element)) continue;
    const drawing = element.closest('svg'), turned = drawing && element.getScreenCTM();
    const factor = drawing ? Math.hypot(turned.a, turned.b) : zoom(element);
    const around = document.createRange();
    around.selectNodeContents(text);
    const box = around.getBoundingClientRect();
    texts.push({
      text: text.data.trim().slice(0, 40),
      size: parseFloat(getComputedStyle(element).fontSize) * factor,
      drawn: !!drawing,
      words: !!element.closest('.words, .place') && !element.closest('code, pre'),
      right: box.right, bottom: box.bottom, left: box.left, top: box.top,
    });
  }
  const boxes = [...slide.querySelectorAll('*')].filter(seen).map(element => element.getBoundingClientRect());
  return {
    texts,
    right: Math.max(...boxes.map(box => box.right)),
    bottom: Math.max(...boxes.map(box => box.bottom)),
    scroll: [slide.scrollWidth, slide.scrollHeight],
    notes: slide.querySelectorAll('aside.notes').length,
    seconds: Number(slide.dataset.timing),
    shown: slide.innerText,
  };
}"""


@dataclass
class Walk:
    """A deck that was walked from the first slide to the last."""

    lesson: Notebook
    window: Any
    slides: list[dict[str, Any]]
    uri: str


@pytest.fixture(scope="module", params=LESSONS, ids=lambda lesson: lesson.name.removesuffix(".ipynb"))
def walk(request, browser, pictures, tmp_path_factory):
    lesson = request.param
    path = tmp_path_factory.mktemp("deck") / "deck.html"
    path.write_text(decks.deck(lesson), encoding="utf-8")
    window = watch(browser, decks.WIDTH, decks.HEIGHT)
    window.context.set_offline(True)
    page = window.page
    page.goto(path.as_uri())
    page.wait_for_selector(".reveal.ready")
    slides = []
    for number in range(200):
        while page.evaluate("Reveal.availableFragments().next"):
            page.keyboard.press("ArrowRight")
        slides.append(page.evaluate(MEASURE))
        page.screenshot(path=pictures / f"{lesson.name}-{number:02d}.png")
        if page.evaluate("Reveal.isLastSlide()"):
            break
        page.keyboard.press("ArrowRight")
    yield Walk(lesson, window, slides, path.as_uri())
    window.context.close()


def test_the_keyboard_reaches_every_slide(walk, pictures):
    assert len(walk.slides) == walk.window.page.evaluate("Reveal.getTotalSlides()")
    assert all(slide["shown"].strip() for slide in walk.slides)


def test_nothing_is_fetched_and_nothing_complains(walk, pictures):
    assert walk.window.outside == []
    assert {url.partition(":")[0] for url in walk.window.asked} <= {"file", "data"}
    assert sum(url.startswith("file:") for url in walk.window.asked) == 1  # the deck itself, and no other
    assert walk.window.complaints == []


def test_nothing_leaves_a_slide(walk, pictures):
    for number, slide in enumerate(walk.slides, start=1):
        assert slide["scroll"] == [decks.WIDTH, decks.HEIGHT], number
        assert slide["right"] <= decks.WIDTH + 0.5, number
        assert slide["bottom"] <= decks.HEIGHT + 0.5, number
        outside = [
            said["text"]
            for said in slide["texts"]
            if said["right"] > decks.WIDTH
            or said["bottom"] > decks.HEIGHT
            or min(said["left"], said["top"]) < 0
        ]
        assert not outside, number


def test_the_last_row_can_read_it(walk, pictures):
    small = {
        (number, said["text"], said["size"])
        for number, slide in enumerate(walk.slides, start=1)
        for said in slide["texts"]
        if said["size"] < (WORDS if said["words"] else DRAWN if said["drawn"] else SMALL) - 0.1
    }
    assert not small


def test_the_speaker_has_notes_and_a_clock(walk, pictures):
    assert sum(slide["notes"] for slide in walk.slides) == len(walk.lesson.of("speaker"))
    minutes = sum(cell.minutes for cell in walk.lesson.cells)
    assert sum(slide["seconds"] for slide in walk.slides) == pytest.approx(60 * minutes)


def test_exercises_are_there_and_nothing_that_solves_them(walk, pictures):
    shown = "\n".join(slide["shown"] for slide in walk.slides)
    for cell in walk.lesson.of("exercise"):
        if cell.is_code:
            assert cell.source not in shown
        else:
            assert re.sub(r"[#*`]", "", cell.source.splitlines()[0]).strip() in shown
    for cell in walk.lesson.of("hint"):
        for _, text in cell.shown():
            assert text.strip() not in shown
    for said in ("not tried yet", "not answered yet", "live widget", sample.SECRET):
        assert said not in shown, said
    assert not re.search(r"lesson\.(?:predict|reveal|check|hint|review)\(", shown)


def test_it_prints_one_page_a_slide(walk, pictures):
    page = walk.window.context.new_page()
    page.goto(walk.uri + "?print-pdf")
    page.wait_for_selector(".reveal.ready")
    page.wait_for_function("document.querySelectorAll('.pdf-page').length > 0")
    assert page.locator(".pdf-page").count() == len(walk.slides)
    printed = page.pdf(prefer_css_page_size=True, print_background=True)
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) == len(walk.slides)
    page.close()


def test_the_speaker_view_opens_from_a_file(walk, pictures):
    page = walk.window.context.new_page()
    page.goto(walk.uri)
    page.wait_for_selector(".reveal.ready")
    with walk.window.context.expect_page() as opened:
        page.keyboard.press("s")
    said = walk.lesson.of("speaker")[0].source.split("**")[2].split()[0]
    notes = opened.value.locator(".speaker-controls-notes .value")
    notes.get_by_text(said).first.wait_for(timeout=10_000)
    opened.value.close()
    page.close()
    assert walk.window.outside == []


def test_one_key_turns_the_paper_dark(walk, pictures):
    page = walk.window.page
    page.keyboard.press("Home")
    colours = """['.words', 'body'].map(name => getComputedStyle(document.querySelector(name)))
        .map((style, place) => place ? style.backgroundColor : style.color)"""
    light = page.evaluate(colours)
    page.keyboard.press("d")
    dark = page.evaluate(colours)
    assert light == ["rgb(27, 27, 27)", "rgb(255, 255, 255)"]
    assert dark == ["rgb(242, 242, 242)", "rgb(27, 27, 27)"]
    page.screenshot(path=pictures / f"{walk.lesson.name}-dark.png")
    page.keyboard.press("d")
    assert page.evaluate(colours) == light
