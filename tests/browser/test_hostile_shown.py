"""Hostile words in a real browser: in every view, on a page, in an output and on a slide, nothing runs."""

import copy
import json
from contextlib import suppress

import pytest
from browser import sample
from browser.window import watch
from helpers import opened
from torture.hostile import OBEYED

from teachmem import TeachmemError, show
from teachmem.course import notebook
from teachmem.ledger.chain import Finding
from teachmem.ledger.report import AuditReport, AuditStatus
from teachmem.show import explore_board, explore_inbox

import decks

WORDS = " ".join(text for text in OBEYED if text.isprintable()) + "\n\x1b[31m\u202e\u200b"


def things():
    """Return one of each object whose words a writer chooses, all of them hostile."""
    with opened() as mem:
        tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
        lead = mem.person("shift-lead", fleet="dock", tenant="northlight")
        for number, text in enumerate(OBEYED):
            for write in (
                lambda text=text, number=number: tech.working.write(
                    "arm", "observed", f"{number}", text, rewrites={"shortened": text}
                ),
                lambda text=text: tech.episodic.log("observation", text),
                lambda text=text: tech.semantic.remember(text),
                lambda text=text: tech.semantic.remember(f"a page: {text}", source="web"),
                lambda text=text: tech.graph.link(text, "related_to", "dock"),
            ):
                with suppress(TeachmemError):  # some texts are refused
                    write()
        found = tech.episodic.recall(WORDS, k=9)
        finding = Finding("northlight", 3, WORDS)
        every = [
            tech.semantic.list(limit=50),
            tech.working.read(limit=50),
            tech.episodic.recent(50),
            tech.working.context("script", budget=900),
            found,
            found.why_not(tech.episodic.recent(1)[0].memory_id),
            tech.semantic.search(WORDS, k=9),
            tech.graph.edges()[:5],
            show.Neighbourhood(tuple(tech.graph.edges()), OBEYED[0], "all of it"),
            show.Rewrite(WORDS, f"{WORDS} and more {OBEYED[1]}"),
            AuditReport(AuditStatus.BROKEN, 24, "ab" * 32, (finding,), (WORDS,)),
            tech.ask(WORDS),
        ]
        every += [tech, explore_inbox.gather(lead), explore_board.gather(tech, "person", "archived")]
        return [show.html(thing) for thing in every]


@pytest.fixture(scope="module")
def hostile():
    return things()


def ran(window) -> list[object]:
    """Wait for what would run late, and return what did."""
    window.page.wait_for_timeout(500)
    left = [frame.evaluate("window.struck") for frame in window.page.frames]
    return [one for one in left if one is not None]


def test_the_trap_snaps(browser):
    """The same words unescaped do run, or nothing here would show anything."""
    window = watch(browser, 800, 600)
    window.page.set_content(f"<body>{OBEYED[1]}{OBEYED[0]}</body>")
    assert ran(window)
    window.context.close()


def test_nothing_runs_in_any_view(browser, hostile, pictures):
    window = watch(browser, 1200, 900)
    opened_dialogs = []
    window.page.on("dialog", lambda dialog: (opened_dialogs.append(dialog.message), dialog.dismiss()))
    window.page.set_content("<!doctype html><body>" + "\n".join(hostile) + "</body>")
    window.page.screenshot(path=pictures / "hostile.png", full_page=False)
    assert ran(window) == []
    # As a notebook puts an output into its page.
    window.page.set_content("<!doctype html><body><div id=a></div></body>")
    window.page.evaluate("html => { document.getElementById('a').innerHTML = html }", "\n".join(hostile))
    assert ran(window) == []
    assert opened_dialogs == window.outside == []
    assert not [url for url in window.asked if url.startswith("http")]
    window.context.close()


def test_nothing_runs_on_a_slide(browser, hostile, tmp_path):
    raw = copy.deepcopy(dict(sample.notebook().raw))
    code = next(cell for cell in raw["cells"] if cell["cell_type"] == "code")
    code["outputs"] = [
        *(sample.displayed(text_html=html) for html in hostile[:6]),
        sample.printed(
            "\n".join(text for text in OBEYED if "\ud800" <= text[:1] < "\ue000" or text.isprintable())
        ),
    ]
    path = tmp_path / "02-hostile.ipynb"
    path.write_text(json.dumps(raw), encoding="utf-8")
    deck = tmp_path / "deck.html"
    deck.write_text(decks.deck(notebook.read(path)), encoding="utf-8")
    window = watch(browser, decks.WIDTH, decks.HEIGHT)
    window.context.set_offline(True)
    window.page.goto(deck.as_uri())
    window.page.wait_for_selector(".reveal.ready")
    for _ in range(30):
        window.page.keyboard.press("ArrowRight")
    assert ran(window) == []
    assert window.outside == []
    window.context.close()
