"""A student's record as a chain: each line carries its number, the hash before it, and its own.

It is the chain of the audit log (`ledger/chain.py`) once more: the same link, the same start. The
first line, `begin`, holds a random id of the student, so every later hash does. Lines that an older
teachmem wrote have no chain; `begin` says how many there were and holds a digest of them all.

>>> first = entry(None, {"event": "begin", "student": "7K3M9Q2W"})
>>> second = entry(first, {"event": "check", "id": "2.1", "outcome": "yes"})
>>> read = walk(first.line + b"\\n" + second.line)
>>> read.student, read.findings, [one.seq for one in read.entries]
('7K3M9Q2W', (), [1, 2])
>>> walk(first.line + b"\\n" + second.line.replace(b"yes", b"no")).findings[0].what
'its hash is not that of its bytes'

Whoever holds the file can write the whole chain anew. What a code of it proves is `held.py`'s to say.
Left out: files and locks (`eventfile.py`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from teachmem.errors import InvalidInput
from teachmem.ledger import canonical, chain, checkpoint
from teachmem.ledger.chain import Finding
from teachmem.vocabulary import MAX_INTEGER

VERSION = 2  # of a line; 1 had no chain
KINDS_OF_1 = ("check", "predict", "reveal", "hint")
ID_SIGNS = 8  # of 5 bits each: no two students of a class have the same
BEGIN = "begin"  # the event that begins a chain
LINKS = ("seq", "prev", "hash")  # what makes a line one of a chain, and is no part of its event
NUMBER = "number"  # {"number": "0.5"}: a number that JSON does not carry exactly

Event = dict[str, Any]


@dataclass(frozen=True)
class Entry:
    """One line of the chain: number, hash, the hash before it, the event, and its bytes without an end."""

    seq: int
    hash: bytes
    prev: bytes
    event: Event
    line: bytes

    @cached_property
    def faults(self) -> tuple[str, ...]:
        """What is wrong with the line by itself."""
        try:
            body = canonical.encode({key: value for key, value in _raw(self.line).items() if key != "hash"})
        except InvalidInput:
            return ("it holds what no journal writes",)
        if chain.link(self.prev, body) != self.hash:
            return ("its hash is not that of its bytes",)
        return () if canonical.decode(self.line) else ("it is not spelled as it was written",)


@dataclass(frozen=True, slots=True)
class Walk:
    """A journal that was read: whose, its entries, the unchained events before, and what contradicts.

    `stray` are the numbers of lines that are no entries, as a kill in the middle of writing leaves one.
    """

    student: str
    entries: tuple[Entry, ...]
    older: tuple[Event, ...]
    findings: tuple[Finding, ...]
    stray: tuple[int, ...]
    newer: bool = False

    @property
    def events(self) -> list[Event]:
        """Every event, oldest first."""
        return [*self.older, *(one.event for one in self.entries)]


def entry(before: Entry | None, event: Mapping[str, Any]) -> Entry:
    """Return the entry that holds `event` and follows `before`, or the genesis."""
    seq, prev = (before.seq + 1, before.hash) if before else (1, chain.GENESIS)
    told = {key: _spelled(value) for key, value in event.items() if key not in LINKS}
    body = {"at": "", "segment": "", "id": "", **told, "v": VERSION, "seq": seq, "prev": prev.hex()}
    own = chain.link(prev, canonical.encode(body))
    return Entry(seq, own, prev, _event(body), canonical.encode({**body, "hash": own.hex()}))


def digest(older: Iterable[Event]) -> str:
    """Return the digest (hex) of events that have no chain."""
    return hashlib.sha256("".join(plain(event) for event in older).encode()).hexdigest()


def plain(event: Event) -> str:
    """Return an event without a chain as its line."""
    return json.dumps(event, sort_keys=True) + "\n"


def parsed(line: bytes) -> Entry | Event | None:
    """Return the entry or the unchained event that a line holds, None for one that holds none.

    A line of a newer teachmem comes back as an event; its `v` says so.
    """
    if not line or line.isspace():
        return None
    try:
        told = _raw(line)
    except (ValueError, RecursionError):
        return None
    if type(told) is not dict or type(told.get("v")) is not int or told["v"] < 1:
        return None
    if told["v"] > VERSION:
        return told
    if not all(isinstance(told.get(key), str) for key in ("at", "segment", "event", "id")):
        return None
    if told["v"] < VERSION:
        return told if told["event"] in KINDS_OF_1 else None
    seq, prev, own = told.get("seq"), _hash(told.get("prev")), _hash(told.get("hash"))
    if type(seq) is not int or not 1 <= seq <= MAX_INTEGER or prev is None or own is None:
        return None
    return Entry(seq, own, prev, _event(told), line.strip())


def lines(data: bytes) -> list[bytes]:
    """Return the lines of a file, without the mark that some editors put before the first."""
    return data.removeprefix(b"\xef\xbb\xbf").split(b"\n")


def walk(data: bytes) -> Walk:
    """Read a whole journal, and check every line of it against the one before."""
    entries: list[Entry] = []
    older: list[Event] = []
    findings: list[Finding] = []
    stray: list[int] = []
    seq, before = 0, chain.GENESIS
    for number, line in enumerate(lines(data), 1):
        one = parsed(line)
        if isinstance(one, Entry):
            if one.seq != seq + 1:
                what = f"entry {seq + 1} is missing; the next is {one.seq}"
                findings.append(Finding("", seq + 1, what))
            elif one.prev != before:
                findings.append(Finding("", one.seq, "it does not link to the entry before it"))
            findings += [Finding("", one.seq, what) for what in one.faults]
            entries.append(one)
            seq, before = one.seq, one.hash
        elif one is None:
            stray += [number] if line.strip() else []
        elif one["v"] > VERSION:
            return Walk("", (), (), (), (), newer=True)
        elif entries:
            findings.append(
                Finding("", seq, f"behind it stands line {number}, which has no place in the chain")
            )
        else:
            older.append(one)
    student = ""
    if entries:
        begun = entries[0].event
        student = begun["student"] if isinstance(begun.get("student"), str) else ""
        if not is_student(student):
            findings.append(Finding("", 1, "the chain is bound to no id that a journal has"))
        if begun["event"] != BEGIN:
            findings.append(Finding("", 1, "the chain does not start with its beginning"))
        elif begun.get("older", 0) != len(older) or (older and begun.get("digest") != digest(older)):
            findings.append(Finding("", 1, "the unchained lines are not those that the chain began with"))
    return Walk(student, tuple(entries), tuple(older), tuple(findings), tuple(stray))


def is_student(told: str) -> bool:
    """Say whether a text has the form of a journal's random id, so that a code can be made of it."""
    return len(told) == ID_SIGNS and set(told) <= set(checkpoint.SIGNS)


