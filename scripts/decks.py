"""Build the slides: one HTML file for each segment, out of the very notebook that students work in.

``python scripts/decks.py`` writes slides/built/NN-name.html for every notebook; some notebooks may be named
instead. A deck holds everything it needs, reveal.js too, and opens from any folder without network. The
same notebook gives the same bytes.

What goes onto a slide is decided in `deck_cells.py`, where it ends in `deck_layout.py`. reveal.js is taken
from the package sphinx-revealjs, which is never imported. Left out: running notebooks (`notebooks.py`).
"""

from __future__ import annotations

import argparse
import importlib.util
import re
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from teachmem.course import notebook
from teachmem.errors import TeachmemError
from teachmem.show import style

import deck_cells
import deck_layout
from deck_cells import DeckError
from deck_layout import Page, Placed

ROOT = Path(__file__).resolve().parents[1]
SLIDES = ROOT / "slides"
BUILT = SLIDES / "built"
WIDTH, HEIGHT = 1280, 720
PACKAGE = "sphinx_revealjs"

#: What the first line of a slide says of the part of the lesson it belongs to.
PART_WORDS = {
    "objectives": "Today",
    "setup": "Set-up",
    "story": "What happened",
    "predict": "Predict first",
    "build": "By hand",
    "run": "The kit's own",
    "explore": "Look closely",
    "break": "Fault switched on",
    "exercise": "Your turn",
    "misconception": "A wrong idea",
    "recap": "Recap",
}


