"""Chroma alone: a collection for every scope in one folder, with vectors that the caller hands in.

Left out: Chroma's server. One folder may be opened by several processes, and that is what a probe asks.
"""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Callable
from importlib.metadata import version
from typing import Any


def versions() -> dict[str, str]:
    """Return what is really installed here."""
    return {"chromadb": version("chromadb")}


def opened(folder: str, embed: Callable[[str], list[float]]) -> Served:
    """Open a persistent client on `folder`."""
    import chromadb
    from chromadb.config import Settings

    return Served(chromadb.PersistentClient(folder, settings=Settings(anonymized_telemetry=False)), embed)


class Served:
    """The calls of a collection that Chroma's documentation names."""

    def __init__(self, client: Any, embed: Callable[[str], list[float]]) -> None:
        self._client, self._embed = client, embed

    def _in(self, scope: str) -> Any:
        name = hashlib.sha256(scope.encode()).hexdigest()[:32]  # a name may hold few signs
        space = {"hnsw": {"space": "cosine"}}
        return self._client.get_or_create_collection(name, configuration=space, embedding_function=None)

    def add(self, text: str, scope: str, fields: dict[str, str]) -> str:
        """Add a document with its vector."""
        key = str(uuid.uuid4())
        self._in(scope).add(ids=[key], documents=[text], embeddings=[self._embed(text)], metadatas=[fields])
        return key

    def _found(self, key: str, scopes: list[str]) -> tuple[Any, str] | None:
        for scope in scopes:
            found = self._in(scope).get(ids=[key])
            if found["ids"]:
                return self._in(scope), found["documents"][0]
        return None

    def get(self, key: str, scopes: list[str]) -> str | None:
        """Return a document by its id, from one of these collections."""
        found = self._found(key, scopes)
        return None if found is None else found[1]

    def search(self, query: str, scopes: list[str], k: int) -> list[tuple[str, str]]:
        """Query every collection and put the nearest first."""
        found: list[tuple[float, str, str]] = []
        for scope in scopes:
            near = self._in(scope).query(query_embeddings=[self._embed(query)], n_results=k)
            found += zip(near["distances"][0], near["ids"][0], near["documents"][0], strict=True)
        found.sort(key=lambda scored: scored[0])
        return [(key, text) for _, key, text in found[:k]]

    def everything(self, scopes: list[str]) -> list[tuple[str, str]]:
        """List every collection."""
        listed = [self._in(scope).get() for scope in scopes]
        return [pair for found in listed for pair in zip(found["ids"], found["documents"], strict=True)]

    def update(self, key: str, text: str, scopes: list[str]) -> bool:
        """Update a document and its vector; the collection says nothing where there is none."""
        found = self._found(key, scopes)
        collection = found[0] if found else self._in(scopes[0])
        collection.update(ids=[key], documents=[text], embeddings=[self._embed(text)])
        return True

    def delete(self, key: str, scopes: list[str]) -> bool:
        """Delete a document; the collection says nothing where there is none."""
        found = self._found(key, scopes)
        (found[0] if found else self._in(scopes[0])).delete(ids=[key])
        return True

    def close(self) -> None:
        """Let go of the folder."""
        self._client.close()
