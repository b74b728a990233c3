"""A large store, soon and honestly: made-up events with real rows and real audit entries.

Through the gate, one event costs one commit, which makes 100,000 a matter of minutes. Here the pen
of `ledger/journal.py` writes them itself, 1,000 rows an act, in one transaction. What comes out
is a store like any other: `verify()` walks its chain, and every event has its twin key and digest.

The texts follow Zipf's law, as speech does: the commonest words are the English stop words, then
come made-up ones. The same seed gives the same texts.

>>> made = events(3, seed=7)
>>> made == events(3, seed=7), len(made), len(set(vocabulary()))
(True, 3, 20000)

Left out: the gate's checks. The filler writes only what would pass them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import product

import numpy as np

from teachmem.clock import LessonClock, to_micros
from teachmem.ids import RandomIds
from teachmem.ledger import journal, rows
from teachmem.ledger.database import Database
from teachmem.ledger.journal import Change
from teachmem.principal import Principal
from teachmem.recall import text
from teachmem.rules import twin
from teachmem.vocabulary import Source, Status, Tier, Visibility

WORDS = 20_000  # in the vocabulary
END = datetime(2026, 3, 30, 9, tzinfo=UTC)  # the moment after the last event
SPAN = timedelta(days=28)
AN_ACT = 1_000  # rows under one audit entry
SESSIONS = 50


@dataclass(frozen=True, slots=True)
class Event:
    """One made-up event; time in microseconds."""

    content: str
    importance: float
    happened_at: int
    session: str


def vocabulary() -> list[str]:
    """Return the words, commonest first."""
    syllables = ["".join(pair) for pair in product("bdfgklmnprstvz", "aeiou")]
    made_up = ["".join(three) for three in product(syllables, repeat=3)]
    spread = np.random.default_rng(0).permutation(len(made_up))[:WORDS]
    return (sorted(text.STOP_WORDS) + [made_up[place] for place in spread])[:WORDS]


def events(count: int, seed: int = 1) -> list[Event]:
    """Return `count` events of 6 to 24 words each, evenly spread over the four weeks before `END`."""
    chance = np.random.default_rng(seed)
    words = vocabulary()
    weight = 1 / np.arange(2.7, WORDS + 2.7)
    lengths = chance.integers(6, 25, count)
    drawn = iter(chance.choice(WORDS, int(lengths.sum()), p=weight / weight.sum()).tolist())
    importance = chance.integers(0, 11, count) / 10
    start, span = to_micros(END - SPAN), SPAN // timedelta(microseconds=1)
    return [
        Event(
            " ".join(words[next(drawn)] for _ in range(lengths[row])),
            float(importance[row]),
            start + span * row // count,
            f"s{row % SESSIONS}",
        )
        for row in range(count)
    ]


def questions(made: Sequence[Event], count: int, seed: int = 2) -> list[str]:
    """Return `count` questions, each of two to four words of some event."""
    chance = np.random.default_rng(seed)
    asked = []
    for _ in range(count):
        words = made[int(chance.integers(len(made)))].content.split()
        asked.append(" ".join(chance.choice(words, int(chance.integers(2, 5)), replace=False)))
    return asked


def fill(url: str, who: Principal, made: Sequence[Event]) -> list[str]:
    """Write `made` into the store at `url` for `who`'s team, in one transaction; return their ids."""
    clock, ids = LessonClock(END), RandomIds()
    written: list[str] = []
    with Database.open(url) as database, database.write() as tx:
        for first in range(0, len(made), AN_ACT):
            with journal.change(tx, who, clock, ids) as act:
                for event in made[first : first + AN_ACT]:
                    _add(act, event)
                act.entry("episodic.log", str(act.touched[0]["id"]), count=len(act.touched))
                written += [str(item["id"]) for item in act.touched]
    return written


def _add(act: Change, event: Event) -> None:
    who, kind = act.principal, "observation"
    salt = act.ids.salt()
    triple = {"subject": "", "predicate": "", "object": ""}
    act.add(
        {
            "memory_id": act.ids.new("event"),
            "version": 1,
            "tenant": who.tenant,
            "fleet": who.fleet,
            "agent": who.name,
            "visibility": str(Visibility.TEAM),
            "session": event.session,
            "tier": str(Tier.EPISODIC),
            "kind": kind,
            **triple,
            "content": event.content,
            "content_digest": rows.content_digest(event.content, salt),
            "salt": salt,
            "importance": event.importance,
            "confidence": None,
            "is_inferred": 0,
            "status": str(Status.ACTIVE),
            "source": str(Source.AGENT),
            "valid_from": event.happened_at,
            "valid_to": None,
            "expires_at": None,
            "qualifiers": "{}",
            "keystone": 0,
            "detail": "{}",
            "embedding": None,
            "twin_key": twin.twin_key(
                who.tenant,
                who.fleet,
                who.name,
                Visibility.TEAM,
                event.session,
                Tier.EPISODIC,
                kind,
                event.content,
                tuple(triple.values()),
                event.happened_at,
                None,
            ),
        }
    )
