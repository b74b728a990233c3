"""What a probe may ask of a memory: a small protocol, in which every operation is optional.

An adapter is a `System` and its `Actor`s: it says in these words what another memory does in its own, in
the best way that memory documents. What it does not offer raises `NotOffered`, what it declines `Refused`;
neither is a fault of it, and a probe tells them apart.

>>> Actor().recall("gate four")
Traceback (most recent call last):
    ...
teachmem.marks.system.NotOffered: recall

Left out: asking (`marks/probe.py`), and the adapters (`marks/systems/`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any


class NotOffered(Exception):
    """The system has nothing that does this; the message names the operation or the option."""


class Refused(Exception):
    """The system said no, as one that has a rule against it does; the message says why."""


class CouldNotRun(Exception):
    """The system could not be asked: not installed, not started, or it does not do the least."""


@dataclass(frozen=True, slots=True)
class Found:
    """One memory, or one thing that waits, as it came back. `seen` is the adapter's own, for `decide`."""

    id: str
    text: str
    seen: Any = None


def offered(how: Mapping[str, Any], *names: str) -> None:
    """Raise `NotOffered` for an option that was given and is none of `names`.

    >>> offered({"source": "web", "private": False}, "private")
    Traceback (most recent call last):
        ...
    teachmem.marks.system.NotOffered: source
    """
    for name, value in how.items():
        if value not in (None, False, ()) and name not in names:
            raise NotOffered(name)


class Actor:
    """The system as one agent or one person may use it. Texts are verbatim, ids are the system's own."""

    # ---- the least: without these two a system cannot be asked anything ------------------------------

    def write(self, text: str, **how: Any) -> str:
        """Hold a text to be true; return its id.

        `how`: source ("web", "tool"), triple (subject, predicate, object), confidence (0 to 1), valid_from,
        valid_to and expires_at (aware datetimes), private (for the writer alone), shared (for all fleets),
        evidence (ids).
        """
        raise NotOffered("write")

    def recall(
        self, query: str, *, at: datetime | None = None, known_at: datetime | None = None, k: int = 10
    ) -> list[Found]:
        """Return what is held about a query, best first, as it held `at` and was `known_at`."""
        raise NotOffered("recall")

    # ---- reading ------------------------------------------------------------------------------------

    def get(
        self, memory_id: str, *, at: datetime | None = None, known_at: datetime | None = None
    ) -> Found | None:
        """Return one memory by its id, or None where there is none for this reader."""
        raise NotOffered("get")

    def history(self, memory_id: str) -> list[str]:
        """Return what every version of a memory said, oldest first; nothing where there is none."""
        raise NotOffered("history")

    def everything(self) -> list[Found]:
        """Return all that this reader may read, without a query."""
        raise NotOffered("everything")

    def neighbours(self, entity: str) -> list[str]:
        """Return what an entity is connected with."""
        raise NotOffered("neighbours")

    def context(self, query: str, budget: int = 1500) -> str:
        """Return what a model would be handed for a query, in at most `budget` tokens."""
        raise NotOffered("context")

    def ask(self, question: str, *, model_says: str | None = None) -> str:
        """Return the answer to a question; `model_says` is what a model would answer to the context."""
        raise NotOffered("ask")

    def tools(self) -> list[str]:
        """Return the names of everything that this actor could call."""
        raise NotOffered("tools")

    def trail(self, memory_id: str) -> list[str]:
        """Return who did what to a memory, oldest first, from the log: "name: act"."""
        raise NotOffered("trail")

    # ---- changing -----------------------------------------------------------------------------------

    def revise(self, memory_id: str, text: str, **how: Any) -> None:
        """Let a memory say something else from now on; `how` as in `write`."""
        raise NotOffered("revise")

    def retract(self, memory_id: str, reason: str) -> None:
        """Withdraw a memory."""
        raise NotOffered("retract")

    def reject(self, memory_id: str, reason: str) -> None:
        """Withdraw a memory and keep what it says from coming back."""
        raise NotOffered("reject")

    def forget(self, memory_id: str, reason: str) -> None:
        """Erase what a memory says, for good."""
        raise NotOffered("forget")

    # ---- events and notes ---------------------------------------------------------------------------

    def log(self, text: str, *, session: str = "s1", **how: Any) -> str:
        """Add an event of a session; return its id. `how`: source, private."""
        raise NotOffered("log")

    def events(self, query: str, k: int = 5) -> list[Found]:
        """Recall events, best first."""
        raise NotOffered("events")

    def note(self, text: str, **rewrites: str) -> str:
        """Keep a note, with other wordings of it beside it; return its id."""
        raise NotOffered("note")

    # ---- what people decide -------------------------------------------------------------------------

    def propose(self, text: str) -> str:
        """Put a text before a person, who decides whether it is to be held; return what names it."""
        raise NotOffered("propose")

    def pending(self) -> list[Found]:
        """Return what waits for this person."""
        raise NotOffered("pending")

    def decide(self, item: Found | str, verdict: str) -> None:
        """Approve or reject what waits: `verdict` is one of these two words. A `Found` is what was read."""
        raise NotOffered("decide")

    def edit(self, item_id: str, text: str) -> None:
        """Let what waits say something else."""
        raise NotOffered("edit")

    # ---- loops and files ----------------------------------------------------------------------------

    def consolidate(self, facts: Sequence[tuple[str, Sequence[str]]] | None = None) -> int:
        """Sum up what was not summed up yet; return how many facts that made.

        `facts` is what a model would answer, each a text with the ids of its evidence; None leaves it to
        the system's own.
        """
        raise NotOffered("consolidate")

    def distil(self, title: str) -> int:
        """Make skills of what was done again and again, which a model would call `title`; return how many."""
        raise NotOffered("distil")

    def export(self, path: Path) -> None:
        """Write what this actor may hand on to a new file."""
        raise NotOffered("export")

    def load(self, path: Path) -> None:
        """Read an export back in."""
        raise NotOffered("load")

    def restore(self, path: Path) -> None:
        """Bring back what a backup holds."""
        raise NotOffered("restore")


