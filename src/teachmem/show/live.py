"""Live widgets: the same pictures with sliders beside them. The only place that imports ipywidgets.

A widget is a second display, after the static view and in a cell of its own, and only where a live
kernel asks. Anywhere else the call says one fixed line, so that a stored notebook stays the same:

>>> score_explorer(None, "gripper")
live widget: run this cell in JupyterLab

Every control has a written label and answers to the arrow keys. What changes is the `value` of two HTML
widgets: the picture, and its text twin below. The arithmetic is in `explore.py`.

Left out: writing. A widget reads what its handle may read when it is made, and changes nothing.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from teachmem import store
from teachmem.errors import InvalidInput
from teachmem.recall.score import Weights
from teachmem.record import Memory
from teachmem.show import budget as budgets
from teachmem.show import difference, explore, hits, markup, view, words
from teachmem.show.difference import Rewrite
from teachmem.tiers import kit

if TYPE_CHECKING:
    from ipywidgets import Box

STATIC_LINE = "live widget: run this cell in JupyterLab"
_WIDE, _LABEL, _LIVE = "640px", "190px", "tm-live"


def enabled() -> bool:
    """Say whether a live kernel asks: an IPython kernel, and TEACHMEM_STATIC is not 1."""
    return os.environ.get("TEACHMEM_STATIC") != "1" and getattr(view.shell(), "kernel", None) is not None


def score_explorer(
    handle: store.Handle,
    query: str,
    k: int = 5,
    *,
    session: str | None = None,
    events: Iterable[Memory | str] | None = None,
) -> Box | None:
    """Three weights and a half-life on sliders; the best `k` events as stacked bars, ranks moving.

    All events that `handle` may recall are considered, or of them only `events` (memories or ids).
    In a notebook the last line of the cell shows it; without a live kernel, one line is printed.
    """
    return _live(lambda: build_score_explorer(handle, query, k, session=session, events=events))


def budget_packer(
    handle: store.Handle,
    query: str | None = None,
    budget: int = 400,
    *,
    session: str | None = None,
) -> Box | None:
    """A token budget on a slider; notes as bars in it or left out; a rewrite beside its original."""
    return _live(lambda: build_budget_packer(handle, query, budget, session=session))


def _live(build: Callable[[], Box]) -> Box | None:
    if enabled():
        return build()
    print(STATIC_LINE)
    return None


def build_score_explorer(
    handle: store.Handle,
    query: str,
    k: int = 5,
    *,
    session: str | None = None,
    events: Iterable[Memory | str] | None = None,
) -> Box:
    """Make the score explorer, whether or not anybody looks at it."""
    import ipywidgets

    kit.check_count("k", k)
    gathered = explore.gather(handle, query, session, events)
    start, start_hours = Weights(), 24.0
    before = [hit.memory.memory_id for hit in explore.rescore(gathered, start, start_hours)]
    sliders = {
        name: ipywidgets.FloatSlider(
            value=getattr(start, name),
            min=0,
            max=1,
            step=0.05,
            readout_format=".2f",
            **_labelled(f"{name} weight"),
        )
        for name in start.__slots__
    }
    half_life = ipywidgets.SelectionSlider(
        options=explore.HALF_LIVES, value=start_hours, **_labelled("half-life of recency")
    )
    again = ipywidgets.Button(description="start again", tooltip="put all four sliders back to the start")
    said = (
        f"{words.count(len(gathered.events), 'event')} considered. Ranks move against the start: "
        f"weights {', '.join(f'{getattr(start, name):.2f}' for name in sliders)} and a half-life of "
        f"{hits.hours(start_hours)}."
    )
    panel = _Panel(said)

    def redraw(*_: object) -> None:
        try:
            weights = Weights(**{name: slider.value for name, slider in sliders.items()})
        except InvalidInput as refused:
            panel.say(str(refused))
            return
        ranked = explore.rescore(gathered, weights, half_life.value)
        moves = explore.moved(before, [hit.memory.memory_id for hit in ranked[:k]])
        found = explore.recollection(gathered, ranked, k, weights, half_life.value)
        panel.draw(hits.recollection(found, moves=moves))

    def reset(*_: object) -> None:
        for name, slider in sliders.items():
            slider.value = getattr(start, name)
        half_life.value = start_hours

    again.on_click(reset)
    return panel.box([*sliders.values(), half_life, again], redraw)


def build_budget_packer(
    handle: store.Handle, query: str | None = None, budget: int = 400, *, session: str | None = None
) -> Box:
    """Make the budget packer, whether or not anybody looks at it."""
    import ipywidgets

    everything = explore.whole(handle, query, session)
    explore.repack(everything, budget)  # refuses a budget that is none
    all_tokens = sum(line.tokens for line in everything.lines)
    slider = ipywidgets.IntSlider(  # steps of ten, laid so that the given budget is one of them
        value=budget,
        min=budget % 10,
        max=max(all_tokens, budget) + 10,
        step=10,
        **_labelled("budget, tokens"),
    )
    rewrites = {
        f"{words.short_id(line.memory.memory_id)}: {name}": Rewrite(
            line.memory.content, text, f"{name} rewrite"
        )
        for line in everything.lines
        for name, text in line.memory.rewrites.items()
    }
    choice = ipywidgets.Dropdown(
        options=list(rewrites) or ["no note has a rewrite"], disabled=not rewrites, **_labelled("rewrite of")
    )
    panel = _Panel(
        f"{words.count(len(everything.lines), 'note')} to choose from, {all_tokens} tokens in all."
    )

    def redraw(*_: object) -> None:
        shown = [budgets.context(explore.repack(everything, slider.value))]
        if choice.value in rewrites:
            shown.append(difference.rewrite(rewrites[choice.value]))
        panel.draw(*shown)

    return panel.box([slider, choice], redraw)


def _labelled(said: str) -> dict[str, Any]:
    """Return what every control gets: a label that is read out and fits, and a width for a projector."""
    return {
        "description": said,
        "tooltip": f"{said}; arrow keys change it",
        "style": {"description_width": _LABEL},
        "layout": {"width": _WIDE},
    }


class _Panel:
    """What the controls change: the picture, and its text twin below."""

    def __init__(self, said: str) -> None:
        import ipywidgets

        # The class brings its rule along, which also sets the size of the controls in the box.
        told = markup.page("what is considered", markup.el("p", {"class": _LIVE}, said))
        self._said = ipywidgets.HTML(str(told))
        self._picture = ipywidgets.HTML()
        self._text = ipywidgets.HTML()

    def draw(self, *views: view.View) -> None:
        """Show these views."""
        self._picture.value = "".join(str(each.html()) for each in views)
        self._text.value = _as_text("\n\n".join(each.text() for each in views))

    def say(self, sentence: str) -> None:
        """Show a sentence in place of the views."""
        self._picture.value = str(markup.page("not possible", markup.el("p", {}, sentence)))
        self._text.value = _as_text(sentence)

    def box(self, controls: list[Any], redraw: Callable[..., None]) -> Box:
        """Tie the controls to `redraw`, draw once, and put everything into one box."""
        import ipywidgets

        for control in controls:
            if hasattr(control, "value"):
                control.observe(redraw, names="value")
        redraw()
        box = ipywidgets.VBox([self._said, *controls, self._picture, self._text])
        box.add_class(_LIVE)
        return box


def _as_text(text: str) -> str:
    head = markup.el("p", {}, markup.el("b", {}, "the same in text"))
    return str(
        markup.page("the same in text", head, markup.el("pre", {"class": "tm-fixed", "tabindex": 0}, text))
    )
