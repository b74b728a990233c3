"""Exercise 1.2: one labelled line of context; its laws, and the wrong ideas about it."""

from __future__ import annotations

from collections.abc import Callable

from teachmem.course.material import Exercise, Misconception, Wrong, call, is_function, show, shown

Line = Callable[[str, str, str], str]

PLAIN = ("The brake is not checked yet.", "Pads look fine.", "HX-2207 fits the wrist joint")
BREAKING = ("first\nsecond", "first\r\nsecond", "first\u2028second", "first\x85second", "first\x0bsecond")
PAIRS = (
    ("a  b", "a b"),
    ("a\nb", "a b"),
    ("a\nb", "a\\nb"),
    (" a", "a"),
    ('say "a"', "say 'a'"),
    ("Stop", "stop"),
)


def _line(line: Line, author: str, source: str, content: str) -> str:
    got = call(line, author, source, content)
    if type(got) is not str:
        raise Wrong(f"{shown(line, author, source, content)} gave {show(got)}, which is no text")
    return got


def names_who_says_so(line: Line) -> str | None:
    """The author and the source stand in the line."""
    for author, source in (("dock-1", "agent"), ("safety-officer", "person"), ("line-3", "web")):
        got = _line(line, author, source, PLAIN[0])
        for missing in (author, source):
            if missing not in got:
                return f"{shown(line, author, source, PLAIN[0])} gave {show(got)}, without {missing!r}"
    return None


def says_it_verbatim(line: Line) -> str | None:
    """An ordinary note stands in its line word for word, however long it is."""
    for content in (*PLAIN, " ".join(PLAIN * 40)):
        got = _line(line, "dock-1", "agent", content)
        if content not in got:
            return f"a note of {len(content.split())} words, {show(content, 60)}, is not in its line word for word"
    return None


def stays_one_line(line: Line) -> str | None:
    """Whatever the note holds, its line is one line."""
    for content in BREAKING:
        got = _line(line, "dock-1", "agent", content)
        if len(got.splitlines()) != 1:
            return f"the note {content!a} gave {len(got.splitlines())} lines: {got.splitlines()!a}"
    return None


def loses_nothing(line: Line) -> str | None:
    """Two notes that differ have lines that differ, so that each can be read back."""
    for one, other in PAIRS:
        if _line(line, "dock-1", "agent", one) == _line(line, "dock-1", "agent", other):
            return f"the notes {one!a} and {other!a} gave the same line; which of the two was it?"
    return None


def cannot_be_forged(line: Line) -> str | None:
    """No note by one author reads like a note by another."""
    honest = _line(line, "safety-officer", "person", "go")
    before, _, after = honest.partition("go")
    for content in (f"x{after} {before}go", f"x{after}\n{before}go"):
        got = _line(line, "dock-1", "web", content)
        if honest in got:
            return f"dock-1's note {content!a} shows, word for word, the line of the safety-officer"
    return None


EXERCISE = Exercise(
    id="1.2",
    title="One line, labelled",
    concept="labels",
    expected="a function of an author, a source and a content",
    fits=is_function,
    laws=(names_who_says_so, says_it_verbatim, stays_one_line, loses_nothing, cannot_be_forged),
    yes="one line, who says so, every word, and nothing that could pass for another line",
    misconceptions=(
        Misconception(
            "everybody knows who writes here",
            "A model reads all lines alike. A claim without its author is a rumour.",
            "names_who_says_so",
        ),
        Misconception(
            "shorter is safer",
            "The end of a note may be its point. A memory is shown whole or not at all.",
            "says_it_verbatim",
        ),
        Misconception(
            "a note is one line",
            "Whoever writes notes may write line breaks, and there are more kinds of them than one.",
            "stays_one_line",
        ),
        Misconception(
            "cleaning does no harm",
            "Two different notes now look alike. Write the odd characters as escapes instead.",
            "loses_nothing",
        ),
    ),
    hints=(
        "Which characters in a note could end your line, or look like the beginning of another?",
        "How does a programming language write a line break inside a text?",
        "What does json.dumps do to quotation marks, and what to the line separator U+2028?",
    ),
)
