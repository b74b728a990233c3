"""Recall of conversations, measured on a LoCoMo file that you have: is the turn found that answers?

LoCoMo (Maharana et al. 2024, arXiv:2402.17753) is ten long conversations with questions whose evidence is
named by turn. Its licence forbids to ship it, so its path is given. Each conversation goes into a store of
its own, every turn through the gate as an event with its speaker and day before it. All ways rank the same
turns:

| way | ranks by |
|---|---|
| bag of words | cosine of word counts, without stems or stop words |
| words | BM25 |
| meaning | cosine of embeddings |
| RRF 60 | the ranks of words and meaning, each 1 / (60 + rank) |
| fused | both scores, stretched and weighed |
| words in surroundings | BM25, blended with the turns beside it and its session |
| recall | `episodic.recall(relevance="hybrid")`, by relevance alone: fused, in surroundings |

Left out: answering the questions, which takes a language model. Category 5 asks what was never said; its
evidence is a turn that misleads, and so it is told apart from 1 to 4.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np

from teachmem import store
from teachmem.bench import conversations, retrieval
from teachmem.bench.conversations import Conversation
from teachmem.bench.measure import Report
from teachmem.clock import LessonClock
from teachmem.ids import CountedIds
from teachmem.ports import Embedder
from teachmem.recall import fuse, surround
from teachmem.recall.score import Weights
from teachmem.recall.vectors import ExactIndex
from teachmem.record import Hit

KINDS = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
WAYS = ("bag of words", "words", "meaning", "RRF 60", "fused", "words in surroundings", "recall")
ALL = "1 to 4"
MEASURES = (*(f"R@{depth}" for depth in retrieval.DEPTHS), "N@10")
MOST_FAULTS = 12  # that are printed
START = datetime(2023, 1, 1, tzinfo=UTC)  # only the order of turns counts; recency has no weight here
RELEVANCE_ALONE = Weights(recency=0, importance=0, relevance=1)
Scores = Mapping[str, float]
Measured = tuple[int, dict[str, list[float]]]  # a question's category, and MEASURES of each way


def run(path: Path, embedder: Embedder | None = None) -> Report:
    """Ask every question of the file that names a turn, and report."""
    found, faults = conversations.read(path)
    asked = [one for conversation in found for one in _ask_all(conversation, embedder)]
    return _report(asked, faults)


def _ask_all(conversation: Conversation, embedder: Embedder | None) -> Iterator[Measured]:
    """Yield the category of each question, and for each way its measures."""
    clock = LessonClock(START + timedelta(days=10_000))
    with store.open_memory(clock=clock, ids=CountedIds(), embedder=embedder, vectors=ExactIndex()) as mem:
        tech = mem.agent("listener", fleet="talk", tenant="locomo")
        turn_of: dict[str, str] = {}
        for place, turn in enumerate(conversation.turns):
            receipt = tech.episodic.log(
                "user_turn",
                turn.said,
                turn.session,
                importance=0.5,
                happened_at=START + timedelta(minutes=place),
            )
            assert receipt.memory is not None, turn.dia_id
            turn_of[receipt.memory.memory_id] = turn.dia_id
        for question in conversation.questions:
            pool = tech.episodic.recall(
                question.words, k=len(turn_of), weights=RELEVANCE_ALONE, relevance="hybrid"
            )
            ranked = _ways(question.words, conversation, {turn_of[hit.memory.memory_id]: hit for hit in pool})
            grades = dict.fromkeys(question.evidence, 1)
            yield question.category, {way: _measures(names, grades) for way, names in ranked.items()}


def _ways(question: str, conversation: Conversation, hits: Mapping[str, Hit]) -> dict[str, list[str]]:
    turns = conversation.turns
    words = {turn.dia_id: hits[turn.dia_id].raw["words"] for turn in turns}
    meaning = {turn.dia_id: hits[turn.dia_id].raw["meaning"] for turn in turns}
    places = [list(fuse.ranks(words)), list(fuse.ranks(meaning))]
    fused = fuse.fuse(
        {"words": words, "meaning": meaning}, {"words": surround.WORDS, "meaning": surround.MEANING}
    )
    return {
        "bag of words": retrieval.ordered(
            retrieval.bags(question, {turn.dia_id: turn.said for turn in turns})
        ),
        "words": places[0],
        "meaning": places[1],
        "RRF 60": retrieval.ordered(fuse.reciprocal_ranks(places)),
        "fused": retrieval.ordered({name: sum(parts.values()) for name, parts in fused.items()}),
        "words in surroundings": retrieval.ordered(_in_surroundings(conversation, words)),
        "recall": list(hits),
    }


def _in_surroundings(conversation: Conversation, words: Scores) -> Scores:
    """Return the words' scores blended with those around, and no vector anywhere."""
    ids = [turn.dia_id for turn in conversation.turns]
    codes: dict[str, int] = {}
    session = np.array([codes.setdefault(turn.session, len(codes)) for turn in conversation.turns])
    own = np.array([words[name] for name in ids])
    own = own / (own.max(initial=0.0) or 1.0)
    beside = surround.neighbours(session, np.arange(len(ids)), ids)
    return dict(zip(ids, surround.blended(own, beside, session)[0].tolist(), strict=True))


