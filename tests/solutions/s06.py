"""Solutions of segment 06."""

from solutions.entry import Entry

PRINT = """\
import unicodedata


def fingerprint(text):
    text = unicodedata.normalize("NFKC", text){case}
    seen = [char for char in text if unicodedata.category(char) {unseen}]
    {last}
"""
STRIP = """words = " ".join("".join(seen).split())
    return words.strip(" .,;:?\\u201c\\u201d\\"'") or words or text"""
CASE, UNSEEN = ".casefold()", '!= "Cf"'

WALK = """\
from teachmem import MemoryRefused


def comes_in(door, text):
    try:
        return str(door(text).verdict) {verdict}
    except MemoryRefused:
        return False


def walk(doors, spellings, harmless):
    found = {{}}
    for name, door in doors.items():
        if {leaks}:
            found[name] = "leaks"{stop}
        elif {harmless}:
            found[name] = "holds"
        else:
            found[name] = "proves nothing"
    return found
"""
ACCEPTED, ANY, LETS = (
    '== "accepted"',
    "any([comes_in(door, text) for text in spellings])",
    "comes_in(door, harmless)",
)

ACTS = 'act_for = {{"a": "{a}", "b": "{b}", "c": "{c}", "d": "{d}", "e": "{e}"}}\n'
RIGHT = {"a": "tombstone", "b": "moratorium", "c": "retract", "d": "defer", "e": "quarantine"}


def acts(**wrong):
    return ACTS.format(**{**RIGHT, **wrong})


SOLUTIONS = {
    "6.1": Entry(
        cell="exercise-6-1",
        answer="fingerprint",
        model=PRINT.format(case=CASE, unseen=UNSEEN, last=STRIP),
        accepted=(
            """\
import hashlib

from teachmem.normal import normal_form


def fingerprint(text):
    return hashlib.sha256(normal_form(text).encode()).hexdigest()
""",
        ),
        wrong={
            "letters are a to z": """\
import re
import unicodedata


def fingerprint(text):
    text = unicodedata.normalize("NFKC", text).casefold()
    return "of " + " ".join(re.sub("[^a-z0-9 .-]", "", text).split()).strip(" .")
""",
            "punctuation says nothing": """\
import unicodedata


def fingerprint(text):
    text = unicodedata.normalize("NFKC", text).casefold()
    kept = [char for char in text if unicodedata.category(char)[0] in "LMNZ" or char in "\\t\\n"]
    return " ".join("".join(kept).split())
""",
            "lower case is the end of case": PRINT.format(case=".lower()", unseen=UNSEEN, last=STRIP),
            "what is not seen is not there": PRINT.format(case=CASE, unseen='!= "xx"', last=STRIP),
            "what looks the same is coded the same": PRINT.format(
                case=CASE, unseen=UNSEEN, last=STRIP
            ).replace('unicodedata.normalize("NFKC", text)', "text"),
        },
    ),
    "6.2": Entry(
        cell="exercise-6-2",
        answer="walk",
        model=WALK.format(verdict=ACCEPTED, leaks=ANY, harmless=LETS, stop=""),
        accepted=(
            """\
from teachmem import MemoryRefused, Verdict


def walk(doors, spellings, harmless):
    def verdict(door, text):
        try:
            return door(text).verdict
        except MemoryRefused as refused:
            return refused.receipt.verdict

    told = {True: "leaks", False: "holds", None: "proves nothing"}

    def judged(door):
        if Verdict.ACCEPTED in {verdict(door, text) for text in spellings}:
            return True
        return False if verdict(door, harmless) is Verdict.ACCEPTED else None

    return {name: told[judged(door)] for name, door in doors.items()}
""",
        ),
        wrong={
            "one spelling stands for all": WALK.format(
                verdict=ACCEPTED, leaks="comes_in(door, spellings[0])", harmless=LETS, stop=""
            ),
            "a refusal is a proof": WALK.format(verdict=ACCEPTED, leaks=ANY, harmless="True", stop=""),
            "what waits has come in": WALK.format(
                verdict='in ("accepted", "staged")', leaks=ANY, harmless=LETS, stop=""
            ),
            "the first leak ends the walk": WALK.format(
                verdict=ACCEPTED, leaks=ANY, harmless=LETS, stop="\n            break"
            ),
        },
    ),
    "6.3": Entry(
        cell="exercise-6-3",
        answer="act_for",
        model=acts(),
        accepted=(
            """\
act_for = dict(zip("abcde", ("tombstone", "moratorium", "retract", "defer", "quarantine")))
""",
        ),
        wrong={
            "a rejection wears off": acts(a="moratorium"),
            "taken back is kept out": acts(a="retract"),
            "not yet is never": acts(b="tombstone"),
            "what is over was wrong": acts(c="tombstone"),
            "no time is a no": acts(d="tombstone"),
            "suspicious is rejected": acts(e="tombstone"),
        },
    ),
}
