"""`teachmem token`: make, list and revoke the bearer tokens of a server.

A token is shown once, when it is made. The file keeps its hash, and is readable by its owner only.

Left out: which calls a token is good for; that is the principal's clearance (`rules/`).
"""

from __future__ import annotations

import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from teachmem import errors
from teachmem.commands import places
from teachmem.commands.tell import tell
from teachmem.normal import one_line

app = typer.Typer(help="Make, list and revoke the tokens of a server.", no_args_is_help=True)
File = Annotated[Path | None, typer.Option("--tokens", help="The file of tokens.")]
SECONDS_A_DAY = 86_400


@app.command()
def make(
    tenant: Annotated[str, typer.Option(help="Whose memory.")],
    fleet: Annotated[str, typer.Option(help="Of which fleet.")],
    agent: Annotated[str | None, typer.Option(help="The agent that it stands for.")] = None,
    person: Annotated[str | None, typer.Option(help="The person that it stands for.")] = None,
    clearance: Annotated[int, typer.Option(help="0 reads only, 1 standard, 2 cross-fleet, 3 steward.")] = 1,
    days: Annotated[float | None, typer.Option(help="How long it lasts; left out, until revoked.")] = None,
    tokens: File = None,
) -> None:
    """Make a token and print it, once."""
    from teachmem.principal import Principal, clearance_of
    from teachmem.server import identity
    from teachmem.vocabulary import Role

    if (agent is None) == (person is None):
        raise errors.InvalidInput("token", "say whom it stands for: --agent or --person, not both")
    role = Role.AGENT if person is None else Role.PERSON
    who = Principal(tenant, fleet, str(person or agent), role, clearance_of(clearance))
    seconds = None if days is None else int(days * SECONDS_A_DAY)
    book = identity.TokenBook(tokens or places.tokens())
    tell(book.make(who, now=time.time(), seconds=seconds))
    tell("Keep it: it is shown this once.", err=True)


@app.command("list")
def list_(tokens: File = None) -> None:
    """List the tokens: id, whom each stands for, and until when."""
    from teachmem.server import identity

    found = identity.TokenBook(tokens or places.tokens()).grants()
    for grant in found:
        who, now = grant.principal, time.time()
        until = "for good" if grant.expires is None else f"until {_day(grant.expires)}"
        state = until if grant.holds(now) else ("revoked" if grant.revoked else "expired")
        name = one_line(f"{who.role} {who.name} of {who.tenant}/{who.fleet}")
        tell(f"{grant.grant_id}  {name}, clearance {int(who.clearance)}, {state}")
    if not found:
        tell("there is no token yet; make one with teachmem token make")


@app.command()
def revoke(
    token_id: Annotated[str, typer.Argument(help="The id that teachmem token list shows.")],
    tokens: File = None,
) -> None:
    """End a token, at once and for good."""
    from teachmem.server import identity

    ended = identity.TokenBook(tokens or places.tokens()).revoke(token_id, now=time.time())
    tell(f"revoked {ended.grant_id} of {ended.principal.name}")


def _day(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M UTC")
