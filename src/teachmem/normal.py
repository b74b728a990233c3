r"""When are two texts the same value? The normal form that twins and tombstones are keyed on.

Verbatim content is never changed; this form is only compared. It undoes compatibility forms and
composition (NFKC), case (full case folding), zero-width and control characters, runs of white
space, and punctuation at the ends. What belongs to a number stays: its sign, its point, its
percent, its power. It is never empty: a text made of punctuation alone stands for itself.

>>> normal_form("  The\u200b DOOR  code is 4411. ")
'the door code is 4411'
>>> normal_form("\uff28\uff38-2207") == normal_form("HX-2207")
True
>>> normal_form("...")
'...'
>>> normal_form("(-5 degrees)"), normal_form("humidity 50%."), normal_form("10\u00b2")
('-5 degrees', 'humidity 50%', '10^2')

Sources: Unicode Standard Annex 15 (normalization forms) and section 3.13 (case folding).
Left out: letters of different scripts that look alike, and meaning. "Not" stays "not".
"""

from __future__ import annotations

import json
import re
import unicodedata

# Default-ignorable characters that are not of category Cf: joiners, fillers, variation selectors.
_IGNORABLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)

# Characters that are not seen, turn the reading direction, are obeyed by a terminal, or are none at all.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ud800-\udfff\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff]"
)

# NFKC would turn ten squared into 102.
_POWER = re.compile("[\u00b2\u00b3\u00b9\u2070\u2071\u2074-\u207f]+")
_NUMBER = re.compile(r"[^\w\s]?[.,]?\d")  # a sign, a point, a digit
_PERCENT = "%\u2030\u2031\u066a"


def normal_form(text: str) -> str:
    """Return the form in which two spellings of one value are equal."""
    unseen = {ord(char): None for char in set(text) if _is_unseen(char)}
    seen = _IGNORABLE.sub("", text.translate(unseen) if unseen else text)
    powers = _POWER.sub(lambda found: "^" + found.group(), seen)
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", powers).casefold())
    spaced = " ".join(folded.split())
    start, end = 0, len(spaced)
    while start < end and _is_edge(spaced[start]) and not _begins_number(spaced, start):
        start += 1
    while end > start and _is_edge(spaced[end - 1]):
        end -= 1
    return spaced[start:end] or spaced or text


def _is_edge(char: str) -> bool:
    return char.isspace() or (unicodedata.category(char).startswith("P") and char not in _PERCENT)


def _begins_number(text: str, start: int) -> bool:
    """Say whether the sign or the point at `start` belongs to the number after it."""
    sign = text[start]
    if sign not in ".," and unicodedata.category(sign) != "Pd":
        return False
    alone = start == 0 or text[start - 1] != sign  # the points of "...5" are no decimal point
    return alone and _NUMBER.match(text, start) is not None


def _is_unseen(char: str) -> bool:
    return unicodedata.category(char) in ("Cf", "Cc") and not char.isspace()


def visible(text: str) -> str:
    r"""Return `text` with what cannot be seen written as JSON writes it; line breaks and tabs stay.

    >>> visible("gate\u202e four\x1b[2J")
    'gate\\u202e four\\u001b[2J'
    """
    return _UNSEEN.sub(lambda found: json.dumps(found[0])[1:-1].replace("\\x7f", "\\u007f"), text)


def one_line(text: str) -> str:
    r"""Return `text` visible, on one line.

    >>> one_line("gate\nfour\u202e")
    'gate four\\u202e'
    """
    return visible(" ".join(text.split()))


def nfc(name: str) -> str:
    """Return a name as it is stored and compared: composed, otherwise untouched.

    >>> nfc("cafe\\u0301") == "caf\\u00e9"
    True
    """
    return unicodedata.normalize("NFC", name)


def is_blank(text: str) -> bool:
    """Say whether nothing in `text` could be seen.

    >>> is_blank(" \\u200b\\n"), is_blank("?")
    (True, False)
    """
    visible = _IGNORABLE.sub("", text)
    return all(char.isspace() or _is_unseen(char) for char in visible)
