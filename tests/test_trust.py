"""Trust states: every move by every actor, and every status on every path that reads."""

import json
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime, timedelta
from itertools import product

import pytest
from helpers import connection, opened, refusal

from teachmem import states
from teachmem.errors import InvalidInput, MemoryRefused, NotFound
from teachmem.ledger import journal
from teachmem.principal import Principal
from teachmem.record import Memory
from teachmem.vocabulary import LIVE, TRANSITIONS, WITHHELD, Role, Status

NOON = datetime(2026, 3, 15, 12, tzinfo=UTC)
TENANT = "northlight"


@pytest.fixture
def mem():
    with opened(start=NOON) as memory:
        yield memory


@pytest.fixture
def tech(mem):
    return mem.agent("dock-1", fleet="dock", tenant=TENANT)


@pytest.fixture
def mate(mem):
    return mem.agent("dock-2", fleet="dock", tenant=TENANT)


@pytest.fixture
def lead(mem):
    return mem.person("shift-lead", fleet="dock", tenant=TENANT)


def put(mem, memory_id, **columns):
    """Write columns of a memory past every rule."""
    with connection(mem) as raw:
        told = ", ".join(f"{name} = ?" for name in columns)
        raw.execute(f"UPDATE memories SET {told} WHERE memory_id = ?", [*columns.values(), memory_id])
        raw.commit()
    mem.reindex()


def kept(mem, memory_id):
    """The status that the table holds for a memory now."""
    with connection(mem) as raw:
        statement = "SELECT status FROM memories WHERE memory_id = ? AND superseded_at IS NULL"
        return raw.execute(statement, [memory_id]).fetchone()[0]


def chains(mem):
    return mem.audit.verify().status


# ---- every move by every actor


PAIRS = list(product(Status, Status))


@pytest.mark.parametrize("role", Role)
@pytest.mark.parametrize(("before", "after"), PAIRS)
def test_the_pen_lets_a_move_pass_exactly_if_the_table_has_it(mem, tech, role, before, after):
    memory_id = tech.semantic.remember("bay two is shut").memory.memory_id
    put(mem, memory_id, status=str(before))
    who = Principal(TENANT, "dock", "shift-lead" if role is Role.PERSON else "dock-1", role)
    legal = before is after or role in TRANSITIONS[before].get(after, ())
    assert (after in states.legal(role, before)) == (legal and before is not after)

    def move():
        with mem._database.write() as tx, journal.change(tx, who, mem.clock, mem._kit.gate.ids) as act:
            act.replace(memory_id, status=str(after))
            act.entry("test.move", memory_id)

    if legal:
        move()
        assert kept(mem, memory_id) == after
        return
    error = refusal(mem, move)
    assert isinstance(error, MemoryRefused)
    assert error.receipt.steps[-1].check == "transition"
    named = str(error).rpartition("it may move it to ")[2].split(", ")
    assert named == [str(status) for status in states.legal(role, before)] or named == ["nothing else"]


@pytest.mark.parametrize(("before", "after"), PAIRS)
@pytest.mark.parametrize("actor", ["author", "person", "other"])
def test_the_door_for_moves_by_hand_obeys_the_table_and_the_owner(
    mem, tech, mate, lead, actor, before, after
):
    memory_id = tech.semantic.remember("bay two is shut").memory.memory_id
    put(mem, memory_id, status=str(before))
    handle = {"author": tech, "person": lead, "other": mate}[actor]
    role = handle.principal.role
    if before is not after and role not in TRANSITIONS[before].get(after, ()):
        error = refusal(mem, lambda: handle.set_status(memory_id, after, "as seen"))
        assert "transition" in str(error)
        return
    receipt = handle.set_status(memory_id, str(after), "as seen")
    if before is after:
        assert (receipt.verdict, receipt.audit_seq) == ("duplicate", None)
    elif actor == "other" or (actor == "author" and before is Status.CONFIRMED):
        assert (receipt.verdict, kept(mem, memory_id)) == ("staged", before)
    else:
        assert (receipt.memory.status, receipt.memory.version) == (after, 2)
        assert receipt.memory.detail["status_because"] == "as seen"
        readable = memory_id in {fact.memory_id for fact in tech.semantic.list()}
        assert readable == (after in LIVE)


