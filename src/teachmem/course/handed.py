"""What one journal tells: what was predicted before it was shown, what was checked, and for how long.

>>> from tempfile import TemporaryDirectory
>>> from teachmem.course.journal import NAME, Journal
>>> with TemporaryDirectory() as folder:
...     diary = Journal(Path(folder), student="7K3M9Q2W")
...     diary.add("02", "shown", "2.a")
...     diary.add("02", "predict", "2.a", answer="a", sure="sure")
...     diary.add("02", "reveal", "2.a", right=False)
...     one = read(Path(folder) / NAME)
>>> one.student, one.foreseen[0].id, str(one.foreseen[0].when)
('7K3M9Q2W', '2.a', 'after it was shown')

Times are what the student's own clock said. Lines without a chain (version 1) did not keep whether an
output had been shown, so nothing is said of when such a prediction was made. Left out: other journals,
and codes (`grading.py`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from itertools import pairwise
from pathlib import Path
from typing import Any

from teachmem.course import eventfile, linked, predictions, segments, words
from teachmem.course.laws import one_line
from teachmem.course.linked import Event, Walk

PAUSE_MINUTES = 15  # a longer gap between two events is no work
MOST_BYTES = 50_000_000
MOST_TOLD = 20  # lines or faults of one kind
LONG = 200  # signs of a file's name
SHORT = 60  # signs of what a student wrote


class When(StrEnum):
    """When a prediction was first answered."""

    BEFORE = "before it was shown"
    AFTER = "after it was shown"
    UNKNOWN = "not known when"


@dataclass(frozen=True, slots=True)
class Foreseen:
    """One prediction that was answered; `right` is None if its reveal was never run."""

    segment: str
    id: str
    when: When
    right: bool | None
    sure: str
    at: str

    def __str__(self) -> str:
        told = {True: "right", False: "wrong", None: "not revealed"}[self.right]
        return f"{self.id} ({told}, {self.sure})" if self.sure else f"{self.id} ({told})"


@dataclass(frozen=True, slots=True)
class Tried:
    """One exercise that was tried; `at` is when it was first done, or last tried."""

    segment: str
    id: str
    done: bool
    tries: int
    hints: int
    met: tuple[str, ...]
    at: str

    def __str__(self) -> str:
        told = [f"{self.tries} {'try' if self.tries == 1 else 'tries'}"]
        told += [f"{self.hints} {'hint' if self.hints == 1 else 'hints'}"] if self.hints else []
        return f"{self.id} ({', '.join([*told, *self.met])})"


@dataclass(frozen=True, slots=True)
class Sitting:
    """When a segment was worked on: first and last event, and minutes without the long pauses."""

    segment: str
    begun: str
    ended: str
    minutes: int


@dataclass(frozen=True, slots=True)
class Journal:
    """A journal that was handed in, and what it tells by itself."""

    file: str
    walk: Walk
    name: str
    foreseen: tuple[Foreseen, ...]
    tried: tuple[Tried, ...]
    sittings: tuple[Sitting, ...]
    others: tuple[str, ...]
    remarks: tuple[str, ...]
    fault: str = ""  # why it could not be read

    @property
    def student(self) -> str:
        """The random id that the chain is bound to; "" where there is no chain."""
        return one_line(self.walk.student, SHORT)


def read(path: Path, shown: str = "") -> Journal:
    """Read a file, whatever is in it; `shown` is how the report calls it."""
    file = one_line(shown or path.name, LONG)  # a name may hold a line break, and a line of a report
    try:
        if (data := _bytes(path)) is None:
            return _unread(file, words.GRADE_LARGE.format(megabytes=MOST_BYTES // 1_000_000))
        walk = linked.walk(data)
    except OSError as error:
        return _unread(file, error.strerror or type(error).__name__)
    if walk.newer:
        return _unread(file, words.ROSTER_NEWER)
    events = walk.events
    if not events:
        return _unread(file, words.GRADE_EMPTY)
    given = [one for one in events if one["event"] == "hand-in"]
    said = [one_line(str(one.get("name", "")), SHORT).strip() for one in given]
    said = [name for name in said if name]  # an empty one takes none back
    names = list(dict.fromkeys(said[::-1]))[::-1]  # the one said last is last, said before or not
    remarks = [words.GRADE_NAMES.format(names=words.listed(names))] if len(names) > 1 else []
    if walk.stray:
        few = [*map(str, walk.stray[:MOST_TOLD]), *(["others"] if len(walk.stray) > MOST_TOLD else [])]
        which = words.listed(few)
        remarks.append(words.GRADE_STRAY.format(lines=words.lines(len(walk.stray)), which=which))
    if back := sum(later < sooner for sooner, later in _pairs(events)):
        remarks.append(words.GRADE_CLOCK.format(count=back, times="time" if back == 1 else "times"))
    fault = _card(path, given[-1]) if given else ""
    remarks += [fault] if fault else []
    known = {"begin", "hand-in", "shown", *linked.KINDS_OF_1}
    others = [f"{one['event']} {one['id']}" for one in events if one["event"] not in known]
    if given and isinstance(given[-1].get("card"), str) and not fault:
        others.append(words.GRADE_CARD)
    return Journal(
        file,
        walk,
        names[-1] if names else "",
        tuple(_foreseen(events)),
        tuple(_tried(events)),
        tuple(_sittings(events)),
        tuple(one_line(other, SHORT) for other in dict.fromkeys(others)),
        tuple(remarks),
    )


def moment(told: object) -> datetime | None:
    """Return the time that an event gives, in UTC; None if it gives none."""
    try:
        found = datetime.fromisoformat(str(told))
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def card_name(student: str) -> str:
    """Return the name of the file of a card that is handed in with a journal."""
    return f"card-{student}.json"


def _bytes(path: Path) -> bytes | None:
    """Return what is in a file, None for more than a journal has."""
    with eventfile.opened(path) as pipe:
        data = pipe.read(MOST_BYTES + 1)
    return data if len(data) <= MOST_BYTES else None


def _unread(file: str, fault: str) -> Journal:
    return Journal(file, Walk("", (), (), (), ()), "", (), (), (), (), (), fault)


def _card(path: Path, given: Event) -> str:
    """Say what is wrong with the card that was handed in with the journal, "" if nothing is."""
    wanted = given.get("card")
    if not isinstance(wanted, str):
        return ""
    card = path.with_name(card_name(path.stem.removeprefix("journal-")))
    if not card.is_file():
        return words.GRADE_CARD_LOST.format(name=card.name)
    try:
        same = hashlib.sha256(_bytes(card) or b"").hexdigest() == wanted
    except OSError:
        return words.GRADE_CARD_LOST.format(name=card.name)
    return "" if same else words.GRADE_CARD_OTHER.format(name=card.name)


def _each(events: Iterable[Event], kind: str) -> Iterator[tuple[str, str, list[Event]]]:
    """Yield what was asked, in the order of the first event of a kind about it, with all events about it."""
    about: dict[tuple[str, str], list[Event]] = {}  # in one pass: a journal can be made to hold a million
    asked: dict[tuple[str, str], None] = {}
    for one in events:
        about.setdefault(key := (one["segment"], one["id"]), []).append(one)
        if one["event"] == kind:
            asked[key] = None
    for key in asked:
        yield *key, about[key]


def _foreseen(events: list[Event]) -> list[Foreseen]:
    found = []
    for segment, which, mine in _each(events, "predict"):
        made = predictions.commitment(mine, segment, which)
        if made is None:
            continue
        if mine[0]["v"] < linked.VERSION:
            when = When.UNKNOWN
        else:
            when = When.AFTER if made.late else When.BEFORE
        right = _right(segment, which, made.answer, made.right) if made.revealed else None
        label = one_line(which, SHORT)
        found.append(
            Foreseen(
                one_line(segment, SHORT),
                label,
                when,
                right,
                one_line(made.sure, SHORT),
                one_line(made.at, SHORT),
            )
        )
    return found


def _right(segment: str, which: str, answer: Any, told: bool | None) -> bool | None:
    """Say whether an answer is right: the course knows better than the journal, where it has the question."""
    if segment in segments.numbers() and (asked := segments.find(segment).prediction(which)):
        return asked.holds(answer)
    return told


def _tried(events: list[Event]) -> list[Tried]:
    found = []
    for segment, which, mine in _each(events, "check"):
        checks = [one for one in mine if one["event"] == "check"]
        done = next((place for place, one in enumerate(checks) if one.get("outcome") == "yes"), None)
        counted = checks if done is None else checks[: done + 1]
        until = mine.index(counted[-1])
        met = dict.fromkeys(str(one["misconception"]) for one in counted if one.get("misconception"))
        found.append(
            Tried(
                one_line(segment, SHORT),
                one_line(which, SHORT),
                done is not None,
                len(counted),
                sum(one["event"] == "hint" for one in mine[:until]),
                tuple(one_line(name, SHORT) for name in met),
                one_line(counted[-1]["at"], SHORT),
            )
        )
    return found


def _sittings(events: list[Event]) -> list[Sitting]:
    found = []
    worked_on: dict[str, list[datetime]] = {}
    begun_by = {one["segment"] for one in events if one["event"] not in ("begin", "hand-in")}
    for one in events:
        if one["segment"] in begun_by and (at := moment(one["at"])):
            worked_on.setdefault(one["segment"], []).append(at)
    for segment, times in sorted(worked_on.items()):
        gaps = [(later - sooner).total_seconds() / 60 for sooner, later in pairwise(times)]
        worked = sum(gap for gap in gaps if 0 < gap <= PAUSE_MINUTES)
        ends = (min(times).isoformat(timespec="seconds"), max(times).isoformat(timespec="seconds"))
        found.append(Sitting(one_line(segment, SHORT), *ends, round(worked)))
    return found


def _pairs(events: list[Event]) -> list[tuple[datetime, datetime]]:
    times = [at for one in events if (at := moment(one["at"]))]
    return list(pairwise(times))
