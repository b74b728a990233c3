"""LangGraph's stores: a namespace for every scope, a document for every memory, found by its text.

The SQLite store finds by vectors where this Python can load SQLite's extensions. Where it cannot, its
`search` lists a namespace, and the caller ranks what is listed by shared words.

Left out: LangMem, whose tools put a model in front of these stores.
"""

from __future__ import annotations

import sqlite3
import uuid
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

MOST = 1000  # of one namespace


def versions() -> dict[str, str]:
    """Return what is really installed here."""
    return {name: version(name) for name in ("langgraph", "langgraph-checkpoint-sqlite")}


def opened(folder: str, embed: Callable[[str], list[float]], store: str) -> Served:
    """Open the store "memory" or "sqlite" in `folder`."""
    index = {
        "embed": lambda texts: [embed(text) for text in texts],
        "dims": len(embed("")),
        "fields": ["text"],
    }
    if store == "memory":
        from langgraph.store.memory import InMemoryStore

        return Served(InMemoryStore(index=index), embed, finds=True)
    from langgraph.store.sqlite import SqliteStore

    finds = hasattr(sqlite3.Connection, "enable_load_extension")
    opening = SqliteStore.from_conn_string(str(Path(folder) / "store.db"), index=index if finds else None)
    entered = opening.__enter__()
    entered.setup()
    return Served(entered, embed, finds=finds, leave=lambda: opening.__exit__(None, None, None))


class Served:
    """The calls of a store that LangGraph's documentation names."""

    def __init__(
        self,
        store: Any,
        embed: Callable[[str], list[float]],
        finds: bool,
        leave: Callable[[], object] = lambda: None,
    ) -> None:
        self._store, self._embed, self._finds, self._leave = store, embed, finds, leave

    def add(self, text: str, scope: str, fields: dict[str, str]) -> str:
        """Put a document into a namespace."""
        key = str(uuid.uuid4())
        self._store.put(_namespace(scope), key, {"text": text, **fields})
        return key

    def _found(self, key: str, scopes: list[str]) -> tuple[tuple[str, ...], Any] | None:
        for scope in scopes:
            item = self._store.get(_namespace(scope), key)
            if item is not None:
                return _namespace(scope), item
        return None

    def get(self, key: str, scopes: list[str]) -> str | None:
        """Return a document by its key, from one of these namespaces."""
        found = self._found(key, scopes)
        return None if found is None else str(found[1].value["text"])

    def search(self, query: str, scopes: list[str], k: int) -> list[tuple[str, str]]:
        """Search every namespace and put the best first."""
        found = []
        for scope in scopes:
            if self._finds:
                for item in self._store.search(_namespace(scope), query=query, limit=k):
                    found.append((item.score or 0.0, item))
            else:
                asked = self._embed(query)
                for item in self._store.search(_namespace(scope), limit=MOST):
                    vector = self._embed(item.value["text"])
                    found.append((sum(a * b for a, b in zip(asked, vector, strict=True)), item))
        found.sort(key=lambda scored: -scored[0])
        return [(item.key, item.value["text"]) for _, item in found[:k]]

    def everything(self, scopes: list[str]) -> list[tuple[str, str]]:
        """List every namespace."""
        return [
            (item.key, item.value["text"])
            for scope in scopes
            for item in self._store.search(_namespace(scope), limit=MOST)
        ]

    def update(self, key: str, text: str, scopes: list[str]) -> bool:
        """Put a document in the place of another; the store says nothing where there was none."""
        found = self._found(key, scopes)
        space, held = (found[0], found[1].value) if found else (_namespace(scopes[0]), {})
        self._store.put(space, key, {**held, "text": text})
        return True

    def delete(self, key: str, scopes: list[str]) -> bool:
        """Delete a document; the store says nothing where there is none."""
        found = self._found(key, scopes)
        self._store.delete(found[0] if found else _namespace(scopes[0]), key)
        return True

    def close(self) -> None:
        """Close the file."""
        self._leave()


def _namespace(scope: str) -> tuple[str, ...]:
    return tuple(scope.split("/"))
