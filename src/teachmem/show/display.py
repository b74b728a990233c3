"""From any object that a student meets to its view: one table of who shows what.

>>> from teachmem.record import Gate, WhyNot
>>> show(WhyNot("event-0001", (Gate("scope", True, "you may see it"),)))
event-0001 was in the answer
gate   outcome  reason
scope  ✓ open   you may see it

Left out: drawing. Each kind has its module.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from teachmem import store
from teachmem.clock import Moment
from teachmem.errors import InvalidInput, MemoryRefused
from teachmem.flow.pipeline import Answer
from teachmem.ledger.report import AuditReport
from teachmem.record import Memory, Receipt, Recollection, WhyNot
from teachmem.show import (
    attacked,
    blocks,
    board,
    budget,
    counts,
    difference,
    explore_board,
    explore_fusion,
    explore_inbox,
    explore_time,
    foil_grid,
    fused,
    hits,
    inbox_view,
    kit,
    neighbourhood,
    readers,
    rows,
    scorecard,
    side_by_side,
    style,
    time_grid,
    traced,
    trails,
    wall,
)
from teachmem.show.difference import Rewrite
from teachmem.show.explore_chain import Attacked
from teachmem.show.explore_inbox import Decided, Inbox
from teachmem.show.neighbourhood import Neighbourhood
from teachmem.show.view import View
from teachmem.tiers import kit as tier_kit
from teachmem.tiers.graph import Edge
from teachmem.tiers.working import Context

if TYPE_CHECKING:
    import pandas as pd


def _recollection(found: Recollection, **how: Any) -> View:
    if fused.is_fused(found):
        return fused.recollection(found, **how)
    return hits.recollection(found, **how)


_VIEWS: Mapping[type, Callable[..., View]] = {
    Receipt: trails.receipt,
    WhyNot: trails.why_not,
    MemoryRefused: lambda refused: trails.receipt(refused.receipt),
    Recollection: _recollection,
    Context: budget.context,
    Memory: rows.memory,
    AuditReport: blocks.report,
    Rewrite: difference.rewrite,
    Neighbourhood: neighbourhood.graph,
    Attacked: attacked.attacked,
    Inbox: inbox_view.inbox,
    Decided: inbox_view.decided,
    explore_board.Board: board.board,
    Answer: traced.trace,
    wall.Wall: wall.wall,
    store.Handle: kit.tiers,
}
_KNOWN = ", ".join(
    [*(kind.__name__ for kind in _VIEWS), "a list of Memory or of Edge", "a dictionary of stats"]
)


def view_of(thing: object, **how: Any) -> View:
    """Return the view of `thing`; `how` is handed on (`most=7` rows, `now=` for a list of memories ...).

    Raises `InvalidInput`, naming the types that can be shown, for anything else.
    """
    if "most" in how:
        tier_kit.check_count("most", how["most"])
    for kind, make in _VIEWS.items():
        if isinstance(thing, kind):
            return make(thing, **how)
    if isinstance(thing, Mapping) and all(isinstance(name, str) for name in thing):
        return counts.stats(thing, **how)
    if isinstance(thing, Sequence) and not isinstance(thing, str | bytes):
        if thing and isinstance(thing[0], Edge):
            return neighbourhood.graph(Neighbourhood(tuple(thing)), **how)
        strange = next((each for each in thing if not isinstance(each, Memory)), None)
        if strange is None:
            return rows.memories(thing, **how)
        raise InvalidInput("x", f"holds {_kind(strange)}; a list is shown if it holds Memory or Edge alone")
    raise InvalidInput("x", f"is {_kind(thing)}, which has no view; there is one for {_KNOWN}")


def _kind(thing: object) -> str:
    return f"something of type {type(thing).__name__}"


def show(thing: object, **how: Any) -> None:
    """Display the picture and the text of `thing` as one bundle; outside a notebook, print the text."""
    view_of(thing, **how).show()


def text(thing: object, **how: Any) -> str:
    """Return the text twin."""
    return view_of(thing, **how).text()


def html(thing: object, **how: Any) -> str:
    """Return the picture: HTML that is complete in itself, without scripts."""
    return str(view_of(thing, **how).html())


def table(thing: object, **how: Any) -> pd.DataFrame:
    """Return the table twin, as a pandas table with every row."""
    return view_of(thing, **how).table.frame()


def rewrite(original: str, rewritten: str, name: str = "rewrite") -> None:
    """Show a rewrite beside its original, lost and added words marked."""
    show(Rewrite(original, rewritten, name))


def tiers(handle: store.Handle, audit: AuditReport | None = None) -> None:
    """Show the kit in one picture, with the counts of what `handle` may read."""
    show(handle, audit=audit)


def fusion(handle: store.Handle, query: str, k: int = 5, way: str = explore_fusion.FUSED) -> None:
    """Show what `handle` finds by words, by meaning and by both together, side by side."""
    tier_kit.check_count("k", k)
    side_by_side.lists(explore_fusion.gather(handle, query), k, way).show()


def times(
    handle: store.Handle,
    ids: Iterable[str],
    at: Sequence[Moment] | None = None,
    known_at: Sequence[Moment] | None = None,
) -> None:
    """Show what `handle` is told of these facts for every pair of valid and known time, as a grid."""
    time_grid.grid(explore_time.gather(handle, ids, at, known_at)).show()


def scope(handles: Iterable[store.Handle], memories: Sequence[str], sql_of: int | None = 0) -> None:
    """Show which of these readers see which memories, by which reads, and the clause of one of them."""
    readers.matrix(readers.gather(handles, memories), sql_of).show()


def states(handle: store.Handle, role: str = "agent", status: str = "active") -> None:
    """Show the lifecycle board: every memory in its state, and where `role` may move what is `status`."""
    show(explore_board.gather(handle, role, status))


def inbox(person: store.Person, most: int = style.MOST_MARKS) -> None:
    """Show what waits for a person: why, what it rests on, and what approval would change."""
    show(explore_inbox.gather(person), most=most)


def card(one: scorecard.Card, mark: str | None = None) -> None:
    """Show what one memory answered to the probes, of one mark or of all, and what was seen."""
    scorecard.one(one, mark).show()


def cards(several: Sequence[scorecard.Card], mark: str | None = None) -> None:
    """Show several memories side by side: by marks, or the probes of one mark."""
    (scorecard.by_marks(several) if mark is None else scorecard.beside(several, mark)).show()


def foils(caught: Mapping[str, Iterable[scorecard.Finding]]) -> None:
    """Show which probes catch which foils; `caught` has what the kit answered with each foil on.

    A few are listed with their probes; of many the picture is a grid.
    """
    given = {name: tuple(found) for name, found in caught.items()}
    (scorecard.foils if len(given) <= style.MOST_MARKS else foil_grid.grid)(given).show()


def graph(
    x: store.Handle | Iterable[Edge],
    entity: str | None = None,
    hops: int = 1,
    direction: str = "both",
    most: int = style.MOST_MARKS,
) -> None:
    """Show a neighbourhood: of `entity` as a handle may believe it, or edges that were found already.

    A handle without an entity shows the best connected part of its whole graph.
    """
    show(neighbourhood.found(x, entity, hops, direction), most=most)
