"""The report of `teachmem grade`, as an instructor reads it.

Left out: what is found (`grading.py`), and the sentences of findings (`words.py`).
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from teachmem.course import handed, words
from teachmem.course.handed import Journal, When

if TYPE_CHECKING:
    from teachmem.course.grading import Graded, Report

NO_CODES = (
    "A journal that hangs together can have been written anew as a whole. What a code proves reaches as far",
    "back as the entry it was made of; what came later hangs together, and no more.",
)


def lines(report: Report) -> list[str]:
    """Return the report line by line."""
    counts = report.counts
    told = ", ".join(f"{counts[status]} {status}" for status in dict.fromkeys(sorted(counts, key=_order)))
    head = f"{len(report.journals)} {'journal' if len(report.journals) == 1 else 'journals'}: {told}"
    found = [head]
    for one in report.journals:
        found += ["", *_journal(one)]
    return [*found, "", *report.missing, *NO_CODES]


def _order(status: object) -> int:
    return list(type(status)).index(status)  # type: ignore[call-overload,no-any-return]


def _journal(one: Graded) -> list[str]:
    journal = one.journal
    if journal.fault:
        return [f"{journal.file}: unreadable ({journal.fault})"]
    whose = f"{journal.student or 'no id'}, {journal.name or 'no name said'}"
    found = [f"{journal.file}: {whose}", f"  {_verdict(one)}"]
    found += [f"  entry {each.seq}: {each.what}" for each in one.findings[: handed.MOST_TOLD]]
    if (more := len(one.findings) - handed.MOST_TOLD) > 0:
        found.append(f"  and {more} more; --json has them all")
    found += [f"  note: {remark}" for remark in one.remarks]
    for sitting in journal.sittings:
        found += _segment(journal, sitting)
    return found + ([f"  also recorded: {'; '.join(journal.others)}"] if journal.others else [])


def _verdict(one: Graded) -> str:
    entries, older = len(one.journal.walk.entries), len(one.journal.walk.older)
    before = f", after {older} unchained {words.lines(older)} that prove nothing" if older else ""
    template = {
        "proven": words.GRADE_PROVEN,
        "consistent, not proven": words.GRADE_CONSISTENT,
        "unchained": words.GRADE_UNCHAINED,
        "broken": words.GRADE_BROKEN,
    }[str(one.status)]
    return template.format(
        entries=entries, older=older, proven=one.proven, date=one.held, count=len(one.findings), before=before
    )


def _segment(journal: Journal, sitting: handed.Sitting) -> list[str]:
    begun, ended = datetime.fromisoformat(sitting.begun), datetime.fromisoformat(sitting.ended)
    until = f"{ended:%H:%M}" if begun.date() == ended.date() else f"{ended:%d %b %Y %H:%M}"
    found = [
        f"  segment {sitting.segment}, {begun:%d %b %Y %H:%M} to {until} UTC, {sitting.minutes} min of work"
    ]
    made = [one for one in journal.foreseen if one.segment == sitting.segment]
    tried = [one for one in journal.tried if one.segment == sitting.segment]
    for label, which in (
        ("predicted before it was shown", [one for one in made if one.when is When.BEFORE]),
        ("answered when it had been shown", [one for one in made if one.when is When.AFTER]),
        ("predicted, not known when", [one for one in made if one.when is When.UNKNOWN]),
        ("done", [one for one in tried if one.done]),
        ("tried and open", [one for one in tried if not one.done]),
    ):
        found += [f"    {label}: {', '.join(map(str, which))}"] if which else []
    return found
