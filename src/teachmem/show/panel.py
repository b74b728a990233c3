"""What every live widget is made of: labelled controls, a picture that they change, and its text twin.

The widget kit is handed in: `live.py` alone imports it.

Left out: what is drawn, and when.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from teachmem.show import markup, view

_WIDE, _LABEL, _LIVE = "640px", "190px", "tm-live"


def labelled(said: str) -> dict[str, Any]:
    """Return what every control gets: a label that is read out and fits, and a width for a projector."""
    return {
        "description": said,
        "tooltip": f"{said}; arrow keys change it",
        "style": {"description_width": _LABEL},
        "layout": {"width": _WIDE},
    }


class Panel:
    """What the controls change: the picture, and its text twin below."""

    def __init__(self, kit: Any, said: str) -> None:
        self._kit = kit
        # The class brings its rule along, which also sets the size of the controls in the box.
        told = markup.page("what is considered", markup.el("p", {"class": _LIVE}, said))
        self._said = kit.HTML(str(told))
        self._picture = kit.HTML()
        self._text = kit.HTML()

    def draw(self, *views: view.View) -> None:
        """Show these views."""
        self._picture.value = "".join(str(each.html()) for each in views)
        self._text.value = _as_text("\n\n".join(each.text() for each in views))

    def say(self, sentence: str) -> None:
        """Show a sentence in place of the views."""
        self._picture.value = str(markup.page("not possible", markup.el("p", {}, sentence)))
        self._text.value = _as_text(sentence)

    def box(self, controls: Sequence[Any], redraw: Callable[..., None]) -> Any:
        """Tie the controls to `redraw`, draw once, and put everything into one box."""
        for control in controls:
            if hasattr(control, "value"):
                control.observe(redraw, names="value")
        redraw()
        box = self._kit.VBox([self._said, *controls, self._picture, self._text])
        box.add_class(_LIVE)
        return box


def _as_text(text: str) -> str:
    head = markup.el("p", {}, markup.el("b", {}, "the same in text"))
    return str(
        markup.page("the same in text", head, markup.el("pre", {"class": "tm-fixed", "tabindex": 0}, text))
    )
