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
from itertools import chain

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

# Scripts that put no spaces between words.
_UNSPACED = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e50-\u0e59\u0e80-\u0eff\u1000-\u1049\u1050-\u109d\u1780-\u17d3\u17d7\u17dc-\u17ff"
    "\u3005-\u3007\u3041-\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3100-\u312f\u31a0-\u31bf\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\ua9e0-\ua9ff\uaa60-\uaa76\uaa7a-\uaa7f\uf900-\ufaff"
    "\U00020000-\U0002fa1f\U00030000-\U000323af"
)
# Marks are part of their word; Python's \w leaves most of them out.
_MARKS = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u0711\u0730-\u074a\u07a6-\u07b0\u07eb-\u07f3\u07fd\u0816-\u082d"
    "\u0859-\u085b\u0898-\u08e1\u08e3-\u0963\u0971-\u0df3\u0f18-\u0f19\u0f35\u0f37\u0f39\u0f3e-\u0f84\u0f86-\u0fbc"
    "\u0fc6\u135d-\u135f\u1712-\u1734\u1752-\u1773\u180b-\u180d\u180f\u1885-\u18a9\u1920-\u193b\u1a17-\u1a1b"
    "\u1a55-\u1a7f\u1ab0-\u1b44\u1b6b-\u1b73\u1b80-\u1bf3\u1c24-\u1c37\u1cd0-\u1cd2\u1cd4-\u1cf9\u1dc0-\u1dff"
    "\u20d0-\u20ff\u2cef-\u2cf1\u2d7f\u2de0-\u2dff\u302a-\u302f\u3099\u309a\ua66f-\ua672\ua674-\ua67d\ua69e\ua69f"
    "\ua6f0\ua6f1\ua802-\ua827\ua82c\ua880-\ua8c5\ua8e0-\ua8f1\ua8ff\ua926-\ua92d\ua947-\ua953\ua980-\ua9c0"
    "\uaa29-\uaa4d\uaa7b-\uaac1\uaaeb-\uaaef\uaaf5\uaaf6\uabe3-\uabea\uabec\uabed\ufb1e\ufe20-\ufe2f"
)
_CHAR = f"(?![{_UNSPACED}])[\\w{_MARKS}]"
_WORD = re.compile(rf"[{_UNSPACED}]+|(?:{_CHAR})+(?:-(?:{_CHAR})+)*")
_ASCII_WORD = re.compile("[a-z0-9]+(?:-[a-z0-9]+)*")  # the same, where a text is ASCII; far quicker
_IS_UNSPACED = re.compile(f"[{_UNSPACED}]")
# Unseen inside a word: soft hyphen, joiners, variation selectors.
_UNSEEN = re.compile("[\u00ad\u200c\u200d\u2060\ufe00-\ufe0f\ufeff\U000e0100-\U000e01ef]")
_SPELT_ALIKE = str.maketrans({"_": " ", "\u2010": "-", "\u2212": "-"})  # the other hyphens fold to these

LONGEST_KEPT = 20  # characters of words whose terms are remembered


def terms(text: str) -> list[str]:
    """Return the terms of `text` in order, repeats kept: what is indexed, and what is asked with."""
    folded = fold(text)
    words = (_ASCII_WORD if folded.isascii() else _WORD).findall(folded)
    cut = _known if max(map(len, words), default=0) <= LONGEST_KEPT else _terms_of
    return list(chain.from_iterable(map(cut, words)))


def fold(text: str) -> str:
    """Return `text` with compatibility forms, case, unseen characters and underscores undone."""
    if text.isascii():
        return text.lower().replace("_", " ")
    folded = unicodedata.normalize("NFKC", _UNSEEN.sub("", text)).casefold()
    return unicodedata.normalize("NFKC", folded).translate(_SPELT_ALIKE)


def _terms_of(word: str) -> tuple[str, ...]:
    if _IS_UNSPACED.match(word):
        return tuple(word[i : i + 2] for i in range(len(word) - 1)) or (word,)
    parts = word.split("-")
    found = [_stem(part) for part in parts if part not in STOP_WORDS]
    return (*found, word) if len(parts) > 1 else tuple(found)


_known = lru_cache(maxsize=50_000)(_terms_of)


def _stem(word: str) -> str:
    return str(_STEMMER.stemWord(word)) if word.isascii() else word
