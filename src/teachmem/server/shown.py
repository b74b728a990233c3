"""How records look on the wire: short mappings of plain values, the same for every tool.

What is not said is left out, so that a client's context is spent on what is. Times are ISO 8601, UTC.

Left out: the records themselves (`record.py`).
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from teachmem.record import Hit, Memory, Receipt, Recollection, WhyNot
from teachmem.vocabulary import Outcome, Visibility

Shown = dict[str, Any]


def memory(found: Memory) -> Shown:
    """Return a memory: what it says verbatim, who said it, how far it is believed, and for when."""
    said: Shown = {
        "id": found.memory_id,
        "tier": str(found.tier),
        "kind": found.kind,
        "content": found.content,
        "status": str(found.status),
        "source": str(found.source),
        "author": found.agent,
        "fleet": found.fleet,
        "recorded_at": moment(found.recorded_at),
    }
    optional = {
        "subject": found.subject,
        "predicate": found.predicate,
        "object": found.object,
        "session": found.session,
        "importance": found.importance,
        "confidence": found.confidence,
        "is_inferred": found.is_inferred or None,
        "visibility": None if found.visibility is Visibility.TEAM else str(found.visibility),
        "valid_from": moment(found.valid_from),
        "valid_to": moment(found.valid_to),
        "expires_at": moment(found.expires_at),
        "superseded_at": moment(found.superseded_at),
        "version": found.version if found.version > 1 else None,
        "keystone": found.keystone or None,
        "qualifiers": dict(found.qualifiers) or None,
    }
    return said | {name: value for name, value in optional.items() if value not in (None, "")}


def moment(value: datetime | None) -> str | None:
    """Return a time as text, or None."""
    return None if value is None else value.isoformat()


def memories(found: Iterable[Memory]) -> list[Shown]:
    """Return each memory of a list."""
    return [memory(each) for each in found]


def receipt(given: Receipt) -> Shown:
    """Return the gate's answer; the trail names only the steps that did more than pass."""
    said: Shown = {"verdict": str(given.verdict)}
    if given.memory is not None:
        said["memory"] = memory(given.memory)
    if given.candidate_id is not None:
        said["candidate_id"] = given.candidate_id
    if given.audit_seq is not None:
        said["audit_entry"] = given.audit_seq
    if given.memory is None and given.touched:
        said["touched"] = list(given.touched)
    notable = [step for step in given.steps if step.outcome is not Outcome.PASSED]
    if notable:
        said["trail"] = [f"{step.check}: {step.outcome} {step.reason}".rstrip() for step in notable]
    return said


def hit(found: Hit) -> Shown:
    """Return a hit: the memory, its score, and what the score is made of."""
    parts = {name: round(value, 3) for name, value in found.parts.items()}
    return {**memory(found.memory), "score": round(found.score, 3), "parts": parts}


def recollection(found: Recollection) -> Shown:
    """Return an answer of recall or search, best first, and what limits it."""
    said: Shown = {"hits": [hit(each) for each in found]}
    if found.note:
        said["note"] = found.note
    return said


def why_not(found: WhyNot) -> Shown:
    """Return every gate between a memory and an answer."""
    gates = [{"gate": gate.name, "passed": gate.passed, "reason": gate.reason} for gate in found.gates]
    return {"id": found.memory_id, "told": str(found), "gates": gates}
