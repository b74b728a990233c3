"""Where slides end: pieces are laid onto slides of 1280 x 720 so that nothing leaves one.

How high a piece will be is estimated from its text, with the widths of the widest common fonts; a test
in a real browser measures what came of it. Code keeps its output beside it where both find room. Words
and views grow while there is room, for the last row.

>>> from deck_cells import Piece
>>> story = Piece("words", "## The arm restarted\\n\\nIts wrist fell.", "story", "story", "slide", 2)
>>> code = Piece("code", "print(1)\\n" * 16, "run", "run", "fragment")
>>> [(page.level, page.title, len(page.placed)) for page in pages([story, code])]
[('slide', 'The arm restarted', 1), ('subslide', 'The arm restarted', 1)]

Left out: colours and exact sizes; they stand in `slides/theme.css`, whose numbers are repeated here.
"""

from __future__ import annotations

import base64
import math
import re
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import deck_views
from deck_cells import DeckError, Piece

WIDTH, ROOM = 1168, 592  # of a slide, inside its padding and below its first line
WORDS_SIZES = (38, 34, 30)
LINE, LETTER = 1.4, 0.55  # of words, in ems
HEADINGS = {1: (1.7, 2.75), 2: (1.45, 2.45), 3: (1.2, 2.2)}  # size, and height with its margin, in ems
CODE_SIZES = (26, 24, 22, 20)
CODE_LINE, CODE_LETTER, CODE_FRAME = 1.3, 0.605, 40  # line and letter in ems, then padding and margin
PROSE_SIZES = {28: 190, 24: 300}  # of printed text with long lines, and how high it may then be
SHORT, FEW_LINES = 2, 12  # lines: of code that may go when its view needs the slide; of code in large letters
ZOOMS = (1.5, 1.35, 1.2, 1.1, 1.0)  # of a view, whose own letters are 20 px
BESIDE_ZOOMS = (1.2, 1.1, 1.0)  # of a view that shares its slide
PICTURE_ROOM = 560
DRAWN = ("view", "picture")
#: Parts of a lesson after which a slide is full: the room answers before it goes on.
ANSWERED = ("predict", "exercise")
#: Parts that stand for themselves, without the heading before them.
UNTITLED = ("misconception", "recap")


@dataclass(frozen=True, slots=True)
class Placed:
    """A piece with the room it takes and the class that gives it its size."""

    piece: Piece
    height: float
    look: str
    is_fragment: bool = False


@dataclass(slots=True)
class Page:
    """One slide: what stands on it, what is said about it, and how long it takes."""

    level: str
    title: str
    part: str
    placed: list[Placed] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    minutes: float = 0.0

    @property
    def left(self) -> float:
        """How much room is left."""
        return ROOM - sum(placed.height for placed in self.placed)

    @property
    def is_words(self) -> bool:
        """Whether nothing but words stands on it."""
        return all(placed.piece.kind == "words" for placed in self.placed)

    def note(self, piece: Piece) -> None:
        """Take in what is not shown: minutes, and what the speaker says."""
        self.minutes += piece.minutes
        if piece.kind == "notes":
            self.notes.append(piece.content)


def pages(pieces: Sequence[Piece]) -> list[Page]:
    """Lay pieces onto slides. Raises `DeckError` for a paragraph that no slide has room for."""
    found: list[Page] = []
    early: list[Piece] = []  # notes and minutes that come before the first slide
    title, level, must_break = "", "slide", True
    for piece, needed in _with_needs([part for given in pieces for part in _fitting(given)]):
        if piece.kind in ("notes", "time"):
            if found:
                found[-1].note(piece)
            else:
                early.append(piece)
            continue
        if piece.starts in ("slide", "subslide"):
            must_break, level = True, piece.starts if found else "slide"
        if piece.part == "predict" and found and not found[-1].is_words:
            must_break = True  # a question does not stand under code
        if heading(piece) and piece.part != "exercise":
            title = heading(piece)
        if must_break or needed > found[-1].left:
            found.append(Page(level, "" if piece.part in UNTITLED else title, piece.part))
        page = found[-1]
        is_first = not page.placed
        placed = _placed(piece, ROOM if is_first else page.left, ZOOMS if is_first else BESIDE_ZOOMS)
        page.placed.append(replace(placed, is_fragment=piece.starts == "fragment" and not is_first))
        page.minutes += piece.minutes
        page.part = piece.part if piece.part in ANSWERED else page.part
        must_break, level = piece.part in ANSWERED, "subslide"
        while early:
            page.note(early.pop(0))
    for page in found:
        _enlarge(page)
    return found


