"""What travels through the pipeline: the state, which grows, and the means, which stay.

Both are frozen. A node takes them and returns a new state, so that what went into a node is still there
when it is done.

>>> State("where is the hoist?").remark("nobody knows").remarks
('nobody knows',)

Left out: the nodes (`flow/nodes.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from teachmem.clock import Moment, WallClock
from teachmem.flow import context as contexts
from teachmem.flow.context import Assembled
from teachmem.flow.intent import Intent
from teachmem.flow.reply import Reply
from teachmem.ports import LanguageModel
from teachmem.principal import Principal
from teachmem.record import EMPTY, Memory, Receipt
from teachmem.tiers.graph import Edge, Graph
from teachmem.tiers.kit import Kit


@dataclass(frozen=True, slots=True)
class State:
    """What is known so far. Every node adds to it."""

    question: str
    intents: tuple[Intent, ...] = ()
    entities: tuple[str, ...] = ()
    edges: tuple[Edge, ...] = ()
    notes: tuple[Memory, ...] = ()
    events: tuple[Memory, ...] = ()
    facts: tuple[Memory, ...] = ()
    cosines: Mapping[str, float] = field(
        default_factory=lambda: EMPTY
    )  # how close facts and events are by meaning, by their ids
    context: Assembled | None = None
    reply: Reply = field(default_factory=Reply)
    text: str = ""
    logged: Receipt | None = None
    remarks: tuple[str, ...] = ()

    def remark(self, said: str) -> State:
        """Return the state with one more sentence that a person should know."""
        return replace(self, remarks=(*self.remarks, said)) if said else self


@dataclass(frozen=True, slots=True)
class Means:
    """What a node may use: the tiers of one principal, the settings of one question, perhaps a model."""

    kit: Kit
    who: Principal
    tiers: contexts.Tiers
    graph: Graph
    session: str = "s1"
    budget: int = 1500
    model: LanguageModel | None = None
    at: Moment | None = None
    known_at: Moment | None = None
    stopwatch: Callable[[], datetime] = WallClock().now  # a lesson's clock would stand still

    @property
    def times(self) -> dict[str, Any]:
        """The two times, as every read takes them."""
        return {"at": self.at, "known_at": self.known_at}


Node = Callable[[State, Means], State]
