"""How much one caller may ask of an HTTP server: how often, how much at once, how large, how slowly.

Each identity has a bucket that fills at `rate` tokens a second and holds twice as many; a request takes one,
and an empty bucket is answered with 429 and the seconds to wait. Whoever has no valid token is counted by
the address they come from, so that they take nothing from those who have one.

>>> bucket = Bucket(rate=2, now=0.0)
>>> [bucket.take(0.0) for _ in range(5)]
[0.0, 0.0, 0.0, 0.0, 0.5]
>>> bucket.take(0.5)
0.0

Source: Turner 1986, New directions in communications (the leaky bucket as a meter).
Left out: fairness among tenants, and limits over several servers; a proxy in front can keep those.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import anyio

from teachmem.errors import InvalidInput

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST_KIB = 4096  # the protocol's library refuses more by itself
BURST = 2  # seconds of the rate that a bucket holds
ALTOGETHER = 8  # times `at_once`: connections of all together
FORGET = 10_000  # buckets, after which the full ones are thrown away
PATIENT = 8  # times the largest request: so much is read of one that is too large, so that it hears why
SECONDS = 20.0
LIMITED = -32000  # JSON-RPC: an error that the server defines


@dataclass(frozen=True, slots=True)
class Limits:
    """What one identity may do: requests a second, requests under way, KiB of one request, and how slowly.

    `seconds` is how long a request's head, and then its body, may take to arrive.
    """

    rate: float = 100.0
    at_once: int = 64
    kib: int = 1024
    seconds: float = SECONDS

    def __post_init__(self) -> None:
        if not 0 < self.rate <= 1_000_000:
            raise InvalidInput("rate", f"must be more than 0 and at most a million, not {self.rate}")
        if not 1 <= self.at_once <= 10_000:
            raise InvalidInput("at_once", f"must be 1 to 10,000, not {self.at_once}")
        if not 1 <= self.kib <= MOST_KIB:
            raise InvalidInput("kib", f"must be 1 to {MOST_KIB:,}, not {self.kib}")

    @property
    def altogether(self) -> int:
        """How many connections there may be, of whomever."""
        return ALTOGETHER * self.at_once


class Bucket:
    """Tokens that come back with time; times are in seconds, of a clock that never goes back."""

    def __init__(self, rate: float, now: float) -> None:
        self._rate, self._held, self._at = rate, max(1.0, BURST * rate), now

    def take(self, now: float) -> float:
        """Take one and return 0, or take none and return the seconds until there is one."""
        self._fill(now)
        if self._held < 1:
            return (1 - self._held) / self._rate
        self._held -= 1
        return 0.0

    def is_full(self, now: float) -> bool:
        """Say whether forgetting this bucket would change nothing."""
        self._fill(now)
        return self._held >= max(1.0, BURST * self._rate)

    def _fill(self, now: float) -> None:
        self._held = min(max(1.0, BURST * self._rate), self._held + (now - self._at) * self._rate)
        self._at = now


class Refused(Exception):
    """A request that goes no further: the status, what is said, and when to come again."""

    def __init__(self, status: int, said: str, again: float | None = None) -> None:
        super().__init__(said)
        self.status = status
        self.again = again


class Limiter:
    """Stands behind the check of the token and before everything that costs something."""

    def __init__(self, app: ASGIApp, limits: Limits, clock: Callable[[], float] = time.monotonic) -> None:
        self._app, self._limits, self._clock = app, limits, clock
        self._buckets: dict[Hashable, Bucket] = {}
        self._under_way: Counter[Hashable] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        who, is_known = caller(scope)
        try:
            self._admit(who)
        except Refused as refused:
            await _answer(send, refused)
            return
        self._under_way[who] += 1
        try:
            if is_known and scope["method"] == "POST":  # of a stranger nothing is read
                receive = await self._read(scope, receive)
            await self._app(scope, receive, send)
        except Refused as refused:
            await _answer(send, refused)
        finally:
            self._under_way[who] -= 1
            if not self._under_way[who]:
                del self._under_way[who]

    def _admit(self, who: Hashable) -> None:
        now = self._clock()
        if who not in self._buckets and len(self._buckets) >= FORGET:
            self._buckets = {each: held for each, held in self._buckets.items() if not held.is_full(now)}
        bucket = self._buckets.setdefault(who, Bucket(self._limits.rate, now))
        if wait := bucket.take(now):
            raise Refused(
                429, f"more than {self._limits.rate:g} requests a second; wait and send it again", wait
            )
        if self._under_way[who] >= self._limits.at_once:
            told = f"{self._limits.at_once} requests are under way already; wait for one to be answered"
            raise Refused(429, told, 1.0)

    async def _read(self, scope: Scope, receive: Receive) -> Receive:
        """Read the whole body, within its limits; return what gives it out again."""
        most = self._limits.kib * 1024
        too_large = Refused(413, f"more than {self._limits.kib:,} KiB in one request; send it in parts")
        declared = dict(scope["headers"]).get(b"content-length", b"")
        if declared.isdigit() and int(declared[:20]) > PATIENT * most:
            raise too_large
        body, read, waiting = bytearray(), 0, True
        with anyio.move_on_after(self._limits.seconds) as patience:
            while waiting and read <= PATIENT * most:  # who is still sending does not hear an answer
                message = await receive()
                piece = message.get("body", b"")
                read += len(piece)
                body += piece if read <= most else b""
                waiting = message["type"] == "http.request" and message.get("more_body", False)
        if read > most:
            raise too_large
        if patience.cancelled_caught:
            raise Refused(408, f"the request did not arrive whole in {self._limits.seconds:g} seconds")
        given: list[Message] = [{"type": "http.request", "body": bytes(body), "more_body": False}]
        if message["type"] != "http.request":  # whoever sent it has gone
            given = [message]

        async def replay() -> Message:
            return given.pop() if given else await receive()

        return replay


def caller(scope: Scope) -> tuple[Hashable, bool]:
    """Return who a request is from, and whether a token says so: tokens of one principal count as one."""
    token = getattr(scope.get("user"), "access_token", None)
    if token is not None and "principal" in (token.claims or {}):
        return token.claims["principal"], True
    return (scope.get("client") or ("",))[0], False


async def _answer(send: Send, refused: Refused) -> None:
    error = {"code": LIMITED, "message": str(refused)}
    body = json.dumps({"jsonrpc": "2.0", "id": None, "error": error}).encode()
    headers = [(b"content-type", b"application/json"), (b"connection", b"close")]
    if refused.again is not None:
        headers.append((b"retry-after", str(max(1, round(refused.again))).encode()))
    await send({"type": "http.response.start", "status": refused.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
