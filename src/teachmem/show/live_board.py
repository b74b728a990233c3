"""The live lifecycle board: choose who acts, a memory and a state, and see what the move would be told.

The widget kit is handed in: `live.py` alone imports it. Every move is tried and taken back
(`explore_board.py`), so the store is as it was.

Left out: the judging. Receipts and refusals are the gate's own.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from teachmem import store
from teachmem.errors import InvalidInput, NotFound
from teachmem.record import Receipt
from teachmem.show import board, explore_board, panel, trails, view, words
from teachmem.show.markup import Markup
from teachmem.vocabulary import Status, Verdict

OF_EACH = 3  # memories of every state that can be chosen


def build(kit: Any, handle: store.Handle) -> Any:
    """Make the board of what `handle` may see exists."""
    start = explore_board.gather(handle)
    actors = explore_board.actors(handle.principal)
    memories = {
        f"{words.short_id(each.memory_id)}, {each.status}": each
        for status in Status
        for each in start.of(status)[:OF_EACH]
    }
    if not memories:
        raise InvalidInput("handle", "may see no memory, so there is none to move")
    who = kit.SelectionSlider(options=list(actors), **panel.labelled("who acts"))
    what = kit.SelectionSlider(options=list(memories), **panel.labelled("memory"))
    where = kit.SelectionSlider(
        options=[str(status) for status in Status],
        value=str(Status.CONFIRMED),
        **panel.labelled("moves it to"),
    )
    said = "A move is judged as it would be, and then taken back: nothing here changes a memory."
    shown = panel.Panel(kit, said)

    def redraw(*_: object) -> None:
        actor, chosen = actors[who.value], memories[what.value]
        given = replace(
            start,
            role=actor.role,
            status=chosen.status,
            chosen=chosen.memory_id,
            to=Status(where.value),
        )
        try:
            receipt = explore_board.tried(handle, actor, chosen.memory_id, where.value)
        except NotFound:
            shown.draw(_unseen(who.value), board.board(given))
            return
        words_of = explore_board.content(handle, chosen.memory_id)
        shown.draw(told(receipt, chosen.status, where.value, words_of), board.board(given))

    return shown.box([who, what, where], redraw)


def told(receipt: Receipt, before: str, after: str, content: str | None) -> view.View:
    """Return the view of a trial: what the move would be told, and the words of what is moved."""
    seen = trails.receipt(receipt)
    ends = {
        Verdict.ACCEPTED: f"{before} would become {after}",
        Verdict.DUPLICATE: "nothing would change",
        Verdict.STAGED: f"it would stay {before} until a person decides",
        Verdict.REFUSED: f"it stays {before}",
    }
    said = "no read returns it, so its words are not shown" if content is None else words.said(content)
    return replace(seen, title=f"{seen.title}: {ends[receipt.verdict]}", asked=said)


def _unseen(name: str) -> view.View:
    nothing = view.Table((), ())
    return view.View(f"not found: {name} may not see this memory", nothing, Markup(""))
