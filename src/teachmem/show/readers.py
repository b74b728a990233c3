"""The scope matrix: who sees which memory, through which read, and the clause that says so.

A row is a reader, a column a memory. Each cell asks several reads the same question; where they do not
agree, the cell names the ones that show what the others withhold.

Left out: why. The clause's own SQL stands below, as the database gets it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from teachmem import store
from teachmem.errors import NotFound
from teachmem.principal import Principal
from teachmem.rules import scope
from teachmem.show import markup, style, view, words

SEEN, LEAK, UNSEEN = style.ACCEPTED, style.REFUSED, ""
READS: dict[str, Callable[[store.Handle], set[str]]] = {
    "list": lambda who: {fact.memory_id for fact in who.semantic.list(limit=1_000)},
    "search": lambda who: {hit.memory.memory_id for hit in who.semantic.search("", 1_000)},
    "graph": lambda who: {edge.memory.memory_id for edge in who.graph.edges()},
}


@dataclass(frozen=True, slots=True)
class Readers:
    """Who sees which memory: `seen[reader][memory]` names the reads that show it."""

    readers: tuple[Principal, ...]
    memories: tuple[str, ...]
    seen: tuple[tuple[tuple[str, ...], ...], ...]
    granted: tuple[tuple[bool, ...], ...]  # what `get` says, by its key


def gather(handles: Iterable[store.Handle], memories: Sequence[str]) -> Readers:
    """Ask every read of every handle for these memories, and `get` for each one."""
    readers, wanted = tuple(handles), tuple(memories)
    shown = [{name: read(who) for name, read in READS.items()} for who in readers]
    seen = tuple(
        tuple(tuple(name for name, ids in of.items() if memory_id in ids) for memory_id in wanted)
        for of in shown
    )
    granted = tuple(tuple(_may(who, memory_id) for memory_id in wanted) for who in readers)
    return Readers(tuple(who.principal for who in readers), wanted, seen, granted)


def _may(who: store.Handle, memory_id: str) -> bool:
    try:
        who.semantic.get(memory_id)
    except NotFound:
        return False
    return True


def matrix(given: Readers, sql_of: int | None = None) -> view.View:
    """Return the view of who sees what; with `sql_of`, the clause as that reader's reads run it."""
    columns = ("reader", *(words.short_id(memory_id) for memory_id in given.memories))
    rows = tuple(
        (
            named(who),
            *(_cell(seen, may) for seen, may in zip(given.seen[row], given.granted[row], strict=True)),
        )
        for row, who in enumerate(given.readers)
    )
    leaks = sum(cell.startswith(LEAK) for row in rows for cell in row)
    title = said(len(given.readers), len(given.memories))
    title += f", {words.count(leaks, 'leak')}" if leaks else ", no leak"
    notes = () if sql_of is None else (clause(given.readers[sql_of]),)
    body = [markup.el("tr", {}, *(markup.el("td", {}, cell) for cell in row)) for row in rows]
    return view.View(title, view.Table(columns, rows), markup.table(columns, body), notes)


def said(reading: int, held: int) -> str:
    """Say how many readers and memories there are.

    >>> said(3, 1)
    '3 readers, 1 memory'
    """
    return f"{words.count(reading, 'reader')}, {held} {'memory' if held == 1 else 'memories'}"


def named(who: Principal) -> str:
    """Say who reads, and how far they may look if it is further than others."""
    return f"{who.name} of {who.fleet}" + (f", clearance {int(who.clearance)}" if who.clearance > 1 else "")


def _cell(seen: tuple[str, ...], may: bool) -> str:
    if may:
        return SEEN
    return f"{LEAK} {', '.join(seen)}" if seen else UNSEEN


def clause(who: Principal) -> str:
    """Return the scope clause of a reader as SQL, its values named.

    >>> print(clause(Principal("northlight", "lab", "lab-2")).splitlines()[0])
    the clause for lab-2:
    """
    said = str(scope.clause(scope.reach(who), current=False)).replace("memories.", "")
    return f"the clause for {who.name}:\n" + said.replace(" OR ", "\nOR ")