def _measures(found: Sequence[str], grades: Mapping[str, int]) -> list[float]:
    at = [retrieval.recall_at(found, grades, depth) for depth in retrieval.DEPTHS]
    return [*at, retrieval.ndcg_at(found, grades)]


def _report(asked: Sequence[Measured], faults: Sequence[str]) -> Report:
    each: dict[str, dict[str, list[list[float]]]] = {way: defaultdict(list) for way in WAYS}
    for category, measured in asked:
        for way in WAYS:
            each[way][KINDS[category]].append(measured[way])
            if category != 5:
                each[way][ALL].append(measured[way])
    means = {
        way: {
            kind: dict(zip(MEASURES, np.mean(values, axis=0).tolist(), strict=True))
            for kind, values in kinds.items()
        }
        for way, kinds in each.items()
    }
    kinds = [kind for kind in KINDS.values() if kind in means["recall"]]
    rows = tuple(
        (
            way,
            *(f"{means[way].get(ALL, {}).get(name, np.nan):.3f}" for name in MEASURES),
            *(f"{means[way][kind]['R@10']:.3f}" for kind in kinds),
        )
        for way in WAYS
    )
    counts = {kind: len(each["recall"][kind]) for kind in kinds}
    told = [f"{len(asked)} questions: {', '.join(f'{count} {kind}' for kind, count in counts.items())}."]
    told += _differences(each) if each["recall"][ALL] else []
    told.append(
        "R@5 to N@10: categories 1 to 4. The columns by kind are R@10; the file of --json has the rest."
    )
    told += [f"Left out: {fault}." for fault in faults[:MOST_FAULTS]]
    if len(faults) > MOST_FAULTS:
        told.append(f"Left out: {len(faults) - MOST_FAULTS} more of the kind.")
    figures = {"figures": means, "questions": counts, "left_out": list(faults)}
    return Report("retrieval", ("way", *MEASURES, *kinds), rows, tuple(told), figures)


def _differences(each: Mapping[str, Mapping[str, list[list[float]]]]) -> Iterator[str]:
    """Say how recall compares with its better half, and with fusing alone."""
    ten = MEASURES.index("R@10")
    at_ten = {way: [values[ten] for values in kinds[ALL]] for way, kinds in each.items()}
    better = max(("words", "meaning"), key=lambda way: float(np.mean(at_ten[way])))
    for other, said in ((better, f"its better half ({better})"), ("fused", "fusing without surroundings")):
        mean, low, high = retrieval.difference(at_ten["recall"], at_ten[other])
        yield f"Recall against {said}, R@10: {mean:+.3f} [{low:+.3f}, {high:+.3f}] (paired bootstrap, 95 %)."
