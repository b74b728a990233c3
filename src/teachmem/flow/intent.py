"""What a question is after: intents by whole words, with the words that speak for each.

A question may ask two things, so several intents can hold. Each has a score, the sum of the weights of
its words; "search" is what is left when none speaks. Words are compared as terms (`recall/text.py`), so
"failing" counts as "fail" and "small" does not hold "all".

>>> [str(intent) for intent in intents("why is NL-3 failing, and since when?")]
['diagnostic 3 (why, failing)', 'history 2 (since, when)', 'lookup 2 (NL-0003)']

Left out: understanding. The words of another language speak for nothing here, and are searched all the same.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from teachmem.recall import text

WORDS: dict[str, dict[str, float]] = {
    "diagnostic": {
        "why": 1, "wrong": 2, "fault": 2, "fail": 2, "failure": 2, "error": 2, "broken": 2, "stuck": 2,
        "slip": 2, "drift": 2, "overheat": 2, "alarm": 1, "cause": 1, "stop": 1, "squeak": 2, "leak": 2,
    },
    "history": {
        "when": 1, "happened": 2, "history": 2, "ago": 2, "yesterday": 2, "since": 1, "last": 1, "before": 1,
        "previous": 1, "earlier": 1, "shift": 1, "today": 1,
    },
    "count": {"how many": 3, "how often": 3, "count": 2, "number of": 2, "total": 1},
    "connection": {
        "depend": 2, "connect": 2, "contain": 2, "between": 1, "part of": 2, "manage": 1, "manager": 1,
        "replace": 1, "compatible": 2, "where": 1, "located": 2, "who": 1,
    },
    "procedure": {"how do": 2, "how to": 2, "how should": 2, "procedure": 2, "step": 1, "steps": 1},
    "compare": {"compare": 3, "difference": 2, "differ": 2, "versus": 3, "vs": 3, "than": 1},
}  # fmt: skip
ROBOT = re.compile(r"\bNL-?0*(\d{1,4})\b", re.IGNORECASE)
PART = re.compile(r"\b(?!NL-)[A-Z]{2,4}-\d{2,6}\b")
LOOKUP = 2.0  # the weight of a number that names a thing
LEAST = 1.0  # an intent with less is not held
_WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*")


@dataclass(frozen=True, slots=True)
class Intent:
    """One thing that a question is after: its score, and the words that speak for it."""

    name: str
    score: float
    evidence: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.name} {self.score:g} ({', '.join(self.evidence)})" if self.evidence else self.name


def intents(question: str) -> tuple[Intent, ...]:
    """Return what the question is after, the strongest first; ties by name."""
    words = _WORD.findall(text.fold(question))
    found = []
    for name, weights in WORDS.items():
        spoken = [(said, weights[key]) for key, said in _spoken(words, weights)]
        if spoken:
            found.append(Intent(name, sum(weight for _, weight in spoken), tuple(said for said, _ in spoken)))
    if named := numbers(question):
        found.append(Intent("lookup", LOOKUP * len(named), named))
    held = [intent for intent in found if intent.score >= LEAST]
    held.sort(key=lambda intent: (-intent.score, intent.name))
    return tuple(held) or (Intent("search", 1.0, ()),)


def _spoken(words: list[str], weights: dict[str, float]) -> list[tuple[str, str]]:
    """Return each key of `weights` that the words hold, with the word as it was said, in their order."""
    stems = {_stem(key): key for key in weights if " " not in key}
    found: dict[str, str] = {}
    for first, second in zip(words, [*words[1:], ""], strict=False):
        if (pair := f"{first} {second}") in weights:
            found.setdefault(pair, pair)
        elif (key := stems.get(_stem(first))) is not None:
            found.setdefault(key, first)
    return list(found.items())


def _stem(word: str) -> str:
    """Return the term of a word; a stop word, which has none, stands for itself."""
    return next(iter(text.terms(word)), word)


def numbers(question: str) -> tuple[str, ...]:
    """Return the robots and parts that a question names by number, as the catalogue writes them.

    >>> numbers("compare nl-3 with NL-0012 and HX-2207")
    ('NL-0003', 'NL-0012', 'HX-2207')
    """
    robots = [f"NL-{int(number):04d}" for number in ROBOT.findall(question)]
    return tuple(dict.fromkeys([*robots, *PART.findall(question)]))
