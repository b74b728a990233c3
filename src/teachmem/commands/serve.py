"""`teachmem serve`: the memory of one store, over MCP.

Over stdio the principal is fixed by the options, for the client that started this process. Over HTTP,
on loopback, a bearer token says who calls; `teachmem token` makes one. To be reached from other
machines has to be asked for by name.

Left out: what the tools do (`server/`).
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from teachmem import errors
from teachmem.commands import places
from teachmem.commands.tell import tell

if TYPE_CHECKING:
    from teachmem.principal import Principal
    from teachmem.server.limits import Limits

QUIET = (
    "critical"  # for the libraries' own logs, which a refusal fills with tracebacks; ours is server/log.py
)
LOOPBACK = ("127.0.0.1", "::1", "localhost")


def serve(
    store: Annotated[str, typer.Option(help="The store: a file's path, or a SQLAlchemy URL.")],
    tenant: Annotated[str | None, typer.Option(help="stdio: whose memory.")] = None,
    fleet: Annotated[str | None, typer.Option(help="stdio: of which fleet.")] = None,
    agent: Annotated[str | None, typer.Option(help="stdio: serve for this agent.")] = None,
    person: Annotated[str | None, typer.Option(help="stdio: serve for this person.")] = None,
    clearance: Annotated[int, typer.Option(help="stdio: 0 to 3.")] = 1,
    http: Annotated[bool, typer.Option("--http", help="Serve HTTP instead of stdio.")] = False,
    host: Annotated[str, typer.Option(help="HTTP: the address to listen at.")] = LOOPBACK[0],
    port: Annotated[int, typer.Option(help="HTTP: the port.")] = 8765,
    tokens: Annotated[Path | None, typer.Option(help="HTTP: the file of tokens.")] = None,
    beyond_loopback: Annotated[
        bool, typer.Option("--beyond-loopback", help="HTTP: allow an address that others can reach.")
    ] = False,
    known_as: Annotated[
        list[str] | None, typer.Option("--known-as", help="HTTP: a name that a proxy calls this server by.")
    ] = None,
    rate: Annotated[float, typer.Option(help="HTTP: requests a second of one identity.")] = 100,
    at_once: Annotated[int, typer.Option(help="HTTP: requests of one identity under way at once.")] = 64,
    kib: Annotated[int, typer.Option("--kib", help="HTTP: the size of one request, in KiB.")] = 1024,
    all_tools: Annotated[bool, typer.Option("--all-tools", help="List every tool at once.")] = False,
    vectors: Annotated[str | None, typer.Option(help="A Chroma server's URL, or a folder.")] = None,
) -> None:
    """Serve a store over MCP, on stdio or on loopback HTTP."""
    from teachmem.server import log

    if http:
        if (tenant, fleet, agent, person) != (None, None, None, None):
            raise errors.InvalidInput("serve", "over HTTP the token says who calls; leave out who it is")
        if host not in LOOPBACK and not beyond_loopback:
            raise errors.InvalidInput(
                "host", f"{host!r} can be reached from other machines; say --beyond-loopback if you mean it"
            )
        from teachmem.server.limits import Limits

        limits = Limits(rate, at_once, kib)
        log.install()
        _http((store, vectors), (host, port), tokens or places.tokens(), all_tools, limits, known_as)
    else:
        fixed = _fixed(tenant, fleet, agent, person, clearance)
        log.install()
        _stdio((store, vectors), fixed, all_tools)


def _fixed(
    tenant: str | None, fleet: str | None, agent: str | None, person: str | None, clearance: int
) -> Principal:
    from teachmem.principal import Principal, clearance_of
    from teachmem.vocabulary import Role

    if tenant is None or fleet is None or (agent is None) == (person is None):
        raise errors.InvalidInput(
            "serve", "over stdio, say who this is for: --tenant, --fleet, and --agent or --person"
        )
    role = Role.AGENT if person is None else Role.PERSON
    return Principal(tenant, fleet, str(person or agent), role, clearance_of(clearance))


def _stdio(place: tuple[str, str | None], fixed: Principal, all_tools: bool) -> None:
    from teachmem import store as stores
    from teachmem.server import app

    with stores.open_memory(place[0], vectors=place[1]) as mem:
        if sys.stdin.isatty():  # somebody typed it, and would wait for a word
            tell(
                "teachmem: serving on stdin and stdout, for a client that starts this command itself;",
                err=True,
            )
            tell("teachmem connect prints the lines for one. Ctrl-C ends it.", err=True)
        app.build(mem, fixed=fixed, everything=all_tools).run(
            transport="stdio", show_banner=False, log_level=QUIET
        )


def _http(
    place: tuple[str, str | None],
    at: tuple[str, int],
    tokens: Path,
    all_tools: bool,
    limits: Limits,
    known_as: list[str] | None,
) -> None:
    from teachmem import store as stores
    from teachmem.server import app, identity

    if not identity.TokenBook(tokens).grants():
        tell(f"teachmem: {tokens} holds no token yet; make one with teachmem token make", err=True)
    if at[0] not in LOOPBACK:
        tell(
            f"teachmem: {at[0]} can be reached from other machines, and there is no TLS here: who listens "
            "on the way reads every token and memory; put a proxy with TLS in front",
            err=True,
        )
    with stores.open_memory(place[0], vectors=place[1]) as mem:
        server = app.build(mem, tokens=tokens, everything=all_tools)
        app.run_http(server, *at, limits=limits, known_as=known_as, log_level=QUIET)
