"""Episodic memory: the log of what happened, recalled by recency, importance and relevance.

Events are only added. They fade in rank, never from the table, and each comes back with the parts
of its score, so that a surprising answer can be read instead of guessed at.

Source: Park et al. 2023, "Generative Agents" (arXiv:2304.03442), section 4.1.
Left out: summing up many events; consolidation does that, for a person to review.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

from teachmem.clock import Moment, from_micros, to_micros
from teachmem.errors import InvalidInput
from teachmem.principal import Principal
from teachmem.recall import anchor, pool, rank, ranked, scene, score
from teachmem.recall import importance as importances
from teachmem.recall.score import Weights
from teachmem.record import EMPTY, Draft, Memory, Receipt, Recollection, WhyNot
from teachmem.rules import admissible
from teachmem.tiers.kit import Kit, check_count, check_filter, check_lapsed, sums
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
        happened_at: Moment | None = None,
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
        when: bool = True,
        lapsed: str = "exclude",
        at: Moment | None = None,
        known_at: Moment | None = None,
        widen: str | None = None,
    ) -> Recollection:
        """Return the k events with the highest score for `query`, each with the parts of its score.

        `relevance` is "words" (BM25), or "hybrid": words and meaning, blended with the turns around an
        event and with its session (`recall/surround.py`). A question that speaks of a time ("last week")
        raises the events of that time by the part `when`, and leaves none out; `when=False` does not read
        it. `lapsed="discount"` leaves in what is over, at half its score.
        """
        k = check_count("k", k)
        score.check_half_life(half_life_hours)
        session = check_filter("session", session)
        weights = Weights() if weights is None else weights
        if not isinstance(weights, Weights):
            raise InvalidInput("weights", f"must be a Weights, not {type(weights).__name__}")
        if relevance not in RELEVANCE:
            raise InvalidInput("relevance", f"must be one of {', '.join(RELEVANCE)}, not {relevance!r}")
        soft = check_lapsed(lapsed)
        asked, note = ranked.question_terms(query)
        with self._kit.asking(self._who, "episodic.recall", at, known_at, widen) as (tx, who, moment, known):
            window = anchor.window_of(tx, self._kit.index, who, moment, known, query) if when else None
            ask = rank.Ask(asked, moment, weights, float(half_life_hours), session, window=window)
            reading = ranked.Reading(who, Tier.EPISODIC, ask, known, soft)
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
            with self._kit.asking(self._who, "episodic.why_not", None, None, widen) as (tx, *_):
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
            **({"when": str(window)} if window else {}),
            **({"lapsed": lapsed} if soft else {}),
        }
        return Recollection(
            query, hits, from_micros(moment), "; ".join(notes), MappingProxyType(settings), explain
        )

    def recent(
        self,
        n: int = 20,
        session: str | None = None,
        *,
        at: Moment | None = None,
        known_at: Moment | None = None,
        widen: str | None = None,
    ) -> list[Memory]:
        """Return the n events that happened last, newest first."""
        return self._events("recent", session, at, known_at, widen, limit=check_count("n", n))

    def since(
        self,
        moment: Moment,
        session: str | None = None,
        *,
        at: Moment | None = None,
        known_at: Moment | None = None,
        widen: str | None = None,
    ) -> list[Memory]:
        """Return every event that happened at `moment` or later, newest first."""
        return self._events("since", session, at, known_at, widen, since=to_micros(moment, "moment"))

    def stats(
        self, *, at: Moment | None = None, known_at: Moment | None = None, widen: str | None = None
    ) -> dict[str, Any]:
        """Return how many events there are, by kind and by session, with the oldest and newest time."""
        with self._kit.asking(self._who, "episodic.stats", at, known_at, widen) as (tx, who, moment, known):
            groups = admissible.tally(tx, who, Tier.EPISODIC, ("kind", "session"), moment, known)
        return {
            "events": sum(group[2] for group in groups),
            "kinds": sums(groups, 0),
            "sessions": sums(groups, 1),
            "oldest": from_micros(min(group[3] for group in groups)) if groups else None,
            "newest": from_micros(max(group[4] for group in groups)) if groups else None,
        }

    def _events(
        self,
        read: str,
        session: str | None,
        at: Moment | None,
        known_at: Moment | None,
        widen: str | None,
        *,
        since: int | None = None,
        limit: int | None = None,
    ) -> list[Memory]:
        session = check_filter("session", session)
        with self._kit.asking(self._who, f"episodic.{read}", at, known_at, widen) as (tx, who, now, known):
            return admissible.newest(
                tx,
                who,
                now,
                known,
                limit,
                by_event=True,
                since=since,
                tier=Tier.EPISODIC,
                session=session,
            )
