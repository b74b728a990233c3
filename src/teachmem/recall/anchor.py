"""When was "the recall"? The event that a question names, looked up among the reader's own events.

"Before the recall" has no date in it. The earliest event that has every word of the name is taken for
it; the reader's clause and the two times of the question hold here as everywhere. Where there is no such
event the window stays without bounds, nothing is raised by it, and the answer says so.

>>> from datetime import UTC, datetime
>>> said = when.read("What was known before the recall?", datetime(2026, 3, 11, tzinfo=UTC))
>>> said.event, str(said)
('recall', 'before the recall: no event found')
>>> str(said.at_event(to_micros("2026-03-09")))
'before the recall: until 2026-03-09'

Left out: guessing. A name that shares one word of two with an event is another event.
"""

from __future__ import annotations

from teachmem.clock import from_micros, to_micros
from teachmem.ledger.database import Transaction
from teachmem.principal import Principal
from teachmem.recall import rank, ranked, text, when
from teachmem.recall.index import LexicalIndex
from teachmem.recall.score import Weights
from teachmem.recall.when import Window
from teachmem.vocabulary import Tier

LOOKED_AT = 50  # of the events that share most words with the name
BY_WORDS = Weights(recency=0, importance=0, relevance=1)


def window_of(
    tx: Transaction, index: LexicalIndex, reader: Principal, at: int, known_at: int | None, question: str
) -> Window | None:
    """Return the window of time that a question speaks of, as of the moment `at`, or None."""
    window = when.read(question, from_micros(at))
    if window is None or not window.event:
        return window
    terms = tuple(dict.fromkeys(text.terms(window.event)))
    if not terms:
        return window
    ask = rank.Ask(terms, at, BY_WORDS, half_life_hours=1)
    reading = ranked.Reading(reader, Tier.EPISODIC, ask, known_at)
    named = [
        to_micros(hit.memory.happened_at)
        for hit in ranked.best(tx, index, reading, LOOKED_AT)
        if set(terms) <= set(text.terms(hit.memory.content))
    ]
    return window.at_event(min(named)) if named else window
