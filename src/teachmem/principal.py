"""Who is asking. A principal is fixed when a handle is made and cannot be widened afterwards.

>>> dock = Principal("northlight", "dock", "dock-1")
>>> dock.role, dock.clearance.name
(<Role.AGENT: 'agent'>, 'STANDARD')
>>> Principal("northlight", "", "dock-1")
Traceback (most recent call last):
    ...
teachmem.errors.InvalidInput: fleet: must not be empty

Left out: proof. In-process code is trusted to say who it is; over a network the credential says so.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from teachmem.errors import InvalidInput
from teachmem.normal import is_blank, nfc
from teachmem.vocabulary import MAX_NAME, Clearance, Role

_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Principal:
    """One agent or person of one fleet of one tenant, with a clearance of 0 to 3.

    Names are kept in NFC and compared whole, byte for byte: no name is a pattern for another.
    """

    tenant: str
    fleet: str
    name: str
    role: Role = Role.AGENT
    clearance: Clearance = Clearance.STANDARD
    widened: bool = False  # a steward's audited read of the whole tenant; `rules/widen.py` sets it

    def __post_init__(self) -> None:
        for field in ("tenant", "fleet", "name"):
            object.__setattr__(self, field, checked_name(field, getattr(self, field)))
        if self.role not in tuple(Role):
            raise InvalidInput("role", f"must be one of {', '.join(Role)}, not {self.role!r}")
        object.__setattr__(self, "role", Role(self.role))
        object.__setattr__(self, "clearance", clearance_of(self.clearance))
        if self.widened and not self.is_steward:
            raise InvalidInput("widened", "is for a steward alone: a person with clearance 3")

    @property
    def is_steward(self) -> bool:
        """A person with clearance 3."""
        return self.role is Role.PERSON and self.clearance is Clearance.STEWARD


def checked_name(field: str, value: object) -> str:
    """Return a name as it is stored and compared, or raise `InvalidInput` for what can be none."""
    if not isinstance(value, str):
        raise InvalidInput(field, f"must be a string, not {type(value).__name__}")
    fault = name_fault(value)
    if fault or is_blank(value):
        raise InvalidInput(field, fault or "must not be empty")
    return nfc(value)


def clearance_of(value: object) -> Clearance:
    """Return the clearance that a whole number from 0 to 3 stands for.

    >>> clearance_of(2).name
    'CROSS_FLEET'
    """
    if isinstance(value, bool) or not isinstance(value, int) or value not in tuple(Clearance):
        raise InvalidInput("clearance", f"must be a whole number from 0 to 3, not {value!r}")
    return Clearance(value)


def name_fault(value: str) -> str | None:
    """Say what is wrong with a name (subject, session, fleet ...), or None.

    >>> name_fault("gate\\x00four")
    'holds the character U+0000'
    """
    if len(value) > MAX_NAME:
        return f"is {len(value)} characters long; at most {MAX_NAME} are kept"
    return text_fault(value)


def text_fault(value: str) -> str | None:
    """Say what makes a string unfit to be stored anywhere, or None."""
    if "\x00" in value:
        return "holds the character U+0000"
    if not value.isascii() and _SURROGATE.search(value):
        return "holds half of a surrogate pair, which is no character"
    return None
