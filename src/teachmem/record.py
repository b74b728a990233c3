"""The records that callers meet: what goes in (`Draft`), what is kept (`Memory`), what comes back.

All are frozen. A `Memory` is one version of one row; a `Receipt` is the gate's answer to a write;
a `Recollection` is a read's answer, a sequence of `Hit`s whose parts sum to their score.

>>> step = Step("shape", Outcome.PASSED, "")
>>> Receipt(Verdict.ACCEPTED, steps=(step,), audit_seq=1).verdict == "accepted"
True

Left out: behaviour. Nothing here reads or writes a store; `why_not` calls back to who answered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, overload

from teachmem import frames
from teachmem.clock import Moment
from teachmem.vocabulary import LIVE, Outcome, Source, Status, Tier, Verdict, Visibility

if TYPE_CHECKING:
    import pandas as pd

EMPTY: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What a writer proposes, as given: nothing is checked yet. None means "not said"."""

    tier: Tier
    kind: str
    content: str
    session: str = ""
    subject: str | None = None
    predicate: str | None = None
    object: str | None = None
    importance: float | None = None
    confidence: float | None = None
    is_inferred: bool = False
    source: str | None = None
    valid_from: Moment | None = None
    valid_to: Moment | None = None
    expires_at: Moment | None = None
    qualifiers: Mapping[str, Any] = field(default_factory=lambda: EMPTY)
    detail: Mapping[str, Any] = field(default_factory=lambda: EMPTY)
    visibility: str = Visibility.TEAM
    evidence: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """One version of one memory, as the table holds it. `content` is verbatim, always."""

    memory_id: str
    version: int
    tenant: str
    fleet: str
    agent: str
    visibility: Visibility
    session: str
    tier: Tier
    kind: str
    subject: str
    predicate: str
    object: str
    content: str
    importance: float | None
    confidence: float | None
    is_inferred: bool
    status: Status
    source: Source
    valid_from: datetime | None
    valid_to: datetime | None
    recorded_at: datetime
    superseded_at: datetime | None
    expires_at: datetime | None
    qualifiers: Mapping[str, Any]
    keystone: bool
    detail: Mapping[str, Any]
    content_digest: str
    seq: int

    @property
    def happened_at(self) -> datetime:
        """When it happened, for an event; when it was recorded, for anything without a start."""
        return self.valid_from or self.recorded_at

    @property
    def flags(self) -> Mapping[str, str]:
        """What must be known before it is used, by the memory it is about (`ledger/lineage.py`)."""
        return MappingProxyType(dict(self.detail.get("flagged", {})))

    @property
    def is_erased(self) -> bool:
        """Whether a person had its words erased; then `detail["erased"]` is the number of the audit entry."""
        return not self.content

    @property
    def rewrites(self) -> Mapping[str, str]:
        """Shortened or enriched texts kept beside the original, never in place of it."""
        return MappingProxyType(dict(self.detail.get("rewrites", {})))


@dataclass(frozen=True, slots=True)
class Step:
    """One check of the gate: its name, its outcome and the reason in a sentence (or "")."""

    check: str
    outcome: Outcome
    reason: str = ""

    def __str__(self) -> str:
        return f"{self.check}: {self.outcome}" + (f" ({self.reason})" if self.reason else "")


@dataclass(frozen=True, slots=True)
class Receipt:
    """The gate's answer to a write.

    `memory` is the row that now stands for the write (for a duplicate, the live twin), or None
    where nothing is believed yet. `candidate_id` names what waits for a person. `touched` names
    every memory of which the write made or closed a version. `audit_seq` is the number of its
    audit entry, or None where nothing was written.
    """

    verdict: Verdict
    memory: Memory | None = None
    steps: tuple[Step, ...] = ()
    audit_seq: int | None = None
    candidate_id: str | None = None
    touched: tuple[str, ...] = ()

    def __str__(self) -> str:
        what = self.memory.memory_id if self.memory else self.candidate_id or ", ".join(self.touched)
        withheld = f" as {self.memory.status}" if self.memory and self.memory.status not in LIVE else ""
        entry = f", audit entry {self.audit_seq}" if self.audit_seq else ""
        return f"{self.verdict} {what}".rstrip() + withheld + entry


