"""Exercise 6.1: a fingerprint of a value; its laws, and the wrong ideas about it."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable
from itertools import combinations

from teachmem.course.material import Exercise, Misconception, Wrong, call, is_function, show, shown

Fingerprint = Callable[[str], str]
Pairs = Iterable[tuple[str, str]]

CASES = (
    ("The code of the side door is 4411", "THE CODE OF THE SIDE DOOR IS 4411"),
    ("Maßband an Tor vier", "MASSBAND AN TOR VIER"),
)
SPACES = (
    ("gate four is shut", "  gate four\tis shut\n"),
    ("gate four is shut", "gate\u00a0four is  shut"),
    ("gate four is shut", "g\u200ba\u200bt\u200be four is shut"),
)
ENDS = (("gate four is shut", "gate four is shut."), ("gate four is shut", "\u201cgate four is shut\u201d"))
CODES = (
    ("the caf\u00e9 door is open", "the cafe\u0301 door is open"),
    ("pad HX-2207 is worn", "pad \uff28\uff38\uff0d\uff12\uff12\uff10\uff17 is worn"),
    ("the \ufb01rst pad is worn", "the first pad is worn"),
)
SCRIPTS = ("請等一下", "電壓過高", "يرجى الانتظار", "ουρά στην πύλη", "โปรดรอสักครู่", "gate four")
OTHERS = (
    ("the code is 4411", "the code is 4412"),
    ("room three is at -5 degrees", "room three is at 5 degrees"),
    ("the tank holds 3.5 litres", "the tank holds 35 litres"),
    ("the arm may be restarted", "the arm may not be restarted"),
)


def _of(fingerprint: Fingerprint, text: str) -> str:
    got = call(fingerprint, text)
    if type(got) is not str or not got:
        raise Wrong(f"{shown(fingerprint, text)} gave {show(got)}; give a text that is not empty")
    return got


def _written(text: str) -> str:
    """Quote a text, with its codes where these are the point."""
    return repr(text) if unicodedata.normalize("NFKC", text) == text else ascii(text)


def _same(fingerprint: Fingerprint, pairs: Pairs) -> str | None:
    for one, other in pairs:
        if _of(fingerprint, one) != _of(fingerprint, other):
            same, told = _written(one), _written(other)
            return f"{same} and {told} are one value, and your function gave two fingerprints"
    return None


def _different(fingerprint: Fingerprint, pairs: Pairs) -> str | None:
    for one, other in pairs:
        if _of(fingerprint, one) == _of(fingerprint, other):
            return f"{one!r} and {other!r} are two values, and your function gave both {show(_of(fingerprint, one))}"
    return None


def no_script_is_nothing(fingerprint: Fingerprint) -> str | None:
    """A text in any script has a fingerprint, and another text has another one."""
    return _different(fingerprint, combinations(SCRIPTS, 2))


def another_claim_is_another_value(fingerprint: Fingerprint) -> str | None:
    """Another number, a sign, a point or a negation makes another value."""
    return _different(fingerprint, OTHERS)


def case_makes_no_value(fingerprint: Fingerprint) -> str | None:
    """Capitals make no other value, in any language that has them."""
    return _same(fingerprint, CASES)


def spaces_make_no_value(fingerprint: Fingerprint) -> str | None:
    """Nor do spaces of any kind, and what is not seen."""
    return _same(fingerprint, SPACES)


def the_ends_make_no_value(fingerprint: Fingerprint) -> str | None:
    """Nor does a full stop or a quotation mark at an end."""
    return _same(fingerprint, ENDS)


def one_letter_in_many_codes_is_one_letter(fingerprint: Fingerprint) -> str | None:
    """A letter that is coded in another way is the same letter."""
    return _same(fingerprint, CODES)


EXERCISE = Exercise(
    id="6.1",
    title="A fingerprint of a value",
    concept="normal form",
    expected="a function of a text",
    fits=is_function,
    laws=(
        no_script_is_nothing,
        another_claim_is_another_value,
        case_makes_no_value,
        spaces_make_no_value,
        the_ends_make_no_value,
        one_letter_in_many_codes_is_one_letter,
    ),
    yes="one value in every dress has one fingerprint, and another value has another",
    misconceptions=(
        Misconception(
            "letters are a to z",
            "Most people write with others. Of their texts nothing is left, so one rejection hits all of them.",
            "no_script_is_nothing",
        ),
        Misconception(
            "punctuation says nothing",
            "Inside a text it does: the minus of -5, the point of 3.5. At the ends it may go.",
            "another_claim_is_another_value",
        ),
        Misconception(
            "lower case is the end of case",
            "A capital ß is written SS. Python has a method that is made for comparing, and it is not lower().",
            "case_makes_no_value",
        ),
        Misconception(
            "what is not seen is not there",
            "A space that does not break, and a joiner of no width, are characters like any other.",
            "spaces_make_no_value",
        ),
        Misconception(
            "what looks the same is coded the same",
            "An é is one code or two, a wide digit has its own. Unicode says how to bring them into one form.",
            "one_letter_in_many_codes_is_one_letter",
        ),
    ),
    hints=(
        "Which two texts of the counter-example are one value, and in which characters do they differ?",
        "What do unicodedata.normalize and str.casefold do to these characters?",
        "What may be cut off at the ends, and which characters can never be seen (see unicodedata.category)?",
    ),
)
