"""What the chain costs: verifying against bare hashing, and an append against the same write without it.

All of a row is measured in one run on one store of made-up events, one event an entry. *Bare* is the
least that any verifier must do: hash the stored bodies one after the other, their bytes already in
memory. *Plain* is the verifier as one writes it first: read every row, parse the body, spell it
again with `json.dumps`, and hash that. *Least* is what no verifier in Python can leave out: to read each
row, parse its body, spell it again and hash it, by the quickest means there are and without a check.

>>> bare([b"{}"]) == chain.link(chain.GENESIS, b"{}")
True

Left out: checkpoints, whose cost is one signature and one walk over what is new.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any
from unittest import mock

import orjson

from teachmem import standalone_verifier
from teachmem import store as stores
from teachmem.bench import fill
from teachmem.bench.measure import Curves, Report, milliseconds, plain
from teachmem.clock import LessonClock
from teachmem.ledger import chain, rows, verify
from teachmem.ledger.chain import Head
from teachmem.ledger.database import Database, Transaction
from teachmem.principal import Principal

SIZES = (1_000, 10_000, 100_000)
ROUNDS = 5
WHO = Principal("northlight", "dock", "dock-1")
WAYS = ("links", "least", "strict", "deep", "plain", "alone")


@dataclass(frozen=True, slots=True)
class Row:
    """What was measured at one size; times in microseconds an entry, `append` and `unchained` a write."""

    entries: int
    bare: float
    links: float
    least: float
    strict: float
    deep: float
    plain: float
    alone: float
    append: float
    unchained: float


def run(sizes: Sequence[int] = SIZES, queries: int = 200) -> Report:
    """Measure at each size; `queries` is how many writes are timed each way."""
    found = [_measure(size, queries) for size in sizes]
    columns = (
        *("entries", "bare us", "links", "least", "strict", "deep", "json.dumps", "alone"),
        *("json / strict", "append"),
    )
    table = tuple(
        (
            f"{row.entries:,}",
            f"{row.bare:.2f}",
            *(f"{row.bare / getattr(row, name):.2f}" for name in WAYS),
            f"{row.plain / row.strict:.1f}",
            f"{row.append / row.unchained - 1:+.0%}",
        )
        for row in found
    )
    remarks = (
        "From links to alone: parts of the speed of bare hashing; 1.00 would be as fast.",
        "least: read, parse, spell and hash, no check; strict: all of it checked; deep: with the rows, too.",
        "append is what the chain adds to one write through the gate, committed to disk.",
    )
    said = {"plain": "json.dumps"}
    ways = {
        said.get(name, name): {row.entries: getattr(row, name) for row in found} for name in ("bare", *WAYS)
    }
    curves = Curves("entries", "microseconds an entry", ways)
    return Report("audit", columns, table, remarks, {"rows": [plain(row) for row in found]}, curves)


def bare(bodies: Sequence[bytes]) -> bytes:
    """Hash a chain's bodies and nothing else."""
    sha256, domain, last = hashlib.sha256, chain.DOMAIN, chain.GENESIS
    for body in bodies:
        last = sha256(domain + last + body).digest()
    return last


def least(path: Path) -> bytes:
    """Read every body, parse it, spell it again and hash it, and check nothing but the spelling."""
    last, spelling = chain.GENESIS, orjson.OPT_SORT_KEYS
    with closing(sqlite3.connect(path)) as store:
        for (body,) in store.execute("SELECT CAST(body AS BLOB) FROM audit ORDER BY seq"):
            if orjson.dumps(orjson.loads(body), option=spelling) != body:
                raise AssertionError("a body is spelled in another way")
            last = chain.link(last, body)
    return last


def by_json(path: Path) -> bytes:
    """Verify as one writes it first: with `json.loads` and `json.dumps`."""
    last = chain.GENESIS
    with closing(sqlite3.connect(path)) as store:
        for body, previous, own in store.execute("SELECT body, prev_hash, hash FROM audit ORDER BY seq"):
            spelled = json.dumps(json.loads(body), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
            if previous != last or chain.link(last, spelled.encode()) != own or spelled != body:
                raise AssertionError("the chain does not hold")
            last = own
    return last


def _measure(size: int, writes: int) -> Row:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "audit.db"
        fill.fill(str(path), WHO, fill.events(size), an_act=1)
        with closing(sqlite3.connect(path)) as store:
            bodies = [row[0].encode() for row in store.execute("SELECT body FROM audit ORDER BY seq")]
        with Database.open(str(path)) as database:
            ways: dict[str, Callable[[], object]] = {
                "bare": lambda: bare(bodies),
                "links": lambda: verify.verify(database, form=False),
                "least": lambda: least(path),
                "strict": lambda: verify.verify(database),
                "deep": lambda: verify.verify(database, deep=True),
                "plain": lambda: by_json(path),
                "alone": lambda: standalone_verifier.verify(path),
            }
            times: dict[str, list[float]] = {name: [] for name in ways}
            for _ in range(ROUNDS):  # in turn, so that a busy moment of the machine meets them all
                for name, way in ways.items():
                    times[name].append(milliseconds(way))
        spent = {name: median(each) * 1000 / size for name, each in times.items()}
        chained, unchained = _appends(Path(folder), writes)
    return Row(entries=size, append=chained, unchained=unchained, **spent)


def _appends(folder: Path, writes: int) -> tuple[float, float]:
    """Return microseconds of a write through the gate with the chain, and of the same one without it."""
    times: dict[bool, list[float]] = {True: [], False: []}
    made = fill.events(writes, seed=3)
    with (
        stores.open_memory(folder / "with.db", clock=LessonClock(fill.END)) as one,
        stores.open_memory(folder / "without.db", clock=LessonClock(fill.END)) as two,
    ):
        for event in made:
            for chained, mem in ((True, one), (False, two)):
                tech = mem.agent("dock-1", fleet="dock", tenant="northlight")

                def write(tech: Any = tech, content: str = event.content) -> None:
                    tech.episodic.log("observation", content)

                with nullcontext() if chained else _no_chain():
                    times[chained].append(milliseconds(write))
    return median(times[True]) * 1000, median(times[False]) * 1000


@contextmanager
def _no_chain() -> Iterator[None]:
    """Let writes go through without an entry and without the digest of the row that it would hold."""
    with (
        mock.patch.object(chain, "append", side_effect=_no_entry),
        mock.patch.object(rows, "row_digest", return_value=""),
    ):
        yield


def _no_entry(tx: Transaction, before: Head, body: Mapping[str, Any]) -> Head:
    return before
