"""Semantic memory: what is held to be true, with who says so, how surely, and for which time.

A fact may carry a triple (subject, predicate, object); its text is verbatim either way. Confidence
says how sure the claim is; it is not the status, and neither says whether anybody said it at all.
Search is by words and by meaning together, and every hit says what each of the two contributed.

Nothing is overwritten: a revision or a retraction is a new version, and what was held before can be
asked for with `known_at`.

Left out: deciding between claims that contradict (`rules/conflict.py`).
"""

from __future__ import annotations

import base64
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Any

from teachmem.clock import from_micros
from teachmem.errors import InvalidInput, MemoryRefused, NotFound, TeachmemError
from teachmem.principal import Principal
from teachmem.recall import enrich, hybrid, ranked
from teachmem.recall.hybrid import Question
from teachmem.record import EMPTY, Draft, Memory, Page, Receipt, Recollection, Step, WhyNot
from teachmem.rules import admissible, amend, shape
from teachmem.tiers.kit import Kit, check_count, check_filter, sums
from teachmem.vocabulary import CATALOGUE_KINDS, KINDS, Outcome, Tier, Verdict, Visibility

MOST_ON_A_PAGE = 1_000_000
FACTS = tuple(kind for kind in KINDS[Tier.SEMANTIC] if kind not in CATALOGUE_KINDS)


class SemanticMemory:
    """The facts, as one principal may write and read them."""

    def __init__(self, who: Principal, kit: Kit) -> None:
        self._who = who
        self._kit = kit

    def remember(
        self,
        content: str,
        *,
        subject: str | None = None,
        predicate: str | None = None,
        object: str | None = None,
        kind: str = "fact",
        source: str | None = None,
        confidence: float | None = None,
        is_inferred: bool = False,
        valid_from: datetime | None = None,
        valid_to: datetime | None = None,
        expires_at: datetime | None = None,
        qualifiers: Mapping[str, Any] = EMPTY,
        visibility: str = Visibility.TEAM,
        evidence: Sequence[str] = (),
        enriched: Mapping[str, Any] = EMPTY,
        request_id: str | None = None,
    ) -> Receipt:
        """Hold something to be true; return its receipt or raise `MemoryRefused`.

        `confidence` is 0 to 1; `is_inferred` says that you concluded it and that nobody said it. The
        interval from `valid_from` to `valid_to` is half-open, either end may be left open. `evidence` names
        memories that this rests on. `enriched` says title, tags, kind, dates or triple of the text yourself,
        in place of what would be suggested beside it.
        """
        draft = Draft(
            tier=Tier.SEMANTIC,
            kind=kind,
            content=content,
            subject=subject,
            predicate=predicate,
            object=object,
            confidence=confidence,
            is_inferred=is_inferred,
            source=source,
            valid_from=valid_from,
            valid_to=valid_to,
            expires_at=expires_at,
            qualifiers=qualifiers,
            visibility=visibility,
            evidence=tuple(evidence) if isinstance(evidence, list) else evidence,
            detail={"enriched": enrich.said(enriched)} if enriched else EMPTY,
        )
        return self._kit.gate.write(self._who, draft, request_id)

    def remember_many(self, items: Iterable[Mapping[str, Any]]) -> list[Receipt]:
        """Remember each item, a mapping of `remember`'s arguments; return one receipt each, in order.

        Every item is a write of its own: a bad one gets a receipt that says refused, and why, and its
        neighbours are kept.
        """
        if isinstance(items, str | Mapping) or not isinstance(items, Iterable):
            raise InvalidInput("items", "must be a list of mappings, each with the arguments of `remember`")
        return [self._one_of_many(item) for item in items]

    def _one_of_many(self, item: Mapping[str, Any]) -> Receipt:
        try:
            return self.remember(**item)
        except MemoryRefused as refusal:
            return refusal.receipt
        except NotFound as error:
            return Receipt(Verdict.REFUSED, steps=(Step("links", Outcome.REFUSED, str(error)),))
        except (TeachmemError, TypeError, ValueError, RecursionError) as error:  # an item may be anything
            return Receipt(Verdict.REFUSED, steps=(Step("shape", Outcome.REFUSED, str(error)),))

    def search(
        self,
        query: str,
        k: int = 5,
        kinds: Iterable[str] | None = None,
        *,
        at: datetime | None = None,
        known_at: datetime | None = None,
    ) -> Recollection:
        """Return the k best facts by words and meaning; `kinds` narrows them down.

        `note` says if no hit is good enough to be an answer, or what could not be consulted.
        """
        return self._searched(query, k, str(Tier.SEMANTIC), _kinds(kinds), at, known_at)

    def search_documents(
        self, query: str, k: int = 5, *, at: datetime | None = None, known_at: datetime | None = None
    ) -> Recollection:
        """Return the k best documents of the catalogue, which `search` leaves out."""
        return self._searched(query, k, "document", None, at, known_at)

    def _searched(
        self,
        query: str,
        k: int,
        family: str,
        kinds: frozenset[str] | None,
        at: datetime | None,
        known_at: datetime | None,
    ) -> Recollection:
        k = check_count("k", k)
        asked, note = ranked.question_terms(query)
        kit = self._kit
        with kit.reading(self._who, at, known_at) as (tx, moment, known):
            question = Question(self._who, family, query, asked, moment, known, kinds)
            found = hybrid.search(tx, kit.index, kit.near, question, k)
        if not found.hits:
            note = "there is no such memory that you may read"
        elif not found.answered:
            note = "nothing here is close enough to be an answer; these are the nearest"
        note = "; ".join(filter(None, (note, found.note)))

        def explain(memory_id: str) -> WhyNot:
            with kit.database.read() as tx:
                return hybrid.why_not(tx, kit.index, kit.near, question, found, memory_id)

        settings = MappingProxyType({"k": k, "weights": dict(hybrid.WEIGHTS), "answered": found.answered})
        return Recollection(query, found.hits, from_micros(moment), note, settings, explain)

    def get(self, memory_id: str, *, at: datetime | None = None, known_at: datetime | None = None) -> Memory:
        """Return one fact by its id, or raise `NotFound`: absent and out of scope sound the same."""
        with self._kit.reading(self._who, at, known_at) as (tx, moment, known):
            found = admissible.by_id(tx, self._who, memory_id, moment, known)
        if found is None or found.tier is not Tier.SEMANTIC:
            raise NotFound(memory_id)
        return found

    def history(self, memory_id: str) -> list[Memory]:
        """Return every version of a fact that you may see, oldest first, whatever its status or time."""
        with self._kit.reading(self._who, None, None) as (tx, _, _):
            found = admissible.versions(tx, self._who, memory_id)
        if not found or found[0].tier is not Tier.SEMANTIC:
            raise NotFound(memory_id)
        return found

    def list(
        self,
        *,
        kind: str | None = None,
        subject: str | None = None,
        predicate: str | None = None,
        object: str | None = None,
        author: str | None = None,
        limit: int = 50,
        cursor: str | None = None,
        at: datetime | None = None,
        known_at: datetime | None = None,
    ) -> Page:
        """Return a page of the facts that match, newest record first; hand `page.cursor` in for the next.

        Documents are left out unless asked for with `kind="document"`. What is written or revised while
        somebody turns pages stands at the front, before the pages that are still to come.
        """
        limit = min(check_count("limit", limit), MOST_ON_A_PAGE)
        filters = {
            "kind": kind,
            "subject": subject,
            "predicate": predicate,
            "object": object,
            "agent": author,
        }
        chosen = {name: check_filter(name, value) for name, value in filters.items()}
        after = _after(cursor)
        with self._kit.reading(self._who, at, known_at) as (tx, moment, known):
            rows = admissible.newest(
                tx,
                self._who,
                moment,
                known,
                limit + 1,
                after=after,
                no_documents=kind is None,
                filters={"tier": Tier.SEMANTIC, **chosen},
            )
        more = len(rows) > limit
        return Page(tuple(rows[:limit]), _cursor(rows[limit - 1]) if more else None)

    def revise(self, memory_id: str, *, request_id: str | None = None, **changes: Any) -> Receipt:
        """Write the next version of a fact with `changes`; the old one stays readable by `known_at`.

        What can change: content, subject, predicate, object, kind, confidence, is_inferred, source,
        valid_from, valid_to, expires_at, qualifiers. A fact of somebody else is put before a person.
        """
        return amend.revise(self._kit.gate, self._who, Tier.SEMANTIC, memory_id, changes, request_id)

    def retract(self, memory_id: str, reason: str, *, request_id: str | None = None) -> Receipt:
        """Withdraw a fact, and keep why. No read returns it from now on; `history` and `known_at` do."""
        return amend.retract(self._kit.gate, self._who, Tier.SEMANTIC, memory_id, reason, request_id)

    def stats(self, *, at: datetime | None = None, known_at: datetime | None = None) -> dict[str, Any]:
        """Return how many facts there are, by kind, source and author, and how many documents."""
        with self._kit.reading(self._who, at, known_at) as (tx, moment, known):
            columns = ("kind", "source", "agent", "predicate")
            groups = admissible.tally(tx, self._who, Tier.SEMANTIC, columns, moment, known)
        facts = [group for group in groups if group[0] not in CATALOGUE_KINDS]
        count, every = (sum(group[4] for group in some) for some in (facts, groups))
        return {
            "facts": count,
            "documents": every - count,
            "kinds": sums(facts, 0),
            "sources": sums(facts, 1),
            "authors": sums(facts, 2),
            "triples": sum(group[4] for group in facts if group[3]),
        }


