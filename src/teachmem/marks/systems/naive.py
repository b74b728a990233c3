"""The naive store of the lessons: a file of texts, found by shared words. It works, and it holds little.

>>> from tempfile import TemporaryDirectory
>>> with TemporaryDirectory() as folder:
...     store = NaiveStore(Path(folder) / "memory.json")
...     key = store.add("bay two is led by rota B")
...     print(store.search("who leads bay two"), store.delete(key), store.search("bay two"))
[('1', 'bay two is led by rota B')] True []

Left out: on purpose, whatever a probe asks beyond writing, finding and deleting.
"""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

from teachmem.marks.system import Actor, Found, Refused, System, offered


class NaiveStore:
    """Forty lines that remember: most agents' first memory looks like this."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def _read(self) -> dict[str, str]:
        if not self.file.exists():
            return {}
        texts: dict[str, str] = json.loads(self.file.read_text(encoding="utf-8"))
        return texts

    def _write(self, texts: dict[str, str]) -> None:
        self.file.write_text(json.dumps(texts), encoding="utf-8")

    def add(self, text: str) -> str:
        """Remember a text; return its key."""
        texts = self._read()
        key = str(max(map(int, texts), default=0) + 1)
        texts[key] = text
        self._write(texts)
        return key

    def search(self, query: str, k: int = 10) -> list[tuple[str, str]]:
        """Return the texts that share most words with the query."""
        asked = set(query.lower().split())
        scored = [(len(asked & set(text.lower().split())), key, text) for key, text in self._read().items()]
        best = sorted(scored, key=lambda one: -one[0])
        return [(key, text) for score, key, text in best[:k] if score > 0]

    def delete(self, key: str) -> bool:
        """Forget a text; say whether there was one."""
        texts = self._read()
        gone = texts.pop(key, None) is not None
        self._write(texts)
        return gone


class Naive(System):
    """The naive store as a system that can be probed."""

    name = "naive"
    version = "forty lines"
    way = "NaiveStore on one JSON file: add, search and delete; one memory for everybody"

    def open(self, folder: Path, *, files: bool = True) -> None:
        """Begin an empty file."""
        self.store = NaiveStore(folder / "memory.json")

    def reopen(self) -> None:
        """Look at the file again; there is nothing else."""
        self.store = NaiveStore(self.store.file)

    def beside(self) -> System:
        """Look at the same file a second time."""
        other = Naive()
        other.store = NaiveStore(self.store.file)
        return other

    def raw_files(self) -> list[Path]:
        """Return the file."""
        return [self.store.file]

    def acting(
        self,
        name: str,
        *,
        fleet: str = "dock",
        tenant: str = "northlight",
        person: bool = False,
        steward: bool = False,
    ) -> Actor:
        """Return the store; it does not ask who one is."""
        offered({"fleets": fleet != "dock", "tenants": tenant != "northlight"})
        return _Everybody(self, person or steward)


class _Everybody(Actor):
    def __init__(self, system: Naive, person: bool) -> None:
        self._system, self._person = system, person

    def write(self, text: str, **how: Any) -> str:
        """Add a text."""
        offered(how)
        return self._system.store.add(text)

    def recall(
        self, query: str, *, at: datetime | None = None, known_at: datetime | None = None, k: int = 10
    ) -> list[Found]:
        """Search by shared words."""
        offered({"at": at, "known_at": known_at})
        return [Found(key, text) for key, text in self._system.store.search(query, k)]

    def everything(self) -> list[Found]:
        """List the file."""
        return [Found(key, text) for key, text in self._system.store._read().items()]

    def retract(self, memory_id: str, reason: str) -> None:
        """Delete a text."""
        if not self._system.store.delete(memory_id):
            raise Refused(f"there is no {memory_id}")

    def forget(self, memory_id: str, reason: str) -> None:
        """Delete a text, asked for as a person: nothing here tells who may erase."""
        offered({"role that may only ask for it": not self._person})
        self.retract(memory_id, reason)
