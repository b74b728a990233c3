"""Who may change whose row: revise, retract, supersede, close.

| who | may change |
|---|---|
| an agent | its own rows; another's are put before a person, and so is what a person has said, confirmed or |
| | pinned in one of its own, and what the system concluded for it |
| a person | their own rows and the team rows of their fleet |
| a steward | any row of the tenant |
| nobody with clearance 0 | anything |

>>> dock = Principal("northlight", "dock", "dock-1")
>>> may_change(dock, "northlight", "dock", "dock-2", "team")
False

Left out: which changes are legal from which status.
"""

from __future__ import annotations

from teachmem.principal import Principal
from teachmem.record import Memory
from teachmem.vocabulary import SYSTEM_KINDS, Clearance, Role, Source, Status, Visibility


def may_change(who: Principal, tenant: str, fleet: str, agent: str, visibility: str) -> bool:
    """Say whether `who` may change the row at this address without asking anybody."""
    if who.clearance is Clearance.RESTRICTED or tenant != who.tenant:
        return False
    if who.is_steward or who.role is Role.SYSTEM or (fleet, agent) == (who.fleet, who.name):
        return True
    return who.role is Role.PERSON and visibility == Visibility.TEAM and fleet == who.fleet


def to_ask(who: Principal, memory: Memory) -> str:
    """Say why a person must decide whether `who` changes this memory, or ""."""
    if not may_change(who, memory.tenant, memory.fleet, memory.agent, memory.visibility):
        return f"{memory.memory_id} is another's"
    if who.role is not Role.AGENT:
        return ""
    if memory.source in (Source.PERSON, Source.CATALOGUE):
        return f"a person said what stands in {memory.memory_id}"
    if memory.status is Status.CONFIRMED or memory.keystone:
        return f"a person has {'pinned' if memory.keystone else 'confirmed'} {memory.memory_id}"
    if memory.kind in SYSTEM_KINDS[memory.tier]:
        return f"the system concluded {memory.memory_id}"
    return ""


def write_fault(who: Principal, visibility: str) -> tuple[bool, str] | None:
    """Say what keeps `who` from writing at `visibility`: (can a person approve it?, why), or None.

    >>> write_fault(Principal("northlight", "dock", "dock-1"), "org")
    (True, 'an agent may not write for the whole organisation; a person decides')
    """
    if who.clearance is Clearance.RESTRICTED:
        return False, "clearance 0 reads only"
    if visibility != Visibility.ORG or who.role is Role.SYSTEM:
        return None
    if who.role is Role.AGENT:
        return True, "an agent may not write for the whole organisation; a person decides"
    if who.clearance < Clearance.CROSS_FLEET:
        return False, "writing for the whole organisation needs clearance 2"
    return None
