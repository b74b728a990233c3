"""The one look of teachmem, as data: colours, hatches, glyphs, sizes, and the style of every plot.

Colours are those of Okabe and Ito, which colour-blind eyes tell apart. Colour is never alone: every
fill has a hatch, a shape, an edge or a word of its own, so that greyscale says as much.

>>> TIERS["episodic"].colour, TIERS["episodic"].shape
('#E69F00', 'circle')
>>> contrast(INK, SKY) >= LEAST_CONTRAST
True

Source: Okabe and Ito 2008, "Color Universal Design". Contrast after WCAG 2.2, section 1.4.3.
Left out: the stylesheet (`sheet.py`) and what is drawn. Both take every colour from here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from teachmem.vocabulary import Outcome, Status, Verdict

SKY, ORANGE, GREEN, MAUVE = "#56B4E9", "#E69F00", "#009E73", "#CC79A7"
VERMILION, YELLOW = "#D55E00", "#F0E442"
GREY = "#d0d0d0"  # a fill that means nothing by itself
INK, PAPER, FAINT = "#1b1b1b", "#ffffff", "#595959"  # light mode
INK_DARK, PAPER_DARK, FAINT_DARK = "#f2f2f2", "#1b1b1b", "#bdbdbd"  # dark mode
LEAST_CONTRAST = 4.5
MOST_MARKS = 7  # bars, blocks or rows before the rest is grouped as "and 5 more"


@dataclass(frozen=True, slots=True)
class Look:
    """A fill and what tells it apart without colour: a shape, a hatch or an edge."""

    colour: str
    shape: str = ""
    hatch: str = ""  # as matplotlib writes it
    edge: str = "solid"


TIERS = {
    "working": Look(SKY, "square"),
    "episodic": Look(ORANGE, "circle"),
    "semantic": Look(GREEN, "hexagon"),
    "procedural": Look(MAUVE, "triangle"),
}
PARTS = {
    "recency": Look(SKY, hatch="//"),
    "importance": Look(ORANGE, hatch=".."),
    "relevance": Look(GREEN),
    # Of a fused score. It never stands beside the three above, so it may use their colours.
    "words": Look(SKY),
    "meaning": Look(ORANGE, hatch="//"),
}
OTHER_PART = Look(MAUVE, hatch="\\\\")  # any part that has no look of its own
CHAIN = {
    "complete": Look(GREEN, edge="solid"),
    "partial": Look(ORANGE, edge="dashed"),
    "broken": Look(VERMILION, edge="torn"),  # carries no text: its words stand on paper
}
ANSWERS = {  # of a memory to a probe; only a failure is crossed out
    "holds": Look(GREEN, "square"),
    "fails": Look(VERMILION, "cross"),  # carries no text, like a broken chain
    "not offered": Look(PAPER, "circle"),
    "could not run": Look(PAPER, "square", edge="dashed"),
}
STATUS_EDGES = {Status.ACTIVE: "solid", Status.PENDING: "dotted", Status.CONFIRMED: "double"}

ACCEPTED, DUPLICATE, STAGED, REFUSED = "✓", "=", "‖", "✕"
VERDICTS = {
    Verdict.ACCEPTED: ACCEPTED,
    Verdict.DUPLICATE: DUPLICATE,
    Verdict.STAGED: STAGED,
    Verdict.REFUSED: REFUSED,
}
OUTCOMES = {
    Outcome.PASSED: ACCEPTED,
    Outcome.NOTED: ACCEPTED,
    Outcome.DUPLICATE: DUPLICATE,
    Outcome.STAGED: STAGED,
    Outcome.REFUSED: REFUSED,
}

# Every text on every fill that the views use; a test holds each to LEAST_CONTRAST.
TEXT_ON_FILL = (
    *((INK, fill) for fill in (SKY, ORANGE, GREEN, MAUVE, YELLOW, GREY, PAPER)),
    (FAINT, PAPER),
    (INK_DARK, PAPER_DARK),
    (FAINT_DARK, PAPER_DARK),
)


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of two colours, 1 to 21.

    >>> contrast("#000000", "#ffffff")
    21.0
    """
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return round((lighter + 0.05) / (darker + 0.05), 2)


def _luminance(colour: str) -> float:
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def plot_settings() -> Any:
    """Return the matplotlib settings of every plot: 10 x 5 inches, 150 dpi, labels of 16 points."""
    colours = [colour.lstrip("#") for colour in (SKY, ORANGE, GREEN, MAUVE)]
    return {
        "figure.figsize": (10, 5),
        "figure.dpi": 150,
        "figure.constrained_layout.use": True,
        "font.size": 16,
        "axes.titlesize": 18,
        "axes.labelsize": 16,
        "xtick.labelsize": 16,
        "ytick.labelsize": 16,
        "legend.fontsize": 16,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.prop_cycle": f"cycler('color', {colours}) + cycler('linestyle', ['-', '--', '-.', ':'])",
        "lines.linewidth": 3,
        "hatch.linewidth": 1.5,
        "patch.edgecolor": INK,
        "text.color": INK,
        "svg.hashsalt": "teachmem",
        "savefig.facecolor": PAPER,
    }
