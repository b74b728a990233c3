"""A suggestion beside a text is a text, too: one that says a rejected value is left out, the fact is kept.

Suggestions (`detail.enriched`: title, tags, triple) come from rules or from a model, after the writer has
spoken. The fact is judged by its own words; what was only suggested must not bring a value back.

Left out: suggestions that are nearly a rejected value. They are never shown in place of the text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from teachmem.ledger.database import Transaction
from teachmem.principal import Principal
from teachmem.record import Draft
from teachmem.rules import tombstone


def cleaned(tx: Transaction, who: Principal, fleet: str, draft: Draft, now: int) -> Draft:
    """Return the draft without the suggestions that say what was rejected in `fleet`."""
    said = draft.detail.get("enriched")
    if not isinstance(said, Mapping) or next(tombstone.keys(tx, who.tenant), None) is None:
        return draft

    def rejected(text: Any, triple: tuple[str, ...] = ("", "", "")) -> bool:
        asked = replace(draft, content=str(text), detail={}, predicate=triple[1] or None)
        return tombstone.exact(tx, who, fleet, asked, triple, now) is not None

    left = dict(said)
    if rejected(said.get("title", "")):
        del left["title"]
    if "tags" in said:
        left["tags"] = [tag for tag in said["tags"] if not rejected(tag)]
    if said.get("triple") and rejected(" ".join(said["triple"]), tuple(said["triple"])):
        del left["triple"]
    if left == dict(said):
        return draft
    left["inferred"] = [name for name in said.get("inferred", ()) if name in left]
    return replace(draft, detail={**draft.detail, "enriched": left})
