r"""Is this text nearly the one that was rejected? A near-duplicate is shown to a person, not refused.

Two texts are near each other when at least `NEAR` of their words are the same (Dice 1945: twice the
common words over all words), and their numbers and negations are exactly the same. Words that
carry no topic do not count, an ending or one slip of the pen makes no other word, order makes no
difference, and letters of another script that look the same are the same here.

>>> rejected = gist("The door code is 4411")
>>> nearness(rejected, gist("4411 is the code of the doors"))
1.0
>>> nearness(rejected, gist("The window code is 4411"))
0.67
>>> nearness(rejected, gist("The door code is not 4411")), nearness(rejected, gist("The door code is 4412"))
(0.0, 0.0)
>>> nearness(rejected, gist("The d\u043e\u043er code is 4411"))
1.0

Source of the look-alike letters: the commonest of Unicode Technical Standard 39, confusables.
Left out: meaning. Other words for the same claim are another text, letters put as digits (c0de) another
number, and negation is known in English only; elsewhere it is a word like any other.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby

from teachmem.normal import normal_form

NEAR = 0.85
LONG_WORD = 6  # letters from which one slip makes no other word

_LOOKS = str.maketrans("асеорхуікјѕԁһԛԝмтнвгαορνικτυχγ", "aceopxyikjsdhqwmthbraopviktuxy")
_FIGURE = re.compile(r"(?<![^\W_])[-+−]?\w*\d\w*(?:[.,:/]\w*\d\w*)*%?")
_NO_TOPIC = frozenset(
    "a an and are as at be been by did do does for from had has have he her his i in is it its of on or our "
    "she so that the their them there they this to was we were will with you your please".split()
)
_NEGATIONS = frozenset("not no never none nobody nothing neither nor without cannot nowhere".split())
_NUMBER_WORDS = frozenset(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand "
    "million half twice first second third fourth fifth sixth seventh eighth ninth tenth".split()
)


@dataclass(frozen=True, slots=True)
class Gist:
    """The words of a text that carry its topic, and its numbers and negations as one sorted line."""

    words: frozenset[str]
    figures: str


@lru_cache(maxsize=4096)
def gist(text: str) -> Gist:
    """Return what of a text is compared."""
    form = normal_form(text)
    figures = sorted(_FIGURE.findall(form))
    words = [word.translate(_LOOKS) for word in _words(form)]
    negations = ["not" for word in words if word in _NEGATIONS or word.endswith(("n't", "n’t"))]
    counted = sorted(word for word in words if word in _NUMBER_WORDS)
    plain = (word for word in words if word not in _NO_TOPIC and not any(char.isdigit() for char in word))
    return Gist(frozenset(plain), " ".join([*figures, *counted, *negations]))


def _words(form: str) -> list[str]:
    """Return the runs of letters, marks and digits, with an apostrophe inside a word."""
    parts = groupby(form, key=lambda char: unicodedata.category(char)[0] in "LMN" or char in "'’")
    return [word for inside, chars in parts if inside and (word := "".join(chars).strip("'’"))]


def nearness(one: Gist, other: Gist, least: float = 0.0) -> float:
    """Return the share of common words, 0 to 1; 0 where figures differ, or where it is below `least`."""
    if one.figures != other.figures:
        return 0.0
    numbers = len(one.figures.split())  # they are words too, and all of them are the same
    whole = len(one.words) + len(other.words) + 2 * numbers
    left = set(other.words)
    common, ahead = 0, len(one.words)
    for word in sorted(one.words):
        found = word if word in left else next((seen for seen in sorted(left) if _same(word, seen)), None)
        ahead -= 1
        if found is not None:
            left.discard(found)
            common += 1
        elif 2 * (common + ahead + numbers) < least * whole:  # it cannot be reached any more
            return 0.0
    return round(2 * (common + numbers) / whole, 2) if whole else 0.0


def _same(one: str, other: str) -> bool:
    """Say whether two words differ by an ending of up to three letters, or by one slip in a long word."""
    if one[0] != other[0] and one[-1] != other[-1]:
        return False
    short, long = sorted((one, other), key=len)
    if short.upper() == short:  # no script that spells with letters of two cases: no endings, no slips
        return False
    if len(short) >= 3 and long.startswith(short) and len(long) - len(short) <= 3:
        return True
    if len(short) < LONG_WORD or len(long) - len(short) > 1:
        return False
    start = next((at for at, char in enumerate(short) if char != long[at]), len(short))
    if len(short) < len(long):
        return short[start:] == long[start + 1 :]
    swapped = short[start : start + 2] == long[start : start + 2][::-1]
    return short[start + 1 :] == long[start + 1 :] or (swapped and short[start + 2 :] == long[start + 2 :])
