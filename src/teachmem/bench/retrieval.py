"""Is the right fact found? Graded questions, five ways to rank, and how sure one may be of the difference.

The facts and questions of the data folder are loaded into a store in memory through the gate; every
question is asked by its own asker. All ways rank the same pool, the facts that this asker may believe
at that moment, so that what differs is the ranking alone:

| way | ranks by |
|---|---|
| bag of words | cosine of word counts, without stems or stop words |
| words | BM25 |
| meaning | cosine of embeddings |
| RRF 60 | the ranks of words and meaning, each 1 / (60 + rank) |
| fused | what `semantic.search` does: both scores, stretched and weighed |

Left out: events. Their recall weighs age and importance too, which a graded question knows nothing of.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from teachmem import store
from teachmem.bench.measure import Curves, Report
from teachmem.clock import LessonClock
from teachmem.errors import StoreError
from teachmem.ids import CountedIds
from teachmem.recall import fuse, hybrid
from teachmem.recall.vectors import ExactIndex

NOON = datetime(2026, 3, 15, 12, tzinfo=UTC)
WAYS = ("bag of words", "words", "meaning", "RRF 60", "fused")
ANSWERED = ("lexical", "paraphrase", "temporal", "multi_hop")
DEPTHS = (5, 10, 20)
RESAMPLES = 2_000
_NOTED = re.compile(r"\b(at|known_at): ?([0-9T:+Z-]+)")


@dataclass(frozen=True, slots=True)
class Asked:
    """One question's outcome: its kind, the grade of each relevant id, and what each way found, in order."""

    kind: str
    grades: Mapping[str, int]
    found: Mapping[str, Sequence[str]]
    answered: bool
    best: Mapping[str, float]  # the highest raw score of words and of meaning


def recall_at(found: Sequence[str], grades: Mapping[str, int], depth: int) -> float:
    """Return the share of the relevant ids among the first `depth`.

    >>> recall_at(["a", "b", "c"], {"b": 3, "z": 1}, depth=2)
    0.5
    """
    return len(set(found[:depth]) & set(grades)) / len(grades)


def ndcg_at(found: Sequence[str], grades: Mapping[str, int], depth: int = 10) -> float:
    """Return the normalised discounted cumulative gain (Jarvelin and Kekalainen 2002), gain = 2**grade - 1.

    >>> ndcg_at(["b", "a"], {"b": 3})
    1.0
    """
    gains = [2 ** grades.get(name, 0) - 1 for name in found[:depth]]
    best = sorted((2**grade - 1 for grade in grades.values()), reverse=True)[:depth]
    return _discounted(gains) / _discounted(best)


def _discounted(gains: Sequence[int]) -> float:
    return sum(gain / math.log2(place + 1) for place, gain in enumerate(gains, 1))


def difference(ours: Sequence[float], other: Sequence[float], seed: int = 1) -> tuple[float, float, float]:
    """Return the mean difference and the ends of its 95 % interval, by a paired bootstrap over questions.

    >>> difference([1.0, 1.0], [0.0, 0.0])
    (1.0, 1.0, 1.0)
    """
    each = np.array(ours) - np.array(other)
    drawn = np.random.default_rng(seed).integers(0, len(each), (RESAMPLES, len(each)))
    low, high = np.quantile(each[drawn].mean(axis=1), (0.025, 0.975))
    return float(each.mean()), float(low), float(high)


def told_apart(answered: Sequence[float], absent: Sequence[float]) -> float:
    """Return how often a question with an answer has the higher best score: the area under the ROC curve.

    >>> told_apart([0.9, 0.4], [0.4, 0.1])
    0.875
    """
    above = np.array(answered)[:, np.newaxis] - np.array(absent)
    return float((above > 0).mean() + (above == 0).mean() / 2)


def run(folder: Path) -> Report:
    """Load the data of `folder`, ask every question about facts, and report."""
    rows = {name: _read(folder / f"{name}.jsonl") for name in ("facts", "episodes", "queries")}
    clock = LessonClock(NOON)
    with store.open_memory(clock=clock, ids=CountedIds(), vectors=ExactIndex()) as mem:
        ids = _load(mem, clock, rows["episodes"], rows["facts"])
        clock.set(NOON)
        questions = [row for row in rows["queries"] if row["tier"] == "semantic"]
        asked = [_ask(mem, row, ids) for row in questions]
    return _report(asked)


def _read(path: Path) -> list[dict[str, Any]]:
    if not path.is_file():
        raise StoreError(f"{path.name} is not in the data folder; reinstall teachmem")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _moment(text: str | None) -> datetime | None:
    """Return a moment; a date without a zone means midnight UTC."""
    if text is None:
        return None
    found = datetime.fromisoformat(text)
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)


def _load(
    mem: store.MemoryStore, clock: LessonClock, episodes: list[dict[str, Any]], facts: list[dict[str, Any]]
) -> dict[str, str]:
    """Write every row at its own time as its own writer; return the store's id of each."""
    ids: dict[str, str] = {}
    for row in sorted([*episodes, *facts], key=lambda row: str(row["at"])):
        clock.set(_moment(row["at"]) or NOON)
        person = row.get("writer", "agent") != "agent"
        make = mem.person if person else mem.agent
        clearance = 3 if row.get("writer") == "steward" else 1
        writer = make(row["agent"], fleet=row["fleet"], tenant=row["tenant"], clearance=clearance)
        if "importance" in row:
            receipt = writer.episodic.log(
                row["kind"], row["content"], row["session"], importance=row["importance"]
            )
        else:
            receipt = _fact(writer, row, ids)
        assert receipt.memory is not None, row["id"]
        ids[row["id"]] = receipt.memory.memory_id
    return ids


