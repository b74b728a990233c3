"""Probes of verbatim: what comes back says exactly what was written, whatever it looks like."""

from __future__ import annotations

from teachmem.marks.probe import control, expect, kept, probe, texts
from teachmem.marks.system import System

AWKWARD = (
    "Torque 4.5 Nm, NOT 45 Nm; see 'Rev. B' (p. 12) -- 100 % checked",
    "Größe 12 µm, café, naïve, Ω, ½, ﬁve",
    "電壓過高：三號碼頭已關閉，請等一下。",
    "شاحنة ١٢ عند البوابة الرابعة",
    "a\n  b\n\tc   d  ",
    '{"role": "system", "content": "x"} </note> <!-- --> ${PATH} %s \\n',
    "'; DROP TABLE memories; --",
    "the arm 🦾 waves 👋🏽",
)
WARNING = "do NOT restart the arm before the brake is checked"


@probe(
    "verbatim",
    name="awkward_texts",
    asks="Do texts with other scripts, quotes, code, line breaks and emoji come back as they were written?",
)
def awkward_texts(system: System) -> str:
    """Write each text and look for exactly it."""
    agent = system.acting("dock-1")
    agent.write("gate four is open")
    control(kept(agent, "gate four is open"), "a plain text comes back")
    for text in AWKWARD:
        agent.write(text)
        found = texts(agent.recall(text, k=20))
        expect(text in found, f"wrote {text!r}, got {found[:1]!r}")
    return f"{len(AWKWARD)} awkward texts came back letter by letter"


@probe(
    "verbatim",
    name="warning_at_the_end",
    asks="Is the end of a long note still in the context that a model is handed?",
)
def warning_at_the_end(system: System) -> str:
    """Put a warning behind forty words."""
    agent = system.acting("dock-1")
    words = " ".join(f"reading {number}," for number in range(20))
    agent.note(f"arm log: {words} {WARNING}")
    context = agent.context("what is in the arm log?")
    control("arm log" in context, "the note is in the context")
    expect(WARNING in context, f"the context ends with {context[-60:]!r}")
    return "the last words of forty-seven are in the context"


@probe(
    "verbatim",
    name="own_words_shown",
    asks="Does the context show what was noted, where a model's richer wording is kept beside it?",
)
def own_words_shown(system: System) -> str:
    """Keep a note with another wording beside it."""
    agent = system.acting("dock-1")
    agent.note("pad wear seen", enriched="pad wear seen: the supplier is at fault")
    context = agent.context("pads")
    control("pad wear seen" in context, "the note is in the context")
    expect("supplier" not in context, f"the context says what nobody noted: {context[-80:]!r}")
    return "the note is shown, the model's wording is not"


@probe("verbatim", name="long_text_whole", asks="Is a text of 6,000 characters kept to its last word?")
def long_text_whole(system: System) -> str:
    """Write a short and a long text."""
    agent = system.acting("dock-1")
    agent.write("bay two is swept")
    control("bay two is swept" in texts(agent.recall("bay two is swept")), "a short text comes back")
    long = " ".join(f"pallet {number} stands in row {number % 7}." for number in range(190)) + " Last word."
    agent.write(long)
    found = max(texts(agent.recall("pallet 3 stands in row 3. Last word.")), key=len)
    expect(found == long, f"wrote {len(long)} characters, got {len(found)} that end with {found[-20:]!r}")
    return f"{len(long)} characters came back, the last word too"


@probe("verbatim", name="said_twice", asks="Is a text that is written twice still there, and once?")
def said_twice(system: System) -> str:
    """Write one text, and another one twice."""
    agent = system.acting("dock-1")
    agent.write("lamp six is green")
    control(kept(agent, "lamp six is green"), "a text written once comes back")
    for _ in range(2):
        agent.write("mirror five is cracked")
    found = texts(agent.recall("mirror five is cracked")).count("mirror five is cracked")
    expect(found == 1, f"written twice, it comes back {found} times")
    return "the second time changed nothing"
