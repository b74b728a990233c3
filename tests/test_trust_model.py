"""What should be believed, by a plain model beside the store: random writes, revisions, moves, conflicts.

Also two processes that contradict each other at the same time.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from helpers import opened, start_python, stop
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

import teachmem
from teachmem.errors import MemoryRefused, NotFound
from teachmem.vocabulary import LIVE, TRANSITIONS, Role, Status

NOON = datetime(2026, 3, 15, 12, tzinfo=UTC)
TENANT = "northlight"
ACTORS = ("dock-1", "dock-2", "shift-lead")


@dataclass
class Row:
    """One claim on who manages bay two, as the model holds it."""

    memory_id: str
    author: str
    object: str
    confidence: float | None
    inferred: bool
    said_by: str  # "person" or "agent"
    status: str = "active"

    @property
    def live(self):
        return self.status in LIVE

    @property
    def strength(self):
        person = self.said_by == "person" or self.status == "confirmed"
        return (person, not self.inferred, 0.5 if self.confidence is None else self.confidence)


class Belief(RuleBasedStateMachine):
    """The store and the model, side by side."""

    def __init__(self):
        super().__init__()
        self.mem = opened(start=NOON)
        self.handles = {
            "dock-1": self.mem.agent("dock-1", fleet="dock", tenant=TENANT),
            "dock-2": self.mem.agent("dock-2", fleet="dock", tenant=TENANT),
            "shift-lead": self.mem.person("shift-lead", fleet="dock", tenant=TENANT),
        }
        self.rows: list[Row] = []

    def teardown(self):
        assert self.mem.audit.verify(deep=True).status == "complete"
        self.mem.close()

    # ---- the model

    def role(self, actor):
        return "person" if actor == "shift-lead" else "agent"

    def may(self, actor, row):
        if self.role(actor) == "person":
            return True
        return row.author == actor and row.said_by == "agent" and row.status != "confirmed"

    def decided(self, actor, new):
        """What becomes of a claim that wants to live: "held", "stays out" or "is there already"."""
        others = [row for row in self.rows if row is not new and row.memory_id != new.memory_id]
        if any(row.live and (row.author, row.object) == (new.author, new.object) for row in others):
            return "is there already"
        rivals = [row for row in others if row.live and row.object != new.object]
        if any(row.strength > new.strength for row in rivals):
            twins = [row for row in others if (row.author, row.object) == (new.author, new.object)]
            return "is there already" if any(row.status == "conflicted" for row in twins) else "stays out"
        for row in rivals:
            if row.strength < new.strength and self.may(actor, row):
                row.status = "outdated"
        return "held"

    # ---- what happens

    @rule(
        actor=st.sampled_from(ACTORS),
        object=st.sampled_from("abc"),
        confidence=st.sampled_from([None, 0.2, 0.5, 0.9]),
        inferred=st.booleans(),
    )
    def write(self, actor, object, confidence, inferred):
        new = Row("?", actor, object, confidence, inferred, self.role(actor))
        told = self.decided(actor, new)
        receipt = self.handles[actor].semantic.remember(
            f"{object} manages bay two",
            subject="bay two",
            predicate="manager",
            object=object,
            confidence=confidence,
            is_inferred=inferred,
        )
        assert (receipt.verdict == "duplicate") == (told == "is there already")
        if told != "is there already":
            new.memory_id = receipt.memory.memory_id
            new.status = "active" if told == "held" else "conflicted"
            self.rows.append(new)

    @precondition(lambda self: self.rows)
    @rule(actor=st.sampled_from(ACTORS), data=st.data(), object=st.sampled_from("abc"))
    def revise(self, actor, data, object):
        row = data.draw(st.sampled_from(self.rows))
        text = f"{object} manages bay two"
        try:
            receipt = self.handles[actor].semantic.revise(row.memory_id, content=text, object=object)
        except NotFound:
            assert not row.live
            return
        assert row.live
        same = (row.object, row.said_by) == (object, self.role(actor))
        new = Row(row.memory_id, row.author, object, row.confidence, row.inferred, self.role(actor))
        if same:
            assert receipt.verdict == "duplicate"
        elif not self.may(actor, row):
            assert receipt.verdict in ("staged", "duplicate")
        else:
            told = self.decided(actor, new)
            assert (receipt.verdict == "duplicate") == (told == "is there already")
            if told != "is there already":
                row.object, row.said_by = object, self.role(actor)
                row.status = "conflicted" if told == "stays out" else row.status

    @precondition(lambda self: self.rows)
    @rule(actor=st.sampled_from(ACTORS), data=st.data())
    def retract(self, actor, data):
        row = data.draw(st.sampled_from(self.rows))
        try:
            self.handles[actor].semantic.retract(row.memory_id, "misread")
        except NotFound:
            assert not row.live
            return
        assert row.live
        if self.may(actor, row):
            row.status = "cancelled"

    @precondition(lambda self: self.rows)
    @rule(actor=st.sampled_from(ACTORS), data=st.data(), status=st.sampled_from(list(Status)))
    def move(self, actor, data, status):
        row = data.draw(st.sampled_from(self.rows))
        legal = Role(self.role(actor)) in TRANSITIONS[Status(row.status)].get(status, ())
        try:
            receipt = self.handles[actor].set_status(row.memory_id, status, "as seen")
        except MemoryRefused:
            if not legal:
                return
            wanted = Row(**{**vars(row), "status": str(status)})
            assert self.decided(actor, wanted) == "stays out"
            return
        assert legal or row.status == status
        if row.status == status or not self.may(actor, row):
            assert receipt.verdict in ("duplicate", "staged")
            return
        judged = status in LIVE and (not row.live or status is Status.CONFIRMED)
        told = self.decided(actor, Row(**{**vars(row), "status": str(status)})) if judged else "held"
        assert (receipt.verdict == "duplicate") == (told == "is there already")
        if told == "held":
            row.status = str(status)

    # ---- what holds

    @invariant()
    def the_store_believes_what_the_model_does(self):
        found = {fact.memory_id: fact for fact in self.handles["dock-1"].semantic.list(limit=1000)}
        assert found.keys() == {row.memory_id for row in self.rows if row.live}
        for row in self.rows:
            now = self.handles["dock-2"].semantic.history(row.memory_id)[-1]
            assert (str(now.status), now.object) == (row.status, row.object)

    @invariant()
    def two_that_contradict_and_live_are_flagged_with_each_other_and_nothing_else_is(self):
        live = [row for row in self.rows if row.live]
        for row in live:
            others = {other.memory_id for other in live if other.object != row.object}
            assert self.handles["dock-1"].semantic.get(row.memory_id).flags.keys() == others

    @invariant()
    def the_graph_says_the_same(self):
        graph = {edge.object for edge in self.handles["dock-1"].graph.neighbours("bay two")}
        assert graph == {row.object for row in self.rows if row.live}


Belief.TestCase.settings = settings(max_examples=40, stateful_step_count=20, deadline=None)
TestBelief = Belief.TestCase


RACER = """
import sys, teachmem
path, kind, name = sys.argv[1:]
with teachmem.open_memory(path, vectors=None) as mem:
    handle = getattr(mem, kind)(name, fleet="dock", tenant="northlight")
    print("ready", flush=True)
    sys.stdin.readline()
    for number in range(15):
        handle.semantic.remember(
            f"{name} manages bay {number}", subject=f"bay {number}", predicate="manager", object=name
        )
