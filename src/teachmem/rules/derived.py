"""What is made from memories is never wider, nor more trusted, than its narrowest and weakest evidence.

Otherwise a private note becomes everybody's through a summary, and a web page becomes a colleague's word
by being repeated. What the system derives is lowered to fit, and the trail says so. An agent's trust is
lowered likewise, and an agent who cites evidence for more readers than may read it is refused: it can
say it in its own name, without the citation. A person vouches for what they write, and for whom.

>>> narrowest("org", "dock", "dock-1", [("dock",)])
'team'

Left out: what is copied without being cited.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from sqlalchemy import bindparam, literal_column, select

from teachmem.ledger import rows
from teachmem.ledger.database import Prepared, Transaction
from teachmem.ledger.schema import derivations, memories
from teachmem.record import Draft, Memory
from teachmem.rules import conflict
from teachmem.vocabulary import Source, Visibility

_WIDEST_FIRST = (Visibility.ORG, Visibility.TEAM, Visibility.AGENT)
_SOURCES = tuple(Source)  # strongest first
_evidence = Prepared(
    select(*rows.SHOWN)
    .join(derivations, derivations.c.parent == memories.c.memory_id)
    .where(
        derivations.c.child == bindparam("child"),
        derivations.c.tenant == bindparam("tenant"),
        derivations.c.relation == literal_column("'evidence'"),
        memories.c.tenant == bindparam("tenant"),
        memories.c.superseded_at.is_(None),
    )
)


def evidence_of(tx: Transaction, tenant: str, memory_id: str) -> list[Memory]:
    """Return what a held memory was made from, whatever has become of it since."""
    return [rows.to_memory(row) for row in tx.all(_evidence, child=memory_id, tenant=tenant)]


def narrowest(visibility: str, fleet: str, agent: str, reaches: Iterable[tuple[str, ...]]) -> str:
    """Return the widest visibility, at most `visibility`, at which no reader is outside a reach."""
    asked = _WIDEST_FIRST.index(Visibility(visibility))
    bounds = list(reaches)
    for wanted in _WIDEST_FIRST[asked:-1]:
        if all(conflict.reaches_all(bound, conflict.reach(wanted, fleet, agent)) for bound in bounds):
            return str(wanted)
    return str(Visibility.AGENT)  # the writer alone, who could read it all


def reaches(evidence: Sequence[Memory]) -> list[tuple[str, ...]]:
    """Return whom each piece of evidence reaches."""
    return [conflict.reach(one.visibility, one.fleet, one.agent) for one in evidence]


def lowered(draft: Draft, claimed: Source, evidence: Sequence[Memory]) -> tuple[Draft, list[str]]:
    """Return the draft with no more trust than its evidence, and what was lowered, in words.

    Evidence that does not say how sure it is sets no limit to the confidence.
    """
    notes = []
    weakest = max((one.source for one in evidence), key=_SOURCES.index, default=claimed)
    if _SOURCES.index(weakest) > _SOURCES.index(claimed):
        draft = replace(draft, source=str(weakest))
        notes.append(f"source {weakest}")
    if any(one.is_inferred for one in evidence) and not (draft.is_inferred or claimed is Source.INFERRED):
        draft = replace(draft, is_inferred=True)
        notes.append("inferred")
    least = min((one.confidence for one in evidence if one.confidence is not None), default=None)
    said = conflict.UNSAID if draft.confidence is None else draft.confidence
    if least is not None and said > least:
        draft = replace(draft, confidence=least)
        notes.append(f"confidence {least:g}")
    return draft, notes
