"""Reading an export back in: every row passes the gate, and what was rejected here stays out.

The importer acts as the person who runs it. Their own rows go through like any write of theirs. Rows of
others, and kinds that only the system writes, are taken from a file whose manifest verifies, and for a
steward only; their authors and sources stay, and their detail says *imported*, from which memory and
by whom. Nothing in a file overrules what this store has decided: a value that is rejected here is
refused, a tombstone that was lifted here stays lifted, a memory that was withdrawn here stays withdrawn.

Importing again adds nothing: each row is a request of its own, by the id it had, and a retry of a request
is answered with its first receipt (`rules/replay.py`).

A file's tombstones come first and withdraw here what they reject. Bad lines are reported, good ones kept.

Left out: ids. A memory gets a new one here; what it rests on is named anew with it.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from teachmem.clock import from_micros
from teachmem.errors import InvalidInput, MemoryRefused, StoreError, TeachmemError
from teachmem.flow import exchange
from teachmem.ledger import journal
from teachmem.ledger.journal import Change
from teachmem.ledger.schema import tombstones
from teachmem.normal import one_line
from teachmem.principal import Principal
from teachmem.record import Draft, Receipt, Step
from teachmem.rules import admissible, checks, reach, reject, replay, shape, tombstone
from teachmem.rules import gate as gates
from teachmem.rules.case import Case
from teachmem.rules.gate import Gate
from teachmem.tiers.kit import Kit
from teachmem.vocabulary import LIVE, Clearance, Outcome, Role, Verdict

MOST_BYTES = 1_000_000_000
_SAID = tuple(name for name in Draft.__slots__ if name not in ("evidence", "detail"))
_TIMES = ("valid_from", "valid_to", "expires_at")
# Who may write what was settled where a row was written. What is rejected, held, contradicted: here.
_SETTLED = checks.OF_WORDS


@dataclass(slots=True)
class ImportReport:
    """What became of each line. `refused` names the line, the memory's id there, and why."""

    verified: bool
    accepted: int = 0
    duplicates: int = 0
    staged: int = 0
    tombstones: int = 0
    withdrawn: int = 0
    refused: list[tuple[int, str, str]] = field(default_factory=list)

    def __str__(self) -> str:
        whole = "the manifest verifies" if self.verified else "the manifest does not verify"
        told = f"{whole}: {self.accepted} accepted, {self.duplicates} here already, {self.staged} staged, "
        told += (
            f"{self.tombstones} tombstones, {self.withdrawn} withdrawn by them, {len(self.refused)} refused"
        )
        return "\n".join(
            [told, *(f"  line {line}, {one_line(f'{name}: {why}')}" for line, name, why in self.refused)]
        )


def load(kit: Kit, who: Principal, path: str | os.PathLike[str]) -> ImportReport:
    """Import the export at `path` into the tenant of `who`; return what became of each line.

    Raises `StoreError` for a file that cannot be read or is no export, `InvalidInput` for one of another
    tenant.
    """
    gates.before(who, None, "")
    lines = _read(Path(path))
    manifest = _manifest(lines[0], str(path))
    if manifest.get("tenant") != who.tenant:
        raise InvalidInput("path", f"holds a memory of the tenant {manifest.get('tenant')!r}, not of yours")
    whole = hashlib.sha256(b"".join(lines[1:])).hexdigest() == manifest.get("digest")
    intake = _Intake(kit, who, ImportReport(whole))
    for number, line in enumerate(lines[1:], start=2):
        intake.take(number, line)
    return intake.report


def _read(path: Path) -> list[bytes]:
    try:
        if path.stat().st_size > MOST_BYTES:
            raise StoreError(f"{str(path)!r} is larger than {MOST_BYTES:,} bytes; export fleet by fleet")
        return path.read_bytes().splitlines(keepends=True) or [b""]
    except OSError as error:
        raise StoreError(f"{str(path)!r} cannot be read: {error.strerror}") from error


def _manifest(line: bytes, path: str) -> Mapping[str, Any]:
    told = _record(line).get("manifest")
    if not isinstance(told, dict) or told.get("format") != exchange.FORMAT:
        raise StoreError(
            f"{path!r} is no export of this format ({exchange.FORMAT}); its first line must say so"
        )
    return told


