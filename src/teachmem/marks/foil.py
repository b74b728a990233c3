"""A foil is one real fault, switched on for a moment, so that everybody can see what it does.

Foils are patched in from outside; the package holds no "if broken". Each tells the story of a
fault that was seen in the field. While a foil is on, the same calls as before go wrong; when the
block ends, the kit is whole again.

>>> from teachmem.marks.foil import foil
>>> from teachmem.recall import pack
>>> lines, count = ["a b c", "d"], lambda text: len(text.split())
>>> with foil("stop_at_first_misfit"):
...     print(pack.pack(lines, 2, count).chosen)
()
>>> pack.pack(lines, 2, count).chosen
(1,)

Left out: proving that a foil bites. The probes do that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol
from unittest import mock

from teachmem.errors import InvalidInput

if TYPE_CHECKING:
    from teachmem.store import MemoryStore


class Patch(Protocol):
    """Puts `replacement` in the place of `module.name` until the foil is switched off."""

    def __call__(self, module: Any, name: str, replacement: Any) -> None:
        """Replace one attribute."""
        ...


@dataclass(frozen=True, slots=True)
class Foil:
    """One switchable fault: its name, what somebody sees, how it comes about, and the patching."""

    name: str
    seen: str
    mechanism: str
    apply: Callable[[Patch], None]

    def __str__(self) -> str:
        return f"{self.name}: {self.seen} {self.mechanism}"


_FOILS: dict[str, Foil] = {}
_on: list[str] = []


def register(name: str, seen: str, mechanism: str) -> Callable[[Callable[[Patch], None]], None]:
    """Make the decorated function the foil `name`."""

    def keep(apply: Callable[[Patch], None]) -> None:
        if name in _FOILS:
            raise ValueError(f"there is a foil {name!r} already")
        _FOILS[name] = Foil(name, seen, mechanism, apply)

    return keep


def foils() -> tuple[Foil, ...]:
    """Return every foil, by name."""
    for module in (  # importing one registers its foils
        "foils_of_words",
        "foils_of_working",
        "foils_of_recall",
        "foils_of_search",
        "foils_of_saving",
        "foils_of_time",
        "foils_of_scope",
        "foils_of_trust",
        "foils_of_review",
        "foils_of_audit",
        "foils_of_context",
        "foils_of_sleep",
        "foils_of_strangers",
        "foils_of_erasure",
    ):
        import_module(f"teachmem.marks.{module}")
    return tuple(_FOILS[name] for name in sorted(_FOILS))


def switched_on() -> tuple[str, ...]:
    """Return the names of the foils that are on, for a process that is to be as faulty as this one."""
    return tuple(_on)


@contextmanager
def foil(name: str, *stores: MemoryStore) -> Iterator[Foil]:
    """Switch the fault `name` on for the length of the block.

    Give the `stores` that you look at: their indexes are built anew when the fault comes and when
    it goes, as they would have been had the fault been there from the start.
    """
    known = {item.name: item for item in foils()}
    if name not in known:
        raise InvalidInput("foil", f"{name!r} is none of: {', '.join(known)}")
    with ExitStack() as stack:
        stack.callback(_rebuild, stores)  # first in, last out: after every patch is gone

        def patch(module: Any, name: str, replacement: Any) -> None:
            stack.enter_context(mock.patch.object(module, name, replacement))

        known[name].apply(patch)
        _rebuild(stores)
        _on.append(name)
        stack.callback(_on.remove, name)
        yield known[name]


def _rebuild(stores: tuple[MemoryStore, ...]) -> None:
    for store in stores:
        store.reindex()
