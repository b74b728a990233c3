"""Assembling a context: what a model is handed, each line saying how far it may be relied on.

    keystones, then facts, notes and events in the order of their rank, then what is untrusted

Every line is one memory, verbatim and in quotation marks, behind a label (`recall/label.py`). Whatever a
text holds, it cannot end its line, open another or pass for a heading. Keystones are packed first; facts,
notes and events take turns for what is left, so that no kind crowds out another; a line that does not fit
is skipped and the next one tried. Quarantined texts come last, behind a warning, in what room remains.

Left out: the answer. This is what it may be drawn from.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from typing import Any

from teachmem.clock import Moment, from_micros
from teachmem.flow import due, untrusted
from teachmem.principal import Principal
from teachmem.recall import hybrid, label, pack, ranked, score
from teachmem.record import Memory
from teachmem.rules import admissible
from teachmem.tiers.episodic import EpisodicMemory
from teachmem.tiers.kit import Kit
from teachmem.tiers.semantic import SemanticMemory
from teachmem.tiers.working import WorkingMemory

FACTS, EVENTS, WAITING = 12, 8, 3  # lines of each at most; notes are packed by their own tier
WEIGHTS = score.Weights(recency=0.1, importance=0.1, relevance=0.8)  # an answer is not what is newest


@dataclass(frozen=True, slots=True)
class Line:
    """One line: the section it stands in, its id, its text and its tokens.

    `memory` is what it says, or None for a line that is no memory: what is untrusted.
    """

    section: str
    id: str
    text: str
    tokens: int
    memory: Memory | None = None


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A line that did not fit, and why."""

    section: str
    id: str
    reason: str


@dataclass(frozen=True, slots=True)
class Assembled:
    """A context: `str()` is the text for a model, `used` its tokens. `note` says what it lacks."""

    query: str | None
    lines: tuple[Line, ...]
    skipped: tuple[LeftOut, ...]
    used: int
    budget: int
    note: str = ""

    def section(self, name: str) -> tuple[Line, ...]:
        """Return the lines of one section: keystone, fact, note, event or untrusted."""
        return tuple(line for line in self.lines if line.section == name)

    def __str__(self) -> str:
        trusted = [line.text for line in self.lines if line.section != "untrusted"]
        waiting = [line.text for line in self.section("untrusted")]
        return "\n".join(trusted + ([untrusted.WARNING, *waiting] if waiting else []))


@dataclass(frozen=True, slots=True)
class Tiers:
    """The memories of one principal that a context is drawn from."""

    working: WorkingMemory
    episodic: EpisodicMemory
    semantic: SemanticMemory


@dataclass(frozen=True, slots=True)
class _Row:
    section: str
    id: str
    text: str
    memory: Memory | None = None


def _row(section: str, memory: Memory) -> _Row:
    return _Row(section, memory.memory_id, label.full(memory), memory)


def assemble(
    kit: Kit,
    who: Principal,
    tiers: Tiers,
    query: str | None = None,
    budget: int = 1500,
    session: str | None = None,
    at: Moment | None = None,
    known_at: Moment | None = None,
) -> Assembled:
    """Return the context for a question, or for a turn without one, within `budget` tokens.

    Without a question it holds the keystones, the newest notes and the newest events, no facts.
    """
    pack.check_budget(budget)
    asked, _ = ranked.question_terms(query) if query is not None else ((), "")
    times: dict[str, Any] = {"at": at, "known_at": known_at}
    if at is None:  # one moment for all of them
        with kit.reading(who, at, known_at) as (_, moment, _known):
            times["at"] = from_micros(moment)
    sections = {
        "fact": _facts(tiers, query, **times) if asked else [],
        "note": [line.memory for line in tiers.working.context(query, budget, session, **times).lines],
        "event": _events(tiers, query if asked else None, session, **times),
    }
    return packed(kit, who, sections, query, budget, **times)


def packed(
    kit: Kit,
    who: Principal,
    sections: Mapping[str, Sequence[Memory]],
    query: str | None = None,
    budget: int = 1500,
    at: Moment | None = None,
    known_at: Moment | None = None,
) -> Assembled:
    """Return the context of `sections`, each best first, between keystones and untrusted text."""
    pack.check_budget(budget)
    asked, note = ranked.question_terms(query) if query is not None else ((), "")
    with kit.reading(who, at, known_at) as (tx, moment, known):
        pinned = admissible.newest(tx, who, moment, known, keystones=True)[::-1]
        waiting = untrusted.matching(tx, who, asked, moment, WAITING) if asked and known is None else []
    taken = {memory.memory_id for memory in pinned}
    others = [
        [_row(name, memory) for memory in found if memory.memory_id not in taken]
        for name, found in sections.items()
    ]
    rows = [_row("keystone", memory) for memory in pinned]
    rows += [row for row in chain.from_iterable(zip_longest(*others)) if row]
    last = [_Row("untrusted", one.candidate_id, one.line) for one in waiting]
    lines, skipped, used = _packed(kit, rows, budget)
    room = budget - used - kit.count_tokens(untrusted.WARNING + "\n")
    more, left_out, cost = _packed(kit, last, max(room, 0))
    if more:
        used += cost + kit.count_tokens(untrusted.WARNING + "\n")
    order = ("keystone", *sections)
    lines.sort(key=lambda line: order.index(line.section))  # stable: within a section by rank
    return Assembled(query, (*lines, *more), (*skipped, *left_out), used, budget, note)


def _packed(kit: Kit, rows: Sequence[_Row], budget: int) -> tuple[list[Line], list[LeftOut], int]:
    chosen = pack.pack([row.text for row in rows], budget, lambda text: kit.count_tokens(text + "\n"))
    lines = [
        Line(rows[i].section, rows[i].id, rows[i].text, chosen.tokens[i], rows[i].memory)
        for i in chosen.chosen
    ]
    skipped = [LeftOut(rows[skip.place].section, rows[skip.place].id, skip.reason) for skip in chosen.skipped]
    return lines, skipped, chosen.used


def _facts(tiers: Tiers, query: str | None, at: Moment | None, known_at: Moment | None) -> list[Memory]:
    """Return the facts that are about the question: search alone gives the nearest, however far."""
    hits = tiers.semantic.search(query or "", FACTS, at=at, known_at=known_at)
    return [hit.memory for hit in hits if hit.raw["words"] > 0 or hit.raw["meaning"] >= hybrid.ABOUT]


def _events(
    tiers: Tiers,
    query: str | None,
    session: str | None,
    at: Moment | None,
    known_at: Moment | None,
) -> list[Memory]:
    if query is None:
        found = tiers.episodic.recent(EVENTS, session, at=at, known_at=known_at)
    else:
        hits = tiers.episodic.recall(
            query, EVENTS, weights=WEIGHTS, session=session, at=at, known_at=known_at
        )
        found = [hit.memory for hit in hits if hit.parts["relevance"] > 0]
    return [event for event in found if event.kind not in due.BOOK_KEEPING]
