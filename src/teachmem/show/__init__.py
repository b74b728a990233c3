"""Floor 7: what students look at. Every object has three twins, text, table and picture.

    from teachmem import show
    show.show(receipt)       # picture and text, as one display
    show.text(receipt)       # the text alone
    show.table(receipt)      # a pandas table
    show.rewrite(original, shortened)
    show.tiers(tech)         # the kit in one picture
    show.fusion(tech, "who runs bay two")   # by words, by meaning, and together
    show.graph(tech, "bay two", hops=2)     # a neighbourhood; or show.graph(edges)
    show.times(tech, ["fact-0001"])         # what held against what was known
    show.scope([tech, lead], ["fact-0001"]) # who sees what
    show.states(tech, "person", "archived") # every memory in its state, and the moves from one
    show.inbox(lead)         # what waits for a person, and why
    show.show(tech.ask("who runs bay two"))  # the nine nodes of an answer
    show.cards([card, other])               # what memories answered to the probes; show.card(one)
    show.foils(caught)                      # which probes catch which foils

Live widgets are in `teachmem.show.live`, which alone imports ipywidgets.
"""

from teachmem.show import plot
from teachmem.show.difference import Rewrite
from teachmem.show.display import (
    card,
    cards,
    foils,
    fusion,
    graph,
    html,
    inbox,
    rewrite,
    scope,
    show,
    states,
    table,
    text,
    tiers,
    times,
    view_of,
)
from teachmem.show.neighbourhood import Neighbourhood

__all__ = [
    "Neighbourhood",
    "Rewrite",
    "card",
    "cards",
    "foils",
    "fusion",
    "graph",
    "html",
    "inbox",
    "plot",
    "rewrite",
    "scope",
    "show",
    "states",
    "table",
    "text",
    "tiers",
    "times",
    "view_of",
]
