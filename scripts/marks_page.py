"""Write the lists in docs/marks.md: each mark, each probe, each foil and who finds it, out of the code.

.venv/bin/python scripts/marks_page.py          # writes the page; takes a minute or two
"""

from __future__ import annotations

import re
from pathlib import Path

from teachmem.marks import foil, matrix, probe
from teachmem.marks.matrix import Matrix
from teachmem.marks.probe import QUESTIONS, Mark

PAGE = Path(__file__).resolve().parents[1] / "docs" / "marks.md"
BEGIN, END = "<!-- {} -->", "<!-- end of {} -->"


def of_probes() -> str:
    """Return each mark with its question and its probes."""
    lines = []
    for mark in Mark:
        lines += [f"### {mark}", "", QUESTIONS[mark], "", "| probe | asks |", "|---|---|"]
        lines += [f"| `{one.name}` | {one.asks} |" for one in probe.probes(mark)]
        lines.append("")
    return "\n".join(lines).strip()


def of_foils(computed: Matrix) -> str:
    """Return each foil with its story, and the probes that find it."""
    lines = ["| foil | what is seen | how it comes about | found by |", "|---|---|---|---|"]
    for one in foil.foils():
        found = ", ".join(f"`{name}`" for name in computed.caught_by(one.name))
        lines.append(f"| `{one.name}` | {one.seen} | {one.mechanism} | {found} |".replace("*", r"\*"))
    return "\n".join(lines)


def pairs() -> set[tuple[str, str]]:
    """Return each foil with each probe that the page says finds it."""
    rows = [line.split(" | ") for line in block(PAGE.read_text(encoding="utf-8"), "foils").splitlines()[2:]]
    return {(row[0].strip("| `"), name) for row in rows for name in re.findall(r"`(\w+)`", row[-1])}


def block(text: str, name: str) -> str:
    """Return what stands between the marks of `name` on a page."""
    return text.split(BEGIN.format(name))[1].split(END.format(name))[0].strip()


def replaced(text: str, name: str, lines: str) -> str:
    """Return the page with other lines between the marks of `name`."""
    before, rest = text.split(BEGIN.format(name))
    return f"{before}{BEGIN.format(name)}\n\n{lines}\n\n{END.format(name)}{rest.split(END.format(name))[1]}"


def main() -> None:
    """Write the page anew."""
    text = PAGE.read_text(encoding="utf-8")
    text = replaced(text, "probes", of_probes())
    text = replaced(text, "foils", of_foils(matrix.compute()))
    PAGE.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
