"""Chroma as the vector index: a folder beside the database, or a Chroma server by URL.

Each partition is a collection of its own, so a search reads exactly what its reader may read and a
small scope is never starved by a large one. Chroma ranks approximately (HNSW); `ExactIndex` is the
oracle beside it.

An open Chroma folder does not see what another process adds to it. So every process follows the
audit chain itself and puts in what it has not seen; putting the same vector in twice changes nothing.
A folder that fails twice in a row is taken for damaged, and built again: nothing in it is irreplaceable.

Left out: what the vectors mean, and deciding. A hit is a proposal; the table has the last word.
"""

from __future__ import annotations

import hashlib
import logging
import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from teachmem.errors import IndexUnavailable, InvalidInput
from teachmem.recall import place, wiped

Vectors = NDArray[np.float32]

HNSW = {"space": "cosine", "ef_search": 200, "ef_construction": 200}
STATE = "teachmem-state"
SERVER_SECONDS = 30
FAILURES = 2  # in a row, until a folder counts as damaged


class ChromaIndex:
    """A `VectorIndex` in Chroma. `where` is a folder's path or the URL of a server, `http://...`.

    `store` tells the collections of several stores at one place apart.
    """

    def __init__(self, where: str | Path, store: str = "") -> None:
        self.place = str(where)
        self.store = store
        self.notice = ""  # what a user should know: said once with the next search
        if not (place.is_url(self.place) if self.is_server else place.is_path(self.place)):
            raise InvalidInput("vectors", f"{self.place!r} is neither a folder's path nor http://HOST:PORT")
        self._client: Any = None
        self._system: Any = None  # what Chroma shares among all clients of one folder in this process
        self.out_of_reach = f"the files of the Chroma server at {self.place}" if self.is_server else ""
        self._failures = 0
        self._seen: dict[str, tuple[int, bytes]] = {}
        self._collections: dict[str, Any] = {}
        self._partition_of: dict[tuple[str, str], str] = {}
        self._lock = threading.RLock()

    @property
    def is_server(self) -> bool:
        """Whether `place` is a server and not a folder."""
        return self.place.startswith(("http://", "https://"))

    @property
    def _is_nowhere(self) -> bool:
        return not self.is_server and self._client is None and not Path(self.place).exists()

    def seen(self, tenant: str) -> tuple[int, bytes]:
        """Return number and hash of the last audit entry followed, (0, b"") if none.

        A server is asked each time, for what one process put in is there for all. An open folder is
        asked once: what other processes put into it since does not reach this one.
        """
        if self._is_nowhere:
            return (0, b"")
        with self._working():
            if tenant not in self._seen or self.is_server:
                found = self._collection(STATE).get(ids=[self._key(tenant)])["metadatas"] or []
                self._seen[tenant] = (
                    (int(found[0]["seq"]), bytes.fromhex(found[0]["hash"])) if found else (0, b"")
                )
            return self._seen[tenant]

    def put(self, tenant: str, partition: str, ids: Sequence[str], vectors: Vectors) -> None:
        """Add or replace vectors; an id that was elsewhere in this tenant moves here."""
        kept = [row for row in range(len(ids)) if vectors[row].any()]  # a zero vector has no direction
        without = [ids[row] for row in range(len(ids)) if not vectors[row].any()]
        with self._working():
            moved = [
                memory_id
                for memory_id in ids
                if self._partition_of.get((tenant, memory_id), partition) != partition
            ]
            self.drop(tenant, moved + without)
            collection = self._of(tenant, partition)
            most = self._client.get_max_batch_size()
            for start in range(0, len(kept), most):
                batch = kept[start : start + most]
                names = [ids[row] for row in batch]
                collection.upsert(ids=names, embeddings=[vectors[row] for row in batch])
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
                ids=[self._key(tenant)],
                embeddings=[[1.0]],
                metadatas=[{"seq": seq, "hash": entry_hash.hex()}],
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
            self._failures = 0
        return [(memory_id, 1 - distance) for distance, memory_id in sorted(found)[:k]]

    def size(self, tenant: str, partitions: Sequence[str]) -> int:
        """Return how many vectors these partitions hold."""
        with self._working():
            return sum(self._of(tenant, partition).count() for partition in partitions)

    def holds(self, tenant: str) -> bool:
        """Say whether anything of this tenant is in, followed or not."""
        if self._is_nowhere:
            return False
        with self._working():
            return bool(self._all_of(tenant))

    def forget(self, tenant: str | None = None) -> None:
        """Throw one tenant's vectors away, or all. All of a folder means its files too."""
        if tenant is None and not self.is_server:
            self._delete_folder()
            return
        with self._working():
            kept = [_metadata(one) for one in self._all_of(tenant)]
            for metadata in kept:
                name = place.collection_name(metadata["tenant"], metadata["partition"], self.store)
                self._client.delete_collection(name)
            self._collections.clear()
            self._partition_of.clear()
            self._seen.clear()
            tenants = {metadata["tenant"] for metadata in kept} | ({tenant} if tenant is not None else set())
            if tenants:
                self._collection(STATE).delete(ids=[self._key(one) for one in sorted(tenants)])

    def close(self) -> None:
        """Give the folder or the connection back."""
        with self._lock:
            client, self._client = self._client, None
            system, self._system = self._system, None
            self._collections.clear()
            self._seen.clear()
            if client is not None and self.is_server:
                for part in (client, client._admin_client):  # Chroma leaves their connections open
                    part._server._session.close()
            if client is not None and (self.is_server or place.shared(self.place) is system):
                client.close()  # else what is shared by now is another index's, and not ours to end

    @contextmanager
    def _working(self) -> Iterator[None]:
        """Open Chroma if it is not, and turn its failures into one clear error."""
        with self._lock, wiped.filled():
            try:
                if self._client is None:
                    self._client = self._open()
                yield
            except IndexUnavailable:
                raise
            except Exception as error:
                self._give_up(error)
                told = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
                raise IndexUnavailable(f"the vector index at {self.place} does not answer: {told}") from error

    def _give_up(self, error: Exception) -> None:
        """Let go, so that the next call opens Chroma anew, and count what may be damage."""
        if not self.is_server:
            self._failures += not place.passes_by_itself(error)
            if self._system is not None and place.shared(self.place) is self._system:
                place.forget_shared(self.place)
        self.close()

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
            host, is_safe = url.hostname or "", url.scheme == "https"
            port = url.port or (443 if is_safe else 80)
            place.ping(host, port, is_safe)  # Chroma's own client would wait for a mute server for good
            client = chromadb.HttpClient(host=host, port=port, ssl=is_safe, settings=settings)
            client._server._session.timeout = SERVER_SECONDS  # type: ignore[attr-defined]
            return client
        if self._failures >= FAILURES:
            self._clear_damaged()
        try:
            return self._opened_folder(settings)
        except IndexUnavailable:
            raise
        except Exception as error:
            if place.passes_by_itself(error):
                raise
            self._clear_damaged()
            return self._opened_folder(settings)

    def _opened_folder(self, settings: Any) -> Any:
        import chromadb

        place.claim(Path(self.place))
        if place.shared(self.place) is None:
            place.wait_for_lock(Path(self.place))
        client = chromadb.PersistentClient(path=self.place, settings=settings)
        client.list_collections()  # a damaged folder shows here
        self._system = place.shared(self.place)
        return client

    def _clear_damaged(self) -> None:
        self._delete_folder()
        self._failures = 0
        self.notice = "the vector index was damaged and is built again"

    def _delete_folder(self) -> None:
        """Delete the files; the next call makes the folder anew."""
        place.check(Path(self.place))
        with self._lock:
            self.close()
            place.forget_shared(self.place)
            try:
                place.delete(Path(self.place))
            except OSError as error:
                raise IndexUnavailable(
                    f"the vector index at {self.place} cannot be deleted: {error}"
                ) from error
            self._partition_of.clear()
            wiped.give_back()

    def _collection(self, name: str, metadata: dict[str, str] | None = None) -> Any:
        found = self._collections.get(name)
        if found is None:
            found = self._collections[name] = self._client.get_or_create_collection(
                name, embedding_function=None, metadata=metadata, configuration={"hnsw": HNSW}
            )
        return found

    def _of(self, tenant: str, partition: str) -> Any:
        return self._collection(
            place.collection_name(tenant, partition, self.store),
            {"tenant": tenant, "partition": partition, "store": self.store},
        )

    def _all_of(self, tenant: str | None) -> list[Any]:
        """Return this store's collections, of one tenant or of all."""
        return [
            one
            for one in self._client.list_collections()
            if _metadata(one).get("store") == self.store and tenant in (None, _metadata(one)["tenant"])
        ]

    def _key(self, tenant: str) -> str:
        return hashlib.sha256(f"{self.store}\x00{tenant}".encode()).hexdigest()


def _metadata(collection: Any) -> dict[str, str]:
    return collection.metadata or {}
