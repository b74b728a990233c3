"""The live widgets of time and scope: the time machine, and the scope matrix. `live.py` hands the kit in.

Left out: the arithmetic (`explore_time.py`, `readers.py`) and the pictures, which are the still ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from teachmem import store
from teachmem.show import explore_time, panel, readers, time_grid

WHOLE = "none: the kit is whole"
Fault = Callable[[], AbstractContextManager[object]]


def build_time_machine(kit: Any, handle: store.Handle, ids: Iterable[str]) -> Any:
    """Make the time machine, whether or not anybody looks at it."""
    given = explore_time.gather(handle, ids)
    at = kit.SelectionSlider(
        options=[(time_grid.when(moment), place) for place, moment in enumerate(given.at)],
        value=len(given.at) - 1,
        **panel.labelled("held in the world at"),
    )
    known = kit.SelectionSlider(
        options=[(time_grid.when(moment), place) for place, moment in enumerate(given.known_at)],
        value=len(given.known_at) - 1,
        **panel.labelled("known to the ledger at"),
    )
    board = panel.Panel(kit, "Each slider stops where something changes.")

    def redraw(*_: object) -> None:
        board.draw(time_grid.grid(given, (at.value, known.value)))

    return board.box([at, known], redraw)


def build_scope_matrix(
    kit: Any, handles: Iterable[store.Handle], memories: Sequence[str], faults: Mapping[str, Fault]
) -> Any:
    """Make the scope matrix; `faults` are context managers by name, under which it is asked again."""
    who = tuple(handles)
    reader = kit.SelectionSlider(
        options=[(readers.named(each.principal), place) for place, each in enumerate(who)],
        **panel.labelled("clause of"),
    )
    fault = kit.SelectionSlider(options=[WHOLE, *faults], **panel.labelled("foil"))
    board = panel.Panel(kit, f"{readers.said(len(who), len(memories))}.")

    def redraw(*_: object) -> None:
        with faults.get(fault.value, nullcontext)():
            given = readers.gather(who, memories)
        board.draw(readers.matrix(given, reader.value))

    return board.box([reader, fault], redraw)