def _raw(line: bytes) -> Any:
    return json.loads(line.decode("utf-8", errors="replace"))


def _hash(told: object) -> bytes | None:
    try:
        found = bytes.fromhex(told) if isinstance(told, str) else b""
    except ValueError:
        return None
    return found if len(found) == len(chain.GENESIS) else None


def _spelled(value: Any) -> Any:
    """Return a value as a canonical body can hold it."""
    if isinstance(value, str):
        return "".join(sign for sign in value if sign != "\0" and not "\ud800" <= sign <= "\udfff")
    if isinstance(value, Mapping):
        return {str(key): _spelled(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_spelled(inner) for inner in value]
    if value is None or type(value) is bool or (type(value) is int and abs(value) <= MAX_INTEGER):
        return value
    try:
        return {NUMBER: repr(value)}
    except ValueError:  # an integer of more digits than Python writes
        return {NUMBER: "inf"}


def _event(told: Event) -> Event:
    return {key: _numbered(value) for key, value in told.items() if key not in LINKS}


def _numbered(value: Any) -> Any:
    if type(value) is not dict or set(value) != {NUMBER} or not isinstance(value[NUMBER], str):
        return value
    for kind in (int, float):
        try:
            return kind(value[NUMBER])
        except ValueError:
            continue
    return value
