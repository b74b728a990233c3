"""How a law of a module is written: one sentence, what it draws, and what the student's module must say.

A **law** takes a module and returns None, or one sentence with the smallest counter-example found.
Hypothesis draws the examples, the same ones each time, and makes the one that breaks the law smaller.

>>> from types import SimpleNamespace
>>> from hypothesis import strategies as st
>>> @examples(age=st.integers(0, 100))
... def fades(module, age):
...     '''An older event is less recent.'''
...     now, later = ask(module, "recency", age), ask(module, "recency", age + 1)
...     if later >= now:
...         return f"{yours('recency', age + 1)} gave {show(later)}, less than {show(now)} was due"
>>> fades(SimpleNamespace(recency=lambda age: 1 - age if age < 50 else 0))
'your recency(50) gave 0, less than -48 was due'
>>> fades(SimpleNamespace(recency=lambda age: 1 / age))
'your recency(0) raised ZeroDivisionError: division by zero'

Left out: stopping a call that never returns. `running` says what it is, and `inside.py` ends the process.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from hypothesis import HealthCheck, Phase, Verbosity, given, settings
from hypothesis.errors import Flaky, HypothesisException
from hypothesis.strategies import SearchStrategy

from teachmem.course.laws import Wrong, class_name, close, fault, one_line, show, shown
from teachmem.errors import InvalidInput

__all__ = ["Contract", "Law", "Wrong", "ask", "close", "examples", "refusal", "running", "show", "yours"]

Law = Callable[[Any], "str | None"]

SECONDS = 8.0  # for the search of one law; what was found by then is told
LONGEST = 500  # characters of a counter-example
FLICKERS = "your module answers the same call in different ways"


@dataclass(frozen=True, slots=True)
class Contract:
    """What takes the place of a module: the names that others call it by, and its laws in order."""

    module: str  # below teachmem
    names: tuple[str, ...]
    laws: tuple[Law, ...]


class _Broken(Exception):
    """The law does not hold for what was drawn; its text is the counter-example."""


class _LongEnough(BaseException):
    """The search has had its time. No `Exception`, so that hypothesis lets it pass."""


@dataclass(slots=True)
class _Running:
    """The call that is going on: `call` says it in words, `since` is when it began."""

    call: Callable[[], str] | None = None
    since: float = 0.0


running = _Running()


def ask(module: Any, name: str, *arguments: Any, **named: Any) -> Any:
    """Call what the module offers as `name`; what it raises is a counter-example."""
    try:
        return _call(module, name, arguments, named)
    except Exception as error:
        raise Wrong(f"{yours(name, *arguments, **named)} raised {fault(error)}") from None


def refusal(module: Any, name: str, *arguments: Any, **named: Any) -> str | None:
    """Return the words with which the call is refused (`InvalidInput`), or None if it is not."""
    try:
        _call(module, name, arguments, named)
    except InvalidInput as error:
        return str(error)
    except Exception as error:
        told = f"{yours(name, *arguments, **named)} raised {fault(error)}"
        raise Wrong(f"{told}; an InvalidInput that names the place was due") from None
    return None


def _call(module: Any, name: str, arguments: tuple[Any, ...], named: Mapping[str, Any]) -> Any:
    outer = running.call
    running.call, running.since = lambda: yours(name, *arguments, **named), time.monotonic()
    try:
        return getattr(module, name)(*arguments, **named)
    except (SystemExit, KeyboardInterrupt) as error:
        raise Wrong(
            f"{yours(name, *arguments, **named)} tried to leave Python ({class_name(error)})"
        ) from None
    finally:
        running.call, running.since = outer, time.monotonic()


def yours(name: str, *arguments: Any, **named: Any) -> str:
    """Return a call as the student would write it."""

    def called() -> None: ...

    called.__name__ = name
    return f"your {shown(called, *arguments, **named)}"


def _told(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} = {show(value)}" for name, value in values.items())


def examples(most: int = 60, **drawn: SearchStrategy[Any]) -> Callable[[Callable[..., str | None]], Law]:
    """Make a law of a function of the module and of what is drawn, tried for at most `most` examples."""

    def made(body: Callable[..., str | None]) -> Law:
        @functools.wraps(body)
        def law(module: ModuleType) -> str | None:
            return _searched(body, module, most, drawn)

        return law

    return made


def _searched(
    body: Callable[..., str | None], module: Any, most: int, drawn: Mapping[str, SearchStrategy[Any]]
) -> str | None:
    seen: list[str] = []
    began = time.monotonic()

    def once(**values: Any) -> None:
        if time.monotonic() - began > SECONDS:
            raise _LongEnough
        running.call, running.since = lambda: f"your module, asked with {_told(values)},", time.monotonic()
        try:
            told = body(module, **values)
        except Wrong as wrong:
            told = str(wrong)
        except HypothesisException:
            raise
        except Exception as error:  # in the midst of the law, from an object that the module made
            told = f"asked with {_told(values)}, your module raised {fault(error)}"
        finally:
            running.call = None
        if told:
            seen.append(told)
            raise _Broken(told)

    once.__name__ = once.__qualname__ = body.__name__
    quiet = settings(
        max_examples=most,
        derandomize=True,
        database=None,
        deadline=None,
        print_blob=False,
        report_multiple_bugs=False,
        verbosity=Verbosity.quiet,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )
    try:
        quiet(given(**drawn)(once))()
    except _Broken as broken:
        return one_line(str(broken), LONGEST)
    except _LongEnough:
        return one_line(min(seen, key=len), LONGEST) if seen else None
    except Flaky:
        return one_line(f"{FLICKERS}; once, {seen[-1]}" if seen else FLICKERS, LONGEST)
    return None
