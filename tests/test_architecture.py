"""The house: imports point down, across floors to a module; light to import; every name explained."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
from helpers import SRC, run_python

import teachmem

ROOT = SRC / "teachmem"

# Each floor from left to right. A core floor names its modules one by one, so that a new one has to be
# given its place here; a rim floor names its packages, whose modules may stand in any order but a circle.
GROUND = [
    "errors",
    "private",
    "frames",
    "vocabulary",
    "ids",
    "normal",
    "clock",
    "ports",
    "principal",
    "record",
    "states",
]
CORE = {
    "ledger": [
        "body",
        "schema",
        "canonical",
        "complaints",
        "address",
        "embedded",
        "served",
        "append_only",
        "twin",
        "migrations",
        "shape",
        "database",
        "copying",
        "settings",
        "rows",
        "authors",
        "chain",
        "lineage",
        "journal",
        "deep",
        "report",
        "verify",
        "keys",
        "checkpoint",
        "keeper",
        "audit",
        "eraser",
        "scrub",
    ],
    "rules": [
        "scope",
        "trust",
        "validity",
        "alike",
        "tombstone",
        "hindsight",
        "admissible",
        "census",
        "authority",
        "source",
        "suggested",
        "conflict",
        "derived",
        "case",
        "shape",
        "replay",
        "checks",
        "effects",
        "gate",
        "widen",
        "amend",
        "standing",
        "quote",
        "certificate",
        "reach",
        "erasure",
        "lifecycle",
        "reject",
        "scan",
        "inbox",
        "desk",
        "approve",
        "review",
    ],
    "recall": [
        "text",
        "tokens",
        "importance",
        "enrich",
        "score",
        "when",
        "lexical",
        "held",
        "minilm",
        "embed",
        "vectors",
        "place",
        "wiped",
        "chroma",
        "fuse",
        "index",
        "rank",
        "nearest",
        "ranked",
        "anchor",
        "hybrid",
        "surround",
        "pool",
        "scene",
        "label",
        "pack",
    ],
    "tiers": [
        "kit",
        "page",
        "search",
        "working",
        "episodic",
        "outcomes",
        "semantic",
        "decided",
        "catalogue",
        "procedural",
        "graph",
        "forgetting",
    ],
    "flow": [
        "models",
        "deadline",
        "endpoint",
        "answer",
        "suggest",
        "proposal",
        "due",
        "consolidate",
        "cluster",
        "distil",
        "untrusted",
        "context",
        "insight",
        "exchange",
        "intake",
        "backup",
        "intent",
        "reply",
        "logbook",
        "state",
        "nodes",
        "pipeline",
        "trail",
    ],
}
RIM = [
    ["standalone_verifier", "server", "show", "bench"],
    ["marks", "course"],
    ["commands", "cli", "__main__"],
]
TABLES = ["course.glossary"]  # a list of entries, not code to be read in one sitting
HEAVY = ["chromadb", "fastmcp", "matplotlib", "pandas", "ipywidgets", "IPython", "wordllama", "tokenizers"]


def files() -> dict[str, Path]:
    """Return every module by its name below `teachmem`; the package itself is ""."""
    found = {}
    for path in sorted(ROOT.rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


FILES = files()


def floor(module: str) -> tuple[int, int]:
    """Return a module's floor and its place on it, or raise `KeyError` for one without a place."""
    package, _, rest = module.partition(".")
    if module in GROUND:
        return 0, GROUND.index(module)
    if package in CORE:
        number = 1 + list(CORE).index(package)
        if not rest:
            return number, -1
        if rest in CORE[package]:
            return number, CORE[package].index(rest)
    above = len(CORE) + 1
    if module in ("handles", "store", ""):
        return above, ["handles", "store", ""].index(module)
    for number, packages in enumerate(RIM, above + 1):
        if package in packages:
            return number, packages.index(package)
    raise KeyError(module)


@dataclass(frozen=True)
class Import:
    """One thing that a module imports from teachmem: the module, and a name out of it or None."""

    by: str
    of: str
    name: str | None
    line: int

    def __str__(self) -> str:
        return (
            f"{self.by}:{self.line} imports {self.of or 'teachmem'}{f' ({self.name})' if self.name else ''}"
        )


def for_types_only(tree: ast.Module) -> set[ast.AST]:
    blocks = [node for node in ast.walk(tree) if isinstance(node, ast.If)]
    typed = [node for node in blocks if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"]
    return {inner for block in typed for node in block.body for inner in ast.walk(node)}


def imports(module: str) -> Iterator[Import]:
    """Yield what a module imports from teachmem when it runs, at its head or inside a function."""
    tree = ast.parse(FILES[module].read_text(encoding="utf-8"))
    left_out = for_types_only(tree)
    for node in ast.walk(tree):
        if node in left_out:
            continue
        if isinstance(node, ast.Import):
            for alias in node.names:
                package, _, of = alias.name.partition(".")
                if package == "teachmem":
                    yield Import(module, of, None, node.lineno)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}:{node.lineno}: imports are written in full"
            package, _, of = (node.module or "").partition(".")
            if package == "teachmem":
                for alias in node.names:
                    inner = f"{of}.{alias.name}".strip(".")
                    found = (inner, None) if inner in FILES else (of, alias.name)
                    yield Import(module, *found, node.lineno)


