"""Run the campaign, all of it or one part, and print what was tried and what was wrong.

    python tests/torture/run.py [PART ...] [--minutes 10] [--seed 7] [--json FILE] [--keep docs/torture.md]

Each part takes its share of the minutes, and ends earlier if it has tried everything. The exit code is 1 if
anything was wrong. `--keep` writes the table into the page that keeps the figures.

Left out: faults below the database where no C compiler is, a server where none is installed; both are said.
"""

from __future__ import annotations

import argparse
import atexit
import json
import os
import random
import shutil
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parents[1] / "src")]

from torture import clocks, disk, hostile, indexes, kills, processes, servers, shim  # noqa: E402
from torture.figures import Figure, together  # noqa: E402

OWN = "TEACHMEM_TORTURE_OWN"  # says that the shim was built for this run, and goes with it
Part = Callable[[Path, random.Random, float], Iterator[Figure]]


def _scaled(seconds: float, trial: float, least: int = 1) -> int:
    """Return how many trials fit into so many seconds, `trial` seconds each."""
    return max(least, int(seconds / trial))


#: Each part, and whether it needs the shim. A part is given its folder, its chance and its seconds.
PARTS: dict[str, tuple[bool, Part]] = {
    "kills": (True, lambda at, chance, s: kills.at_every_call(at, chance, _scaled(s, 12))),
    "moments": (True, lambda at, chance, s: kills.at_any_moment(at, chance, _scaled(s, 12))),
    "refusals": (True, lambda at, chance, s: disk.refusals(at, chance, _scaled(s, 45))),
    "power": (True, lambda at, chance, s: disk.power_cuts(at, chance, _scaled(s, 0.1))),
    "bytes": (True, lambda at, chance, s: disk.other_bytes(at, chance, _scaled(s, 1.5))),
    "processes": (True, lambda at, chance, s: processes.several(at, chance, s)),
    "locks": (True, lambda at, chance, s: processes.locks(at)),
    "clocks": (False, lambda at, chance, s: _both(chance, s)),
    "indexes": (False, lambda at, chance, s: indexes.damaged(at, chance, _scaled(s, 20))),
    "hostile": (False, lambda at, chance, s: hostile.words(chance, _scaled(s, 0.25))),
    "servers": (False, lambda at, chance, s: servers.cut(at, chance, _scaled(s, 8))),
}


def _both(chance: random.Random, seconds: float) -> Iterator[Figure]:
    yield from clocks.jumps(chance, _scaled(seconds, 0.4))
    yield from clocks.zones(chance, _scaled(seconds, 0.05))


def run(
    names: list[str], minutes: float, seed: int, say: Callable[[str], None]
) -> tuple[list[Figure], list[str]]:
    """Run these parts; return their figures, and what could not be run and why."""
    figures: list[Figure] = []
    left_out: list[str] = []
    home = Path("/dev/shm") if Path("/dev/shm").is_dir() else None
    for name in names:
        needs_shim, part = PARTS[name]
        if needs_shim and os.environ.get("LD_PRELOAD") is None:
            left_out.append(f"{name}: {_why_no_shim()}")
            continue
        began = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="teachmem-torture-", dir=home) as folder:
            try:
                own = list(part(Path(folder), random.Random(f"{seed} {name}"), 60 * minutes / len(names)))
            except servers.NoServer as error:
                left_out.append(f"{name}: {error}")
                continue
        wrong = sum(len(one.wrong) for one in own)
        tried = sum(one.tried for one in own)
        say(f"{name}: {tried} tried, {wrong} wrong, {time.monotonic() - began:.0f} s")
        figures += own
    return figures, left_out


def _why_no_shim() -> str:
    try:
        shim.compiled()
    except shim.Missing as error:
        return str(error)
    return "start it through this script's main, which preloads the shim"


def preloaded(arguments: list[str]) -> None:
    """Start this script anew with the shim, where it can be built; return where it cannot."""
    if os.environ.get("LD_PRELOAD") is None:
        try:
            environment = {**shim.environment(), OWN: "1"}
        except shim.Missing:
            return
        os.execve(sys.executable, [sys.executable, str(Path(__file__)), *arguments], environment)


def main(arguments: list[str]) -> int:
    """Run what the arguments say; return the exit code."""
    parser = argparse.ArgumentParser(description="Do to stores what no classroom will.")
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}; all if none is")
    parser.add_argument("--minutes", type=float, default=10, help="altogether, shared among the parts")
    parser.add_argument("--seed", type=int, default=7, help="of what is drawn")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every figure there")
    parser.add_argument("--keep", type=Path, metavar="FILE", help="put the table into this page")
    asked = parser.parse_args(arguments)
    if unknown := set(asked.parts) - set(PARTS):
        parser.error(f"no part is named {', '.join(sorted(unknown))}")
    preloaded(arguments)
    if os.environ.get(OWN):
        atexit.register(shutil.rmtree, Path(os.environ["LD_PRELOAD"]).parent, ignore_errors=True)
    warnings.simplefilter("ignore")
    figures, left_out = run(
        asked.parts or list(PARTS), asked.minutes, asked.seed, lambda said: print(said, flush=True)
    )
    table = together(figures)
    print("\n".join(["", table, *(f"left out: {what}" for what in left_out)]))
    wrong = [what for one in figures for what in one.wrong]
    print("\n".join(["", *(f"wrong: {what}" for what in wrong[:40])]))
    if asked.json:
        told = {"figures": [asdict(one) for one in figures], "left_out": left_out}
        asked.json.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    if asked.keep:
        _keep(asked.keep, f"{datetime.now(UTC):%Y-%m-%d}, seed {asked.seed}", table)
    return 1 if wrong else 0


def _keep(page: Path, when: str, table: str) -> None:
    begin, end = "<!-- figures -->\n", "<!-- end of figures -->"
    text = page.read_text(encoding="utf-8")
    before, _, rest = text.partition(begin)
    _, _, after = rest.partition(end)
    page.write_text(f"{before}{begin}Run on {when}.\n\n{table}\n{end}{after}", encoding="utf-8", newline="\n")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
