"""`teachmem token`: make, list and revoke the bearer tokens of a server.

A token is shown once, when it is made. The file keeps its hash, and is readable by its owner only.

Left out: which calls a token is good for; that is the principal's clearance (`rules/`).
"""

from __future__ import annotations

import os
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


@app.command("class")
def class_(
    tenant: Annotated[str, typer.Option(help="The class: whose memory.")],
    out: Annotated[Path, typer.Option(metavar="FILE", help="Where the list of tokens goes; a new file.")],
    students: Annotated[int, typer.Option(min=1, max=1000, help="How many students.")] = 60,
    tables: Annotated[int, typer.Option(min=1, max=1000, help="At how many tables they sit.")] = 15,
    instructor: Annotated[str, typer.Option(help="The name of the instructor, a steward.")] = "instructor",
    days: Annotated[float | None, typer.Option(help="How long they last; left out, until revoked.")] = None,
    tokens: File = None,
) -> None:
    """Make the tokens of a class: every student an agent, every table a fleet, the instructor a person."""
    from teachmem import private
    from teachmem.principal import Principal, clearance_of
    from teachmem.server import identity
    from teachmem.vocabulary import Role

    wide, high = len(str(students)), len(str(tables))
    who = [Principal(tenant, "staff", instructor, Role.PERSON, clearance_of(3))]
    who += [
        Principal(tenant, f"table-{1 + number % tables:0{high}}", f"student-{1 + number:0{wide}}")
        for number in range(students)
    ]
    try:
        os.close(private.create(out))  # before any token is made that nobody would see
    except OSError as error:
        raise errors.InvalidInput("--out", f"{str(out)!r} cannot be made: {error.strerror}") from error
    seconds = None if days is None else int(days * SECONDS_A_DAY)
    book = identity.TokenBook(tokens or places.tokens())
    lines = [
        f"{each.name},{each.fleet},{each.role},{book.make(each, now=time.time(), seconds=seconds)}"
        for each in who
    ]
    private.write(out, "\n".join(["name,table,role,token", *lines, ""]).encode())
    tell(f"{len(who)} tokens are in {out}; give each student their line, and delete the file")


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
