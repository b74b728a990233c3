"""mem0 with local parts: Qdrant in a folder, and an embedder and a model handed in through its LangChain
providers. Memories are added with `infer=False`, which keeps the words; the model is never asked.

Left out: what `infer=True` would make of a text. That is the model's doing.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

_HOME = tempfile.TemporaryDirectory()  # where mem0 keeps settings; no memory lies there


def versions() -> dict[str, str]:
    """Return what is really installed here."""
    return {name: version(name) for name in ("mem0ai", "qdrant-client", "langchain")}


def opened(folder: str, embed: Callable[[str], list[float]]) -> Served:
    """Open a memory in `folder`."""
    os.environ.update(MEM0_TELEMETRY="False", MEM0_DIR=_HOME.name)
    from langchain_core.embeddings import Embeddings
    from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
    from mem0 import Memory

    class Words(Embeddings):  # type: ignore[misc] # not installed where types are checked
        def embed_query(self, text: str) -> list[float]:
            return embed(text)

        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return [embed(text) for text in texts]

    where = {
        "collection_name": "memories",
        "path": str(Path(folder) / "qdrant"),
        "on_disk": True,
        "embedding_model_dims": len(embed("")),
    }
    return Served(
        Memory.from_config(
            {
                "vector_store": {"provider": "qdrant", "config": where},
                "embedder": {"provider": "langchain", "config": {"model": Words()}},
                "llm": {
                    "provider": "langchain",
                    "config": {"model": GenericFakeChatModel(messages=iter([]))},
                },
                "history_db_path": str(Path(folder) / "history.db"),
            }
        )
    )


class Served:
    """The calls of mem0 that its documentation names; a scope is its `user_id`."""

    def __init__(self, memory: Any) -> None:
        self._memory = memory

    def add(self, text: str, scope: str, fields: dict[str, str], expires: str | None = None) -> str:
        """Keep a text word for word; `expires` is a day, as mem0 has it."""
        message = {"role": "user", "content": text, "name": fields["by"]}
        how = {"user_id": scope, "metadata": fields, "infer": False, "expiration_date": expires}
        added = self._memory.add([message], **how)["results"]
        return str(added[0]["id"])

    def get(self, key: str, scopes: list[str]) -> str | None:
        """Return a memory by its id; mem0 takes no scope here."""
        found = self._memory.get(key)
        return None if found is None else str(found["memory"])

    def search(self, query: str, scopes: list[str], k: int) -> list[tuple[str, str]]:
        """Search every scope and put the best first."""
        found = [
            one
            for scope in scopes
            for one in self._memory.search(query, filters={"user_id": scope}, top_k=k)["results"]
        ]
        found.sort(key=lambda one: -one["score"])
        return [(one["id"], one["memory"]) for one in found[:k]]

    def everything(self, scopes: list[str]) -> list[tuple[str, str]]:
        """List every scope."""
        return [
            (one["id"], one["memory"])
            for scope in scopes
            for one in self._memory.get_all(filters={"user_id": scope}, top_k=1000)["results"]
        ]

    def update(self, key: str, text: str, scopes: list[str]) -> bool:
        """Let a memory say something else; mem0 takes no scope here, and no name."""
        if self._memory.get(key) is None:
            return False
        self._memory.update(key, text)
        return True

    def delete(self, key: str, scopes: list[str]) -> bool:
        """Delete a memory; mem0 takes no scope here, and no name."""
        if self._memory.get(key) is None:
            return False
        self._memory.delete(key)
        return True

    def history(self, key: str, scopes: list[str]) -> list[dict[str, Any]]:
        """Return the rows of mem0's own history of a memory, as they come."""
        return [
            {"who": row["actor_id"] or row["role"], "act": row["event"], "text": row["new_memory"]}
            for row in self._memory.history(key)
        ]

    def close(self) -> None:
        """Close both databases."""
        self._memory.vector_store.client.close()
        self._memory.close()
