"""Where a text came from decides whether it may be believed at once.

A writer may claim the sources of its own rank only: a claim above it is refused, not lowered. Text
that a tool or a web page produced waits in quarantine for a person, whoever hands it in: it is
evidence of what the page said, not a belief.

>>> fault(Principal("northlight", "dock", "dock-1"), "person")
"an agent may not claim the source 'person'; it may claim agent, tool, web"

Left out: weighing one source against another when two claims conflict.
"""

from __future__ import annotations

from teachmem.principal import Principal
from teachmem.vocabulary import CLAIMABLE, OWN_SOURCE, UNTRUSTED, Role, Source


def claimed(who: Principal, source: str | None) -> Source:
    """Return the source a write carries: what it claims, or what the writer is."""
    return Source(source) if source is not None else OWN_SOURCE[who.role]


def fault(who: Principal, source: str | None) -> str | None:
    """Say why `who` may not claim `source`, or None."""
    allowed = CLAIMABLE[who.role] + ((Source.CATALOGUE,) if who.is_steward else ())
    if claimed(who, source) in allowed:
        return None
    article = "an" if who.role is Role.AGENT else "a"
    return f"{article} {who.role} may not claim the source {source!r}; it may claim {', '.join(allowed)}"


def is_untrusted(source: Source) -> bool:
    """Say whether text of this source is quarantined until a person has read it."""
    return source in UNTRUSTED
