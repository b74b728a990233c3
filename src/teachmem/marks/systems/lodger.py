"""A system in a room of its own, asked through a worker: what mem0, LangGraph and Chroma have in common.

A memory lies in one scope: the fleet's (tenant and fleet), the writer's own, or the whole tenant's; whoever
reads is handed the scopes that are theirs. That is how these systems document it: the caller says which,
and the system looks nowhere else. Whether it also checks who asks is what the probes ask.

Left out: what none of them has: people, trust, times at which something held, a log that can be checked.
Nothing is built for them here that they do not have.
"""

from __future__ import annotations

import atexit
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, ClassVar

from teachmem.marks.system import Actor, CouldNotRun, Found, NotOffered, Refused, System, offered
from teachmem.marks.systems import rooms, worker

WORKERS = Path(__file__).with_name("workers")
Say = Callable[[str], None]
_idle: dict[str, worker.Worker] = {}  # one of each kind waits for the next probe: importing takes longest


@atexit.register
def leave() -> None:
    """End the workers that wait for another probe."""
    while _idle:
        _idle.popitem()[1].close()


def silent(_: str) -> None:
    """Say nothing."""


def writing(second: System, texts: Iterable[str], name: str) -> Callable[[], int]:
    """Let agent `name` of a second opener write meanwhile; the result waits, closes it, counts what it took.

    A write that raises is none that was taken.
    """
    writer = second.acting(name)
    taken: list[str] = []

    def write() -> None:
        for text in texts:
            try:
                taken.append(writer.write(text))
            except (Refused, CouldNotRun):
                continue

    thread = threading.Thread(target=write)
    thread.start()

    def wait() -> int:
        thread.join()
        second.close()
        return len(taken)

    return wait


@dataclass(frozen=True, slots=True)
class Kind:
    """One such system: its room, its worker, and which optional parts of the protocol it has.

    `way` is the sentence for the card. `writes` are the options of a write that it takes, `reads` what it
    offers beyond the least; `keeps` says whether it lies in files. `module` is what an environment that
    serves as its room must have.
    """

    name: str
    way: str
    room: rooms.Room
    served: str
    settings: Mapping[str, Any]
    writes: tuple[str, ...] = ("private", "shared")
    reads: tuple[str, ...] = ()
    keeps: bool = True


class Lodger(System):
    """One system of a `Kind`. `say` is told when something has to be installed."""

    as_run: ClassVar[dict[str, str]] = {}

    def __init__(self, kind: Kind, say: Say = silent, python: Path | None = None) -> None:
        self.kind, self._say, self._python = kind, say, python
        self.name, self.way = kind.name, kind.way
        self.version = self.as_run.get(kind.name, f"{kind.room.packages[0]}, not run yet")
        self._worker: worker.Worker | None = None
        self._folder = Path()
        self._second: list[Lodger] = []

    def open(self, folder: Path, *, files: bool = True) -> None:
        """Start a worker on `folder`. Raises `CouldNotRun` where its room cannot be made."""
        self._folder = folder
        self._start()

    def _start(self) -> None:
        self._worker = self._opened()

    def _opened(self) -> worker.Worker:
        """Start one more process on the folder."""
        started = _idle.pop(self.kind.name, None) or self._new()
        try:
            said = started.call("open", {"folder": str(self._folder), **self.kind.settings})
        except (worker.Failure, CouldNotRun) as error:
            started.close()
            raise CouldNotRun(f"{self.name} could not be opened: {error}") from error
        self.version = self.as_run[self.kind.name] = ", ".join(
            f"{package} {number}" for package, number in said.items()
        )
        return started

    def _new(self) -> worker.Worker:
        python = self._python
        if python is None:
            self.kind.room.enter(self._say)
            python = self.kind.room.python
        return worker.Worker([python, WORKERS / "lines.py", WORKERS / self.kind.served], WORKERS)

    def close(self) -> None:
        """Close the system, and those beside it; its process may serve the next one, in another folder."""
        for second in self._second:
            second.close()
        ended, self._worker = self._worker, None
        if ended is None:
            return
        try:
            ended.call("close")
        except (worker.Failure, CouldNotRun):
            ended.close()
            return
        if _idle.setdefault(self.kind.name, ended) is not ended:
            ended.close()

    def _stop(self) -> None:
        """Close it and end its process, as a restart of the machine would."""
        self.close()
        leave()

    def reopen(self) -> None:
        """Stop it and start another process on the same folder."""
        if not self.kind.keeps:
            raise NotOffered("reopen")
        self._stop()
        self._start()

    def beside(self) -> System:
        """Return a second process on the same folder, where the system lets one in."""
        if not self.kind.keeps:
            raise NotOffered("beside")
        second = Lodger(self.kind, self._say, self._python)
        try:
            second.open(self._folder)
        except CouldNotRun as why:
            raise NotOffered(f"second opener ({str(why).replace(str(self._folder), 'its folder')})") from why
        self._second.append(second)
        return second

    def acting(
        self,
        name: str,
        *,
        fleet: str = "dock",
        tenant: str = "northlight",
        person: bool = False,
        steward: bool = False,
    ) -> Actor:
        """Return the system with the scopes of this agent; a person is whoever asks as one."""
        return Guest(self, name, fleet, tenant, person or steward)

    def now(self) -> datetime:
        """Return the time of this machine, by which it goes."""
        return datetime.now(UTC)

    def raw_files(self) -> list[Path]:
        """Stop it and return its files."""
        if not self.kind.keeps:
            raise NotOffered("raw_files")
        self._stop()
        return sorted(path for path in self._folder.rglob("*") if path.is_file())

    def process(self, texts: Iterable[str], name: str) -> Callable[[], int]:
        """Let another process on the same folder write; a write that raises is none that was taken."""
        if not self.kind.keeps:
            raise NotOffered("process")
        return writing(self.beside(), texts, name)

    def asked(self, method: str, **params: Any) -> Any:
        """Ask the worker; an error of the system becomes `Refused`."""
        if self._worker is None:
            raise CouldNotRun(f"{self.name} is not open")
        try:
            return self._worker.call(method, params)
        except worker.Failure as error:
            raise Refused(f"{error.kind}: {error}") from error