def _kinds(kinds: Iterable[str] | None) -> frozenset[str] | None:
    if kinds is None:
        return None
    if isinstance(kinds, str):
        raise InvalidInput("kinds", f"is a list of kinds; write kinds=[{kinds!r}]")
    if not isinstance(kinds, Iterable):
        raise InvalidInput("kinds", f"must be a list of kinds, not a {type(kinds).__name__}")
    chosen = list(kinds)
    for kind in chosen:
        shape.check_member("kinds", kind, FACTS)
    return frozenset(chosen)


def _cursor(last: Memory) -> str:
    """Return where a page ends, as text to be handed back."""
    place = json.dumps([int(last.seq), last.memory_id])
    return base64.urlsafe_b64encode(place.encode()).decode()


def _after(cursor: str | None) -> tuple[int, str] | None:
    if cursor is None:
        return None
    try:
        seq, memory_id = json.loads(base64.b64decode(cursor.encode(), altchars=b"-_", validate=True))
        if isinstance(seq, bool) or not isinstance(seq, int) or not 0 <= seq <= sys.maxsize:
            raise ValueError("no place")
        shape.check_name("cursor", memory_id, empty=False)
    except (InvalidInput, ValueError, TypeError, AttributeError, RecursionError) as error:
        raise InvalidInput(
            "cursor", "is none that a page gave; leave it out to start at the front"
        ) from error
    return seq, memory_id
