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

import inspect
from importlib import import_module
from typing import TYPE_CHECKING, Any

from teachmem.errors import InvalidInput

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
    """Return a module's contract."""
    home = f"{__package__}.laws_of_{full_name(module).rpartition('.')[2]}"
    found: Contract = import_module(home).CONTRACT
    return found


def sentence(law: Any) -> str:
    """Return what a law says holds: the first line of its docstring."""
    return (inspect.getdoc(law) or "").splitlines()[0]


def show_contract(module: object) -> str:
    """Return a contract in words: each name with the package's signature, then the laws."""
    contract = find(module)
    ours = import_module(f"teachmem.{contract.module}")
    lines = [f"{contract.module}: what takes its place offers"]
    lines += [f"  {_signature(name, getattr(ours, name))}" for name in contract.names]
    lines += ["and obeys", *(f"  {sentence(law)}" for law in contract.laws)]
    return "\n".join(lines)


def _signature(name: str, thing: Any) -> str:
    if not callable(thing) or not hasattr(thing, "__module__"):
        return f"{name} = {thing!r}" if len(repr(thing)) < 60 else name
    try:
        told = inspect.signature(thing)
    except (TypeError, ValueError):
        return name
    kind = "class " if inspect.isclass(thing) else ""
    fields = str(told) if not kind or len(told.parameters) < 8 else "(...)"
    return f"{kind}{name}{fields.replace('teachmem.', '')}"