class Guest(Actor):
    """A lodger as one agent uses it."""

    def __init__(self, system: Lodger, name: str, fleet: str, tenant: str, person: bool) -> None:
        self._system, self._name, self._person = system, name, person
        self._team = f"{tenant}/team/{fleet}"
        self._own = f"{tenant}/own/{fleet}/{'+'.join(name.split())}"  # mem0 takes no spaces in a user's id
        self._all = f"{tenant}/all"
        self._scopes = [self._team, self._own, self._all]

    def write(self, text: str, **how: Any) -> str:
        """Add a text in the scope that `private` or `shared` says, with a triple as its metadata."""
        offered(how, *self._system.kind.writes, "triple")
        scope = self._own if how.get("private") else self._all if how.get("shared") else self._team
        expires = how.get("expires_at")
        until = {} if expires is None else {"expires": expires.astimezone(UTC).date().isoformat()}
        fields = dict(zip(("subject", "predicate", "object"), how.get("triple") or (), strict=False))
        said = {"text": text, "scope": scope, "fields": {"by": self._name, **fields}}
        return str(self._system.asked("add", **said, **until))

    def recall(
        self, query: str, *, at: datetime | None = None, known_at: datetime | None = None, k: int = 10
    ) -> list[Found]:
        """Search the scopes of this agent."""
        offered({"at": at, "known_at": known_at})
        found = self._system.asked("search", query=query, scopes=self._scopes, k=k)
        return [Found(key, text) for key, text in found]

    def get(
        self, memory_id: str, *, at: datetime | None = None, known_at: datetime | None = None
    ) -> Found | None:
        """Get a memory by its id."""
        offered({"at": at, "known_at": known_at})
        text = self._system.asked("get", key=memory_id, scopes=self._scopes)
        return None if text is None else Found(memory_id, text)

    def everything(self) -> list[Found]:
        """List the scopes of this agent."""
        return [Found(key, text) for key, text in self._system.asked("everything", scopes=self._scopes)]

    def history(self, memory_id: str) -> list[str]:
        """Return what the versions said, where the system keeps them."""
        return [row["text"] for row in self._history("history", memory_id) if row["text"] is not None]

    def trail(self, memory_id: str) -> list[str]:
        """Return who did what, where the system keeps it."""
        return [f"{row['who']}: {row['act']}" for row in self._history("trail", memory_id)]

    def _history(self, asked: str, memory_id: str) -> list[dict[str, Any]]:
        if asked not in self._system.kind.reads:
            raise NotOffered(asked)
        rows: list[dict[str, Any]] = self._system.asked("history", key=memory_id, scopes=self._scopes)
        return rows

    def revise(self, memory_id: str, text: str, **how: Any) -> None:
        """Update a memory."""
        offered(how)
        if not self._system.asked("update", key=memory_id, text=text, scopes=self._scopes):
            raise Refused(f"there is no {memory_id}")

    def retract(self, memory_id: str, reason: str) -> None:
        """Delete a memory: the one way to withdraw it that these systems have. The reason is kept nowhere."""
        if not self._system.asked("delete", key=memory_id, scopes=self._scopes):
            raise Refused(f"there is no {memory_id}")

    def forget(self, memory_id: str, reason: str) -> None:
        """Delete a memory, asked for as a person: nothing here tells who may erase from who may only ask."""
        offered({"role that may only ask for it": not self._person})
        self.retract(memory_id, reason)
