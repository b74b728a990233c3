"""The door of the HTTP server: a connection on which nothing is asked, or only very slowly, is closed.

The library that reads HTTP waits for the head of a request as long as a byte comes now and then. Whoever
opens hundreds of such connections shuts everybody else out. Here each head has a time to arrive in.

Left out: the body, which has its own time (`limits.py`), and who may connect at all.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from teachmem.server.limits import SECONDS, Limits


class Door(H11Protocol):
    """HTTP/1.1 as uvicorn reads it, at most 64 KiB of head, which has `patience` seconds to arrive."""

    patience: float = SECONDS
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start waiting for the first request."""
        super().connection_made(transport)
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        if self._timer is not None:
            self._timer.cancel()
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        """Start waiting for the next request."""
        super().on_response_complete()
        self._wait()

    def _wait(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self.loop.call_later(self.patience, self._late)

    def _late(self) -> None:
        cycle: Any = self.cycle  # None before the first request
        if cycle is None or cycle.response_complete:
            self.transport.abort()


def settings(limits: Limits) -> dict[str, Any]:
    """Return what uvicorn is told: this door, how many connections there may be, and no websockets."""
    door = type("Door", (Door,), {"patience": limits.seconds})
    return {
        "http": door,
        "ws": "none",
        "limit_concurrency": limits.altogether,
        "server_header": False,
        "proxy_headers": False,  # a stranger would choose the address by which they are counted
        "timeout_graceful_shutdown": 2,
    }
