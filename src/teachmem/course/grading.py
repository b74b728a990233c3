"""Journals that were handed in, checked offline: each by itself, beside the others, and with the codes.

A journal that hangs together is *consistent, not proven*: whoever holds it can write all of it anew.
With a code that somebody else has held it is *proven* up to the entry that the code was made of. What
came later hangs together, and no more.

>>> from tempfile import TemporaryDirectory
>>> from teachmem.course.journal import Journal as Diary
>>> with TemporaryDirectory() as folder:
...     Diary(Path(folder), student="7K3M9Q2W").add("02", "check", "2.1", outcome="yes")
...     print(grade(folder))
1 journal: 1 consistent, not proven
<BLANKLINE>
progress.jsonl: 7K3M9Q2W, no name said
  consistent, not proven: 2 entries, and no code of any
...

Left out: marks and a ranking, and proof of who sat at the keyboard.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

from teachmem import frames
from teachmem.course import codes, graded_text, handed, linked, words
from teachmem.course.codes import Kept
from teachmem.course.handed import Journal
from teachmem.errors import InvalidInput
from teachmem.ledger.chain import Finding

if TYPE_CHECKING:
    import pandas as pd

SAME_MOMENTS = 3  # so many events of one and the same microsecond are no coincidence


class Status(StrEnum):
    """What may be said of a journal, best first."""

    PROVEN = "proven"
    CONSISTENT = "consistent, not proven"
    UNCHAINED = "unchained"
    UNREADABLE = "unreadable"
    BROKEN = "broken"


@dataclass(slots=True)
class Graded:
    """One journal with what was found; `proven` is the last entry that a code proves."""

    journal: Journal
    findings: list[Finding]
    remarks: list[str]
    proven: int = 0
    held: str = ""  # the date of the code that proves

    @property
    def status(self) -> Status:
        """The least that may be said."""
        if self.journal.fault:
            return Status.UNREADABLE
        if self.findings:
            return Status.BROKEN
        if not self.journal.walk.entries:
            return Status.UNCHAINED
        return Status.PROVEN if self.proven else Status.CONSISTENT


@dataclass(frozen=True, slots=True, repr=False)
class Report:
    """All journals of a folder, and the codes of which no journal was handed in."""

    journals: tuple[Graded, ...]
    missing: tuple[str, ...] = field(default=())

    @property
    def counts(self) -> Counter[Status]:
        """How many journals have which status."""
        return Counter(one.status for one in self.journals)

    def __str__(self) -> str:
        return "\n".join(graded_text.lines(self))

    __repr__ = __str__

    def rows(self) -> list[dict[str, Any]]:
        """Return one row for each prediction and exercise of each journal; none is left without a row."""
        found: list[dict[str, Any]] = []
        for one in self.journals:
            journal = one.journal
            whose = {"file": journal.file, "student": journal.student, "name": journal.name}
            whose["status"] = str(one.status)
            empty = dict.fromkeys(("segment", "id", "kind", "told", "when", "tries", "hints", "at"), "")
            told: list[dict[str, Any]] = []
            for made in journal.foreseen:
                outcome = {True: "right", False: "wrong", None: "not revealed"}[made.right]
                row = {"segment": made.segment, "id": made.id, "kind": "prediction", "told": outcome}
                told.append(row | {"when": str(made.when), "at": made.at})
            for tried in journal.tried:
                row = {"segment": tried.segment, "id": tried.id, "kind": "exercise"}
                row |= {"told": "done" if tried.done else "open", "at": tried.at}
                told.append(row | {"tries": tried.tries, "hints": tried.hints})
            found += [whose | empty | row for row in told or [{}]]
        return found

    def frame(self) -> pd.DataFrame:
        """Return `rows` as a table."""
        return frames.frame(self.rows())

    def as_dict(self) -> dict[str, Any]:
        """Return all of it as plain values."""
        journals = []
        for one in self.journals:
            journal = one.journal
            plain: dict[str, Any] = {"file": journal.file, "student": journal.student, "name": journal.name}
            plain |= {"status": str(one.status), "fault": journal.fault}
            plain |= {"entries": len(journal.walk.entries), "unchained": len(journal.walk.older)}
            plain |= {"proven": one.proven, "held": one.held, "remarks": one.remarks}
            plain |= {"findings": [{"entry": each.seq, "what": each.what} for each in one.findings]}
            for name in ("foreseen", "tried", "sittings"):
                plain[name] = [dataclasses.asdict(each) for each in getattr(journal, name)]
            journals.append(plain | {"others": list(journal.others)})
        return {"journals": journals, "missing": list(self.missing)}


def grade(folder: str | Path, held: Iterable[Kept] = ()) -> Report:
    """Check the journals in a folder (`*.jsonl`, also one folder down), or a single file.

    `held` are the codes that the instructor has kept (`codes.read`).
    """
    place = Path(folder)
    if not place.exists():
        raise InvalidInput("folder", words.GRADE_NOWHERE.format(folder=place))
    files = [place] if place.is_file() else sorted((*place.glob("*.jsonl"), *place.glob("*/*.jsonl")))
    files = [file for file in files if "-damaged-" not in file.name]
    if not files:
        raise InvalidInput("folder", words.ROSTER_EMPTY.format(folder=place))
    root = place.parent if place.is_file() else place
    journals = [handed.read(file, file.relative_to(root).as_posix()) for file in files]
    graded = [Graded(one, list(one.walk.findings), list(one.remarks)) for one in journals]
    kept = list(held)
    earlier: set[int] = set()
    near = _near(graded)
    for one, other in near:
        _beside(one, other, kept, earlier)
    for one in graded:
        _with_codes(one, graded, kept, id(one) in earlier)
    _same_moments(near)
    known = {one.journal.student for one in graded}
    named = {codes.called(one.journal.name) for one in graded} - {""}
    missing = [
        words.GRADE_MISSING.format(date=one.date, name=one.name or one.student, student=one.student)
        for one in {row.student: row for row in kept}.values()
        if one.student not in known and codes.called(one.name) not in named
    ]
    return Report(tuple(graded), tuple(missing))


def _beside(one: Graded, other: Graded, kept: list[Kept], earlier: set[int]) -> None:
    """Compare two journals: of one id, or of two that share what nobody else can have written."""
    mine, theirs = ([each.hash for each in it.journal.walk.entries] for it in (one, other))
    if mine and theirs and one.journal.student == other.journal.student:
        common = next((n for n, (a, b) in enumerate(zip(mine, theirs, strict=False)) if a != b), None)
        if common is not None:
            _both(one, other, words.GRADE_FORK, kept, common)
        else:
            shorter, longer = (one, other) if len(mine) <= len(theirs) else (other, one)
            names = {codes.called(it.journal.name) for it in (one, other)} - {""}
            if len(names) > 1:
                _both(one, other, words.GRADE_TWO_NAMES, kept, min(len(mine), len(theirs)))
            else:
                earlier.add(id(shorter))
                shorter.remarks.append(words.GRADE_EARLIER.format(other=longer.journal.file))
    elif shared := set(mine) & set(theirs):
        for it, of in ((one, other), (other, one)):
            places = [each.seq for each in it.journal.walk.entries if each.hash in shared]
            what = words.GRADE_SHARED.format(count=len(places), other=of.journal.file)
            if it.findings:  # lines that stand where they belong were taken from here
                it.findings.append(Finding("", places[0], what))
            else:
                it.remarks.append(what)
    elif (
        (lines := one.journal.walk.older) and lines == other.journal.walk.older and len(lines) >= SAME_MOMENTS
    ):
        _both(one, other, words.GRADE_SAME_LINES, kept, 0)


def _both(one: Graded, other: Graded, template: str, kept: list[Kept], seq: int) -> None:
    """Tell both, as a finding; only as a remark the one that the list of codes has under its name."""
    for it, of in ((one, other), (other, one)):
        journal = it.journal
        what = template.format(other=of.journal.file, name=of.journal.name or "no name", seq=seq)
        owners = {codes.called(row.name) for row in kept if row.student == journal.student}
        mine, theirs = codes.called(journal.name), codes.called(of.journal.name)
        if owners == {mine} and mine != theirs:
            it.remarks.append(what)
        else:
            it.findings.append(Finding("", seq, what))


def _with_codes(one: Graded, graded: list[Graded], kept: list[Kept], earlier: bool) -> None:
    journal = one.journal
    entries = {each.seq: each for each in journal.walk.entries}
    for row in (row for row in kept if journal.student and row.student == journal.student):
        found = entries.get(row.seq)
        if row.name and journal.name and codes.called(row.name) != codes.called(journal.name):
            what = words.GRADE_OTHER_NAME.format(date=row.date, name=row.name, said=journal.name)
            one.findings.append(Finding("", row.seq, what))
        if found is None and not earlier:
            what = words.GRADE_CUT.format(date=row.date, seq=row.seq, last=max(entries, default=0))
            one.findings.append(Finding("", row.seq, what))
        elif found is not None and not row.held.fits(found.hash):
            one.findings.append(Finding("", row.seq, words.GRADE_REWRITTEN.format(date=row.date)))
        elif found is not None and row.seq > one.proven:
            one.proven, one.held = row.seq, row.date.isoformat()
            at = handed.moment(found.event["at"])
            if at is not None and at.date() > row.date + timedelta(days=1):
                one.remarks.append(words.GRADE_FUTURE.format(seq=row.seq, at=at.date(), date=row.date))
    handed_in = {each.journal.student for each in graded}
    for row in kept:
        same_name = journal.name and codes.called(row.name) == codes.called(journal.name)
        if same_name and row.student not in handed_in:
            what = words.GRADE_BEGUN_ANEW.format(date=row.date, name=row.name, student=row.student)
            one.findings.append(Finding("", 1, what))
            break


def _near(graded: list[Graded]) -> list[tuple[Graded, Graded]]:
    """Return the pairs of journals that have an id, a line or a moment in common."""
    holders: dict[object, set[int]] = {}
    for place, one in enumerate(graded):
        walk = one.journal.walk
        told: list[object] = [walk.student, *map(linked.plain, walk.older[:1])]
        for each in walk.entries:
            told += [each.hash, _moment_of(each.event)]
        for mark in told:
            if mark:
                holders.setdefault(mark, set()).add(place)
    pairs = {pair for places in holders.values() for pair in combinations(sorted(places), 2)}
    return [(graded[one], graded[other]) for one, other in sorted(pairs)]


def _same_moments(near: list[tuple[Graded, Graded]]) -> None:
    """Find events of one microsecond in two journals: one was written from the other."""
    for one, other in near:
        if one.journal.student == other.journal.student:
            continue
        mine, theirs = ({each.hash for each in it.journal.walk.entries} for it in (one, other))
        told = [
            {_moment_of(each.event): each.seq for each in it.journal.walk.entries if each.hash not in known}
            for it, known in ((one, theirs), (other, mine))  # the very same lines are told already
        ]
        same = set(told[0]) & set(told[1]) - {None}
        if len(same) < SAME_MOMENTS:
            continue
        for it, of, place in ((one, other, told[0]), (other, one, told[1])):
            places = sorted(place[moment] for moment in same)
            what = words.GRADE_SAME_MOMENTS.format(count=len(same), other=of.journal.file)
            if it.proven >= places[-1] > of.proven:  # a code shows which was there first
                it.remarks.append(what)
            else:
                it.findings.append(Finding("", places[0], what))


def _moment_of(event: dict[str, Any]) -> tuple[str, str, str, str] | None:
    at = handed.moment(event["at"])  # however it is spelled
    if event["event"] == "begin" or at is None or not at.microsecond:
        return None
    return at.isoformat(), event["segment"], event["event"], event["id"]