@dataclass(frozen=True, slots=True)
class Hit:
    """One recalled memory. `parts` are the weighted contributions and sum to `score`.

    Where several lists were fused, `ranks` has the memory's place in each that found it, from 1, and
    `raw` the scores before they were stretched and weighed.
    """

    memory: Memory
    score: float
    parts: Mapping[str, float]
    ranks: Mapping[str, int] = field(default_factory=lambda: EMPTY)
    raw: Mapping[str, float] = field(default_factory=lambda: EMPTY)


@dataclass(frozen=True, slots=True)
class Page(Sequence[Memory]):
    """A page of memories. `cursor`, handed in again, gives the next one; None means it was the last."""

    memories: tuple[Memory, ...]
    cursor: str | None = None

    def __len__(self) -> int:
        return len(self.memories)

    @overload
    def __getitem__(self, index: int) -> Memory: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Memory]: ...
    def __getitem__(self, index: int | slice) -> Memory | Sequence[Memory]:
        return self.memories[index]


class History(tuple[Memory, ...]):
    """Every version of one memory, oldest first. Each has two intervals: when it held, when it was known."""

    __slots__ = ()

    def frame(self) -> pd.DataFrame:
        """Return a pandas table: a row a version, with both intervals; an open end is empty (NaT)."""
        times = ("valid_from", "valid_to", "recorded_at", "superseded_at")
        rows = [
            {
                "version": memory.version,
                "status": str(memory.status),
                **{name: getattr(memory, name) for name in times},
                "content": memory.content,
            }
            for memory in self
        ]
        return frames.frame(rows, ["version", "status", *times, "content"])


@dataclass(frozen=True, slots=True)
class Gate:
    """One thing that could keep a memory out of an answer, and whether it did."""

    name: str
    passed: bool
    reason: str


@dataclass(frozen=True, slots=True)
class WhyNot:
    """Every gate between a memory and an answer. `withheld_by` are those that it did not pass."""

    memory_id: str
    gates: tuple[Gate, ...]

    @property
    def withheld_by(self) -> tuple[Gate, ...]:
        """The gates that kept it out; empty if it was in the answer."""
        return tuple(gate for gate in self.gates if not gate.passed)

    def __str__(self) -> str:
        closed = self.withheld_by
        if not closed:
            return f"{self.memory_id} was in the answer"
        return f"{self.memory_id} was left out: " + "; ".join(
            f"{gate.name}: {gate.reason}" for gate in closed
        )


@dataclass(frozen=True, slots=True)
class Recollection(Sequence[Hit]):
    """What a read returned, best first, with what was asked. `note` says what limits the answer."""

    query: str
    hits: tuple[Hit, ...]
    at: datetime
    note: str = ""
    settings: Mapping[str, Any] = field(default_factory=lambda: EMPTY)
    explain: Callable[[str], WhyNot] | None = field(default=None, repr=False, compare=False)

    def __len__(self) -> int:
        return len(self.hits)

    @overload
    def __getitem__(self, index: int) -> Hit: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Hit]: ...
    def __getitem__(self, index: int | slice) -> Hit | Sequence[Hit]:
        return self.hits[index]

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def why_not(self, memory_id: str) -> WhyNot:
        """Name every gate that kept `memory_id` out of this answer.

        Raises `NotFound` for a memory that the asker may not see, as for one that does not exist.
        """
        if self.explain is None:
            raise TypeError("this recollection was made by hand and has nobody to ask")
        return self.explain(memory_id)

    def frame(self) -> pd.DataFrame:
        """Return the hits as a pandas table: id, score, one column a part, the standing, content.

        The standing is three columns for three questions: status, confidence, inferred.
        """
        names = list(dict.fromkeys(name for hit in self.hits for name in hit.parts))
        standing = ["status", "confidence", "inferred"]
        rows = [
            {
                "memory": hit.memory.memory_id,
                "score": hit.score,
                **hit.parts,
                "status": str(hit.memory.status),
                "confidence": hit.memory.confidence,
                "inferred": hit.memory.is_inferred,
                "content": hit.memory.content,
            }
            for hit in self.hits
        ]
        return frames.frame(rows, ["memory", "score", *names, *standing, "content"])
