"""What a rule of the linter says, and the shape that every rule has.

>>> print(Finding("check-2-1", "pace", "no check stands before this run"))
check-2-1: pace: no check stands before this run

Left out: the rules.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from teachmem.course import notebook


@dataclass(frozen=True, slots=True)
class Finding:
    """One place that does not keep to a rule; `cell` is its id, or "" for the notebook as a whole."""

    cell: str
    rule: str
    sentence: str

    def __str__(self) -> str:
        return f"{self.cell or 'notebook'}: {self.rule}: {self.sentence}"


#: A rule takes the notebook and the folder it lies in.
Rule = Callable[[notebook.Notebook, Path], Iterator[Finding]]


def calls(cell: notebook.Cell, owner: str) -> Iterator[tuple[str, ast.Call]]:
    """Yield every call `owner.method(...)` of a code cell with the method's name.

    >>> cell = notebook.Cell(1, {"cell_type": "code", "source": "lesson.check('2.1', half)"})
    >>> [method for method, _ in calls(cell, "lesson")]
    ['check']
    """
    for node in ast.walk(tree(cell)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            parts = ast.unparse(node.func).split(".")
            if owner in parts[:-1]:
                yield parts[-1], node


def tree(cell: notebook.Cell) -> ast.Module:
    """Return the syntax tree of a code cell without its magics; an empty one where it has none."""
    lines = [
        line if not re.match(r"\s*[%!]", line) else ""
        for line in (cell.source if cell.is_code else "").split("\n")
    ]
    try:
        return ast.parse("\n".join(lines))
    except SyntaxError:
        return ast.Module(body=[], type_ignores=[])


def first_text(call: ast.Call) -> str | None:
    """Return the first argument of a call if it is a text that is written out."""
    first = call.args[0] if call.args else None
    return first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else None
