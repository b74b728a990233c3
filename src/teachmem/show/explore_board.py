"""The lifecycle board without drawing: how every memory stands, who may act, and a move tried for real.

A move is tried through `set_status` like anybody's, inside a transaction that is then rolled back: the
receipt or the refusal is the true one, and the store is as it was.

>>> from teachmem.store import open_memory
>>> with open_memory() as mem:
...     tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
...     fact = tech.semantic.remember("gate four sticks").memory.memory_id
...     receipt = tried(tech, tech.principal, fact, "archived")
...     print(receipt.verdict, receipt.memory.status, tech.semantic.get(fact).status)
accepted archived active

Left out: texts. A board counts what is withheld, and does not read it out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import cast

from teachmem import states, store
from teachmem.errors import MemoryRefused
from teachmem.ledger.database import Database, Transaction
from teachmem.principal import Principal
from teachmem.record import Receipt
from teachmem.rules import admissible, census, shape, standing
from teachmem.vocabulary import Role, Status, Tier

REASON = "tried on the board"


@dataclass(frozen=True, slots=True)
class Held:
    """One memory on the board. `admitted` says whether a read returns it now."""

    memory_id: str
    tier: Tier
    kind: str
    status: Status
    admitted: bool


@dataclass(frozen=True, slots=True)
class Board:
    """Every memory of `reader` in its state, and the moves of `role` from one state.

    `chosen` is a memory that is pointed out, `to` a move that is.
    """

    reader: str
    held: tuple[Held, ...]
    role: Role = Role.AGENT
    status: Status = Status.ACTIVE
    chosen: str = ""
    to: Status | None = None

    def of(self, status: Status) -> list[Held]:
        """Return the memories in one state."""
        return [each for each in self.held if each.status == status]

    @property
    def moves(self) -> tuple[Status, ...]:
        """Where `role` may move a memory from `status`."""
        return states.legal(self.role, self.status)


def gather(handle: store.Handle, role: str = Role.AGENT, status: str = Status.ACTIVE) -> Board:
    """Return how everything stands that `handle` may see exists."""
    shape.check_member("role", role, Role)
    shape.check_member("status", status, Status)
    with handle._kit.reading(handle.principal, None, None) as (tx, now, _):
        found = census.standing(tx, handle.principal, now)
    held = tuple(Held(row[0], Tier(row[1]), row[2], Status(row[3]), bool(row[4])) for row in found)
    return Board(handle.principal.name, held, Role(role), Status(status))


def actors(who: Principal) -> dict[str, Principal]:
    """Return who may try a move: whoever looks, another agent, a person of the fleet, and the system."""
    return {
        f"{who.name} ({who.role})": who,
        "another agent": Principal(who.tenant, who.fleet, "another-agent", Role.AGENT),
        "a person of the fleet": Principal(who.tenant, who.fleet, "a-person", Role.PERSON),
        "the system, by rule": Principal(who.tenant, who.fleet, "a-rule", Role.SYSTEM, who.clearance),
    }


def tried(handle: store.Handle, who: Principal, memory_id: str, status: str) -> Receipt:
    """Return what `who` would be told who moves a memory to `status`; nothing is changed.

    Raises `NotFound` for a memory that `who` may not see.
    """
    gate = handle._kit.gate
    trial = replace(gate, database=cast(Database, _RolledBack(gate.database)), ids=_TrialIds())
    try:
        receipt = standing.set_status(trial, who, memory_id, status, REASON)
    except MemoryRefused as refused:
        receipt = refused.receipt
    return replace(receipt, audit_seq=None)  # the entry was taken back with the rest


def content(handle: store.Handle, memory_id: str) -> str | None:
    """Return what a memory says, if a read of `handle` returns it now."""
    with handle._kit.reading(handle.principal, None, None) as (tx, now, _):
        found = admissible.by_id(tx, handle.principal, memory_id, now)
    return None if found is None else found.content


class _Undo(Exception):
    """Ends a trial."""


class _RolledBack:
    """A database of which every write is undone when it is done."""

    def __init__(self, real: Database) -> None:
        self._real = real

    @contextmanager
    def write(self) -> Iterator[Transaction]:
        with suppress(_Undo), self._real.write() as tx:
            yield tx
            raise _Undo


class _TrialIds:
    """Ids that use up none of the store's own."""

    def __init__(self) -> None:
        self._made: Counter[str] = Counter()

    def new(self, prefix: str) -> str:
        self._made[prefix] += 1
        return f"{prefix}-trial-{self._made[prefix]}"

    def salt(self) -> bytes:
        return bytes(16)


def counts(board: Board) -> Mapping[Status, tuple[int, int]]:
    """Return for every state how many memories are in it, and how many of them a read returns."""
    return {
        status: (len(board.of(status)), sum(each.admitted for each in board.of(status))) for status in Status
    }
