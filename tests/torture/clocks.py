"""A clock that jumps: back and forth, by a microsecond and by millennia, over summer time and leap seconds.

Whatever the clock says, a write that was acknowledged can be read at once and at the end, in the order in
which it was written, and the log's times never run backwards.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import teachmem
from teachmem import InvalidInput, LessonClock, TeachmemError
from teachmem.clock import from_micros, to_micros
from teachmem.recall.vectors import ExactIndex
from teachmem.vocabulary import MAX_INTEGER
from torture.doors import EMBEDDER, NORTH, START, Ids
from torture.figures import Figure

JUMPS = [timedelta(microseconds=1), timedelta(seconds=1), timedelta(hours=1), timedelta(days=366)]
YEAR_1 = datetime.min.replace(tzinfo=UTC)
LAST = from_micros(MAX_INTEGER)  # what the log can hold
ENDS = [LAST, from_micros(-MAX_INTEGER), datetime(1969, 12, 31, tzinfo=UTC)]
ZONES = ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "Africa/Casablanca"]
LEAPS = ["2016-12-31T23:59:60Z", "2012-06-30T23:59:60+00:00", "1990-12-31T15:59:60-08:00"]


def jumps(chance: random.Random, times: int) -> Iterator[Figure]:
    """Let the clock jump between writes, `times` times over; now and then to one of the ends of time."""
    figure = Figure("a clock that jumps", "writes, reads, tidy, log", times)
    for _ in range(times):
        clock = LessonClock(START)
        with teachmem.open_memory(clock=clock, ids=Ids("c"), embedder=EMBEDDER, vectors=ExactIndex()) as mem:
            try:
                figure.struck += _one_life(mem, clock, chance, figure)
            except Exception as error:  # a campaign goes on, and tells
                figure.wrong.append(f"at {clock.now()}: {type(error).__name__}: {error}")
        with teachmem.open_memory(clock=clock, ids=Ids("d"), embedder=EMBEDDER, vectors=ExactIndex()) as mem:
            clock.set(chance.choice([datetime.max.replace(tzinfo=UTC), LAST + timedelta(days=9), YEAR_1]))
            try:
                mem.agent("dock-1", **NORTH).semantic.remember("too late")
                figure.wrong.append(f"at {clock.now()}: was written")
            except InvalidInput as error:
                if "1685 to 2254" not in str(error):
                    figure.wrong.append(str(error))
    yield figure


def _one_life(mem: teachmem.MemoryStore, clock: LessonClock, chance: random.Random, figure: Figure) -> int:
    tech = mem.agent("dock-1", **NORTH)
    said: list[str] = []
    back = 0
    for number in range(12):
        before = clock.now()
        if chance.random() < 0.1:
            clock.set(chance.choice(ENDS))
        else:
            with suppress(OverflowError):  # no clock of Python's can be set before the year 1
                step = chance.choice(JUMPS) * chance.choice([-1, 1]) * chance.randint(1, 9)
                clock.set(max(min(clock.now() + step, LAST), from_micros(-MAX_INTEGER)))
        back += clock.now() < before
        text = f"crate {number} was counted"
        tech.semantic.remember(text) if number % 2 else tech.episodic.log("observation", text)
        said.append(text)
        newest = tech.semantic.list(limit=1) if number % 2 else tech.episodic.recent(1)
        if [one.content for one in newest] != [text]:
            figure.wrong.append(f"at {clock.now()}: {text!r} is not the newest: {newest}")
        for read in (
            lambda: tech.semantic.search("crate counted"),
            lambda: tech.episodic.recall("crate counted"),
            lambda: tech.context("crate counted"),
            lambda: tech.insights(),
            lambda: mem.tidy(dry_run=True),  # in earnest it would archive what has grown old
        ):
            read()
    held = [one.content for one in (*tech.semantic.list(limit=99), *tech.episodic.recent(99))]
    held = [text for text in held if text.startswith("crate")]  # beside what `insights` has found
    if sorted(held) != sorted(said):
        figure.wrong.append(f"lost: {set(said) - set(held)}")
    if (report := mem.audit.verify(deep=True)).status != "complete":
        figure.wrong.append(str(report))
    return back


def zones(chance: random.Random, times: int) -> Iterator[Figure]:
    """Say moments around every change of a zone's clock: each is one moment, and comes back as that."""
    figure = Figure("summer time", "moments around a change", times)
    for _ in range(times):
        zone = ZoneInfo(chance.choice(ZONES))
        changes = _changes(zone, chance.randint(1975, 2035))
        at = chance.choice(changes) + timedelta(minutes=chance.randint(-120, 120)) if changes else START
        local = at.astimezone(zone)
        figure.struck += local.utcoffset() != (local + timedelta(hours=3)).utcoffset()
        for moment in (local, local.isoformat()):
            if (read := from_micros(to_micros(moment))) != at:
                figure.wrong.append(f"{moment} became {read}, not {at}")
    yield figure
    figure = Figure("leap seconds", "moments that Python has not", len(LEAPS))
    for text in LEAPS:
        try:
            to_micros(text)
            figure.wrong.append(f"{text} was taken")
        except InvalidInput:
            figure.struck += 1
        except TeachmemError as error:
            figure.wrong.append(f"{text}: {error}")
    yield figure


def _changes(zone: ZoneInfo, year: int) -> list[datetime]:
    hours = [datetime(year, 1, 1, tzinfo=UTC) + timedelta(hours=hour) for hour in range(0, 366 * 24, 6)]
    offsets = [hour.astimezone(zone).utcoffset() for hour in hours]
    return [hour for hour, one, two in zip(hours, offsets, offsets[1:], strict=False) if one != two]
