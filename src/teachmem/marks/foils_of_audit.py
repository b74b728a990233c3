"""Faults of the log: a write that goes past it, an act that names nobody, and checks that do not look.

A log proves what is in it, and nothing of what never reached it; only who compares it with the memories
sees that one is missing. And a log that nobody checks to its end proves nothing at all.

Left out: what can be done to a closed file (`marks/attacks.py`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any

from teachmem.ledger import canonical, chain, deep, journal, verify
from teachmem.ledger.chain import Finding, Head
from teachmem.ledger.database import Transaction
from teachmem.marks.foil import Patch, register

_honest_entry = journal.Change.entry


class _Unread(deep.Rows):
    """Stands where the rows are compared, and looks at none."""

    def __init__(self, *_: object) -> None:
        self.unproved = 0

    def compare(self, *_: object) -> None:
        """Look at nothing."""

    def finish(self, *_: object) -> None:
        """Report nothing."""


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


@register(
    "somebody_did_it",
    seen="A fact was withdrawn, a skill was approved, and the log named `unknown` each time.",
    mechanism="Who acts is known where the request comes in, and is not handed on to the log.",
)
def _somebody_did_it(patch: Patch) -> None:
    def entry(self: journal.Change, action: str, resource: str, **more: Any) -> None:
        _honest_entry(self, action, resource, **more)
        assert self._entry is not None
        self._entry["actor"] = {**self._entry["actor"], "name": "unknown"}

    patch(journal.Change, "entry", entry)


@register(
    "rows_unread",
    seen="A limit was raised in the file. The log was checked that night, and called complete.",
    mechanism="Checking the log reads the log alone, and nobody compares it with what the memories say.",
)
def _rows_unread(patch: Patch) -> None:
    patch(deep, "Rows", _Unread)


@register(
    "links_unfollowed",
    seen="Eleven entries were missing from the middle of the log, and each that was left was found correct.",
    mechanism="Every entry is checked against its own hash, and none against the one before it.",
)
def _links_unfollowed(patch: Patch) -> None:
    def each_alone(tx: Transaction, at: Head, asked: Any) -> Iterator[Any]:
        for seq, body, prev_hash, stored in tx.each(verify._from_the_start, tenant=at.tenant):
            if hashlib.sha256(chain.DOMAIN + prev_hash + body).digest() != stored:
                asked.findings.append(Finding(at.tenant, seq, "its hash is not that of its bytes"))
            told = canonical.decode(body)
            yield seq, stored, told["time"] if told else 0, told

    patch(deep, "Rows", _Unread)
    patch(verify, "_walk", each_alone)


@register(
    "outside_uncounted",
    seen="An entry was shown in court that nobody had written. It stood in the log, and in no chain.",
    mechanism="A check walks along the chain. What has no number is not on its way, and is served as history "
    "all the same.",
)
def _outside_uncounted(patch: Patch) -> None:
    patch(verify, "_outside", lambda *_: None)


@register(
    "head_kept_inside",
    seen="The last week was cut off the log, the head was set back, and the log was complete.",
    mechanism="How long the log is stands in the same file as the log, and whoever can cut the one can set "
    "the other. A checkpoint that somebody else holds is not compared.",
)
def _head_kept_inside(patch: Patch) -> None:
    patch(verify, "_compare", lambda *_: None)
