"""The list of tools: which there are, which are listed at first, and which are for people only.

Twenty-nine tools in a context cost a model more than the question. So at most eight are listed by
default; the others are found with `search_tools`, read with `describe_tool`, and called by name like
any other. A tool for people is for others as if it did not exist.

>>> @tool(entry=True)
... def working_hum(song: str) -> str:
...     "Hum a song. Use it when the shift is long."
>>> TOOLS.pop("working_hum").entry
True

Left out: the tools (`server/tools/`), and who is asking (`server/acting.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from teachmem.vocabulary import Role

Function = TypeVar("Function", bound=Callable[..., Any])

MOST_AT_FIRST = 8


@dataclass(frozen=True, slots=True)
class Listed:
    """One tool: its function, whether it is listed at first, whether only people have it, and its effect."""

    function: Callable[..., Any]
    entry: bool
    people: bool
    writes: bool
    destroys: bool

    def is_for(self, role: Role) -> bool:
        """Say whether somebody of this role has the tool at all."""
        return role is Role.PERSON or not self.people

    @property
    def says(self) -> str:
        """The first line of what the tool does."""
        return (self.function.__doc__ or "").strip().splitlines()[0]


TOOLS: dict[str, Listed] = {}


def tool(
    *, entry: bool = False, people: bool = False, writes: bool = False, destroys: bool = False
) -> Callable[[Function], Function]:
    """Put a function on the list under its own name."""

    def listed(function: Function) -> Function:
        if function.__name__ in TOOLS:
            raise RuntimeError(f"two tools are called {function.__name__}")
        TOOLS[function.__name__] = Listed(function, entry, people, writes or destroys, destroys)
        return function

    return listed


def found(words: str, role: Role) -> list[str]:
    """Return the names of the tools whose name or text holds one of the words, most words first.

    >>> found("", Role.AGENT) == sorted(name for name, tool in TOOLS.items() if tool.is_for(Role.AGENT))
    True
    """
    asked = [word for word in words.casefold().replace("_", " ").split() if word]
    scored = []
    for name, listed in TOOLS.items():
        if not listed.is_for(role):
            continue
        title, text = name.replace("_", " "), (listed.function.__doc__ or "").casefold()
        score = sum(3 * (word in title) + (word in text) for word in asked)
        if score or not asked:
            scored.append((-score, name))
    return [name for _, name in sorted(scored)]
