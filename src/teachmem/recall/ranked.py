"""One ranked read, whole: propose by the index, decide by the clause, score exactly, explain.

1. The index proposes the best rows of the partitions that the reader may read.
2. Each proposed row is read from the table through the admissible clause, by its key.
3. What is left is scored by the plain formula and sorted: ties by newest, then id.

If the clause withheld so many that fewer than k are left, more are proposed. A question about what
the ledger held in the past, or about what has lapsed, skips the index, which knows only what holds now,
and loops over the table.

Left out: where the question's settings come from; each tier has its own.
"""

from __future__ import annotations

from dataclasses import dataclass

from teachmem.clock import MICROS_PER_HOUR, from_micros, to_micros
from teachmem.errors import InvalidInput, NotFound
from teachmem.ledger.database import Transaction
from teachmem.principal import Principal
from teachmem.recall import rank, score, text, when
from teachmem.recall.index import LexicalIndex
from teachmem.record import Gate, Hit, Memory, WhyNot
from teachmem.rules import admissible, validity
from teachmem.vocabulary import LIVE, MAX_CONTENT, Tier

MOST_TERMS = 256  # distinct words of a question that count; more is a text, not a question


@dataclass(frozen=True, slots=True)
class Reading:
    """Who reads which tier, as of when (microseconds), and what is asked."""

    reader: Principal
    tier: Tier
    ask: rank.Ask
    known_at: int | None = None
    lapsed: bool = False  # whether what is over counts too, at a discount

    @property
    def of_table(self) -> bool:
        """Whether the indexes, which know what holds now, cannot answer."""
        return self.lapsed or self.known_at is not None


def question_terms(question: object) -> tuple[tuple[str, ...], str]:
    """Return the distinct terms that count and, where the question is unusual, a sentence about it."""
    if not isinstance(question, str):
        raise InvalidInput("query", f"must be a string, not {type(question).__name__}")
    if len(question) > MAX_CONTENT:
        raise InvalidInput("query", f"is {len(question):,} characters long; ask in at most {MAX_CONTENT:,}")
    distinct = tuple(dict.fromkeys(text.terms(question)))
    if not distinct:
        return (), "the question has no word to look for, so relevance is 0 for every memory"
    if len(distinct) > MOST_TERMS:
        return distinct[:MOST_TERMS], f"only the first {MOST_TERMS} distinct words of the question count"
    return distinct, ""


def best(tx: Transaction, index: LexicalIndex, reading: Reading, k: int) -> list[Hit]:
    """Return the k best admissible memories, best first."""
    if reading.of_table:
        return by_loop(tx, reading)[:k]
    with index.reading(tx, reading.reader, reading.tier) as found_in:
        partitions = list(found_in.values())
        corpus = rank.corpus_of(partitions, reading.ask.at)
        size = sum(part.events for part in partitions)
        proposed = k
        while True:
            ids = rank.top(partitions, reading.ask, proposed)
            rows = admissible.by_ids(tx, reading.reader, ids, reading.ask.at)
            found = [scored(memory, reading.ask, corpus) for memory in rows]
            if len(found) >= k or proposed >= size:
                return sorted(found, key=_order)[:k]
            proposed = min(size, proposed * 4)


def scored(memory: Memory, ask: rank.Ask, corpus: score.Corpus) -> Hit:
    """Score one memory by the plain formula."""
    age = (ask.at - to_micros(memory.happened_at)) / MICROS_PER_HOUR
    found = score.parts(
        score.recency(age, ask.half_life_hours),
        memory.importance or 0.0,
        score.relevance(ask.terms, text.terms(memory.content), corpus),
        ask.weights,
    )
    if ask.window:
        found["when"] = when.EVENTS * ask.window.holds(to_micros(memory.happened_at))
    if validity.is_over(memory, ask.at):
        found = score.discounted(found)
    return Hit(memory, score.total(found), found)


def _order(hit: Hit) -> tuple[float, int, str]:
    return (-hit.score, -to_micros(hit.memory.happened_at), hit.memory.memory_id)


def by_loop(tx: Transaction, reading: Reading) -> list[Hit]:
    """Score every admissible memory of the table and return all, best first: slow, and the meaning."""
    rows = readable(tx, reading)
    corpus = score.Corpus.of(text.terms(memory.content) for memory in rows)
    wanted = [row for row in rows if reading.ask.session in (None, row.session)]
    return sorted((scored(memory, reading.ask, corpus) for memory in wanted), key=_order)


