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

Left out: storing a row's `id` and `story`. They are for authors; a lesson finds a row by its words.
"""

from __future__ import annotations

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
from teachmem.vocabulary import ACTING_PREDICATES

PACKAGE = Path(__file__).resolve().parents[1]


def data_folder() -> Path:
    """Return the folder of the data files: in the installed package, or in the checkout around it."""
    for folder in (PACKAGE / "data", PACKAGE.parents[1] / "data"):
        if (folder / "episodes.jsonl").is_file():
            return folder
    raise StoreError(f"data/episodes.jsonl {words.NO_DATA}")


@lru_cache
def rows(name: str) -> tuple[Mapping[str, Any], ...]:
    """Return the rows of `episodes.jsonl` or `notes.jsonl`, in order of time."""
    text = (data_folder() / f"{name}.jsonl").read_text(encoding="utf-8")
    return tuple(json.loads(line) for line in text.splitlines())


def moment(row: Mapping[str, Any]) -> datetime:
    """Return when a row happened."""
    return datetime.fromisoformat(row["at"]).astimezone(UTC)


def load(
    mem: store.MemoryStore,
    clock: LessonClock,
    *,
    episodes: Choice = False,
    notes: Choice = False,
    until: datetime | None = None,
) -> dict[str, str]:
    """Write the chosen rows up to `until` (left out: all); return each row's id in the store.

    `episodes` and `notes` are True, False, or a test of a row. The clock stays at the last row's time.
    """
    written: dict[str, str] = {}
    agents: dict[tuple[str, str, str], store.Agent] = {}
    for name, row in _chosen(episodes, notes, until):
        address = (row["tenant"], row["fleet"], row["agent"])
        if address not in agents:
            agents[address] = mem.agent(row["agent"], fleet=row["fleet"], tenant=row["tenant"])
        clock.set(moment(row))
        write = _log if name == "episodes" else _note
        written[row["id"]] = write(agents[address], row, written)
    return written


def _chosen(
    episodes: Choice, notes: Choice, until: datetime | None
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the chosen rows of both files in one order of time."""
    both = [
        (name, row)
        for name, choice in (("episodes", episodes), ("notes", notes))
        if choice is not False
        for row in rows(name)
        if (choice is True or choice(row)) and (until is None or moment(row) <= until)
    ]
    return iter(sorted(both, key=lambda pair: moment(pair[1])))


def _log(agent: store.Agent, row: Mapping[str, Any], _written: Mapping[str, str]) -> str:
    receipt = agent.episodic.log(row["kind"], row["content"], row["session"], importance=row["importance"])
    assert receipt.memory is not None
    return receipt.memory.memory_id


def _note(agent: store.Agent, row: Mapping[str, Any], written: Mapping[str, str]) -> str:
    target = row["object"]
    if row["predicate"] in ACTING_PREDICATES:
        if target not in written:
            raise StoreError(words.LOST_GROUND.format(note=row["id"], target=target))
        target = written[target]
    kept = {name: row[f"rewrite_{name}"] for name in ("shortened", "enriched") if f"rewrite_{name}" in row}
    receipt = agent.working.write(
        row["subject"], row["predicate"], target, row["content"], row["session"], rewrites=kept
    )
    assert receipt.memory is not None
    return receipt.memory.memory_id
