"""What any `rules.validity` must obey: half-open intervals, and two times that are never confused."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from hypothesis import strategies as st

from teachmem.clock import from_micros
from teachmem.course.rebuilding.law import Contract, ask, examples, show, yours
from teachmem.course.rebuilding.sql import chosen

times = st.integers(0, 9)
ends = st.none() | times


@examples(at=times, valid_from=ends, valid_to=ends, expires_at=ends)
def intervals_are_half_open(
    module: Any, at: int, valid_from: int | None, valid_to: int | None, expires_at: int | None
) -> str | None:
    """A memory holds from its start on and not at its end, nor when it has expired; a missing end is open."""
    got = ask(module, "holds", at, valid_from, valid_to, expires_at)
    due = _holds(at, valid_from, valid_to, expires_at)
    if got is not due:
        return f"{yours('holds', at, valid_from, valid_to, expires_at)} gave {show(got)}, {due} was due"
    return None


@examples(at=times, valid_from=ends, valid_to=ends, expires_at=ends)
def the_database_says_the_same(
    module: Any, at: int, valid_from: int | None, valid_to: int | None, expires_at: int | None
) -> str | None:
    """`valid_clause()` reads in the database what `holds()` says in Python."""
    row = {"valid_from": valid_from, "valid_to": valid_to, "expires_at": expires_at}
    return _read(ask(module, "valid_clause"), "valid_clause()", row, _holds(at, *row.values()), at=at)


@examples(at=times, valid_from=ends, valid_to=ends, expires_at=ends)
def what_has_lapsed_is_read_by_name_and_what_expired_never(
    module: Any, at: int, valid_from: int | None, valid_to: int | None, expires_at: int | None
) -> str | None:
    """With `lapsed` the end of a memory does not count; its start and its expiry do."""
    row = {"valid_from": valid_from, "valid_to": valid_to, "expires_at": expires_at}
    due = _holds(at, valid_from, None, expires_at)
    return _read(ask(module, "valid_clause", True), "valid_clause(lapsed=True)", row, due, at=at)


@examples(known_at=times, recorded_at=times, superseded_at=ends)
def the_ledger_is_asked_for_what_it_held_then(
    module: Any, known_at: int, recorded_at: int, superseded_at: int | None
) -> str | None:
    """Looking back, a version counts from when it was recorded until, not at, when it was superseded."""
    row = {"recorded_at": recorded_at, "superseded_at": superseded_at}
    due = recorded_at <= known_at and (superseded_at is None or known_at < superseded_at)
    return _read(ask(module, "known_clause", True), "known_clause(True)", row, due, known_at=known_at)


@examples(recorded_at=times, superseded_at=ends)
def now_is_the_current_version_and_no_clock(
    module: Any, recorded_at: int, superseded_at: int | None
) -> str | None:
    """Without looking back, the version that nothing superseded is read; no time is compared."""
    row = {"recorded_at": recorded_at, "superseded_at": superseded_at}
    return _read(ask(module, "known_clause", False), "known_clause(False)", row, superseded_at is None)


@examples(at=times, valid_from=ends, valid_to=ends)
def what_is_over_has_lapsed(module: Any, at: int, valid_from: int | None, valid_to: int | None) -> str | None:
    """A memory is over from its end on; one without an end never is."""
    moments = {"valid_from": valid_from, "valid_to": valid_to, "expires_at": None}
    memory = SimpleNamespace(
        **{name: None if at is None else from_micros(at) for name, at in moments.items()}
    )
    got, due = ask(module, "is_over", memory, at), valid_to is not None and valid_to <= at
    if got is not due:
        return (
            f"of a memory that ends at {valid_to}, your is_over(memory, {at}) gave {show(got)}, {due} was due"
        )
    return None


def _holds(at: int, valid_from: int | None, valid_to: int | None, expires_at: int | None) -> bool:
    """Say it once more, as a student would on paper: the oracle."""
    begun = valid_from is None or at >= valid_from
    return begun and all(end is None or at < end for end in (valid_to, expires_at))


def _read(clause: Any, called: str, row: dict[str, int | None], due: bool, **when: int) -> str | None:
    found = bool(chosen(clause, [row], **when))
    if found != due:
        asked = "".join(f" for {name} = {at}" for name, at in when.items())
        does = "reads" if found else "does not read"
        return f"{asked.strip()} your {called} {does} a memory with {show(row)}".strip()
    return None


CONTRACT = Contract(
    "rules.validity",
    ("valid_clause", "known_clause", "is_over", "holds"),
    (
        intervals_are_half_open,
        the_database_says_the_same,
        what_has_lapsed_is_read_by_name_and_what_expired_never,
        the_ledger_is_asked_for_what_it_held_then,
        now_is_the_current_version_and_no_clock,
        what_is_over_has_lapsed,
    ),
)
