"""The reference MCP memory server: a knowledge graph in one file, asked over MCP on its standard input.

A memory is an entity of its own with one observation, so that one can be found, changed and deleted without
the others. `search_nodes` looks for the query as it stands within names and observations; where it finds
nothing the adapter asks for each word, as a model would, and puts first what most words found.

Left out: several readers. The server has one graph and no notion of who asks; another tenant, another fleet
and a private memory are not offered.
"""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, ClassVar

from teachmem.marks.system import Actor, CouldNotRun, Found, Refused, System, offered
from teachmem.marks.systems import worker
from teachmem.marks.systems.lodger import Say, silent, writing
from teachmem.marks.systems.rooms import Room

NUMBER = "2026.8.31"
PACKAGE = "@modelcontextprotocol/server-memory"
ROOM = Room("server-memory", "node", (f"{PACKAGE}@{NUMBER}",))
PROTOCOL = "2025-06-18"
SHORTEST = 3  # letters of a word that is searched for


class ServerMemory(System):
    """The server as a process of node, with a file in the folder."""

    name = "server-memory"
    way = (
        "The server's own tools over stdio: an entity for every memory, its text as the one observation; "
        "search_nodes with the query, and word by word where that finds nothing."
    )
    as_run: ClassVar[str] = f"{NUMBER}, not run yet"

    def __init__(self, say: Say = silent) -> None:
        self.version = self.as_run
        self._say = say
        self._worker: worker.Worker | None = None
        self._file = Path()
        self.number = 0

    def open(self, folder: Path, *, files: bool = True) -> None:
        """Start the server. Raises `CouldNotRun` without node or where it cannot be installed."""
        self._file = folder / "memory.jsonl"
        self.reopen()

    def reopen(self) -> None:
        """Stop the server and start it again on its file."""
        self.close()
        node = shutil.which("node")
        if node is None:
            raise CouldNotRun("there is no node on this machine")
        package = ROOM.enter(self._say) / "node_modules" / PACKAGE
        self._worker = worker.Worker(
            [node, package / "dist" / "index.js"], self._file.parent, {"MEMORY_FILE_PATH": str(self._file)}
        )
        me = {"name": "teachmem", "version": "1"}
        self._worker.call("initialize", {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": me})
        self._worker.notify("notifications/initialized")
        told = json.loads((package / "package.json").read_text(encoding="utf-8"))
        type(self).as_run = self.version = str(told["version"])

    def close(self) -> None:
        """Stop the server."""
        if self._worker is not None:
            self._worker.close()
            self._worker = None

    def beside(self) -> System:
        """Start a second server on the same file."""
        second = ServerMemory(self._say)
        second.number = 1_000_000  # so that the names it gives are others
        second.open(self._file.parent)
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
        """Return the one graph that everybody has."""
        offered({"fleets": fleet != "dock", "tenants": tenant != "northlight"})
        return _Everybody(self, person or steward)

    def now(self) -> datetime:
        """Return the time of this machine."""
        return datetime.now(UTC)

    def raw_files(self) -> list[Path]:
        """Stop the server and return its file."""
        self.close()
        return sorted(path for path in self._file.parent.rglob("*") if path.is_file())

    def process(self, texts: Iterable[str], name: str) -> Callable[[], int]:
        """Let a second server write."""
        return writing(self.beside(), texts, name)

    def first_words(self) -> str:
        """Return the tools as they are listed."""
        return json.dumps(self.asked("tools/list")["tools"], ensure_ascii=False)

    def asked(self, method: str, params: dict[str, Any] | None = None) -> Any:
        """Send one request."""
        if self._worker is None:
            raise CouldNotRun("the server is not running")
        try:
            return self._worker.call(method, params)
        except worker.Failure as error:
            raise Refused(str(error)) from error

    def tool(self, name: str, **arguments: Any) -> Any:
        """Call a tool and return what it answers as data; an error that it reports is `Refused`."""
        told = self.asked("tools/call", {"name": name, "arguments": arguments})
        text = "".join(part.get("text", "") for part in told["content"])
        if told.get("isError"):
            raise Refused(text)
        return told.get("structuredContent") or text


class _Everybody(Actor):
    """The graph, as whoever asks has it."""

    def __init__(self, system: ServerMemory, person: bool) -> None:
        self._system, self._person = system, person

    def write(self, text: str, **how: Any) -> str:
        """Create an entity for it; a triple becomes a relation between two more."""
        offered(how, "triple")
        self._system.number += 1
        name = f"memory-{self._system.number}"
        entities = [{"name": name, "entityType": "fact", "observations": [text]}]
        if how.get("triple"):
            subject, predicate, thing = how["triple"]
            entities += [{"name": one, "entityType": "thing", "observations": []} for one in (subject, thing)]
            self._system.tool("create_entities", entities=entities)
            relation = {"from": subject, "to": thing, "relationType": predicate}
            self._system.tool("create_relations", relations=[relation])
        else:
            self._system.tool("create_entities", entities=entities)
        return name

    def recall(
        self, query: str, *, at: datetime | None = None, known_at: datetime | None = None, k: int = 10
    ) -> list[Found]:
        """Search for the query, or else for its words."""
        offered({"at": at, "known_at": known_at})
        whole = self._search(query)
        if whole:
            return whole[:k]
        hits: Counter[Found] = Counter()
        for word in dict.fromkeys(re.findall(r"\w+", query)):
            if len(word) >= SHORTEST:
                hits.update(self._search(word))
        return [found for found, _ in hits.most_common(k)]

    def _search(self, query: str) -> list[Found]:
        return _memories(self._system.tool("search_nodes", query=query))

    def get(
        self, memory_id: str, *, at: datetime | None = None, known_at: datetime | None = None
    ) -> Found | None:
        """Open the entity."""
        offered({"at": at, "known_at": known_at})
        found = _memories(self._system.tool("open_nodes", names=[memory_id]))
        return found[0] if found else None

    def everything(self) -> list[Found]:
        """Read the graph."""
        return _memories(self._system.tool("read_graph"))

    def neighbours(self, entity: str) -> list[str]:
        """Open an entity and return what its relations say."""
        told = self._system.tool("open_nodes", names=[entity])
        return [f"{one['from']} {one['relationType']} {one['to']}" for one in told["relations"]]

    def tools(self) -> list[str]:
        """List the tools."""
        return [tool["name"] for tool in self._system.asked("tools/list")["tools"]]

    def revise(self, memory_id: str, text: str, **how: Any) -> None:
        """Delete the observation and add another."""
        offered(how)
        held = self.get(memory_id)
        added = [{"entityName": memory_id, "contents": [text]}]
        self._system.tool("add_observations", observations=added)  # says so where there is no such entity
        if held is not None:
            gone = [{"entityName": memory_id, "observations": [held.text]}]
            self._system.tool("delete_observations", deletions=gone)

    def retract(self, memory_id: str, reason: str) -> None:
        """Delete the entity: the one way to withdraw it. The reason is kept nowhere."""
        self._system.tool("delete_entities", entityNames=[memory_id])

    def forget(self, memory_id: str, reason: str) -> None:
        """Delete the entity, asked for as a person: nothing here tells who may erase."""
        offered({"role that may only ask for it": not self._person})
        self.retract(memory_id, reason)


def _memories(graph: Any) -> list[Found]:
    return [
        Found(entity["name"], "\n".join(entity["observations"]))
        for entity in graph["entities"]
        if entity["observations"]
    ]
