"""An attack on a closed store, and the three verdicts that `verify` owes it.

The three verdicts are those of `verify()`, of `verify(checkpoint=one)` where `one` was made of the whole
log before the attack, and of `verify(deep=True)`. A *complete* among them is where that way of looking
ends. What no verdict of the three can show is in `UNSEEN`.

Left out: the attacks themselves (`marks/attacks.py`).
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from teachmem.errors import InvalidInput
from teachmem.marks import tamper

Act = Callable[[sqlite3.Connection, str, int], object]

UNSEEN = (
    ("edit_a_vector", "No digest covers a vector, which follows from the content; reindex makes it anew."),
    (
        "rewrite_and_fit_the_rows",
        "Behind the last checkpoint that someone holds, all can be made to fit.",
    ),
    (
        "other rows",
        "No digest covers a waiting candidate, a tombstone or a lineage; their entries are checked.",
    ),
    ("never logged", "What was done without the store, or by changed code, left no entry to be checked."),
    ("a false time or name", "A time is the clock's claim; code in the process is trusted to say who acts."),
    ("two stores", "Two people can be shown two logs, each whole, until they compare a checkpoint."),
)


@dataclass(frozen=True, slots=True)
class Attack:
    """One attack: what is done, where it can be done, and the three verdicts that it must get.

    `first` and `spare` say where: from entry `first` to `spare` entries before the last. An attack
    that `rewrites` is seen by every checkpoint from the attacked entry on, and by no earlier one. One
    that `restores` takes a copy of the store that was made after entry N and is called `STORE.N`.
    """

    name: str
    done: str
    alone: str
    held: str
    deep: str
    act: Act
    first: int = 1
    spare: int = 0
    rewrites: bool = False
    restores: bool = False

    def places(self, entries: int) -> range:
        """Return the entries that can be attacked in a log of so many."""
        return range(self.first, entries - self.spare + 1)

    def apply(self, path: Path, tenant: str, seq: int) -> None:
        """Do it to entry `seq` of `tenant` in the closed store at `path`.

        Raises `InvalidInput` where there is nothing that it could change.
        """
        if self.restores:
            shutil.copy(path.with_name(f"{path.name}.{seq}"), path)
        with tamper.opened(path) as raw:
            before = raw.total_changes
            self.act(raw, tenant, seq)
            if raw.total_changes == before and not self.restores:
                raise InvalidInput("seq", f"entry {seq} wrote nothing that this could change")

    def __str__(self) -> str:
        return f"{self.name}: {self.done} ({self.alone}, {self.held}, {self.deep})"


_ATTACKS: dict[str, Attack] = {}


def register(done: str, alone: str, held: str, deep: str, **where: Any) -> Callable[[Act], Act]:
    """Make the decorated function an attack of its own name."""

    def keep(act: Act) -> Act:
        name = act.__name__
        if name in _ATTACKS:
            raise ValueError(f"there is an attack {name!r} already")
        _ATTACKS[name] = Attack(name, done, alone, held, deep, act, **where)
        return act

    return keep


def registered() -> dict[str, Attack]:
    """Return every attack that was registered, in order."""
    return dict(_ATTACKS)
