"""An honest little memory that is not teachmem, and ways to spoil it: what the probes are tested on.

`Plain` keeps versions in a list and asks who reads, when it held and what was rejected. Each name in
`SPOILT` is one line of it gone wrong, by the probe that must find that out.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count

from teachmem.marks.system import Actor, Found, NotOffered, Refused, System, offered

SPOILT = {
    "strips texts": "awkward_texts",
    "cuts long texts": "long_text_whole",
    "keeps twins": "said_twice",
    "finds what was withdrawn": "retracted_is_gone",
    "adds corrections": "corrected_is_replaced",
    "takes every source": "source_above_rank",
    "never expires": "run_out_without_a_sweep",
    "forgets what was rejected": "written_again",
    "compares letter by letter": "other_spellings",
    "revises without asking": "through_revision",
    "rejects for a month": "after_two_months",
    "rejects what is alike": "another_claim_passes",
    "knows no moment": "held_then",
    "closes intervals": "half_open",
    "tells what is over": "over_is_over",
    "overwrites": "believed_then",
    "knew it always": "not_known_yet",
    "shows private texts": "private_from_a_colleague",
    "forgets the fleet": "fleet_from_a_fleet",
    "forgets the tenant": "tenant_from_a_tenant",
    "compares beginnings": "names_are_no_patterns",
    "lets anyone change": "changed_by_its_id",
    "says what is hidden": "hidden_as_absent",
    "says yes": "unknown_id_refused",
    "believes pages": "a_page_is_not_believed",
    "hides what was erased": "erased_from_every_read",
    "lets agents erase": "agents_only_ask",
}


def words(text):
    return {word.strip(".,:;?!") for word in text.casefold().split()}


@dataclass
class Row:
    id: str
    text: str
    tenant: str
    fleet: str
    agent: str
    private: bool
    start: datetime | None
    end: datetime | None
    recorded: datetime
    closed: datetime | None = None
    live: bool = True


@dataclass
class Plain(System):
    spoilt: str = ""
    rows: list[Row] = field(default_factory=list)
    rejected: list[tuple[str, str, datetime]] = field(default_factory=list)  # tenant, print, when
    clock: datetime = datetime(2026, 3, 2, 9, tzinfo=UTC)

    name, version, way = "plain", "1", "a list"

    def open(self, folder, *, files=True):
        self.ids = count(1)

    def now(self):
        return self.clock

    def advance(self, hours):
        self.clock += timedelta(hours=hours)

    def acting(self, name, *, fleet="dock", tenant="northlight", person=False, steward=False):
        return PlainActor(self, name, fleet, tenant, person or steward)


@dataclass
class PlainActor(Actor):
    system: Plain
    name: str
    fleet: str
    tenant: str
    person: bool

    def is_(self, spoilt):
        return self.system.spoilt == spoilt

    def print_(self, text):
        if self.is_("compares letter by letter"):
            return text
        form = unicodedata.normalize("NFKC", text).casefold()
        if self.is_("rejects what is alike"):
            form = "".join(letter for letter in form if letter.isalpha() and letter.isascii())
        return " ".join(form.split()).rstrip(".!")

    def may_read(self, row):
        if row.tenant != self.tenant and not self.is_("forgets the tenant"):
            return False
        if row.fleet != self.fleet and not self.is_("forgets the fleet"):
            return False
        if not row.private or self.is_("shows private texts"):
            return True
        return row.agent.startswith(self.name) if self.is_("compares beginnings") else row.agent == self.name

    def check(self, text):
        for tenant, form, when in self.system.rejected:
            lapsed = self.is_("rejects for a month") and self.system.clock - when > timedelta(days=30)
            if tenant == self.tenant and form == self.print_(text) and not lapsed:
                raise Refused("a person rejected this")

    def write(self, text, **how):
        offered(how, "source", "private", "valid_from", "valid_to", "expires_at", "triple")
        if how.get("source") in ("person", "catalogue") and not self.is_("takes every source"):
            raise Refused("not yours to claim")
        self.check(text)
        memory_id = f"m{next(self.system.ids)}"
        if how.get("source") in ("web", "tool") and not self.is_("believes pages"):
            return memory_id  # it waits for a person, where nobody looks
        text = text.strip() if self.is_("strips texts") else text
        text = text[:1000] if self.is_("cuts long texts") else text
        twin = [row for row in self.readable() if row.text == text and row.agent == self.name]
        if twin and not self.is_("keeps twins"):
            return twin[0].id
        end = how.get("valid_to") or (None if self.is_("never expires") else how.get("expires_at"))
        private, start = bool(how.get("private")), how.get("valid_from")
        if self.is_("closes intervals") and end:
            end += timedelta(microseconds=1)
        self.system.rows.append(
            Row(memory_id, text, self.tenant, self.fleet, self.name, private, start, end, self.system.clock)
        )
        return memory_id

    def readable(self, at=None, known_at=None):
        at = self.system.clock if at is None or self.is_("knows no moment") else at
        known_at = None if self.is_("knew it always") else known_at
        found = []
        for row in filter(self.may_read, self.system.rows):
            known = row.closed is None if known_at is None else row.recorded <= known_at
            known = known and (known_at is None or row.closed is None or row.closed > known_at)
            over = row.end is not None and row.end <= at and not self.is_("tells what is over")
            shown = row.live or self.is_("finds what was withdrawn")
            if known and shown and not over and (row.start is None or row.start <= at):
                found.append(row)
        return found

    def recall(self, query, *, at=None, known_at=None, k=10):
        rows = self.readable(at, known_at)
        held = [words(row.text) for row in rows]
        rarity = {
            word: 1 / sum(word in each for each in held) ** 2 for word in words(query) & set().union(*held)
        }
        scores = [sum(rarity.get(word, 0) for word in each) for each in held]
        found = sorted(zip(scores, rows, strict=True), key=lambda item: -item[0])
        return [Found(row.id, row.text) for score, row in found[:k] if score or query in row.text]

    def get(self, memory_id, *, at=None, known_at=None):
        for row in self.readable(at, known_at):
            if row.id == memory_id:
                return Found(row.id, row.text)
        if self.is_("says what is hidden") and any(row.id == memory_id for row in self.system.rows):
            raise Refused(f"{memory_id} is another's")
        return None

    def history(self, memory_id):
        return [row.text for row in self.system.rows if row.id == memory_id and self.may_read(row)]

    def everything(self):
        return [Found(row.id, row.text) for row in self.readable()]

    def own(self, memory_id):
        for row in self.system.rows:
            mine = self.may_read(row) or self.is_("lets anyone change")
            if row.id == memory_id and row.closed is None and row.live and mine:
                return row
        raise Refused(f"there is no {memory_id}")

    def revise(self, memory_id, text, **how):
        offered(how)
        if self.is_("adds corrections"):
            self.write(text)
            return
        if self.is_("says yes") and not any(row.id == memory_id for row in self.system.rows):
            return
        row = self.own(memory_id)
        if not self.is_("revises without asking"):
            self.check(text)
        if self.is_("overwrites"):
            row.text = text
            return
        row.closed = self.system.clock
        held = (row.tenant, row.fleet, row.agent, row.private, row.start, row.end)
        self.system.rows.append(Row(memory_id, text, *held, self.system.clock))

    def retract(self, memory_id, reason):
        row = self.own(memory_id)
        row.closed = self.system.clock
        held = (row.tenant, row.fleet, row.agent, row.private, row.start, row.end)
        self.system.rows.append(Row(memory_id, row.text, *held, self.system.clock, live=False))

    def reject(self, memory_id, reason):
        if not self.person:
            raise Refused("only a person rejects")
        text = self.own(memory_id).text
        self.retract(memory_id, reason)
        if not self.is_("forgets what was rejected"):
            self.system.rejected.append((self.tenant, self.print_(text), self.system.clock))
            for row in [row for row in self.readable() if self.print_(row.text) == self.print_(text)]:
                self.retract(row.id, reason)

    def forget(self, memory_id, reason):
        if not self.person and not self.is_("lets agents erase"):
            raise Refused("only a person erases")
        if self.is_("hides what was erased"):
            self.retract(memory_id, reason)
            return
        self.own(memory_id)
        for row in self.system.rows:
            if row.id == memory_id:
                row.text, row.live = "", False

    def decide(self, item, verdict):
        raise NotOffered("decide")