def test_the_table_lets_only_people_confirm_and_bring_back_what_was_withdrawn():
    for before, moves in TRANSITIONS.items():
        for after, roles in moves.items():
            if after is Status.CONFIRMED:
                assert roles == (Role.PERSON,)
            if before in (Status.CANCELLED, Status.DELETED, Status.CONFLICTED) and after in LIVE:
                assert roles == (Role.PERSON,)
            assert not (Role.SYSTEM in roles and (after in LIVE or after is Status.DELETED))
    assert set(TRANSITIONS) == set(Status)


def test_a_move_is_reversible_audited_and_its_words_stay_out_of_the_chain(mem, tech):
    memory_id = tech.semantic.remember("bay two is shut").memory.memory_id
    tech.set_status(memory_id, "archived", "walrus onyx")
    assert not tech.semantic.search("bay two")
    tech.set_status(memory_id, "active", "needed again")
    assert tech.semantic.search("bay two")[0].memory.version == 3
    with connection(mem) as raw:
        bodies = [json.loads(row[0]) for row in raw.execute("SELECT body FROM audit ORDER BY seq")]
    assert [(body["before"], body["after"]) for body in bodies[1:]] == [
        ("active", "archived"),
        ("archived", "active"),
    ]
    assert not any("walrus" in json.dumps(body) for body in bodies)
    assert mem.audit.verify(deep=True).status == "complete"


def test_what_comes_back_may_be_no_duplicate_and_no_weaker_claim(mem, tech, lead):
    first = tech.semantic.remember("bay two is shut").memory.memory_id
    tech.set_status(first, "archived", "old")
    second = tech.semantic.remember("bay two is shut").memory.memory_id
    again = tech.set_status(first, "active", "needed")
    assert (again.verdict, again.memory.memory_id) == ("duplicate", second)

    said = {"subject": "bay two", "predicate": "manager"}
    weak = tech.semantic.remember("a manages bay two", object="a", **said).memory.memory_id
    lead.semantic.remember("b manages bay two", object="b", **said)
    assert kept(mem, weak) == "outdated"
    error = refusal(mem, lambda: lead.set_status(weak, "active", "as before"))
    assert "says otherwise" in str(error)
    told = lead.set_status(weak, "confirmed", "seen on the roster")
    assert told.memory.status == "confirmed"
    assert {fact.object for fact in tech.semantic.list(predicate="manager")} == {"a", "b"}


def test_a_confirmation_ends_a_contradiction_of_equals(mem, tech, mate, lead):
    said = {"subject": "bay two", "predicate": "manager"}
    one = tech.semantic.remember("a manages bay two", object="a", **said).memory.memory_id
    other = mate.semantic.remember("b manages bay two", object="b", **said).memory.memory_id
    lead.set_status(other, "confirmed", "seen on the roster")
    assert kept(mem, one) == "outdated"
    assert not tech.semantic.get(other).flags
    assert chains(mem) == "complete"


def test_a_tombstone_keeps_a_move_back_out_too(mem, tech, lead):
    memory_id = tech.semantic.remember("The door code is 4411").memory.memory_id
    lead.semantic.reject(memory_id, "never share codes")
    with pytest.raises(MemoryRefused, match="tombstone"):
        lead.set_status(memory_id, "active", "needed")


def test_what_a_person_said_confirmed_or_pinned_an_agent_changes_by_asking_only(mem, tech, lead):
    def own(text):
        return tech.semantic.remember(text).memory.memory_id

    said, confirmed, pinned = own("bay one is shut"), own("bay two is shut"), own("bay three is shut")
    lead.semantic.revise(said, content="bay one is open")
    lead.set_status(confirmed, "confirmed", "seen")
    lead.keystone(pinned)
    for memory_id in (said, confirmed, pinned):
        assert tech.semantic.revise(memory_id, content=f"{memory_id} is sold").verdict == "staged"
        assert tech.semantic.retract(memory_id, "misread").verdict == "staged"
        assert tech.semantic.retract(memory_id, "misread").verdict == "duplicate"
    outcome = tech.report_outcome("failure", "the gripper slipped").memory.memory_id
    assert tech.set_status(outcome, "cancelled", "no failure of mine").verdict == "staged"


