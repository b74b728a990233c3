"""An event is read in its surroundings: the turn before it, the turn after, and its session.

"It slipped again" says little alone. What was asked just before says what slipped. So an event's own
score, by words and by meaning, is blended with that of its neighbours and of its session:

    own       = 0.5 * words + 0.5 * meaning, each stretched so that the best event has 1
    window    = mean of own over the previous and the next event of the same session
    session   = mean of own over the session's three best events
    relevance = (own + 0.5 * window + 0.5 * session) / 2

>>> own, session, happened = np.array([0.0, 1.0, 0.0, 0.0]), np.array([0, 0, 0, 1]), np.array([1, 2, 3, 4])
>>> blended(own, neighbours(session, happened, ["a", "b", "c", "d"]), session)[0].round(3).tolist()
[0.333, 0.583, 0.333, 0.0]

The weights were chosen by `teachmem bench retrieval`; docs/benchmarks.md has the figures.
Left out: which events there are (`recall/pool.py`), and the text of the neighbours; only scores travel.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from teachmem.recall.lexical import Floats

WORDS, MEANING = 0.5, 0.5
WINDOW = 0.5
SESSION = 0.5
BEST_OF_SESSION = 3

Rows = NDArray[np.int64]


def own_scores(words: Floats, meaning: Floats) -> Floats:
    """Return what every event scores alone."""
    return WORDS * _stretched(words) + MEANING * _stretched(meaning)


def _stretched(values: Floats) -> Floats:
    """Return `values` from 0 to 1, as `fuse.stretched` does for a mapping."""
    most = values.max(initial=0.0)
    return np.maximum(values, 0.0) / most if most > 0 else np.zeros_like(values)


def neighbours(session: Rows, happened: Rows, ids: Sequence[str]) -> Rows:
    """Return for every event the rows of the previous and the next of its session, -1 where none is.

    Order is by time, then by id.
    """
    order = np.lexsort((happened, session))
    before, after = order[:-1], order[1:]
    if ((session[before] == session[after]) & (happened[before] == happened[after])).any():
        order = np.lexsort((np.array(ids, dtype=str), happened, session))  # slow, so only to tell ties apart
    found = np.full((len(ids), 2), -1)
    same = session[order[1:]] == session[order[:-1]]
    found[order[1:][same], 0] = order[:-1][same]
    found[order[:-1][same], 1] = order[1:][same]
    return found


def best_of_sessions(own: Floats, session: Rows) -> Rows:
    """Return the rows of every session's best events, at most three each."""
    order = np.lexsort((-own, session))
    grouped = session[order]
    place = np.arange(len(order)) - np.searchsorted(grouped, grouped)
    return np.asarray(order[place < BEST_OF_SESSION], dtype=np.int64)


def blended(own: Floats, beside: Rows, session: Rows) -> tuple[Floats, Floats, Floats]:
    """Return the relevance of every event, and the two things that its own score was blended with."""
    there = beside >= 0
    window = np.where(there, own[beside], 0.0).sum(axis=1) / np.maximum(there.sum(axis=1), 1)
    best = best_of_sessions(own, session)
    sessions = int(session.max(initial=-1)) + 1
    total = np.bincount(session[best], own[best], sessions)
    mean = (total / np.maximum(np.bincount(session[best], minlength=sessions), 1))[session]
    relevance = (own + WINDOW * window + SESSION * mean) / (1 + WINDOW + SESSION)
    return relevance, window, mean
