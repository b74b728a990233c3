"""A student's answer as bytes, so that another process can look at it.

Functions and classes of a notebook travel by value (cloudpickle). The lesson's own store, clock and
handles do not travel: a word stands for them, and the checker puts its own stage of the same
segment in their place. What cannot travel is refused with a reason that the student can act on.

>>> double = unpack(pack(lambda number: 2 * number).body)
>>> double(4)
8
>>> pack(iter([1]).__next__ for _ in ())
Traceback (most recent call last):
    ...
teachmem.course.parcel.CannotSend: it cannot be handed to the checker (TypeError: cannot pickle ...

Left out: trust. The bytes come from the student's own kernel and run with the student's own rights.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any

import cloudpickle

from teachmem import store
from teachmem.course import words
from teachmem.course.laws import class_name, fault
from teachmem.ledger.database import Database
from teachmem.tiers.kit import Kit

if TYPE_CHECKING:
    from teachmem.course.stage import Stage

MOST = 20 * 2**20  # bytes
HOOKS = ("__reduce__", "__reduce_ex__", "__getstate__", "__getnewargs__", "__getnewargs_ex__")
OWN = "__main__"  # the module of whatever a notebook defines


class CannotSend(Exception):
    """The answer cannot travel; the text says why and what to do."""


class _Bounded(io.BytesIO):
    def write(self, chunk: Any, /) -> int:
        if self.tell() + memoryview(chunk).nbytes > MOST:
            raise CannotSend(words.TOO_LARGE.format(megabytes=MOST // 2**20))
        return super().write(chunk)


class _Packer(cloudpickle.Pickler):  # type: ignore[misc]
    def __init__(self, file: io.BytesIO, stage: Stage | None) -> None:
        super().__init__(file, protocol=5)
        self._parts = parts(stage) if stage is not None else {}  # holds them, so that an id stays theirs
        self._words = {id(part): word for word, part in self._parts.items()}
        self.modules: list[str] = []

    def persistent_id(self, thing: object) -> str | None:
        """Return the word that stands for a part of the lesson, or None for anything else."""
        if word := self._words.get(id(thing)):
            return word
        if self._words and "stands_for_stage" in vars(type(thing)):
            return "stage"
        if isinstance(thing, store.MemoryStore | Kit | Database):
            raise CannotSend(_unsendable(words.OTHER_STORE))
        return None

    def reducer_override(self, thing: Any) -> Any:
        """Refuse what would run a student's own copying code here, in the kernel; leave the rest be."""
        if isinstance(thing, ModuleType):
            self.modules.append(thing.__name__)
        kind = type(thing)
        for base in kind.__mro__:
            for hook in HOOKS:
                if getattr(vars(base).get(hook), "__module__", "") == OWN:
                    raise CannotSend(_unsendable(words.OWN_COPYING.format(name=class_name(thing))))
        return super().reducer_override(thing)


class _Unpacker(pickle.Unpickler):
    def __init__(self, file: io.BytesIO, stage: Callable[[], Stage] | None) -> None:
        super().__init__(file)
        self._stage = stage

    def persistent_load(self, word: str) -> object:
        """Return the part of our own stage that `word` stands for."""
        if self._stage is None:
            raise pickle.UnpicklingError(f"there is no stage to take the {word} from")
        return parts(self._stage())[word]


def parts(stage: Stage) -> dict[str, object]:
    """Return what does not travel, under the word that stands for it."""
    mem = stage.memory
    return {
        "stage": stage,
        "memory": mem,
        "kit": mem._kit,
        "database": mem._database,
        "clock": stage.clock,
    }


@dataclass(frozen=True, slots=True)
class Parcel:
    """An answer as bytes, and the modules that it will want when it is unpacked."""

    body: bytes
    modules: tuple[str, ...] = ()


def pack(answer: object, stage: Stage | None = None) -> Parcel:
    """Return `answer` packed, or raise `CannotSend`."""
    file = _Bounded()
    packer = _Packer(file, stage)
    try:
        packer.dump(answer)
    except CannotSend:
        raise
    except Exception as error:
        raise CannotSend(_unsendable(fault(error))) from None
    return Parcel(file.getvalue(), tuple(dict.fromkeys(packer.modules)))


def unpack(body: bytes, stage: Callable[[], Stage] | None = None) -> Any:
    """Return the answer. What it raises while it is rebuilt is raised."""
    return _Unpacker(io.BytesIO(body), stage).load()


def _unsendable(reason: str) -> str:
    return words.UNSENDABLE.format(reason=reason)
