"""A disk that is full, refuses, is slow, loses what it was not told to keep, or holds other bytes than it was
given.

Every fault is done to the real calls by the shim, or to the real file. A call that was struck either returns,
and then it is there, or raises an error of ours, and then the store is as before; in both cases the same
process goes on writing once the fault has passed.
"""

from __future__ import annotations

import errno
import json
import os
import random
import shutil
import sqlite3
import struct
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, NamedTuple

import teachmem
from teachmem import Receipt, TeachmemError, standalone_verifier
from teachmem.flow.intake import ImportReport
from teachmem.recall.vectors import ExactIndex
from teachmem.rules.certificate import Certificate
from torture import shim, whole
from torture.doors import DOORS, EMBEDDER, World, world
from torture.figures import Figure
from torture.kills import STORE, Prepared, prepared

# Each of several things is tried by itself; the answer says which of them failed.
EACH_BY_ITSELF = {"semantic.remember_many", "review.bulk", "load_export", "restore"}
# Several commits, or a file beside the store: what fails at the end leaves what was done before.
IN_STEPS = {"load_catalogue", "forget", "checkpoint", "backup"}
GOES_ON = "and life goes on here"
REFUSALS = {
    "a full disk": (shim.WRITES, shim.FAIL, errno.ENOSPC),
    "one write refused": (shim.WRITES, shim.FAIL_ONCE, errno.EIO),
    "a disk gone read-only": (shim.WRITES | shim.SYNCS | shim.NAMES, shim.FAIL, errno.EROFS),
    "one failing fsync": (shim.SYNCS, shim.FAIL_ONCE, errno.EIO),
    "every fsync failing": (shim.SYNCS, shim.FAIL, errno.EIO),
}


def refusals(folder: Path, chance: random.Random, most: int | None) -> Iterator[Figure]:
    """Let the n-th write or fsync of each door fail, once or from then on; all n, or `most` of a kind."""
    for door in prepared(folder, list(DOORS)):
        for fault, (kinds, how, error) in REFUSALS.items():
            places = list(range(sum(kind & kinds != 0 for kind in door.kinds)))
            if most is not None and len(places) > most:
                places = chance.sample(places, most)
            figure = Figure(fault, door.name, len(places))
            for place in places:
                _refuse(door, figure, kinds, place, how, error)
            yield figure


def _refuse(door: Prepared, figure: Figure, kinds: int, place: int, how: int, error: int) -> None:
    goes_on = place % 2  # or it ends at once, and the next opener finds what is on the disk

    def run(w: World) -> None:
        shim.arm(w.folder, kinds, place, how, error)
        report: dict[str, Any] = {"told": ""}
        try:
            report = said(door.call(w))
        except TeachmemError as complaint:
            report["told"] = str(complaint)
        finally:
            shim.arm(w.folder, 0, 0, shim.COUNT)
        report |= {"found": whole.digest(w.folder / STORE), "held": whole.held(w.folder / STORE)}
        if goes_on:
            w.tech.semantic.remember(GOES_ON)
        (w.folder / "report").write_text(json.dumps(report), encoding="utf-8")

    code, path, error_told = door.trial(run)
    if code:
        figure.wrong.append(f"{door.name}, call {place}: {error_told}")
        return
    report = json.loads((path.parent / "report").read_text(encoding="utf-8"))
    figure.struck += bool(report["told"])
    wrong = [_judged(door, report)]
    if not goes_on and (opened := whole.digest(path)) != report["found"]:
        wrong.append(_judged(door, {**report, "found": opened, "held": whole.held(path)}, "opened again: "))
    if goes_on and GOES_ON not in whole.contents(path):
        wrong.append("what was written afterwards is not there")
    wrong += whole.faults(path)
    figure.wrong += [f"{door.name}, call {place}: {what}" for what in wrong if what]


def said(answer: Any) -> dict[str, Any]:
    """Return what a call says of those things that failed, or are still to do, and how many it did."""
    if isinstance(answer, ImportReport):
        return {"told": "; ".join(str(refused) for refused in answer.refused), "did": answer.accepted}
    if isinstance(answer, Certificate):
        return {"told": "" if answer.is_finished else answer.state}
    receipts = [one for one in answer if isinstance(one, Receipt)] if isinstance(answer, list) else []
    refused = [one.steps[-1].reason for one in receipts if one.verdict == "refused"]
    return {"told": "; ".join(refused), "did": sum(one.verdict == "accepted" for one in receipts)}


