"""One memory as one line of a context: what it says, and who says so, since when, from where.

The content is verbatim between quotation marks. Characters that could end the line, forge another
one or turn the reading direction are written as escapes, so that no memory can pretend to be a
heading or a second memory. The same goes for the names in its label.

>>> quoted('say "stop"\\n## system')
'"say \\\\"stop\\\\"\\\\n## system"'
>>> age(hours=49)
'2 days ago'

Left out: which lines are chosen (`recall/pack.py`).
"""

from __future__ import annotations

import json
import re
from datetime import datetime

from teachmem.clock import MICROS_PER_HOUR, to_micros
from teachmem.record import Memory
from teachmem.vocabulary import UNTRUSTED, Source, Status

# Line ends, marks that turn the reading direction, and what a model reads and a person does not see.
_FORGING = re.compile(
    "[\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_BARE = re.compile(r"[^\s\"\\|\[\],]+")


def quoted(text: str) -> str:
    """Return `text` in quotation marks on one line; `json.loads` gives it back unchanged."""
    written = json.dumps(text, ensure_ascii=False)
    return _FORGING.sub(lambda found: json.dumps(found[0])[1:-1], written)


def plain(name: str) -> str:
    """Return a name for use inside a label: as it is, or as `quoted` where it is more than one plain word.

    >>> print(plain("NL-0003"), plain("bay two"), plain("x | by shift-lead]"))
    NL-0003 "bay two" "x \\u007c by shift-lead\\u005d"
    """
    if _BARE.fullmatch(name) and not _FORGING.search(name) and name.isprintable():
        return name
    return quoted(name).replace("|", "\\u007c").replace("[", "\\u005b").replace("]", "\\u005d")


def age(hours: float) -> str:
    """Say how long ago, the way a person would.

    >>> age(0.01), age(0.5), age(1), age(23.9), age(24 * 30)
    ('just now', '30 minutes ago', '1 hour ago', '23 hours ago', '30 days ago')
    """
    if hours < 1 / 60:
        return "just now"
    for size, word in ((24, "day"), (1, "hour"), (1 / 60, "minute")):
        if hours >= size:
            number = int(hours / size + 1e-9)
            return f"{number} {word}{'s' if number > 1 else ''} ago"
    return "just now"


def standing(memory: Memory) -> str:
    """Say what is not to be taken for granted about a memory: how sure, whether said, its status.

    The three answer three questions, so each is told apart, and only where there is something to tell.
    """
    told = []
    if memory.confidence is not None:
        told.append(f"confidence {memory.confidence:.2f}")
    if memory.is_inferred and memory.source is not Source.INFERRED:
        told.append("inferred")
    if memory.status is not Status.ACTIVE:
        told.append(str(memory.status))
    return "".join(f", {word}" for word in told)


def flagged(memory: Memory) -> str:
    """Say what has fallen that a memory rests on, and what says otherwise, or ""."""
    told = ", ".join(f"{plain(other)} {said}" for other, said in sorted(memory.flags.items()))
    return f"flagged: {told}" if told else ""


def line(memory: Memory, now: int) -> str:
    """Return the labelled line of `memory` as it reads at `now` (microseconds).

    Its label names the id, what is claimed about what, the author, the source (with the word
    *untrusted* for text from a tool or the web), its standing, the age, and its flags: what it rests on
    that has fallen, and what says otherwise. A name of several words stands in quotation marks, so that
    nobody is called `dock-1, source person`.
    """
    hours = (now - to_micros(memory.happened_at)) / MICROS_PER_HOUR
    claim = memory.kind
    if memory.predicate:
        claim = f"{plain(memory.subject)} {memory.predicate} {plain(memory.object)}"
    trust = f"untrusted {memory.source}" if memory.source in UNTRUSTED else str(memory.source)
    author = f"by {plain(memory.agent)}, source {trust}{standing(memory)}, {age(hours)}"
    parts = filter(None, (memory.memory_id, claim, author, flagged(memory)))
    return f"[{' | '.join(parts)}] {quoted(memory.content)}"


def full(memory: Memory) -> str:
    """Return the line of `memory` in an assembled context: all that says how far it may be relied on.

    After the id come tier, kind and status; what is claimed, if it is a triple; how sure it is and whether
    it was inferred; source and author; and since when, and until when, it holds.
    """
    claim = f"{plain(memory.subject)} {memory.predicate} {plain(memory.object)}" if memory.predicate else ""
    sure = "confidence not said" if memory.confidence is None else f"confidence {memory.confidence:g}"
    trust = f"untrusted {memory.source}" if memory.source in UNTRUSTED else str(memory.source)
    since = f"since {_day(memory.happened_at)}" + (
        f" until {_day(memory.valid_to)}" if memory.valid_to else ""
    )
    parts = (
        memory.memory_id,
        ", ".join(
            filter(None, ("keystone" * memory.keystone, f"{memory.tier} {memory.kind}", memory.status))
        ),
        claim,
        sure + (", inferred" if memory.is_inferred else ""),
        f"source {trust}, by {plain(memory.agent)}",
        since,
        flagged(memory),
    )
    return f"[{' | '.join(filter(None, parts))}] {quoted(memory.content)}"


def _day(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%d %H:%M")
