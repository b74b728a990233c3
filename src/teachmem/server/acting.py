"""Whose memory a call acts on: the handle of the credential, never of an argument.

Over HTTP the bearer token says who calls. Over stdio, and in one process, the principal is fixed when
the server is made. A tool asks for the handle as a dependency, which no client can fill in:

    def working_clear(subject: str, me: Handle = ME) -> ...

Left out: what a handle may do. The gate and the clause decide that, here as everywhere.
"""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass
from pathlib import Path

from fastmcp.dependencies import Depends
from fastmcp.exceptions import AuthorizationError
from fastmcp.server.auth import AccessToken, TokenVerifier
from fastmcp.server.dependencies import get_access_token, get_context

from teachmem.errors import TeachmemError
from teachmem.principal import Principal
from teachmem.server.identity import TokenBook
from teachmem.store import Handle, MemoryStore, Person
from teachmem.vocabulary import Role

LOG = logging.getLogger("teachmem.server")


@dataclass(frozen=True, slots=True)
class Serving:
    """What one server serves: a store, and for whom where no token says so."""

    mem: MemoryStore
    fixed: Principal | None = None

    def who(self) -> Principal:
        """Return who is calling, from the credential. Raises where there is none."""
        if self.fixed is not None:
            return self.fixed
        token = get_access_token()
        claims = token.claims if token is not None else {}
        if "principal" not in claims:
            raise AuthorizationError("this server needs a token; ask its owner for one")
        who: Principal = claims["principal"]
        return who

    def handle(self) -> Handle:
        """Return the handle of whoever is calling."""
        return handle_of(self.mem, self.who())


def handle_of(mem: MemoryStore, who: Principal) -> Handle:
    """Return the handle through which `who` may use the store."""
    make = mem.person if who.role is Role.PERSON else mem.agent
    return make(who.name, fleet=who.fleet, tenant=who.tenant, clearance=int(who.clearance))


def serving() -> Serving:
    """Return what the server that answers this call serves."""
    found: Serving = get_context().lifespan_context["serving"]
    return found


def handle() -> Handle:
    """Return the handle of whoever is calling."""
    return serving().handle()


def person() -> Person:
    """Return the handle of the person who is calling; a role that is no person never gets here."""
    found = handle()
    if not isinstance(found, Person):
        raise AuthorizationError("only a person decides; use a person's credential")
    return found


ME: Handle = Depends(handle)
THE_PERSON: Person = Depends(person)
SERVING: Serving = Depends(serving)


class Tokens(TokenVerifier):
    """Looks bearer tokens up in a file of grants; a wrong, ended or expired one is answered with 401."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._book = TokenBook(path)
        self._said = ""

    async def verify_token(self, token: str) -> AccessToken | None:
        """Return what a token stands for, or None: also while the file cannot be used, which is said once."""
        try:
            grant = self._book.grant(token, now=time.time())
        except (TeachmemError, OSError) as error:
            if str(error) != self._said:
                LOG.error("no token opens anything: %s", error)
            grant, self._said = None, str(error)
        if grant is None:
            return None
        return AccessToken(
            token=token,
            client_id=grant.grant_id,
            scopes=[str(grant.principal.role)],
            expires_at=grant.expires,
            subject=grant.principal.name,
            claims={"principal": grant.principal},
        )
