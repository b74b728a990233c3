"""Exercise 5.1: what a sleep cycle is due to read; its laws, and the wrong ideas about it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from teachmem.course.material import Exercise, Misconception, Wrong, call, is_function, sequence, show, shown
from teachmem.vocabulary import LIVE, Status

Read = set[tuple[str, str]]
Due = Callable[[Sequence["Row"], Read, str], object]
NOON = datetime(2026, 3, 15, 12, tzinfo=UTC)
ME, MATE = "dock-1", "dock-2"


class Row(NamedTuple):
    """One memory, as far as a sleep cycle needs it."""

    memory_id: str
    seq: int
    agent: str
    kind: str
    status: str
    recorded_at: datetime

    def __repr__(self) -> str:
        return f"<{self.memory_id}>"


def _row(number: int, agent: str = ME, kind: str = "observation", status: str = "active") -> Row:
    """Return a memory of the last ten minutes before noon: the larger its number, the newer."""
    return Row(f"event-{number:04}", number, agent, kind, status, NOON - timedelta(minutes=10 - number))


MINE = tuple(_row(number) for number in range(1, 6))
OLD = _row(0)._replace(memory_id="note-0001", kind="note", recorded_at=NOON - timedelta(days=60))
THEIRS = _row(6, MATE)
REPORTS = tuple(_row(number, kind=kind) for number, kind in ((7, "consolidation"), (8, "review")))


def _due(
    due: Due, rows: Sequence[Row], read: Collection[str] = (), more: Collection[tuple[str, str]] = ()
) -> list[str]:
    """Return what the answer says is due for dock-1, which has read `read`; `more` are others' readings."""
    marks = {(ME, memory_id) for memory_id in read} | set(more)
    called = f"{shown(due)[:-2]}(memories, {show(marks, 90)}, {ME!r})"
    got = sequence(call(due, list(rows), marks, ME), called)
    for name in got:
        if type(name) is not str:
            raise Wrong(f"{called} gave {show(got)}, and {show(name)} is no id")
    return got


def _wrong(got: list[str], wanted: Sequence[Row], said: str) -> str | None:
    ids = [row.memory_id for row in wanted]
    if sorted(got) == ids or sorted(got) == sorted(ids):
        return None
    extra = sorted(set(got) - set(ids))
    missing = sorted(set(ids) - set(got))
    twice = sorted({name for name in got if got.count(name) > 1})
    told = (
        f"{extra[0]} is not due"
        if extra
        else f"{missing[0]} is due"
        if missing
        else f"{twice[0]} stands twice"
    )
    return f"{said}, you gave {show(got)}; {told}"


def reads_what_no_run_has_read(due: Due) -> str | None:
    """What a run has read is not due again, and everything else is."""
    return (
        _wrong(_due(due, MINE), MINE, "before the first run")
        or _wrong(_due(due, MINE, ["event-0001", "event-0002"]), MINE[2:], "with events 1 and 2 read")
        or _wrong(_due(due, MINE, [row.memory_id for row in MINE]), (), "with everything read")
    )


def age_does_not_matter(due: Due) -> str | None:
    """A memory that no run has read is due however old it is."""
    return _wrong(_due(due, (*MINE, OLD)), (OLD, *MINE), "with an unread note of sixty days ago")


def a_gap_is_still_due(due: Due) -> str | None:
    """A run may have read what is newer: what it left out is due all the same."""
    return _wrong(
        _due(due, MINE, ["event-0002", "event-0005"]),
        (MINE[0], MINE[2], MINE[3]),
        "after a run that read events 2 and 5 only",
    )


def each_agent_reads_for_itself(due: Due) -> str | None:
    """Another agent's memories are not mine to sum up, and its runs have not read mine."""
    said = f"with {THEIRS.memory_id} by {MATE}"
    if wrong := _wrong(_due(due, (*MINE, THEIRS)), MINE, said):
        return wrong
    theirs = [(MATE, row.memory_id) for row in MINE[:2]]
    return _wrong(_due(due, MINE, more=theirs), MINE, f"after a run of {MATE} that read events 1 and 2")