def _with_needs(pieces: Sequence[Piece]) -> Iterator[tuple[Piece, float]]:
    """Yield each piece with the room it needs: code with the first thing it showed, if a slide holds both.

    Short code whose view needs a slide of its own is left out: the view says what was called.
    """
    minutes = 0.0  # of code that was left out
    for piece, after in zip(pieces, [*pieces[1:], None], strict=False):
        own = _smallest(piece)
        if piece.kind == "code" and after and after.cell == piece.cell and after.kind != "time":
            both = own + _smallest(after)
            if both > ROOM and after.kind in DRAWN and _is_short(piece.content):
                minutes += piece.minutes
                continue
            own = both if both <= ROOM else own
        yield replace(piece, minutes=piece.minutes + minutes), own
        minutes = 0.0


def _is_short(code: str) -> bool:
    lines = [line for line in code.splitlines() if line and not line.startswith(("import ", "from "))]
    return len(lines) <= SHORT


def heading(piece: Piece) -> str:
    """Return the heading that a piece of words begins with, or ""."""
    found = re.match(r"#{1,3} +(.+)", piece.content) if piece.kind == "words" else None
    return re.sub(r"[*`]", "", found[1]).strip() if found else ""


def _smallest(piece: Piece) -> float:
    return _placed(piece, 0, BESIDE_ZOOMS).height if piece.kind not in ("notes", "time") else 0.0


def _placed(piece: Piece, room: float, zooms: Sequence[float]) -> Placed:
    """Give a piece its size: a view the largest that has room, or the last one."""
    if piece.kind == "words":
        size = WORDS_SIZES[-1]
        return Placed(piece, words_height(piece.content, size), f"size-{size}")
    if piece.kind == "view":
        sizes = [(zoom, view_height(piece.content, zoom)) for zoom in zooms]
        zoom, high = next(((zoom, high) for zoom, high in sizes if high <= room), sizes[-1])
        return Placed(piece, high, f"zoom-{round(zoom * 100)}")
    if piece.kind == "picture":
        return Placed(piece, picture_height(piece.content), "")
    size = code_size(piece.content, piece.kind == "text")
    return Placed(piece, code_height(piece.content, size), f"size-{size}")


def _enlarge(page: Page) -> None:
    """Let the words of a slide grow as far as it has room."""
    for size in WORDS_SIZES[:-1]:
        grown = [
            replace(placed, height=words_height(placed.piece.content, size), look=f"size-{size}")
            if placed.piece.kind == "words"
            else placed
            for placed in page.placed
        ]
        if sum(placed.height for placed in grown) <= ROOM:
            page.placed = grown
            return


def code_size(text: str, is_printed: bool = False) -> int:
    """Return the largest size in which every line fits; printed text that wraps anyway is set larger.

    >>> code_size("print(1)"), code_size("x" * 90), code_size("x" * 200), code_size("x" * 200, True)
    (26, 20, 20, 28)
    """
    lines = text.splitlines()
    longest = max(map(len, lines), default=0)
    sizes = CODE_SIZES if len(lines) <= FEW_LINES else CODE_SIZES[2:]
    if is_printed and longest > code_columns(CODE_SIZES[-1]):
        fitting = [size for size, most in PROSE_SIZES.items() if code_height(text, size) <= most]
        return fitting[0] if fitting else CODE_SIZES[-1]
    return next((size for size in sizes if longest <= code_columns(size)), CODE_SIZES[-1])