def readable(tx: Transaction, reading: Reading) -> list[Memory]:
    """Return every admissible memory of the tier, newest record first."""
    return admissible.newest(
        tx,
        reading.reader,
        reading.ask.at,
        reading.known_at,
        lapsed=reading.lapsed,
        tier=str(reading.tier),
    )


def why_not(
    tx: Transaction, index: LexicalIndex, reading: Reading, kept: tuple[Hit, ...], memory_id: str
) -> WhyNot:
    """Name every gate between a memory and the answer `kept`, for somebody who may see the memory."""
    memory, gates = gates_of(tx, reading, memory_id)
    if all(gate.passed for gate in gates):
        gates.append(_rank_gate(tx, index, reading, kept, memory))
    return WhyNot(memory_id, tuple(gates))


def gates_of(tx: Transaction, reading: Reading, memory_id: str) -> tuple[Memory, list[Gate]]:
    """Return the memory as it is judged, and every gate before the ranking; raise `NotFound`."""
    memory = admissible.in_scope(tx, reading.reader, memory_id)
    if memory is None:
        raise NotFound(memory_id)
    if reading.known_at is not None:  # judge the version that the ledger held then, if it was believed
        then = admissible.by_id(tx, reading.reader, memory_id, reading.ask.at, reading.known_at)
        memory = then or memory
    return memory, _gates(memory, reading)


def _gates(memory: Memory, reading: Reading) -> list[Gate]:
    at, session = reading.ask.at, reading.ask.session
    times = [
        None if moment is None else to_micros(moment)
        for moment in (memory.valid_from, memory.valid_to, memory.expires_at)
    ]
    if reading.lapsed:
        times[1] = None
    holds = validity.holds(at, *times)
    gates = [
        Gate("scope", True, "you may see it"),
        Gate("tier", memory.tier == reading.tier, f"it is {memory.tier} memory, this reads {reading.tier}"),
        Gate("status", memory.status in LIVE, _status(memory)),
        Gate("time", holds, "it holds" if holds else _lapse(memory, at)),
    ]
    if session is not None:
        gates.append(
            Gate("session", memory.session == session, f"its session is {memory.session!r}, not {session!r}")
        )
    if reading.known_at is not None:
        known = to_micros(memory.recorded_at) <= reading.known_at
        said = f"this version was recorded at {memory.recorded_at.isoformat()}"
        gates.append(Gate("known", known, said))
    return gates


def _status(memory: Memory) -> str:
    flags = ", ".join(f"{other} {said}" for other, said in sorted(memory.flags.items()))
    return f"its status is {memory.status}" + (f"; flagged: {flags}" if flags else "")


def _lapse(memory: Memory, at: int) -> str:
    when = from_micros(at).isoformat()
    if memory.valid_from and to_micros(memory.valid_from) > at:
        return f"it holds only from {memory.valid_from.isoformat()}, asked about {when}"
    if memory.valid_to and to_micros(memory.valid_to) <= at:
        return f"it held until {memory.valid_to.isoformat()}, asked about {when}"
    return f"it expired at {memory.expires_at.isoformat() if memory.expires_at else '?'}, asked about {when}"


def _rank_gate(
    tx: Transaction, index: LexicalIndex, reading: Reading, kept: tuple[Hit, ...], memory: Memory
) -> Gate:
    memory_id = memory.memory_id
    place = next((i for i, hit in enumerate(kept, 1) if hit.memory.memory_id == memory_id), None)
    if place is not None:
        return Gate("rank", True, f"it is number {place} of {len(kept)}")
    if reading.of_table:
        ordered = by_loop(tx, reading)
        own = next((hit for hit in ordered if hit.memory.memory_id == memory_id), None)
        place = ordered.index(own) + 1 if own else None
    else:
        with index.reading(tx, reading.reader, reading.tier) as found_in:
            partitions = list(found_in.values())
            own = scored(memory, reading.ask, rank.corpus_of(partitions, reading.ask.at))
            place = rank.place(partitions, reading.ask, memory_id)
    if own is None or place is None:
        return Gate("rank", False, "it has come since this answer was given; ask again")
    said = ", ".join(f"{name} {value:.3f}" for name, value in own.parts.items())
    reason = f"it scored {own.score:.3f} ({said}) and stands at {place}"
    if kept:
        reason += f"; the last of the {len(kept)} kept scored {kept[-1].score:.3f}"
    if reading.ask.weights.relevance and not own.parts["relevance"]:
        reason += "; it shares no word with the question"
    return Gate("rank", False, reason)
