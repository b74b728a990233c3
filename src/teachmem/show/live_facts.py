"""The live widgets of facts: two lists and their fusion, and a neighbourhood of the graph.

The widget kit is handed in: `live.py` alone imports it. Left out: the arithmetic (`explore_fusion.py`,
`explore_graph.py`).
"""

from __future__ import annotations

from typing import Any

from teachmem import store
from teachmem.rules import shape
from teachmem.show import explore_fusion, explore_graph, fused, neighbourhood, panel, side_by_side, words
from teachmem.show.neighbourhood import Neighbourhood
from teachmem.tiers import kit


def build_fusion_explorer(widgets: Any, handle: store.Handle, query: str, k: int = 5) -> Any:
    """Make the fusion explorer, whether or not anybody looks at it."""
    kit.check_count("k", k)
    gathered = explore_fusion.gather(handle, query)
    start = explore_fusion.weights()
    slider = widgets.FloatSlider(
        value=start["words"],
        min=0,
        max=sum(start.values()),
        step=0.05,
        readout_format=".2f",
        **panel.labelled("weight of the words"),
    )
    way = widgets.SelectionSlider(options=explore_fusion.WAYS, **panel.labelled("ranked by"))
    board = panel.Panel(
        widgets,
        f"{words.count(len(gathered.hits), 'fact')} considered. Ranks move against the start: "
        f"{fused.weights_said(start)}.",
    )

    def redraw(*_: object) -> None:
        board.draw(side_by_side.lists(gathered, k, way.value, round(slider.value, 6)))

    return board.box([slider, way], redraw)


def build_graph_explorer(widgets: Any, handle: store.Handle, entity: str, hops: int = 1) -> Any:
    """Make the graph explorer, whether or not anybody looks at it."""
    kit.check_count("hops", hops)
    shape.check_name("entity", entity, empty=False)
    edges = explore_graph.gather(handle)
    thing = widgets.Combobox(
        value=entity,
        options=explore_graph.things(edges),
        continuous_update=False,
        **panel.labelled("thing"),
    )
    far = widgets.IntSlider(value=hops, min=1, max=max(4, hops), **panel.labelled("hops"))
    way = widgets.SelectionSlider(options=explore_graph.WALKS, **panel.labelled("direction"))
    board = panel.Panel(
        widgets,
        f"{words.count(len(edges), 'edge')} between {words.count(len(thing.options), 'thing')} in the graph.",
    )

    def redraw(*_: object) -> None:
        name = thing.value.strip()
        if name not in thing.options:
            board.say(f"no edge that you may read leads to or from {words.said(name)}; choose another thing")
            return
        found = explore_graph.within(edges, name, far.value, way.value)
        asked = neighbourhood.walked(far.value, way.value)
        board.draw(neighbourhood.graph(Neighbourhood(tuple(found), name, asked)))

    return board.box([thing, far, way], redraw)
