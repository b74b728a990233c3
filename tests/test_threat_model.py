"""The threat model names tests that exist, and no claim stands without one."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "threat-model.md").read_text(encoding="utf-8")
NAMED = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")
CLAIMS = [
    line
    for line in PAGE.splitlines()
    if line.startswith("| ") and not line.startswith(("| claim |", "| who |")) and line.count("|") == 3
]


@cache
def names_in(file):
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}


@pytest.mark.parametrize(("file", "name"), sorted(set(NAMED.findall(PAGE))))
def test_a_named_test_exists(file, name):
    assert (ROOT / file).is_file(), f"there is no {file}"
    assert name in names_in(file), f"{file} has no {name}; the claim has lost its proof"


@pytest.mark.parametrize("line", CLAIMS)
def test_no_claim_stands_without_a_test(line):
    _, claim, shown, _ = line.split("|")
    assert NAMED.search(shown), f"nothing shows that {claim.strip()}"
    assert not NAMED.sub("", shown).strip(" ,"), "only tests stand in the second column"


def test_each_holder_has_a_section_and_each_section_says_what_is_not_defended():
    sections = PAGE.split("\n## ")[1:]
    titles = [section.splitlines()[0] for section in sections]
    assert titles[0] == "Who holds what"
    assert len(CLAIMS) > 30
    for section in sections[1:]:
        assert re.search(r"\*not\s+defended\*", section), f"{section.splitlines()[0]}: what is out of reach?"
        assert NAMED.search(section)
