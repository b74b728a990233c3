"""The arithmetic of the live widgets, without a widget: score again, pack again, see what moved.

`gather` asks the store once, through `recall` like anybody else, and keeps of each event what the score
is made of. `rescore` is then the plain formula with other weights, and gives what `recall` would give.
`whole` and `repack` do the same for a context and another budget.

>>> moved(before=["a", "b", "c"], after=["c", "a", "b"])
['up 2', 'down 1', 'down 1']

Left out: sliders (`live.py`), and events that the asker may not recall: they are never gathered.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from teachmem import store
from teachmem.clock import MICROS_PER_HOUR, to_micros
from teachmem.recall import pack, score
from teachmem.recall.score import Weights
from teachmem.record import Hit, Memory, Recollection
from teachmem.tiers.working import Context, LeftOut, Line

EVERY = 1_000_000  # larger than any lesson's store: "all that you may recall"
# Where the half-life slider may stand: about twice as far with every step, in words and hours.
HALF_LIVES = (
    ("15 minutes", 0.25),
    ("1 hour", 1.0),
    ("4 hours", 4.0),
    ("8 hours", 8.0),
    ("1 day", 24.0),
    ("2 days", 48.0),
    ("4 days", 96.0),
    ("1 week", 168.0),
    ("2 weeks", 336.0),
    ("1 month", 720.0),
    ("1 year", 8760.0),
)
AMPLE = 1_000_000_000  # tokens: a budget in which everything fits


@dataclass(frozen=True, slots=True)
class Evidence:
    """One event and what its score is made of, before any weight."""

    memory: Memory
    age_hours: float
    importance: float
    relevance: float


@dataclass(frozen=True, slots=True)
class Gathered:
    """A question and the evidence for every event that counts, as of one moment."""

    query: str
    at: datetime
    events: tuple[Evidence, ...]
    session: str | None = None
    note: str = ""


def gather(
    handle: store.Handle,
    query: str,
    session: str | None = None,
    events: Iterable[Memory | str] | None = None,
) -> Gathered:
    """Ask once for all that `handle` may recall; with weights of 1 the parts are the bare numbers.

    `events`, memories or ids, narrows what is considered, for example to the fifty most relevant; an
    event that the handle may not recall is not let in by naming it.
    """
    found = handle.episodic.recall(query, EVERY, weights=Weights(1, 1, 1), session=session)
    wanted = (
        None if events is None else {each if isinstance(each, str) else each.memory_id for each in events}
    )
    evidence = tuple(
        Evidence(
            hit.memory,
            (to_micros(found.at) - to_micros(hit.memory.happened_at)) / MICROS_PER_HOUR,
            hit.parts["importance"],
            hit.parts["relevance"],
        )
        for hit in found
        if wanted is None or hit.memory.memory_id in wanted
    )
    return Gathered(query, found.at, evidence, session, found.note)


def rescore(gathered: Gathered, weights: Weights, half_life_hours: float = 24) -> list[Hit]:
    """Return every event with its score under `weights`, best first, ties by newest, then id."""
    score.check_half_life(half_life_hours)
    found = []
    for event in gathered.events:
        recency = score.recency(event.age_hours, half_life_hours)
        parts = score.parts(recency, event.importance, event.relevance, weights)
        found.append(Hit(event.memory, score.total(parts), parts))
    return sorted(
        found, key=lambda hit: (-hit.score, -to_micros(hit.memory.happened_at), hit.memory.memory_id)
    )


def recollection(
    gathered: Gathered, hits: Sequence[Hit], k: int, weights: Weights, half_life_hours: float
) -> Recollection:
    """Return the best `k` of `hits` as the answer that `recall` would have given."""
    settings = {
        "k": k,
        "weights": weights,
        "half_life_hours": half_life_hours,
        "session": gathered.session,
        "relevance": "words",
    }
    return Recollection(gathered.query, tuple(hits[:k]), gathered.at, gathered.note, settings)


def moved(before: Sequence[str], after: Sequence[str]) -> list[str]:
    """Say for each of `after` how its rank has changed: "up 2", "down 1", "same" or "new"."""
    place = {memory_id: rank for rank, memory_id in enumerate(before)}
    return [_step(place.get(memory_id), rank) for rank, memory_id in enumerate(after)]


def _step(old: int | None, rank: int) -> str:
    if old is None:
        return "new"
    return "same" if old == rank else f"up {old - rank}" if old > rank else f"down {rank - old}"


def whole(handle: store.Handle, query: str | None = None, session: str | None = None) -> Context:
    """Return the context in which every note fits, best first: all that a budget can choose from."""
    return handle.working.context(query, AMPLE, session)


def repack(everything: Context, budget: int) -> Context:
    """Return the context that `budget` allows, from the one in which everything fits."""
    lines = everything.lines
    tokens = {line.text: line.tokens for line in lines}

    def count(text: str) -> int:
        return tokens[text]

    packed = pack.pack([line.text for line in lines], budget, count)
    chosen: tuple[Line, ...] = tuple(lines[place] for place in packed.chosen)
    skipped = tuple(LeftOut(lines[skip.place].memory, skip.tokens, skip.reason) for skip in packed.skipped)
    return Context(chosen, skipped + everything.skipped, packed.used, budget, everything.note)
