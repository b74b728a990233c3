"""The nine nodes from a question to an answer, each a plain function from state to state.

    parse_intent -> query_graph -> inject_scratchpad -> recall_episodes -> retrieve
        -> compress_context -> reason -> respond -> log_episode

A node takes the state and the means, and returns a new state; nothing is changed in place. The trace
keeps what went into each node, what came out and how long it took, so that an answer can be followed
back to where it came from. Any node can be replaced by one of your own.

Left out: what the parts do. Intents, contexts, replies and tiers have modules of their own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from teachmem import frames
from teachmem.errors import InvalidInput
from teachmem.flow import nodes, reply
from teachmem.flow.state import Means, Node, State
from teachmem.normal import nfc
from teachmem.rules import shape

if TYPE_CHECKING:
    import pandas as pd

MILLISECOND = timedelta(milliseconds=1)

NODES = (  # names of functions in `flow/nodes.py`, in their order
    "parse_intent",
    "query_graph",
    "inject_scratchpad",
    "recall_episodes",
    "retrieve",
    "compress_context",
    "reason",
    "respond",
    "log_episode",
)


@dataclass(frozen=True, slots=True)
class Trace:
    """One node's run: what went in, what came out, and how long it took (milliseconds)."""

    name: str
    before: State
    after: State
    ms: float

    @property
    def changed(self) -> dict[str, Any]:
        """What the node added or changed, by the state's field."""
        return {
            each.name: getattr(self.after, each.name)
            for each in fields(State)
            if getattr(self.after, each.name) != getattr(self.before, each.name)
        }


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to one question, with the trace of its nodes. `str()` is the text with its ids."""

    question: str
    state: State
    trace: tuple[Trace, ...]

    @property
    def text(self) -> str:
        """The answer in words."""
        return self.state.text

    @property
    def answered(self) -> bool:
        """Whether anything in memory answers the question."""
        return bool(self.state.reply.sentences)

    @property
    def cited(self) -> tuple[str, ...]:
        """The ids that the answer rests on."""
        return self.state.reply.cited

    @property
    def nearest(self) -> tuple[str, ...]:
        """The ids of the first lines of the context: where to look if nothing answers."""
        context = self.state.context
        return tuple(line.id for line in context.lines if line.memory)[: reply.MOST] if context else ()

    @property
    def struck(self) -> tuple[reply.Sentence, ...]:
        """What a model said and could not be let stand, with the reason."""
        return self.state.reply.struck

    def __str__(self) -> str:
        return self.state.text

    def frame(self, times: bool = False) -> pd.DataFrame:
        """Return the trace as a pandas table: node, what changed, and milliseconds where asked for."""
        rows = [
            {"node": run.name, "changed": ", ".join(run.changed) or "-", "ms": run.ms} for run in self.trace
        ]
        table = frames.frame(rows, ["node", "changed", "ms"])
        return table if times else table.drop(columns="ms")


def ask(means: Means, question: str, own: Mapping[str, Node] | None = None) -> Answer:
    """Run the nodes in their order; `own` replaces some by name. Raises `InvalidInput`."""
    shape.check_text("question", question)
    chosen: dict[str, Node] = {name: getattr(nodes, name) for name in NODES}
    for name, node in (own or {}).items():
        if name not in chosen or not callable(node):
            raise InvalidInput("nodes", f"{name!r} is no node; these are: {', '.join(NODES)}")
        chosen[name] = node
    state, trace = State(nfc(question)), []
    for name, node in chosen.items():
        started = means.stopwatch()
        after = node(state, means)
        if not isinstance(after, State):
            raise InvalidInput("nodes", f"{name} must return a State, not a {type(after).__name__}")
        took = (means.stopwatch() - started) / MILLISECOND
        trace.append(Trace(name, state, after, max(took, 0.0)))
        state = after
    return Answer(question, state, tuple(trace))
