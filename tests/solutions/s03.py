"""Solutions of segment 03."""

from solutions.entry import Entry

LIVE = '{"active", "pending", "confirmed"}'

SOLUTIONS = {
    "3.1": Entry(
        cell="exercise-3-1",
        answer="recall_at_k",
        model="""\
def recall_at_k(found, evidence, k):
    return len(set(found[:k]) & set(evidence)) / len(evidence)
""",
        accepted=(
            """\
def recall_at_k(found, evidence, k):
    seen = found[:k]
    return sum(1 for name in evidence if name in seen) / len(evidence)
""",
            """\
import numpy as np


def recall_at_k(found, evidence, k):
    return np.isin(evidence, found[:k]).mean()
""",
        ),
        wrong={
            "recall is precision": """\
def recall_at_k(found, evidence, k):
    return len(set(found[:k]) & set(evidence)) / k
""",
            "one hit is enough": """\
def recall_at_k(found, evidence, k):
    return 1.0 if any(name in evidence for name in found[:k]) else 0.0
""",
            "a list is read to its end": """\
def recall_at_k(found, evidence, k):
    return len(set(found) & set(evidence)) / len(evidence)
""",
            "found twice is found more": """\
def recall_at_k(found, evidence, k):
    return sum(name in evidence for name in found[:k]) / len(evidence)
""",
        },
    ),
    "3.2": Entry(
        cell="exercise-3-2",
        answer="fuse",
        model="""\
def fuse(words, meaning):
    fused = dict.fromkeys([*words, *meaning], 0.0)
    for scores in (words, meaning):
        best = max(scores.values(), default=1)
        for name, score in scores.items():
            fused[name] += 0.5 * score / best
    return fused
""",
        accepted=(
            """\
def fuse(words, meaning):
    def stretched(scores):
        low, high = min(scores.values(), default=0), max(scores.values(), default=0)
        return {name: (score - low) / (high - low) if high > low else 1 for name, score in scores.items()}

    one, other = stretched(words), stretched(meaning)
    return {name: 0.4 * one.get(name, 0) + 0.6 * other.get(name, 0) for name in {*one, *other}}
""",
            """\
import numpy as np


def fuse(words, meaning):
    names = sorted({*words, *meaning})
    total = np.zeros(len(names))
    for scores in (words, meaning):
        column = np.array([scores.get(name, 0.0) for name in names])
        total += column / (column.max() or 1)
    return dict(zip(names, total))
""",
        ),
        wrong={
            "only the rank counts": """\
def fuse(words, meaning):
    fused = {}
    for scores in (words, meaning):
        for place, name in enumerate(sorted(scores, key=scores.get, reverse=True), 1):
            fused[name] = fused.get(name, 0) + 1 / (60 + place)
    return fused
""",
            "scores have one unit": """\
def fuse(words, meaning):
    return {name: words.get(name, 0) + meaning.get(name, 0) for name in {*words, *meaning}}
""",
            "what one list lacks is not found": """\
def fuse(words, meaning):
    return {name: words[name] * meaning[name] for name in words if name in meaning}
""",
            "one list decides, the other waits": """\
def fuse(words, meaning):
    return words or meaning
""",
            "the least that was found is worth nothing": """\
def fuse(words, meaning):
    fused = dict.fromkeys([*words, *meaning], 0.0)
    for scores in (words, meaning):
        low, high = min(scores.values(), default=0), max(scores.values(), default=0)
        for name, score in scores.items():
            fused[name] += (score - low) / ((high - low) or 1)
    return fused
""",
        },
    ),
    "3.3": Entry(
        cell="exercise-3-3",
        answer="one_hop",
        model="""\
def one_hop(rows, entity):
    newest = {}
    for row in rows:
        if row.memory_id not in newest or row.version > newest[row.memory_id].version:
            newest[row.memory_id] = row
    near = set()
    for row in newest.values():
        if row.status in ("active", "pending", "confirmed"):
            if row.subject == entity:
                near.add(row.object)
            if row.object == entity:
                near.add(row.subject)
    return near
""",
        accepted=(
            """\
from teachmem.vocabulary import LIVE


def one_hop(rows, entity):
    newest = {row.memory_id: row for row in sorted(rows, key=lambda row: row.version)}
    believed = [row for row in newest.values() if row.status in LIVE]
    ends = [(row.subject, row.object) for row in believed]
    return sorted({b for a, b in ends if a == entity} | {a for a, b in ends if b == entity})
""",
            """\
WITHHELD = {"cancelled", "outdated", "conflicted", "archived", "deleted"}


def one_hop(rows, entity):
    near = []
    for row in rows:
        later = any(other.memory_id == row.memory_id and other.version > row.version for other in rows)
        if later or row.status in WITHHELD or entity not in (row.subject, row.object):
            continue
        near.append(row.object if row.subject == entity else row.subject)
    return near
""",
        ),
        wrong={
            "an edge has one end": f"""\
def one_hop(rows, entity):
    newest = {{row.memory_id: row for row in sorted(rows, key=lambda row: row.version)}}
    live = {LIVE}
    return {{row.object for row in newest.values() if row.status in live and row.subject == entity}}
""",
            "a retraction takes its row away": f"""\
def one_hop(rows, entity):
    near = set()
    for row in rows:
        if row.status in {LIVE} and entity in (row.subject, row.object):
            near |= {{row.subject, row.object}} - {{entity}}
    return near
""",
            "a second version is a retraction": f"""\
def one_hop(rows, entity):
    changed = {{row.memory_id for row in rows if row.version > 1}}
    near = set()
    for row in rows:
        if row.memory_id not in changed and row.status in {LIVE} and entity in (row.subject, row.object):
            near |= {{row.subject, row.object}} - {{entity}}
    return near
""",
            "the newest row stands last": f"""\
def one_hop(rows, entity):
    newest = {{row.memory_id: row for row in rows}}
    near = set()
    for row in newest.values():
        if row.status in {LIVE} and entity in (row.subject, row.object):
            near |= {{row.subject, row.object}} - {{entity}}
    return near
""",
            "only active is live": """\
def one_hop(rows, entity):
    newest = {row.memory_id: row for row in sorted(rows, key=lambda row: row.version)}
    near = set()
    for row in newest.values():
        if row.status == "active" and entity in (row.subject, row.object):
            near |= {row.subject, row.object} - {entity}
    return near
""",
            "only the rows that hold the name count": f"""\
def one_hop(rows, entity):
    named = [row for row in rows if entity in (row.subject, row.object)]
    newest = {{row.memory_id: row for row in sorted(named, key=lambda row: row.version)}}
    believed = [row for row in newest.values() if row.status in {LIVE}]
    return {{row.object if row.subject == entity else row.subject for row in believed}}
""",
        },
    ),
}
