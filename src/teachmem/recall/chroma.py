"""Chroma as the vector index: a folder beside the database, or a Chroma server by URL.

Each partition is a collection of its own, so a search reads exactly what its reader may read and a
small scope is never starved by a large one. Chroma ranks approximately (HNSW); `ExactIndex` is the
oracle beside it.

An open Chroma folder does not see what another process adds to it. So every process follows the
audit chain itself and puts in what it has not seen; putting the same vector in twice changes nothing.

Left out: what the vectors mean, and deciding. A hit is a proposal; the table has the last word.
"""

from __future__ import annotations

import hashlib
import logging
import os
import shutil
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from teachmem.errors import IndexUnavailable

Vectors = NDArray[np.float32]

HNSW = {"space": "cosine", "ef_search": 200, "ef_construction": 200}
STATE = "teachmem-state"
PING_SECONDS = 3


def collection_name(tenant: str, partition: str) -> str:
    """Return a name that Chroma takes for any tenant and partition.

    >>> collection_name("northlight", "semantic/team/dock")
    'teachmem-6aad28c5fdbb7201510ff31d15c08e229bd2995a'
    """
    return "teachmem-" + hashlib.sha256(f"{tenant}\x00{partition}".encode()).hexdigest()[:40]


class ChromaIndex:
    """A `VectorIndex` in Chroma. `place` is a folder's path or the URL of a server, `http://...`."""

    def __init__(self, place: str | Path) -> None:
        self.place = str(place)
        self.notice = ""  # what a user should know: said once with the next search
        self._client: Any = None
        self._seen: dict[str, tuple[int, bytes]] = {}
        self._collections: dict[str, Any] = {}
        self._partition_of: dict[tuple[str, str], str] = {}
        self._lock = threading.RLock()

    @property
    def is_server(self) -> bool:
        """Whether `place` is a server and not a folder."""
        return self.place.startswith(("http://", "https://"))

    def seen(self, tenant: str) -> tuple[int, bytes]:
        """Return number and hash of the last audit entry followed, (0, b"") if none."""
        with self._working():
            if tenant not in self._seen:
                found = self._collection(STATE).get(ids=[_key(tenant)])["metadatas"] or []
                if found:
                    self._seen[tenant] = (int(found[0]["seq"]), bytes.fromhex(found[0]["hash"]))
            return self._seen.get(tenant, (0, b""))

    def put(self, tenant: str, partition: str, ids: Sequence[str], vectors: Vectors) -> None:
        """Add or replace vectors; an id that was elsewhere in this tenant moves here."""
        kept = [place for place in range(len(ids)) if vectors[place].any()]  # a zero vector has no direction
        with self._working():
            moved = [
                memory_id
                for memory_id in ids
                if self._partition_of.get((tenant, memory_id), partition) != partition
            ]
            self.drop(tenant, moved)
            collection = self._of(tenant, partition)
            most = self._client.get_max_batch_size()
            for start in range(0, len(kept), most):
                batch = kept[start : start + most]
                names = [ids[place] for place in batch]
                collection.upsert(ids=names, embeddings=[vectors[place] for place in batch])
                self._partition_of.update({(tenant, name): partition for name in names})

    def drop(self, tenant: str, ids: Sequence[str]) -> None:
        """Take vectors out; unknown ids are no error."""
        if not ids:
            return
        with self._working():
            for collection in self._all_of(tenant):
                collection.delete(ids=list(ids))
            for memory_id in ids:
                self._partition_of.pop((tenant, memory_id), None)

    def passes(self, tenant: str, seq: int, entry_hash: bytes) -> None:
        """Note that everything up to this entry is in."""
        with self._working():
            self._collection(STATE).upsert(
                ids=[_key(tenant)], embeddings=[[1.0]], metadatas=[{"seq": seq, "hash": entry_hash.hex()}]
            )
            self._seen[tenant] = (seq, entry_hash)

    def search(
        self, tenant: str, partitions: Sequence[str], vector: Vectors, k: int
    ) -> list[tuple[str, float]]:
        """Return up to k (id, cosine) of these partitions, nearest first; ties by id."""
        if not vector.any():
            return []
        found: list[tuple[float, str]] = []
        with self._working():
            for partition in partitions:
                answer = self._of(tenant, partition).query(
                    query_embeddings=[vector], n_results=k, include=["distances"]
                )
                found += [
                    (round(float(distance), 6), memory_id)
                    for memory_id, distance in zip(answer["ids"][0], answer["distances"][0], strict=True)
                ]
        return [(memory_id, 1 - distance) for distance, memory_id in sorted(found)[:k]]

    def size(self, tenant: str, partitions: Sequence[str]) -> int:
        """Return how many vectors these partitions hold."""
        with self._working():
            return sum(self._of(tenant, partition).count() for partition in partitions)

    def forget(self, tenant: str | None = None) -> None:
        """Throw one tenant's vectors away, or all. All of a folder means its files too."""
        with self._working():
            if tenant is None and not self.is_server:
                self._start_folder_anew()
                return
            for collection in list(self._client.list_collections()):
                ours = collection.name.startswith("teachmem-")
                if ours and tenant in (None, (collection.metadata or {}).get("tenant")):
                    self._client.delete_collection(collection.name)
            self._collections.clear()
            self._partition_of.clear()
            self._seen.clear()
            if tenant is not None:
                self._collection(STATE).delete(ids=[_key(tenant)])

    def close(self) -> None:
        """Give the folder or the connection back."""
        with self._lock:
            client, self._client = self._client, None
            self._collections.clear()
            self._seen.clear()
            if client is not None and hasattr(client, "close"):
                client.close()

    @contextmanager
    def _working(self) -> Iterator[None]:
        """Open Chroma if it is not, and turn its failures into one clear error."""
        with self._lock:
            try:
                if self._client is None:
                    self._client = self._open()
                yield
            except IndexUnavailable:
                raise
            except Exception as error:
                self.close()  # the next call opens it again
                told = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
                raise IndexUnavailable(f"the vector index at {self.place} does not answer: {told}") from error

    def _open(self) -> Any:
        os.environ.setdefault("ANONYMIZED_TELEMETRY", "False")
        logging.getLogger("chromadb").setLevel(logging.ERROR)
        try:
            import chromadb
            from chromadb.config import Settings
        except ImportError as error:
            raise IndexUnavailable(
                "chromadb is not installed; install teachmem[full], or use ExactIndex"
            ) from error
        settings = Settings(anonymized_telemetry=False)
        if self.is_server:
            url = urlsplit(self.place)
            return chromadb.HttpClient(
                host=url.hostname or "127.0.0.1",
                port=url.port or (443 if url.scheme == "https" else 80),
                ssl=url.scheme == "https",
                settings=settings,
            )
        folder = Path(self.place)

        def opened() -> Any:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            client = chromadb.PersistentClient(path=str(folder), settings=settings)
            client.list_collections()  # a damaged folder shows here
            return client

        return self._or_rebuilt(opened)

    def _or_rebuilt(self, opened: Callable[[], Any]) -> Any:
        try:
            return opened()
        except Exception:
            aside = _free(Path(self.place).with_name(Path(self.place).name + ".damaged"))
            _forget_client(self.place)
            shutil.move(self.place, aside)
            self.notice = (
                f"the vector index was damaged and is built again; the old folder is now {aside.name}"
            )
            return opened()

    def _start_folder_anew(self) -> None:
        self.close()
        shutil.rmtree(self.place, ignore_errors=True)
        self._partition_of.clear()
        self._client = self._open()

    def _collection(self, name: str, metadata: dict[str, str] | None = None) -> Any:
        found = self._collections.get(name)
        if found is None:
            found = self._collections[name] = self._client.get_or_create_collection(
                name, embedding_function=None, metadata=metadata, configuration={"hnsw": HNSW}
            )
        return found

    def _of(self, tenant: str, partition: str) -> Any:
        return self._collection(
            collection_name(tenant, partition), {"tenant": tenant, "partition": partition}
        )

    def _all_of(self, tenant: str) -> list[Any]:
        return [
            one for one in self._client.list_collections() if (one.metadata or {}).get("tenant") == tenant
        ]


def _forget_client(path: str) -> None:
    """Make Chroma forget a folder that it failed to open; it would hand the same failure out again."""
    from chromadb.api.shared_system_client import SharedSystemClient

    SharedSystemClient._identifier_to_system.pop(path, None)
    SharedSystemClient._identifier_to_refcount.pop(path, None)


def _key(tenant: str) -> str:
    return hashlib.sha256(tenant.encode()).hexdigest()


def _free(path: Path) -> Path:
    number = 1
    while (found := path.with_name(f"{path.name}-{number}")).exists():
        number += 1
    return found
