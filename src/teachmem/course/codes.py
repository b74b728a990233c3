"""The codes that an instructor holds: of which journal, which entry, and since when.

A code is that of a checkpoint (`ledger/checkpoint.py`) with the student's id for a tenant: id, number
of the entry, and 80 bits of its hash with a sign that tells most misreadings. The list is a CSV file
with the columns `date`, `name` and `code`, to be kept where no student writes.

>>> first = linked.entry(None, {"event": "begin", "student": "7K3M9Q2W"})
>>> said = code_of("7K3M9Q2W", first)
>>> said
'7K3M9Q2W 1 0PTG-KFJY-PNJ6-RQAX-B'
>>> read_aloud(said.lower()).fits(first.hash)
True

Left out: when the code was handed in. The date is the instructor's word.
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from teachmem import private
from teachmem.course import linked, words
from teachmem.errors import InvalidInput
from teachmem.ledger import checkpoint
from teachmem.ledger.report import Held
from teachmem.normal import nfc

COLUMNS = ("date", "name", "code")
FORMULA = "=+-@\t\r"  # what a spreadsheet would calculate
MARK = "'"  # which it takes off again, and so do we


@dataclass(frozen=True, slots=True)
class Kept:
    """One row of the list."""

    date: date
    name: str
    held: Held

    @property
    def student(self) -> str:
        """The id of the journal."""
        return self.held.tenant

    @property
    def seq(self) -> int:
        """The number of the entry."""
        return self.held.seq


def code_of(student: str, entry: linked.Entry) -> str:
    """Return the code of an entry of a student's journal: what one reads aloud."""
    return f"{student} {entry.seq} {checkpoint.code_of(student, entry.seq, entry.hash)}"


def read_aloud(code: str) -> Held:
    """Return what a code holds. Raises `InvalidInput` for one that is none, or was misread."""
    student, _, rest = code.strip().partition(" ")
    found = checkpoint.held(f"{checkpoint.as_signs(student)} {rest}") if checkpoint.is_spoken(code) else []
    if not found:
        raise InvalidInput("code", words.GRADE_NO_CODE.format(given=repr(code)))
    return found[0]


def read(file: Path) -> list[Kept]:
    """Return the rows of a list. Raises `InvalidInput` that names a row which cannot be read."""
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InvalidInput("codes", words.GRADE_NO_LIST.format(file=file, reason=reason)) from error
    first = text.partition("\n")[0]
    rows = csv.DictReader(io.StringIO(text), delimiter=";" if ";" in first else ",")
    if not set(COLUMNS) <= set(rows.fieldnames or ()):
        raise InvalidInput("codes", words.GRADE_LIST_HEAD.format(file=file, columns=words.listed(COLUMNS)))
    found = []
    try:
        told = list(rows)
    except csv.Error as error:
        raise InvalidInput("codes", words.GRADE_NO_LIST.format(file=file, reason=error)) from error
    for number, row in enumerate(told, 2):
        try:
            found.append(
                Kept(date.fromisoformat(row["date"].strip()), _bare(row["name"]), read_aloud(row["code"]))
            )
        except (ValueError, AttributeError, InvalidInput) as error:
            raise InvalidInput(
                "codes", words.GRADE_LIST_ROW.format(file=file, number=number, reason=error)
            ) from error
    return found


def keep(file: Path, today: date, named: Iterable[tuple[str, str]]) -> int:
    """Add a row for each name and code that the list does not hold yet; return how many."""
    has = file.exists() and file.stat().st_size > 0
    known = {(one.student, one.seq) for one in read(file)} if has else set()
    rows = [
        (today.isoformat(), tabled(name), code)
        for name, code in named
        if ((one := read_aloud(code)).tenant, one.seq) not in known
    ]
    with os.fdopen(private.open_file(file), "a", encoding="utf-8", newline="") as pipe:
        csv.writer(pipe, lineterminator="\n").writerows([*([] if has else [COLUMNS]), *rows])
    return len(rows)


def tabled(text: str) -> str:
    """Return a text as a table may hold it: what a spreadsheet would calculate gets a mark in front."""
    return MARK + text if _calculated(text) else text


def called(name: str) -> str:
    """Return what two spellings of one name have in common: the same signs, in any case.

    >>> called("Jose\u0301  L.") == called("jos\u00e9 l.")
    True
    """
    return " ".join(nfc(nfc(name).casefold()).split())


def _calculated(text: str) -> bool:
    return text.lstrip(MARK)[:1] in tuple(FORMULA)


def _bare(text: str) -> str:
    text = text.strip()
    return text[1:] if text[:1] == MARK and _calculated(text) else text
