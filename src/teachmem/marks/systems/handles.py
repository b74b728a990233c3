"""A handle of teachmem in the words of the protocol: what an agent or a person can do in Python.

Left out: opening a store, its clock and its files (`marks/systems/in_process.py`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from teachmem.errors import InvalidInput, MemoryRefused, NotFound, Overtaken
from teachmem.flow.models import ScriptedModel
from teachmem.marks.system import Actor, Found, Refused, offered
from teachmem.record import Hit, Memory, Receipt
from teachmem.store import Handle
from teachmem.vocabulary import Verdict


class Acting(Actor):
    """One handle, in the words of the protocol."""

    def __init__(self, handle: Handle) -> None:
        self.handle: Any = handle  # a person's has more than an agent's, and an agent is asked for it too

    def write(self, text: str, **how: Any) -> str:
        """Remember a fact."""
        with answers():
            return _id(self.handle.semantic.remember(text, **_said(how)))

    def recall(
        self, query: str, *, at: datetime | None = None, known_at: datetime | None = None, k: int = 10
    ) -> list[Found]:
        """Search the facts."""
        with answers():
            return _hits(self.handle.semantic.search(query, k, at=at, known_at=known_at))

    def get(
        self, memory_id: str, *, at: datetime | None = None, known_at: datetime | None = None
    ) -> Found | None:
        """Get a fact by its id."""
        try:
            return _found(self.handle.semantic.get(memory_id, at=at, known_at=known_at))
        except NotFound:
            return None
        except MemoryRefused as no:
            raise Refused(str(no)) from no

    def history(self, memory_id: str) -> list[str]:
        """Return the texts of a fact's versions."""
        try:
            return [version.content for version in self.handle.semantic.history(memory_id)]
        except NotFound:
            return []

    def everything(self) -> list[Found]:
        """List the facts."""
        return [_found(memory) for memory in self.handle.semantic.list(limit=1000)]

    def neighbours(self, entity: str) -> list[str]:
        """Return what the facts around an entity say."""
        return [edge.memory.content for edge in self.handle.graph.neighbours(entity)]

    def context(self, query: str, budget: int = 1500) -> str:
        """Assemble a context."""
        return str(self.handle.context(query, budget))

    def ask(self, question: str, *, model_says: str | None = None) -> str:
        """Ask the pipeline, with a model that says one thing or with none."""
        model = None if model_says is None else ScriptedModel(model_says)
        return str(self.handle.ask(question, model=model))

    def tools(self) -> list[str]:
        """Return the public methods of the handle and of its parts."""
        parts = {name: getattr(self.handle, name) for name in dir(self.handle) if not name.startswith("_")}
        inner = [
            f"{name}.{each}" for name, part in parts.items() for each in dir(part) if not each.startswith("_")
        ]
        return sorted([*parts, *inner])

    def trail(self, memory_id: str) -> list[str]:
        """Return who did what to a memory."""
        try:
            return [f"{one.by}: {one.action}" for one in self.handle.trail(memory_id)]
        except NotFound:
            return []

    def revise(self, memory_id: str, text: str, **how: Any) -> None:
        """Write the next version of a fact."""
        with answers():
            self.handle.semantic.revise(memory_id, content=text, **_said(how))

    def retract(self, memory_id: str, reason: str) -> None:
        """Retract a fact."""
        with answers():
            self.handle.semantic.retract(memory_id, reason)

    def reject(self, memory_id: str, reason: str) -> None:
        """Reject a fact and the value that it has."""
        with answers():
            _persons(self.handle.semantic, "reject")(memory_id, reason)

    def forget(self, memory_id: str, reason: str) -> None:
        """Erase a fact; an agent can only ask for it."""
        with answers():
            self.handle.forget(memory_id, reason)

    def log(self, text: str, *, session: str = "s1", **how: Any) -> str:
        """Log an observation."""
        offered(how, "source", "private")
        with answers():
            return _id(self.handle.episodic.log("observation", text, session, **_said(how)))

    def events(self, query: str, k: int = 5) -> list[Found]:
        """Recall events."""
        return _hits(self.handle.episodic.recall(query, k))

    def note(self, text: str, **rewrites: str) -> str:
        """Write a note to the scratchpad."""
        with answers():
            return _id(self.handle.working.write("dock", "observed", "note", text, rewrites=rewrites))

    def propose(self, text: str) -> str:
        """Hand in what a tool has said, which waits for a person."""
        return self.write(text, source="tool")

    def pending(self) -> list[Found]:
        """Return the inbox."""
        with answers():
            inbox = _persons(self.handle, "review").inbox()
        return [Found(item.candidate_id, item.content, item) for item in inbox]

    def decide(self, item: Found | str, verdict: str) -> None:
        """Approve or reject, what was read or whatever has this id."""
        with answers():
            review = _persons(self.handle, "review")
            named = item.seen if isinstance(item, Found) else item
            review.approve(named) if verdict == "approve" else review.reject(named, "not to be kept")

    def edit(self, item_id: str, text: str) -> None:
        """Edit what waits."""
        with answers():
            _persons(self.handle, "review").edit(item_id, text)

    def consolidate(self, facts: Sequence[tuple[str, Sequence[str]]] | None = None) -> int:
        """Let a model, which says what it is told to, propose facts."""
        told = [{"content": text, "evidence": list(ids)} for text, ids in facts or ()]
        model = ScriptedModel() if facts is None else ScriptedModel(json.dumps({"facts": told}))
        return len(self.handle.consolidate(model).proposed)

    def distil(self, title: str) -> int:
        """Let a model, which says what it is told to, propose skills."""
        answer = json.dumps({"title": title, "trigger": "it is seen again", "steps": [f"{title}."]})
        return len(self.handle.distil(ScriptedModel(answer)).proposed)

    def export(self, path: Path) -> None:
        """Export what this person may hand on."""
        with answers():
            _persons(self.handle, "export")(path)

    def load(self, path: Path) -> None:
        """Import an export."""
        with answers():
            _persons(self.handle, "load_export")(path)

    def restore(self, path: Path) -> None:
        """Bring back what a backup holds."""
        with answers():
            _persons(self.handle, "restore")(path)


def _persons(part: Any, name: str) -> Any:
    """Return what only a person's handle has; for any other it is a refusal."""
    if not hasattr(part, name):
        raise Refused(f"this handle has no {name}")
    return getattr(part, name)


@contextmanager
def answers() -> Iterator[None]:
    """Turn the errors by which teachmem says no into `Refused`."""
    try:
        yield
    except (MemoryRefused, NotFound, Overtaken, InvalidInput) as no:
        raise Refused(str(no)) from no


def _said(how: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of `remember` that the options of the protocol stand for."""
    plain = ("source", "confidence", "valid_from", "valid_to", "expires_at", "evidence")
    offered(how, *plain, "triple", "private", "shared")
    said = {name: how[name] for name in plain if how.get(name)}
    if how.get("triple"):
        said |= dict(zip(("subject", "predicate", "object"), how["triple"], strict=True))
    if how.get("private") or how.get("shared"):
        said["visibility"] = "agent" if how.get("private") else "org"
    return said


def _id(receipt: Receipt) -> str:
    """Return what names the outcome: the memory, or what waits for a person."""
    if receipt.verdict is Verdict.STAGED or receipt.memory is None:
        return str(receipt.candidate_id)
    return receipt.memory.memory_id


def _found(memory: Memory) -> Found:
    return Found(memory.memory_id, memory.content)


def _hits(hits: Sequence[Hit]) -> list[Found]:
    return [_found(hit.memory) for hit in hits]
