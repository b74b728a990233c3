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
from teachmem.normal import nfc
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

    def __post_init__(self) -> None:
        for field in ("tenant", "fleet", "name"):
            object.__setattr__(self, field, _checked_name(field, getattr(self, field)))
        try:
            object.__setattr__(self, "role", Role(self.role))
            object.__setattr__(self, "clearance", Clearance(self.clearance))
        except ValueError as error:
            raise InvalidInput(
                "principal", f"{error}; roles are {', '.join(Role)}, clearances 0 to 3"
            ) from None

    @property
    def is_steward(self) -> bool:
        """A person with clearance 3."""
        return self.role is Role.PERSON and self.clearance is Clearance.STEWARD


def _checked_name(field: str, value: object) -> str:
    if not isinstance(value, str):
        raise InvalidInput(field, f"must be a string, not {type(value).__name__}")
    fault = name_fault(value)
    if fault or not value:
        raise InvalidInput(field, fault or "must not be empty")
    return nfc(value)


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
    if _SURROGATE.search(value):
        return "holds half of a surrogate pair, which is no character"
    return None
