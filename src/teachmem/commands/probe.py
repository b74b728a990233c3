"""What a probe of the doctor says, and how one is run so that the others still run when it breaks.

>>> examine(lambda: Found("all there")).state == WELL
True
>>> def broken():
...     raise Trouble("no floor", "build one")
>>> examine(broken).cure
'build one'

Left out: the probes: `probe_kit.py` and `probe_room.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from teachmem import errors

WELL, WARNING, FAULT = range(3)


@dataclass(frozen=True, slots=True)
class Found:
    """What one probe says: the words, how it stands, and the cure where there is one."""

    found: str
    state: int = WELL
    cure: str = ""


class Trouble(Exception):
    """Something is wrong: `cure` says what to type."""

    def __init__(self, found: str, cure: str, state: int = FAULT) -> None:
        super().__init__(found)
        self.cure = cure
        self.state = state


def examine(probe: Callable[[], Found]) -> Found:
    """Run one probe; whatever it raises becomes a finding, so that the others still run."""
    try:
        return probe()
    except Trouble as trouble:
        return Found(str(trouble), trouble.state, trouble.cure)
    except errors.TeachmemError as error:
        return Found(str(error), FAULT, "make setup")
    except Exception as error:  # the doctor must end with a code whatever is broken
        return Found(f"{type(error).__name__}: {error}", FAULT, "make setup")
