"""The story in the data files, replayed into a store through the same door that everybody uses.

Every row is written by the agent that the file names, with the clock at the row's own time, so that a
lesson starts from a past that the ledger can prove. With a new store and counted ids, the event
`ep-365` of the file becomes `event-0365` when all of them are loaded.

>>> from teachmem import clock, ids, store
>>> hands = clock.LessonClock(datetime(2026, 3, 2, tzinfo=UTC))
>>> with store.open_memory(clock=hands, ids=ids.CountedIds()) as mem:
...     known = load(mem, hands, episodes=True, until=datetime(2026, 3, 2, 6, 30, tzinfo=UTC))
>>> known["ep-003"]
'event-0003'

A fact is written by the agent, person or steward that its row names; one that revises another becomes
its next version and keeps its id. The triples of `graph.csv` have no moment of their own: they are
written last, as the world stands at the end, for everybody by a steward, or by an agent for its fleet.

Left out: storing a row's `id` and `story`. They are for authors; a lesson finds a row by its words.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from teachmem import store
from teachmem.clock import LessonClock
from teachmem.course import words
from teachmem.course.material import Choice
from teachmem.errors import StoreError
from teachmem.record import Receipt
from teachmem.vocabulary import ACTING_PREDICATES, Clearance, Source, Visibility

PACKAGE = Path(__file__).resolve().parents[1]
STEWARD = ("data-officer", "lab", "northlight")  # who vouches for the triples of the catalogue and of people
WATCHER = ("dock-1", "dock", "northlight")  # and for those of agents
SAID = ("content", "subject", "predicate", "object", "kind", "source", "confidence")


def data_folder() -> Path:
    """Return the folder of the data files: in the installed package, or in the checkout around it."""
    for folder in (PACKAGE / "data", PACKAGE.parents[1] / "data"):
        if (folder / "episodes.jsonl").is_file():
            return folder
    raise StoreError(f"data/episodes.jsonl {words.NO_DATA}")


@lru_cache
def rows(name: str) -> tuple[Mapping[str, Any], ...]:
    """Return the rows of a `.jsonl` file in order of time, or the triples of `graph`, numbered."""
    if name == "graph":
        text = (data_folder() / "graph.csv").read_text(encoding="utf-8")
        triples = csv.DictReader(text.splitlines())
        return tuple({"id": f"gr-{place:03}", **row} for place, row in enumerate(triples, 1))
    text = (data_folder() / f"{name}.jsonl").read_text(encoding="utf-8")
    return tuple(json.loads(line) for line in text.splitlines())


def moment(row: Mapping[str, Any]) -> datetime:
    """Return when a row happened."""
    return datetime.fromisoformat(row["at"]).astimezone(UTC)


def instant(text: str | None) -> datetime | None:
    """Return an end of an interval: a date is midnight UTC, nothing is an open end.

    >>> instant("2026-03-09").isoformat()
    '2026-03-09T00:00:00+00:00'
    """
    if not text:
        return None
    found = datetime.fromisoformat(text)
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)


def load(
    mem: store.MemoryStore,
    clock: LessonClock,
    *,
    episodes: Choice = False,
    notes: Choice = False,
    facts: Choice = False,
    graph: Choice = False,
    until: datetime | None = None,
) -> dict[str, str]:
    """Write the chosen rows up to `until` (left out: all); return each row's id in the store.

    Each choice is True, False, or a test of a row. The clock stays at the last row's time. A fact that
    revises another needs it; evidence that was not loaded is left out.
    """
    written: dict[str, str] = {}
    write = _Writer(mem, written)
    for name, row in _chosen({"episodes": episodes, "notes": notes, "facts": facts}, until):
        clock.set(moment(row))
        receipt = getattr(write, name)(row)
        assert receipt.memory is not None, row["id"]
        written[row["id"]] = receipt.memory.memory_id
    for row in (row for row in rows("graph") if _wanted(graph, row)):
        receipt = write.triple(row)
        assert receipt.memory is not None, row["id"]
        written[row["id"]] = receipt.memory.memory_id
    return written


def _wanted(choice: Choice, row: Mapping[str, Any]) -> bool:
    return choice if isinstance(choice, bool) else bool(choice(row))


def _chosen(choices: Mapping[str, Choice], until: datetime | None) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the chosen rows of all files in one order of time; at one moment, events before facts."""
    found = [
        (name, row)
        for name, choice in choices.items()
        if choice is not False  # its file is not even read
        for row in rows(name)
        if _wanted(choice, row) and (until is None or moment(row) <= until)
    ]
    return iter(sorted(found, key=lambda pair: moment(pair[1])))


class _Writer:
    """Writes one row of each file, as whoever the row names. `written` says which rows came before."""

    def __init__(self, mem: store.MemoryStore, written: Mapping[str, str]) -> None:
        self._mem = mem
        self._written = written
        self._handles: dict[tuple[str, ...], store.Handle] = {}

    def _as(self, name: str, fleet: str, tenant: str, writer: str = "agent") -> store.Handle:
        key = (name, fleet, tenant, writer)
        if key not in self._handles:
            make = self._mem.agent if writer == "agent" else self._mem.person
            clearance = Clearance.STEWARD if writer == "steward" else Clearance.STANDARD
            self._handles[key] = make(name, fleet=fleet, tenant=tenant, clearance=clearance)
        return self._handles[key]

    def _author(self, row: Mapping[str, Any]) -> store.Handle:
        return self._as(row["agent"], row["fleet"], row["tenant"], row.get("writer", "agent"))

    def episodes(self, row: Mapping[str, Any]) -> Receipt:
        log = self._author(row).episodic.log
        return log(row["kind"], row["content"], row["session"], importance=row["importance"])

    def notes(self, row: Mapping[str, Any]) -> Receipt:
        target = row["object"]
        if row["predicate"] in ACTING_PREDICATES:
            if target not in self._written:
                raise StoreError(words.LOST_GROUND.format(note=row["id"], target=target))
            target = self._written[target]
        kept = {
            name: row[f"rewrite_{name}"] for name in ("shortened", "enriched") if f"rewrite_{name}" in row
        }
        return self._author(row).working.write(
            row["subject"], row["predicate"], target, row["content"], row["session"], rewrites=kept
        )

    def facts(self, row: Mapping[str, Any]) -> Receipt:
        semantic = self._author(row).semantic
        said = {name: row[name] for name in SAID}
        said |= {name: instant(row[name]) for name in ("valid_from", "valid_to")}
        said["qualifiers"] = row["qualifiers"] or {}
        if row["revises"]:
            if row["revises"] not in self._written:
                raise StoreError(words.LOST_FACT.format(fact=row["id"], target=row["revises"]))
            return semantic.revise(self._written[row["revises"]], **said)
        evidence = [self._written[name] for name in row["evidence"] if name in self._written]
        return semantic.remember(visibility=row["visibility"], evidence=evidence, **said)

    def triple(self, row: Mapping[str, Any]) -> Receipt:
        more: dict[str, Any] = {name: instant(row[name]) for name in ("valid_from", "valid_to")}
        who = self._as(*WATCHER)
        if row["source"] != Source.AGENT:
            who = self._as(*STEWARD, "steward")
            more |= {"source": row["source"], "visibility": Visibility.ORG}
        return who.graph.link(row["subject"], row["predicate"], row["object"], **more)
