"""Time is passed in, never read from the machine: lessons move it by hand, products use the wall.

A moment is an aware `datetime` in Python and an integer number of microseconds since
1970-01-01T00:00:00 UTC in the database, so that comparisons are exact and sort alike
everywhere. A naive datetime is refused: nobody can tell which moment it means.

>>> clock = LessonClock(datetime(2026, 3, 2, 9, tzinfo=UTC))
>>> clock.advance(hours=2)
>>> clock.now().isoformat()
'2026-03-02T11:00:00+00:00'
>>> from_micros(to_micros(clock.now())) == clock.now()
True

Left out: leap seconds (UTC as Python counts it) and time zones other than by conversion.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from teachmem.errors import InvalidInput

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
MICROS_PER_HOUR = 3_600_000_000
EARLIEST = (datetime.min.replace(tzinfo=UTC) - EPOCH) // MICROSECOND
LATEST = (datetime.max.replace(tzinfo=UTC) - EPOCH) // MICROSECOND


def to_micros(moment: datetime, field: str = "time") -> int:
    """Return microseconds since the epoch, exactly; `field` names the argument in a refusal.

    >>> to_micros(datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC))
    1000000
    """
    if not isinstance(moment, datetime):
        raise InvalidInput(field, f"must be a datetime with a time zone, not {type(moment).__name__}")
    if moment.tzinfo is None or moment.utcoffset() is None:
        raise InvalidInput(field, "has no time zone; write for example datetime(..., tzinfo=UTC)")
    micros = (moment - EPOCH) // MICROSECOND
    if not EARLIEST <= micros <= LATEST:  # in its own zone it is a date, in UTC it is none
        raise InvalidInput(field, "lies outside the years 1 to 9999 of UTC")
    return micros


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

    def __init__(self, start: datetime) -> None:
        to_micros(start, "start")
        self._now = start.astimezone(UTC)

    def now(self) -> datetime:
        """Return where the clock stands."""
        return self._now

    def advance(self, **words: float) -> None:
        """Move by the words of `timedelta`: `advance(days=1, hours=2)`; back with negative ones."""
        self._now += timedelta(**words)

    def set(self, moment: datetime) -> None:
        """Put the clock at `moment`."""
        to_micros(moment, "moment")
        self._now = moment.astimezone(UTC)
