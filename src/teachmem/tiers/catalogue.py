"""The catalogue: rows of a product list, kept as documents beside the facts.

A document is a semantic memory of kind `document` and source `catalogue`, written by a steward. Search
and recall leave documents out unless they are asked for; `semantic.search_documents` asks.

Left out: editing the list. A changed row is loaded again and becomes the document's next version.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from teachmem.principal import Principal
from teachmem.record import Draft, Receipt
from teachmem.rules import admissible, amend
from teachmem.tiers.kit import Kit
from teachmem.vocabulary import Source, Tier, Visibility


def text_of(row: Mapping[str, Any]) -> str:
    """Return a catalogue row as the sentence that is searched and shown.

    >>> row = {"id": "NL-0003", "name": "Gripper", "model": "Tern 2", "category": "arm", "summary": "Grips."}
    >>> text_of(row)
    'NL-0003 Gripper, model Tern 2, arm: Grips.'
    """
    head = f"{row['id']} {row['name']}, model {row['model']}, {row['category']}: {row['summary']}"
    figures = [
        f"{name.replace('_', ' ')} {value['value']} {value['unit']}"
        for name, value in row.get("specifications", {}).items()
    ]
    return f"{head} ({'; '.join(figures)})" if figures else head


def load(who: Principal, kit: Kit, rows: Iterable[Mapping[str, Any]]) -> list[Receipt]:
    """Write each row as a document of the whole organisation; a changed row becomes its next version.

    `who` must be a steward: others may not claim the source `catalogue`, and are refused.
    """
    receipts = []
    for row in rows:
        known = _of(who, kit, str(row["id"]))
        draft = Draft(
            tier=Tier.SEMANTIC,
            kind="document",
            content=text_of(row),
            source=Source.CATALOGUE,
            visibility=Visibility.ORG,
            qualifiers={"catalogue_id": row["id"]},
            detail={"row": dict(row)},
        )
        if known is None:
            receipts.append(kit.gate.write(who, draft))
        else:
            changes = {"content": draft.content, "source": Source.CATALOGUE}
            receipts.append(amend.revise(kit.gate, who, known, changes))
    return receipts


def _of(who: Principal, kit: Kit, catalogue_id: str) -> str | None:
    with kit.reading(who, None, None) as (tx, moment, _):
        rows = admissible.newest(tx, who, moment, tier=Tier.SEMANTIC, kind="document")
    return next((row.memory_id for row in rows if row.qualifiers.get("catalogue_id") == catalogue_id), None)
