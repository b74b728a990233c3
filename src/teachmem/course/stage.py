"""A segment's store at its start: the clock, the ids, the story and the handles. It can be rewound.

Rewinding gives the same objects new insides: the store, its handles and the clock that a notebook
holds in its variables go on working, and find everything as it was at the start.

>>> from teachmem.course import segments
>>> with Stage(segments.find("00")) as stage:
...     tech = stage.handles["tech"]
...     stage.memory.close()
...     stage.rewind()
...     tech.episodic.log("observation", "gate four is open").verdict.value
'accepted'

Left out: predictions, checks and hints (`lesson.py`). The process that checks has a stage too, no lesson.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from teachmem import store
from teachmem.clock import LessonClock
from teachmem.course import words, world
from teachmem.course.material import Segment, Who
from teachmem.ids import CountedIds


class Stage:
    """A store in memory with the story of `segment`, its clock, its handles and the ids of its rows."""

    def __init__(self, segment: Segment) -> None:
        self.segment = segment
        self.clock = LessonClock(segment.start)
        self.memory, self.ids = self._opened()
        self.handles = {name: self.act_as(who) for name, who in segment.handles.items()}

    def agent(
        self, name: str, fleet: str = "dock", tenant: str = "northlight", clearance: int = 1
    ) -> store.Agent:
        """Return the handle of an agent."""
        return self.memory.agent(name, fleet=fleet, tenant=tenant, clearance=clearance)

    def person(
        self, name: str, fleet: str = "dock", tenant: str = "northlight", clearance: int = 1
    ) -> store.Person:
        """Return the handle of a person."""
        return self.memory.person(name, fleet=fleet, tenant=tenant, clearance=clearance)

    def __getattr__(self, name: str) -> Any:
        handles = self.__dict__.get("handles", {})
        if name in handles:
            return handles[name]
        raise AttributeError(words.NO_HANDLE.format(given=repr(name), known=words.listed(handles)))

    def act_as(self, who: Who) -> store.Agent | store.Person:
        """Return the handle of somebody in the story."""
        make = self.person if who.person else self.agent
        return make(who.name, who.fleet, who.tenant, who.clearance)

    def rewind(self) -> None:
        """Put store and clock back to the start; what was written since is gone."""
        fresh, self.ids = self._opened()
        old = _swap(self.memory, fresh)
        old.close()

    def close(self) -> None:
        """Close the store."""
        self.memory.close()

    def __enter__(self) -> Stage:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _opened(self) -> tuple[store.MemoryStore, dict[str, str]]:
        segment = self.segment
        mem = store.open_memory(clock=self.clock, ids=CountedIds())
        try:
            ids = world.load(
                mem,
                self.clock,
                episodes=segment.episodes,
                notes=segment.notes,
                facts=segment.facts,
                graph=segment.graph,
                until=segment.until,
            )
        except BaseException:
            mem.close()
            raise
        finally:
            self.clock.set(segment.start)
        return mem, ids


def _swap(held: store.MemoryStore, fresh: store.MemoryStore) -> store.MemoryStore:
    """Exchange the insides of two stores; return the one that now has those of `held`.

    Every handle works through the kit of its store, so exchanging what the kits hold moves all of
    them over at once, those too that a student made with `mem.agent(...)`.
    """
    for field in dataclasses.fields(held._kit):
        mine, other = getattr(held._kit, field.name), getattr(fresh._kit, field.name)
        object.__setattr__(held._kit, field.name, other)  # frozen for everybody else
        object.__setattr__(fresh._kit, field.name, mine)
    for one, two in ((held, fresh), (held.audit, fresh.audit)):
        mine_, other_ = dict(vars(one)), dict(vars(two))
        for kept in ("_kit", "audit"):
            mine_.pop(kept, None)
            other_.pop(kept, None)
        vars(one).update(other_)
        vars(two).update(mine_)
    return fresh
