"""teachmem over its own MCP server: the same store, acted on through tools by whoever a credential names.

`OverMcp` has a server and a client for every actor, in this process. `OverHttp` has one server on a loopback
port, and a bearer token for every actor: there the token alone says who calls. What belongs to whoever holds
the store (its clock, its files, verifying its log) is done as in process.

Left out: a process of its own for the server (`tests/test_server_http.py`), and a client's model beyond
what a probe lets it say.
"""

from __future__ import annotations

import logging
import socket
import tempfile
import time
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

from teachmem.marks.system import Actor
from teachmem.marks.systems.calling import Calling
from teachmem.marks.systems.handles import answers
from teachmem.marks.systems.in_process import InProcess
from teachmem.principal import Principal
from teachmem.vocabulary import Clearance, Role

PATIENCE = 60  # seconds for one call
# A refusal is the probe's to read, not the log's.
QUIET = ("fastmcp", "mcp", "client", "httpx2", "uvicorn", "teachmem.server")


class OverMcp(InProcess):
    """teachmem through an MCP client, with a server for each actor in the same process."""

    name = "teachmem over MCP"
    way = (
        "the tools of `teachmem serve` through an MCP client, for a fixed principal; log and files in process"
    )

    def reopen(self) -> None:
        """Open the store (again), and a loop on which servers and clients run."""
        from anyio.from_thread import start_blocking_portal

        super().reopen()
        self.known: dict[Principal, Actor] = {}
        self.stack = ExitStack()
        for logger in map(logging.getLogger, QUIET):
            self.stack.callback(logger.setLevel, logger.level)
            logger.setLevel(logging.CRITICAL)
        self.portal = self.stack.enter_context(start_blocking_portal())

    def close(self) -> None:
        """Hang up, and close the store."""
        if hasattr(self, "stack"):
            self.stack.close()
        super().close()

    def acting(
        self,
        name: str,
        *,
        fleet: str = "dock",
        tenant: str = "northlight",
        person: bool = False,
        steward: bool = False,
    ) -> Actor:
        """Return a client whose credential names this agent or person."""
        clearance = Clearance.STEWARD if steward else Clearance.STANDARD
        role = Role.PERSON if person or steward else Role.AGENT
        with answers():
            who = Principal(tenant, fleet, name, role, clearance)
        if who not in self.known:
            self.known[who] = Calling(self.portal, partial(self.client, who), self.stack)
        return self.known[who]

    def first_words(self) -> str:
        """Return the instructions, and the tools as they are listed, of an agent's client."""
        agent = self.acting("dock-1")
        assert isinstance(agent, Calling)
        return agent.first_words()

    def client(self, who: Principal, **handlers: Any) -> Any:
        """Return a client that is not connected yet."""
        from fastmcp import Client

        from teachmem.server import app

        return Client(app.build(self._open(), fixed=who), timeout=PATIENCE, **handlers)


class OverHttp(OverMcp):
    """teachmem through MCP clients on a loopback port, each with a token."""

    name = "teachmem over HTTP"
    way = (
        "the tools of `teachmem serve --http` on loopback, a token for every actor; log and files in process"
    )

    def reopen(self) -> None:
        """Open the store again, and serve it on a free port."""
        from teachmem.server import app, identity

        super().reopen()
        tokens = Path(self.stack.enter_context(tempfile.TemporaryDirectory())) / "tokens.json"
        self._book = identity.TokenBook(tokens)
        server = app.build(self._open(), tokens=tokens)
        listening = self.stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        self._port = listening.getsockname()[1]
        serving = self.portal.start_task_soon(
            lambda: server.run_http_async(
                sockets=[listening],
                host="127.0.0.1",
                show_banner=False,
                host_origin_protection=True,
                log_level="critical",
            )
        )
        self.stack.callback(serving.cancel)

    def client(self, who: Principal, **handlers: Any) -> Any:
        """Return a client with a token that was made for `who`."""
        from fastmcp import Client

        token = self._book.make(who, now=time.time())
        url = f"http://127.0.0.1:{self._port}/mcp"
        return Client(url, auth=token, timeout=PATIENCE, **handlers)
