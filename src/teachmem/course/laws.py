"""How a law speaks: it calls the student's function, reads what came back, and shows both as they are.

A **law** is a function of the student's answer that returns None, or one sentence with a
counter-example made from that very answer; its name is the law's id. Its docstring says what holds.

>>> def halves(recency):
...     '''Half of it is left after a day.'''
...     now, later = call(recency, 0), call(recency, 24)
...     if later != now / 2:
...         return f"{shown(recency, 24)} gave {show(later)}, half of {show(now)} was due"
>>> halves(lambda hours: 1.0)
'your function(24) gave 1.0, half of 1.0 was due'

Every sentence is one printable line and the same on every machine, whatever the answer's own
`__repr__`, `__str__` or `__eq__` do. Left out: time. An answer that never returns is stopped from
outside (`checker.py`).
"""

from __future__ import annotations

import copy
import math
import re
import reprlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from teachmem.course import words

if TYPE_CHECKING:
    from teachmem.course.stage import Stage

Law = Callable[[Any], "str | None"]

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
_short = reprlib.Repr()
_short.maxstring = _short.maxother = 80
_short.maxlist = _short.maxtuple = _short.maxdict = _short.maxset = 8


class Wrong(Exception):
    """Raised in the middle of a law; its text is the counter-example."""


def on_stage(law: Callable[[Any, Stage], str | None]) -> Law:
    """Mark a law that also wants the segment's story: it is called with the answer and a `Stage`."""
    law.on_stage = True  # type: ignore[attr-defined]
    return law  # type: ignore[return-value]


def call(function: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    """Call the student's function on copies of the arguments; what it raises becomes a counter-example."""
    try:
        return function(*copy.deepcopy(arguments), **copy.deepcopy(named))
    except MemoryError:
        raise
    except BaseException as error:
        if isinstance(error, SystemExit | KeyboardInterrupt):
            raise Wrong(words.LEFT_PYTHON.format(error=class_name(error))) from None
        called = shown(function, *arguments, **named)
        raise Wrong(words.RAISED.format(call=called, error=fault(error))) from None


def number(value: Any, called: str) -> float:
    """Return a plain finite number, or stop the law: `called` is the call that gave the value."""
    if hasattr(value, "dtype") and hasattr(value, "item") and type(value).__module__ == "numpy":
        value = value.item()
    if type(value) not in (int, float):
        raise Wrong(words.NO_NUMBER.format(call=called, value=show(value)))
    if not math.isfinite(value):
        raise Wrong(words.NOT_FINITE.format(call=called, value=value))
    return value  # type: ignore[no-any-return]


def sequence(value: Any, called: str) -> list[Any]:
    """Return a plain list of a list or tuple, or stop the law."""
    if type(value) not in (list, tuple):
        raise Wrong(words.NO_LIST.format(call=called, value=show(value)))
    return list(value)


def close(one: float, other: float) -> bool:
    """Say whether two numbers are the same but for rounding."""
    return math.isclose(one, other, rel_tol=1e-6, abs_tol=1e-9)


def shown(function: Any, *arguments: Any, **named: Any) -> str:
    """Return a call as one would write it."""
    name = getattr(function, "__name__", "")
    if not isinstance(name, str) or not name.isidentifier():
        name = words.YOUR_FUNCTION
    parts = [show(value) for value in arguments]
    parts += [f"{key}={show(value)}" for key, value in named.items()]
    return f"{name}({', '.join(parts)})"


def show(value: Any, most: int = 160) -> str:
    """Return a value in one short line that is the same on every machine.

    >>> show(object())
    '<object object>'
    """
    try:
        text = f"{value:.4g}" if type(value) is float and abs(value) < 1e6 else _short.repr(value)
        text = re.sub(r"^(-?\d+)$", r"\1.0", text) if type(value) is float else text
    except BaseException:
        text = words.CANNOT_SHOW.format(name=class_name(value))
    return one_line(_ADDRESS.sub("", text), most)


def class_name(value: object) -> str:
    """Return the name of an object's class, whatever its metaclass says."""
    return str(type.__dict__["__name__"].__get__(type(value)))


def fault(error: BaseException) -> str:
    """Return an exception's type and message in one short line, whatever its own `__str__` does."""
    try:
        text = str(error)
    except BaseException:
        text = ""
    name = class_name(error)
    return one_line(_ADDRESS.sub("", f"{name}: {text}" if text else name), 160)


def one_line(text: str, most: int) -> str:
    """Return `text` without line breaks and control characters, cut at `most`."""
    text = "".join(sign if sign.isprintable() else " " for sign in str(text))
    return text if len(text) <= most else text[: most - 4] + " ..."


def is_function(value: Any) -> bool:
    """Say whether an answer can be called: the usual `fits`."""
    return callable(value) and not isinstance(value, type)
