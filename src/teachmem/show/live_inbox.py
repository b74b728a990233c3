"""The live review inbox: choose an item and what to do with it, and see what the next run then proposes.

The widget kit is handed in: `live.py` alone imports it. Every decision is tried on a copy that is taken at
the start (`explore_inbox.py`): the inbox stays as it is, and what happens to it later changes nothing here.

Left out: deciding in earnest. That is one line: `lead.review.reject(item, "why")`.
"""

from __future__ import annotations

from typing import Any

from teachmem import store
from teachmem.errors import InvalidInput, TeachmemError
from teachmem.show import explore_inbox, inbox_view, panel, words
from teachmem.show.explore_inbox import Inbox

DAYS = (0, 1, 29, 30, 31, 60)


def build(kit: Any, mem: store.MemoryStore, person: store.Person, agent: store.Handle) -> Any:
    """Make the inbox of `person`; `agent` is who looks for skills afterwards."""
    start, kept = explore_inbox.gather(person), explore_inbox.copied(mem)
    if not start.items:
        raise InvalidInput("person", "has nothing in the inbox, so there is nothing to decide")
    items = {f"{words.short_id(item.candidate_id)}, {item.state}": item for item in start.items}
    which = kit.SelectionSlider(options=list(items), **panel.labelled("item"))
    action = kit.SelectionSlider(options=list(explore_inbox.ACTS), **panel.labelled("what you do"))
    later = kit.SelectionSlider(options=DAYS, **panel.labelled("next run, days later"))
    shown = panel.Panel(
        kit,
        f"You decide as {start.reader}. Each decision is made on a copy of the store: try them all.",
    )

    def redraw(*_: object) -> None:
        item = items[which.value]
        card = inbox_view.inbox(Inbox(start.reader, (item,)))
        try:
            found = explore_inbox.tried(kept, person, agent, item, action.value, later.value)
        except TeachmemError as told:
            shown.say(str(told))
            return
        shown.draw(inbox_view.decided(found), card)

    return shown.box([which, action, later], redraw)