def test_a_request_to_move_is_done_when_a_person_approves(mem, tech, mate, lead):
    memory_id = tech.semantic.remember("bay two is shut").memory.memory_id
    asked = mate.set_status(memory_id, "archived", "long ago")
    assert mate.set_status(memory_id, "archived", "long ago").candidate_id == asked.candidate_id
    (item,) = lead.review.inbox()
    assert item.changes == (f"moves {memory_id} to archived: long ago",)
    lead.review.approve(item)
    assert kept(mem, memory_id) == "archived"
    assert chains(mem) == "complete"


@pytest.mark.parametrize(
    ("status", "reason", "error"),
    [
        ("gone", "x", InvalidInput),
        (None, "x", InvalidInput),
        ("archived", " ", InvalidInput),
        ("archived", None, InvalidInput),
    ],
)
def test_an_odd_move_is_refused_in_our_own_words(mem, tech, status, reason, error):
    memory_id = tech.semantic.remember("bay two is shut").memory.memory_id
    assert isinstance(refusal(mem, lambda: tech.set_status(memory_id, status, reason)), error)


@pytest.mark.parametrize("memory_id", ["no-such", "", None, 5, "\ud800", "a\x00"])
def test_a_memory_that_is_not_there_is_not_found(mem, tech, lead, memory_id):
    for act in (lambda: tech.set_status(memory_id, "archived", "x"), lambda: lead.keystone(memory_id)):
        assert isinstance(refusal(mem, act), NotFound)


def test_a_retried_move_is_answered_once(mem, tech):
    memory_id = tech.semantic.remember("bay two is shut").memory.memory_id
    first = tech.set_status(memory_id, "archived", "old", request_id="r1")
    assert tech.set_status(memory_id, "archived", "old", request_id="r1").audit_seq == first.audit_seq


# ---- every status on every path that reads


def memories_in(answer):
    """Yield every memory in an answer of any shape."""
    if isinstance(answer, Memory):
        yield answer
    elif is_dataclass(answer) and not isinstance(answer, type):
        for field in fields(answer):
            yield from memories_in(getattr(answer, field.name))
    elif isinstance(answer, dict):
        for value in answer.values():
            yield from memories_in(value)
    elif isinstance(answer, list | tuple | set | frozenset):
        for value in answer:
            yield from memories_in(value)


WORDS = "zebra quartz"

# Every public method of a handle that reads, by name; the others are named too, so that a new one is met.
READS = {
    "working.read": lambda h: h.working.read(),
    "working.context": lambda h: h.working.context("zebra").lines,
    "working.stats": lambda h: h.working.stats()["notes"],
    "episodic.recall": lambda h: h.episodic.recall("zebra", k=50),
    "episodic.recent": lambda h: h.episodic.recent(50),
    "episodic.since": lambda h: h.episodic.since(NOON - timedelta(days=1)),
    "episodic.stats": lambda h: h.episodic.stats()["events"],
    "semantic.search": lambda h: h.semantic.search("zebra", k=50),
    "semantic.search_documents": lambda h: h.semantic.search_documents("zebra", k=50),
    "semantic.get": lambda h: h.semantic.get(h.ids["fact"]),
    "semantic.list": lambda h: h.semantic.list(),
    "semantic.stats": lambda h: h.semantic.stats()["facts"],
    "graph.neighbours": lambda h: h.graph.neighbours("zebra"),
    "graph.path": lambda h: h.graph.path("zebra", "quartz"),
    "graph.edges": lambda h: h.graph.edges(),
    "graph.stats": lambda h: h.graph.stats()["edges"],
    "keystones": lambda h: h.keystones(),
}
OTHER_WAYS = {
    "episodic.recall, hybrid": lambda h: h.episodic.recall("zebra", k=50, relevance="hybrid"),
    "semantic.search, one kind": lambda h: h.semantic.search("zebra", k=50, kinds=["fact"]),
    "semantic.list, documents": lambda h: h.semantic.list(kind="document"),
    "semantic.get, document": lambda h: h.semantic.get(h.ids["document"]),
}


