"""The tools of teachmem's MCP server in the words of the protocol: what a client with a credential can do.

Left out: the server, and whose credential it is (`marks/systems/over_mcp.py`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from datetime import datetime
from typing import Any

from teachmem.marks.system import Actor, Found, NotOffered, Refused, offered
from teachmem.vocabulary import Verdict

PAGE = 100


class Calling(Actor):
    """One client, made by `connected` and open as long as `stack`; its calls run on the loop of `portal`."""

    def __init__(self, portal: Any, connected: Callable[..., Any], stack: ExitStack) -> None:
        self._portal = portal
        self._says = ""

        async def model(*_: Any) -> str:
            return self._says

        client = connected(sampling_handler=model)
        self._client = stack.enter_context(portal.wrap_async_context_manager(client))

    def _call(self, tool: str, **given: Any) -> Any:
        """Call a tool with what is not None; an error that it reports becomes `Refused`."""
        sent = {
            name: value.isoformat() if isinstance(value, datetime) else value
            for name, value in given.items()
            if value is not None
        }
        told = self._wait(lambda: self._client.call_tool(tool, sent, raise_on_error=False))
        text = "".join(getattr(part, "text", "") for part in told.content)
        if told.is_error:
            raise Refused(text)
        said = told.structured_content
        return said["result"] if said is not None and set(said) == {"result"} else said

    def _wait(self, asked: Callable[[], Any]) -> Any:
        return self._portal.call(asked)

    def write(self, text: str, **how: Any) -> str:
        """Call semantic_remember."""
        return _id(self._call("semantic_remember", content=text, **_said(how)))

    def recall(
        self, query: str, *, at: datetime | None = None, known_at: datetime | None = None, k: int = 10
    ) -> list[Found]:
        """Call semantic_search."""
        told = self._call("semantic_search", query=query, k=k, at=at, known_at=known_at)
        return [_found(hit) for hit in told["hits"]]

    def get(
        self, memory_id: str, *, at: datetime | None = None, known_at: datetime | None = None
    ) -> Found | None:
        """Call semantic_get."""
        try:
            return _found(self._call("semantic_get", memory_id=memory_id, at=at, known_at=known_at))
        except Refused as no:
            if str(no).startswith("not_found"):
                return None
            raise

    def history(self, memory_id: str) -> list[str]:
        """Call semantic_history."""
        return [version["content"] for version in self._listed("semantic_history", memory_id)]

    def trail(self, memory_id: str) -> list[str]:
        """Call audit_trail."""
        return [f"{one['by']}: {one['action']}" for one in self._listed("audit_trail", memory_id)]

    def _listed(self, tool: str, memory_id: str) -> list[dict[str, Any]]:
        try:
            rows: list[dict[str, Any]] = self._call(tool, memory_id=memory_id)
        except Refused as no:
            if str(no).startswith("not_found"):
                return []
            raise
        return rows

    def everything(self) -> list[Found]:
        """Call semantic_list, page by page."""
        found: list[Found] = []
        cursor: str | None = None
        while True:
            page = self._call("semantic_list", limit=PAGE, cursor=cursor)
            found += [_found(one) for one in page["memories"]]
            cursor = page["cursor"]
            if not cursor:
                return found

    def neighbours(self, entity: str) -> list[str]:
        """Call graph_neighbours, and get the fact behind each edge."""
        edges = self._call("graph_neighbours", entity=entity)
        return [str(self._call("semantic_get", memory_id=edge["fact"])["content"]) for edge in edges]

    def context(self, query: str, budget: int = 1500) -> str:
        """Call context_assemble."""
        return str(self._call("context_assemble", query=query, budget=budget)["text"])

    def ask(self, question: str, *, model_says: str | None = None) -> str:
        """Call ask, which answers without a model."""
        offered({"model that ask would call": model_says})
        return str(self._call("ask", question=question)["answer"])

    def first_words(self) -> str:
        """Return all that the client's model would be handed."""
        listed = self._wait(self._client.list_tools)
        told = [tool.model_dump(mode="json", exclude_none=True) for tool in listed]
        return f"{self._client.instructions}\n{json.dumps(told)}"

    def tools(self) -> list[str]:
        """Ask for every tool, the hidden ones too."""
        listed = {tool.name for tool in self._wait(self._client.list_tools)}
        return sorted(listed | {tool["name"] for tool in self._call("search_tools", query="", limit=1000)})

    def revise(self, memory_id: str, text: str, **how: Any) -> None:
        """Call semantic_revise."""
        self._call("semantic_revise", memory_id=memory_id, content=text, **_said(how))

    def retract(self, memory_id: str, reason: str) -> None:
        """Call semantic_retract."""
        self._call("semantic_retract", memory_id=memory_id, reason=reason)

    def reject(self, memory_id: str, reason: str) -> None:
        """Call semantic_reject."""
        self._call("semantic_reject", memory_id=memory_id, reason=reason)

    def forget(self, memory_id: str, reason: str) -> None:
        """Call evolve_forget."""
        self._call("evolve_forget", memory_id=memory_id, reason=reason)

    def log(self, text: str, *, session: str = "s1", **how: Any) -> str:
        """Call episodic_log."""
        offered(how, "source")
        return _id(self._call("episodic_log", kind="observation", content=text, session=session, **how))

    def events(self, query: str, k: int = 5) -> list[Found]:
        """Call episodic_recall."""
        return [_found(hit) for hit in self._call("episodic_recall", query=query, k=k)["hits"]]

    def note(self, text: str, **rewrites: str) -> str:
        """Call working_write, which takes no rewrites."""
        offered(rewrites)
        note = {"subject": "dock", "predicate": "observed", "object": "note"}
        return _id(self._call("working_write", content=text, **note))

    def propose(self, text: str) -> str:
        """Hand in what a tool has said, which waits for a person."""
        return self.write(text, source="tool")

    def pending(self) -> list[Found]:
        """Call review_inbox."""
        waiting = self._call("review_inbox", limit=1000)
        return [Found(item["id"], item["content"], item["seen"]) for item in waiting]

    def decide(self, item: Found | str, verdict: str) -> None:
        """Call review_decide with what was seen, or with what the inbox says now."""
        seen = item if isinstance(item, Found) else self._waiting(item)
        reason = None if verdict == "approve" else "not to be kept"
        self._call("review_decide", action=verdict, candidate_id=seen.id, seen=seen.seen, reason=reason)

    def edit(self, item_id: str, text: str) -> None:
        """Call review_decide to edit."""
        seen = self._waiting(item_id).seen
        self._call("review_decide", action="edit", candidate_id=item_id, seen=seen, text=text)

    def _waiting(self, item_id: str) -> Found:
        found = [item for item in self.pending() if item.id == item_id]
        if not found:
            raise Refused(f"nothing waits as {item_id}")
        return found[0]

    def consolidate(self, facts: Sequence[tuple[str, Sequence[str]]] | None = None) -> int:
        """Call consolidate; the client's model says what it is told to."""
        if facts is None:
            raise NotOffered("consolidation without a model")
        told = [{"content": text, "evidence": list(ids)} for text, ids in facts]
        self._says = json.dumps({"facts": told})
        return len(self._call("consolidate")["proposed"])


def _said(how: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of semantic_remember that the options of the protocol stand for."""
    plain = ("source", "confidence", "valid_from", "valid_to", "expires_at")
    offered(how, *plain, "evidence", "triple", "private", "shared")
    said = {name: how[name] for name in plain if how.get(name)}
    if how.get("evidence"):
        said["evidence"] = list(how["evidence"])
    if how.get("triple"):
        said |= dict(zip(("subject", "predicate", "object"), how["triple"], strict=True))
    if how.get("private") or how.get("shared"):
        said["visibility"] = "agent" if how.get("private") else "org"
    return said


def _id(receipt: dict[str, Any]) -> str:
    """Return what names the outcome: the memory, or what waits for a person."""
    if receipt["verdict"] == Verdict.STAGED or "memory" not in receipt:
        return str(receipt["candidate_id"])
    return str(receipt["memory"]["id"])


def _found(memory: dict[str, Any]) -> Found:
    return Found(memory["id"], memory["content"])
