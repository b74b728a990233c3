"""The rows beside the chain, both ways: every row has its entry, and every entry its rows.

An entry names each memory and version that it touched, with its status, the salted digest of the
content and that of everything else the row says. The rows come in the order of the entries that
wrote them, so that one walk along both is enough: a row that no entry names was forged, a name
without a row was taken out, and whatever was edited has another digest.

An erased row has neither content nor salt, and is deleted, whatever it was when written. It is as it
should be if a later entry of the action `forget` names it, and only then; and what such an entry
names must really be gone.

The entries of a store that an early teachmem began hold no digest of the columns; how many rows that
concerns is counted, and once an entry holds one, every later one must.

Left out: what no digest covers. A vector, a twin key and the indexes follow from the rows and can be
made anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import groupby
from typing import Any

from sqlalchemy import bindparam, func, or_, select

from teachmem.errors import StoreError
from teachmem.ledger import complaints, rows
from teachmem.ledger.body import TextBytes
from teachmem.ledger.chain import Finding
from teachmem.ledger.database import Prepared, Transaction
from teachmem.ledger.schema import audit, audit_heads, memories, metadata
from teachmem.vocabulary import Status

FORGET = "forget"  # the action whose entries name rows that were erased

_READ = ("seq", "memory_id", "version", "status", "content_digest", "salt", "recorded_at", *rows.CLAIMED)
_of_tenant = Prepared(
    select(TextBytes("content"), *(memories.c[name] for name in _READ))
    .where(memories.c.tenant == bindparam("tenant"), memories.c.seq > bindparam("after"))
    .order_by(memories.c.seq)
)
_next = memories.alias("following")
_closed_wrongly = Prepared(
    select(memories.c.seq, memories.c.memory_id, memories.c.version)
    .join_from(
        memories,
        _next,
        (_next.c.memory_id == memories.c.memory_id) & (_next.c.version == memories.c.version + 1),
        isouter=True,
    )
    .where(
        memories.c.tenant == bindparam("tenant"),
        memories.c.superseded_at.is_distinct_from(_next.c.recorded_at),
    )
    .order_by(memories.c.seq)
)
_beside = [
    table
    for table in metadata.tables.values()
    if table not in (memories, audit, audit_heads) and {"tenant", "seq"} <= set(table.c.keys())
]
_beyond = {
    table.name: Prepared(
        select(func.count(), func.min(table.c.seq)).where(
            table.c.tenant == bindparam("tenant"),
            or_(table.c.seq < 0, table.c.seq > bindparam("last")),
        )
    )
    for table in _beside
}


class Rows:
    """A tenant's rows, compared with each entry as the walk along the chain comes by."""

    def __init__(self, tx: Transaction, tenant: str, after: int, findings: list[Finding]) -> None:
        self._tx = tx
        self._tenant = tenant
        self._whole = after == 0  # or some entries were passed over, and what they forgot is not known
        self._findings = findings
        self._groups = groupby(self._read(after), key=lambda row: row["seq"])
        self._waiting: tuple[Any, Iterator[dict[str, Any]]] | None = next(self._groups, None)
        self._erased: dict[tuple[str, int], int] = {}  # and no entry has said so yet
        self._forgotten: set[tuple[str, int]] = set()
        self._proves = False  # from the first entry on that holds a digest of a row's columns, all do
        self.unproved = 0  # rows of before, of which the content alone could be compared

    def _read(self, after: int) -> Iterator[dict[str, Any]]:
        try:
            with complaints.clear():
                for content, *rest in self._tx.each(_of_tenant, tenant=self._tenant, after=after or -(2**62)):
                    yield dict(zip(_READ, rest, strict=True), content=content)
        except StoreError as error:
            self._find(0, f"the rows cannot be read to their end: {error}")

    def _find(self, seq: Any, what: str) -> None:
        self._findings.append(Finding(self._tenant, seq if isinstance(seq, int) else 0, what))

    def compare(self, seq: int, told: Mapping[str, Any] | None) -> None:
        """Compare entry `seq`, whose body is `told` (None: unreadable), with the rows it wrote."""
        self._skip_to(seq)
        own: list[dict[str, Any]] = []
        if self._waiting and self._waiting[0] == seq:
            own = list(self._waiting[1])
            self._waiting = next(self._groups, None)
        if told is None:
            return
        named = {(item["id"], item["version"]): item for item in told.get("touched", ())}
        for row in own:
            item = named.pop((row["memory_id"], row["version"]), None)
            if item is None:
                self._find(seq, f"does not name {_name(row)}, which says that this entry wrote it")
            else:
                self._compare_row(seq, row, item, told)
        for place in named:
            if told.get("action") == FORGET:
                self._forget(seq, place)
            else:
                self._find(seq, f"wrote {place[0]} version {place[1]}, and there is no such row")

    def _skip_to(self, seq: int) -> None:
        """Report every row that speaks of an entry which the walk has passed, or which never was."""
        while self._waiting and not (isinstance(self._waiting[0], int) and self._waiting[0] >= seq):
            for row in self._waiting[1]:
                self._find(row["seq"], f"{_name(row)} says that this entry wrote it, and there is none")
            self._waiting = next(self._groups, None)

    def _compare_row(
        self, seq: int, row: dict[str, Any], item: Mapping[str, Any], told: Mapping[str, Any]
    ) -> None:
        self._proves |= "row" in item
        if row["status"] != (Status.DELETED if row["salt"] is None else item.get("status")):
            self._find(seq, f"{_name(row)} is {row['status']}, and was {item.get('status')} when written")
        if row["recorded_at"] != told.get("time"):
            self._find(seq, f"{_name(row)} was recorded at another time than this entry says")
        if row["content_digest"] != item.get("digest"):
            self._find(seq, f"{_name(row)} has another content digest than this entry says")
        elif row["salt"] is None:
            self._erased[row["memory_id"], row["version"]] = seq
            if row["content"]:
                self._find(seq, f"{_name(row)} has a content whose salt is gone, so nothing proves it")
        else:
            if not _holds(rows.digest_of_bytes, row["content"], row["salt"], item["digest"]):
                self._find(seq, f"the content of {_name(row)} is not what was written")
            if not self._proves:
                self.unproved += 1
            elif not _holds(rows.row_digest, row, row["salt"], item.get("row")):
                self._find(seq, f"a column of {_name(row)} is not what was written")

    def _forget(self, seq: int, place: tuple[str, int]) -> None:
        if self._erased.pop(place, None) is not None:
            self._forgotten.add(place)
        elif place not in self._forgotten and self._whole:
            self._find(seq, f"{place[0]} version {place[1]} was forgotten here, and is still held")

    def finish(self, last: int) -> None:
        """Report what is left over once the walk has reached the last entry."""
        self._skip_to(last + 1)
        while self._waiting:
            self._skip_to(2**63)
        for (memory_id, version), seq in self._erased.items():
            what = f"{memory_id} version {version} was erased, and no entry says so"
            self._find(seq, what)
        for seq, memory_id, version in self._tx.each(_closed_wrongly, tenant=self._tenant):
            self._find(seq, f"{memory_id} version {version} was not closed when the next one was written")
        for table, beyond in _beyond.items():
            count, first = self._tx.one(beyond, tenant=self._tenant, last=last) or (0, None)
            if count:
                self._find(first, f"{count} rows of {table} speak of entries that the log does not hold")


def _name(row: Mapping[str, Any]) -> str:
    return f"{row['memory_id']} version {row['version']}"


def _holds(digest: Callable[[Any, bytes], str], of: Any, salt: Any, wanted: Any) -> bool:
    """Say whether a digest is the one that is wanted; no for values that are not even of the right kind."""
    try:
        return bool(digest(of, salt) == wanted)
    except (TypeError, ValueError):
        return False
