"""What time a question speaks of: a small grammar of English, read into a window of whole days in UTC.

| words, any case | window, asked on Wednesday 11 March 2026 |
|---|---|
| yesterday, today, tomorrow | that day |
| on 3 March, 3 March 2026, March 3, 2026-03-03 | that day; without a year the nearest one |
| 13 to 14 March, between 3 March and 5 March | from the first day to the end of the last |
| in March, this month, last week, next year | the whole of it; weeks begin on Monday |
| on Monday, last Monday, Saturday of last week | that day, the latest that has begun unless another is said |
| 3 days ago, a week ago, the last 3 days | that day; from then until now |
| since, before, after, until one of these | from its start; up to it; from its end; up to its end |
| before the recall | up to an event, which whoever asks must find first (`recall/anchor.py`) |

>>> now = datetime(2026, 3, 11, 9, tzinfo=UTC)
>>> print(read("Which load could it lift last week?", now))
last week: from 2026-03-02 until 2026-03-09
>>> print(read("What changed since Monday?", now))
since Monday: from 2026-03-09
>>> read("Who runs bay two?", now) is None
True

A window raises what lies in it and excludes nothing, so a memory without a date is never lost. The first
expression counts. Left out: times of day, other languages, "on a Saturday" (which is no one day).
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

from teachmem.clock import from_micros, to_micros

MONTHS = {name.lower(): number for number, name in enumerate(calendar.month_name) if name}
DAYS = {name.lower(): number for number, name in enumerate(calendar.day_name)}
NUMBERS = {word: number for number, word in enumerate("zero one two three four five six seven".split())}
NUMBERS |= {"a": 1, "an": 1}
DAY = timedelta(days=1)
EVENTS = 0.3  # what an event in the window gains, as much as full relevance gives
FACTS = 0.25  # what a fact that holds in it gains, half of what the best text does

Days = tuple[date, date]  # half-open
Said = Mapping[str, Any]  # the words of an expression, by what they say


@dataclass(frozen=True, slots=True)
class Window:
    """A stretch of time, half-open, in microseconds, and the words that it was read from.

    With an `event` the window has no bounds yet: it ends, or begins, where that event is.
    """

    words: str
    start: int | None = None
    end: int | None = None
    relation: str = ""
    event: str = ""

    def holds(self, moment: int) -> bool:
        """Say whether a moment lies inside; before its event is found, none does."""
        if self.start is self.end is None:
            return False
        return (self.start is None or self.start <= moment) and (self.end is None or moment < self.end)

    def touches(self, valid_from: int | None, valid_to: int | None) -> bool:
        """Say whether an interval lies in part inside; one without any date does not."""
        if valid_from is valid_to is None or self.start is self.end is None:
            return False
        begins_in_time = valid_from is None or self.end is None or valid_from < self.end
        return begins_in_time and (valid_to is None or self.start is None or valid_to > self.start)

    def at_event(self, moment: int) -> Window:
        """Return the window with its event found at `moment`."""
        if self.relation in ("before", "until"):
            return replace(self, end=moment)
        return replace(self, start=moment)

    def __str__(self) -> str:
        if self.event and self.start is self.end is None:
            return f"{self.words}: no event found"
        bounds = [
            (word, edge) for word, edge in (("from", self.start), ("until", self.end)) if edge is not None
        ]
        return f"{self.words}: " + " ".join(f"{word} {_said(edge)}" for word, edge in bounds)


def _said(micros: int) -> str:
    moment = from_micros(micros)
    whole = (moment.hour, moment.minute, moment.second, moment.microsecond) == (0, 0, 0, 0)
    return moment.date().isoformat() if whole else moment.isoformat(timespec="minutes")


def _dated(day: str, month: str, year: str | None, today: date) -> date:
    """Return the date, without a year the nearest one; raise `ValueError` for a date that is none."""
    number = MONTHS[month.lower()]
    if year:
        return date(int(year), number, int(day))
    near = [
        date(y, number, int(day))
        for y in range(max(1, today.year - 4), min(9998, today.year + 4) + 1)
        if int(day) <= calendar.monthrange(y, number)[1]
    ]
    if not near:
        raise ValueError("no such day in any year near")
    return min(near, key=lambda found: abs(found - today))


def _after_month(first: date) -> date:
    return (first.replace(day=28) + 4 * DAY).replace(day=1)


def _unit(said: Said, today: date) -> Days:
    """Return the whole of this, last or next week, month or year."""
    step = {"last": -1, "this": 0, "next": 1}[said["which"].lower()]
    if said["unit"].lower() == "week":
        monday = today - today.weekday() * DAY + 7 * step * DAY
        return monday, monday + 7 * DAY
    if said["unit"].lower() == "month":
        months = today.year * 12 + today.month - 1 + step
        first = date(months // 12, months % 12 + 1, 1)
        return first, _after_month(first)
    return date(today.year + step, 1, 1), date(today.year + step + 1, 1, 1)


def _weekday(said: Said, today: date) -> Days:
    which = (said["which"] or "").lower()
    back = (today.weekday() - DAYS[said["day"].lower()]) % 7
    if which in ("this", "next"):
        monday = today - today.weekday() * DAY + (7 if which == "next" else 0) * DAY
        return _one_day(monday + DAYS[said["day"].lower()] * DAY)
    return _one_day(today - (back or (7 if which == "last" else 0)) * DAY)


def _weekday_of(said: Said, today: date) -> Days:
    return _one_day(_unit(said, today)[0] + DAYS[said["day"].lower()] * DAY)


def _many(said: Said) -> timedelta:
    word = said["n"].lower()
    return (
        (int(word) if word.isdigit() else NUMBERS[word]) * (7 if said["unit"].lower() == "week" else 1) * DAY
    )


def _month(said: Said, today: date) -> Days:
    first = _dated("1", said["month"], said["year"], today)
    return first, _after_month(first)


def _days(said: Said, today: date) -> Days:
    """Return "13 to 14 March" and "between 28 February and 3 March"."""
    last = _dated(said["last"], said["month"], said["year"], today)
    first = _dated(said["first"], said["of"] or said["month"], str(last.year), today)
    return first, last + DAY


def _one_day(day: date) -> Days:
    return day, day + DAY


_MONTH, _DAY = rf"(?P<month>{'|'.join(MONTHS)})", rf"(?P<day>{'|'.join(DAYS)})"
_N, _TH = rf"(?P<n>\d{{1,3}}|{'|'.join(NUMBERS)})", "(?:st|nd|rd|th)?"
_YEAR = r"(?:,? (?P<year>\d{4}))?"
_WHICH = "(?P<which>last|this|next)"
_RELATION = r"\b(?:(?P<relation>on|in|during|of|since|before|after|until) (?:the )?)?"
_WEEKDAY = rf"(?:(?:{'|'.join(DAYS)})(?: morning| afternoon| evening| night)?,? )?"
_STEP = {"today": 0, "yesterday": -1, "tomorrow": 1}

# Of two that begin at the same place the first counts. With a `!` the relation must be said: "in May".
_FORMS: tuple[tuple[str, Callable[[Said, date], Days]], ...] = (
    (r"(?P<iso>\d{4}-\d\d-\d\d)", lambda said, today: _one_day(date.fromisoformat(said["iso"]))),
    (
        rf"(?:between )?(?P<first>\d{{1,2}}){_TH}(?: (?P<of>{'|'.join(MONTHS)}))?(?: to | and |-|–)"
        rf"(?P<last>\d{{1,2}}){_TH} {_MONTH}{_YEAR}",
        _days,
    ),
    (
        rf"{_WEEKDAY}(?P<d>\d{{1,2}}){_TH}(?: of)? {_MONTH}{_YEAR}",
        lambda said, today: _one_day(_dated(said["d"], said["month"], said["year"], today)),
    ),
    (
        rf"{_WEEKDAY}{_MONTH} (?P<d>\d{{1,2}}){_TH}(?!\d){_YEAR}",
        lambda said, today: _one_day(_dated(said["d"], said["month"], said["year"], today)),
    ),
    ("!" + _MONTH + _YEAR, _month),
    ("day before yesterday", lambda said, today: _one_day(today - 2 * DAY)),
    (rf"(?P<n>{'|'.join(_STEP)})", lambda said, today: _one_day(today + _STEP[said["n"].lower()] * DAY)),
    (rf"{_DAY} of {_WHICH} (?P<unit>week)", _weekday_of),
    (rf"{_WHICH} (?P<unit>week|month|year)", _unit),
    (rf"{_WHICH} {_DAY}", _weekday),
    (rf"!(?P<which>){_DAY}", _weekday),
    (rf"{_N} (?P<unit>day|week)s? ago", lambda said, today: _one_day(today - _many(said))),
    (rf"(?:last|past) {_N} (?P<unit>day|week)s?", lambda said, today: (today - _many(said), today + DAY)),
)
_READERS = [
    (re.compile(_RELATION + form.lstrip("!") + r"\b", re.IGNORECASE), form[0] == "!", days)
    for form, days in _FORMS
]
_EVENT = re.compile(r"\b(?P<relation>since|before|after|until) the (?P<event>[^?.,;:!]{2,60})", re.IGNORECASE)


def read(question: str, now: datetime) -> Window | None:
    """Return the window of the first expression of time in `question`, None where there is none."""
    today = now.astimezone(UTC).date()
    found: list[tuple[int, int, Window]] = []
    for number, (form, needs_relation, days) in enumerate(_READERS):
        for match in form.finditer(question):
            relation = (match["relation"] or "").lower()
            if not needs_relation or relation:
                with suppress(ValueError, OverflowError):  # a date that is none is no time
                    found.append(
                        (match.start(), number, _window(match[0], relation, days(match.groupdict(), today)))
                    )
    if found:
        return min(found, key=lambda item: item[:2])[2]
    event = _EVENT.search(question)
    return (
        Window(event[0], relation=event["relation"].lower(), event=event["event"].strip()) if event else None
    )


def _window(words: str, relation: str, days: Days) -> Window:
    start, end = (to_micros(day) for day in days)
    if relation == "since":
        return Window(words, start, None, relation)
    if relation in ("before", "until"):
        return Window(words, None, start if relation == "before" else end, relation)
    if relation == "after":
        return Window(words, end, None, relation)
    return Window(words, start, end, relation)
