"""What a student hands in as their module, as another process can load it.

A path to a file, a module object (its file is taken), or what is written in a notebook: a class or any
other namespace whose names are the module's.

>>> class validity:
...     def holds(at, valid_from, valid_to, expires_at):
...         return valid_from <= at < valid_to
>>> one = taken(validity)
>>> one.called, one.pickled
('validity', True)
>>> taken("nowhere.py")
Traceback (most recent call last):
    ...
teachmem.errors.InvalidInput: module: there is no file 'nowhere.py'; give the path of a Python file

Left out: running it. Nothing of it runs in this process, but for what copying it calls.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import inspect
import pickle
import sys
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import cloudpickle

from teachmem.course import parcel
from teachmem.errors import InvalidInput


@dataclass(frozen=True, slots=True)
class Own:
    """What was handed in: what it is called, its bytes, and the source of its names where there is one."""

    called: str
    body: bytes
    pickled: bool
    sources: Mapping[str, str]

    @property
    def digest(self) -> str:
        """Twelve signs of the SHA-256 of the bytes."""
        return hashlib.sha256(self.body).hexdigest()[:12]

    def saved(self, folder: Path) -> Path:
        """Write it into `folder`, and return its file."""
        file = folder / ("own.pickle" if self.pickled else "own.py")
        file.write_bytes(self.body)
        return file


def taken(module: object) -> Own:
    """Return what was handed in, or raise `InvalidInput` for what cannot be a module."""
    if isinstance(module, str | Path):
        return _file(Path(module).expanduser())
    if isinstance(module, ModuleType) and getattr(module, "__file__", None):
        return _file(Path(str(module.__file__)))
    if isinstance(module, type | ModuleType | SimpleNamespace):
        called = getattr(module, "__name__", "a namespace")
        return _names(called, vars(module))
    if isinstance(module, Mapping):
        return _names("a dictionary", module)
    kind = type(module).__name__
    raise InvalidInput(
        "module", f"must be a path, a module, or a class that holds its names, not of type {kind}"
    )


def _file(path: Path) -> Own:
    try:
        body = path.read_bytes()
    except OSError:
        raise InvalidInput(
            "module", f"there is no file {str(path)!r}; give the path of a Python file"
        ) from None
    try:
        text = body.decode("utf-8")
        tree = ast.parse(text)
    except (SyntaxError, ValueError) as error:
        raise InvalidInput("module", f"{path.name} is no Python: {error}") from None
    return Own(path.name, body, False, sources_of(text, tree))


def sources_of(text: str, tree: ast.Module | None = None) -> dict[str, str]:
    """Return the source of every function and class of a module, as `inspect.getsource` gives it."""
    lines = text.splitlines(keepends=True)
    found = {}
    for node in (tree or ast.parse(text)).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
            found[node.name] = "".join(lines[first - 1 : node.end_lineno])
    return found


def _names(called: str, held: Mapping[str, Any]) -> Own:
    names = {name: _plain(thing) for name, thing in held.items() if not name.startswith("_")}
    try:
        with _by_value(names.values()):
            packed = parcel.pack(names).body
    except parcel.CannotSend as problem:
        raise InvalidInput("module", str(problem)) from None
    sources = {}
    for name, thing in names.items():
        with contextlib.suppress(OSError, TypeError):
            sources[name] = textwrap.dedent(inspect.getsource(thing))
    return Own(called, pickle.dumps((packed, sources)), True, sources)


@contextlib.contextmanager
def _by_value(things: Iterable[Any]) -> Iterator[None]:
    """Have what stands in a student's file copied whole: its import there might want the kit too early."""
    homes = {getattr(thing, "__module__", "") or "" for thing in things}
    homes -= {"__main__", *(name for name in homes if name.partition(".")[0] in ("", "teachmem", "builtins"))}
    modules = [sys.modules[home] for home in homes if home in sys.modules]
    for module in modules:
        cloudpickle.register_pickle_by_value(module)
    try:
        yield
    finally:
        for module in modules:
            cloudpickle.unregister_pickle_by_value(module)


def _plain(thing: Any) -> Any:
    """Return the function that a class holds as one without `self`."""
    return thing.__func__ if isinstance(thing, staticmethod) else thing
