"""A card as a file: what a memory answered, with what was asked and seen, as JSON that can be read back.

>>> from teachmem.marks.probe import Answer, Card, Finding, Mark
>>> card = Card("naive", "1", "a file", (Finding("said_twice", Mark.VERBATIM, Answer.FAILS, "2 times"),))
>>> read(written([card])) == (card,)
True

Left out: one number. Nothing here adds answers up.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from teachmem.errors import InvalidInput
from teachmem.marks.probe import Answer, Card, Finding, Mark

FORMAT = "teachmem cards 1"


def written(cards: Iterable[Card]) -> str:
    """Return cards as JSON, the same bytes for the same answers."""
    plain = [
        {
            "system": card.system,
            "version": card.version,
            "way": card.way,
            "findings": [
                {
                    "mark": str(found.mark),
                    "probe": found.probe,
                    "answer": str(found.answer),
                    "asks": found.asks,
                    "evidence": found.evidence,
                }
                for found in card.findings
            ],
        }
        for card in cards
    ]
    return json.dumps({"format": FORMAT, "cards": plain}, indent=1, ensure_ascii=False) + "\n"


def read(text: str) -> tuple[Card, ...]:
    """Read cards back. Raises `InvalidInput` for what is no file of cards, and says what is wrong."""
    try:
        told = json.loads(text)
        if not isinstance(told, dict) or told.get("format") != FORMAT:
            raise InvalidInput("cards", f"this is no file of cards: its format is not {FORMAT!r}")
        return tuple(_card(one) for one in told["cards"])
    except (ValueError, KeyError, TypeError) as error:
        raise InvalidInput("cards", f"this file of cards cannot be read: {error!r}") from error


def _card(one: dict[str, Any]) -> Card:
    findings = tuple(
        Finding(
            str(row["probe"]),
            Mark(row["mark"]),
            Answer(row["answer"]),
            str(row["evidence"]),
            str(row["asks"]),
        )
        for row in one["findings"]
    )
    return Card(str(one["system"]), str(one["version"]), str(one["way"]), findings)