def slides_notebook(lesson: notebook.Notebook) -> dict[str, Any]:
    """Return the notebook of the slides: nbconvert's cells, with a slide type for each.

    It computes only; the lesson stays as it was. Raises `DeckError` where no deck can be made.
    """
    found = deck_layout.pages(deck_cells.pieces(lesson))
    if not found:
        raise DeckError(
            f"{lesson.name}: no cell of it goes onto a slide; see slides/README.md for slide types"
        )
    cells = [cell for number, page in enumerate(found) for cell in _cells(page, number)]
    title = (
        f"{lesson.segment} {found[0].title}" if not found[0].title.startswith("Segment") else found[0].title
    )
    return {
        "cells": cells,
        "metadata": {"title": title, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def _cells(page: Page, number: int) -> list[dict[str, Any]]:
    """Return the cells of one slide: its first line, its notes, then what stands on it."""
    own_heading = deck_layout.heading(page.placed[0].piece)
    part = PART_WORDS.get(page.part, "")
    if page.part == "exercise" and page.minutes:
        part += f", {page.minutes:g} minutes"
    said = "" if own_heading else page.title
    first = f'<p class="place"><b class="part part-{page.part}">{part}</b> {_escaped(said)}</p>'
    seconds = str(round(page.minutes * 60))
    cells = [_cell(f"{number}", "markdown", first, page.level, data={"timing": seconds})]
    cells += [_cell(f"{number}-n{i}", "markdown", note, "notes") for i, note in enumerate(page.notes)]
    for place, placed in enumerate(page.placed):
        cells.append(_placed_cell(f"{number}-{place}", placed))
    return cells


def _placed_cell(name: str, placed: Placed) -> dict[str, Any]:
    piece = placed.piece
    starts = "fragment" if placed.is_fragment else "-"
    look = f"{piece.kind} of-{piece.part} {placed.look}".strip()
    if piece.kind == "words":
        return _cell(name, "markdown", piece.content, starts, look=look)
    if piece.kind == "code":
        return _cell(name, "code", piece.content, starts, look=look)
    return _cell(name, "code", "", starts, look=look, outputs=[piece.output])


def _cell(
    name: str,
    kind: str,
    source: str,
    slide_type: str,
    look: str = "",
    data: dict[str, str] | None = None,
    outputs: Sequence[Any] = (),
) -> dict[str, Any]:
    slideshow: dict[str, Any] = {"slide_type": slide_type}
    if data:
        slideshow["data"] = data
    cell: dict[str, Any] = {
        "cell_type": kind,
        "id": f"s{name}",
        "metadata": {"slideshow": slideshow, "look": look},
        "source": source,
    }
    if kind == "code":
        cell |= {"execution_count": None, "outputs": list(outputs)}
    return cell


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def deck(lesson: notebook.Notebook) -> str:
    """Return the finished deck of a notebook, as one HTML page."""
    import nbformat
    from nbconvert import SlidesExporter

    exporter = SlidesExporter(  # type: ignore[no-untyped-call]
        extra_template_basedirs=[str(SLIDES)], template_name="template", exclude_anchor_links=True
    )
    made = nbformat.from_dict(slides_notebook(lesson))  # type: ignore[no-untyped-call]
    resources = {"deck": {"css": _css(), "scripts": _scripts(), "width": WIDTH, "height": HEIGHT}}
    html, _ = exporter.from_notebook_node(made, resources=resources)
    return re.sub(r"[ \t]+$", "", str(html), flags=re.MULTILINE).rstrip() + "\n"


@cache
def _css() -> str:
    """Return reveal's own layout, the colours of the house, and the theme."""
    colours = {
        "ink": style.INK,
        "paper": style.PAPER,
        "faint": style.FAINT,
        "ink-dark": style.INK_DARK,
        "paper-dark": style.PAPER_DARK,
        "faint-dark": style.FAINT_DARK,
        "sky": style.SKY,
        "orange": style.ORANGE,
        "green": style.GREEN,
        "mauve": style.MAUVE,
        "yellow": style.YELLOW,
        "vermilion": style.VERMILION,
    }
    given = "".join(f"--{name}:{colour};" for name, colour in colours.items())
    theme = (SLIDES / "theme.css").read_text(encoding="utf-8")
    return "\n".join(
        [reveal_file("dist/reset.css"), reveal_file("dist/reveal.css"), f":root{{{given}}}", theme]
    )


@cache
def _scripts() -> tuple[str, ...]:
    """Return reveal.js and its speaker view, safe inside a script element."""
    names = ("dist/reveal.js", "plugin/notes/notes.js")
    return tuple(
        reveal_file(name).replace("</script", r"<\/script").replace("<!--", r"\x3c!--") for name in names
    )


def reveal_file(name: str) -> str:
    """Return a file of reveal.js as text. Raises `DeckError`, with the cure, where it is missing."""
    found = importlib.util.find_spec(PACKAGE)
    if found is None or found.origin is None:
        raise DeckError(
            "reveal.js is missing: the package sphinx-revealjs is not installed; run `make setup`"
        )
    path = Path(found.origin).parent / "_static" / "revealjs" / name
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise DeckError(
            f"reveal.js is incomplete: sphinx-revealjs has no {name} ({error.strerror}); "
            "install the version that requirements.lock names: run `make setup`"
        ) from error


def build(path: Path, folder: Path) -> Path:
    """Write the deck of one notebook into `folder` and return where it is."""
    html = deck(notebook.read(path))
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"{path.stem}.html"
    target.write_text(html, encoding="utf-8", newline="\n")
    return target


def main(arguments: Sequence[str] | None = None) -> int:
    """Build every deck; answer 1 when one could not be built, after trying the others."""
    parser = argparse.ArgumentParser(description="Build the slides from the notebooks.")
    parser.add_argument("notebooks", nargs="*", type=Path, help="some notebooks instead of all")
    parser.add_argument("--out", type=Path, default=BUILT, help="the folder for the decks")
    options = parser.parse_args(arguments)
    paths = options.notebooks or sorted((ROOT / "notebooks").glob("*.ipynb"))
    failed = 0
    for path in paths:
        try:
            target = build(path, options.out).resolve()
            print(f"{path.name}: {target.relative_to(ROOT) if target.is_relative_to(ROOT) else target}")
        except TeachmemError as error:
            failed += 1
            print(f"decks: {error}", file=sys.stderr)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
