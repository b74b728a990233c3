"""Which modules can be rebuilt, and what each must offer and obey.

>>> print(show_contract("validity").splitlines()[0])
rules.validity: what takes its place offers
>>> find("recall.tokens")
Traceback (most recent call last):
    ...
teachmem.errors.InvalidInput: module: 'recall.tokens' cannot be rebuilt; these can: ledger.canonical, ...

Left out: the laws; each module's are in `laws_of_*.py`.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Container, Iterator
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from teachmem.errors import InvalidInput, TeachmemError

if TYPE_CHECKING:
    from teachmem.course.rebuilding.law import Contract

#: From the ground up, as they may be rebuilt one after the other.
MODULES = (
    "ledger.canonical",
    "ledger.chain",
    "rules.scope",
    "rules.trust",
    "rules.validity",
    "rules.tombstone",
    "rules.gate",
    "recall.score",
    "recall.lexical",
    "recall.fuse",
    "flow.consolidate",
    "flow.context",
)


def full_name(module: object) -> str:
    """Return the name below teachmem of a module: `score` and `teachmem.recall.score` are `recall.score`.

    Raises `InvalidInput`, which names those there are.
    """
    asked = str(module).removeprefix("teachmem.")
    for name in MODULES:
        if asked in (name, name.rpartition(".")[2]):
            return name
    raise InvalidInput("module", f"{module!r} cannot be rebuilt; these can: {', '.join(MODULES)}")


def find(module: object) -> Contract:
    """Return a module's contract. Raises `TeachmemError` where hypothesis, which tries laws, is missing."""
    home = f"{__package__}.laws_of_{full_name(module).rpartition('.')[2]}"
    try:
        found: Contract = import_module(home).CONTRACT
    except ModuleNotFoundError as error:
        if error.name != "hypothesis":
            raise
        raise TeachmemError("the laws need hypothesis; install the extra teachmem[core]") from None
    return found


def sentence(law: Any) -> str:
    """Return what a law says holds: the first line of its docstring."""
    return (inspect.getdoc(law) or "").splitlines()[0]


def show_contract(module: object) -> str:
    """Return a contract in words: each name as the package's module writes it, then the laws."""
    found = find(module)
    file = import_module(f"teachmem.{found.module}").__file__
    tree = ast.parse(Path(str(file)).read_text(encoding="utf-8"))
    lines = [f"{found.module}: what takes its place offers"]
    lines += [f"  {line}" for node in tree.body for line in _heads(node, found.names)]
    return "\n".join([*lines, "and obeys", *(f"  {sentence(law)}" for law in found.laws)])


def _heads(node: ast.stmt, names: Container[str]) -> Iterator[str]:
    """Yield what a statement says of these names: a signature, a class with its own, a value."""
    if isinstance(node, ast.FunctionDef) and node.name in names:
        yield f"{node.name}({ast.unparse(node.args)}) -> {ast.unparse(node.returns or ast.Constant(None))}"
    elif isinstance(node, ast.ClassDef) and node.name in names:
        fields = list(dict.fromkeys(_fields(node)))
        yield f"class {node.name}" + (f"({', '.join(fields)})" if fields else "")
        for one in node.body:
            if isinstance(one, ast.FunctionDef) and not one.name.startswith("_"):
                yield from (f"    {line}" for line in _heads(one, [one.name]))
    elif isinstance(node, ast.Assign):
        held = (one.id for one in node.targets if isinstance(one, ast.Name))
        yield from (ast.unparse(node) for name in held if name in names)


def _fields(node: ast.ClassDef) -> Iterator[str]:
    """Yield what the objects of a class hold: the fields of a record, and what is set on `self`."""
    for one in node.body:
        if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name):
            yield one.target.id
    for inner in ast.walk(node):
        if isinstance(inner, ast.Attribute) and isinstance(inner.ctx, ast.Store) and inner.attr[0] != "_":
            yield inner.attr
