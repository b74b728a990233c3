"""When does a text quote another? When it contains its normal form, however it is written.

A text of fewer than `SHORT` characters would be found in half the store. It counts where something was
derived from it, as a word of its own, and elsewhere only as the whole text.

>>> quotes("He said: the DOOR code is 4411", ["the door code is 4411"])
True
>>> quotes("a broken token", ["ok"]), quotes("ok, token", ["ok"]), quotes("ok, token", ["ok"], derived=False)
(False, True, False)

Left out: paraphrases. Words of one's own about a thing are another memory.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from sqlalchemy import bindparam, select

from teachmem.ledger.database import Prepared, Transaction
from teachmem.ledger.schema import memories
from teachmem.normal import normal_form

SHORT = 8  # characters of a normal form

_said = Prepared(
    select(
        memories.c.content, memories.c.subject, memories.c.object, memories.c.qualifiers, memories.c.detail
    ).where(memories.c.memory_id == bindparam("id"), memories.c.tenant == bindparam("tenant"))
)


def quotes(text: str, told: Sequence[str], derived: bool = True) -> bool:
    """Say whether `text` contains one of the normal forms in `told`."""
    said = normal_form(text)
    for form in told:
        if len(form) >= SHORT:
            found = form in said
        elif derived:
            found = re.search(rf"(?<!\w){re.escape(form)}(?!\w)", said) is not None
        else:
            found = form == said
        if found:
            return True
    return False


def is_in(texts: Iterable[str], told: Sequence[str], derived: bool = True) -> bool:
    """Say whether any of `texts` quotes."""
    return any(quotes(text, told, derived) for text in texts)


def told(tx: Transaction, tenant: str, memory_id: str) -> list[str]:
    """Return the normal form of everything that a memory has said: its contents, and their rewrites."""
    found: dict[str, None] = {}
    for content, _, _, _, detail in tx.all(_said, id=memory_id, tenant=tenant):
        for said in (content, *strings(json.loads(detail).get("rewrites", {}))):
            found[normal_form(said)] = None
    return [form for form in found if form]


def texts(tx: Transaction, tenant: str, memory_id: str) -> Iterator[str]:
    """Yield every text in every version of a memory: content, triple, qualifiers, detail."""
    for content, subject, obj, qualifiers, detail in tx.all(_said, id=memory_id, tenant=tenant):
        yield from (content, subject, obj)
        yield from strings(json.loads(qualifiers))
        yield from strings(json.loads(detail))


def strings(value: Any) -> Iterator[str]:
    """Yield every text in a JSON value, keys included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from (text for item in value.items() for part in item for text in strings(part))
    elif isinstance(value, list):
        yield from (text for item in value for text in strings(item))
