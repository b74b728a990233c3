"""Two rankings into one: by their scores, not by their ranks.

Words and vectors fail differently. A part number is found by its letters and by nothing else; a
paraphrase shares no word with what it means. Each list's scores are stretched to 0..1 (min-max) and
added with weights, so that a clear winner in one list stays a clear winner.

>>> found = {"words": {"a": 4.0, "b": 2.0}, "vectors": {"b": 0.9, "c": 0.5}}
>>> fused = fuse(found, {"words": 0.6, "vectors": 0.4})
>>> {name: round(sum(parts.values()), 3) for name, parts in fused.items()}
{'a': 0.6, 'b': 0.7, 'c': 0.222}

Reciprocal rank fusion throws the scores away and adds 1 / (60 + rank); it is here to be compared.

Sources: Bruch, Gai and Ingber 2023, "An analysis of fusion functions for hybrid retrieval"
(arXiv:2210.11934) for scores; Cormack, Clarke and Buettcher 2009 for ranks.
Left out: where the lists come from.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Scores = Mapping[str, float]


def stretched(scores: Scores, lowest: float = 0.0) -> dict[str, float]:
    """Return `scores` on 0..1: `lowest` (what no match gets) becomes 0, the best becomes 1.

    >>> stretched({"a": 3.0, "b": 1.5})
    {'a': 1.0, 'b': 0.5}
    """
    best = max(scores.values(), default=lowest)
    if best <= lowest:
        return dict.fromkeys(scores, 0.0)
    return {name: max(0.0, (value - lowest) / (best - lowest)) for name, value in scores.items()}


def fuse(lists: Mapping[str, Scores], weights: Mapping[str, float]) -> dict[str, dict[str, float]]:
    """Return each name's weighted parts, one a list; a name that a list lacks gets 0 from it."""
    parts: dict[str, dict[str, float]] = {}
    for which, scores in lists.items():
        for name, value in stretched(scores).items():
            parts.setdefault(name, dict.fromkeys(lists, 0.0))[which] = weights[which] * value
    return parts


def reciprocal_ranks(rankings: Sequence[Sequence[str]], k: int = 60) -> dict[str, float]:
    """Return the sum over `rankings` of 1 / (k + rank), rank from 1.

    >>> reciprocal_ranks([["a", "b"], ["b"]])["b"] == 1 / 62 + 1 / 61
    True
    """
    found: dict[str, float] = {}
    for ranking in rankings:
        for rank, name in enumerate(ranking, 1):
            found[name] = found.get(name, 0.0) + 1 / (k + rank)
    return found


def ranks(scores: Scores) -> dict[str, int]:
    """Return each name's place in a list, from 1, best first; ties by name; zeros have no place.

    >>> ranks({"a": 0.2, "b": 0.9, "c": 0.0})
    {'b': 1, 'a': 2}
    """
    ordered = sorted(
        (name for name, value in scores.items() if value > 0), key=lambda name: (-scores[name], name)
    )
    return {name: place for place, name in enumerate(ordered, 1)}