EVERY = [found for module in FILES for found in imports(module)]


@pytest.mark.parametrize("module", FILES)
def test_a_module_has_its_place_in_the_house(module):
    try:
        floor(module)
    except KeyError:
        pytest.fail(f"{module} stands on no floor; give it its place in tests/test_architecture.py")


@pytest.mark.parametrize("module", FILES)
def test_imports_point_down_and_on_one_floor_to_the_left(module):
    for found in (item for item in EVERY if item.by == module):
        own, other = floor(module), floor(found.of)
        same_package = own == other  # modules of one rim package: see the next test
        assert other < own or same_package, found


def test_no_modules_import_each_other_in_a_circle():
    graph = {module: {found.of for found in EVERY if found.by == module} - {module} for module in FILES}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" <- ".join(error.args[1]))


def functions(module: str) -> set[str]:
    tree = ast.parse(FILES[module].read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}


@pytest.mark.parametrize("module", [module for module in FILES if module])
def test_across_floors_a_function_is_called_through_its_module(module):
    """So that a foil or a rebuilt module takes effect. Classes, constants and records come by name.

    The ground is exempt: its functions say what a moment, a name or a normal form is, and nothing is
    ever put in their place. So is `teachmem` itself, which only hands names on.
    """
    own = floor(module)[0]
    across = [found for found in EVERY if found.by == module and 0 < floor(found.of)[0] != own]
    assert [str(found) for found in across if found.name in functions(found.of)] == []


@pytest.mark.parametrize("name", teachmem.__all__)
def test_the_package_only_hands_names_on(name):
    assert getattr(teachmem, name).__module__.removeprefix("teachmem.") in FILES


def test_the_core_reaches_for_no_clock_no_chance_and_no_settings_of_the_machine():
    """Clock and ids are passed in: only their own two modules ask the machine."""
    forbidden = {"random", "time", "uuid", "secrets", "socket", "locale"}
    core = [module for module in FILES if floor(module)[0] <= len(CORE)]
    for module in set(core) - {"ids"}:
        tree = ast.parse(FILES[module].read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                assert not forbidden & {alias.name.partition(".")[0] for alias in node.names}, module
            if isinstance(node, ast.ImportFrom):
                assert (node.module or "").partition(".")[0] not in forbidden, module
            if isinstance(node, ast.Attribute) and module != "clock":
                assert node.attr not in ("utcnow", "today"), f"{module}:{node.lineno}"
                asked = (
                    node.attr == "now" and isinstance(node.value, ast.Name) and node.value.id == "datetime"
                )
                assert not asked, f"{module}:{node.lineno}"


def test_importing_every_name_of_teachmem_loads_nothing_heavy():
    loaded = run_python(
        f"import sys; from teachmem import *; print([x for x in {HEAVY} if x in sys.modules])"
    )
    assert loaded.strip() == "[]"


def test_a_write_and_a_recall_load_nothing_heavy_either():
    code = """
import sys, teachmem
with teachmem.open_memory() as mem:
    tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
    tech.working.write("arm-1", "observed", "drift", "arm 1 drifts")
    tech.episodic.log("observation", "gate four is open")
    assert tech.working.read() and tech.episodic.recall("gate") and mem.audit.verify().status == "complete"
"""
    loaded = run_python(f"{code}\nprint([name for name in {HEAVY} if name in sys.modules])")
    assert loaded.strip() == "[]"


def public(tree: ast.Module) -> Iterator[tuple[str, ast.AST]]:
    """Yield the module and every public class, function and method in it."""
    yield "the module", tree
    defined = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    for node in tree.body:
        if isinstance(node, defined) and not node.name.startswith("_"):
            yield node.name, node
            for inner in node.body if isinstance(node, ast.ClassDef) else ():
                if isinstance(inner, defined) and not inner.name.startswith("_"):
                    yield f"{node.name}.{inner.name}", inner


@pytest.mark.parametrize("module", FILES)
def test_every_public_name_says_what_it_is(module):
    tree = ast.parse(FILES[module].read_text(encoding="utf-8"))
    assert [name for name, node in public(tree) if not (ast.get_docstring(node) or "").strip()] == []


@pytest.mark.parametrize("module", [module for module in FILES if module not in TABLES])
def test_a_module_can_be_read_in_one_sitting(module):
    assert len(FILES[module].read_text(encoding="utf-8").splitlines()) <= 300