print("done", flush=True)
"""


def race(path, *writers):
    processes = [start_python(RACER, path, kind, name) for kind, name in writers]
    try:
        for process in processes:
            assert process.stdout.readline().strip() == "ready"
        for process in processes:
            process.stdin.write("go\n")
            process.stdin.flush()
        for process in processes:
            assert process.stdout.readline().strip() == "done", process.stderr.read()
    finally:
        for process in processes:
            stop(process)


def standings(path):
    with teachmem.open_memory(path) as mem:
        reader = mem.agent("dock-9", fleet="dock", tenant=TENANT)
        assert mem.audit.verify(deep=True).status == "complete"
        found = {}
        for number in range(15):
            facts = reader.semantic.list(subject=f"bay {number}")
            found[number] = {fact.object: set(fact.flags) for fact in facts}
        return found


def test_two_processes_that_contradict_leave_the_stronger_alone_in_any_order(tmp_path):
    path = tmp_path / "store.db"
    teachmem.open_memory(path).close()
    race(path, ("agent", "dock-1"), ("person", "shift-lead"))
    assert set(map(str, standings(path).values())) == {"{'shift-lead': set()}"}


def test_two_processes_of_equals_leave_both_flagged(tmp_path):
    path = tmp_path / "store.db"
    teachmem.open_memory(path).close()
    race(path, ("agent", "dock-1"), ("agent", "dock-2"))
    for facts in standings(path).values():
        assert set(facts) == {"dock-1", "dock-2"}
        assert all(len(flags) == 1 for flags in facts.values())
    with teachmem.open_memory(path) as mem:
        lead = mem.person("shift-lead", fleet="dock", tenant=TENANT)
        assert len(lead.review.inbox()) == 15
