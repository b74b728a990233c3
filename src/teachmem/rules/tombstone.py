"""A rejected value stays out: the tombstone is keyed on what was said, not on the row that said it.

A tombstone holds a print of the text's normal form, and one of the claim's triple. Whoever writes
the value again, in any spelling, through any door, is refused. One with an end is a *moratorium*
and is called that; a lapsed or lifted one is kept, as a record. A text near a rejected one
(`rules/alike.py`) is put before a person, with the rejected one beside it.

Prints are keyed (HMAC-SHA-256), with one random key a tenant. So a print that leaves the store, in
an audit entry or a log, cannot be tried against a list of short secrets. Whoever holds the store
has the key too and can try: any check that knows a value again can be asked about it.

>>> value_print("00", "The door code is 4411") == value_print("00", " the DOOR code is 4411.")
True
>>> value_print("00", "The door code is 4411") == value_print("01", "The door code is 4411")
False

Left out: meaning, and a value inside a longer text. After an erasure the prints alone are left, and
nothing is near them any more.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, func, literal_column, or_, select

from teachmem.clock import from_micros
from teachmem.ledger.database import Prepared, Transaction
from teachmem.ledger.schema import tombstones
from teachmem.normal import is_blank, nfc, normal_form
from teachmem.principal import Principal
from teachmem.record import Draft
from teachmem.rules import alike, scope
from teachmem.vocabulary import Role, Tier, Visibility

_NUMBER = re.compile(r"\s*\d+\.\s+")  # of a step
SAME_CLUSTER = 0.5  # overlap of evidence from which two skills are the same
ALL = ""  # the fleets of a tombstone made for every fleet of its tenant


@dataclass(frozen=True, slots=True, kw_only=True)
class Tombstone:
    """One rejected value. `fleets` is empty for all; texts are None once they were erased.

    `state` is standing, lapsed or lifted, as of the moment it was read at.
    """

    tombstone_id: str
    kind: str
    state: str
    fleets: tuple[str, ...]
    content: str | None
    triple: tuple[str, ...]
    reason: str | None
    evidence: tuple[str, ...]
    made_in: str
    made_by: str
    made_at: datetime
    until: datetime | None
    lifted_by: str | None
    lifted_at: datetime | None
    lifted_because: str | None

    @property
    def name(self) -> str:
        """What it is called: a moratorium has an end."""
        return "tombstone" if self.until is None else "moratorium"

    def __str__(self) -> str:
        what = "erased text" if self.content is None else json.dumps(self.content, ensure_ascii=False)
        where = ", ".join(self.fleets) or "every fleet"
        end = f" until {self.until:%Y-%m-%d %H:%M}" if self.until else ""
        return f"{self.tombstone_id} ({self.name}{end}, {self.state}, for {where}): {what}"


def value_print(key: str, text: str) -> str:
    """Return the print of a text's normal form under `key` (hex)."""
    return _print(key, "value", [normal_form(text)])


def triple_print(key: str, triple: Sequence[str]) -> str:
    """Return the print of a claim: subject and object in normal form, and the predicate between them."""
    subject, predicate, value = triple
    return _print(key, "triple", [normal_form(subject), predicate, normal_form(value)])


def _print(key: str, kind: str, parts: Sequence[str]) -> str:
    said = json.dumps([f"teachmem/tombstone/{kind}/1", *parts], ensure_ascii=True)
    return hmac.digest(bytes.fromhex(key), said.encode(), hashlib.sha256).hex()


def texts_of(draft: Draft) -> list[str]:
    """Return every text that a draft would bring in: its content, the rewrites beside it, a skill's steps."""
    texts = [draft.content, *draft.detail.get("rewrites", {}).values()]
    if draft.tier == Tier.PROCEDURAL:
        texts += [_NUMBER.sub("", line) for line in draft.content.splitlines() if not is_blank(line)]
        texts += [str(draft.detail[name]) for name in ("title", "trigger") if draft.detail.get(name)]
    return texts


