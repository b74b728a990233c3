"""The foil of the log: a write that goes past it.

The chain that is left is whole, and says so. A log proves what is in it, and nothing of what never
reached it; only who compares it with the memories sees that one is missing.

Left out: everything else that can be done to a log. That is done to a closed file: `marks/attacks.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from teachmem.ledger import chain
from teachmem.ledger.chain import Head
from teachmem.ledger.database import Transaction
from teachmem.marks.foil import Patch, register


@register(
    "never_logged",
    seen="A memory is there that no entry of the log names, and the log is said to be complete.",
    mechanism="The write is committed and its entry is left out, as by a log that is written afterwards and "
    "refused a whole batch for one malformed event.",
)
def _never_logged(patch: Patch) -> None:
    def no_entry(tx: Transaction, before: Head, body: Mapping[str, Any]) -> Head:
        return before

    patch(chain, "append", no_entry)
