"""What every tier works with, and the one way in which a read opens the store.

`at` asks about the world and defaults to now; `known_at` asks about the ledger and defaults to
its current versions. "Now" is the clock's time or the time of the tenant's last entry, whichever
is later, so that what was just written is there even if a clock jumped back.

Left out: what a tier does.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from teachmem.clock import Moment, to_micros
from teachmem.errors import InvalidInput
from teachmem.ledger import authors, chain
from teachmem.ledger.database import Database, Transaction
from teachmem.normal import nfc
from teachmem.ports import Clock, TokenCounter
from teachmem.principal import Principal
from teachmem.recall.index import LexicalIndex
from teachmem.recall.nearest import Nearest
from teachmem.rules import shape
from teachmem.rules import widen as widening
from teachmem.rules.gate import Gate

LAPSED = ("exclude", "discount")  # what a ranked read does with what is over


@dataclass(frozen=True, slots=True)
class Kit:
    """The parts of one opened store that tiers share."""

    database: Database
    clock: Clock
    gate: Gate
    index: LexicalIndex
    count_tokens: TokenCounter
    near: Nearest

    @contextmanager
    def reading(
        self, who: Principal, at: Moment | None, known_at: Moment | None
    ) -> Iterator[tuple[Transaction, int, int | None]]:
        """Open one snapshot; yield it with `at` and `known_at` in microseconds."""
        asked, known = _moment("at", at), _moment("known_at", known_at)
        with self.database.read() as tx:
            authors.check(tx, who)
            if asked is None:
                asked = max(to_micros(self.clock.now()), chain.head(tx, who.tenant).time)
            yield tx, asked, known

    @contextmanager
    def asking(
        self, who: Principal, read: str, at: Moment | None, known_at: Moment | None, widen: str | None
    ) -> Iterator[tuple[Transaction, Principal, int, int | None]]:
        """Do the same for a read that a steward may widen, by name; yield also whose scope it has.

        A wider read leaves an audit entry before it answers (`rules/widen.py`).
        """
        _moment("at", at), _moment("known_at", known_at)  # what cannot be asked leaves no entry
        reader = widening.reader(self.gate, who, widen, read)
        with self.reading(reader, at, known_at) as (tx, moment, known):
            yield tx, reader, moment, known


def _moment(field: str, given: Moment | None) -> int | None:
    return None if given is None else to_micros(given, field)


def check_lapsed(value: object) -> bool:
    """Say whether what has lapsed counts too; refuse all but the two words."""
    shape.check_member("lapsed", value, LAPSED)
    return value == "discount"


def check_count(field: str, value: object) -> int:
    """Return `value`, at most what a database can count to; refuse all but a whole number of 1 or more."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise InvalidInput(field, f"must be a whole number of 1 or more, not {value!r}")
    return min(value, sys.maxsize)


def sums(groups: Sequence[tuple[Any, ...]], column: int) -> dict[str, int]:
    """Return how many memories of an `admissible.tally` have each value of one of its columns.

    >>> sums([("fact", "web", 2, 0, 9), ("plan", "web", 1, 3, 3)], column=1)
    {'web': 3}
    """
    found = Counter[str]()
    for group in groups:
        found[group[column]] += group[-3]
    return dict(sorted(found.items()))


def check_filter(field: str, value: object) -> str | None:
    """Return a filter as names are stored, or None where nothing was asked for.

    "" is refused: it is more often a lost value than a wish for everything.
    """
    if value is None:
        return None
    shape.check_name(field, value, empty=False)
    return nfc(str(value))
