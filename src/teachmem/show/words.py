r"""How numbers, ids, times and texts are said to a student: short, the same everywhere, and safe.

Every twin of an object (text, table, picture) takes its words from here, so they cannot differ.

>>> number(0.53249), number(0.5), number(12), number(1500)
('0.532', '0.500', '12', '1500')
>>> short_id("note-0003"), short_id("note-5f2c9a7711e0d2c4a1b3")
('note-0003', 'note-5f2c9a')
>>> ago(datetime(2026, 3, 13, 12, tzinfo=UTC), datetime(2026, 3, 15, 12, tzinfo=UTC))
'2 days ago, Fri 13 Mar 12:00'

Left out: other languages. The words are English, in no locale but their own.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime

from teachmem import normal
from teachmem.clock import MICROS_PER_HOUR, to_micros
from teachmem.recall import label

LONG = 68  # characters of content in a row; the table twin holds all of it
_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_RANDOM_ID = re.compile(r"^(.+-[0-9a-f]{6})[0-9a-f]{6,}$")


def rounded(value: float) -> float:
    """Return `value` as every twin holds it: three digits after the point."""
    return round(value, 3) + 0.0  # + 0.0 turns -0.0 into 0.0


def number(value: float) -> str:
    """Say a number: a whole one whole, any other with three digits after the point."""
    return str(value) if isinstance(value, int) else f"{rounded(value):.3f}"


def count(amount: int, noun: str) -> str:
    """Say how many.

    >>> count(1, "hit"), count(3, "hit"), count(2, "entry")
    ('1 hit', '3 hits', '2 entries')
    """
    plural = noun[:-1] + "ies" if noun.endswith("try") else noun + "s"
    return f"{amount} {noun if amount == 1 else plural}"


def short_id(memory_id: str) -> str:
    """Return an id to be read: a random one is cut to six hexadecimal digits."""
    found = _RANDOM_ID.match(memory_id)
    return one_line(found[1] if found else memory_id)


def day(moment: datetime) -> str:
    """Say a moment as people do, in UTC: "Fri 13 Mar 12:00"."""
    utc = moment.astimezone(UTC)
    return f"{_DAYS[utc.weekday()]} {utc.day} {_MONTHS[utc.month - 1]} {utc:%H:%M}"


def exact(moment: datetime) -> str:
    """Return the exact moment in ISO 8601."""
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def ago(moment: datetime, now: datetime | None) -> str:
    """Say how long before `now` a moment was, and when; without `now`, only when."""
    if now is None:
        return day(moment)
    return f"{label.age((to_micros(now) - to_micros(moment)) / MICROS_PER_HOUR)}, {day(moment)}"


def visible(text: str) -> str:
    """Return `text` with what cannot be seen written as escapes; line breaks and tabs stay."""
    return normal.visible(text)


def one_line(text: str) -> str:
    """Return `text` visible, on one line."""
    return normal.one_line(text)


def said(content: str, longest: int | None = LONG) -> str:
    r"""Quote a memory's content as one line, cut where it is longer than `longest` characters.

    >>> said('say "stop" now', longest=9)
    '"say \\"stop" ...'
    """
    if not content:
        return "(erased)"
    if longest is None or len(content) <= longest:
        return visible(label.quoted(content))
    cut = content[:longest].rstrip()
    if " " in cut[longest // 2 :]:
        cut = cut[: cut.rindex(" ")].rstrip()  # at the end of a word, unless that loses too much
    return visible(label.quoted(cut)) + " ..."
