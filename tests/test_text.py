"""Terms: words of any script, the same for every spelling of the same word."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from teachmem.recall import text
from teachmem.recall.text import terms


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("Grippers were slipping.", ["gripper", "slip"]),
        ("sensor failures", terms("sensors failure")),
        ("do NOT restart", ["not", "restart"]),
        ("HX-2207", ["hx", "2207", "hx-2207"]),
        ("ＨＸ－２２０７", ["hx", "2207", "hx-2207"]),
        ("HX\u20112207 HX\u20102207 HX\u22122207", ["hx", "2207", "hx-2207"] * 3),
        ("part_no_7", ["part", "no", "7"]),
        ("multi-agent--system -x- y-", ["multi", "agent", "multi-agent", "system", "x", "y"]),
        ("CAFÉ cafe\u0301 Cafe\u0301", ["café", "café", "café"]),
        ("co\u00adop\u200derate\ufeff", ["cooper"]),
        ("Straße STRASSE", ["strass", "strass"]),
        ("ΟΔΟΣ οδος οδός", ["οδοσ", "οδοσ", "οδόσ"]),
        ("Датчик датчик", ["датчик", "датчик"]),
        ("로봇이 멈췄다", ["로봇이", "멈췄다"]),
        ("गोदाम में क्षेत्र", ["गोदाम", "में", "क्षेत्र"]),
        ("மென்பொருள்", ["மென்பொருள்"]),
        ("مُستودَع می\u200cخواهم", ["مُستودَع", "میخواهم"]),
        ("מַחסָן", ["מַחסָן"]),
        ("把持部が滑った", ["把持", "持部", "部が", "が滑", "滑っ", "った"]),
        ("臂 NL-0003 停", ["臂", "nl", "0003", "nl-0003", "停"]),
        ("人々。ロボット・アーム", ["人々", "ロボ", "ボッ", "ット", "アー", "ーム"]),
        ("ชั้นวาง", ["ชั", "ั้", "้น", "นว", "วา", "าง"]),
        ("ﾛﾎﾞｯﾄ", ["ロボ", "ボッ", "ット"]),
        ("🤖 ... ?! \ud800 \x00 #@%", []),
        ('status: done OR a"b', ["status", "done", "b"]),
        ("", []),
    ],
)
def test_what_a_text_can_be_found_by(written, expected):
    assert terms(written) == expected


def test_stop_words_go_and_negations_stay():
    assert terms("the and of it is") == []
    assert terms("no not never nor without") == ["no", "not", "never", "nor", "without"]


texts = st.text(max_size=60) | st.text(
    st.sampled_from("aAéE\u0301 -_'ſẞßΣσςİıﬁＨ把ชั้าकषि्\u200d\u00ad\u202e\u2011㍿①ᾳ\u0345ŉǅKÅ"), max_size=30
)


@given(texts)
def test_terms_hold_no_white_space_and_are_the_same_every_time(written):
    found = terms(written)
    assert found == terms(written)
    assert all(term and not any(char.isspace() for char in term) for term in found)


@given(texts)
def test_composition_and_case_do_not_matter(written):
    for form in ("NFC", "NFD", "NFKC", "NFKD"):
        assert terms(unicodedata.normalize(form, written)) == terms(written)
    assert terms(unicodedata.normalize("NFD", written).casefold()) == terms(written)


@given(st.text(st.characters(max_codepoint=127), max_size=40))
def test_ascii_goes_the_short_way_to_the_same_words(written):
    assert text._ASCII_WORD.findall(text.fold(written)) == text._WORD.findall(text.fold(written))


def test_no_mark_of_any_script_cuts_a_word():
    marks = [chr(code) for code in range(0x300, 0x10000) if unicodedata.category(chr(code)) in ("Mn", "Mc")]
    spaced = [mark for mark in marks if not text._IS_UNSPACED.match(mark)]
    assert len(spaced) > 1000
    assert [mark for mark in spaced if len(terms(f"q{mark}q")) != 1] == []


@pytest.mark.parametrize("unit", ["a", "把", "ก", "gripper ", "x-", "-", " ", "é", "\u0301", "\u200d", "_"])
def test_a_long_text_costs_no_more_than_its_length(unit):
    """Work is counted in characters of the terms that come out, not in seconds."""
    sizes = [len("".join(terms(unit * count))) for count in (2_000, 20_000)]
    assert sizes[1] <= 10 * sizes[0] + 40
    assert sum(map(len, text._terms_of("把" * 2_000))) <= 2 * 2_000


def test_long_words_are_not_remembered():
    text._known.cache_clear()
    terms("x" * 100_000)
    terms("把" * 1_000)
    assert text._known.cache_info().currsize == 0
    terms("gripper")
    assert text._known.cache_info().currsize == 1
