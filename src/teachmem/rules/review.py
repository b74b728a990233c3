"""A person decides on what waits: the inbox, and the actions on it. Only a `Person` holds one.

Left out: who the person is. In-process code is trusted to say so, a server asks the credential.
"""

from __future__ import annotations

from teachmem.clock import to_micros
from teachmem.ledger import chain
from teachmem.principal import Principal
from teachmem.rules import inbox
from teachmem.rules.gate import Gate
from teachmem.rules.inbox import Candidate


class Review:
    """The inbox of one person."""

    def __init__(self, who: Principal, gate: Gate) -> None:
        self._who = who
        self._gate = gate

    def inbox(self, *, deferred: bool = False) -> list[Candidate]:
        """Return what waits for you, oldest first, then moratoria that have ended.

        What was put off comes back at its time; `deferred=True` shows it now.
        """
        with self._gate.database.read() as tx:
            now = max(to_micros(self._gate.clock.now()), chain.head(tx, self._who.tenant).time)
            return inbox.waiting(tx, self._who, now, deferred)
