"""The curves of a report as an SVG picture in the one look: a line a way, or bars where there is one size.

Both axes are logarithmic, so that "ten times as much" is as long a step everywhere. A way is told apart
by colour, line and mark together, and the picture carries its figures as words for those who do not see it.

>>> from teachmem.bench.measure import Curves
>>> print(words("recall", Curves("events", "ms", {"recall": {1_000: 2.0, 10_000: 3.0}})))
recall: ms by events. recall: 2 at 1,000, 3 at 10,000.

Left out: which figures are worth a curve. A benchmark says so.
"""

from __future__ import annotations

from html import escape
from io import BytesIO
from typing import Any

from teachmem.bench.measure import Curves
from teachmem.show import style

LINES = (  # colour, line, mark
    (style.GREEN, "-", "o"),
    (style.ORANGE, "--", "s"),
    (style.SKY, "-.", "^"),
    (style.MAUVE, ":", "D"),
    (style.VERMILION, "-", "v"),
    (style.INK, "--", "P"),
    (style.FAINT, ":", "X"),
)
HATCHES = ("", "//", "..", "\\\\", "xx", "--", "++")


def words(name: str, curves: Curves) -> str:
    """Return what the picture shows, in words."""
    told = []
    for way, values in curves.ways.items():
        points = (
            f"{value:.3g}" + (f" at {size:,}" if size else "") for size, value in sorted(values.items())
        )
        told.append(f"{way}: {', '.join(points)}.")
    by = f" by {curves.of}" if curves.of else ""
    return " ".join([f"{name}: {curves.unit}{by}.", *told])


def svg(name: str, curves: Curves) -> str:
    """Return the picture; of more than seven ways the first seven are drawn."""
    from matplotlib import pyplot

    ways = dict(list(curves.ways.items())[: style.MOST_MARKS])
    settings = {**style.plot_settings(), "svg.fonttype": "none"}  # text stays text
    with pyplot.rc_context(settings):
        drawn, axes = pyplot.subplots()
        try:
            (_lines if max(map(len, ways.values())) > 1 else _bars)(axes, curves, ways)
            axes.set_title(f"teachmem bench {name}")
            written = BytesIO()
            drawn.savefig(written, format="svg", metadata={"Date": None, "Creator": None})
        finally:
            pyplot.close(drawn)
    return _spoken(written.getvalue().decode(), name, words(name, Curves(curves.of, curves.unit, ways)))


def _lines(axes: Any, curves: Curves, ways: dict[str, Any]) -> None:
    for (way, values), (colour, line, mark) in zip(ways.items(), LINES, strict=False):
        sizes = sorted(values)
        figures = [values[size] for size in sizes]
        axes.plot(sizes, figures, color=colour, linestyle=line, marker=mark, markersize=10, label=way)
    axes.set(xscale="log", yscale="log", xlabel=curves.of, ylabel=curves.unit)
    measured = sorted({size for values in ways.values() for size in values})
    axes.set_xticks(measured, [f"{size:,}" for size in measured])
    axes.set_xticks([], minor=True)
    axes.yaxis.set_major_formatter("{x:,g}")
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)


def _bars(axes: Any, curves: Curves, ways: dict[str, Any]) -> None:
    figures = [next(iter(values.values())) for values in ways.values()]
    colours = [colour if colour not in (style.INK, style.FAINT) else style.GREY for colour, *_ in LINES]
    bars = axes.barh(list(ways), figures, color=colours[: len(ways)], edgecolor=style.INK)
    for bar, hatch in zip(bars, HATCHES, strict=False):
        bar.set_hatch(hatch)
    axes.bar_label(bars, [f"{figure:.3g}" for figure in figures], padding=6)
    axes.set(xlabel=curves.unit)
    axes.invert_yaxis()
    axes.margins(x=0.15)


def _spoken(picture: str, name: str, told: str) -> str:
    """Return the picture with a title and a description that a screen reader finds."""
    start = picture.index("<svg ")
    end = picture.index(">", start)
    head = f'{picture[start:end]} role="img" aria-labelledby="title words">'
    title = f'\n <title id="title">teachmem bench {escape(name)}</title>'
    return f'{picture[:start]}{head}{title}\n <desc id="words">{escape(told)}</desc>{picture[end + 1 :]}'
