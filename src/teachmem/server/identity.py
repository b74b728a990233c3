"""Who a bearer token stands for: a file of grants that only its owner can read.

A token is 256 random bits, shown once when it is made. The file keeps its SHA-256, and with it the
tenant, fleet, name, role and clearance that it stands for. Nobody can choose these in a call: they
come from the credential alone. A random token needs no slow hash; there is nothing to guess.

>>> from tempfile import TemporaryDirectory
>>> with TemporaryDirectory() as folder:
...     book = TokenBook(Path(folder) / "tokens.json")
...     token = book.make(Principal("northlight", "dock", "dock-1"), now=0)
...     print(book.principal(token, now=1).name, book.principal(token + "x", now=1))
dock-1 None

Left out: handing tokens out, and proof that who holds a token is who it was made for.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from teachmem import private
from teachmem.errors import InvalidInput, TeachmemError
from teachmem.principal import Principal
from teachmem.vocabulary import Role

PREFIX = "tm_"
LOCK_SECONDS = 10


@dataclass(frozen=True, slots=True)
class Grant:
    """One token of the file: its short id, whom it stands for, and how long (seconds since the epoch)."""

    grant_id: str
    digest: str
    principal: Principal
    made: int
    expires: int | None = None
    revoked: int | None = None

    def holds(self, now: float) -> bool:
        """Say whether the token opens anything at `now`."""
        return self.revoked is None and (self.expires is None or now < self.expires)


class TokenBook:
    """The grants in one file. Every look-up sees what another process has changed."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._seen: tuple[int, int, int] | None = None
        self._grants: dict[str, Grant] = {}
        self._turn = threading.Lock()

    def make(self, principal: Principal, *, now: float, seconds: int | None = None) -> str:
        """Write a new grant and return its token, which is kept nowhere; `seconds` is how long it lasts."""
        if seconds is not None and seconds <= 0:
            raise InvalidInput("seconds", f"must be more than 0, not {seconds}")
        token = PREFIX + secrets.token_urlsafe(32)
        with self._changing() as grants:
            made = int(now)
            digest = _digest(token)
            expires = None if seconds is None else made + seconds
            grants[digest] = Grant(digest[:12], digest, principal, made, expires)
        return token

    def revoke(self, grant_id: str, *, now: float) -> Grant:
        """End a grant for good; its row stays, so that one can see that it was. Raises `InvalidInput`."""
        with self._changing() as grants:
            for digest, grant in grants.items():
                if grant.grant_id == grant_id and grant.revoked is None:
                    ended = Grant(
                        grant.grant_id, digest, grant.principal, grant.made, grant.expires, int(now)
                    )
                    grants[digest] = ended
                    return ended
        raise InvalidInput("token", f"no open token has the id {grant_id!r}; list them to see the ids")

    def grants(self) -> list[Grant]:
        """Return every grant, oldest first."""
        with self._turn:
            return sorted(self._read().values(), key=lambda grant: (grant.made, grant.grant_id))

    def grant(self, token: str, *, now: float) -> Grant | None:
        """Return the grant of a token that opens something now, or None for every other text."""
        if not token.startswith(PREFIX) or len(token) > 200:
            return None
        with self._turn:
            found = self._read().get(_digest(token))
        return found if found is not None and found.holds(now) else None

    def principal(self, token: str, *, now: float) -> Principal | None:
        """Return whom a token stands for now, or None."""
        found = self.grant(token, now=now)
        return found.principal if found else None

    def _read(self) -> dict[str, Grant]:
        try:
            stat = self.path.stat()
        except FileNotFoundError:
            return {}
        seen = (stat.st_mtime_ns, stat.st_size, stat.st_ino)
        if seen != self._seen:
            if private.is_open_to_others(self.path):
                raise TeachmemError(
                    f"{str(self.path)!r} can be read by others; say chmod 600 before it is used"
                )
            self._grants, self._seen = _grants_of(self.path), seen
        return self._grants

    @contextmanager
    def _changing(self) -> Iterator[dict[str, Grant]]:
        """Give the grants to change, alone among all processes; written aside, then put in place."""
        from filelock import FileLock, Timeout

        private.make_folder(self.path.parent)
        try:
            with FileLock(str(self.path) + ".lock", LOCK_SECONDS, private.FILE), self._turn:
                grants = dict(self._read())
                yield grants
                rows = [_plain(grant) for grant in grants.values()]
                private.write(self.path, json.dumps(rows, indent=1).encode())
                self._seen = None
        except Timeout as error:
            raise TeachmemError(
                f"{str(self.path)!r} is being changed by another process; try again"
            ) from error
        except OSError as error:
            raise TeachmemError(f"{str(self.path)!r} cannot be written: {error.strerror}") from error


def _digest(token: str) -> str:
    return hashlib.sha256(b"teachmem/token/1\n" + token.encode("utf-8", "replace")).hexdigest()


def _plain(grant: Grant) -> dict[str, Any]:
    who = grant.principal
    return {
        "digest": grant.digest,
        "tenant": who.tenant,
        "fleet": who.fleet,
        "name": who.name,
        "role": str(who.role),
        "clearance": int(who.clearance),
        "made": grant.made,
        "expires": grant.expires,
        "revoked": grant.revoked,
    }


def _grants_of(path: Path) -> dict[str, Grant]:
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))
        found = [
            Grant(
                row["digest"][:12],
                row["digest"],
                Principal(row["tenant"], row["fleet"], row["name"], Role(row["role"]), row["clearance"]),
                row["made"],
                row["expires"],
                row["revoked"],
            )
            for row in rows
        ]
    except (ValueError, KeyError, TypeError) as error:
        raise TeachmemError(f"{str(path)!r} is no file of tokens: {error}") from error
    if any(grant.principal.role is Role.SYSTEM for grant in found):
        raise TeachmemError(f"{str(path)!r} names the role system, which no token can stand for")
    return {grant.digest: grant for grant in found}