def claim_of(tier: str, subject: str, predicate: str, object: str) -> tuple[str, ...]:
    """Return the triple where it is a claim about the world; a note's triple files the note."""
    return (subject, predicate, object) if tier == Tier.SEMANTIC and predicate else ()


_next_key = Prepared(
    select(func.min(tombstones.c.key)).where(
        tombstones.c.tenant == bindparam("tenant"), tombstones.c.key > bindparam("after")
    )
)
_with_print = Prepared(
    select(*tombstones.c).where(
        tombstones.c.tenant == bindparam("tenant"),
        or_(
            tombstones.c.value_print == bindparam("value_print"),
            tombstones.c.triple_print == bindparam("triple_print"),
        ),
    )
)
_with_figures = Prepared(
    select(*tombstones.c).where(
        tombstones.c.tenant == bindparam("tenant"), tombstones.c.figures == bindparam("figures")
    )
)
_clusters = Prepared(
    select(*tombstones.c).where(
        tombstones.c.tenant == bindparam("tenant"), tombstones.c.kind == literal_column("'cluster'")
    )
)
_every = Prepared(
    select(*tombstones.c)
    .where(tombstones.c.tenant == bindparam("tenant"))
    .order_by(tombstones.c.made_at.desc(), tombstones.c.seq.desc(), tombstones.c.tombstone_id)
)
_by_id = Prepared(
    select(*tombstones.c).where(
        tombstones.c.tenant == bindparam("tenant"), tombstones.c.tombstone_id == bindparam("id")
    )
)


def keys(tx: Transaction, tenant: str) -> Iterator[str]:
    """Yield the keys of a tenant's prints: none before its first tombstone, more than one after an import."""
    found = ""
    while row := tx.one(_next_key, tenant=tenant, after=found):
        if row[0] is None:
            return
        found = str(row[0])
        yield found


def exact(
    tx: Transaction, who: Principal, fleet: str, draft: Draft, triple: Sequence[str], now: int
) -> Tombstone | None:
    """Return a standing tombstone on one of the draft's values, for a write into `fleet`, or None."""
    claim, asked = claim_of(draft.tier, *triple), draft.detail.get("asked")  # a question that is logged
    texts = [*texts_of(draft), *([asked] if isinstance(asked, str) else [])]
    for key in keys(tx, who.tenant):
        told = triple_print(key, claim) if claim else "-"  # "" is kept where no triple was rejected
        for text in texts:
            found = tx.all(
                _with_print, tenant=who.tenant, value_print=value_print(key, text), triple_print=told
            )
            if standing := _standing(found, who, fleet, draft, now):
                return standing[0]
    return None


def rejected(tx: Transaction, who: Principal, draft: Draft, now: int) -> bool:
    """Say whether a standing tombstone keeps a draft out where `who` works; loops are handed this."""
    triple = [nfc(getattr(draft, name) or "") for name in ("subject", "predicate", "object")]
    return exact(tx, who, who.fleet, draft, triple, now) is not None


def near(tx: Transaction, who: Principal, fleet: str, draft: Draft, now: int) -> list[Tombstone]:
    """Return the standing tombstones with the same numbers and negations and nearly the same words."""
    if next(keys(tx, who.tenant), None) is None:
        return []
    found = []
    for text in texts_of(draft):
        said = alike.gist(text)
        rows = tx.all(_with_figures, tenant=who.tenant, figures=said.figures)
        for one in _standing(rows, who, fleet, draft, now):
            if one.content and alike.nearness(said, alike.gist(one.content), alike.NEAR) >= alike.NEAR:
                found.append(one)
    return found