def sums_up_only_what_is_believed(due: Due) -> str | None:
    """What is withheld is not due, whichever of the five states it is in."""
    for status in Status:
        last = MINE[-1]._replace(status=status.value)
        wanted = MINE if status in LIVE else MINE[:-1]
        if wrong := _wrong(_due(due, (*MINE[:-1], last)), wanted, f"with event-0005 {status}"):
            return wrong
    return None


def does_not_read_its_own_reports(due: Due) -> str | None:
    """The report of a run is an event too, and no news."""
    return _wrong(_due(due, (*MINE, *REPORTS)), MINE, "with a consolidation and a review in the log")


def the_oldest_comes_first(due: Due) -> str | None:
    """A batch is limited, so what has waited longest is read first, in whatever order the rows come."""
    got = _due(due, MINE[::-1])
    if got == [row.memory_id for row in MINE]:
        return None
    return f"with the rows given newest first, you gave {show(got)}; the smallest seq has waited longest"


def _windowed(due: Due) -> bool:
    return OLD.memory_id not in _due(due, (*MINE, OLD)) and set(_due(due, MINE)) == {
        row.memory_id for row in MINE
    }


def _no_mark(due: Due) -> bool:
    return set(_due(due, MINE, ["event-0001", "event-0002"])) >= {"event-0001", "event-0002"}


def _one_number(due: Due) -> bool:
    got = _due(due, MINE, ["event-0002", "event-0004"])
    return got == ["event-0005"] and len(_due(due, MINE)) == len(MINE)


def _one_for_all(due: Due) -> bool:
    return not _due(due, MINE[:2], more=[(MATE, row.memory_id) for row in MINE[:2]])


def _withdrawn(due: Due) -> bool:
    last = MINE[-1]._replace(status=str(Status.CANCELLED))
    return each_agent_reads_for_itself(due) is None and last.memory_id in _due(due, (*MINE[:-1], last))


EXERCISE = Exercise(
    id="5.1",
    title="What is due",
    concept="high-water mark",
    expected="a function of memories, what has been read, and the name of an agent",
    fits=is_function,
    laws=(
        reads_what_no_run_has_read,
        age_does_not_matter,
        a_gap_is_still_due,
        each_agent_reads_for_itself,
        sums_up_only_what_is_believed,
        does_not_read_its_own_reports,
        the_oldest_comes_first,
    ),
    yes="each memory is read once, by the agent whose it is, however late, and nothing withdrawn or home-made",
    misconceptions=(
        Misconception(
            "recent means unread",
            "A window reads some memories twice and others never. Age says nothing about who has read what.",
            _windowed,
        ),
        Misconception(
            "a second run does no harm",
            "The model words it differently the second time, and no duplicate check knows it again. What was read needs a mark.",
            _no_mark,
        ),
        Misconception(
            "the mark is one number",
            "A run may skip: a session of its own, a batch that was full. Behind the last one read lie others that nobody read.",
            _one_number,
        ),
        Misconception(
            "one run reads for all",
            "Each agent sleeps over its own day. A mark without its reader takes away what another has not read.",
            _one_for_all,
        ),
        Misconception(
            "what was withdrawn can still be summed up",
            "Then a retracted event comes back as a fact. Only the live three statuses are due.",
            _withdrawn,
        ),
        Misconception(
            "everything in the log is news",
            "The report of a run names facts that were just proposed. Summed up again, they become their own evidence.",
            "does_not_read_its_own_reports",
        ),
    ),
    hints=(
        "How can you tell, without looking at a clock, that a run has read this very memory?",
        "Whose memory is it, and who has read it: which of the two names belongs to which field?",
        "Which statuses may be used, and which two kinds does the system itself write?",
    ),
)
