"""How high a static view will be on a slide, and where it can be divided.

A view of `teachmem.show` is one group of blocks: title, table, bars, verbatim text. Its height is added up
block by block, for the widest common fonts. A view too high for one slide is cut between its blocks, and
a table too long for one between its rows, never inside a block.

>>> html = '<div class="tm"><style></style><pre>one</pre><p>next:</p><pre>two</pre></div>'
>>> for part in divided(html, 1000, 100):
...     print(part)
<div class="tm"><style></style><pre>one</pre></div>
<div class="tm"><style></style><p>next:</p><pre>two</pre></div>

Left out: drawing (`teachmem.show`) and other HTML, which is measured as one block and never cut.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from itertools import repeat

LINE, PAIR_LINE, GAP = 28, 35, 8  # 20 px at 1.4, and at 1.75; what stands between two blocks
LETTER, CODE_LETTER = 11.0, 12.2  # wide fonts at 20 px
HEAD = 40  # of a table: swatches above its names, and a line
SPARE = 0.1  # of a line: what LETTER says too much where a cell just fits
BAR, THIN_BAR = 40, 22  # letters: what a bar in a table takes of the width
LISTED, LISTED_BAR = 0.31, 24  # of the width: a cell that holds a bar and paragraphs; pixels: that bar
EMPTY = ("br", "img", "hr", "input", "meta", "link", "col", "wbr")


@dataclass
class Block:
    """A child of the view: its source, and what it takes."""

    start: int
    end: int = 0
    tag: str = ""
    fixed: float = 0.0  # drawings, bars, steps
    letters: int = 0
    verbatim: str = ""
    rows: list[list[float]] = field(default_factory=list)  # letters of each cell
    listed: dict[int, list[list[int]]] = field(default_factory=dict)  # by row: letters of a cell's paragraphs
    is_pair: bool = False
    halves: list[int] = field(default_factory=list)  # letters of the blocks that stand side by side

    @property
    def is_line(self) -> bool:
        """Whether it is words, or a single bar: what may announce a block and is none itself."""
        is_drawing = self.tag == "svg"
        return not (self.rows or self.verbatim or self.halves or is_drawing) and self.fixed < 100

    def height(self, width: float) -> float:
        """Return the height at this width."""
        if self.tag == "style":
            return 0.0
        if self.verbatim:
            per_line = int((width - 24) / CODE_LETTER)
            return sum(rows_of(line, per_line) for line in self.verbatim.splitlines()) * LINE + 32
        if self.rows:
            return self._table_height(width)
        if self.halves:
            lines = math.ceil(max(self.halves) * (LETTER + 0.6) / (width / len(self.halves) - 60))
            return (lines + 1) * PAIR_LINE + 30
        own = math.ceil(self.letters * LETTER / width) * LINE if self.letters else 0
        drawn = self.fixed * width if self.fixed < 1 else self.fixed
        return drawn + own + GAP

    def _table_height(self, width: float) -> float:
        """Return the height of a table whose columns share the width by their longest cell."""
        wide = [max(column) for column in _columns(self.rows)]
        shares = [letters * LETTER + 10 for letters in wide]
        scale = width / sum(shares)
        high = 0.0
        for place, row in enumerate(self.rows):
            if place in self.listed:
                high += max(map(_listed_height, self.listed[place], repeat(LISTED * width - GAP))) + 2 * GAP
                continue
            if len(row) <= 2 < len(shares):  # one cell that spans the table
                lines = [math.ceil((sum(row) * LETTER + 10) / width)]
            else:
                lines = [
                    math.ceil((cell * LETTER + 10) / (share * scale) - SPARE)
                    for cell, share in zip(row, shares, strict=False)
                ]
            high += max(1, *lines) * LINE + GAP
        return high + HEAD


def _listed_height(paragraphs: list[int], width: float) -> float:
    return LISTED_BAR + sum(math.ceil(letters * LETTER / width) * LINE + 2 for letters in paragraphs)


def _columns(rows: list[list[float]]) -> list[list[float]]:
    most = max(map(len, rows))
    # A row of one long cell spans the table and says nothing about its columns.
    return [
        [row[i] for row in rows if i < len(row) and (len(row) > 2 or most <= 2)] or [0] for i in range(most)
    ]


def rows_of(line: str, columns: int) -> int:
    """Return how many lines of a slide a line of text fills; wide letters count twice."""
    wide = sum(2 if ord(letter) > 0x2E7F else 1 for letter in line)
    return max(1, math.ceil(wide / columns))


def height(html: str, width: float) -> float:
    """Return how high the view is when it is `width` wide."""
    return sum(block.height(width) for block in _read(html).blocks) + GAP


def divided(html: str, width: float, room: float) -> Iterator[str]:
    """Yield the view in parts of at most `room`, as far as its blocks allow; each carries the style."""
    reader = _read(html)
    if not reader.is_view or height(html, width) <= room:
        yield html
        return
    head = html[: reader.blocks[0].start]
    style = "".join(html[block.start : block.end] for block in reader.blocks if block.tag == "style")
    for part in _parts([block for block in reader.blocks if block.tag != "style"], width, room - GAP):
        left, sources = room - GAP, []
        for block in part:
            source, high = html[block.start : block.end], block.height(width)
            sources.append(_shorter(source, block, width, left) if block.rows and high > left else source)
            left -= high
        yield f"{head}{style}{''.join(sources)}</div>"


def _parts(blocks: list[Block], width: float, room: float) -> list[list[Block]]:
    """Share blocks out; the lines that announce a block stay with it."""
    parts: list[list[Block]] = [[]]
    for block in blocks:
        part = parts[-1]
        taken = sum(each.height(width) for each in part)
        if taken + block.height(width) <= room or all(each.is_line for each in part):
            part.append(block)
            continue
        announcing: list[Block] = []
        while not block.is_line and part[-1].is_line:
            announcing.insert(0, part.pop())
        parts.append([*announcing, block])
    return parts


def _shorter(table: str, block: Block, width: float, room: float) -> str:
    """Return a table without the rows that have no room, saying how many those are."""
    head, open_body, body = table.partition("<tbody>")
    rows = re.findall(r"<tr.*?</tr>", body, flags=re.DOTALL)
    each = (block.height(width) - HEAD) / len(block.rows)
    kept = max(1, int((room - HEAD - 2 * each) / each))
    more = (
        f'<tr><td colspan="{len(block.rows[0])}">... {len(rows) - kept} more rows: see the notebook</td></tr>'
    )
    return f"{head}{open_body}{''.join(rows[:kept])}{more}</tbody></table>"


def _read(html: str) -> _Reader:
    reader = _Reader(html)
    reader.feed(html)
    reader.close()
    if not reader.blocks:
        reader.blocks = [Block(0, len(html), letters=len(html))]
    return reader


class _Reader(HTMLParser):
    """Collects the children of the outermost element."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self._starts = [0, *(found.end() for found in re.finditer("\n", html))]
        self.blocks: list[Block] = []
        self.is_view = False
        self._depth = 0
        self._silent = 0  # inside of style, title and drawings, whose words take no line
        self._in_pre = False

    def _place(self) -> int:
        line, column = self.getpos()
        return self._starts[line - 1] + column

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        said = {key: value or "" for key, value in attrs}
        if self._depth == 0:
            self.is_view = "tm" in (said.get("class") or "").split()
        if self._depth == 1:
            self.blocks.append(Block(self._place(), tag=tag))
        if tag not in EMPTY:
            self._depth += 1
        if self.blocks:
            self._enter(tag, said, self.blocks[-1])

    def _enter(self, tag: str, said: dict[str, str], block: Block) -> None:
        classes = said.get("class", "").split()
        if tag in ("style", "svg"):
            self._silent += 1
        if tag == "svg" and "viewbox" in said and said.get("width") == "100%":
            _, _, wide, high = map(float, said["viewbox"].split())
            block.fixed += high / wide
        if tag == "pre":
            self._in_pre = True
        if tag == "tr":
            block.rows.append([])
        if tag in ("td", "th") and block.rows:
            block.rows[-1].append(THIN_BAR if "tm-thin" in classes else BAR if "tm-barcell" in classes else 0)
        if tag == "td" and "tm-list" in classes:
            block.listed.setdefault(len(block.rows) - 1, []).append([])
        if tag == "p" and block.rows and (cells := block.listed.get(len(block.rows) - 1)):
            cells[-1].append(0)
        if tag == "div" and block.is_pair and self._depth == 3:
            block.halves.append(0)
        block.is_pair = block.is_pair or "tm-pair" in classes
        if "tm-trail" in classes:
            block.fixed += 150
        if "tm-bar" in classes and not block.rows:
            block.fixed += 24

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """A closed element has no inside."""
        if self._depth == 1:
            self.blocks.append(Block(self._place(), self._place() + len(self.get_starttag_text() or ""), tag))

    def handle_endtag(self, tag: str) -> None:
        if tag in EMPTY:
            return
        self._depth -= 1
        self._silent -= tag in ("style", "svg")
        self._in_pre = self._in_pre and tag != "pre"
        if self._depth == 1 and self.blocks:
            self.blocks[-1].end = self._place() + len(tag) + 3

    def handle_data(self, data: str) -> None:
        if self._silent or not self.blocks:
            return
        block = self.blocks[-1]
        if self._in_pre:
            block.verbatim += data
        elif block.rows:
            if (cells := block.listed.get(len(block.rows) - 1)) and cells[-1]:
                cells[-1][-1] += len(data)
            elif block.rows[-1] and block.rows[-1][-1] not in (BAR, THIN_BAR):
                block.rows[-1][-1] += len(data)
        elif block.halves:
            block.halves[-1] += len(data)
        else:
            block.letters += len(data)
