"""The normal form: spellings of one value meet, and different values stay apart."""

import re
import unicodedata

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from teachmem.normal import is_blank, nfc, normal_form

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
seen = texts.filter(lambda text: not is_blank(text))
words = st.lists(
    st.text("abcdefghijkLMNOPéüñßΣшжäכ中村0123456789", min_size=1, max_size=8), min_size=1, max_size=6
)
ZERO_WIDTH = "\u200b\u200c\u200d\u2060\ufeff\u00ad\u200e\ufe0f\u034f"


@given(texts)
@example("\u0345\u0301")
@example("\ufdfa")
def test_it_is_idempotent(text):
    assert normal_form(normal_form(text)) == normal_form(text)


@given(texts)
def test_it_is_empty_for_nothing_but_the_empty_text(text):
    assert bool(normal_form(text)) == bool(text)


@given(words, st.data())
def test_one_value_in_any_spelling_has_one_form(parts, data):
    plain = " ".join(parts)
    spaces = st.text(" \t\n\u00a0\u2003\u3000", min_size=1, max_size=3)
    hidden = st.text(ZERO_WIDTH, max_size=2)
    other = "".join(char + data.draw(hidden) for char in plain)
    other = "".join(data.draw(spaces) if char == " " else char for char in other)
    other = data.draw(st.sampled_from([str.upper, str.lower, str.swapcase, str]))(other)
    other = unicodedata.normalize(data.draw(st.sampled_from(["NFC", "NFD", "NFKC", "NFKD"])), other)
    edge = st.text("\"'()[]!?;:…«»“” \u200b", max_size=3)
    other = data.draw(edge) + other + data.draw(edge)
    assert normal_form(other) == normal_form(plain)


@given(st.text("".join(map(chr, range(0x21, 0x7F))), min_size=1, max_size=20))
def test_full_width_is_a_spelling_of_ascii(text):
    wide = "".join(chr(ord(char) + 0xFEE0) for char in text)
    assert normal_form(wide) == normal_form(text)


number = st.from_regex(r"[-]?([1-9][0-9]{0,4}|0)?([.][0-9]{1,3})?%?", fullmatch=True).filter(
    lambda text: any(char.isdigit() for char in text)
)
place = st.sampled_from(
    ["{}", "{} degrees", "the limit is {}", "the limit is {}.", "({})", "“{} mm”, they say"]
)


@given(number, number, place)
@example("-5", "5", "{} degrees")
@example(".5", "5", "{}")
@example("50%", "50", "the limit is {}.")
def test_texts_that_differ_in_a_number_are_different_values(one, other, where):
    assume(one != other)
    assert normal_form(where.format(one)) != normal_form(where.format(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("do NOT restart the arm", "do restart the arm"),
        ("gate four isn't open", "gate four is open"),
        ("nothing is stuck", "something is stuck"),
        ("ten squared is 10\u00b2", "ten squared is 102"),
        ("factor 10\u207b\u00b3", "factor 10-3"),
        ("\u2212" + "5 degrees", "5 degrees"),
        ("part HX-2207", "part HX2207"),
        ("C++", "C"),
    ],
)
def test_these_are_different_values(one, other):
    assert normal_form(one) != normal_form(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The door code is 4411", "the  DOOR code is 4411..."),
        ("- five crates", "Five crates"),
        ("...5 crates", "5 crates"),
        ("STRASSE", "straße"),
        ("door\x08 code", "door code"),
        ("\u202edoor code", "door code"),
        ("area of 5 m\u00b2", "area of 5 m^2"),
    ],
)
def test_these_are_the_same_value(one, other):
    assert normal_form(one) == normal_form(other)


@given(seen)
def test_a_text_with_a_letter_or_digit_keeps_one(text):
    def has_one(value):
        return any(unicodedata.category(char)[0] in "LN" and not is_blank(char) for char in value)

    assert has_one(normal_form(text)) or not has_one(unicodedata.normalize("NFKC", text))


@pytest.mark.parametrize("text", ["", " ", "\n\t", "\u200b", "\ufeff \u2060", "\u3164", "\x01\x02", "\u00ad"])
def test_what_cannot_be_seen_is_blank(text):
    assert is_blank(text)


@given(texts)
def test_blank_means_that_nothing_is_left_to_see(text):
    shown = [c for c in text if not c.isspace() and unicodedata.category(c) not in ("Cf", "Cc", "Mn", "Lo")]
    if shown:
        assert not is_blank(text)
    if re.fullmatch(r"\s*", text):
        assert is_blank(text)


@given(texts)
def test_a_name_is_composed_and_otherwise_untouched(name):
    assert nfc(nfc(name)) == nfc(name)
    assert unicodedata.normalize("NFD", nfc(name)) == unicodedata.normalize("NFD", name)
