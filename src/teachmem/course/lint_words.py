"""How the lessons sound: plain sentences, one spelling of each name, links that end somewhere.

Prose is what a Markdown cell says outside code and the targets of links.

>>> prose("Run `a!` and [read](../docs/x.md).\\n```python\\nb!\\n```\\n")
'Run  and read.\\n\\n'
>>> [right for wrong, right in SPELLINGS if re.search(wrong, "Open Jupyter Lab on a Sqlite file")]
['JupyterLab', 'SQLite']

Left out: grammar and taste.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path

from teachmem.course.glossary import ANCHORS, introduced_in
from teachmem.course.lint_finding import Finding, Rule
from teachmem.course.notebook import Cell, Notebook

#: What must not be written, and what is written instead.
SPELLINGS = (
    (r"\bNorth[- ][Ll]ight\b|\bnorthlight\b|\bNorthlight robotics\b|\bNorthLight\b", "Northlight Robotics"),
    (
        r"\bSouth[- ][Gg]ate\b|\bsouthgate\b|\bSouthgate (?:cold|Cold) storage\b|\bSouthGate\b",
        "Southgate Cold Storage",
    ),
    (r"\bJupyter [Ll]ab\b|\bJupyterlab\b|\bjupyterlab\b", "JupyterLab"),
    (r"\bSqlite\b|\bsqlite\b|\bSQL[Ll]ite\b|\bSQL lite\b", "SQLite"),
    (r"\bTeach[Mm]em\b|\bTEACHMEM\b(?!_)|\bteach-?[Mm]em\b(?<!teachmem)", "teachmem"),
    (r"\bbm25\b|\bBM[ -]25\b|\bBm25\b", "BM25"),
    (r"\bCoala\b|\bCOALA\b|\bcoala\b", "CoALA"),
    (r"\bPostgres\b|\bpostgres(?:ql)?\b|\bPostgresql\b", "PostgreSQL"),
    (r"\bPython ?3\.x\b|\bpython\b", "Python"),
    (r"\bhalf life\b|\bhalflife\b", "half-life"),
    (r"\bstopwords?\b|\bstop-words?\b", "stop word"),
)

#: Words that make a sentence heavier or the reader smaller, and what to do instead.
HEAVY = (
    (r"\butili[sz]e[sd]?\b|\bleverag(?:e|es|ed|ing)\b", "write 'use'"),
    (r"\bin order to\b", "write 'to'"),
    (r"\b(?:simply|obviously|trivially|of course|as everyone knows)\b", "leave the word out"),
    (r"\b(?:let's|let us|we will|we'll)\b", "speak to the reader: 'you ...'"),
    (r"\b(?:in terms of|with respect to|as well as)\b", "say it shorter"),
)
LONGEST = 32  # words in a sentence

#: The glyphs of the course beside letters, digits and punctuation: verdicts, shapes of tiers, two signs.
GLYPHS = set("✓✕‖°©■□●○⬢⬡▲△")
FORBIDDEN_MATHS = re.compile("[←-⇿⟰-⟿⤀-⥿⬀-⬑]")  # arrows


def prose(source: str) -> str:
    """Return a Markdown text without code, HTML tags and the targets of links."""
    text = re.sub(r"^(```|~~~).*?^\1[^\n]*$", "", source, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"(`+).*?\1", "", text, flags=re.DOTALL)
    text = re.sub(r"\$\$.*?\$\$|\$[^$\n]+\$", "", text, flags=re.DOTALL)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return re.sub(r"<[^>]+>|https?://\S+", "", text)


def names(lesson: Notebook, _: Path) -> Iterator[Finding]:
    """Names are written one way."""
    for cell in _spoken(lesson):
        for wrong, right in SPELLINGS:
            if found := re.search(wrong, prose(cell.source)):
                yield Finding(cell.name, "names", f"{found[0]!r} is written {right!r} in the course")


def marks(lesson: Notebook, _: Path) -> Iterator[Finding]:
    """No exclamation mark, in prose or in comments."""
    for cell in lesson.cells:
        comments = re.findall(r"(?:^|\s)# .*$", cell.source, flags=re.MULTILINE) if cell.is_code else []
        text = "\n".join(comments) if cell.is_code else prose(cell.source)
        if re.search(r"!(?!=)", text):
            yield Finding(cell.name, "marks", "holds an exclamation mark; say it calmly")


def glyphs(lesson: Notebook, _: Path) -> Iterator[Finding]:
    """No emoji, arrow or ornament other than the glyphs of the course."""
    for cell in lesson.cells:
        texts = [cell.source, *(text for kind, text in cell.shown() if not kind.startswith("image/"))]
        strange = sorted({sign for text in texts for sign in text if _is_ornament(sign)})
        if strange:
            yield Finding(
                cell.name, "glyphs", f"holds {' '.join(strange)}; the course has {' '.join(sorted(GLYPHS))}"
            )


def _is_ornament(sign: str) -> bool:
    if sign.isascii() or sign in GLYPHS:
        return False
    return (
        unicodedata.category(sign) in ("So", "Cs", "Co", "Cn")
        or sign == "\ufe0f"
        or bool(FORBIDDEN_MATHS.match(sign))
    )


def plain(lesson: Notebook, _: Path) -> Iterator[Finding]:
    """Sentences are short and words are plain."""
    for cell in _spoken(lesson):
        text = prose(cell.source)
        for heavy, instead in HEAVY:
            if found := re.search(heavy, text, flags=re.IGNORECASE):
                yield Finding(cell.name, "plain", f"{found[0]!r} is heavy: {instead}")
        for sentence in _sentences(text):
            if (length := len(sentence.split())) > LONGEST:
                beginning = " ".join(sentence.split()[:6])
                yield Finding(
                    cell.name, "plain", f"a sentence has {length} words ({beginning!r} ...); cut it in two"
                )


def _sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a text; a heading, a list item and a table row end one."""
    for block in re.split(r"\n\s*\n|\n\s*(?:[-*>|#]|\d+\.)|^\s*[-*>|#]", text):
        yield from re.split(r"(?<=[.?:;])\s+", block.replace("|", ". "))