def filled(mem):
    """One memory a tier and kind of read, all with the same words; return a handle and their ids by name."""
    steward = mem.person("data-officer", fleet="dock", tenant=TENANT, clearance=3)
    tech = mem.agent("dock-1", fleet="dock", tenant=TENANT)
    row = {"id": "NL-0001", "name": "Zebra", "model": "Quartz", "category": "arm", "summary": WORDS}
    ids = {
        "note": tech.working.write("zebra", "observed", "quartz", WORDS).memory.memory_id,
        "event": tech.episodic.log("observation", WORDS).memory.memory_id,
        "fact": tech.graph.link("zebra", "contains", "quartz", WORDS).memory.memory_id,
        "document": steward.load_catalogue([row])[0].memory.memory_id,
    }
    for memory_id in ids.values():
        steward.keystone(memory_id)
    tech.ids = ids
    return tech


def answered(handle, read):
    """How many memories a read returns; a count counts for itself."""
    try:
        answer = read(handle)
    except NotFound:
        return 0
    return answer if isinstance(answer, int) else len(list(memories_in(answer or ())))


@pytest.mark.parametrize("name", [*READS, *OTHER_WAYS])
def test_a_read_returns_the_live_three_and_none_of_the_withheld_five(mem, name):
    tech = filled(mem)
    read = {**READS, **OTHER_WAYS}[name]
    for status in Status:
        for memory_id in tech.ids.values():
            put(mem, memory_id, status=str(status))
        assert bool(answered(tech, read)) == (status in LIVE), status


@pytest.mark.parametrize("name", [*READS, *OTHER_WAYS])
def test_a_read_leaves_out_what_has_expired_without_any_sweep(mem, name):
    tech = filled(mem)
    read = {**READS, **OTHER_WAYS}[name]
    end = NOON + timedelta(hours=1)
    for memory_id in tech.ids.values():
        put(mem, memory_id, expires_at=int(end.timestamp() * 1_000_000))
    mem.clock.set(end - timedelta(microseconds=1))
    assert answered(tech, read)
    mem.clock.set(end)
    assert not answered(tech, read)


NULLABLE = [
    "salt",
    "importance",
    "confidence",
    "valid_from",
    "valid_to",
    "expires_at",
    "twin_key",
    "claim_key",
]


@pytest.mark.parametrize("name", [*READS, *OTHER_WAYS])
def test_a_missing_field_hides_no_live_memory_and_shows_no_withheld_one(mem, name):
    tech = filled(mem)
    read = {**READS, **OTHER_WAYS}[name]
    for memory_id in tech.ids.values():
        put(mem, memory_id, **dict.fromkeys(NULLABLE))
    assert answered(tech, read)
    for status in WITHHELD:
        for memory_id in tech.ids.values():
            put(mem, memory_id, status=str(status))
        assert not answered(tech, read)


# What a handle offers beside reads: it writes, decides, explains, or is looked at elsewhere.
NOT_READS = {
    "working.write",
    "working.clear",
    "episodic.log",
    "semantic.remember",
    "semantic.remember_many",
    "semantic.revise",
    "semantic.retract",
    "semantic.history",
    "semantic.reject",
    "graph.link",
    "graph.unlink",
    "set_status",
    "report_outcome",
}


def test_every_read_of_the_three_stores_and_the_graph_is_in_the_table(mem, tech, lead):
    found = set()
    for handle in (tech, lead):
        for part in ("working", "episodic", "semantic", "graph"):
            tier = getattr(handle, part)
            found |= {f"{part}.{name}" for name in dir(tier) if not name.startswith("_")}
    assert found == {name for name in {*READS, *NOT_READS} if "." in name}


# ---- keystones