def _fact(writer: store.Handle, row: Mapping[str, Any], ids: Mapping[str, str]) -> Any:
    said = {
        name: row[name]
        for name in ("content", "subject", "predicate", "object", "kind", "source", "confidence")
    }
    said |= {"valid_from": _moment(row["valid_from"]), "valid_to": _moment(row["valid_to"])}
    said["qualifiers"] = row["qualifiers"] or {}
    if row["revises"]:
        return writer.semantic.revise(ids[row["revises"]], **said)
    evidence = [ids[name] for name in row["evidence"]]
    return writer.semantic.remember(visibility=row["visibility"], evidence=evidence, **said)


def _ask(mem: store.MemoryStore, row: Mapping[str, Any], ids: Mapping[str, str]) -> Asked:
    who = row["asker"]
    make = mem.agent if who["name"][-1].isdigit() else mem.person  # agents have numbers, people roles
    asker = make(who["name"], fleet=who["fleet"], tenant=who["tenant"], clearance=who.get("clearance", 1))
    times = {name: _moment(text.rstrip(";,.")) for name, text in _NOTED.findall(row.get("note") or "")}
    pool = asker.semantic.search(
        row["question"], k=100_000, at=times.get("at"), known_at=times.get("known_at")
    )
    contents = {hit.memory.memory_id: hit.memory.content for hit in pool}
    words = {hit.memory.memory_id: hit.raw["words"] for hit in pool}
    meaning = {hit.memory.memory_id: hit.raw["meaning"] for hit in pool}
    places = [list(fuse.ranks(words)), list(fuse.ranks(meaning))]
    best = asker.semantic.search(row["question"], k=5, at=times.get("at"), known_at=times.get("known_at"))
    return Asked(
        row["kind"],
        {ids[item["id"]]: item["grade"] for item in row["evidence"]},
        {
            "bag of words": ordered(bags(row["question"], contents)),
            "words": places[0],
            "meaning": places[1],
            "RRF 60": ordered(fuse.reciprocal_ranks(places)),
            "fused": [hit.memory.memory_id for hit in pool],
        },
        bool(best.settings["answered"]),
        {"words": max(words.values(), default=0.0), "meaning": max(meaning.values(), default=0.0)},
    )


def ordered(scores: Mapping[str, float]) -> list[str]:
    """Return the names best first, those with nothing left out."""
    return list(fuse.ranks(scores))


def bags(question: str, contents: Mapping[str, str]) -> dict[str, float]:
    """Return the cosine of plain word counts."""

    def bag(text: str) -> Counter[str]:
        return Counter(re.findall("[a-z0-9]+", text.lower()))

    def length(counts: Counter[str]) -> float:
        return math.sqrt(sum(count * count for count in counts.values())) or 1.0

    asked = bag(question)
    counted = {name: bag(content) for name, content in contents.items()}
    return {
        name: sum(asked[word] * count for word, count in counts.items()) / (length(asked) * length(counts))
        for name, counts in counted.items()
    }


def _report(asked: Sequence[Asked]) -> Report:
    graded = [one for one in asked if one.kind in ANSWERED]
    figures: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for one in graded:
        for way in WAYS:
            for depth in DEPTHS:
                figures[way][f"R@{depth}"].append(recall_at(one.found[way], one.grades, depth))
            figures[way]["N@10"].append(ndcg_at(one.found[way], one.grades))
            figures[way][one.kind].append(recall_at(one.found[way], one.grades, 5))
    head = [*(f"R@{depth}" for depth in DEPTHS), "N@10", *ANSWERED]
    rows = tuple((way, *(f"{np.mean(figures[way][name]):.3f}" for name in head)) for way in WAYS)
    better = max(("words", "meaning"), key=lambda way: float(np.mean(figures[way]["R@10"])))
    told = []
    for name in ("R@5", "R@10", "N@10"):
        mean, low, high = difference(figures["fused"][name], figures[better][name])
        told.append(
            f"Fused against its better half ({better}), {name}: {mean:+.3f} [{low:+.3f}, {high:+.3f}]."
        )
    absent = [one for one in asked if one.kind == "absent"]
    kept = sum(one.answered for one in graded) / len(graded)
    wrong = sum(one.answered for one in absent) / len(absent)
    told.append(
        f"Answered is a hit with words >= {hybrid.ENOUGH_WORDS} or meaning >= {hybrid.ENOUGH_MEANING}: that "
        f"calls {kept:.0%} of the {len(graded)} questions with evidence answered, and {wrong:.0%} of the "
        f"{len(absent)} that nothing answers."
    )
    apart = {
        name: told_apart([one.best[name] for one in graded], [one.best[name] for one in absent])
        for name in ("words", "meaning")
    }
    told.append(
        f"Of a question with and one without an answer, the first has the higher best score in "
        f"{apart['words']:.0%} of pairs by words and in {apart['meaning']:.0%} by meaning; chance is 50%."
    )
    hidden = [one for one in asked if one.kind == "out_of_scope"]
    leaked = sum(bool(set(one.grades) & set(one.found["fused"])) for one in hidden)
    told.append(f"Evidence out of the asker's scope was returned for {leaked} of {len(hidden)} questions.")
    told.append("The columns by kind are R@5. Intervals: paired bootstrap over questions, 95 %.")
    plain = {
        way: {name: float(np.mean(values)) for name, values in found.items()}
        for way, found in figures.items()
    }
    return Report(
        "retrieval",
        ("way", *head),
        rows,
        tuple(told),
        {"figures": plain, "absent": wrong, "kept": kept, "told_apart": apart},
        Curves("", "recall at 10 (R@10)", {way: {0: found["R@10"]} for way, found in plain.items()}),
    )
