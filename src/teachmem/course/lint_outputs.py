"""What code may do and outputs may hold, so that a stored notebook is the same on every machine.

>>> from teachmem.course.notebook import Notebook
>>> stream = {"output_type": "stream", "name": "stdout", "text": "<object at 0x7f3a2b1c4d50>"}
>>> cell = {"cell_type": "code", "id": "run", "source": "print(x)", "outputs": [stream]}
>>> [str(finding) for finding in address(Notebook("02-x.ipynb", {"cells": [cell]}), Path())]
["run: address: holds the memory address '0x7f3a2b1c4d50'; print what it stands for"]

Left out: whether the outputs are right; strict nbval runs every cell and compares.
"""

from __future__ import annotations

import platform
import re
from collections.abc import Iterator, Mapping
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from teachmem.course.lint_finding import Finding, Rule, calls
from teachmem.course.normal_form import FLEETING, KERNEL
from teachmem.course.notebook import LIVE, Cell, Notebook

PATH = re.compile(
    r"(?<![\w.:/<~-])/(?:home|Users|root|tmp|var|usr|opt|work|mnt|srv|private|workspaces?)/[\w.-]+"
    r"|\b[A-Za-z]:\\{1,2}\w+"
)
ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{8,16}\b")
ASKS_MACHINE = re.compile(
    r"\b(?:gethostname|getfqdn|platform\.node|os\.uname|getpass\.getuser|os\.getlogin|Path\.home|expanduser)\b"
)
INSTALLS = re.compile(
    r"^\s*[!%]{0,2}\s*(?:\w+ -m )?(?:uv |pip3? |conda |mamba |apt(?:-get)? |npm )\s*\w*", re.M
)
NETWORK = re.compile(r"\b(?:https?|wss?|ftp)://(?!127\.0\.0\.1|localhost|\[::1\])[^\s\"')]+")
EXEMPT = re.compile(r"#\s*NBVAL_\w+|#\s*PYTEST_VALIDATE_\w+")


def metadata(lesson: Notebook, _: Path) -> Iterator[Finding]:
    """The notebook names the one kernel of the course; nothing of an editor or a machine is kept."""
    found = lesson.raw.get("metadata", {})
    for key, due in KERNEL.items():
        if found.get(key) != due:
            yield Finding(
                "", "metadata", f"the {key} is not the course's; `teachmem lint --fix` puts it right"
            )
    for where, kept in (("", found), *((cell.name, cell.metadata) for cell in lesson.cells)):
        for key in FLEETING:
            if key in kept and key != "widgets":
                yield Finding(where, "metadata", f"keeps {key!r}; `teachmem lint --fix` takes it out")


def widget(lesson: Notebook, _: Path) -> Iterator[Finding]:
    """No widget state and no widget view is stored: neither means anything without a kernel."""
    if "widgets" in lesson.raw.get("metadata", {}):
        yield Finding("", "widget", "keeps widget state; `teachmem lint --fix` takes it out")
    for cell in lesson.cells:
        if any("widget" in kind for kind, _ in cell.shown()) or "widgets" in cell.metadata:
            yield Finding(cell.name, "widget", f"stores a widget view ({LIVE}); run `make notebooks`")


def path(lesson: Notebook, _: Path) -> Iterator[Finding]:
    """No path of one machine, in sources or outputs."""
    yield from _search(lesson, PATH, "path", "holds the absolute path {!r}; name places from the checkout")


def machine(lesson: Notebook, _: Path) -> Iterator[Finding]:
    """No name of a machine or of who sits at it, and no code that asks for one."""
    yield from _search(lesson, ASKS_MACHINE, "machine", "asks the machine for a name ({!r}); leave it out")
    named = platform.node()
    if re.search(r"[\d.-]", named) and named not in ("", "localhost"):
        own = re.compile(rf"(?<![\w-]){re.escape(named)}(?![\w-])")
        yield from _search(lesson, own, "machine", "names this machine ({!r}); leave it out")


def address(lesson: Notebook, _: Path) -> Iterator[Finding]:
    """No memory address: it is another one at each run."""
    yield from _search(
        lesson, ADDRESS, "address", "holds the memory address {!r}; print what it stands for", sources=False
    )


def loop(lesson: Notebook, _: Path) -> Iterator[Finding]:
    """No second event loop: a notebook has one running."""
    for cell in lesson.cells:
        if any(method == "run" for method, _ in calls(cell, "asyncio")):
            yield Finding(cell.name, "loop", "calls asyncio.run; a notebook has a running loop, so use await")


def install(lesson: Notebook, _: Path) -> Iterator[Finding]:
    """No cell installs anything: the set-up has done it."""
    for cell in lesson.cells:
        if cell.is_code and (found := INSTALLS.search(cell.source)):
            yield Finding(
                cell.name, "install", f"installs something ({found[0].strip()!r}); add it to pyproject.toml"
            )


