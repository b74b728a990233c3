"""A Chroma folder that is deleted, cut, overwritten or half built while its store is in use.

The index is a cache: whatever is done to it, each question is answered, the memory that says what was asked
stands first, nothing is returned that the table does not hold, and after four questions nearly all of the
nearest are those of an exact index. Not all: Chroma's own graph is approximate, and it does not notice a
number that has become another one; `teachmem reindex` builds it from the table again.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import teachmem
from teachmem import LessonClock
from teachmem.recall.embed import HashingEmbedder
from teachmem.recall.vectors import ExactIndex
from torture.doors import NORTH, START
from torture.figures import Figure

FACTS = 120
DAMAGES = (
    "a file gone",
    "a file cut",
    "other bytes in a file",
    "a file of zeros",
    "the folder gone",
    "half built",
)


def damaged(folder: Path, chance: random.Random, times: int) -> Iterator[Figure]:
    """Damage the folder between questions, `times` times for each kind of damage."""
    for damage in DAMAGES:
        figure = Figure("a damaged vector index", damage, times)
        for number in range(times):
            place = folder / f"{number}"
            place.mkdir()
            try:
                figure.struck += _one_life(place, damage, chance, figure)
            except Exception as error:  # a campaign goes on, and tells
                figure.wrong.append(f"{damage}: {type(error).__name__}: {error}")
            shutil.rmtree(place, ignore_errors=True)
        yield figure


def _opened(path: Path, exact: bool = False) -> teachmem.MemoryStore:
    vectors = ExactIndex() if exact else None
    return teachmem.open_memory(path, clock=LessonClock(START), embedder=HashingEmbedder(), vectors=vectors)


def _one_life(folder: Path, damage: str, chance: random.Random, figure: Figure) -> int:
    path = folder / "s.db"
    struck = 0
    with _opened(path) as mem:
        tech = mem.agent("dock-1", **NORTH)
        tech.semantic.remember_many({"content": f"hoist number {n} runs"} for n in range(FACTS))
        tech.semantic.search("hoist runs")
    still_open = chance.random() < 0.5
    mem = _opened(path)
    try:
        tech = mem.agent("dock-1", **NORTH)
        if still_open:
            tech.semantic.search("hoist runs")
        for round_ in range(3):
            struck += _damage(folder / "s.db.chroma", damage, chance)
            said = f"crate {round_} was moved"
            tech.semantic.remember(said)
            found: list[str] = []
            for _ in range(4):
                found = [hit.memory.content for hit in tech.semantic.search(said, k=9)]
                if said not in found[:1]:
                    figure.wrong.append(f"{damage}: {said!r} was not found: {found[:2]}")
            with _opened(path, exact=True) as other:
                who = other.agent("dock-1", **NORTH)
                wanted = [hit.memory.content for hit in who.semantic.search(said, k=9)]
                held = {memory.content for memory in who.semantic.list(limit=500)}
            if len(set(found) & set(wanted)) < len(wanted) - 2 or not set(found) <= held:
                figure.wrong.append(f"{damage}: {found} instead of {wanted}")
    finally:
        mem.close()
    return struck


def _damage(place: Path, damage: str, chance: random.Random) -> bool:
    files = sorted(file for file in place.rglob("*") if file.is_file()) if place.is_dir() else []
    if damage == "the folder gone":
        shutil.rmtree(place, ignore_errors=True)
        return True
    if not files:
        return False
    file = chance.choice(files)
    size = file.stat().st_size
    if damage == "a file gone":
        file.unlink()
    elif damage == "a file cut":
        with file.open("rb+") as cut:
            cut.truncate(chance.randrange(size + 1))
    elif damage == "other bytes":
        with file.open("rb+") as other:
            other.seek(chance.randrange(max(1, size)))
            other.write(chance.randbytes(64))
    elif damage == "a file of zeros":
        with file.open("rb+") as zeros:
            zeros.write(bytes(size))
    else:
        for each in files[len(files) // 2 :]:
            each.unlink()
    return True
