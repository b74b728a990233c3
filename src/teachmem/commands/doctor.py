"""`teachmem doctor`: what is installed, what is missing, and the cure; it ends with a code to read aloud.

Left out: the probes (`probe_kit.py`, `probe_room.py`) and the code (`spoken.py`).
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Annotated

import typer

from teachmem.commands import probe, probe_kit, probe_room, spoken
from teachmem.commands.tell import tell

WORDS = ("well", "LOOK", "FAULT")  # ASCII: the terminal may be what is wrong
#: In the order of the code that is read aloud: add at the end only.
PROBES: tuple[tuple[str, Callable[[], probe.Found]], ...] = (
    ("python", probe_kit.python),
    ("packages", probe_kit.packages),
    ("extras", probe_kit.extras),
    ("sqlite", probe_kit.sqlite),
    ("store", probe_kit.store),
    ("tokenizer", probe_kit.tokenizer),
    ("kernel", probe_kit.kernel),
    ("work", probe_room.work),
    ("data", probe_room.data),
    ("text", probe_room.text),
    ("settings", probe_room.settings),
    ("room", probe_room.room),
)


def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
    read: Annotated[
        str, typer.Option(metavar="CODE", help="Say what a code that was read aloud means.")
    ] = "",
) -> None:
    """Say what is installed, what is missing, and the cure. Offline, under three seconds."""
    if read:
        _explain(read)
        return
    found = [(name, probe.examine(look)) for name, look in PROBES]
    code = spoken.encode([finding.state for _, finding in found])
    faults = sum(finding.state == probe.FAULT for _, finding in found)
    if as_json:
        tell(json.dumps(_plain(found, code), indent=1, ensure_ascii=False))
    else:
        _print(found, code, faults)
    raise typer.Exit(1 if faults else 0)


def _print(found: list[tuple[str, probe.Found]], code: str, faults: int) -> None:
    for name, finding in found:
        tell(f"{WORDS[finding.state]:<6} {name:<10} {finding.found}")
        if finding.cure:
            tell(f"{'':<17} cure: {finding.cure}")
    tell("")
    verdict = "the course can start" if not faults else f"{faults} to mend before the course can start"
    tell(f"{verdict}. Read aloud: {code}")


def _plain(found: list[tuple[str, probe.Found]], code: str) -> dict[str, object]:
    names = ("well", "warning", "fault")
    return {
        "code": code,
        "ok": all(finding.state != probe.FAULT for _, finding in found),
        "checks": [
            {"name": name, "state": names[finding.state], "found": finding.found, "cure": finding.cure}
            for name, finding in found
        ],
    }


def _explain(code: str) -> None:
    states = spoken.decode(code, len(PROBES))
    for (name, _), state in zip(PROBES, states, strict=True):
        tell(f"{WORDS[state]:<6} {name}")
