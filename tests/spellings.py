"""One text in a hundred dresses, all of which are the same value."""

import unicodedata
from itertools import product


def full_width(text):
    return "".join(chr(ord(char) + 0xFEE0) if "!" <= char <= "~" else char for char in text)


CASES = [str, str.upper, str.lower, str.title, str.swapcase]
FORMS = [
    str,
    lambda text: unicodedata.normalize("NFD", text),
    lambda text: unicodedata.normalize("NFKD", text),
    full_width,
    lambda text: "\u200b".join(text),
]
DRESSES = [
    str,
    lambda text: f"  {text}\n",
    lambda text: text.replace(" ", "\u00a0\t "),
    lambda text: f"“{text}…”",
    lambda text: f"-- {text} --",
]


def spellings(text):
    """Return the text in every case, form and dress, without repetition, in a fixed order."""
    made = (dress(form(case(text))) for case, form, dress in product(CASES, FORMS, DRESSES))
    return list(dict.fromkeys(made))
