"""A large store, soon and honestly: made-up events or facts with real rows and real audit entries.

Through the gate, one event costs one commit, which makes 100,000 a matter of minutes. Here the pen
of `ledger/journal.py` writes them itself, 1,000 rows an act, in one transaction. What comes out
is a store like any other: `verify()` walks its chain, and every row has its twin key and digest.

The texts follow Zipf's law, as speech does: the commonest words are the English stop words, then
come made-up ones. The same seed gives the same texts.

>>> made = events(3, seed=7)
>>> made == events(3, seed=7), len(made), len(set(vocabulary()))
(True, 3, 20000)

Left out: the gate's checks. The filler writes only what would pass them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import groupby, product

import numpy as np

from teachmem.clock import LessonClock, to_micros
from teachmem.ids import RandomIds
from teachmem.ledger import journal, rows, twin
from teachmem.ledger.database import Database
from teachmem.ledger.journal import Change
from teachmem.ports import Embedder
from teachmem.principal import Principal
from teachmem.recall import embed, text
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


def fill(url: str, who: Principal, made: Sequence[Event], an_act: int = AN_ACT) -> list[str]:
    """Write `made` into the store at `url` for `who`'s team, in one transaction; return their ids."""
    return _fill(url, [_Row(who, event, Tier.EPISODIC, "observation") for event in made], an_act)


def fill_facts(
    url: str, parts: Sequence[tuple[Principal, str, Sequence[Event]]], embedder: Embedder
) -> list[str]:
    """Write facts, each with its vector, for each part's team and of its kind; return their ids in order.

    A made-up event serves as a fact that holds from the moment when it happened.
    """
    made = [_Row(who, event, Tier.SEMANTIC, kind) for who, kind, events in parts for event in events]
    vectors = embed.checked(embedder, [row.event.content for row in made])
    return _fill(url, [replace(row, vector=embed.to_bytes(vectors[n])) for n, row in enumerate(made)])


@dataclass(frozen=True, slots=True)
class _Row:
    who: Principal
    event: Event
    tier: Tier
    kind: str
    vector: bytes | None = None


_PREFIX = {Tier.EPISODIC: "event", Tier.SEMANTIC: "fact"}
_ACTION = {Tier.EPISODIC: "episodic.log", Tier.SEMANTIC: "semantic.write"}


def _fill(url: str, made: Sequence[_Row], an_act: int = AN_ACT) -> list[str]:
    clock, ids = LessonClock(END), RandomIds()
    written: list[str] = []
    with Database.open(url) as database, database.write() as tx:
        for who, of_one in groupby(made, lambda row: row.who):
            rows_left = list(of_one)
            for first in range(0, len(rows_left), an_act):
                with journal.change(tx, who, clock, ids) as act:
                    for row in rows_left[first : first + an_act]:
                        _add(act, row)
                    act.entry(_ACTION[row.tier], str(act.touched[0]["id"]), count=len(act.touched))
                    written += [str(item["id"]) for item in act.touched]
    return written


def _add(act: Change, row: _Row) -> None:
    who, event = row.who, row.event
    is_event = row.tier is Tier.EPISODIC
    session = event.session if is_event else ""
    salt = act.ids.salt()
    triple = {"subject": "", "predicate": "", "object": ""}
    act.add(
        {
            "memory_id": act.ids.new(_PREFIX[row.tier]),
            "version": 1,
            "tenant": who.tenant,
            "fleet": who.fleet,
            "agent": who.name,
            "visibility": str(Visibility.TEAM),
            "session": session,
            "tier": str(row.tier),
            "kind": row.kind,
            **triple,
            "content": event.content,
            "content_digest": rows.content_digest(event.content, salt),
            "salt": salt,
            "importance": event.importance if is_event else None,
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
            "embedding": row.vector,
            "claim_key": None,
            "twin_key": twin.twin_key(
                who.tenant,
                who.fleet,
                who.name,
                Visibility.TEAM,
                session,
                row.tier,
                row.kind,
                event.content,
                tuple(triple.values()),
                event.happened_at,
                None,
            ),
        }
    )
