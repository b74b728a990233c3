"""Each module's laws: the package's own obeys them, another right one does, wrong ones are told why."""

from __future__ import annotations

import ast
import re
import time
from collections import defaultdict
from functools import cache
from types import SimpleNamespace

import pytest
import rebuilt
import wrong_modules
from helpers import SRC

from teachmem.course.rebuilding import contracts, law

ROOT = SRC / "teachmem"
BUILT = [name for name in contracts.MODULES if name in wrong_modules.WRONG]
WRONG = [(name, one) for name in BUILT for one in wrong_modules.WRONG[name]]
RIGHT = [(name, one) for name in wrong_modules.RIGHT for one in wrong_modules.RIGHT[name]]


def named(value: object) -> str | None:
    return getattr(value, "called", value if isinstance(value, str) else None)


@pytest.mark.parametrize("name", contracts.MODULES)
def test_the_package_obeys_its_laws(name):
    module = rebuilt.with_own(name)
    assert rebuilt.broken(name, module) == {}


@pytest.mark.parametrize(("name", "one"), RIGHT, ids=named)
def test_another_right_module_obeys_them_too(name, one, tmp_path):
    assert rebuilt.broken(name, rebuilt.module_of(rebuilt.altered(name, *one.changes), tmp_path)) == {}


@pytest.mark.parametrize(("name", "one"), WRONG, ids=named)
def test_a_wrong_module_is_told_so_with_a_counter_example(name, one, tmp_path):
    module = rebuilt.module_of(rebuilt.altered(name, *one.changes), tmp_path)
    told = rebuilt.broken(name, module, one.law).get(one.law, "the law holds")
    assert re.search(one.told, told), told
    assert len(told) <= law.LONGEST
    if one is wrong_modules.WRONG[name][0]:  # the same to everybody, every time
        assert rebuilt.broken(name, module, one.law)[one.law] == told


@pytest.mark.parametrize("name", contracts.MODULES)
def test_three_wrong_modules_at_least_are_refused_and_each_law_refuses_one(name):
    wrong = wrong_modules.WRONG[name]
    assert len(wrong) >= 3
    assert {one.law for one in wrong} == {one.__name__ for one in contracts.find(name).laws}


@pytest.mark.parametrize("name", contracts.MODULES)
def test_a_law_says_in_one_sentence_what_holds(name):
    for one in contracts.find(name).laws:
        told = contracts.sentence(one)
        assert re.fullmatch(r"[A-Z`].*[.]", told), told


@cache
def used() -> dict[str, set[str]]:
    """Return the public names of the modules that others of the package call them by."""
    found: dict[str, set[str]] = defaultdict(set)
    for file in sorted(set(ROOT.rglob("*.py")) - set(ROOT.rglob("foils_of_*.py"))):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        held = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("teachmem"):
                base = (node.module or "").removeprefix("teachmem").strip(".")
                for name in node.names:
                    if f"{base}.{name.name}" in contracts.MODULES:
                        held[name.asname or name.name] = f"{base}.{name.name}"
                    elif base in contracts.MODULES:
                        found[base].add(name.name)
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in held:
                found[held[node.value.id]].add(node.attr)
    return found


@pytest.mark.parametrize("name", contracts.MODULES)
def test_a_contract_lists_what_the_package_calls_the_module_by(name):
    public = {one for one in used()[name] if not one.startswith("_")}
    assert public <= set(contracts.find(name).names)
    text = contracts.show_contract(name)
    assert all(one in text for one in contracts.find(name).names)
    assert " object at 0x" not in text


def test_a_module_that_answers_in_two_ways_is_told_so():
    calls = iter(range(10**6))
    fickle = SimpleNamespace(**vars(rebuilt.with_own("score", recency=lambda age, half_life: next(calls))))
    assert rebuilt.broken("score", fickle, "every_half_life_halves")["every_half_life_halves"].startswith(
        "your recency(0.0, 1.0) gave"
    )


@pytest.mark.parametrize(
    ("does", "told"),
    [
        (lambda *_: 1 / 0, "raised ZeroDivisionError: division by zero"),
        (lambda *_: exit(3), "tried to leave Python (SystemExit)"),
        (lambda *_: "half", "gave 'half'"),
        (lambda *_: None, "gave None"),
    ],
)
def test_whatever_a_function_does_is_a_counter_example(does, told):
    module = rebuilt.with_own("score", recency=does)
    assert told in rebuilt.broken("score", module, "every_half_life_halves")["every_half_life_halves"]


def test_a_search_that_takes_too_long_tells_what_it_has(monkeypatch):
    monkeypatch.setattr(law, "SECONDS", 0.3)

    def slow(age, half_life):
        time.sleep(0.02)
        return 0.75

    found = rebuilt.broken("score", rebuilt.with_own("score", recency=slow), "every_half_life_halves")
    assert re.fullmatch(r"your recency\(.*\) gave 0.75, .* was due", found["every_half_life_halves"])
