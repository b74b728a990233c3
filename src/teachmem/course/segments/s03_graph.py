"""Exercise 3.3: a one-hop neighbourhood that forgets; its laws, and the wrong ideas about it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from teachmem.course.material import Exercise, Misconception, Wrong, call, is_function, show, shown
from teachmem.vocabulary import LIVE, Status

Hop = Callable[[Sequence["Row"], str], object]


class Row(NamedTuple):
    """One version of one fact, as far as a graph needs it."""

    memory_id: str
    version: int
    status: str
    subject: str
    predicate: str
    object: str


LOT = "lot 26-0131"
TOLD = Row("fact-1", 1, "active", LOT, "has_status", "fit for use")
TAKEN_BACK = TOLD._replace(version=2, status="cancelled")
MOVED = (
    Row("fact-2", 1, "active", LOT, "located_in", "drawer 12"),
    Row("fact-2", 2, "active", LOT, "located_in", "cage"),
)
HOLDER = Row("fact-3", 1, "active", "NL-0003", "contains", LOT)
OTHER = Row("fact-5", 1, "active", f"{LOT}-B", "located_in", "drawer 9")
FAR = Row("fact-4", 1, "active", "cage", "located_in", "bay one")


def _near(hop: Hop, rows: Sequence[Row], entity: str = LOT) -> set[str]:
    called = f"{shown(hop)[:-2]}(rows, {entity!r})"
    got = call(hop, list(rows), entity)
    if not isinstance(got, list | tuple | set | frozenset):
        raise Wrong(f"{called} gave {show(got)}; a set or list of names was due")
    for name in got:
        if type(name) is not str:
            raise Wrong(f"{called} gave {show(got)}, and {show(name)} is no name")
    return set(got)


def _told(rows: Sequence[Row]) -> str:
    """Say what the rows are, shortly."""
    said = "; ".join(
        f"{row.memory_id} v{row.version} {row.status}: {row.subject} {row.predicate} {row.object}"
        for row in rows
    )
    return f"with the rows {said}"


def _wrong(hop: Hop, rows: Sequence[Row], due: set[str], entity: str = LOT) -> str | None:
    got = _near(hop, rows, entity)
    if got == due:
        return None
    strange = min(got ^ due)
    verb = "is not there" if strange in due else "is there"
    return f"{_told(rows)}, you gave {show(sorted(got))} for {entity!r}; {strange!r} {verb}"


def sees_both_ends(hop: Hop) -> str | None:
    """A thing is one hop away whichever end of an edge it stands at; neither two hops nor half a name count."""
    return _wrong(hop, (TOLD, HOLDER, FAR, OTHER), {"fit for use", "NL-0003"})


def forgets_what_was_retracted(hop: Hop) -> str | None:
    """A retracted fact is no edge, although the version that it had before still stands in the table."""
    return _wrong(hop, (TOLD, HOLDER, TAKEN_BACK), {"NL-0003"})


def keeps_what_was_revised(hop: Hop) -> str | None:
    """A revised fact is an edge as its newest version says it."""
    return _wrong(hop, (*MOVED, TOLD), {"cage", "fit for use"})


def forgets_what_was_left(hop: Hop) -> str | None:
    """What only an older version named is no neighbour: the newest one speaks, though it names something else."""
    return _wrong(hop, MOVED, set(), "drawer 12")


def the_order_of_rows_does_not_matter(hop: Hop) -> str | None:
    """A table has no order: the newest version may stand before the others."""
    return _wrong(hop, (TAKEN_BACK, MOVED[1], HOLDER, MOVED[0], TOLD), {"cage", "NL-0003"})


def believes_the_live_and_no_other(hop: Hop) -> str | None:
    """Pending and confirmed facts are believed like active ones, the five withheld statuses are not."""
    for status in Status:
        due = {"fit for use"} if status in LIVE else set()
        if wrong := _wrong(hop, (TOLD._replace(status=status.value),), due):
            return wrong
    return None


def _forgetful(hop: Hop) -> bool:
    """Say whether a retracted fact stays because its first version is active."""
    return "fit for use" in _near(hop, (TOLD, HOLDER, TAKEN_BACK))


def _one_way(hop: Hop) -> bool:
    return len(_near(hop, (TOLD, HOLDER)) & {"fit for use", "NL-0003"}) == 1


def _revised_is_gone(hop: Hop) -> bool:
    return "fit for use" in _near(hop, (TOLD,)) and not {"cage", "drawer 12"} & _near(hop, MOVED)


def _last_row_wins(hop: Hop) -> bool:
    return "cage" in _near(hop, MOVED) and "cage" not in _near(hop, MOVED[::-1])


def _only_active(hop: Hop) -> bool:
    lost = (_near(hop, (TOLD._replace(status=status),)) for status in ("pending", "confirmed"))
    return "fit for use" in _near(hop, (TOLD,)) and not any(lost)


EXERCISE = Exercise(
    id="3.3",
    title="A neighbourhood that forgets",
    concept="graph",
    expected="a function of rows and the name of a thing",
    fits=is_function,
    laws=(
        sees_both_ends,
        forgets_what_was_retracted,
        keeps_what_was_revised,
        the_order_of_rows_does_not_matter,
        forgets_what_was_left,
        believes_the_live_and_no_other,
    ),
    yes="both ends of an edge count, the newest version speaks for its fact, and only what is believed is an edge",
    misconceptions=(
        Misconception(
            "an edge has one end",
            "NL-0003 contains the pads, so the pads are next to NL-0003. Look at subject and object.",
            _one_way,
        ),
        Misconception(
            "a retraction takes its row away",
            "Nothing is overwritten. The old version still says active; the newer one says that it is withdrawn.",
            _forgetful,
        ),
        Misconception(
            "a second version is a retraction",
            "A revision has a second version too, and is believed. Its status says which of the two it is.",
            _revised_is_gone,
        ),
        Misconception(
            "the newest row stands last",
            "A table has no order. The number of the version says which is newest.",
            _last_row_wins,
        ),
        Misconception(
            "only active is live",
            "Three statuses are live: active, pending and confirmed. A fact that a person confirmed must not vanish.",
            _only_active,
        ),
        Misconception(
            "only the rows that hold the name count",
            "The newest version of a fact may name something else. Ask which one speaks before you look for the name.",
            "forgets_what_was_left",
        ),
    ),
    hints=(
        "How many rows does the table hold of a fact that was retracted, and which one speaks for it?",
        "At which two places of a row can the name stand that you look for?",
        "Which three statuses may be used, and what do the other five have in common?",
    ),
)
