"""A search of facts or documents, from the question to the recollection: times, width, notes.

What is found, and in which order, is `recall/hybrid.py`. Here is what a question needs around that: the
time that it speaks of is read, the settings and notes are said, and `why_not` can be asked later.

Left out: checking what a caller may ask for by kind (`tiers/semantic.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

from teachmem.clock import Moment, from_micros
from teachmem.principal import Principal
from teachmem.recall import anchor, hybrid, ranked
from teachmem.recall.hybrid import Question
from teachmem.recall.when import Window
from teachmem.record import Recollection, WhyNot
from teachmem.tiers.kit import Kit, check_count, check_lapsed


@dataclass(frozen=True, slots=True)
class Asked:
    """A search in words, and in what it looks."""

    read: str
    query: str
    family: str
    kinds: frozenset[str] | None


def searched(
    kit: Kit,
    me: Principal,
    asked: Asked,
    k: int,
    when: bool,
    lapsed: str,
    at: Moment | None,
    known_at: Moment | None,
    widen: str | None,
) -> Recollection:
    """Return the k best memories of a family by words and meaning, with a note on what limits the answer."""
    k, soft, query = check_count("k", k), check_lapsed(lapsed), asked.query
    terms, note = ranked.question_terms(query)
    with kit.asking(me, f"semantic.{asked.read}", at, known_at, widen) as (tx, who, moment, known):
        window = anchor.window_of(tx, kit.index, who, moment, known, query) if when else None
        question = Question(who, asked.family, query, terms, moment, known, asked.kinds, window, lapsed=soft)
        found = hybrid.search(tx, kit.index, kit.near, question, k)
    if not found.hits:
        note = "there is no such memory that you may read"
    elif not found.answered:
        note = "nothing here is close enough to be an answer; these are the nearest"
    note = "; ".join(filter(None, (note, found.note, _over(window, moment, soft))))

    def explain(memory_id: str) -> WhyNot:
        with kit.asking(me, "semantic.why_not", None, None, widen) as (tx, *_):
            return hybrid.why_not(tx, kit.index, kit.near, question, found, memory_id)

    settings = {"k": k, "weights": dict(hybrid.WEIGHTS), "answered": found.answered}
    settings |= {"when": str(window)} if window else {}
    settings |= {"lapsed": lapsed} if soft else {}
    return Recollection(query, found.hits, from_micros(moment), note, MappingProxyType(settings), explain)


def _over(window: Window | None, at: int, soft: bool) -> str:
    """Say that a question about a time that is over leaves out what held only then, or ""."""
    if window is None or window.end is None or window.end > at or soft:
        return ""
    return f"{window.words!r} is over, and so is what held only then: ask with at= or lapsed='discount'"