class System:
    """A memory that can be probed: opened fresh and empty, in a folder of its own.

    `name` and `version` as it was run; `way` says in a sentence which documented way of it is used.
    """

    name = "?"
    version = "?"
    way = "?"

    def open(self, folder: Path, *, files: bool = True) -> None:
        """Start it, empty, in an empty folder. Where `files` is False nobody will look there or reopen it."""
        raise NotOffered("open")

    def close(self) -> None:
        """Stop it. Whatever it acknowledged is kept."""

    def reopen(self) -> None:
        """Stop it and start it again on what is there."""
        raise NotOffered("reopen")

    def beside(self) -> System:
        """Return a second opener of the same memory, as another process would have; close it yourself."""
        raise NotOffered("beside")

    def acting(
        self,
        name: str,
        *,
        fleet: str = "dock",
        tenant: str = "northlight",
        person: bool = False,
        steward: bool = False,
    ) -> Actor:
        """Return the system as this agent or person would use it; a steward is a person for a whole tenant.

        A system that knows no fleets or tenants says so with `NotOffered` for any but the default. One that
        knows no persons lets anybody ask as one, and offers `forget`, which is a person's, to these only.
        """
        raise NotOffered("acting")

    def now(self) -> datetime:
        """Return the moment by the clock that it goes by, aware."""
        raise NotOffered("now")

    def advance(self, hours: float) -> None:
        """Move that clock on."""
        raise NotOffered("advance")

    def verify(self, held: Any = None) -> str:
        """Check the log, against a checkpoint `held` by somebody else where one is given.

        Returns "complete", "partial" or "broken".
        """
        raise NotOffered("verify")

    def checkpoint(self) -> Any:
        """Return what somebody else would keep of the log, for `verify`."""
        raise NotOffered("checkpoint")

    def harm(self, what: str) -> None:
        """Do to the closed files what a stranger could, and open them again; `what` is one of `HARMS`."""
        raise NotOffered("harm")

    def raw_files(self) -> list[Path]:
        """Stop it and return every file it has written, as it lies on the disk; `reopen` starts it again."""
        raise NotOffered("raw_files")

    def backup(self, path: Path) -> None:
        """Copy the whole memory to a new file."""
        raise NotOffered("backup")

    def process(self, texts: Iterable[str], name: str) -> Callable[[], int]:
        """Let another process write each text as agent `name`; the result waits and counts what was taken."""
        raise NotOffered("process")

    def first_words(self) -> str:
        """Return all that a model is handed before its first question: instructions and tools."""
        raise NotOffered("first_words")


HARMS = {
    "edit a text": "A memory says something else.",
    "change a status": "A memory that was withdrawn is live again.",
    "delete a memory": "A memory is taken out.",
    "forge a memory": "A memory is put in that the log does not name.",
    "edit an entry": "An entry of the log says that somebody else acted.",
    "delete an entry": "An entry is taken out of the middle of the log.",
    "delete the first entry": "The first entry of the log is taken out.",
    "forge an entry": "An entry is put in that stands in no chain.",
    "cut the end": "The end of the log and what it wrote are taken out.",
    "rewrite the log": "The whole log is written anew, and every hash made to fit.",
}
