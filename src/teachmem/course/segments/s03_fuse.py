"""Exercise 3.2: fuse words and meaning; its laws, and the wrong ideas about it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from teachmem.course.material import (
    Exercise,
    Misconception,
    Wrong,
    call,
    close,
    is_function,
    number,
    on_stage,
    show,
    shown,
)
from teachmem.course.stage import Stage

Scores = dict[str, float]
Fuse = Callable[[Scores, Scores], Scores]

# Questions and the fact of data/facts.jsonl that answers each: codes first, then paraphrases.
QUESTIONS = {
    "HX-2270": "fa-018",
    "BK-450": "fa-113",
    "pack 13": "fa-029",
    "How much adhesive can be poured in before suction fails?": "fa-128",
    "Was the caution light cancelled?": "fa-137",
    "Who keeps the key of the lock on the arm?": "fa-126",
}

CODE = (
    {"HX-2270": 9.0, "HX-2207": 2.4, "HX-2300": 2.3, "BK-540": 2.2},
    {"HX-2207": 0.48, "HX-2300": 0.47, "BK-540": 0.46, "HX-2270": 0.42, "menu": 0.05},
)
NEAR_TIE = ({"brake": 5.0, "arm": 4.8, "lamp": 1.0}, {"arm": 0.6, "brake": 0.1, "lamp": 0.05})
PARAPHRASE: tuple[Scores, Scores] = ({}, {"glue": 0.3, "board": 0.25, "menu": 0.1})
NUMBER: tuple[Scores, Scores] = ({"menu": 1.2, "glue": 7.5, "board": 3.0}, {})
ALONE: tuple[Scores, Scores] = ({"HX-2270": 9.0}, CODE[1])
CASES = (CODE, NEAR_TIE, PARAPHRASE, NUMBER)


def _fused(fuse: Fuse, words: Scores, meaning: Scores) -> Scores:
    called = shown(fuse, words, meaning)
    got = call(fuse, words, meaning)
    if not isinstance(got, Mapping):
        raise Wrong(f"{called} gave {show(got)}, which is no dict of scores")
    return {str(name): number(value, f"{called}[{show(name)}]") for name, value in got.items()}


def _ranking(scores: Mapping[str, float]) -> list[str]:
    return sorted(scores, key=lambda name: (-scores[name], name))


def _first(fuse: Fuse, words: Scores, meaning: Scores) -> str:
    ranking = _ranking(_fused(fuse, words, meaning))
    return ranking[0] if ranking else ""


def scores_what_either_list_found(fuse: Fuse) -> str | None:
    """Whatever one of the two lists holds has a fused score."""
    for words, meaning in CASES:
        got, due = set(_fused(fuse, words, meaning)), {*words, *meaning}
        if got != due:
            told = "has no score" if due - got else "was in neither list"
            strange = min(due - got or got - due)
            return (
                f"{shown(fuse, words, meaning)} gave scores for {show(sorted(got))}; {show(strange)} {told}"
            )
    return None


def one_list_alone_decides(fuse: Fuse) -> str | None:
    """Where one list is empty, the order is that of the other."""
    for words, meaning in (PARAPHRASE, NUMBER):
        got, due = _ranking(_fused(fuse, words, meaning)), _ranking(words or meaning)
        if got != due:
            return f"{shown(fuse, words, meaning)} ranks {show(got)}; one list is empty, the other says {show(due)}"
    return None


def the_unit_does_not_matter(fuse: Fuse) -> str | None:
    """Words counted in another unit give the same first fact."""
    for words, meaning in (CODE, NEAR_TIE):
        before = _first(fuse, words, meaning)
        for factor in (100, 0.01):
            other = {name: factor * value for name, value in words.items()}
            if (after := _first(fuse, other, meaning)) != before:
                called = shown(fuse, words, meaning)
                return f"{called} puts {before!r} first; with every word score times {factor} it is {after!r}"
    return None


def a_clear_winner_stays(fuse: Fuse) -> str | None:
    """What leads one list by far and is about level in the other comes first."""
    for words, meaning in (CODE, ALONE):
        first = _first(fuse, words, meaning)
        if first != "HX-2270":
            leads = "leads the words by far" if len(words) > 1 else "is all that the words found"
            return f"{shown(fuse, words, meaning)} puts {first!r} first; 'HX-2270' {leads} and is close by meaning"
    return None


def both_lists_count(fuse: Fuse) -> str | None:
    """Where one list hardly sees a difference, the other decides."""
    words, meaning = NEAR_TIE
    for turned, (one, other) in ((False, (words, meaning)), (True, (meaning, words))):
        first = _first(fuse, one, other)
        if first != "arm":
            level, decides = ("meaning", "words") if turned else ("words", "meaning")
            return f"{shown(fuse, one, other)} puts {first!r} first; {level} has both about level, {decides} has 'arm' far ahead"
    return None


@lru_cache(maxsize=4)
def _asked(tech: Any) -> dict[str, tuple[Scores, Scores]]:
    """Return the raw scores of the facts for each question; zeros are not in a list."""
    found = {}
    for question in QUESTIONS:
        hits = tech.semantic.search(question, k=1000)
        lists = [
            {hit.memory.memory_id: hit.raw[part] for hit in hits if hit.raw[part] > 0}
            for part in ("words", "meaning")
        ]
        found[question] = (lists[0], lists[1])
    return found


@on_stage
def beats_both_parts(fuse: Fuse, stage: Stage) -> str | None:
    """Over six questions to the store, the right fact comes first more often than by either list alone."""
    asked = _asked(stage.handles["tech"])
    alone, together, missed = {"words": 0, "meaning": 0}, 0, ""
    for question, fact in QUESTIONS.items():
        words, meaning = asked[question]
        due = stage.ids[fact]
        for name, scores in (("words", words), ("meaning", meaning)):
            alone[name] += _ranking(scores)[:1] == [due]
        if _first(fuse, words, meaning) == due:
            together += 1
        else:
            missed = missed or question
    if together > max(alone.values()):
        return None
    told = f"words alone {alone['words']}, meaning alone {alone['meaning']}"
    return f"the right fact is first for {together} of {len(QUESTIONS)} questions ({told}); {missed!r} is one you miss"


def _by_rank(fuse: Fuse) -> bool:
    """Say whether no score changes as long as both lists keep their order."""
    for words, meaning in (CODE, NEAR_TIE):
        spread = [{name: value**3 for name, value in scores.items()} for scores in (words, meaning)]
        one, other = _fused(fuse, words, meaning), _fused(fuse, *spread)
        if not all(close(one[name], other[name]) for name in one):
            return False
    return True


def _raw_sum(fuse: Fuse) -> bool:
    got = _fused(fuse, *NEAR_TIE)
    return all(close(got[name], NEAR_TIE[0][name] + NEAR_TIE[1][name]) for name in got)


def _only_common(fuse: Fuse) -> bool:
    return not any(_fused(fuse, *PARAPHRASE).values()) and bool(_fused(fuse, *CODE).get("HX-2270"))


def _fallback(fuse: Fuse) -> bool:
    words, meaning = NEAR_TIE
    return _ranking(_fused(fuse, words, meaning)) == _ranking(words) and _ranking(
        _fused(fuse, meaning, words)
    ) == _ranking(meaning)


def _least_is_nothing(fuse: Fuse) -> bool:
    """Say whether a list of one counts for nothing, where the same lead over others decides."""
    return _first(fuse, *CODE) == "HX-2270" != _first(fuse, *ALONE)


EXERCISE = Exercise(
    id="3.2",
    title="Fuse words and meaning",
    concept="score fusion",
    expected="a function of two dicts of scores",
    fits=is_function,
    laws=(
        scores_what_either_list_found,
        one_list_alone_decides,
        a_clear_winner_stays,
        the_unit_does_not_matter,
        both_lists_count,
        beats_both_parts,
    ),
    yes="in whatever unit, a clear winner stays, a near tie is decided by the other list, and the pair beats both parts",
    misconceptions=(
        Misconception(
            "only the rank counts",
            "First by a hair and first by far are then the same. k = 60 flattens the rest: place 1 and place 5 differ by 6 %.",
            _by_rank,
        ),
        Misconception(
            "scores have one unit",
            "BM25 has no upper end, a cosine ends at 1. Added as they are, the larger unit decides alone.",
            _raw_sum,
        ),
        Misconception(
            "what one list lacks is not found",
            "A paraphrase shares no word with its answer. What only one list sees is why there are two.",
            _only_common,
        ),
        Misconception(
            "one list decides, the other waits",
            "Then the second is asked only where the first is silent, and a near tie is decided by a hair.",
            _fallback,
        ),
        Misconception(
            "the least that was found is worth nothing",
            "Between its least and its best, a list of one has no room: what it alone found would then get 0.",
            _least_is_nothing,
        ),
    ),
    hints=(
        "By how much does the right fact lead in each list, and which fusion lets you see that?",
        "What could you divide each list by, so that both have the same best score?",
        "What does a fact get from a list that does not hold it, and what becomes of an empty list?",
    ),
)
