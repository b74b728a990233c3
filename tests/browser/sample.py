"""A small executed notebook that holds one of everything a deck has to deal with."""

import base64
import struct
import zlib
from datetime import UTC, datetime
from typing import Any

import teachmem
from teachmem.clock import LessonClock
from teachmem.course import words
from teachmem.course.notebook import Notebook
from teachmem.ids import CountedIds
from teachmem.show import display, live

LONG_FUNCTION = "def long():\n" + "\n".join(f"    step_{number} = {number}" for number in range(30))
TWO_PARTS = (
    "def first():\n" + "    pass\n" * 11 + "\n\ndef second():\n" + "    pass\n" * 8 + "\n\nfirst()\nsecond()"
)
WHY = "Why? " * 40
PARAGRAPHS = ["A paragraph of words. " * 12] * 6
FAILS = {"output_type": "error", "ename": "MemoryRefused", "evalue": "no", "traceback": []}
FORMULA = "score = 0.4 * recency"
NOT_TRIED = words.NOT_TRIED.format(id="2.1") + "\n"
STATIC = live.STATIC_LINE + "\n"
SECRET = "the solution that no slide may show"


def words_cell(
    name: str, part: str, source: str, starts: str = "slide", minutes: float = 1
) -> dict[str, Any]:
    return {
        "cell_type": "markdown",
        "id": name,
        "metadata": {"tags": [part], "minutes": minutes, "slideshow": {"slide_type": starts}},
        "source": source,
    }


def code_cell(
    name: str, part: str, source: str, *outputs: dict[str, Any], starts: str = "fragment", minutes: float = 1
) -> dict[str, Any]:
    return words_cell(name, part, source, starts, minutes) | {
        "cell_type": "code",
        "execution_count": 1,
        "outputs": list(outputs),
    }


def printed(text: str) -> dict[str, Any]:
    return {"output_type": "stream", "name": "stdout", "text": text.splitlines(keepends=True)}


def displayed(**data: str) -> dict[str, Any]:
    forms = {name.replace("_", "/").replace("svg/xml", "svg+xml"): text for name, text in data.items()}
    return {"output_type": "display_data", "data": forms, "metadata": {}}


def picture(wide: int = 1500, high: int = 750) -> str:
    """Draw a PNG of bars, without a plotting library."""
    rows = b"".join(
        b"\0" + b"".join(b"\x1b\x1b\x1b" if (x // 50) % 2 else b"\xff\xff\xff" for x in range(wide))
        for _ in range(high)
    )
    head = struct.pack(">IIBBBBB", wide, high, 8, 2, 0, 0, 0)
    chunks = [(b"IHDR", head), (b"IDAT", zlib.compress(rows)), (b"IEND", b"")]
    body = b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    )
    return base64.b64encode(b"\x89PNG\r\n\x1a\n" + body).decode()


def views() -> dict[str, dict[str, Any]]:
    """Make the views of a receipt, of a recollection, and of a context that no slide can hold whole."""
    start = datetime(2026, 3, 15, 12, tzinfo=UTC)
    with teachmem.open_memory(clock=LessonClock(start), ids=CountedIds()) as memory:
        agent = memory.agent("dock-1", fleet="dock", tenant="northlight")
        receipt = None
        for number in range(12):
            said = f"Crate {number} stands at bay {number}, and nobody has signed for it since six."
            receipt = agent.working.write(f"crate-{number}", "observed", "unsigned", said)
            agent.episodic.log("observation", f"Gripper slipped at station {number}", importance=0.5)
        shown = {
            "receipt": receipt,
            "recollection": agent.episodic.recall("gripper slipped", k=3),
            "context": agent.working.context(query="crate", budget=300),
        }
        return {
            name: displayed(text_html=display.html(thing), text_plain=display.text(thing))
            for name, thing in shown.items()
        }


def notebook() -> Notebook:
    """Return the sample as a notebook of segment 02."""
    view = views()
    cells = [
        words_cell(
            "objectives",
            "objectives",
            "# Segment 02: A sample\n\n- You can read a slide. [check 2.1]\n- You can see <b>bold</b>.",
        ),
        words_cell("speaker-open", "speaker", "**Say** Hello.\n\n**Ask** Who sits at the back?", "notes", 0),
        code_cell("setup", "setup", "lesson = course.open_lesson('02')", printed("12 notes this morning\n")),
        words_cell(
            "story",
            "story",
            "## The arm restarted\n\nA [note](../docs/glossary.md#note) was cut. " + "Why? " * 40,
        ),
        code_cell(
            "predict-2-a",
            "predict",
            'guess = ...\nlesson.predict("2.a", guess)',
            printed(
                "2.a  Which comes first?\n  a) the menu\n  b) the *match* in <bay_four>\n"
                + words.NOT_ANSWERED.format(id="2.a", wanted='"a" or "b"')
            ),
        ),
        code_cell("story-receipt", "story", "show(receipt)", view["receipt"]),
        code_cell("two-parts", "build", TWO_PARTS, printed("done\n")),
        code_cell("long-function", "build", LONG_FUNCTION),
        code_cell("long-text", "run", "print_all()", printed("".join(f"line {n}\n" for n in range(40)))),
        code_cell(
            "source",
            "run",
            "import inspect\n\nprint(inspect.getsource(half))\nprint(half(4))",
            printed("def half(x):\n    return x / 2\n\n2.0\n"),
        ),
        code_cell("wide", "run", "asked = '四番ステーション'\nprint('x' * 300)", printed("x" * 300 + "\n")),
        words_cell("speaker-mid", "speaker", "**Goes wrong** Nothing.\n\n**Cut when late** All.", "notes", 0),
        code_cell("recollection", "explore", "show(found)", view["recollection"]),
        code_cell("context", "explore", "show(context)", view["context"]),
        code_cell(
            "live", "explore", "live.score_explorer(tech, 'gripper')", printed(live.STATIC_LINE + "\n")
        ),
        code_cell(
            "picture",
            "explore",
            "plot()",
            displayed(image_png=picture(), text_plain='bars, "black" and white'),
        ),
        code_cell(
            "svg",
            "explore",
            "draw()",
            displayed(
                image_svg_xml='<svg viewBox="0 0 100 40" width="100%" role="img" aria-label="a box">'
                '<rect width="100" height="40" fill="none" stroke="black"/></svg>'
            ),
        ),
        code_cell(
            "error",
            "break",
            "forget()",
            {"output_type": "error", "ename": "MemoryRefused", "evalue": "no", "traceback": []},
        ),
        words_cell("task", "exercise", "### Exercise 2.1: half\n\nWrite `half(x)`."),
        code_cell("exercise-2-1", "exercise", f"half = ...  # {SECRET}", minutes=3),
        code_cell(
            "check-2-1", "check", 'lesson.check("2.1", half)', printed("2.1: not tried yet\n"), minutes=0.5
        ),
        code_cell("hint-2-1", "hint", 'lesson.hint("2.1")', printed(SECRET + "\n"), starts="skip", minutes=0),
        words_cell("aside", "story", SECRET, "skip"),
        words_cell("long-words", "story", "\n\n".join(["## Much to say", *PARAGRAPHS])),
        words_cell("misconception", "misconception", '**"All of it fits."** It does not.'),
        words_cell(
            "recap",
            "recap",
            f"## Recap\n\n- One.\n- Two.\n\nYou can now read slides.\n\n    {FORMULA}",
        ),
    ]
    return Notebook("02-sample.ipynb", {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
