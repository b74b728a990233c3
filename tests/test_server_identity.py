"""Tokens: what opens, what does not, and what the file tells whoever reads it."""

import json
import os
import stat

import pytest
from helpers import start_python

from teachmem import InvalidInput, TeachmemError
from teachmem.principal import Principal
from teachmem.server.identity import PREFIX, TokenBook
from teachmem.vocabulary import Role

DOCK = Principal("northlight", "dock", "dock-1")
LEAD = Principal("northlight", "dock", "shift-lead", Role.PERSON, 2)


@pytest.fixture
def book(tmp_path):
    return TokenBook(tmp_path / "deep" / "tokens.json")


def test_a_token_stands_for_whom_it_was_made_for_and_no_other_text_does(book):
    dock, lead = book.make(DOCK, now=100), book.make(LEAD, now=100)
    assert book.principal(dock, now=101) == DOCK
    assert book.principal(lead, now=101) == LEAD
    digests = [grant.digest for grant in book.grants()]
    for text in (
        "",
        PREFIX,
        dock[:-1],
        dock + " ",
        dock.upper(),
        "x" * 10_000,
        *digests,
        PREFIX + digests[0],
    ):
        assert book.principal(text, now=101) is None


def test_it_ends_when_it_was_said_to_and_when_it_is_revoked(book):
    short, long = book.make(DOCK, now=100, seconds=10), book.make(LEAD, now=100)
    assert book.principal(short, now=109.9) == DOCK
    assert book.principal(short, now=110) is None
    found = next(grant for grant in book.grants() if grant.principal == LEAD)
    other = TokenBook(book.path)
    assert other.principal(long, now=111) == LEAD
    book.revoke(found.grant_id, now=112)
    assert other.principal(long, now=112) is None, "another process must see it at once"
    with pytest.raises(InvalidInput, match="no open token"):
        book.revoke(found.grant_id, now=113)
    with pytest.raises(InvalidInput, match="seconds"):
        book.make(DOCK, now=1, seconds=0)


def test_the_file_holds_no_token_and_is_its_owners_only(book):
    token = book.make(DOCK, now=100)
    text = book.path.read_text(encoding="utf-8")
    assert token not in text
    assert token.removeprefix(PREFIX) not in text
    if os.name == "posix":
        assert stat.S_IMODE(book.path.stat().st_mode) == 0o600
        book.path.chmod(0o644)
        with pytest.raises(TeachmemError, match="chmod 600"):
            TokenBook(book.path).principal(token, now=101)


@pytest.mark.parametrize(
    "wrong",
    ["{", "[1]", '[{"digest": "x"}]', "null"],
)
def test_a_damaged_file_is_said_and_kept(book, wrong):
    book.make(DOCK, now=100)
    book.path.write_text(wrong, encoding="utf-8")
    with pytest.raises(TeachmemError, match="no file of tokens"):
        TokenBook(book.path).make(DOCK, now=101)
    assert book.path.read_text(encoding="utf-8") == wrong


def test_no_token_stands_for_the_system(book):
    book.make(DOCK, now=100)
    rows = json.loads(book.path.read_text(encoding="utf-8"))
    rows[0]["role"] = "system"
    book.path.write_text(json.dumps(rows), encoding="utf-8")
    with pytest.raises(TeachmemError, match="role system"):
        TokenBook(book.path).grants()


def test_two_processes_making_tokens_lose_none(book):
    code = """
import sys
from pathlib import Path
from teachmem.principal import Principal
from teachmem.server.identity import TokenBook
book = TokenBook(Path(sys.argv[1]))
for n in range(20):
    book.make(Principal("northlight", "dock", f"{sys.argv[2]}-{n}"), now=n)
"""
    book.make(DOCK, now=0)
    started = [start_python(code, book.path, name) for name in ("a", "b")]
    for process in started:
        _, told = process.communicate(timeout=60)
        assert process.returncode == 0, told
    assert len(book.grants()) == 41
