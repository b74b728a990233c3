"""A template for an adapter: copy it, and let it say in the words of the protocol what your memory does.

Begin with `write`, `recall` and `retract`. Add what your memory really offers, one method at a time, in the
best way that it documents, and leave out the rest: a method that is not there is *not offered*, which is no
fault. Never build in the adapter what the memory does not have.

>>> from teachmem.marks import probe
>>> card = probe.run(Template, probe.probes("verbatim")[:1])
>>> print(card.findings[0].answer)
holds

Left out: a process and an environment of their own, which `marks/systems/lodger.py` gives to a memory that is
installed on demand.
"""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

from teachmem.marks.system import Actor, Found, Refused, System, offered


class Template(System):
    """A dictionary, in the place of your memory."""

    name = "template"  # as its makers call it
    version = "1"  # as it is run: ask it, do not type it
    way = "a dictionary; a memory is found by any of its words"  # which documented way of it you use

    def open(self, folder: Path, *, files: bool = True) -> None:
        """Start it, empty. Raise `CouldNotRun` with the reason where it cannot be started."""
        self.held: dict[str, str] = {}
        self.given = 0

    def acting(
        self,
        name: str,
        *,
        fleet: str = "dock",
        tenant: str = "northlight",
        person: bool = False,
        steward: bool = False,
    ) -> Actor:
        """Return it as one agent uses it. Say what it does not tell apart: here, fleets and tenants."""
        offered({"fleets": fleet != "dock", "tenants": tenant != "northlight"})
        return TemplateActor(self)


class TemplateActor(Actor):
    """What one agent can do with it."""

    def __init__(self, system: Template) -> None:
        self._system = system

    def write(self, text: str, **how: Any) -> str:
        """Keep a text, and return the id that your memory gave it."""
        offered(how)  # name the options that your memory takes: offered(how, "private", "source")
        self._system.given += 1
        key = str(self._system.given)
        self._system.held[key] = text
        return key

    def recall(
        self, query: str, *, at: datetime | None = None, known_at: datetime | None = None, k: int = 10
    ) -> list[Found]:
        """Ask its search, and return what it found, best first, in its words and with its ids."""
        offered({"at": at, "known_at": known_at})
        asked = set(query.lower().split())
        found = [
            Found(key, text) for key, text in self._system.held.items() if asked & set(text.lower().split())
        ]
        return sorted(found, key=lambda one: -len(asked & set(one.text.lower().split())))[:k]

    def retract(self, memory_id: str, reason: str) -> None:
        """Withdraw a memory; what your memory declines is `Refused`, with its own words."""
        if self._system.held.pop(memory_id, None) is None:
            raise Refused(f"there is no {memory_id}")
