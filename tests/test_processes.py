"""Several writers, and writers that die: every acknowledged write is there, and the chain is whole."""

import json
import os
import random
import threading
from collections import Counter

import pytest
from helpers import everything, opened, run_python, start_python, stop, tables

import teachmem
from teachmem.ledger.database import Transaction
from teachmem.rules import admissible

WHO = """
import json, os, sys, threading
import teachmem

def open_for(path, name):
    mem = teachmem.open_memory(path)
    return mem, mem.agent(name, fleet="dock", tenant="northlight")

def wait():
    print("ready", flush=True)
    sys.stdin.readline()
"""


@pytest.fixture
def start():
    """Start Python processes that do not outlive the test."""
    started = []

    def start(*arguments):
        started.append(start_python(*arguments))
        return started[-1]

    yield start
    for process in started:
        stop(process)


def together(*processes):
    """Let all go on at the same moment, once each has said that it is ready."""
    for process in processes:
        assert process.stdout.readline() == "ready\n", process.stderr.read()
    for process in processes:
        process.stdin.write("go\n")
        process.stdin.flush()


def ended(process):
    """Return what a process printed last, as JSON."""
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    return json.loads(out.splitlines()[-1])


WRITER = (
    WHO
    + """
path, name = sys.argv[1:]
mem, who = open_for(path, name)
who.episodic.recall("crate")  # the index is there before the other one writes
wait()
for number in range(500):
    who.working.write(f"arm-{number}", "observed", name, f"{name} saw arm {number} drift")
    who.episodic.log("observation", f"{name} counted crate {number}", happened_at=mem.clock.now())
wait()
events = who.episodic.recall("crate", k=2000)
notes = who.working.read(limit=2000)
print(json.dumps([sorted(hit.memory.content for hit in events), sorted(note.content for note in notes)]))
"""
)


def test_two_processes_write_a_thousand_each_and_both_see_all(tmp_path, start):
    path = tmp_path / "store.db"
    writers = [start(WRITER, path, name) for name in ("dock-1", "dock-2")]
    together(*writers)
    together(*writers)
    numbers = range(500)
    names = ("dock-1", "dock-2")
    wanted = [
        sorted(f"{name} counted crate {number}" for name in names for number in numbers),
        sorted(f"{name} saw arm {number} drift" for name in names for number in numbers),
    ]
    assert [ended(writer) for writer in writers] == [wanted, wanted]
    with teachmem.open_memory(path) as mem:
        report = mem.audit.verify()
        assert (report.status, report.entries) == ("complete", 2000)


RACER = (
    WHO
    + """
mem, who = open_for(sys.argv[1], "dock-1")
verdicts = []
gate = threading.Barrier(4)

def run():
    for number in range(25):
        gate.wait()
        receipt = who.working.write("arm-1", "observed", f"drift {number}", f"arm 1 drifts by {number}")
        same = who.semantic.remember(f"fact {number}", request_id=f"r{number}")
        verdicts.append((number, receipt.verdict, receipt.memory.memory_id, same.memory.memory_id))

wait()
threads = [threading.Thread(target=run) for _ in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(json.dumps(verdicts))
"""
)


def test_of_all_who_race_with_one_note_exactly_one_gets_in(tmp_path, start):
    path = tmp_path / "store.db"
    racers = [start(RACER, path) for _ in range(2)]
    together(*racers)
    told = [verdict for racer in racers for verdict in ended(racer)]
    assert len(told) == 2 * 4 * 25
    for number in range(25):
        own = [rest for which, *rest in told if which == number]
        assert Counter(verdict for verdict, *_ in own) == {"accepted": 1, "duplicate": 7}
        assert len({note for _, note, _ in own}) == 1
        assert len({fact for *_, fact in own}) == 1  # one request, one receipt
    with teachmem.open_memory(path) as mem:
        report = mem.audit.verify()
        assert (report.status, report.entries) == ("complete", 50)


OPENER = (
    WHO
    + """
folder, name = sys.argv[1:]
wait()
for number in range(15):
    mem, who = open_for(os.path.join(folder, f"store-{number}.db"), name)
    who.semantic.remember(f"{name} was here")
    mem.close()
print(json.dumps("done"))
"""
)


def test_several_processes_may_make_one_store_at_the_same_moment(tmp_path, start):
    openers = [start(OPENER, tmp_path, f"dock-{number}") for number in range(3)]
    together(*openers)
    assert [ended(opener) for opener in openers] == ["done"] * 3
    for number in range(15):
        with teachmem.open_memory(tmp_path / f"store-{number}.db") as mem:
            assert mem.audit.verify().entries == 3


def test_threads_may_share_one_store_in_memory():
    with teachmem.open_memory() as mem:
        faults = []

        def run(name):
            try:
                who = mem.agent(name, fleet="dock", tenant="northlight")
                for number in range(40):
                    who.episodic.log("observation", f"{name} counted crate {number}")
                    assert who.episodic.recall(f"crate {number}", k=3)
                    who.working.write("arm", "observed", name, f"{name} saw {number}")
                    assert len(who.working.read(limit=1)) == 1
            except BaseException as error:
                faults.append(error)

        threads = [threading.Thread(target=run, args=(f"dock-{number}",)) for number in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=60)
        assert faults == []
        reader = mem.agent("dock-0", fleet="dock", tenant="northlight")
        assert len(reader.episodic.recent(1000)) == len(reader.working.read(limit=1000)) == 6 * 40
        assert mem.audit.verify().entries == 2 * 6 * 40


