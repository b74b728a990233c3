"""Episodic memory: the log of what happened, recalled by recency, importance and relevance.

Events are only added. They fade in rank, never from the table, and each comes back with the parts
of its score, so that a surprising answer can be read instead of guessed at.

Source: Park et al. 2023, "Generative Agents" (arXiv:2304.03442), section 4.1.
Left out: summing up many events; consolidation does that, for a person to review.
"""

from __future__ import annotations

from datetime import datetime
from types import MappingProxyType
from typing import Any

from teachmem.clock import from_micros, to_micros
from teachmem.errors import InvalidInput
from teachmem.principal import Principal
from teachmem.recall import importance as importances
from teachmem.recall import pool, rank, ranked, scene, score
from teachmem.recall.score import Weights
from teachmem.record import EMPTY, Draft, Memory, Receipt, Recollection, WhyNot
from teachmem.rules import admissible
from teachmem.tiers.kit import Kit, check_count, check_filter, sums
from teachmem.vocabulary import Tier, Visibility

RELEVANCE = ("words", "hybrid")


class EpisodicMemory:
    """The event log, as one principal may write and read it."""

    def __init__(self, who: Principal, kit: Kit) -> None:
        self._who = who
        self._kit = kit

    def log(
        self,
        kind: str,
        content: str,
        session: str = "s1",
        *,
        importance: float | None = None,
        happened_at: datetime | None = None,
        source: str | None = None,
        visibility: str = Visibility.TEAM,
        request_id: str | None = None,
    ) -> Receipt:
        """Add an event; return its receipt or raise `MemoryRefused`.

        Importance is 0 to 1; left out, it is set by the rule of `recall/importance.py`, and the
        receipt says so. `happened_at` defaults to now.
        """
        noted, detail = "", EMPTY
        if importance is None:
            importance, noted = importances.importance_of(kind, content)
            detail = {"importance_by": noted}
        draft = Draft(
            tier=Tier.EPISODIC,
            kind=kind,
            content=content,
            session=session,
            importance=importance,
            valid_from=happened_at,
            source=source,
            visibility=visibility,
            detail=detail,
        )
        return self._kit.gate.write(self._who, draft, request_id, noted)

    def recall(
        self,
        query: str,
        k: int = 5,
        *,
        weights: Weights | None = None,
        half_life_hours: float = 24,
        session: str | None = None,
        relevance: str = "words",
        at: datetime | None = None,
        known_at: datetime | None = None,
    ) -> Recollection:
        """Return the k events with the highest score for `query`, each with the parts of its score.

        `relevance` is "words" (BM25), or "hybrid": words and meaning, blended with the turns around an
        event and with its session (`recall/surround.py`).
        """
        k = check_count("k", k)
        score.check_half_life(half_life_hours)
        session = check_filter("session", session)
        weights = Weights() if weights is None else weights
        if not isinstance(weights, Weights):
            raise InvalidInput("weights", f"must be a Weights, not {type(weights).__name__}")
        if relevance not in RELEVANCE:
            raise InvalidInput("relevance", f"must be one of {', '.join(RELEVANCE)}, not {relevance!r}")
        asked, note = ranked.question_terms(query)
        with self._kit.reading(self._who, at, known_at) as (tx, moment, known):
            ask = rank.Ask(asked, moment, weights, float(half_life_hours), session)
            reading = ranked.Reading(self._who, Tier.EPISODIC, ask, known)
            if relevance == "hybrid":
                near = pool.near_events(self._kit.index, self._kit.near.embedder)
                hits = tuple(scene.best(tx, self._kit.index, near, reading, query, k))
            else:
                hits = tuple(ranked.best(tx, self._kit.index, reading, k))
        if not asked and any(hit.parts["relevance"] for hit in hits):
            note = "the question has no word to look for, so meaning alone makes a memory relevant"
        notes = [note] if note else []
        if not hits:
            notes.append("there is no event that you may recall")
        elif asked and weights.relevance and not any(hit.parts["relevance"] for hit in hits):
            notes.append("no recalled event shares a word with the question")

        def explain(memory_id: str) -> WhyNot:
            with self._kit.database.read() as tx:
                if relevance == "words":
                    return ranked.why_not(tx, self._kit.index, reading, hits, memory_id)
                near = pool.near_events(self._kit.index, self._kit.near.embedder)
                return scene.why_not(tx, self._kit.index, near, reading, query, hits, memory_id)

        settings = {
            "k": k,
            "weights": weights,
            "half_life_hours": half_life_hours,
            "session": session,
            "relevance": relevance,
        }
        return Recollection(
            query, hits, from_micros(moment), "; ".join(notes), MappingProxyType(settings), explain
        )

    def recent(
        self,
        n: int = 20,
        session: str | None = None,
        *,
        at: datetime | None = None,
        known_at: datetime | None = None,
    ) -> list[Memory]:
        """Return the n events that happened last, newest first."""
        return self._events(session, at, known_at, limit=check_count("n", n))

    def since(
        self,
        moment: datetime,
        session: str | None = None,
        *,
        at: datetime | None = None,
        known_at: datetime | None = None,
    ) -> list[Memory]:
        """Return every event that happened at `moment` or later, newest first."""
        return self._events(session, at, known_at, since=to_micros(moment, "moment"))

    def stats(self, *, at: datetime | None = None, known_at: datetime | None = None) -> dict[str, Any]:
        """Return how many events there are, by kind and by session, with the oldest and newest time."""
        with self._kit.reading(self._who, at, known_at) as (tx, moment, known):
            groups = admissible.tally(tx, self._who, Tier.EPISODIC, ("kind", "session"), moment, known)
        return {
            "events": sum(group[2] for group in groups),
            "kinds": sums(groups, 0),
            "sessions": sums(groups, 1),
            "oldest": from_micros(min(group[3] for group in groups)) if groups else None,
            "newest": from_micros(max(group[4] for group in groups)) if groups else None,
        }

    def _events(
        self,
        session: str | None,
        at: datetime | None,
        known_at: datetime | None,
        *,
        since: int | None = None,
        limit: int | None = None,
    ) -> list[Memory]:
        session = check_filter("session", session)
        with self._kit.reading(self._who, at, known_at) as (tx, moment, known):
            return admissible.newest(
                tx,
                self._who,
                moment,
                known,
                limit,
                by_event=True,
                since=since,
                tier=Tier.EPISODIC,
                session=session,
            )
