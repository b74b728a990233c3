"""The log under several writers, and writers that die, with checkpoints being made meanwhile."""

import json
import os
import time

import pytest
from helpers import run_python, tables
from test_attacks import ALONE
from test_processes import WHO, start, together  # noqa: F401

import teachmem
from teachmem.ledger import checkpoint, keys, verify

SECONDS = float(os.environ.get("TEACHMEM_RACE_SECONDS", "2"))  # 60 for the minute that the kit was tried with

APPENDER = (
    WHO
    + """
import time
path, points, key, name, seconds = sys.argv[1:]
where = teachmem.Checkpoints(points, every=50, key=key)
mem = teachmem.open_memory(path, checkpoints=where)
who = mem.agent(name, fleet="dock", tenant="northlight")
wait()
end, number = time.monotonic() + float(seconds), 0
while time.monotonic() < end:
    number += 1
    who.episodic.log("observation", f"{name} counted crate {number}", request_id=f"{name}-{number}")
    if number % 7 == 0:
        who.episodic.log("observation", f"{name} counted crate {number}", request_id=f"{name}-{number}")
mem.close()
print(json.dumps(number))
"""
)


def whole(path, points, key):
    """Say how many entries there are, after checking them in every way there is."""
    with tables(path) as raw:
        bodies = [json.loads(body) for (body,) in raw.execute("SELECT body FROM audit ORDER BY seq")]
        before = {previous for (previous,) in raw.execute("SELECT prev_hash FROM audit")}
    assert [told["seq"] for told in bodies] == list(range(1, len(bodies) + 1))
    assert len(before) == len(bodies)  # nobody forked it
    found, lost = checkpoint.read(points)
    assert lost == []
    with teachmem.open_memory(path) as mem:
        trusted = keys.load(key).public if key.is_file() else None
        report = mem.audit.verify(checkpoint=found, key=trusted, deep=True)
        assert (report.status, report.entries, report.unchecked) == ("complete", len(bodies), ())
    held = [{"tenant": one.tenant, "seq": one.seq, "head": one.head} for one in found]
    if path.is_file():  # the verifier that stands alone reads files only
        assert ALONE.verify(path, held, deep=True).status == "complete"
    return bodies, found


def said_last(writer):
    out, err = writer.communicate(timeout=SECONDS + 60)
    assert writer.returncode == 0, err
    return json.loads(out.splitlines()[-1])


def test_two_processes_append_at_once_and_the_chain_is_one(tmp_path, start):  # noqa: F811
    (tmp_path / "store").mkdir()
    path, points, key = tmp_path / "store" / "s.db", tmp_path / "points", tmp_path / "key"
    names = ("dock-1", "dock-2")
    writers = [start(APPENDER, path, points, key, name, SECONDS) for name in names]
    together(*writers)
    deadline = time.monotonic() + SECONDS + 60
    counts = {name: said_last(writer) for name, writer in zip(names, writers, strict=True)}
    assert time.monotonic() < deadline
    bodies, found = whole(path, points, key)
    logged = [told for told in bodies if told["action"] == "episodic.write"]
    for name in names:
        assert len([told for told in logged if told["actor"]["name"] == name]) == counts[name] > 0
    assert len(bodies) - len(logged) == len(found) >= 1  # each checkpoint has its entry


DYING = (
    WHO
    + """
from teachmem.ledger import checkpoint, keys, verify
from teachmem.ledger.database import Transaction
folder, *places = sys.argv[1:]
run, commit, add = Transaction.run, None, checkpoint.append

def die(place, at):
    where = teachmem.Checkpoints(os.path.join(place, "points"), every=1, key=os.path.join(folder, "key"))
    mem = teachmem.open_memory(os.path.join(place, "s.db"), checkpoints=where)
    who = mem.agent("dock-1", fleet="dock", tenant="northlight")
    left = iter([None] * (at - 1))

    def step():
        if next(left, "none") == "none":
            os._exit(9)

    def dying(self, *rest, **binds):
        step()
        return run(self, *rest, **binds)

    def adding(path, one):
        step()
        add(path, one)
        step()

    Transaction.run, checkpoint.append = dying, adding
    who.episodic.log("observation", "gate four is open")
    os._exit(0)

codes = []
for at, place in enumerate(places, 1):
    child = os.fork()
    if not child:
        die(place, at)
    codes.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
print(json.dumps(codes))
"""
)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_process_that_dies_at_any_statement_of_a_write_and_its_checkpoint_leaves_a_whole_log(tmp_path):
    key = tmp_path / "key"
    keys.load_or_make(key, bytes(range(32)))
    places = [tmp_path / f"{number:02}" for number in range(1, 36)]
    for place in places:
        place.mkdir()
        where = teachmem.Checkpoints(place / "points", key=key)
        with teachmem.open_memory(place / "s.db", checkpoints=where) as mem:
            mem.agent("dock-1", fleet="dock", tenant="northlight").semantic.remember("gate four is wide")
    codes = json.loads(run_python(DYING, tmp_path, *places))
    died = codes.count(9)
    assert codes == [9] * died + [0] * (len(places) - died)
    assert 15 <= died < len(places)
    lengths = []
    for place in places:
        bodies, found = whole(place / "s.db", place / "points", key)
        lengths.append((len(bodies), len(found)))
        where = teachmem.Checkpoints(place / "points", key=key)
        with teachmem.open_memory(place / "s.db", checkpoints=where) as mem:
            mem.agent("dock-1", fleet="dock", tenant="northlight").semantic.remember("life goes on")
        whole(place / "s.db", place / "points", key)
    assert lengths == sorted(lengths)  # neither is ever ahead of its time
    assert set(lengths) == {(2, 1), (3, 1), (4, 1), (4, 2)}


def test_a_verification_under_way_holds_no_writer_up_and_sees_one_moment(tmp_path, monkeypatch):
    monkeypatch.setattr(verify, "STEP", 1)
    path = tmp_path / "s.db"
    with teachmem.open_memory(path) as one, teachmem.open_memory(path) as two:
        for tenant in ("northlight", "southgate"):
            who = one.agent("dock-1", fleet="dock", tenant=tenant)
            for number in range(5):
                who.episodic.log("observation", f"gate {number} is open")
        writers = [two.agent("dock-2", fleet="dock", tenant=name) for name in ("northlight", "southgate")]

        def write(done, total):
            for who in writers:
                who.episodic.log("observation", f"written while entry {done} was verified")

        report = one.audit.verify(deep=True, progress=write)
        assert (report.status, report.entries) == ("complete", 10)
        report = one.audit.verify(deep=True)
        assert (report.status, report.entries) == ("complete", 30)
