"""A small desk of tools for exercises 4.3 and 4.4: it is called as a client is, and notes every call.

Its tools are none of the server's, so that an answer which knows their names by heart is found out.
What it says has the same form as what the server says; a test compares the two.

>>> desk = Desk()
>>> found = asyncio.run(desk.call_tool("search_tools", {"query": "belt speed"})).data
>>> [tool["name"] for tool in found]
['belt_speed_set', 'belt_speed_read']

Left out: a server. The notebook calls the real one in the cell after the check.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

from teachmem.course.material import Wrong, call, show
from teachmem.recall import text

Called = tuple[str, Mapping[str, Any]]


def _schema(**kinds: str) -> dict[str, Any]:
    named = {name: {"title": name.title(), "type": kind} for name, kind in kinds.items()}
    return {"properties": named, "required": list(kinds), "type": "object"}


DESK: dict[str, tuple[str, dict[str, Any]]] = {
    "belt_speed_set": ("Set the speed of a belt in metres a second.", _schema(belt="string", speed="number")),
    "belt_speed_read": ("Read how fast a belt runs.", _schema(belt="string")),
    "door_open": ("Open a door of the dock for a lorry.", _schema(door="integer")),
    "lamp_test": ("Test every lamp of a shed, one after the other.", _schema(shed="string")),
    "pad_order": ("Order rubber pads from their maker.", _schema(part="string", sets="integer")),
    "weather_now": ("Say the weather on the quay.", _schema()),
}
NIGHT: dict[str, tuple[str, dict[str, Any]]] = {
    "conveyor": ("Set the speed of a belt in metres a second.", _schema(line="integer", to="number")),
    "gate": ("Open a door of the dock for a lorry.", _schema(number="integer", lorry="string")),
    "lamps": ("Test every lamp of a shed, one after the other.", _schema(name="string")),
}
NOTHING = "nothing in memory answers this"
ANSWERS: dict[str, dict[str, Any]] = {
    "Who opens door two?": {
        "answer": '"Door two is opened by the dock-operator." [fact-0007]',
        "answered": True,
        "cited": ["fact-0007"],
        "intents": ["connection 1 (who)"],
    },
    "how many pads are left?": {
        "answer": '"Nine sets lie in drawer 12." [fact-0031]\n"Two sets went to station four." [event-0012]',
        "answered": True,
        "cited": ["fact-0031", "event-0012"],
        "intents": ["count 3 (how many)"],
    },
    "Which torque has the wrist bolt?": {
        "answer": NOTHING,
        "answered": False,
        "cited": [],
        "intents": ["search"],
        "nearest": ["fact-0044", "event-0002"],
    },
}


class Desk:
    """A desk with these tools. `calls` holds what it was asked, in order."""

    def __init__(self, tools: Mapping[str, tuple[str, dict[str, Any]]] = DESK) -> None:
        self._tools = tools
        self.calls: list[Called] = []

    async def call_tool(self, name: str, arguments: Mapping[str, Any] | None = None) -> SimpleNamespace:
        """Answer one call, as a client's `call_tool` does: the data is in `.data`."""
        given = dict(arguments or {})
        self.calls.append((name, given))
        known: dict[str, Callable[..., Any]] = {
            "search_tools": self._search,
            "describe_tool": self._describe,
            "ask": self._ask,
            "semantic_search": self._facts,
        }
        if name not in known:
            raise Wrong(f"call_tool({show(name)}) was called, and there is no tool of that name")
        try:
            data = known[name](**given)
        except TypeError as wrong:
            raise Wrong(f"call_tool({show(name)}, {show(given)}): {wrong}") from None
        return SimpleNamespace(
            data=data, structured_content=data if isinstance(data, dict) else {"result": data}
        )

    def _search(self, query: str = "", limit: int = 10) -> list[dict[str, str]]:
        asked = set(text.terms(query))
        scored = []
        for name, (line, _) in self._tools.items():
            shared = len(asked & set(text.terms(line)))
            if shared or not asked:
                scored.append((-shared, name))
        return [{"name": name, "does": self._tools[name][0]} for _, name in sorted(scored)[:limit]]

    def _describe(self, name: str) -> dict[str, Any]:
        if name not in self._tools:
            raise Wrong(
                f"describe_tool was called for {show(name)}, and search_tools never named such a tool"
            )
        line, arguments = self._tools[name]
        return {"name": name, "description": line, "arguments": arguments}

    def _ask(self, question: str) -> dict[str, Any]:
        nothing = ANSWERS["Which torque has the wrist bolt?"]
        return dict(ANSWERS.get(question, nothing))

    def _facts(self, query: str, k: int = 5) -> dict[str, Any]:
        return {"hits": [{"id": "fact-0007", "content": "Door two is opened by the dock-operator."}][:k]}


def awaited(function: Callable[..., Any], *arguments: Any) -> Any:
    """Return what an async function gives; what it raises becomes a counter-example."""

    def run() -> Any:
        return asyncio.run(function(*arguments))

    run.__name__ = getattr(function, "__name__", "")
    return call(run)


def is_async(answer: object) -> bool:
    """Say whether an answer is an `async def`: only such a function can wait for a server."""
    return inspect.iscoroutinefunction(answer)
