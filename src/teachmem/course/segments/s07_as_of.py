"""Exercises 7.1 and 7.2: the version that answers for two times, and a correction that comes late."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from teachmem.course.material import Exercise, Misconception, Wrong, call, is_function, show


class Version(NamedTuple):
    """One version of one fact; times are days of March, None is an open end."""

    text: str
    valid_from: int | None
    valid_to: int | None
    recorded_at: int
    superseded_at: int | None


AsOf = Callable[[Sequence[Version], int, int], Any]
Correct = Callable[..., Any]

# The story of bay two: what dock-1 wrote on the 2nd and the 6th, and the correction of the 13th.
DAY_LEAD = (
    Version("day-lead, from the roster", None, None, 2, 6),
    Version("day-lead until the 8th", None, 9, 6, 13),
    Version("day-lead until the 6th", None, 7, 13, None),
)
LATER = (Version("shut for cleaning", 5, 8, 3, None),)


def _answer(as_of: AsOf, versions: Sequence[Version], at: int, known_at: int) -> str | None:
    got = call(as_of, list(versions), at, known_at)
    if got is None:
        return None
    if not isinstance(got, tuple) or len(got) != len(Version._fields):
        raise Wrong(f"as_of(versions, {at}, {known_at}) gave {show(got)}; a version or None was due")
    return str(got[0])


def _wrong(as_of: AsOf, versions: Sequence[Version], at: int, known_at: int) -> str | None:
    due = next(
        (
            row.text
            for row in versions
            if (row.valid_from is None or row.valid_from <= at)
            and (row.valid_to is None or at < row.valid_to)
            and row.recorded_at <= known_at
            and (row.superseded_at is None or known_at < row.superseded_at)
        ),
        None,
    )
    got = _answer(as_of, versions, at, known_at)
    if got == due:
        return None
    return f"as_of(versions, at={at}, known_at={known_at}) gave {show(got)}; {show(due)} was due"


def the_ledger_of_then_answers(as_of: AsOf) -> str | None:
    """What was recorded later does not change what is answered for an earlier `known_at`."""
    for known_at in (2, 3, 5, 10, 12):
        if wrong := _wrong(as_of, DAY_LEAD, 4, known_at):
            return wrong
    return None


def the_world_of_then_is_told(as_of: AsOf) -> str | None:
    """With one `known_at`, another day in the world gets another answer, or none."""
    for at in (1, 3, 8, 20):
        if wrong := _wrong(as_of, DAY_LEAD, at, 10):
            return wrong
    return None


def a_start_is_in_and_an_end_is_out(as_of: AsOf) -> str | None:
    """Both intervals are half-open: at its end a version neither holds nor is known."""
    for at, known_at in ((5, 4), (8, 4), (7, 4), (5, 3)):
        if wrong := _wrong(as_of, LATER, at, known_at):
            return wrong
    for known_at in (6, 13):
        if wrong := _wrong(as_of, DAY_LEAD, 4, known_at):
            return wrong
    return None


def nobody_knows_before_it_is_written(as_of: AsOf) -> str | None:
    """Before the first version was recorded, there is no answer, whatever the world was like."""
    for at in (0, 5, 6):
        for known_at in (0, 1):
            if wrong := _wrong(as_of, DAY_LEAD, at, known_at) or _wrong(as_of, LATER, at, known_at):
                return wrong
    return None


def the_order_of_rows_does_not_matter(as_of: AsOf) -> str | None:
    """A table has no order: the same rows the other way round give the same answers."""
    for at in (4, 7, 8):
        for known_at in (3, 7, 14):
            if wrong := _wrong(as_of, DAY_LEAD[::-1], at, known_at):
                return f"with the rows in another order, {wrong}"
    return None


def _one_time(as_of: AsOf) -> bool:
    return _answer(as_of, DAY_LEAD, 4, 3) == _answer(as_of, DAY_LEAD, 4, 10) == DAY_LEAD[-1].text


def _end_is_in(as_of: AsOf) -> bool:
    return _answer(as_of, LATER, 8, 4) == LATER[0].text


def _known_when_true(as_of: AsOf) -> bool:
    """Say whether a version counts as known from the day when it holds."""
    return _answer(as_of, LATER, 6, 4) is None and _answer(as_of, LATER, 6, 6) == LATER[0].text


AS_OF = Exercise(
    id="7.1",
    title="The version that answers",
    concept="known time",
    expected="a function of versions, at and known_at",
    fits=is_function,
    laws=(
        the_ledger_of_then_answers,
        the_world_of_then_is_told,
        a_start_is_in_and_an_end_is_out,
        nobody_knows_before_it_is_written,
        the_order_of_rows_does_not_matter,
    ),
    yes="each of the two times picks its own interval, and both are half-open",
    misconceptions=(
        Misconception(
            "one time is enough",
            "The newest version is what is known now. Whoever asks about last Tuesday's knowledge wants the version that stood then.",
            _one_time,
        ),
        Misconception(
            "the end belongs to the interval",
            "Then the day on which one manager follows another has two. At its end, an interval is over.",
            _end_is_in,
        ),
        Misconception(
            "a thing is known when it is true",
            "The roster was wrong from the 7th and nobody knew it until the 13th. When it holds and when it was written are two intervals.",
            _known_when_true,
        ),
        Misconception(
            "rows stand in order",
            "A table has no order. The intervals say which version speaks, not the place of its row.",
            "the_order_of_rows_does_not_matter",
        ),
    ),
    hints=(
        "How many intervals does one version have, and which of the two times belongs to which?",
        "What must be true of `at` in a version that holds, if its end is open, and if it is not?",
        "On the day when a version is superseded, which one answers: the old or the new?",
    ),
)


# ---- 7.2 -------------------------------------------------------------------------------------------

FIRST = (Version("day-lead, from the roster", None, None, 2, None),)


def _corrected(
    correct: Correct, versions: Sequence[Version], said: tuple[str, Any, Any], now: int
) -> list[Version]:
    text, valid_from, valid_to = said
    got = call(correct, list(versions), text, valid_from, valid_to, now)
    if not isinstance(got, list | tuple) or not all(isinstance(row, tuple) and len(row) == 5 for row in got):
        raise Wrong(
            f"correct(versions, {text!r}, {valid_from}, {valid_to}, {now}) gave {show(got)}; a list of versions was due"
        )
    return [Version(*row) for row in got]


def _told(versions: Sequence[Version], at: int, known_at: int) -> set[str]:
    return {
        row.text
        for row in versions
        if (row.valid_from is None or row.valid_from <= at)
        and (row.valid_to is None or at < row.valid_to)
        and row.recorded_at <= known_at
        and (row.superseded_at is None or known_at < row.superseded_at)
    }


def _twice(correct: Correct) -> list[Version]:
    once = _corrected(correct, FIRST, (DAY_LEAD[1].text, None, 9), 6)
    return _corrected(correct, once, (DAY_LEAD[2].text, None, 7), 13)


def what_was_answered_stays_answered(correct: Correct) -> str | None:
    """For every day before the correction, the answers are what they were."""
    after = _corrected(correct, FIRST, (DAY_LEAD[1].text, None, 9), 6)
    for known_at in (2, 4, 5):
        got, due = _told(after, 4, known_at), _told(FIRST, 4, known_at)
        if got != due:
            return f"corrected on day 6, you answer {show(sorted(got))} for known_at={known_at}; it was {show(sorted(due))}"
    return None


def from_now_on_the_correction_answers(correct: Correct) -> str | None:
    """From the day of the correction, and for the days that it speaks of, it alone answers."""
    after = _twice(correct)
    for at, known_at in ((4, 6), (8, 6), (8, 12), (4, 13), (6, 13), (7, 13), (4, 40)):
        got, due = _told(after, at, known_at), _told(DAY_LEAD, at, known_at)
        if got != due:
            return f"after both corrections, at={at}, known_at={known_at} gives {show(sorted(got))}; {show(sorted(due))} was due"
    return None


def one_version_stands(correct: Correct) -> str | None:
    """After a correction exactly one version is not superseded, and none is lost."""
    after = _twice(correct)
    standing = [row for row in after if row.superseded_at is None]
    if len(standing) == 1 and len(after) == 3:
        return None
    return f"after two corrections there are {len(after)} versions, {len(standing)} of them not superseded; 3 and 1 were due"


def the_rows_handed_in_stay(correct: Correct) -> str | None:
    """The list that you were given is somebody else's: it is what it was."""
    given = list(FIRST)
    correct(given, DAY_LEAD[1].text, None, 9, 6)
    return None if given == list(FIRST) else f"the list that was handed in is now {show(given)}"


