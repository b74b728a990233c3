"""teachmem as Python code in the same process would use it: the handles of `open_memory`.

>>> from teachmem.marks import probe
>>> card = probe.run(InProcess, probe.probes("verbatim")[:1])
>>> print(card.system, card.findings[0].answer)
teachmem in process holds

Left out: proof of who acts. In-process code is trusted to say so; over a network a credential does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import teachmem
from teachmem.clock import LessonClock
from teachmem.ledger.checkpoint import Checkpoint
from teachmem.marks import attacks, tamper
from teachmem.marks.system import Actor, System
from teachmem.marks.systems import writer
from teachmem.marks.systems.handles import Acting, answers
from teachmem.ports import Embedder
from teachmem.recall import embed
from teachmem.recall.vectors import ExactIndex
from teachmem.store import MemoryStore
from teachmem.vocabulary import Clearance

START = datetime(2026, 3, 2, 9, tzinfo=UTC)
_HARMS = {  # what a stranger does, as an attack of `marks/attacks.py`
    "edit a text": "edit_a_content",
    "change a status": "edit_a_status",
    "delete a memory": "delete_a_row",
    "forge a memory": "forge_a_row",
    "edit an entry": "edit_a_body_and_its_hash",
    "delete an entry": "delete_a_middle_one",
    "delete the first entry": "delete_the_first",
    "forge an entry": "entry_outside_the_chain",
    "cut the end": "cut_the_end_and_the_rows",
    "rewrite the log": "rewrite_all",
}


@cache
def _embedder() -> Embedder:
    return embed.default()  # loading its vectors takes longer than most probes


class InProcess(System):
    """teachmem in this process: in memory, or in one file with its vectors kept exactly."""

    name = "teachmem in process"
    version = teachmem.__version__
    way = "open_memory() and the handles of an agent and a person; search by words and meaning"

    def __init__(self, clock: LessonClock | None = None) -> None:
        self.clock = clock or LessonClock(START)
        self.file: Path | None = None
        self.mem: MemoryStore | None = None

    def open(self, folder: Path, *, files: bool = True) -> None:
        """Open a fresh store, in memory where nobody will look at files."""
        self.file = folder / "memory.db" if files else None
        self.reopen()

    def reopen(self) -> None:
        """Close and open again what is in the file."""
        self.close()
        self.mem = teachmem.open_memory(
            ":memory:" if self.file is None else self.file,
            clock=self.clock,
            embedder=_embedder(),
            vectors=ExactIndex(),
        )

    def close(self) -> None:
        """Close the store."""
        if self.mem is not None:
            self.mem.close()
            self.mem = None

    def beside(self) -> System:
        """Open the same file a second time, with connections and indexes of its own."""
        other = InProcess(self.clock)
        other.file = self._file()
        other.reopen()
        return other

    def acting(
        self,
        name: str,
        *,
        fleet: str = "dock",
        tenant: str = "northlight",
        person: bool = False,
        steward: bool = False,
    ) -> Actor:
        """Return the handle of an agent or a person."""
        with answers():
            if person or steward:
                clearance = Clearance.STEWARD if steward else Clearance.STANDARD
                return Acting(self._open().person(name, fleet=fleet, tenant=tenant, clearance=clearance))
            return Acting(self._open().agent(name, fleet=fleet, tenant=tenant))

    def now(self) -> datetime:
        """Return where the lesson's clock stands."""
        return self.clock.now()

    def advance(self, hours: float) -> None:
        """Move the lesson's clock."""
        self.clock.advance(hours=hours)

    def verify(self, held: Any = None) -> str:
        """Verify the chain and every row against it."""
        checkpoint: Checkpoint | None = held
        return str(self._open().audit.verify(checkpoint=checkpoint, deep=True).status)

    def checkpoint(self) -> Any:
        """Sign where the chain stands."""
        return self._open().audit.checkpoint("northlight")

    def harm(self, what: str) -> None:
        """Apply the attack to the closed file, in the middle of the log."""
        file = self._file()
        self.close()
        attack = attacks.attacks()[_HARMS[what]]
        with tamper.opened(file) as raw:
            entries = tamper.last(raw, "northlight")
        places = attack.places(entries)
        attack.apply(file, "northlight", places[len(places) // 2])
        self.reopen()

    def raw_files(self) -> list[Path]:
        """Close the store and return its file, with whatever lies beside it."""
        folder = self._file().parent
        self.close()
        return sorted(path for path in folder.rglob("*") if path.is_file())

    def process(self, texts: Iterable[str], name: str) -> Callable[[], int]:
        """Start a Python that opens the same file and writes."""
        return writer.start(self._file(), name, texts, self.now())

    def backup(self, path: Path) -> None:
        """Copy the store to a new file."""
        self._open().backup(path)

    def _open(self) -> MemoryStore:
        if self.mem is None:
            raise RuntimeError("the store is not open")
        return self.mem

    def _file(self) -> Path:
        if self.file is None:
            raise RuntimeError("a probe that looks at files must say so: files=True")
        return self.file