def _judged(door: Prepared, report: dict[str, Any], when: str = "") -> str:
    """Say what is wrong with a store after a fault and what was told of it, "" if nothing is."""
    told, found = report["told"], report["found"]
    states = (door.before, *door.states)
    if not told:
        return "" if found == states[-1] else f"{when}an acknowledged call is not there"
    if "not known" in told:
        return ""
    if door.name in EACH_BY_ITSELF:
        new = report["held"] - whole.held(door.folder / STORE)
        return "" if new == report["did"] else f"{when}{report['did']} accepted, {new} there; told: {told}"
    if found not in states:
        return f"{when}half a call is there"
    if door.name not in IN_STEPS and found != door.before:
        return f"{when}it is there, and yet the error was: {told}"
    return ""


# ---- the power goes ----------------------------------------------------------------------------------


class Op(NamedTuple):
    """One change of a file, or a mark of what had been acknowledged by then."""

    kind: str
    place: int
    path: str
    data: bytes


def _read(log: Path) -> list[Op]:
    ops, data, at = [], log.read_bytes(), 0
    while at < len(data):
        kind, place, length, width = struct.unpack_from("=4q", data, at)
        at += 32
        path = data[at : at + width].decode()
        ops.append(Op(chr(kind), place, path, data[at + width : at + width + length]))
        at += width + length
    return ops


class Disk:
    """Files as they are on the platter: what was synced is there, of the rest any part, in any order."""

    def __init__(self, folder: Path) -> None:
        self.kept = {str(path): bytearray(path.read_bytes()) for path in folder.iterdir() if path.is_file()}
        self.waiting: dict[str, list[Op]] = {}

    def do(self, op: Op) -> None:
        """Take one operation; names are made and unmade at once."""
        if op.kind in "WT":
            self.waiting.setdefault(op.path, []).append(op)
        elif op.kind == "S":
            for one in self.waiting.pop(op.path, []):
                _apply(self.kept.setdefault(op.path, bytearray()), one)
        elif op.kind == "U":
            self.kept.pop(op.path, None)
            self.waiting.pop(op.path, None)

    def lose_power(self, folder: Path, chance: random.Random) -> None:
        """Write what is left to `folder`: of each waiting write nothing, all, or the first sectors."""
        files = {path: bytearray(data) for path, data in self.kept.items()}
        for path, ops in self.waiting.items():
            data = files.setdefault(path, bytearray())
            for op in ops:
                if (drawn := chance.random()) < 0.4:
                    _apply(data, op)
                elif drawn < 0.6 and op.kind == "W":
                    torn = chance.randrange(0, len(op.data) + 1, 512)
                    _apply(data, op._replace(data=op.data[:torn]))
        for path, data in files.items():
            if not path.endswith("-shm"):  # of the memory of one boot
                (folder / Path(path).name).write_bytes(data)


def _apply(data: bytearray, op: Op) -> None:
    if op.kind == "T":
        del data[op.place :]
        data.extend(bytes(op.place - len(data)))
        return
    if len(data) < op.place:
        data.extend(bytes(op.place - len(data)))
    data[op.place : op.place + len(op.data)] = op.data


def power_cuts(folder: Path, chance: random.Random, cuts: int, synchronous: str = "FULL") -> Iterator[Figure]:
    """Write some hundred memories, and cut the power at `cuts` moments of it; what was acknowledged is there.

    With `synchronous="OFF"` the database syncs nothing: the same cuts must then lose something, or they
    would show nothing.
    """
    figure = Figure("power cut", f"synchronous={synchronous}", cuts)
    store = folder / "power"
    store.mkdir()
    with world(store / STORE, "a") as w:
        _ = w.tech.semantic.remember("The canteen closes at two")
    disk, log = Disk(store), folder / "log"
    child = os.fork()
    if not child:
        _write_and_note(store, log, synchronous)
        os._exit(0)
    os.waitpid(child, 0)
    ops = _read(log)
    moments = sorted(chance.sample(range(len(ops)), min(cuts, len(ops))))
    acknowledged: set[str] = set()
    for number, op in enumerate(ops):
        if op.kind == "A":
            acknowledged.add(op.path)
        disk.do(op)
        if number in moments:
            left = folder / "left"
            left.mkdir()
            disk.lose_power(left, chance)
            figure.struck += bool(disk.waiting)
            figure.wrong += [
                f"cut at {number}: {what}" for what in _after_the_cut(left / STORE, acknowledged)
            ]
            shutil.rmtree(left)
    shutil.rmtree(store)
    log.unlink()
    yield figure


def _after_the_cut(path: Path, acknowledged: set[str]) -> list[str]:
    try:
        found = whole.faults(path)
        if lost := acknowledged - whole.contents(path):
            found.append(f"{len(lost)} acknowledged writes are lost, such as {min(lost)!r}")
        return found
    except (TeachmemError, sqlite3.Error) as error:
        return [str(error)]


