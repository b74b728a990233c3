"""One source for the words of the course: complete, plain, used, and the page made from it is not stale."""

import re
from pathlib import Path

import pytest

import teachmem
from teachmem.course import glossary

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "glossary.md"


def used_text() -> str:
    """All that speaks of memory outside the glossary: the package, its documents, the notebooks."""
    files = [
        *(path for path in (ROOT / "src").rglob("*.py") if path.name != "glossary.py"),
        *(path for path in ROOT.glob("*.md")),
        *(ROOT / "notebooks").glob("*.ipynb"),
    ]
    return "\n".join(path.read_text(encoding="utf-8") for path in files)


def test_the_page_is_what_the_table_says():
    assert PAGE.read_text(encoding="utf-8") == glossary.as_markdown(), (
        "docs/glossary.md is stale: python -m teachmem.course.glossary > docs/glossary.md"
    )


def test_every_link_of_the_page_ends_at_a_heading_or_an_anchor():
    page = PAGE.read_text(encoding="utf-8")
    ends = set(re.findall(r'<a id="(.+?)">', page))
    ends |= {heading.replace(" ", "-") for heading in re.findall(r"^## (.+)$", page, flags=re.MULTILINE)}
    assert set(glossary.ANCHORS) <= ends
    assert set(re.findall(r"\]\(#(.+?)\)", page)) <= ends


@pytest.mark.parametrize("term", glossary.TERMS.values(), ids=lambda term: term.anchor)
def test_a_term_is_defined_in_one_or_two_plain_sentences(term):
    sentences = re.findall(r"[.?](?:\s|$)", term.definition)
    assert 1 <= len(sentences) <= 2
    assert term.definition.endswith(".")
    assert len(term.definition.split()) <= 45
    assert set(term.see) <= set(glossary.TERMS), f"{term.term} points at a term that is not there"
    assert term.term not in term.see
    assert re.fullmatch(r"(\d\d)?", term.segment)


def test_terms_and_anchors_are_each_there_once():
    assert len(glossary.TERMS) == len(glossary.ANCHORS)
    forms = [form.lower() for term in glossary.TERMS.values() for form in (term.term, *term.also)]
    assert len(forms) == len(set(forms))


def test_every_term_is_used():
    text = used_text()
    unused = [term.term for term in glossary.TERMS.values() if not term.occurs_in(text)]
    assert not unused


def test_every_public_name_has_its_term():
    told = [name for term in glossary.TERMS.values() for name in term.names]
    assert sorted([*told, *glossary.PLAIN_NAMES]) == sorted(teachmem.__all__)


def test_a_term_is_found_as_a_word_and_not_inside_one():
    stem = glossary.TERMS["stem"]
    assert stem.occurs_in("The stems of two words")
    assert not stem.occurs_in("The system of two worlds")
