"""The live scorecard: choose a memory and a mark and read the evidence, or a foil and see what catches it.

The kit with a foil on is one more memory, whose card is made when it is chosen for the first time.

Left out: asking (it is handed in as functions that return cards), and the pictures, which are the still ones.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from teachmem.errors import InvalidInput
from teachmem.show import panel, scorecard
from teachmem.show.scorecard import Card

ALL = "all, side by side"
EVERY = "every mark"


def build(kit: Any, cards: Sequence[Card], foils: Mapping[str, Callable[[], Card]]) -> Any:
    """Make the scorecard of these cards, and of the kit with each of these foils on."""
    if not cards and not foils:
        raise InvalidInput("cards", "must hold at least one card, or there is nothing to show")
    made: dict[str, Card] = {card.system: card for card in cards}
    marks = list(dict.fromkeys(str(found.mark) for card in cards for found in card.findings))
    which = kit.SelectionSlider(options=[ALL, *made, *foils], **panel.labelled("memory, or foil"))
    mark = kit.SelectionSlider(options=[EVERY, *marks], **panel.labelled("mark"))
    board = panel.Panel(
        kit,
        "An answer is one of four, and they are never added up. With a foil on, the kit is asked anew, which "
        "takes a moment the first time.",
    )

    def redraw(*_: object) -> None:
        name, of = which.value, None if mark.value == EVERY else mark.value
        if name == ALL:
            board.draw(scorecard.by_marks(cards) if of is None else scorecard.beside(cards, of))
            return
        if name not in made:
            made[name] = foils[name]()
        if name in foils:
            board.draw(scorecard.foils({name: made[name].findings}), scorecard.one(made[name], of, "fails"))
            return
        board.draw(scorecard.one(made[name], of))

    return board.box([which, mark], redraw)
