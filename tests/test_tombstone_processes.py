"""Two processes at once: whoever is first, a rejected value is not live afterwards; the chain is whole."""

import pytest
from helpers import connection, start_python, stop

import teachmem

ROUNDS = 20
BEGIN = """
import sys, teachmem
from teachmem import TeachmemError
mem = teachmem.open_memory(sys.argv[1])
tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
mate = mem.agent("dock-2", fleet="dock", tenant="northlight")
lead = mem.person("shift-lead", fleet="dock", tenant="northlight")
deputy = mem.person("deputy", fleet="dock", tenant="northlight")
held = {fact.content: fact.memory_id for fact in tech.semantic.list(limit=100)}
inbox = {item.content: item for item in lead.review.inbox()}
def told(act):
    try:
        return str(act().verdict)
    except TeachmemError as error:
        return type(error).__name__
print("ready", flush=True)
for number in range(ROUNDS):
    text = f"The door code is {4400 + number}"
    sys.stdin.readline()
    print(told(lambda: ACT), flush=True)
""".replace("ROUNDS", str(ROUNDS))
REJECT = BEGIN.replace("ACT", "lead.semantic.reject(held[text], 'never')")
WRITE = BEGIN.replace("ACT", "mate.semantic.remember(text)")
APPROVE = BEGIN.replace("ACT", "lead.review.approve(inbox[text])")
REJECT_CANDIDATE = BEGIN.replace("ACT", "deputy.review.reject(inbox[text], 'never')")


@pytest.fixture
def start():
    started = []

    def start(*arguments):
        started.append(start_python(*arguments))
        return started[-1]

    yield start
    for process in started:
        stop(process)


def race(path, start, *codes):
    """Let the processes take turn after turn, both at once; return what each was told."""
    processes = [start(code, path) for code in codes]
    for process in processes:
        assert process.stdout.readline() == "ready\n", process.stderr.read()
    told = []
    for _ in range(ROUNDS):
        for process in processes:
            process.stdin.write("go\n")
            process.stdin.flush()
        told.append(tuple(process.stdout.readline().strip() for process in processes))
    assert all(all(answers) for answers in told), [process.stderr.read() for process in processes]
    return told


def prepared(path, source):
    with teachmem.open_memory(path) as mem:
        tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
        for number in range(ROUNDS):
            tech.semantic.remember(f"The door code is {4400 + number}", source=source)
    return path


def live(mem):
    with connection(mem) as raw:
        return raw.execute(
            "SELECT content FROM memories WHERE superseded_at IS NULL "
            "AND status IN ('active', 'confirmed', 'pending')"
        ).fetchall()


def test_reject_against_write(tmp_path, start):
    path = prepared(tmp_path / "store.db", None)
    told = race(path, start, REJECT, WRITE)
    assert {rejected for rejected, _ in told} == {"accepted"}
    assert {written for _, written in told} <= {"accepted", "MemoryRefused"}
    with teachmem.open_memory(path) as mem:
        assert live(mem) == []  # what was written before was withdrawn, what came after was refused
        assert mem.audit.verify(deep=True).status == "complete"


@pytest.mark.parametrize("codes", [(REJECT_CANDIDATE, APPROVE), (APPROVE, REJECT_CANDIDATE)])
def test_reject_against_approve(tmp_path, start, codes):
    """One of two people wins, the other is told, and the memory says what the winner decided."""
    path = prepared(tmp_path / "store.db", "web")
    told = race(path, start, *codes)
    assert all(sorted(answers) == ["Overtaken", "accepted"] for answers in told)
    approved = [answers[codes.index(APPROVE)] for answers in told].count("accepted")
    with teachmem.open_memory(path) as mem:
        assert len(live(mem)) == approved
        lead = mem.person("shift-lead", fleet="dock", tenant="northlight")
        assert len(lead.tombstones()) == ROUNDS - approved
        assert lead.review.inbox() == []
        assert mem.audit.verify(deep=True).status == "complete"


def test_reject_a_memory_against_approving_its_words(tmp_path, start):
    path = prepared(tmp_path / "store.db", "web")
    with teachmem.open_memory(path) as mem:
        for number in range(ROUNDS):
            mem.agent("dock-3", fleet="dock", tenant="northlight").semantic.remember(
                f"The door code is {4400 + number}"
            )
    told = race(path, start, REJECT, APPROVE)
    assert {rejected for rejected, _ in told} == {"accepted"}
    assert {approved for _, approved in told} <= {"accepted", "MemoryRefused"}
    with teachmem.open_memory(path) as mem:
        assert live(mem) == []
        assert mem.audit.verify(deep=True).status == "complete"
