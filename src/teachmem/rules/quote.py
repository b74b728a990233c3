"""When does a text quote another? When it contains its normal form, however it is written.

What was derived from a text quotes it with one sentence of it already, and may have escaped it, as an
answer does that puts it in quotation marks. A text of fewer than `SHORT` characters would be found in half
the store: where something was derived from it, it counts as a word of its own, elsewhere as the whole text.

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

_ENDS = re.compile(r"(?<=[.!?。！？।])\s+|(?<=[。！？])|\n+")  # where sentences end
_ESCAPED = re.compile(r"\\(u[0-9a-fA-F]{4}|[\"\\/nrt])")

_said = Prepared(
    select(
        memories.c.content, memories.c.subject, memories.c.object, memories.c.qualifiers, memories.c.detail
    ).where(memories.c.memory_id == bindparam("id"), memories.c.tenant == bindparam("tenant"))
)


def quotes(text: str, told: Sequence[str], derived: bool = True) -> bool:
    """Say whether `text`, as it is or with its escapes undone, contains one of the normal forms in `told`."""
    for said in dict.fromkeys(normal_form(each) for each in (text, _plain(text))):
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


def _plain(text: str) -> str:
    r"""Undo the escapes of JSON.

    >>> print(_plain(r'say \"stop\" \u007c now'))
    say "stop" | now
    """
    return _ESCAPED.sub(lambda found: _character(found[1]), text)


def _character(escape: str) -> str:
    return (
        chr(int(escape[1:], 16))
        if escape[0] == "u"
        else {"n": "\n", "r": "\r", "t": "\t"}.get(escape, escape)
    )


def is_in(texts: Iterable[str], told: Sequence[str], derived: bool = True) -> bool:
    """Say whether any of `texts` quotes."""
    return any(quotes(text, told, derived) for text in texts)


def told(tx: Transaction, tenant: str, memory_id: str) -> tuple[list[str], list[str]]:
    """Return the normal form of everything that a memory has said, its contents and their rewrites.

    First of each as a whole, then of each sentence that is not short.
    """
    whole: dict[str, None] = {}
    pieces: dict[str, None] = {}
    for content, _, _, _, detail in tx.all(_said, id=memory_id, tenant=tenant):
        for said in (content, *strings(json.loads(detail).get("rewrites", {}))):
            whole[normal_form(said)] = None
            pieces.update((normal_form(piece), None) for piece in _ENDS.split(said))
    return [form for form in whole if form], [form for form in pieces if len(form) >= SHORT]


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
