"""Time is passed in, never read from the machine: lessons move it by hand, products use the wall.

A moment is an aware `datetime` in Python and an integer number of microseconds since
1970-01-01T00:00:00 UTC in the database, so that comparisons are exact and sort alike
everywhere.

| given | means |
|---|---|
| a datetime with a zone or an offset | that moment, to the microsecond, in any year from 1 to 9999 |
| a date, or a text like "2026-03-03" | midnight UTC, the start of that day; as an end, the day is not in |
| a text like "2026-03-03T09:00+01:00" | that moment (ISO 8601) |
| a time of day without a zone | refused: nobody can tell which moment it means |
| a date that is none (29 February 2025) | refused |

>>> clock = LessonClock(datetime(2026, 3, 2, 9, tzinfo=UTC))
>>> clock.advance(hours=2)
>>> clock.now().isoformat()
'2026-03-02T11:00:00+00:00'
>>> to_micros("2026-03-03") == to_micros(date(2026, 3, 3)) == to_micros("2026-03-03T01:00+01:00")
True
>>> from_micros(to_micros(clock.now())) == clock.now()
True

Left out: leap seconds (UTC as Python counts it) and time zones other than by conversion.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, date, datetime, time, timedelta

from teachmem.errors import InvalidInput

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
MICROS_PER_HOUR = 3_600_000_000
EARLIEST = (datetime.min.replace(tzinfo=UTC) - EPOCH) // MICROSECOND
Moment = datetime | date | str
LATEST = (datetime.max.replace(tzinfo=UTC) - EPOCH) // MICROSECOND


def to_micros(moment: Moment, field: str = "time") -> int:
    """Return microseconds since the epoch, exactly; `field` names the argument in a refusal.

    >>> to_micros(datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC))
    1000000
    """
    if isinstance(moment, str):
        moment = _read(moment, field)
    if not isinstance(moment, datetime):
        if not isinstance(moment, date):
            raise InvalidInput(
                field, f"must be a datetime with a time zone, or a date, not {type(moment).__name__}"
            )
        moment = datetime.combine(moment, time(), UTC)
    if moment.tzinfo is None or moment.utcoffset() is None:
        raise InvalidInput(field, "has no time zone; write for example datetime(..., tzinfo=UTC)")
    micros = (moment - EPOCH) // MICROSECOND
    if not EARLIEST <= micros <= LATEST:  # in its own zone it is a date, in UTC it is none
        raise InvalidInput(field, "lies outside the years 1 to 9999 of UTC")
    return micros


def _read(text: str, field: str) -> datetime | date:
    """Return what an ISO 8601 text says: a date without a time, or a moment."""
    for reads in (date.fromisoformat, datetime.fromisoformat):
        with suppress(ValueError):
            return reads(text)
    raise InvalidInput(field, f"{text[:40]!r} is no moment; write 2026-03-03, or 2026-03-03T09:00+01:00")


def from_micros(micros: int) -> datetime:
    """Return the aware UTC datetime of `micros`."""
    return EPOCH + timedelta(microseconds=micros)


class WallClock:
    """The machine's own clock, in UTC."""

    def now(self) -> datetime:
        """Return the present moment."""
        return datetime.now(UTC)


class LessonClock:
    """A clock that stands still until it is moved, so that every run of a lesson is the same."""

    def __init__(self, start: Moment) -> None:
        self._now = from_micros(to_micros(start, "start"))

    def now(self) -> datetime:
        """Return where the clock stands."""
        return self._now

    def advance(self, **words: float) -> None:
        """Move by the words of `timedelta`: `advance(days=1, hours=2)`; back with negative ones."""
        self._now += timedelta(**words)

    def set(self, moment: Moment) -> None:
        """Put the clock at `moment`."""
        self._now = from_micros(to_micros(moment, "moment"))
