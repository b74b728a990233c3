"""`teachmem console`: the instructor's console over a live store, served by Voila on this machine only.

It acts as the person that is named, in earnest. So it asks for a token, which is new with every start and
stands in the address that is printed; whoever has the address is that person.

Left out: what is on its pages (`show/live_console.py`), and serving it to other machines: a proxy with TLS
has to stand before it.
"""

from __future__ import annotations

import importlib.util
import json
import os
import secrets
import sys
from pathlib import Path
from typing import Annotated

import typer

from teachmem import errors
from teachmem.commands import lab, places
from teachmem.commands.tell import tell

NOTEBOOK = Path(__file__).resolve().parents[1] / "show" / "console.ipynb"
# Voila's page asks a host on the internet for a font of icons, which it does not need: the browser may not.
ONLY_HERE = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self' data: ws://127.0.0.1:*; "
    "worker-src 'self' blob:; frame-ancestors 'none'"
)
ASKED = "CONSOLE_OF_TEACHMEM"  # what the notebook is told; it stays in the environment of this process


def console(
    store: Annotated[str, typer.Option(help="The store: a file's path, or a SQLAlchemy URL.")],
    tenant: Annotated[str, typer.Option(help="Whose memory.")],
    person: Annotated[str, typer.Option(help="The person that it acts for.")],
    fleet: Annotated[str, typer.Option(help="Of which fleet the person is.")] = "staff",
    clearance: Annotated[int, typer.Option(help="0 to 3; a steward (3) sees every fleet.")] = 3,
    vectors: Annotated[str | None, typer.Option(help="A Chroma server's URL, or a folder.")] = None,
    port: Annotated[int, typer.Option(min=1, max=65535, help="The port.")] = 8866,
    no_browser: Annotated[
        bool, typer.Option("--no-browser-open", help="Print the address instead of opening a browser.")
    ] = False,
) -> None:
    """Serve the instructor's console of a store, on this machine only."""
    from teachmem import store as stores

    if importlib.util.find_spec("voila") is None:
        raise errors.TeachmemError("Voila is not installed; install teachmem[console]")
    places.check_store(store)
    with stores.open_memory(store, vectors=vectors) as mem:  # a wrong name is told here, not on a page
        mem.person(person, fleet=fleet, tenant=tenant, clearance=clearance)
    asked = {
        "store": store if "://" in store else str(Path(store).resolve()),
        "vectors": vectors,
        "who": {"name": person, "fleet": fleet, "tenant": tenant, "clearance": clearance},
    }
    token = secrets.token_urlsafe(24)
    os.environ[ASKED] = json.dumps(asked)
    os.environ["JUPYTER_TOKEN"] = token
    tell(f"the console is at http://127.0.0.1:{port}/?token={token}")
    tell("Whoever has this address acts as this person. Ctrl-C here ends it.")
    raise typer.Exit(lab.run(command_for(port, no_browser)))


def command_for(port: int, no_browser: bool) -> list[str]:
    """Return the command that serves the console."""
    return [
        *(sys.executable, "-m", "voila", str(NOTEBOOK)),
        "--Voila.ip=127.0.0.1",
        f"--port={port}",
        f"--Voila.tornado_settings={{'headers': {{'Content-Security-Policy': {ONLY_HERE!r}}}}}",
        "--Voila.auto_token=True",  # it takes JUPYTER_TOKEN then, and none without this
        "--strip_sources=True",
        "--show_tracebacks=False",
        *(["--no-browser"] if no_browser else []),
    ]
