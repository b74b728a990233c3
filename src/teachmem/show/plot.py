"""A plot in the one style, displayed with words of its own.

Left out: what is drawn. A picture is never compared, so the numbers behind it are printed too.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from typing import TYPE_CHECKING

from teachmem.show import style, view

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@contextmanager
def figure(alt: str) -> Iterator[tuple[Figure, Axes]]:
    """Open a figure in the one style; when the block ends it is displayed, with `alt` as its words.

    A picture is never compared, so `alt` must say what it shows; print the numbers behind it too.
    """
    from matplotlib import pyplot

    with pyplot.rc_context(style.plot_settings()):
        drawn, axes = pyplot.subplots()
        try:
            yield drawn, axes
            _display(drawn, alt)
        finally:
            pyplot.close(drawn)


def _display(drawn: Figure, alt: str) -> None:
    png = BytesIO()
    drawn.savefig(png, format="png", metadata={"Software": None})
    view.publish({"image/png": png.getvalue(), "text/plain": alt}, {"image/png": {"alt": alt}})