def _replaces(correct: Correct) -> bool:
    return not _told(_corrected(correct, FIRST, (DAY_LEAD[1].text, None, 9), 6), 4, 4) & {FIRST[0].text}


def _valid_from_now(correct: Correct) -> bool:
    after = _corrected(correct, FIRST, (DAY_LEAD[1].text, None, 9), 6)
    return DAY_LEAD[1].text not in _told(after, 4, 7) and DAY_LEAD[1].text in _told(after, 7, 7)


def _both_stand(correct: Correct) -> bool:
    return len(_told(_corrected(correct, FIRST, (DAY_LEAD[1].text, None, 9), 6), 4, 7)) == 2


CORRECT = Exercise(
    id="7.2",
    title="A correction that comes late",
    concept="version",
    expected="a function of versions, text, valid_from, valid_to and now",
    fits=is_function,
    laws=(
        what_was_answered_stays_answered,
        from_now_on_the_correction_answers,
        one_version_stands,
        the_rows_handed_in_stay,
    ),
    yes="the old version is closed and kept, and the new one says from when it holds, not when it was written",
    misconceptions=(
        Misconception(
            "a correction replaces",
            "Then nobody can say any more why dock-1 sent the truck to the day-lead. Close the old version, and keep it.",
            _replaces,
        ),
        Misconception(
            "a correction holds from now",
            "It was written on the 13th and is about the 7th. Valid time comes from the world, known time from the clock.",
            _valid_from_now,
        ),
        Misconception(
            "two versions stand",
            "A version that is not closed goes on answering. Then bay two has two managers, and the agent picks one.",
            _both_stand,
        ),
    ),
    hints=(
        "Which of the five columns of the old version changes, and to what?",
        "Which interval of the new version begins with `now`, and which with what the correction says?",
        "What does a NamedTuple offer to get a copy with one field changed?",
    ),
)