def code_columns(size: int) -> int:
    """Return how many letters a line of code holds."""
    return int((WIDTH - 44) / (size * CODE_LETTER))


def code_height(text: str, size: int) -> float:
    """Return how high code or printed text will be; lines that are too long are wrapped."""
    rows = sum(deck_views.rows_of(line, code_columns(size)) for line in text.splitlines())
    return rows * size * CODE_LINE + CODE_FRAME


def words_height(markdown: str, size: int) -> float:
    """Return how high words will be, block by block."""
    return sum(_block_height(block, size) for block in blocks(markdown))


def blocks(markdown: str) -> list[str]:
    """Cut words at their empty lines."""
    return [block for block in re.split(r"\n\s*\n", markdown.strip("\n")) if block.strip()]


def _block_height(block: str, size: int) -> float:
    lines = block.splitlines()
    if block.startswith(("    ", "```")):
        is_wide = max(map(len, lines)) * size * CODE_LETTER > WIDTH
        if is_wide and size > WORDS_SIZES[-1]:
            return ROOM + 1  # never wrapped for the sake of larger words
        return len(lines) * (1 + is_wide) * size * CODE_LINE + CODE_FRAME
    high = 0.0
    if found := re.match(r"(#{1,3}) (.+)", block):
        letters, ems = HEADINGS[len(found[1])]
        rows = math.ceil(len(found[2]) * (LETTER + 0.07) * letters * size / WIDTH)
        high, lines = (ems + (rows - 1) * letters * 1.2) * size, lines[1:]
    items = re.split(r"\n(?=\s*(?:[-*|]|\d+\.) )", "\n".join(lines)) if lines else []
    for item in items:
        plain = re.sub(r"[*`]", "", " ".join(item.split()))
        high += deck_views.rows_of(plain, int((WIDTH - 40) / (size * LETTER))) * size * LINE + 10
    return high + 10


def _fitting(piece: Piece) -> Iterator[Piece]:
    """Yield a piece, or several in its place where one slide cannot hold it."""
    if piece.kind == "view":
        parts = list(deck_views.divided(piece.content, WIDTH, ROOM - 12))
        for place, part in enumerate(parts):
            output = {**(piece.output or {}), "data": {"text/html": part}} if len(parts) > 1 else piece.output
            yield replace(piece, content=part, output=output, starts="subslide" if place else piece.starts)
    elif piece.kind == "words" and words_height(piece.content, WORDS_SIZES[-1]) > ROOM:
        yield from _paragraphs(piece)
    else:
        yield piece


def _paragraphs(piece: Piece) -> Iterator[Piece]:
    part: list[str] = []
    starts, minutes, size = piece.starts, piece.minutes, WORDS_SIZES[-1]
    for block in blocks(piece.content):
        if _block_height(block, size) > ROOM:
            raise DeckError(
                f"cell {piece.cell}: a paragraph of {len(block)} letters has no room on a slide; divide it"
            )
        if part and words_height("\n\n".join([*part, block]), size) > ROOM:
            yield replace(piece, content="\n\n".join(part), starts=starts, minutes=minutes)
            part, starts, minutes = [], "subslide", 0.0
        part.append(block)
    yield replace(piece, content="\n\n".join(part), starts=starts, minutes=minutes)


def picture_height(encoded: str) -> float:
    """Return how high a picture will be: as wide as the slide, if its height then fits.

    >>> picture_height("not a picture")
    560
    """
    head = base64.b64decode(encoded[:64]) if re.match(r"[A-Za-z0-9+/]{64}", encoded) else b""
    if head[:8] != b"\x89PNG\r\n\x1a\n":
        return PICTURE_ROOM
    wide, high = struct.unpack(">II", head[16:24])
    return float(min(PICTURE_ROOM, WIDTH * high / wide) + 16)


def view_height(html: str, zoom: float) -> float:
    """Return how high a static view will be on a slide that is `WIDTH` wide."""
    return deck_views.height(html, WIDTH / zoom) * zoom + 12