def headings(lesson: Notebook, _: Path) -> Iterator[Finding]:
    """The notebook begins with its one title, and no level of heading is skipped."""
    level = 0
    titles = 0
    for cell in _spoken(lesson):
        without_code = re.sub(r"^(```|~~~).*?^\1[^\n]*$", "", cell.source, flags=re.MULTILINE | re.DOTALL)
        for signs, words in re.findall(r"^(#{1,6}) +(.+)$", without_code, flags=re.MULTILINE):
            titles += len(signs) == 1
            if len(signs) > level + 1:
                yield Finding(cell.name, "headings", f"{words!r} skips a level: {len(signs)} after {level}")
            level = len(signs)
    first = lesson.cells[0] if lesson.cells else None
    if first is None or first.is_code or not first.source.startswith("# "):
        yield Finding(first.name if first else "", "headings", "must begin with its title, '# ...'")
    elif titles != 1:
        yield Finding("", "headings", f"has {titles} titles of the first level; one is right")


def links(lesson: Notebook, folder: Path) -> Iterator[Finding]:
    """Every link to a file of the checkout ends at one."""
    for cell in _spoken(lesson):
        for target in re.findall(r"\]\(([^)\s]+)[^)]*\)", cell.source):
            place, _, anchor = target.partition("#")
            if re.match(r"[a-z]+:", target) or not place:
                continue
            if place.endswith("docs/glossary.md") and anchor:
                if anchor not in ANCHORS:
                    yield Finding(cell.name, "links", f"the glossary has no {anchor!r}; see docs/glossary.md")
            elif not (folder / place).exists():
                yield Finding(cell.name, "links", f"the link {target!r} ends nowhere")


def glossary(lesson: Notebook, _: Path) -> Iterator[Finding]:
    """A segment links the terms that it introduces."""
    text = "\n".join(cell.source for cell in _spoken(lesson))
    missing = [
        term.link for term in introduced_in(lesson.segment) if f"docs/glossary.md#{term.anchor})" not in text
    ]
    if missing:
        yield Finding("", "glossary", f"introduces these terms and does not link them: {', '.join(missing)}")


def _spoken(lesson: Notebook) -> list[Cell]:
    return [cell for cell in lesson.cells if not cell.is_code]


RULES: tuple[Rule, ...] = (names, marks, glyphs, plain, headings, links, glossary)
