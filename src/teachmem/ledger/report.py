"""What a verification says, and what it may be given: the report, and what somebody else has held.

>>> print(AuditReport(AuditStatus.COMPLETE, 4, "9f" * 32))
complete: 4 entries, head 9f9f9f9f9f9f

Left out: how it is found out (`ledger/verify.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from teachmem.ledger.chain import Finding, Head


@dataclass(frozen=True, slots=True)
class Held:
    """What somebody else kept of a chain: which hash entry `seq` of `tenant` must have.

    `fault` says what is wrong with the keeping itself, `doubt` why it proves less than it could.
    """

    tenant: str
    seq: int
    fits: Callable[[bytes], bool]
    fault: str = ""
    doubt: str = ""


class AuditStatus(StrEnum):
    """What a verification found, best first."""

    COMPLETE = "complete"
    PARTIAL = "partial"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True)
class AuditReport:
    """What `verify` says: `entries` checked, `head` (hex) reached, and every finding in order.

    `unchecked` says in words what was left out, `ends` where each tenant's walk ended: give one of
    them as `after=` to go on from there.
    """

    status: AuditStatus
    entries: int
    head: str
    findings: tuple[Finding, ...] = ()
    unchecked: tuple[str, ...] = ()
    ends: tuple[Head, ...] = ()

    @property
    def broken_at(self) -> int | None:
        """The number of the first entry that contradicts, or None."""
        return self.findings[0].seq if self.findings else None

    def __str__(self) -> str:
        if not self.findings:
            said = f"{self.status}: {self.entries} entries, head {self.head[:12]}"
            return said + "".join(f"; {each}" for each in self.unchecked)
        first = self.findings[0]
        more = f" (and {len(self.findings) - 1} more)" if len(self.findings) > 1 else ""
        return f"{self.status} at entry {first.seq} of {first.tenant}: {first.what}{more}"