def test_a_reader_sees_one_moment_while_another_process_writes(tmp_path):
    path = tmp_path / "store.db"
    with opened(path) as mem, teachmem.open_memory(path) as other:
        reader = mem.agent("dock-1", fleet="dock", tenant="northlight")
        writer = other.agent("dock-2", fleet="dock", tenant="northlight")
        writer.semantic.remember("gate four is open")
        with mem._database.read() as tx:
            before = admissible.newest(tx, reader.principal, 2**60)
            writer.semantic.remember("gate four is shut")
            assert admissible.newest(tx, reader.principal, 2**60) == before
        with mem._database.read() as tx:
            assert len(admissible.newest(tx, reader.principal, 2**60)) == 2


# ---- writers that die ----------------------------------------------------------------------------


def assert_whole(path):
    """Every row has its entry and every entry its rows, by the raw tables; the chain is complete."""
    with tables(path) as raw:
        rows = set(raw.execute("SELECT seq, memory_id, version FROM memories"))
        bodies = [json.loads(body) for (body,) in raw.execute("SELECT body FROM audit")]
        requests = {row[0] for row in raw.execute("SELECT seq FROM requests")}
        contents = {row[0] for row in raw.execute("SELECT content FROM memories")}
    assert rows == {(told["seq"], item["id"], item["version"]) for told in bodies for item in told["touched"]}
    assert requests <= {told["seq"] for told in bodies}
    with teachmem.open_memory(path) as mem:
        report = mem.audit.verify()
        assert (report.status, report.entries) == ("complete", len(bodies))
        mem.agent("next", fleet="dock", tenant="northlight").semantic.remember("life goes on")
    return contents


ENDLESS = (
    WHO
    + """
path, name = sys.argv[1:]
mem, who = open_for(path, name)
last = None
for number in range(1_000_000):
    text = f"{name} wrote {number}"
    if last is None or number % 3:
        last = who.working.write("arm", "observed", name, text, request_id=f"r{number}").memory.memory_id
    else:
        who.working.write("arm", "supersedes", last, text)
        last = None
    print(text, flush=True)
"""
)


def test_a_writer_killed_at_any_moment_loses_nothing_that_it_acknowledged(tmp_path, start):
    path = tmp_path / "store.db"
    moments = random.Random(7)
    acknowledged = set()
    for number in range(12):
        writer = start(ENDLESS, path, f"dock-{number}")
        try:
            for _ in range(moments.randint(1, 40)):
                acknowledged.add(writer.stdout.readline().strip())
            threading.Event().wait(moments.random() / 100)
        finally:
            writer.kill()
        out, _ = writer.communicate(timeout=30)
        acknowledged |= {line for line in out.splitlines() if line[-1:].isdigit() and out.endswith("\n")}
        assert acknowledged <= assert_whole(path)
    assert len(acknowledged) > 100


# Each child opens its own store, does one act, and ends without a word before its n-th statement.
DYING = (
    WHO
    + """
from teachmem.ledger.database import Transaction
door, note, *paths = sys.argv[1:]
run = Transaction.run

def die(path, place):
    mem, who = open_for(path, "dock-1")
    left = iter([None] * (place - 1))

    def dying(self, *rest, **binds):
        if next(left, "none") == "none":
            os._exit(9)
        return run(self, *rest, **binds)

    Transaction.run = dying
    if door == "supersede":
        who.working.write("arm", "supersedes", note, "it is fixed", request_id="r1")
    else:
        who.working.clear(everything=True, request_id="r1")
    os._exit(0)

codes = []
for place, path in enumerate(paths, 1):
    child = os.fork()
    if not child:
        die(path, place)
    codes.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
print(json.dumps(codes))
"""
)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the next test asks the same of a system without fork")
@pytest.mark.parametrize("door", ["supersede", "clear"])
def test_a_process_that_dies_before_any_one_statement_has_written_nothing(tmp_path, door):
    paths = [tmp_path / f"{number}.db" for number in range(1, 31)]
    for path in paths:
        with opened(path) as mem:
            tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
            for number in range(2):
                tech.working.write("arm", "observed", "drift", f"arm drifts by {number}")
            note = tech.working.read()[0].memory_id
    codes = json.loads(run_python(DYING, door, note, *paths))
    died = codes.count(9)
    assert codes == [9] * died + [0] * (len(paths) - died)
    assert 8 <= died < len(paths)
    for code, path in zip(codes, paths, strict=True):
        with tables(path) as raw:
            entries = raw.execute("SELECT count(*) FROM audit").fetchone()[0]
        assert entries == (2 if code else 3)
        assert_whole(path)


def failing_at(place):
    """Return a stand-in for `Transaction.run` whose call number `place` fails."""
    run, left = Transaction.run, iter(range(1, place))

    def failing(self, *rest, **binds):
        if next(left, None) is None:
            raise OSError("the statement failed")
        return run(self, *rest, **binds)

    return failing


def test_a_statement_that_fails_takes_the_whole_act_with_it(monkeypatch):
    """The same in one process, for every statement of every kind of write; then the write works."""
    with opened() as mem:
        tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
        note = tech.working.write("arm", "observed", "drift", "arm drifts").memory.memory_id
        doors = [
            lambda: tech.semantic.remember("gate four sticks", source="web", request_id="r1"),
            lambda: tech.semantic.remember("arm wants oil", evidence=[note], request_id="r2"),
            lambda: tech.working.write("arm", "supersedes", note, "it is fixed", request_id="r3"),
            lambda: tech.episodic.log("observation", "gate four is open"),
            lambda: tech.working.clear(everything=True, request_id="r4"),
        ]
        for door in doors:
            before, failed = everything(mem), 0
            while everything(mem) == before:
                with monkeypatch.context() as patch:
                    patch.setattr(Transaction, "run", failing_at(failed + 1))
                    try:
                        door()
                    except OSError:
                        failed += 1
            assert failed >= 5
            assert len(everything(mem)["audit"]) == len(before["audit"]) + 1
            assert mem.audit.verify().status == "complete"