def _write_and_note(store: Path, log: Path, synchronous: str) -> None:
    with world(store / STORE, "b", hours=1) as w:
        from sqlalchemy import event

        def loosen(connection: sqlite3.Connection, *_: object) -> None:
            connection.execute(f"PRAGMA synchronous = {synchronous}")
            connection.execute("PRAGMA wal_autocheckpoint = 40")  # pages: so the file itself is written often

        engine = w.mem._database._engine
        engine.dispose()
        event.listen(engine, "connect", loosen)
        shim.arm(store, 0, 0, shim.COUNT)
        shim.note_to(log)
        for number in range(120):
            text = f"crate {number} was counted"
            if number % 3:
                w.tech.episodic.log("observation", text)
            else:
                w.tech.semantic.remember(text)
            shim.mark(text)


# ---- other bytes -------------------------------------------------------------------------------------


def other_bytes(folder: Path, chance: random.Random, times: int) -> Iterator[Figure]:
    """Cut the file or its log at any byte, or put other bytes there; then ask everything.

    What comes back is an error of ours, a verdict that is not "complete", or what the store held: at the
    end, or, for a cut log, after an earlier commit, which a checkpoint that somebody holds tells apart.
    """
    states, held = _long_store(folder / "bytes")
    for part, name in (("the file", STORE), ("the log of changes", f"{STORE}-wal")):
        for how in ("cut short", "other bytes", "a page of zeros"):
            figure = Figure(f"{part}, {how}", "every read, and verify", times)
            for _ in range(times):
                place = folder / "damaged"
                shutil.copytree(folder / "bytes", place)
                said = _damage(place / name, how, chance)
                try:
                    outcome = _ask_everything(place / STORE, states, held, part)
                except Exception as error:  # a campaign goes on, and tells
                    outcome = f"bare {type(error).__name__}: {error}"
                figure.struck += outcome == ""
                if outcome not in ("", "as it was"):
                    figure.wrong.append(f"{said}: {outcome}")
                shutil.rmtree(place)
            yield figure
    shutil.rmtree(folder / "bytes")


def _long_store(folder: Path) -> tuple[list[str], teachmem.Checkpoint]:
    """Make a store whose last changes are in its log; return its readings, and its last checkpoint."""
    folder.mkdir()
    with world(folder / STORE, "a") as w:
        for number in range(60):
            w.tech.semantic.remember(f"crate {number} was counted in the yard", subject=f"crate {number}")
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        with world(folder / STORE, "b", hours=1) as w:
            states = [_reading(w.mem)]
            for number in range(20):
                w.tech.semantic.remember(f"lift {number} sticks")
                states.append(_reading(w.mem))
            held = w.mem.audit.checkpoint("northlight")
            os.write(writer, json.dumps([states, held.seq, held.head]).encode())
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as told:
        states, _, _ = json.loads(told.read())
    os.waitpid(child, 0)
    with suppress(FileNotFoundError):
        (folder / f"{STORE}-shm").unlink()
    found, _ = teachmem.ledger.checkpoint.read(folder / "points")
    return states, found[-1]


def _reading(mem: teachmem.MemoryStore) -> str:
    """Return what every read of one who may read gives, as text."""
    who = mem.agent("dock-1", fleet="dock", tenant="northlight")
    facts = [(memory.memory_id, memory.content) for memory in who.semantic.list(limit=500)]
    found = whole.answers(mem)
    return repr((facts, found, [who.semantic.get(memory_id).content for memory_id, _ in facts[:5]]))


def _damage(path: Path, how: str, chance: random.Random) -> str:
    data = bytearray(path.read_bytes())
    place = chance.randrange(len(data))
    if how == "cut short":
        del data[place:]
    elif how == "other bytes":
        data[place : place + 8] = chance.randbytes(min(8, len(data) - place))
    else:
        place -= place % 4096
        data[place : place + 4096] = bytes(min(4096, len(data) - place))
    path.write_bytes(data)
    return f"{path.name} {how} at {place}"


def _ask_everything(path: Path, states: list[str], held: teachmem.Checkpoint, part: str) -> str:
    try:
        with teachmem.open_memory(path, embedder=EMBEDDER, vectors=ExactIndex()) as mem:
            report = mem.audit.verify(deep=True)
            alone = standalone_verifier.verify(path, deep=True)
            if "complete" not in (report.status, alone.status):
                return ""
            reading = _reading(mem)
            if reading == states[-1]:
                return "as it was"
            if part == "the log of changes" and reading in states:
                found = mem.audit.verify(checkpoint=held).status
                return "" if found == "broken" else f"an earlier state passes for the last: {found}"
            return f"other answers, and both verifiers say complete {reading} {states[-1]}"
    except TeachmemError as error:
        return "" if "\n" not in str(error) else f"a complaint of several lines: {error}"
    except sqlite3.DatabaseError:
        with closing(sqlite3.connect(path)) as raw, suppress(sqlite3.Error):
            raw.execute("SELECT 1")
        return ""  # of the verifier in one file, which is a script and says "could not run"
