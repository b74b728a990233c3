"""One draft before the gate: what is asked, by whom, when, and what the checks have found so far.

The checks (`rules/checks.py`) read it, and leave in it what the write that follows will need: which
memory is its twin, what it retires, what contradicts it.

Left out: the checks themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from teachmem.clock import to_micros
from teachmem.ledger import rows, twin
from teachmem.ledger.database import Transaction
from teachmem.normal import nfc
from teachmem.principal import Principal
from teachmem.record import Draft, Memory, Step
from teachmem.rules import conflict, source
from teachmem.vocabulary import Source, Status, Tier


@dataclass(slots=True)
class Case:
    """One draft before the gate: what is asked, by whom, when, and what the checks have found."""

    tx: Transaction
    who: Principal
    draft: Draft
    now: int
    staged: str = ""  # why a person must decide, if so
    decider: Principal | None = None  # the person who has decided on what is staged
    revises: Memory | None = None  # the version that this one would replace
    verb: str = "revises"  # what is done to it
    vector: bytes | None = None  # the content's embedding
    twin: Memory | None = None  # the live memory that already says this
    waiting: str | None = None  # the candidate that already says this
    status: Status = Status.ACTIVE  # what it will have
    retires: list[tuple[str, Status]] = field(default_factory=list)  # by the writer's own right
    outdates: list[str] = field(default_factory=list)  # by rule
    rests_on: list[tuple[str, str]] = field(default_factory=list)
    evidence: list[Memory] = field(default_factory=list)
    tainted: bool = False  # it rests on text from a tool or the web
    rivals: list[str] = field(default_factory=list)  # what contradicts it and stays live
    fleet: str = field(init=False)  # where the memory will be, and whose it is
    agent: str = field(init=False)
    times: dict[str, int | None] = field(init=False)  # microseconds
    triple: dict[str, str] = field(init=False)  # "" where nothing is said
    twin_key: str = field(init=False)
    claim_key: str | None = field(init=False)

    def __post_init__(self) -> None:
        self.take(self.draft)

    def take(self, draft: Draft) -> None:
        """Judge `draft` from here on."""
        self.draft, who = draft, self.who
        moments = {name: getattr(draft, name) for name in ("valid_from", "valid_to", "expires_at")}
        self.times = {name: None if at is None else to_micros(at) for name, at in moments.items()}
        if draft.tier == Tier.EPISODIC and draft.valid_from is None:
            self.times["valid_from"] = self.now  # an event without a time happens now
        self.triple = {name: nfc(getattr(draft, name) or "") for name in ("subject", "predicate", "object")}
        if self.revises:
            self.fleet, self.agent = self.revises.fleet, self.revises.agent
        else:
            self.fleet, self.agent = who.fleet, who.name
        self.twin_key = twin.twin_key(
            who.tenant,
            self.fleet,
            self.agent,
            draft.visibility,
            draft.session,
            draft.tier,
            draft.kind,
            draft.content,
            tuple(self.triple.values()),
            self.times["valid_from"],
            self.times["valid_to"],
        )
        claims = draft.tier == Tier.SEMANTIC
        self.claim_key = twin.claim_key(self.triple["subject"], draft.predicate or "") if claims else None

    def waiting_key(self) -> str:
        """Return the key under which it waits for a person."""
        if self.revises is None:
            return self.twin_key
        draft, expires = self.draft, self.times["expires_at"]
        beside = [draft.confidence, draft.is_inferred, expires, rows.to_json(draft.qualifiers)]
        return twin.ask_key(self.twin_key, self.verb, self.revises.memory_id, repr(beside))

    def claim(self) -> conflict.Claim:
        """Return what is compared with the claims that are held."""
        draft = self.draft
        said_by = source.claimed(self.who, draft.source)
        inferred = draft.is_inferred or said_by is Source.INFERRED
        ends = [end for end in (self.times["valid_to"], self.times["expires_at"]) if end is not None]
        return conflict.Claim(
            object=self.triple["object"],
            start=self.times["valid_from"],
            end=min(ends, default=None),
            qualifiers=draft.qualifiers,
            reach=conflict.reach(draft.visibility, self.fleet, self.agent),
            strength=conflict.strength(said_by, inferred, draft.confidence, self.status),
        )


Check = Callable[[Case], Step]
