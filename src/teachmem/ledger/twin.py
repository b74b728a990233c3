"""The keys that follow from a row: is a new memory the same as one that is believed, or about the same?

Two memories are twins when they have the same address, session, tier, kind, value (normal form),
triple and time. The key is a hash; a unique index over current live rows holds it, so that two
writers racing each other cannot both get in.

>>> place = ("northlight", "dock", "dock-1", "team", "s1", "working", "note")
>>> a = twin_key(*place, "Gate FOUR is open.", ("gate", "observed", "open"), None, None)
>>> a == twin_key(*place, "gate four is open", ("gate", "observed", "open"), None, None)
True

Claims that could contradict each other are found under a key as well: that of their subject and
predicate, where only one value can hold.

Left out: near-duplicates. A text that differs in a number is another claim.
"""

from __future__ import annotations

import hashlib
import json

from teachmem.normal import nfc, normal_form
from teachmem.vocabulary import SINGLE_VALUED


def twin_key(
    tenant: str,
    fleet: str,
    agent: str,
    visibility: str,
    session: str,
    tier: str,
    kind: str,
    content: str,
    triple: tuple[str, ...],
    valid_from: int | None,
    valid_to: int | None,
) -> str:
    """Return the hex key; times are microseconds. For an event `valid_from` is when it happened."""
    address = [tenant, fleet, agent, str(visibility), nfc(session), str(tier), kind]
    value = [normal_form(content), *(nfc(part) for part in triple), valid_from, valid_to]
    return hashlib.sha256(json.dumps(address + value, ensure_ascii=True).encode()).hexdigest()


def ask_key(key: str, verb: str, memory_id: str, beside: str) -> str:
    """Return the key of a question put before a person: the same act on the same memory is asked once.

    `beside` is what it would change that is no part of a twin's key: the confidence, the qualifiers.
    """
    return hashlib.sha256(json.dumps([key, verb, memory_id, beside]).encode()).hexdigest()


def claim_key(subject: str, predicate: str) -> str | None:
    """Return the key under which claims that could conflict are found; None where two values may hold.

    >>> claim_key("Bay  TWO", "manager") == claim_key("bay two", "manager")
    True
    """
    if predicate not in SINGLE_VALUED:
        return None
    told = json.dumps([normal_form(subject), predicate], ensure_ascii=True)
    return hashlib.sha256(b"teachmem/claim/1\n" + told.encode()).hexdigest()