def test_a_keystone_is_set_by_a_person_of_its_fleet_and_outlives_a_revision(mem, tech, lead):
    memory_id = tech.semantic.remember("never lift the guard").memory.memory_id
    assert not hasattr(tech, "keystone")
    receipt = lead.keystone(memory_id)
    assert receipt.memory.keystone
    assert [memory.memory_id for memory in tech.keystones()] == [memory_id]
    assert lead.keystone(memory_id).verdict == "duplicate"
    lead.semantic.revise(memory_id, content="never lift the guard of an arm")
    assert tech.keystones()[0].content == "never lift the guard of an arm"
    lead.keystone(memory_id, on=False)
    assert tech.keystones() == []
    with connection(mem) as raw:
        actions = [row[0] for row in raw.execute("SELECT action FROM audit ORDER BY seq")]
    assert [action for action in actions if "keystone" in action] == ["keystone.set", "keystone.unset"]

    line = mem.agent("line-3", fleet="line", tenant=TENANT).semantic.remember("x is y").memory.memory_id
    far = mem.person("dock-lead", fleet="dock", tenant=TENANT, clearance=2)
    assert isinstance(refusal(mem, lambda: far.keystone(line)), MemoryRefused)
    assert isinstance(refusal(mem, lambda: lead.keystone(line)), NotFound)
    assert mem.person("officer", fleet="lab", tenant=TENANT, clearance=3).keystone(line).memory.keystone
    assert isinstance(refusal(mem, lambda: lead.keystone(memory_id, on="yes")), InvalidInput)


# ---- outcomes


def test_an_outcome_is_written_by_the_system_for_its_reporter_and_linked_to_what_was_used(mem, tech, mate):
    fact = tech.semantic.remember("pad B holds wet boards").memory.memory_id
    mine = tech.semantic.remember("my shorthand", visibility="agent").memory.memory_id
    receipt = tech.report_outcome("failure", "the board slipped from pad B", [fact], "s7")
    event = receipt.memory
    assert (event.kind, event.agent, event.source, event.session) == ("outcome", "dock-1", "inferred", "s7")
    assert event.detail["outcome"] == "failure"
    assert event in mate.episodic.recent(5)
    with connection(mem) as raw:
        links = raw.execute("SELECT child, parent, relation FROM derivations").fetchall()
        actor = json.loads(raw.execute("SELECT body FROM audit ORDER BY seq DESC").fetchone()[0])["actor"]
    assert links == [(event.memory_id, fact, "used")]
    assert actor == {"role": "system", "fleet": "dock", "name": "dock-1"}

    private = tech.report_outcome("partial", "it worked once", [mine])
    assert private.memory.visibility == "agent"  # no wider than what was used
    tech.semantic.retract(fact, "misread")
    assert not tech.episodic.recent(5)[0].flags
    assert tech.report_outcome("failure", "again", [fact]).verdict == "accepted"

    for bad in (
        lambda: tech.report_outcome("won", "x"),
        lambda: tech.report_outcome("success", " "),
        lambda: tech.report_outcome("success", "x", ["no-such"]),
        lambda: mate.report_outcome("success", "x", [mine]),
        lambda: tech.report_outcome("success", "x", "fact-0001"),
        lambda: mem.agent("dock-1", fleet="dock", tenant=TENANT, clearance=0).report_outcome("success", "x"),
    ):
        refusal(mem, bad)


# ---- reserved kinds


@pytest.mark.parametrize("kind", ["rule", "insight", "outcome"])
def test_reserved_kinds_are_refused_at_every_door(mem, tech, lead, kind):
    fact = tech.semantic.remember("bay two is shut").memory.memory_id
    for handle in (tech, lead):
        for act in (
            lambda handle=handle: handle.semantic.remember("x is y", kind=kind),
            lambda handle=handle: handle.semantic.revise(fact, kind=kind),
            lambda handle=handle: handle.graph.link("a", "contains", "b", kind=kind),
            lambda handle=handle: handle.episodic.log(kind, "x is y"),
        ):
            assert isinstance(refusal(mem, act), MemoryRefused)
        (receipt,) = handle.semantic.remember_many([{"content": "x is y", "kind": kind}])
        assert receipt.verdict == "refused"
