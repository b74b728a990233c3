"""The pipeline trace: choose a node on a slider, and see what it was given, what it gave, and its time.

The answer was made before; nothing is asked again, so nothing is logged.

Left out: when a widget is shown at all (`live.py`, which hands the widget kit in).
"""

from __future__ import annotations

from typing import Any

from teachmem.errors import InvalidInput
from teachmem.flow.pipeline import Answer
from teachmem.show import panel, traced, words


def build(kit: Any, answer: Any) -> Any:
    """Make the trace of `answer`, whether or not anybody looks at it. `kit` is ipywidgets."""
    if not isinstance(answer, Answer) or not answer.trace:
        raise InvalidInput("answer", "must be what ask() gave, with the trace of its nodes")
    names = [run.name for run in answer.trace]
    choice = kit.SelectionSlider(options=names, **panel.labelled("node"))
    whole = sum(run.ms for run in answer.trace)
    board = panel.Panel(
        kit,
        f"{words.count(len(names), 'node')} took {whole:.0f} ms. What stands in the state was found by the "
        "nodes before.",
    )

    def redraw(*_: object) -> None:
        board.draw(traced.trace(answer, choice.value, times=True))

    return board.box([choice], redraw)
