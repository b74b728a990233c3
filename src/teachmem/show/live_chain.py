"""The chain viewer: choose an attack and an entry, and see what each way of looking says to it.

Everything happens to a copy that is made anew at each step, so that the same attack can be replayed and
the store stays as it is.

Left out: when a widget is shown at all (`live.py`, which hands the widget kit in); the attack that wants an
older copy of the store.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from teachmem import store
from teachmem.errors import InvalidInput
from teachmem.ledger.checkpoint import Checkpoint
from teachmem.show import attacked, explore_chain, panel, words
from teachmem.show.explore_chain import Attack

NOTHING = "nothing"


def build(kit: Any, mem: store.MemoryStore, held: Checkpoint, attacks: Mapping[str, Attack]) -> Any:
    """Make the chain viewer, whether or not anybody looks at it. `kit` is ipywidgets."""
    start = explore_chain.attacked(mem, held)
    if not start.actions:
        raise InvalidInput("held", f"the log of {held.tenant!r} is empty; there is nothing to attack")
    names = {name.replace("_", " "): one for name, one in attacks.items() if not one.restores}
    choice = kit.SelectionSlider(options=[NOTHING, *names], **panel.labelled("attack"))
    place = kit.IntSlider(value=1, min=1, max=len(start.actions), **panel.labelled("at entry"))
    board = panel.Panel(
        kit,
        f"{words.count(len(start.actions), 'entry')} in the log of {words.one_line(held.tenant)}; somebody "
        f"else holds the checkpoint of entry {held.seq}. Each attack is made on a copy of the store.",
    )

    def redraw(*_: object) -> None:
        attack = names.get(choice.value)
        try:
            found = explore_chain.attacked(mem, held, attack, place.value) if attack else start
        except InvalidInput as refused:
            board.say(refused.reason.replace("_", " "))
            return
        board.draw(attacked.attacked(found))

    return board.box([choice, place], redraw)
