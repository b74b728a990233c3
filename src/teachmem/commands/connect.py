"""`teachmem connect CLIENT`: the lines that make an MCP client start this memory, from this installation.

It prints them; with `--write` it merges them into the client's file and leaves everything else there as
it is. The command in them is this Python, by its whole path, so it works from whatever folder the
client starts it in.

>>> entry("vscode", {"command": "python", "args": []})
{'type': 'stdio', 'command': 'python', 'args': []}

Sources: the clients' own documentation of their configuration files.
Left out: HTTP. A client that takes an address and a bearer token needs no file of ours.
"""

from __future__ import annotations

import json
import os
import shlex
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from teachmem import errors, private
from teachmem.commands.tell import tell


class Client(StrEnum):
    """A client that can be connected."""

    CLAUDE_DESKTOP = "claude-desktop"
    CLAUDE_CODE = "claude-code"
    VSCODE = "vscode"
    CURSOR = "cursor"
    INSPECTOR = "inspector"


def connect(
    client: Annotated[Client, typer.Argument(help="Which client.")],
    store: Annotated[Path, typer.Option(help="The store's file.")],
    tenant: Annotated[str, typer.Option(help="Whose memory.")],
    fleet: Annotated[str, typer.Option(help="Of which fleet.")],
    agent: Annotated[str | None, typer.Option(help="The agent that the client acts as.")] = None,
    person: Annotated[str | None, typer.Option(help="The person that the client acts as.")] = None,
    clearance: Annotated[int, typer.Option(help="0 to 3.")] = 1,
    name: Annotated[str, typer.Option(help="What the client calls this server.")] = "teachmem",
    write: Annotated[bool, typer.Option("--write", help="Merge it into the client's file.")] = False,
) -> None:
    """Print, or merge into a client's file, what makes it start this memory."""
    from teachmem.principal import Principal, clearance_of

    if (agent is None) == (person is None):
        raise errors.InvalidInput("connect", "say whom the client acts as: --agent or --person, not both")
    who = Principal(tenant, fleet, str(person or agent), clearance=clearance_of(clearance))
    as_whom = "--agent" if person is None else "--person"
    started = {
        "command": sys.executable,
        "args": [
            *("-m", "teachmem", "serve", "--store", str(store.expanduser().resolve())),
            *("--tenant", who.tenant, "--fleet", who.fleet, as_whom, who.name),
            *("--clearance", str(int(who.clearance))),
        ],
    }
    file, key = place(client), "servers" if client is Client.VSCODE else "mcpServers"
    if write:
        merge(file, key, name, entry(client, started))
        tell(f"{file} now starts {name}; restart {client}")
        return
    tell(f"# {file}", err=True)
    tell(json.dumps({key: {name: entry(client, started)}}, indent=2, ensure_ascii=False))
    if client is Client.INSPECTOR:
        line = ["npx", "@modelcontextprotocol/inspector", started["command"], *started["args"]]
        tell("# or at once: " + shlex.join(map(str, line)), err=True)


def entry(client: str, started: dict[str, Any]) -> dict[str, Any]:
    """Return what the client's file says of one server."""
    return {"type": "stdio", **started} if client in (Client.VSCODE, Client.CLAUDE_CODE) else dict(started)


def place(client: Client) -> Path:
    """Return the file that the client reads: of this user, or of the folder that you are in."""
    if client is Client.CLAUDE_DESKTOP:
        if sys.platform == "win32":
            base = Path(os.environ.get("APPDATA") or Path.home() / "AppData" / "Roaming")
        elif sys.platform == "darwin":
            base = Path.home() / "Library" / "Application Support"
        else:
            base = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
        return base / "Claude" / "claude_desktop_config.json"
    here = Path.cwd()
    return {
        Client.CLAUDE_CODE: here / ".mcp.json",
        Client.VSCODE: here / ".vscode" / "mcp.json",
        Client.CURSOR: here / ".cursor" / "mcp.json",
        Client.INSPECTOR: here / "mcp.json",
    }[client]


def merge(file: Path, key: str, name: str, server: dict[str, Any]) -> None:
    """Put one server into a client's file; the old file stays beside it as `.bak`.

    Raises `TeachmemError` for a file that is no JSON object, and leaves it as it is.
    """
    held: Any = {}
    try:
        if file.exists() and (text := file.read_text(encoding="utf-8")).strip():
            held = json.loads(text)
            if not isinstance(held, dict) or not isinstance(held.get(key, {}), dict):
                raise ValueError(f"there is no object under {key!r}")
            private.write(file.with_name(file.name + ".bak"), text.encode())  # it may hold others' keys
        held.setdefault(key, {})[name] = server
        file.parent.mkdir(parents=True, exist_ok=True)
        private.write(file, (json.dumps(held, indent=2, ensure_ascii=False) + "\n").encode())
    except ValueError as error:
        raise errors.TeachmemError(
            f"{str(file)!r} is not JSON that can be merged into ({error}); print the lines and put them in"
        ) from error
    except OSError as error:
        raise errors.TeachmemError(f"{str(file)!r} cannot be written: {error.strerror}") from error
