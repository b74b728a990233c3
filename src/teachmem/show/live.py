"""Live widgets: the same pictures with sliders beside them. The only place that imports ipywidgets.

A widget is a second display, after the static view and in a cell of its own, and only where a live
kernel asks. Anywhere else the call says one fixed line, so that a stored notebook stays the same:

>>> score_explorer(None, "gripper")
live widget: run this cell in JupyterLab

Every control has a written label and answers to the arrow keys. A choice is a slider too: JupyterLab
takes the arrow keys away from a list that drops down. What changes is the `value` of two HTML
widgets: the picture, and its text twin below. The arithmetic is in the modules `explore*.py`,
in `readers.py` and in `traced.py`.

Left out: writing. A widget reads what its handle may read when it is made, and changes nothing; the
lifecycle board tries a move and takes it back. Only the console, which is made for that, decides.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from teachmem import store
from teachmem.errors import InvalidInput
from teachmem.flow.pipeline import Answer
from teachmem.ledger.checkpoint import Checkpoint
from teachmem.recall.score import Weights
from teachmem.record import Memory
from teachmem.show import budget as budgets
from teachmem.show import (
    difference,
    explore,
    hits,
    live_board,
    live_chain,
    live_console,
    live_facts,
    live_inbox,
    live_scope,
    live_scorecard,
    live_trace,
    panel,
    view,
    words,
)
from teachmem.show.difference import Rewrite
from teachmem.show.explore_chain import Attack
from teachmem.show.scorecard import Card
from teachmem.tiers import kit

if TYPE_CHECKING:
    from ipywidgets import Box

STATIC_LINE = "live widget: run this cell in JupyterLab"


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


def fusion_explorer(handle: store.Handle, query: str, k: int = 5) -> Box | None:
    """By words, by meaning and together, side by side; a slider weighs the two, or RRF fuses them."""
    return _live(lambda: live_facts.build_fusion_explorer(_widgets(), handle, query, k))


def graph_explorer(handle: store.Handle, entity: str, hops: int = 1) -> Box | None:
    """A neighbourhood of the graph: choose the thing, how many hops, and along or against the edges."""
    return _live(lambda: live_facts.build_graph_explorer(_widgets(), handle, entity, hops))


def chain_viewer(mem: store.MemoryStore, held: Checkpoint, attacks: Mapping[str, Attack]) -> Box | None:
    """A menu of `attacks` on a copy of the store, and what a verification says with and without `held`."""
    return _live(lambda: live_chain.build(_widgets(), mem, held, attacks))


def console(mem: store.MemoryStore, person: store.Person) -> Box | None:
    """The console of a store that others write to: inbox, chain, scope and recall, in earnest."""
    return _live(lambda: live_console.build(_widgets(), mem, person))


def lifecycle_board(handle: store.Handle) -> Box | None:
    """Every memory in its state; choose who acts, a memory and a state, and see the receipt or refusal."""
    return _live(lambda: live_board.build(_widgets(), handle))


def review_inbox(mem: store.MemoryStore, person: store.Person, agent: store.Handle) -> Box | None:
    """What waits for `person`, each decision tried on a copy, and what `agent` then proposes again."""
    return _live(lambda: live_inbox.build(_widgets(), mem, person, agent))


def time_machine(handle: store.Handle, ids: Iterable[str]) -> Box | None:
    """Two times on sliders; the grid of what held against what was known, with the answer marked."""
    return _live(lambda: live_scope.build_time_machine(_widgets(), handle, ids))


def scope_matrix(
    handles: Iterable[store.Handle],
    memories: Sequence[str],
    faults: Mapping[str, live_scope.Fault] | None = None,
) -> Box | None:
    """Readers by memories, the chosen reader's clause beside them, and a fault to switch on.

    `faults` are context managers by name: `{"copied_filter": lambda: foil("copied_filter")}`.
    """
    return _live(lambda: live_scope.build_scope_matrix(_widgets(), handles, memories, faults or {}))


def scorecard(cards: Sequence[Card], foils: Mapping[str, Callable[[], Card]] | None = None) -> Box | None:
    """Memories by marks, and the evidence of each answer; choose a foil and see which probes catch it.

    `foils` are functions that return the card of the kit with that foil on; each is called when chosen.
    """
    return _live(lambda: live_scorecard.build(_widgets(), cards, foils or {}))


def _widgets() -> Any:
    import ipywidgets

    return ipywidgets


def pipeline_trace(answer: Answer) -> Box | None:
    """The nine nodes of an answer with their times; a slider chooses whose input and output is shown."""
    return _live(lambda: live_trace.build(_widgets(), answer))


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
            **panel.labelled(f"{name} weight"),
        )
        for name in start.__slots__
    }
    half_life = ipywidgets.SelectionSlider(
        options=explore.HALF_LIVES, value=start_hours, **panel.labelled("half-life of recency")
    )
    again = ipywidgets.Button(description="start again", tooltip="put all four sliders back to the start")
    said = (
        f"{words.count(len(gathered.events), 'event')} considered. Ranks move against the start: "
        f"weights {', '.join(f'{getattr(start, name):.2f}' for name in sliders)} and a half-life of "
        f"{hits.hours(start_hours)}."
    )
    board = panel.Panel(ipywidgets, said)

    def redraw(*_: object) -> None:
        try:
            weights = Weights(**{name: slider.value for name, slider in sliders.items()})
        except InvalidInput as refused:
            board.say(str(refused))
            return
        ranked = explore.rescore(gathered, weights, half_life.value)
        moves = explore.moved(before, [hit.memory.memory_id for hit in ranked[:k]])
        found = explore.recollection(gathered, ranked, k, weights, half_life.value)
        board.draw(hits.recollection(found, moves=moves))

    def reset(*_: object) -> None:
        for name, slider in sliders.items():
            slider.value = getattr(start, name)
        half_life.value = start_hours

    again.on_click(reset)
    return board.box([*sliders.values(), half_life, again], redraw)


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
        **panel.labelled("budget, tokens"),
    )
    rewrites = {
        f"{words.short_id(line.memory.memory_id)}: {name}": Rewrite(
            line.memory.content, text, f"{name} rewrite"
        )
        for line in everything.lines
        for name, text in line.memory.rewrites.items()
    }
    choice = ipywidgets.SelectionSlider(
        options=list(rewrites) or ["no note has a rewrite"],
        disabled=not rewrites,
        **panel.labelled("rewrite of"),
    )
    board = panel.Panel(
        ipywidgets,
        f"{words.count(len(everything.lines), 'note')} to choose from, {all_tokens} tokens in all.",
    )

    def redraw(*_: object) -> None:
        shown = [budgets.context(explore.repack(everything, slider.value))]
        if choice.value in rewrites:
            shown.append(difference.rewrite(rewrites[choice.value]))
        board.draw(*shown)

    return board.box([slider, choice], redraw)