def network(lesson: Notebook, _: Path) -> Iterator[Finding]:
    """No code reaches beyond this machine."""
    for cell in lesson.cells:
        if cell.is_code and (found := NETWORK.search(cell.source)):
            yield Finding(cell.name, "network", f"names {found[0]!r} in code; lessons need no network")


def exempt(lesson: Notebook, _: Path) -> Iterator[Finding]:
    """Every output is compared, save that of a cell which shows a live widget."""
    for cell in lesson.cells:
        is_live = any(True for _ in calls(cell, "live"))
        for tag in cell.tags:
            if tag.startswith("nbval") and not (tag == "nbval-ignore-output" and is_live):
                sentence = (
                    f"the tag {tag!r} keeps it from being compared; only a cell that calls live. may have one"
                )
                yield Finding(cell.name, "exempt", sentence)
        if cell.is_code and (found := EXEMPT.search(cell.source)):
            yield Finding(
                cell.name, "exempt", f"the comment {found[0]!r} keeps it from being compared; remove it"
            )


def error(lesson: Notebook, _: Path) -> Iterator[Finding]:
    """A cell is tagged raises-exception exactly where its stored output is an error."""
    for cell in lesson.cells:
        has_error = any(output.get("output_type") == "error" for output in cell.outputs)
        if has_error and "raises-exception" not in cell.tags:
            yield Finding(
                cell.name, "error", "ends in an error; mend it, or tag it raises-exception if that is meant"
            )
        if not has_error and "raises-exception" in cell.tags:
            yield Finding(cell.name, "error", "is tagged raises-exception and raises none; take the tag off")


def stderr(lesson: Notebook, _: Path) -> Iterator[Finding]:
    """Nothing is printed to stderr: a warning is mended, not shown."""
    for cell in lesson.cells:
        if any(kind == "stderr" for kind, _ in cell.shown()):
            yield Finding(cell.name, "stderr", "prints to stderr; mend what warns")


def alt(lesson: Notebook, _: Path) -> Iterator[Finding]:
    """Every picture says in words what it shows."""
    for cell in lesson.cells:
        for what in _silent_pictures(cell):
            yield Finding(cell.name, "alt", f"shows {what} without alt text; say what it shows")


def _silent_pictures(cell: Cell) -> Iterator[str]:
    if not cell.is_code:
        yield from ("a Markdown image" for _ in re.finditer(r"!\[\s*\](?:\(|\[)", cell.source))
        yield from _Pictures.in_html(cell.source)
    for output in cell.outputs:
        data = output.get("data", {})
        for kind, value in data.items():
            if kind in ("text/html", "text/markdown", "image/svg+xml"):
                yield from _Pictures.in_html("".join(value))
            elif kind.startswith("image/"):
                said = _alt(output, kind) or "".join(data.get("text/plain", ""))
                if not said.strip() or re.fullmatch(r"<.*>", said.strip(), flags=re.DOTALL):
                    yield f"an {kind} picture"


def _alt(output: Mapping[str, Any], kind: str) -> str:
    """Return the alt text that an output's metadata holds for a kind of picture, or ""."""
    noted = output.get("metadata", {})
    of_kind = noted.get(kind)
    return str(noted.get("alt") or (of_kind.get("alt") if isinstance(of_kind, dict) else "") or "")


class _Pictures(HTMLParser):
    """Collects pictures that say nothing; those that are marked as decoration may be silent."""

    def __init__(self) -> None:
        super().__init__()
        self.silent: list[str] = []
        self._svg = ""  # the svg whose <title> is still awaited

    @classmethod
    def in_html(cls, html: str) -> list[str]:
        parser = cls()
        parser.feed(html)
        parser.close()
        return parser.silent + ([parser._svg] if parser._svg else [])

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        said = dict(attrs)
        if said.get("aria-hidden") == "true" or said.get("role") == "presentation":
            return
        if tag == "img" and not (said.get("alt") or "").strip():
            self.silent.append("an <img>")
        elif tag == "svg" and not any(
            (said.get(key) or "").strip() for key in ("aria-label", "aria-labelledby")
        ):
            self._svg = "an <svg>"
        elif tag == "title" and self._svg:
            self._svg = ""

    def handle_endtag(self, tag: str) -> None:
        if tag == "svg" and self._svg:
            self.silent.append(self._svg)
            self._svg = ""


def _search(
    lesson: Notebook, what: re.Pattern[str], rule: str, sentence: str, sources: bool = True
) -> Iterator[Finding]:
    """Yield one finding for each cell whose source or output holds `what`."""
    for cell in lesson.cells:
        texts = [cell.source] if sources else []
        texts += [text for kind, text in cell.shown() if not kind.startswith(("image/png", "image/jpeg"))]
        texts += [str(output.get("evalue", "")) for output in cell.outputs]
        if found := next((found for text in texts if (found := what.search(text))), None):
            yield Finding(cell.name, rule, sentence.format(found[0]))


RULES: tuple[Rule, ...] = (
    metadata,
    widget,
    path,
    machine,
    address,
    loop,
    install,
    network,
    exempt,
    error,
    stderr,
    alt,
)
