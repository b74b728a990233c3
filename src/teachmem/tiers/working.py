"""Working memory: the scratchpad of notes that an agent keeps while it works.

A note is a small claim about something (subject, predicate, object) in the writer's own words.
`context()` packs notes into a token budget, each a labelled line, verbatim. A shorter or richer
wording may be kept beside a note, and is never shown in its place.

Three predicates act on the note that their object names: `supersedes` makes it outdated,
`contradicts` makes it conflicted, and a note that `depends_on` another is left out of the context
once that one, or what that one rests on, is no longer live.

Left out: forgetting by itself. A note stays until it is cleared, superseded or contradicted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from teachmem.clock import Moment, to_micros
from teachmem.errors import InvalidInput
from teachmem.ledger import lineage
from teachmem.ledger.database import Transaction
from teachmem.principal import Principal
from teachmem.recall import label, pack, rank, ranked
from teachmem.recall.score import Weights
from teachmem.record import EMPTY, Draft, Hit, Memory, Receipt
from teachmem.rules import admissible, shape
from teachmem.tiers.kit import Kit, check_count, check_filter, check_lapsed
from teachmem.vocabulary import Tier, Visibility

CONSIDERED = 200  # the best notes that a context chooses from
HALF_LIFE_HOURS = 8  # one shift
WITH_QUESTION = Weights(recency=0.5, importance=0, relevance=0.5)
WITHOUT_QUESTION = Weights(recency=1, importance=0, relevance=0)
REWRITES = ("shortened", "enriched")


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a context: the memory, the text shown for it, its tokens and why it ranks there."""

    memory: Memory
    text: str
    tokens: int
    parts: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A note that is not in the context, what it would have cost in tokens, and why."""

    memory: Memory
    tokens: int
    reason: str


@dataclass(frozen=True, slots=True)
class Context:
    """What would be handed to a model: `str(context)` is the text, `used` its tokens."""

    lines: tuple[Line, ...]
    skipped: tuple[LeftOut, ...]
    used: int
    budget: int
    note: str = ""

    def __str__(self) -> str:
        return "\n".join(line.text for line in self.lines)


class WorkingMemory:
    """The scratchpad, as one principal may write and read it."""

    def __init__(self, who: Principal, kit: Kit) -> None:
        self._who = who
        self._kit = kit

    def write(
        self,
        subject: str,
        predicate: str,
        object: str,
        content: str,
        session: str = "s1",
        *,
        source: str | None = None,
        visibility: str = Visibility.TEAM,
        rewrites: Mapping[str, str] = EMPTY,
        request_id: str | None = None,
    ) -> Receipt:
        """Keep a note; return its receipt or raise `MemoryRefused`.

        `rewrites` may hold a "shortened" and an "enriched" wording; they are kept beside the note.
        For `supersedes`, `contradicts` and `depends_on` the object is the id of a note.
        """
        _check_rewrites(rewrites)
        draft = Draft(
            tier=Tier.WORKING,
            kind="note",
            content=content,
            session=session,
            subject=subject,
            predicate=predicate,
            object=object,
            source=source,
            visibility=visibility,
            detail={"rewrites": dict(rewrites)} if rewrites else EMPTY,
        )
        return self._kit.gate.write(self._who, draft, request_id)

    def read(
        self,
        subject: str | None = None,
        predicate: str | None = None,
        session: str | None = None,
        limit: int = 50,
        *,
        at: Moment | None = None,
        known_at: Moment | None = None,
        widen: str | None = None,
    ) -> list[Memory]:
        """Return the live notes that match, newest first; a filter left None does not filter."""
        limit = check_count("limit", limit)
        subject = check_filter("subject", subject)
        predicate = check_filter("predicate", predicate)
        session = check_filter("session", session)
        with self._kit.asking(self._who, "working.read", at, known_at, widen) as (tx, reader, moment, known):
            return admissible.newest(
                tx,
                reader,
                moment,
                known,
                limit,
                tier=Tier.WORKING,
                subject=subject,
                predicate=predicate,
                session=session,
            )

    def clear(
        self,
        subject: str | None = None,
        session: str | None = None,
        older_than: timedelta | None = None,
        *,
        everything: bool = False,
        request_id: str | None = None,
    ) -> Receipt:
        """Withdraw the notes that you wrote and that match every selector; `touched` names them.

        Without a selector nothing is cleared: ask for `everything=True` by name. The notes stay in
        the ledger with the status deleted; no read returns them.
        """
        subject, session = check_filter("subject", subject), check_filter("session", session)
        _check_age(older_than)
        if subject is None and session is None and older_than is None and everything is not True:
            raise InvalidInput("selector", "give subject, session or older_than, or everything=True")

        def find(tx: Transaction, now: int) -> list[Memory]:
            notes = admissible.newest(
                tx, self._who, now, tier=Tier.WORKING, subject=subject, session=session, agent=self._who.name
            )
            own = [note for note in notes if note.fleet == self._who.fleet]
            if older_than is None:
                return own
            limit = now - older_than // timedelta(microseconds=1)
            return [note for note in own if to_micros(note.recorded_at) < limit]

        payload = {"subject": subject, "session": session, "older_than": str(older_than), "all": everything}
        return self._kit.gate.withdraw(
            self._who, find, action="working.clear", payload=payload, request_id=request_id
        )

    def context(
        self,
        query: str | None = None,
        budget: int = 1500,
        session: str | None = None,
        *,
        lapsed: str = "exclude",
        at: Moment | None = None,
        known_at: Moment | None = None,
        widen: str | None = None,
    ) -> Context:
        """Pack the best notes into `budget` tokens, as labelled lines, best first.

        Notes rank by recency (half-life 8 hours) and, with a `query`, as much by relevance. A note
        that does not fit is skipped, with the reason, and the next one is tried.
        `lapsed="discount"` leaves in what is over, at half its score.
        """
        pack.check_budget(budget)
        session = check_filter("session", session)
        soft = check_lapsed(lapsed)
        asked, note = ranked.question_terms(query) if query is not None else ((), "")
        weights = WITH_QUESTION if asked else WITHOUT_QUESTION
        with self._kit.asking(self._who, "working.context", at, known_at, widen) as (tx, who, moment, known):
            ask = rank.Ask(asked, moment, weights, HALF_LIFE_HOURS, session)
            reading = ranked.Reading(who, Tier.WORKING, ask, known, soft)
            hits = ranked.best(tx, self._kit.index, reading, CONSIDERED)
            grounds = {
                hit.memory.memory_id: _lost_ground(tx, who, hit.memory, moment, known)
                for hit in hits
                if hit.memory.predicate == "depends_on"
            }
        if len(hits) == CONSIDERED:
            note = (note + "; " if note else "") + f"only the {CONSIDERED} best notes were considered"
        return self._packed(hits, grounds, budget, moment, note)

    def _packed(
        self, hits: list[Hit], grounds: Mapping[str, str], budget: int, moment: int, note: str
    ) -> Context:
        standing = [hit for hit in hits if not grounds.get(hit.memory.memory_id)]
        texts = [label.line(hit.memory, moment) for hit in standing]
        packed = pack.pack(texts, budget, lambda text: self._kit.count_tokens(text + "\n"))
        lines = tuple(
            Line(standing[place].memory, texts[place], packed.tokens[place], standing[place].parts)
            for place in packed.chosen
        )
        skipped = [LeftOut(standing[skip.place].memory, skip.tokens, skip.reason) for skip in packed.skipped]
        for hit in hits:
            if reason := grounds.get(hit.memory.memory_id):
                cost = self._kit.count_tokens(label.line(hit.memory, moment) + "\n")
                skipped.append(LeftOut(hit.memory, cost, reason))
        return Context(lines, tuple(skipped), packed.used, budget, note)

    def stats(
        self, *, at: Moment | None = None, known_at: Moment | None = None, widen: str | None = None
    ) -> dict[str, Any]:
        """Return how many live notes there are, by predicate and by session, and their tokens."""
        with self._kit.asking(self._who, "working.stats", at, known_at, widen) as (tx, who, moment, known):
            notes = admissible.newest(tx, who, moment, known, tier=Tier.WORKING)
        return {
            "notes": len(notes),
            "predicates": dict(sorted(Counter(note.predicate for note in notes).items())),
            "sessions": dict(sorted(Counter(note.session for note in notes).items())),
            "tokens": sum(self._kit.count_tokens(note.content) for note in notes),
        }


def _lost_ground(tx: Transaction, who: Principal, note: Memory, at: int, known: int | None) -> str:
    """Say what a note rests on that may no longer be believed, or ""."""
    for parent in lineage.grounds(tx, who.tenant, note.memory_id):
        if admissible.by_id(tx, who, parent, at, known) is None:
            return f"depends on {parent}, which is no longer live"
    return ""


def _check_age(value: object) -> None:
    if value is not None and (not isinstance(value, timedelta) or value < timedelta(0)):
        raise InvalidInput("older_than", f"must be a timedelta of 0 or more, not {value!r}")


def _check_rewrites(value: object) -> None:
    if not isinstance(value, Mapping):
        raise InvalidInput("rewrites", f"must map {' or '.join(REWRITES)} to a text, not {value!r}")
    for name, wording in value.items():
        if name not in REWRITES:
            raise InvalidInput("rewrites", f"knows {' and '.join(REWRITES)}, not {name!r}")
        shape.check_text(f"rewrites.{name}", wording)
