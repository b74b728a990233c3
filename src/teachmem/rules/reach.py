"""What an erasure reaches inside the tables: whatever holds the words, found and emptied, under one entry.

Emptied are all versions of the memory; all versions of whatever was derived from it and quotes it;
candidates that are it, quote it or ask about it; the words of tombstones that were made for it; the kept
answers to retries. What was derived and does not quote it is flagged. The entry names them all and
holds none of their words.

Left out: who may (`rules/erasure.py`), what quoting is (`rules/quote.py`), and bytes in files and
indexes (`tiers/forgetting.py`).
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from sqlalchemy import bindparam, func, literal_column, select

from teachmem.ledger import eraser, lineage, scrub
from teachmem.ledger.database import Prepared, Transaction
from teachmem.ledger.journal import Change
from teachmem.ledger.schema import WAITING, candidates, memories, requests, tombstones
from teachmem.normal import normal_form
from teachmem.principal import Principal
from teachmem.record import Memory
from teachmem.rules import admissible, certificate, quote, trust

ABOUT = ("revises", "retracts", "moves", "forgets", "flagged")  # what a candidate may ask to do with a memory

_waiting = Prepared(
    select(candidates.c.candidate_id, candidates.c.reason, candidates.c.draft, candidates.c.result)
    .where(candidates.c.tenant == bindparam("tenant"))
    .order_by(candidates.c.candidate_id)
)
_asking = Prepared(
    select(candidates.c.candidate_id)
    .where(candidates.c.tenant == bindparam("tenant"), candidates.c.twin_key == bindparam("key"))
    .where(candidates.c.state.in_([literal_column(f"'{state}'") for state in WAITING]))
)
_buried = Prepared(
    select(
        tombstones.c.tombstone_id,
        tombstones.c.evidence,
        tombstones.c.content,
        tombstones.c.triple,
        tombstones.c.reason,
        tombstones.c.lifted_because,
    )
    .where(tombstones.c.tenant == bindparam("tenant"))
    .order_by(tombstones.c.tombstone_id)
)
_asked = Prepared(
    select(
        requests.c.fleet, requests.c.agent, requests.c.role, requests.c.request_id, requests.c.receipt
    ).where(requests.c.tenant == bindparam("tenant"))
)
_gone = Prepared(
    select(memories.c.version).where(
        memories.c.memory_id == bindparam("id"),
        memories.c.tenant == bindparam("tenant"),
        memories.c.content_digest == bindparam("digest"),
        memories.c.salt.is_(None),
    )
)
_alike = Prepared(
    select(memories.c.memory_id, memories.c.content)
    .where(
        memories.c.tenant == bindparam("tenant"),
        memories.c.superseded_at.is_(None),
        trust.clause(),
        func.length(memories.c.content).between(bindparam("least"), bindparam("most")),
    )
    .order_by(memories.c.memory_id)
)


def erase(act: Change, memory_id: str, reason_digest: str) -> None:
    """Empty a memory and whatever holds its words, and leave the entry. Authority is the caller's to ask.

    The mark for the bytes is set in the same transaction: a crash after it leaves them to be finished.
    """
    tx, tenant = act.tx, act.principal.tenant
    told, sentences = quote.told(tx, tenant, memory_id)
    below = lineage.descendants(tx, tenant, memory_id)
    derived = [each for each in below if quote.is_in(quote.texts(tx, tenant, each), told + sentences)]
    erased = [memory_id, *derived]
    for each in erased:
        eraser.erase_memory(act, each)
    waiting = _waiting_on(tx, tenant, erased, told, sentences)
    for candidate_id in waiting:
        eraser.erase_candidate(act, candidate_id)
    answers = _answers(tx, tenant, {*erased, *waiting})
    for key, receipt in answers:
        eraser.blank_request(act, key, receipt)
    bare = _rejected(tx, tenant, erased, told)
    for tombstone_id in bare:
        eraser.bare_tombstone(act, tombstone_id)
    lineage.settle(act, dict.fromkeys(erased, "erased"), ())
    changed = {item["id"] for item in act.touched}
    flagged = [each for each in below if each in changed and each not in erased]
    scrub.mark(tx, f"{tenant}/{act.seq}")
    act.entry(
        certificate.ACTION,
        memory_id,
        reason=reason_digest,
        derived=derived,
        flagged=flagged,
        candidates=waiting,
        requests=len(answers),
        tombstones=bare,
    )


def _waiting_on(
    tx: Transaction, tenant: str, erased: Sequence[str], told: list[str], sentences: list[str]
) -> list[str]:
    """Return each candidate that asks about what is erased, is it or quotes it."""
    found = []
    for candidate_id, reason, payload, result in tx.all(_waiting, tenant=tenant):
        asked = json.loads(payload)
        about = result in erased or any(asked.get(name) in erased for name in ABOUT)
        derived = any(each in erased for each in asked["draft"]["evidence"])
        forms = told + sentences if derived else told
        if about or quote.is_in((reason, *quote.strings(asked)), forms, derived):
            found.append(candidate_id)
    return found


def _rejected(tx: Transaction, tenant: str, erased: Sequence[str], told: Sequence[str]) -> list[str]:
    """Return each tombstone that was made for what is erased, says it or quotes it."""
    found = []
    for row in tx.all(_buried, tenant=tenant):
        tombstone_id, evidence, *words = row
        about = set(json.loads(evidence)) & set(erased)
        if any(words) and (about or quote.is_in(filter(None, words), told, derived=False)):
            found.append(tombstone_id)
    return found


def _answers(tx: Transaction, tenant: str, gone: set[str]) -> list[tuple[tuple[str, str, str, str], str]]:
    """Return the key of every kept answer that names what is gone, with its receipt without reasons."""
    found = []
    for *key, kept in tx.all(_asked, tenant=tenant):
        receipt = json.loads(kept)
        if gone & {receipt["memory"], receipt["candidate"], *receipt["touched"]}:
            receipt["steps"] = [(check, outcome, "") for check, outcome, _ in receipt["steps"]]
            fleet, agent, role, request_id = key
            found.append(((fleet, agent, role, request_id), json.dumps(receipt)))
    return found


def same_words(tx: Transaction, who: Principal, found: Memory) -> list[str]:
    """Return the live memories that `who` may see and that say the same as the newest version."""
    size, form = len(found.content), normal_form(found.content)
    alike = tx.all(_alike, tenant=who.tenant, least=size // 2, most=2 * size + 20)
    same = [each for each, content in alike if normal_form(content) == form]
    return [each for each in same if who.is_steward or admissible.in_scope(tx, who, each)]


def was_erased(tx: Transaction, tenant: str, memory_id: str, digest: str) -> bool:
    """Say whether a version with this id and content digest was erased here; a salted digest is unique."""
    return tx.one(_gone, tenant=tenant, id=memory_id, digest=digest) is not None


def asked_already(tx: Transaction, tenant: str, memory_id: str) -> str | None:
    """Return the candidate that asks to erase this memory and waits for a person."""
    row = tx.one(_asking, tenant=tenant, key=asking(memory_id))
    return str(row[0]) if row else None


def asking(memory_id: str) -> str:
    """Return the twin key of a wish to erase: it is the asking that is waited for, not the text."""
    return f"forget {memory_id}"
