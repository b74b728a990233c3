"""The catalogue: rows of a product list, kept as documents beside the facts.

A document is a semantic memory of kind `document` and source `catalogue`, written by a steward. Search
and recall leave documents out unless they are asked for; `semantic.search_documents` asks.

Left out: editing the list. A changed row is loaded again and becomes the document's next version.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from teachmem.errors import InvalidInput
from teachmem.principal import Principal
from teachmem.record import Draft, Receipt
from teachmem.rules import admissible, amend, shape
from teachmem.tiers.kit import Kit
from teachmem.vocabulary import Source, Tier, Visibility

NEEDED = ("id", "name", "model", "category")


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

    `who` must be a steward: others may not claim the source `catalogue`, and are refused. A list with
    a row in bad shape is refused before anything is written.
    """
    checked = _checked(rows)
    known = _known(who, kit)
    receipts = []
    for row in checked:
        draft = Draft(
            tier=Tier.SEMANTIC,
            kind="document",
            content=text_of(row),
            source=Source.CATALOGUE,
            visibility=Visibility.ORG,
            qualifiers={"catalogue_id": row["id"]},
            detail={"row": row},
        )
        if row["id"] not in known:
            receipt = kit.gate.write(who, draft)
        else:
            changes = {"content": draft.content, "source": Source.CATALOGUE}
            receipt = amend.revise(
                kit.gate, who, Tier.SEMANTIC, known[row["id"]], changes, detail=draft.detail
            )
        if receipt.memory:
            known[row["id"]] = receipt.memory.memory_id
        receipts.append(receipt)
    return receipts


def _checked(rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    if isinstance(rows, str | Mapping) or not isinstance(rows, Iterable):
        raise InvalidInput("rows", "must be a list of catalogue rows, each a mapping")
    found = list(rows)
    for number, row in enumerate(found):
        _check_row(f"rows[{number}]", row)
    return [dict(row) for row in found]


def _check_row(place: str, row: object) -> None:
    """Refuse what `text_of` could not write as a sentence, and what the table could not keep."""
    if not isinstance(row, Mapping):
        raise InvalidInput(place, f"must be a mapping, not a {type(row).__name__}")
    for name in NEEDED:
        shape.check_name(f"{place}.{name}", row.get(name), empty=False)
    shape.check_text(f"{place}.summary", row.get("summary"))
    figures = row.get("specifications", {})
    if not isinstance(figures, Mapping):
        raise InvalidInput(f"{place}.specifications", "must be a mapping of names to figures")
    for name, value in figures.items():
        if not isinstance(name, str) or not isinstance(value, Mapping) or not {"value", "unit"} <= set(value):
            raise InvalidInput(f"{place}.specifications", f"{name!r} needs a value and a unit")
    draft = Draft(tier=Tier.SEMANTIC, kind="document", content=text_of(row), detail={"row": row})
    if wrong := shape.fault(draft):
        raise InvalidInput(place, wrong)


def _known(who: Principal, kit: Kit) -> dict[str, str]:
    """Return the memory of every document that is held, by its catalogue id."""
    with kit.reading(who, None, None) as (tx, moment, _):
        rows = admissible.newest(tx, who, moment, tier=Tier.SEMANTIC, kind="document")
    return {str(row.qualifiers.get("catalogue_id")): row.memory_id for row in reversed(rows)}
