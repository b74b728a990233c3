"""Every call that changes a store, as a pair: what must be there before, and the call.

The first runs once and returns names that the second needs, since a fault strikes in another process, on
a copy of the store. All of it is repeatable: the clock stands still, ids and salts are counted.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import teachmem
from teachmem import LessonClock, MemoryStore
from teachmem.flow.models import ScriptedModel
from teachmem.recall import embed
from teachmem.recall.vectors import ExactIndex

START = datetime(2026, 3, 2, 9, tzinfo=UTC)
SKILL = "---\nname: open-door\ntitle: Open\ntrigger: a door\narguments:\n---\n1. Turn the key.\n"
ROW = {"id": "NL-1", "name": "Tern", "model": "Tern 2", "category": "door", "summary": "Opens doors."}
EMBEDDER = embed.default()
EMBEDDER.embed(["loaded before anybody forks"])
NORTH = {"fleet": "dock", "tenant": "northlight"}


class Ids:
    """Counted ids that those of another `mark` never meet."""

    def __init__(self, mark: str) -> None:
        self._mark = mark
        self._counts: Counter[str] = Counter()

    def new(self, prefix: str) -> str:
        """Return the next id of this prefix."""
        self._counts[prefix] += 1
        return f"{prefix}-{self._mark}{self._counts[prefix]:03d}"

    def salt(self) -> bytes:
        """Return the next salt."""
        return hashlib.sha256(self.new("salt").encode()).digest()[:16]


class World:
    """An open store, and those who act in it."""

    def __init__(self, mem: MemoryStore, folder: Path) -> None:
        self.mem, self.folder = mem, folder
        self.tech = mem.agent("dock-1", **NORTH)
        self.mate = mem.agent("dock-2", **NORTH)
        self.lead = mem.person("shift-lead", **NORTH)
        self.steward = mem.person("officer", **NORTH, clearance=3)


@contextmanager
def world(path: Path | str, mark: str, hours: int = 0, url: str = "") -> Iterator[World]:
    """Open the store at `path`, or at `url` with its files beside `path`, so many hours after the start."""
    clock = LessonClock(START + timedelta(hours=hours))
    where = Path(path).parent / "points"
    checkpoints = teachmem.Checkpoints(where, every=1_000, key=Path(path).parent / "keys" / "key")
    with teachmem.open_memory(
        url or path,
        clock=clock,
        ids=Ids(mark),
        embedder=EMBEDDER,
        vectors=ExactIndex(),
        checkpoints=checkpoints,
    ) as mem:
        yield World(mem, Path(path).parent)


def _nothing(w: World) -> dict[str, Any]:
    w.tech.semantic.remember("The yard was swept")
    w.tech.working.write("arm-0", "observed", "drift", "arm 0 drifts")
    return {}


def _notes(w: World) -> dict[str, Any]:
    made = [w.tech.working.write(f"arm-{n}", "observed", "drift", f"arm {n} drifts") for n in range(3)]
    return {"note": made[0].memory.memory_id}


def _fact(w: World) -> dict[str, Any]:
    said = w.tech.semantic.remember("The canteen closes at two", request_id="before")
    fact = said.memory.memory_id
    w.tech.semantic.remember("Lunch ends early: the canteen closes at two", evidence=[fact])
    return {"fact": fact}


def _linked(w: World) -> dict[str, Any]:
    w.tech.graph.link("gate 4", "located_in", "dock")
    return {}


def _staged(w: World) -> dict[str, Any]:
    for n in range(3):
        w.tech.semantic.remember(f"Page {n} says that the lift sticks", source="web")
    return {"items": [item.candidate_id for item in w.lead.review.inbox()]}


def _rejected(w: World) -> dict[str, Any]:
    fact = w.tech.semantic.remember("The yard is narrow").memory.memory_id
    w.lead.semantic.reject(fact, "it is wide")
    return {"stone": w.lead.tombstones()[0].tombstone_id}


def _events(w: World) -> dict[str, Any]:
    made = [w.tech.episodic.log("observation", f"crate {n} was counted", f"s{n}") for n in range(3)]
    w.mem.clock.advance(hours=1)  # type: ignore[attr-defined]
    return {"events": [one.memory.memory_id for one in made]}


def _shifts(w: World) -> dict[str, Any]:
    for n in range(3):
        w.tech.episodic.log("observation", f"gripper slipped on unit {n}", f"d{n}")
        w.tech.episodic.log("tool_call", f"cleaned pads of unit {n}", f"d{n}")
        w.tech.report_outcome("success", f"it went well {n}", session=f"d{n}")
    return {}


def _skill(w: World) -> dict[str, Any]:
    w.lead.load_skills([SKILL])
    return {}


def _elsewhere(w: World) -> dict[str, Any]:
    with world(w.folder / "elsewhere.db", "e") as there:
        for n in range(3):
            there.steward.working.write("door", "observed", f"{n}", f"door {n} is open")
        there.steward.export(w.folder / "there.jsonl")
    return _nothing(w)


def _lapsing(w: World) -> dict[str, Any]:
    for n in range(3):
        w.tech.semantic.remember(f"badge {n} holds today", expires_at=START + timedelta(hours=n + 1))
    return {}


def _disputed(w: World) -> dict[str, Any]:
    for who, state in ((w.tech, "open"), (w.mate, "shut")):
        claim = {"subject": "canteen", "predicate": "has_status", "object": state}
        who.semantic.remember(f"The canteen is {state}", **claim)
    return {}


def _dream(w: World, p: dict[str, Any]) -> None:
    said = {"facts": [{"content": "Three crates were counted", "evidence": p["events"]}]}
    w.tech.consolidate(ScriptedModel(json.dumps(said)))


class Door(NamedTuple):
    """What must be there before, and the call."""

    before: Callable[[World], dict[str, Any]]
    call: Callable[[World, dict[str, Any]], object]


DRIFT = ("arm-1", "observed", "drift", "arm 1 drifts")
SAME = {"request_id": "same"}
MANY = [{"content": f"fact number {n}"} for n in range(3)]
LATER = START + timedelta(days=2)
DOORS: dict[str, Door] = {
    "working.write": Door(_nothing, lambda w, _: w.tech.working.write(*DRIFT, **SAME)),
    "working.write (supersedes)": Door(
        _notes, lambda w, p: w.tech.working.write("arm", "supersedes", p["note"], "it is fixed", **SAME)
    ),
    "working.clear": Door(_notes, lambda w, _: w.tech.working.clear(everything=True, **SAME)),
    "episodic.log": Door(
        _nothing, lambda w, _: w.tech.episodic.log("observation", "gate four is open", **SAME)
    ),
    "semantic.remember": Door(
        _fact, lambda w, p: w.tech.semantic.remember("Lunch is short", evidence=[p["fact"]], **SAME)
    ),
    "semantic.remember (staged)": Door(
        _nothing, lambda w, _: w.tech.semantic.remember("The lift sticks", source="web", **SAME)
    ),
    "semantic.remember_many": Door(_nothing, lambda w, _: w.tech.semantic.remember_many(MANY)),
    "semantic.revise": Door(
        _fact, lambda w, p: w.tech.semantic.revise(p["fact"], content="The canteen closes at three", **SAME)
    ),
    "semantic.retract": Door(_fact, lambda w, p: w.tech.semantic.retract(p["fact"], "no longer", **SAME)),
    "semantic.reject": Door(_fact, lambda w, p: w.lead.semantic.reject(p["fact"], "it is three")),
    "graph.link": Door(_nothing, lambda w, _: w.tech.graph.link("gate 4", "located_in", "dock")),
    "graph.unlink": Door(_linked, lambda w, _: w.tech.graph.unlink("gate 4", "located_in", "dock", "moved")),
    "report_outcome": Door(_nothing, lambda w, _: w.tech.report_outcome("success", "it went well", **SAME)),
    "set_status": Door(_fact, lambda w, p: w.lead.set_status(p["fact"], "archived", "of no use now")),
    "keystone": Door(_fact, lambda w, p: w.lead.keystone(p["fact"])),
    "review.approve": Door(_staged, lambda w, p: w.lead.review.approve(p["items"][0])),
    "review.reject": Door(_staged, lambda w, p: w.lead.review.reject(p["items"][0], "not so")),
    "review.edit": Door(_staged, lambda w, p: w.lead.review.edit(p["items"][0], "The lift was mended")),
    "review.defer": Door(_staged, lambda w, p: w.lead.review.defer(p["items"][0], LATER)),
    "review.quarantine": Door(_staged, lambda w, p: w.lead.review.quarantine(p["items"][0], "it is odd")),
    "review.bulk": Door(_staged, lambda w, _: w.lead.review.bulk("approve", w.lead.review.inbox())),
    "lift": Door(_rejected, lambda w, p: w.lead.lift(p["stone"], "it is narrow after all")),
    "consolidate": Door(_events, _dream),
    "distil": Door(_shifts, lambda w, _: w.tech.distil(limit=1)),
    "insights": Door(_disputed, lambda w, _: w.tech.insights()),
    "ask": Door(_nothing, lambda w, _: w.tech.ask("was the yard swept?")),
    "load_skills": Door(_nothing, lambda w, _: w.lead.load_skills([SKILL])),
    "retract_skill": Door(_skill, lambda w, _: w.lead.retract_skill("open-door", "the door is gone")),
    "procedural.use": Door(_skill, lambda w, _: w.tech.procedural.use("open-door")),
    "load_catalogue": Door(_nothing, lambda w, _: w.steward.load_catalogue([ROW, {**ROW, "id": "NL-2"}])),
    "export": Door(_fact, lambda w, _: w.steward.export(w.folder / "out.jsonl")),
    "load_export": Door(_elsewhere, lambda w, _: w.steward.load_export(w.folder / "there.jsonl")),
    "restore": Door(_elsewhere, lambda w, _: w.steward.restore(w.folder / "elsewhere.db")),
    "forget": Door(_fact, lambda w, p: w.lead.forget(p["fact"], "asked")),
    "forget (an agent)": Door(_fact, lambda w, p: w.tech.forget(p["fact"], "asked", **SAME)),
    "tidy": Door(_lapsing, lambda w, _: w.mem.tidy()),
    "checkpoint": Door(_fact, lambda w, _: w.mem.audit.checkpoint("northlight")),
    "backup": Door(_fact, lambda w, _: w.mem.backup(w.folder / "backup.db")),
}