def _record(line: bytes) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


class _Intake:
    """One import: the report that grows, and which memory of the file is which here."""

    def __init__(self, kit: Kit, who: Principal, report: ImportReport) -> None:
        self.kit, self.who, self.report = kit, who, report
        self.trusted = report.verified and who.is_steward
        kept = [check for check in kit.gate.checks if check not in _SETTLED]
        self.gate: Gate = replace(kit.gate, checks=kept) if self.trusted else kit.gate
        self.here: dict[str, str] = {}

    def take(self, number: int, line: bytes) -> None:
        """Import one line, or report why not."""
        found = _record(line)
        name, record = next(iter(found.items()), ("", None))
        if name not in ("memory", "tombstone") or not isinstance(record, dict):
            self.report.refused.append((number, "?", "is no record; it may be torn"))
            return
        named = str(record.get("memory_id" if name == "memory" else "tombstone_id"))
        try:
            self._memory(record) if name == "memory" else self._tombstone(record)
        except MemoryRefused as refusal:
            last = refusal.receipt.steps[-1]
            self.report.refused.append((number, named, f"{last.check}: {last.reason}"))
        except TeachmemError as error:
            self.report.refused.append((number, named, str(error)))
        except (KeyError, TypeError, ValueError, OverflowError, RecursionError) as error:
            self.report.refused.append((number, named, f"is no such record: {type(error).__name__} {error}"))

    def _memory(self, row: Mapping[str, Any]) -> None:
        shape.check_name("memory_id", row["memory_id"], empty=False)
        author = _author(row, self.who)
        if author != self.who and not self.trusted:
            why = "clearance 3" if self.report.verified else "a manifest that verifies, and clearance 3"
            reject.refuse("author", f"is by {author.name} of {author.fleet}; importing it needs {why}")
        draft, missing = self._draft(row)
        steps = gates.before(self.who, shape.fault(draft), draft.visibility)
        vector = self.gate.embed(draft)
        kit, gate = self.kit, self.gate
        asked = replay.payload_of({"import": row["memory_id"], "said": [row["content"], row["version"]]})
        with kit.database.write() as tx, journal.change(tx, self.who, kit.clock, gate.ids) as act:
            request = f"import {row['memory_id']} {row['version']}"
            receipt = replay.find(tx, self.who, request, asked, steps) or self._held(act, row)
            if receipt is None:
                case = Case(tx, author, draft, act.now, vector=vector)
                receipt = gate.judged(case, steps)
                if receipt is None and case.staged:
                    receipt = gate.stage(act, case, steps)
                elif receipt is None:
                    case.rests_on = list(dict.fromkeys([*case.rests_on, *self._grounds(row)]))
                    receipt = gate.admit(act, case, steps, "; ".join(missing))
                replay.keep(act, request, asked, receipt)
            elif receipt.verdict is Verdict.ACCEPTED:  # a retry
                receipt = replace(receipt, verdict=Verdict.DUPLICATE)
        self._count(row["memory_id"], receipt)

    def _count(self, there: str, receipt: Receipt) -> None:
        if receipt.memory:
            self.here[there] = receipt.memory.memory_id
        name = {Verdict.ACCEPTED: "accepted", Verdict.DUPLICATE: "duplicates", Verdict.STAGED: "staged"}
        setattr(self.report, name[receipt.verdict], getattr(self.report, name[receipt.verdict]) + 1)

    def _held(self, act: Change, row: Mapping[str, Any]) -> Receipt | None:
        """Return a duplicate's receipt where this store has the memory itself; refuse one withdrawn here."""
        if reach.was_erased(act.tx, act.principal.tenant, row["memory_id"], row.get("content_digest", "")):
            reject.refuse("erased", "was erased here by a person; no file brings it back")
        found = admissible.in_scope(act.tx, self.who, row["memory_id"])
        if found is None and self.trusted:  # a private row that its writer has withdrawn stays withdrawn
            found = admissible.of_tenant(act.tx, self.who.tenant, row["memory_id"])
        if found is None or found.content != row["content"]:  # counted ids name something else elsewhere
            return None
        if found.status not in LIVE:
            reject.refuse("withdrawn", f"is {found.status} here since; a person restores it, not a file")
        return Receipt(Verdict.DUPLICATE, found, (Step("duplicate", Outcome.DUPLICATE, "is held here"),))

    def _draft(self, row: Mapping[str, Any]) -> tuple[Draft, list[str]]:
        """Return the draft of a row, and what it rested on that did not come along."""
        said = {name: row[name] for name in _SAID if name in row}
        for name in ("subject", "predicate", "object"):
            said[name] = said[name] or None
        for name in _TIMES:
            said[name] = None if said[name] is None else from_micros(said[name])
        gone = [parent for parent, _ in row["rests_on"] if parent not in self.here]
        told = {"memory": row["memory_id"], "version": row["version"], "by": self.who.name}
        if gone:
            told["without"] = gone
        detail = {**row["detail"], "imported": {**told, "recorded_at": row["recorded_at"]}}
        return Draft(**said, detail=detail), [f"without {parent}, which it rested on" for parent in gone]

    def _grounds(self, row: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        for parent, relation in row["rests_on"]:
            if parent in self.here:
                yield self.here[parent], str(relation)

    def _tombstone(self, row: Mapping[str, Any]) -> None:
        """Bring a standing tombstone in, unless this store has decided on the same one."""
        kit = self.kit
        with kit.database.write() as tx, journal.change(tx, self.who, kit.clock, kit.gate.ids) as act:
            one = tombstone.to_tombstone(row, act.now)
            if one.state != "standing" or any(_same(one, row, known) for known in _known(act)):
                self.report.duplicates += 1
                return
            if not self.trusted and one.fleets != (self.who.fleet,):
                reject.refuse("authority", "is for more than your fleet; importing it needs clearance 3")
            if one.content is None and not self.report.verified:
                reject.refuse("tombstone", "its text was erased, and prints are taken from a whole file only")
            made = _made(act, one, row)
            gone = reject.withdraw(act, made, one.content, one.triple, one.fleets)
            act.entry("tombstone.import", made["tombstone_id"], **reject.told(made))
        self.report.tombstones += 1
        self.report.withdrawn += len(gone)


def _author(row: Mapping[str, Any], who: Principal) -> Principal:
    """Return whose a row is. A table does not keep roles; the source tells a person from an agent."""
    if (row["fleet"], row["agent"]) == (who.fleet, who.name):
        return who
    role = Role.PERSON if row["source"] in ("person", "catalogue") else Role.AGENT
    return Principal(who.tenant, row["fleet"], row["agent"], role, who.clearance)


def _known(act: Change) -> Iterator[dict[str, Any]]:
    for one in tombstone.every(act.tx, replace(act.principal, clearance=Clearance.STEWARD), act.now):
        row = tombstone.row_of(act.tx, act.principal.tenant, one.tombstone_id)
        if row:
            yield row


def _same(one: tombstone.Tombstone, row: Mapping[str, Any], known: Mapping[str, Any]) -> bool:
    """Say whether `known` is this tombstone, standing, lapsed or lifted: made at once, of the same value."""
    if (known["made_at"], known["until"], known["fleets"]) != (row["made_at"], row["until"], row["fleets"]):
        return False
    if one.content is None or known["content"] is None:
        prints = ("key", "value_print", "triple_print")
        return all(known[name] == row[name] for name in prints)
    return bool(known["content"] == one.content and known["triple"] == row["triple"])


def _made(act: Change, one: tombstone.Tombstone, row: Mapping[str, Any]) -> dict[str, Any]:
    """Add the tombstone as it was made there, with prints of this tenant's key where its text is known."""
    key = row["key"] if one.content is None else reject.key_of(act)
    made = {column.name: row[column.name] for column in tombstones.c if column.name in row}
    made |= dict.fromkeys(journal.ANSWERED)
    made |= {"tombstone_id": act.ids.new("tombstone"), "tenant": act.principal.tenant, "salt": act.ids.salt()}
    made |= {"key": key, "reason": one.reason or "imported"}
    if one.content is not None:
        made["value_print"] = tombstone.value_print(key, one.content)
        made["triple_print"] = tombstone.triple_print(key, one.triple) if one.triple else ""
    act.bury(made)
    return made
