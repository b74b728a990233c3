"""The arithmetic of the fusion explorer, without a widget: one question, two lists, any way to fuse them.

`gather` asks the store once, through `search` like anybody else, for all that may be found. `ranked`
then fuses the same raw scores again; with the store's own weights it gives what `search` gives.

>>> weights(0.2)["words"], round(sum(weights(0.2).values()), 6) == round(sum(hybrid.WEIGHTS.values()), 6)
(0.2, True)

Left out: sliders (`live.py`), and facts that the asker may not find: they are never gathered.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from teachmem import store
from teachmem.clock import to_micros
from teachmem.recall import fuse, hybrid, score
from teachmem.record import Hit
from teachmem.rules import shape

RRF_K = 60  # as in the paper that proposed it
LISTS = ("words", "meaning")
FUSED, RRF = "fused", f"RRF, k = {RRF_K}"
WAYS = (FUSED, RRF, *LISTS)


@dataclass(frozen=True, slots=True)
class Gathered:
    """A question and everything that could be found, with its raw scores and its place in both lists."""

    query: str
    at: datetime
    hits: tuple[Hit, ...]
    note: str = ""


def gather(handle: store.Handle, query: str) -> Gathered:
    """Ask once for every fact that `handle` may find."""
    every = max(1, handle.semantic.stats()["facts"])
    found = handle.semantic.search(query, every)
    return Gathered(query, found.at, found.hits, found.note)


def weights(words: float | None = None) -> dict[str, float]:
    """Return the weights with `words` for the words and the rest for the meaning; None gives the store's."""
    if words is None or words == hybrid.WEIGHTS["words"]:
        return dict(hybrid.WEIGHTS)
    whole = sum(hybrid.WEIGHTS.values())
    return {"words": words, "meaning": max(0.0, whole - words)}


def listed(gathered: Gathered, name: str) -> list[Hit]:
    """Return the hits that one list has, in its own order."""
    return sorted((hit for hit in gathered.hits if name in hit.ranks), key=lambda hit: hit.ranks[name])


def ranked(gathered: Gathered, way: str = FUSED, words: float | None = None) -> list[Hit]:
    """Return every hit as `way` ranks it, best first, ties by newest, then id.

    `words` is the weight of the words, by default the store's; only "fused" asks for it. A single
    list leaves out what it does not have.
    """
    shape.check_member("way", way, WAYS)
    if way == RRF:
        parts = _by_places(gathered)
    else:
        parts = fuse.fuse(_raw(gathered), _weights(way, words))
    found = [
        Hit(
            hit.memory,
            score.total(parts[hit.memory.memory_id]),
            parts[hit.memory.memory_id],
            hit.ranks,
            hit.raw,
        )
        for hit in gathered.hits
        if way not in LISTS or way in hit.ranks
    ]
    return sorted(
        found, key=lambda hit: (-hit.score, -to_micros(hit.memory.happened_at), hit.memory.memory_id)
    )


def _weights(way: str, words: float | None) -> dict[str, float]:
    if way in LISTS:
        return {name: float(name == way) for name in LISTS}
    return weights(words)


def _raw(gathered: Gathered) -> dict[str, dict[str, float]]:
    return {name: {hit.memory.memory_id: hit.raw[name] for hit in gathered.hits} for name in LISTS}


def _by_places(gathered: Gathered) -> dict[str, dict[str, float]]:
    """Return each hit's parts under reciprocal rank fusion: from each list what its place there is worth."""
    worth = {
        name: fuse.reciprocal_ranks([[hit.memory.memory_id for hit in listed(gathered, name)]], RRF_K)
        for name in LISTS
    }
    ids = [hit.memory.memory_id for hit in gathered.hits]
    return {memory_id: {name: worth[name].get(memory_id, 0.0) for name in LISTS} for memory_id in ids}


def full_score(way: str, words: float | None = None) -> float:
    """Return the highest score that a way of ranking can give: what a full bar stands for."""
    if way == RRF:
        return len(LISTS) / (RRF_K + 1)
    return sum(_weights(way, words).values()) or 1.0


def stretched(hits: Sequence[Hit], name: str) -> dict[str, float]:
    """Return the raw scores of one list on 0..1, as they are before they are weighed."""
    return fuse.stretched({hit.memory.memory_id: hit.raw[name] for hit in hits})
