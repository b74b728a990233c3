"""Read a LoCoMo file: conversations of sessions of turns, and questions whose evidence is named by turn.

A conversation has `session_1`, `session_2` and so on, each a list of turns with `speaker`, `dia_id` ("D1:3"
is the third turn of session 1) and `text`, and for each its `session_1_date_time`. A question of `qa` has
`question`, `category` 1 to 5 and `evidence`, a list of such ids.

The public file has slips, such as two ids in one string, a zero too many, or an id of no turn. What can be
read is read; what cannot is said, and a question without any evidence left is left out.

>>> evidence_ids(["D8:6; D9:17", "D30:05", "D:11:26"])
['D8:6', 'D9:17', 'D30:5', 'D11:26']

Left out: answers, summaries and pictures. Of a picture, its caption is read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from teachmem.errors import InvalidInput

_SESSION = re.compile(r"session_(\d+)")
_ID = re.compile(r"D:?(\d+):(\d+)")


@dataclass(frozen=True, slots=True)
class Turn:
    """One thing said: "Speaker (day): text"."""

    dia_id: str
    session: str
    said: str


@dataclass(frozen=True, slots=True)
class Question:
    """A question and the turns that answer it."""

    words: str
    category: int
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Conversation:
    """One conversation, in the order in which it was spoken."""

    name: str
    turns: tuple[Turn, ...]
    questions: tuple[Question, ...]


def evidence_ids(given: Iterable[object]) -> list[str]:
    """Return the ids that evidence names, each once, as turns are named."""
    found = (match for text in given for match in _ID.finditer(str(text)))
    return list(dict.fromkeys(f"D{int(match[1])}:{int(match[2])}" for match in found))


def read(path: Path) -> tuple[list[Conversation], list[str]]:
    """Return the conversations of the file at `path`, and a sentence for each thing that was left out.

    Raises `InvalidInput`, which says where and what, for a file that is none of this kind.
    """
    try:
        whole = json.loads(path.read_bytes())
    except OSError as error:
        raise _wrong(f"{path} cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise _wrong(f"{path} is not JSON: {error}") from error
    if not isinstance(whole, list) or not whole:
        raise _wrong(f"{path} must hold a list of conversations, as locomo10.json does")
    faults: list[str] = []
    found = [_conversation(place, item, faults) for place, item in enumerate(whole)]
    if not any(one.questions for one in found):
        raise _wrong(f"{path} has no question with evidence")
    return found, faults


def _conversation(place: int, item: Any, faults: list[str]) -> Conversation:
    where = f"conversation {place}"
    talk = _need(where, item, "conversation", dict)
    name = str(item.get("sample_id", place))
    where = f"{where} ({name})"
    sessions = sorted(int(match[1]) for key in talk if (match := _SESSION.fullmatch(key)))
    turns: dict[str, Turn] = {}
    for number in sessions:
        session = f"session_{number}"
        day = str(talk.get(f"{session}_date_time", "")).rpartition(" on ")[2]
        for spoken, turn in enumerate(_need(where, talk, session, list)):
            one = _turn(f"{where}, {session}, turn {spoken}", session, day, turn)
            if turns.setdefault(one.dia_id, one) is not one:
                raise _wrong(f"{where}: two turns are called {one.dia_id}")
    if not turns:
        raise _wrong(f"{where}: 'conversation' has no session_1, session_2 and so on")
    asked = _need(where, item, "qa", list)
    questions = [_question(f"{where}, question {n}", turns, one, faults) for n, one in enumerate(asked)]
    return Conversation(name, tuple(turns.values()), tuple(one for one in questions if one.evidence))


def _turn(where: str, session: str, day: str, item: Any) -> Turn:
    dia_id = _need(where, item, "dia_id", str)
    text = _need(where, item, "text", str)
    speaker = _need(where, item, "speaker", str)
    named = evidence_ids([dia_id])
    if len(named) != 1:
        raise _wrong(f"{where}: 'dia_id' must look like 'D1:3', not {dia_id!r}")
    caption = f" [picture: {item['blip_caption']}]" if item.get("blip_caption") else ""
    return Turn(named[0], session, f"{speaker}{f' ({day})' if day else ''}: {text}{caption}")


def _question(where: str, turns: dict[str, Turn], item: Any, faults: list[str]) -> Question:
    words = _need(where, item, "question", str)
    category = _need(where, item, "category", int)
    given = _need(where, item, "evidence", list)
    if category not in range(1, 6):
        raise _wrong(f"{where}: 'category' must be 1 to 5, not {category}")
    named = evidence_ids(given)
    lost = [name for name in named if name not in turns]
    unread = [text for text in given if not evidence_ids([text])]
    faults += [f"{where}: no turn is called {name}" for name in lost]
    faults += [f"{where}: {text!r} names no turn" for text in unread]
    known = tuple(name for name in named if name in turns)
    if not known:
        faults.append(f"{where}: nothing is left of its evidence, so it is not asked")
    return Question(words, category, known)


def _need(where: str, item: Any, key: str, kind: type) -> Any:
    if not isinstance(item, dict) or key not in item:
        raise _wrong(f"{where}: {key!r} is missing")
    if not isinstance(item[key], kind) or isinstance(item[key], bool):
        raise _wrong(f"{where}: {key!r} must be a {_NAMES[kind]}, not {type(item[key]).__name__}")
    return item[key]


_NAMES = {dict: "mapping", list: "list", str: "string", int: "whole number"}


def _wrong(what: str) -> InvalidInput:
    return InvalidInput("locomo", what)
