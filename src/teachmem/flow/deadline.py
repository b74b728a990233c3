"""One deadline for a whole call, however the other side spends the time.

A socket's own timeout begins anew with every byte, so an answer that drips never ends. Here the call runs
in a thread of its own, and whoever waits stops waiting.

>>> within(5, lambda: "an answer")
'an answer'

Left out: stopping the call. It may go on in the background; nobody reads what it brings.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

from teachmem.errors import ModelUnavailable

T = TypeVar("T")


def within(seconds: float, call: Callable[[], T]) -> T:
    """Return what `call` returns, or raise what it raises; raise `ModelUnavailable` if it takes longer."""
    answers: list[T] = []
    failures: list[BaseException] = []

    def run() -> None:
        try:
            answers.append(call())
        except BaseException as error:  # handed on to whoever waits
            failures.append(error)

    calling = threading.Thread(target=run, daemon=True)
    calling.start()
    calling.join(seconds)
    if failures:
        raise failures[0]
    if not answers:
        raise ModelUnavailable(f"no answer within {seconds:g} seconds")
    return answers[0]
