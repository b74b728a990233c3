"""A package's module with one thing changed, as a student's might be, and what its laws say of it."""

from __future__ import annotations

import importlib.util
import itertools
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from teachmem.course.rebuilding import contracts, inside

_numbers = itertools.count(1)


def source(name: str) -> str:
    return Path(str(import_module(f"teachmem.{contracts.full_name(name)}").__file__)).read_text(
        encoding="utf-8"
    )


def altered(name: str, *changes: tuple[str, str]) -> str:
    """Return a module's source with every change made, each in all its places."""
    text = source(name)
    for old, new in changes:
        assert old in text, f"{name} has no {old!r} any more; change the test with it"
        text = text.replace(old, new)
    return text


def module_of(text: str, folder: Path) -> ModuleType:
    """Return a source as a module, which is not put in the place of any other."""
    name = f"rebuilt_{next(_numbers)}"
    file = folder / f"{name}.py"
    file.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def with_own(name: str, **own: Callable[..., Any]) -> ModuleType:
    """Return the package's module with some names replaced, as `part=True` has it."""
    module = ModuleType("rebuilt")
    vars(module).update(vars(import_module(f"teachmem.{contracts.full_name(name)}")), **own)
    return module


def broken(name: str, module: ModuleType, only: str = "") -> dict[str, str]:
    """Return the laws that a module breaks, each with the counter-example; `only` asks one of them."""
    asked = [one for one in contracts.find(name).laws if only in ("", one.__name__)]
    found = {one.__name__: inside.broken(one, module) for one in asked}
    return {law: told for law, told in found.items() if told}
