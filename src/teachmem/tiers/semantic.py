"""Semantic memory: what is held to be true, with who says so, how surely, and for which time.

A fact may carry a triple (subject, predicate, object); its text is verbatim either way. Confidence
says how sure the claim is; it is not the status, and neither says whether anybody said it at all.
Search is by words and by meaning together, and every hit says what each of the two contributed.

Nothing is overwritten: a revision or a retraction is a new version, and what was held before can be
asked for with `known_at`.

Left out: deciding between claims that contradict (`rules/conflict.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from teachmem.clock import Moment
from teachmem.errors import InvalidInput, MemoryRefused, NotFound, StoreError, TeachmemError
from teachmem.principal import Principal
from teachmem.recall import enrich
from teachmem.record import EMPTY, Draft, History, Memory, Page, Receipt, Recollection, Step
from teachmem.rules import admissible, amend, shape
from teachmem.tiers import page, search
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
        valid_from: Moment | None = None,
        valid_to: Moment | None = None,
        expires_at: Moment | None = None,
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
        except StoreError as error:  # of the store, not of the item
            return Receipt(Verdict.REFUSED, steps=(Step("write", Outcome.REFUSED, str(error)),))
        except (TeachmemError, TypeError, ValueError, RecursionError) as error:  # an item may be anything
            return Receipt(Verdict.REFUSED, steps=(Step("shape", Outcome.REFUSED, str(error)),))

    def search(
        self,
        query: str,
        k: int = 5,
        kinds: Iterable[str] | None = None,
        *,
        when: bool = True,
        lapsed: str = "exclude",
        at: Moment | None = None,
        known_at: Moment | None = None,
        widen: str | None = None,
    ) -> Recollection:
        """Return the k best facts by words and meaning; `kinds` narrows them down.

        A question that speaks of a time ("in March") raises what holds in it by the part `when` and leaves
        nothing out; `when=False` does not read it. `lapsed="discount"` leaves in what is over, at half its
        score. `note` says if no hit is good enough to be an answer, or what could not be consulted.
        """
        asked = search.Asked("search", query, str(Tier.SEMANTIC), _kinds(kinds))
        return search.searched(self._kit, self._who, asked, k, when, lapsed, at, known_at, widen)

    def search_documents(
        self,
        query: str,
        k: int = 5,
        *,
        when: bool = True,
        lapsed: str = "exclude",
        at: Moment | None = None,
        known_at: Moment | None = None,
        widen: str | None = None,
    ) -> Recollection:
        """Return the k best documents of the catalogue, which `search` leaves out."""
        asked = search.Asked("search_documents", query, "document", None)
        return search.searched(self._kit, self._who, asked, k, when, lapsed, at, known_at, widen)

    def get(
        self,
        memory_id: str,
        *,
        at: Moment | None = None,
        known_at: Moment | None = None,
        widen: str | None = None,
    ) -> Memory:
        """Return one fact by its id, or raise `NotFound`: absent and out of scope sound the same."""
        with self._kit.asking(self._who, "semantic.get", at, known_at, widen) as (tx, who, moment, known):
            found = admissible.by_id(tx, who, memory_id, moment, known)
        if found is None or found.tier is not Tier.SEMANTIC:
            raise NotFound(memory_id)
        return found

    def history(self, memory_id: str, *, widen: str | None = None) -> History:
        """Return every version of a fact that you may see, oldest first, whatever its status or time.

        It looks along both axes at once, and so takes neither `at` nor `known_at`; `.frame()` shows them.
        """
        with self._kit.asking(self._who, "semantic.history", None, None, widen) as (tx, who, _, _):
            found = History(admissible.versions(tx, who, memory_id))
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
        at: Moment | None = None,
        known_at: Moment | None = None,
        widen: str | None = None,
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
        after = page.place(cursor)
        with self._kit.asking(self._who, "semantic.list", at, known_at, widen) as (tx, who, moment, known):
            rows = admissible.newest(
                tx,
                who,
                moment,
                known,
                limit + 1,
                after=after,
                no_documents=kind is None,
                filters={"tier": Tier.SEMANTIC, **chosen},
            )
        more = len(rows) > limit
        last = rows[limit - 1] if more else None
        return Page(tuple(rows[:limit]), page.cursor(int(last.seq), last.memory_id) if last else None)

    def revise(self, memory_id: str, *, request_id: str | None = None, **changes: Any) -> Receipt:
        """Write the next version of a fact with `changes`; the old one stays readable by `known_at`.

        What can change: content, subject, predicate, object, kind, confidence, is_inferred, source,
        valid_from, valid_to, expires_at, qualifiers. A fact of somebody else is put before a person.
        """
        return amend.revise(self._kit.gate, self._who, Tier.SEMANTIC, memory_id, changes, request_id)

    def retract(self, memory_id: str, reason: str, *, request_id: str | None = None) -> Receipt:
        """Withdraw a fact, and keep why. No read returns it from now on; `history` and `known_at` do."""
        return amend.retract(self._kit.gate, self._who, Tier.SEMANTIC, memory_id, reason, request_id)

    def stats(
        self, *, at: Moment | None = None, known_at: Moment | None = None, widen: str | None = None
    ) -> dict[str, Any]:
        """Return how many facts there are, by kind, source and author, and how many documents."""
        with self._kit.asking(self._who, "semantic.stats", at, known_at, widen) as (tx, who, moment, known):
            columns = ("kind", "source", "agent", "predicate")
            groups = admissible.tally(tx, who, Tier.SEMANTIC, columns, moment, known)
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
