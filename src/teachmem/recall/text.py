"""From a text to the terms that can be looked up: words in any script, stemmed, without stop words.

A word is a run of letters, marks and digits; a part number also counts whole. Scripts that do
not put spaces between words (Chinese, Japanese, Thai, Khmer, Lao, Burmese) are cut into
overlapping pairs of characters. Words of ASCII letters are stemmed by the English Snowball
stemmer, others are kept as they are.

>>> terms("The grippers were slipping at station 4, part HX-2207.")
['gripper', 'slip', 'station', '4', 'part', 'hx', '2207', 'hx-2207']
>>> terms("把持部")
['把持', '持部']

Sources: Snowball (Porter 2001); pairs of characters after Nie and Ren 1999, "Chinese information
retrieval: using characters or words?". Left out: spelling, synonyms, other languages' stems.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

import Stemmer

_STEMMER = Stemmer.Stemmer("english")

# Words that carry no topic. Negations stay in: "not" changes what a text says.
STOP_WORDS = frozenset(
    """
    a about after again all also am an and any are as at be because been before being between both but by
    can could did do does doing down during each few for from further had has have having he her here hers
    him his how i if in into is it its itself just me more most my of off on once only or other our out over
    own please same she should so some such than that the their them then there these they this those through
    to too under until up us very was we were what when where which while who whom why will with would you
    your
    """.split()
)

_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0002fa1f\U00030000-\U000323af"
)
# Marks are part of their word; Python's \w leaves most of them out.
_MARKS = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0711\u0730-\u074a\u07a6-\u07b0\u0900-\u0963\u0971-\u0df3"
    "\u0f18-\u0f3f\u0f71-\u0fbc\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff"
)
_CHAR = f"(?![{_UNSPACED}])[\\w{_MARKS}]"
_WORD = re.compile(rf"[{_UNSPACED}]+|(?:{_CHAR})+(?:-(?:{_CHAR})+)*")
_IS_UNSPACED = re.compile(f"[{_UNSPACED}]")


def terms(text: str) -> list[str]:
    """Return the terms of `text` in order, repeats kept: what is indexed, and what is asked with."""
    return [term for word in _WORD.findall(fold(text)) for term in _terms_of(word)]


def fold(text: str) -> str:
    """Return `text` with compatibility forms and case undone and underscores read as spaces."""
    if text.isascii():
        return text.lower().replace("_", " ")
    return unicodedata.normalize("NFKC", text).casefold().replace("_", " ")


@lru_cache(maxsize=100_000)
def _terms_of(word: str) -> tuple[str, ...]:
    if _IS_UNSPACED.match(word):
        return tuple(word[i : i + 2] for i in range(len(word) - 1)) or (word,)
    parts = word.split("-")
    found = [_stem(part) for part in parts if part not in STOP_WORDS]
    return (*found, word) if len(parts) > 1 else tuple(found)


def _stem(word: str) -> str:
    return str(_STEMMER.stemWord(word)) if word.isascii() else word