def cluster(
    tx: Transaction, who: Principal, fleet: str, evidence: Sequence[str], now: int
) -> Tombstone | None:
    """Return a standing tombstone on a skill that rested on at least half of this evidence, or None.

    A skill is known again by what it was made from, not by its words: whatever a model calls it.
    """
    for row in tx.all(_clusters, tenant=who.tenant):
        one = to_tombstone(row, now)
        covers = not one.fleets or fleet in one.fleets
        if covers and one.state == "standing" and overlap(evidence, one.evidence[1:]) >= SAME_CLUSTER:
            return one  # its first evidence is the candidate
    return None


def overlap(one: Sequence[str], other: Sequence[str]) -> float:
    """Return the share of the smaller of two sets of ids that is in the other, 0 to 1 (Szymkiewicz 1934).

    >>> overlap(["event-1", "event-2", "event-3"], ["event-2", "event-3"])
    1.0
    """
    least = min(len(set(one)), len(set(other)))
    return len(set(one) & set(other)) / least if least else 0.0


def _standing(
    rows: Sequence[tuple[Any, ...]], who: Principal, fleet: str, draft: Draft, now: int
) -> list[Tombstone]:
    """Keep what holds now and covers the draft.

    What is written for the whole organisation reaches every fleet, so every tombstone of the tenant
    covers it, but only where its writer sees all fleets: nobody is told of one that they cannot see.
    An agent's is staged anyway, and held against all of them when a person approves it.
    """
    wide = draft.visibility == Visibility.ORG and (scope.crosses_fleets(who) or who.role is Role.SYSTEM)
    every = [to_tombstone(row, now) for row in rows]
    return [
        one for one in every if one.state == "standing" and (wide or not one.fleets or fleet in one.fleets)
    ]


def may_see(who: Principal, one: Tombstone) -> bool:
    """Say whether a person is shown this tombstone: it holds for their fleet, or they are a steward."""
    return who.is_steward or not one.fleets or who.fleet in one.fleets


def may_lift(who: Principal, one: Tombstone) -> bool:
    """Say whether a person may undo it: it holds for their own fleet alone, or they are a steward."""
    return who.is_steward or one.fleets == (who.fleet,)


def every(tx: Transaction, who: Principal, now: int) -> list[Tombstone]:
    """Return all that `who` may be shown, newest first: standing, lapsed and lifted."""
    found = [to_tombstone(row, now) for row in tx.all(_every, tenant=who.tenant)]
    return [one for one in found if may_see(who, one)]


def row_of(tx: Transaction, tenant: str, tombstone_id: str) -> dict[str, Any] | None:
    """Return the whole row of one tombstone, or None."""
    row = tx.one(_by_id, tenant=tenant, id=tombstone_id)
    return None if row is None else dict(zip(tombstones.c.keys(), row, strict=True))


def to_tombstone(row: Sequence[Any] | Mapping[str, Any], now: int) -> Tombstone:
    """Return the record of a row, in its state at `now` (microseconds)."""
    kept = dict(row) if isinstance(row, Mapping) else dict(zip(tombstones.c.keys(), row, strict=True))
    lapsed = kept["until"] is not None and kept["until"] <= now
    return Tombstone(
        tombstone_id=kept["tombstone_id"],
        kind=kept["kind"],
        state="lifted" if kept["lifted_at"] is not None else "lapsed" if lapsed else "standing",
        fleets=fleets_of(kept["fleets"]),
        content=kept["content"],
        triple=tuple(json.loads(kept["triple"] or "[]")),
        reason=kept["reason"],
        evidence=tuple(json.loads(kept["evidence"])),
        made_in=kept["made_in"],
        made_by=kept["made_by"],
        made_at=from_micros(kept["made_at"]),
        until=_moment(kept["until"]),
        lifted_by=kept["lifted_by"],
        lifted_at=_moment(kept["lifted_at"]),
        lifted_because=kept["lifted_because"],
    )


def fleets_of(kept: str) -> tuple[str, ...]:
    """Return the fleets of a tombstone as its row has them; none stands for all."""
    return tuple(json.loads(kept)) if kept else ()


def _moment(micros: int | None) -> datetime | None:
    return None if micros is None else from_micros(micros)
