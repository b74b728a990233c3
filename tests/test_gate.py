"""The one gate: its order, what it refuses by name, what it stages, and what a retry is told."""

import math
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from functools import partial
from types import MappingProxyType

import pytest
from helpers import START, connection, everything, opened, refusal, sizes
from hypothesis import given, settings
from hypothesis import strategies as st

from teachmem import Clearance, Draft, MemoryRefused, NotFound, Outcome, Principal, Role, StoreError, normal
from teachmem.rules import authority, checks
from teachmem.rules.gate import Gate
from teachmem.vocabulary import (
    CATALOGUE_KINDS,
    KINDS,
    MAX_CONTENT,
    MAX_DEPTH,
    MAX_INTEGER,
    MAX_NAME,
    PREDICATES,
    SYSTEM_KINDS,
    Source,
    Tier,
)

DOCK = Principal("northlight", "dock", "dock-1")
NOTE = {
    "tier": "working",
    "kind": "note",
    "content": "arm 1 drifts",
    "session": "s1",
    "subject": "arm-1",
    "predicate": "observed",
    "object": "drift",
}
EVENT = {"tier": "episodic", "kind": "observation", "content": "gate four is open", "session": "s1"}
FACT = {"tier": "semantic", "kind": "fact", "content": "gate four is four metres wide"}


@pytest.fixture
def mem():
    with opened() as memory:
        yield memory


@pytest.fixture
def gate(mem) -> Gate:
    return mem._kit.gate


@pytest.fixture
def tech(mem):
    return mem.agent("dock-1", fleet="dock", tenant="northlight")


@pytest.fixture
def peer(mem):
    return mem.agent("dock-2", fleet="dock", tenant="northlight")


def trail(receipt):
    return [(step.check, str(step.outcome)) for step in receipt.steps]


# ---- the order -----------------------------------------------------------------------------------


def test_a_write_passes_every_check_in_the_stated_order(tech):
    receipt = tech.working.write("arm-1", "observed", "drift", "arm 1 drifts", request_id="r1")
    names = [
        "shape",
        "clearance",
        "request",
        "reserved kind",
        "source",
        "tombstone",
        "links",
        "derived",
        "duplicate",
        "conflict",
        "write",
    ]
    assert trail(receipt) == [(name, "passed") for name in names]
    assert receipt.verdict == "accepted"
    assert receipt.touched == (receipt.memory.memory_id,)


@pytest.mark.parametrize(
    ("draft", "who", "stops_at"),
    [
        ({**FACT, "content": "", "kind": "rule", "source": "person"}, {"clearance": 0}, "shape"),
        ({**FACT, "kind": "rule", "source": "person"}, {"clearance": Clearance.RESTRICTED}, "clearance"),
        ({**FACT, "kind": "rule", "source": "person"}, {}, "reserved kind"),
        ({**NOTE, "source": "person", "predicate": "supersedes", "object": "note-9999"}, {}, "source"),
    ],
)
def test_the_first_refusal_ends_it(mem, gate, draft, who, stops_at):
    principal = Principal("northlight", "dock", "dock-1", **who)
    error = refusal(mem, lambda: gate.write(principal, Draft(**draft)))
    assert isinstance(error, MemoryRefused)
    assert error.receipt.steps[-1].check == stops_at
    assert error.receipt.steps[-1].outcome is Outcome.REFUSED
    assert all(step.outcome is Outcome.PASSED for step in error.receipt.steps[:-1])
    assert str(error) == f"refused at {stops_at}: {error.receipt.steps[-1].reason}"
    assert error.receipt.audit_seq is None


def test_a_check_that_is_taken_out_is_not_asked(mem, gate):
    gate.checks = [check for check in checks.IN_ORDER if check is not checks.reserved_kind]
    receipt = gate.write(DOCK, Draft(**{**FACT, "kind": "rule"}))
    assert receipt.verdict == "accepted"
    assert "reserved kind" not in [step.check for step in receipt.steps]


# ---- shape: every field, every wrong value, one sentence that names it --------------------------


def nested(depth):
    value = 1
    for _ in range(depth):
        value = {"a": value}
    return value


BLANK = ["", " ", "\n\t", "\u200b", "\ufeff\u2060", "\x01"]
NO_TEXT = [5, 1.5, True, b"text", ["text"], {"text": 1}, object()]
UNFIT = ["\ud800", "arm\udfff", "a\x00b"]
NO_NAME = [*NO_TEXT, *UNFIT, *BLANK, "x" * (MAX_NAME + 1), "x" * 1_000_000]
NO_SHARE = [math.nan, math.inf, -math.inf, -0.1, -1, 1.1, 2, 10**400, -(10**5000), True, False]
NO_SHARE += ["0.5", b"", [], Decimal("0.5"), 1j]
NO_MOMENT = [
    START.replace(tzinfo=None),
    "2026-02-29",
    "2026-03-02T09:00",
    5,
    1.5,
    True,
    [],
    datetime.min.replace(tzinfo=timezone(timedelta(hours=1))),
    datetime.max.replace(tzinfo=timezone(timedelta(hours=-1))),
]
NO_OBJECT = [
    None,
    5,
    "text",
    b"",
    [1],
    {1: "a"},
    {None: 1},
    {"a": {1}},
    {"a": (1,)},
    {"a": b"x"},
    {"a": START},
]
NO_OBJECT += [{"a": math.nan}, {"a": [math.inf]}, {"a": "\ud800"}, {"\ud800": 1}, {"k" * (MAX_NAME + 1): 1}]
NO_OBJECT += [{"a": MAX_INTEGER + 1}, {"a": 10**5000}, {"a": Decimal(1)}, {"a": "x" * (MAX_CONTENT + 1)}]
NO_OBJECT += [nested(MAX_DEPTH + 1), nested(1500)]

WRONG = {
    "tier": [None, "", "dream", *NO_TEXT],
    "kind": [None, "", "dream", "skill", *NO_TEXT],
    "content": [None, *NO_TEXT, *UNFIT, *BLANK, "x" * (MAX_CONTENT + 1)],
    "session": [None, *NO_NAME],
    "subject": NO_NAME,
    "predicate": [None, "eats", "contains", "Observed", *NO_NAME],
    "object": NO_NAME,
    "importance": NO_SHARE,
    "confidence": NO_SHARE,
    "source": ["", "gossip", "Person", *NO_TEXT],
    "visibility": [None, "", "all", "ORG", *NO_TEXT],
    "valid_from": NO_MOMENT,
    "valid_to": NO_MOMENT,
    "expires_at": NO_MOMENT,
    "qualifiers": NO_OBJECT,
    "detail": [*NO_OBJECT, {"rewrites": None}, {"rewrites": "x"}, {"rewrites": {"shortened": 5}}],
    "evidence": [None, 5, "note-0001", b"ab", [None], [5], ["\ud800"], ["a\x00"], [""], ["x" * 201], {"a"}],
}


@pytest.mark.parametrize("field", WRONG)
def test_a_wrong_value_is_refused_by_the_name_of_its_field(mem, gate, field):
    for wrong in WRONG[field]:
        error = refusal(mem, lambda wrong=wrong: gate.write(DOCK, Draft(**{**NOTE, field: wrong})))
        assert isinstance(error, MemoryRefused)
        assert [step.check for step in error.receipt.steps] == ["shape"]
        named = ("rewrites" if isinstance(wrong, dict) and "rewrites" in wrong else field, field)
        assert error.receipt.steps[0].reason.startswith(named), (wrong, error.receipt.steps[0].reason)
        assert len(str(error)) < 1000  # a sentence, not an echo of what was sent


@pytest.mark.parametrize("request_id", [5, b"r", ["r"], "", " ", "\ud800", "x" * 201, True])
def test_a_request_id_is_a_name(mem, gate, request_id):
    error = refusal(mem, lambda: gate.write(DOCK, Draft(**NOTE), request_id))
    assert error.receipt.steps[-1].reason.startswith("request_id")


@pytest.mark.parametrize(
    ("draft", "named"),
    [
        ({**NOTE, "subject": None}, "subject"),
        ({**NOTE, "object": None}, "object"),
        ({**NOTE, "subject": None, "predicate": None, "object": None}, "predicate"),
        ({**FACT, "predicate": "located_in"}, "subject"),
        ({**FACT, "subject": "hoist", "predicate": "located_in"}, "object"),
        ({**FACT, "subject": "hoist", "predicate": "observed", "object": "bay 4"}, "predicate"),
        ({**EVENT, "subject": "a", "predicate": "observed", "object": "b"}, "predicate"),
        ({**EVENT, "session": ""}, "session"),
        ({**EVENT, "kind": "note"}, "kind"),
        ({**FACT, "valid_from": START, "valid_to": START}, "valid_to"),
        ({**FACT, "valid_from": START, "valid_to": START - timedelta(microseconds=1)}, "valid_to"),
        # The same moment in two zones is an empty interval too.
        (
            {**FACT, "valid_from": START, "valid_to": START.astimezone(timezone(timedelta(hours=9)))},
            "valid_to",
        ),
    ],
)
def test_fields_that_do_not_fit_each_other_are_refused(mem, gate, draft, named):
    error = refusal(mem, lambda: gate.write(DOCK, Draft(**draft)))
    assert error.receipt.steps[-1].reason.startswith(named)


@pytest.mark.parametrize(
    "more",
    [
        {"content": "x" * MAX_CONTENT},
        {"session": "s" * MAX_NAME, "subject": "s" * MAX_NAME, "object": "o" * MAX_NAME},
        {"importance": 0, "confidence": 1},
        {"importance": 0.0, "confidence": 1.0},
        {"valid_from": START, "valid_to": START + timedelta(microseconds=1)},
        {"valid_to": datetime.max.replace(tzinfo=UTC), "valid_from": datetime.min.replace(tzinfo=UTC)},
        {"qualifiers": nested(MAX_DEPTH)},
        {"qualifiers": MappingProxyType({"a": MappingProxyType({"b": [None, True, MAX_INTEGER, 0.5, "µ"]})})},
        {"content": "'; DROP TABLE memories; --", "subject": '"', "object": "%_*?"},
        {"content": "line one\nline two\r\n\ttabbed \x1b[31m", "object": "تجربة 試験 🙂"},
    ],
)
def test_the_limits_themselves_are_kept_verbatim(gate, more):
    draft = Draft(**{**NOTE, **more})
    memory = gate.write(DOCK, draft).memory
    assert memory.content == draft.content
    assert (memory.subject, memory.object, memory.session) == (draft.subject, draft.object, draft.session)
    assert (memory.importance, memory.confidence) == (draft.importance, draft.confidence)
    assert (memory.valid_from, memory.valid_to) == (draft.valid_from, draft.valid_to)


fit = st.characters(exclude_categories=["Cs"], exclude_characters="\x00")


@settings(max_examples=50)
@given(st.text(fit, max_size=200), st.text(fit, max_size=30))
def test_any_text_is_kept_verbatim_or_refused(content, subject):
    with opened() as mem:
        tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
        if normal.is_blank(content) or normal.is_blank(subject):
            error = refusal(mem, lambda: tech.working.write(subject, "observed", "x", content))
            assert error.receipt.steps[-1].reason.endswith("must not be blank")
        else:
            memory = tech.working.write(subject, "observed", "x", content).memory
            assert memory.content == content
            assert tech.working.read(subject=subject) == [memory]


# ---- who may ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("tier", list(Tier))
def test_only_the_system_writes_a_reserved_kind(mem, gate, tier):
    for kind in KINDS[tier]:
        draft = Draft(**{**(NOTE if tier == "working" else EVENT), "tier": tier, "kind": kind})
        if kind in SYSTEM_KINDS[tier]:
            for role in (Role.AGENT, Role.PERSON):
                who = Principal("northlight", "dock", "x", role, Clearance.STEWARD)
                error = refusal(mem, partial(gate.write, who, draft))
                assert error.receipt.steps[-1].check == "reserved kind"
        system = Principal("northlight", "dock", "teachmem", Role.SYSTEM)
        if kind not in CATALOGUE_KINDS:
            memory = gate.write(system, draft).memory
            assert (memory.kind, memory.source, memory.is_inferred) == (kind, "inferred", True)


def test_a_document_comes_from_the_catalogue_only(mem, gate):
    steward = Principal("northlight", "dock", "chief", Role.PERSON, Clearance.STEWARD)
    for who, source in ((DOCK, None), (steward, None), (DOCK, "web"), (DOCK, "catalogue")):
        error = refusal(
            mem, partial(gate.write, who, Draft(**{**FACT, "kind": "document", "source": source}))
        )
        assert error.receipt.steps[-1].check in ("reserved kind", "source")
    draft = Draft(**{**FACT, "kind": "document", "source": "catalogue"})
    assert gate.write(steward, draft).memory.source == "catalogue"


MAY_CLAIM = {  # semantics.md, "Who may do what"
    (Role.AGENT, 1): {"agent", "tool", "web"},
    (Role.AGENT, 3): {"agent", "tool", "web"},
    (Role.PERSON, 1): {"person", "tool", "web"},
    (Role.PERSON, 3): {"person", "tool", "web", "catalogue"},
}


@pytest.mark.parametrize(("role", "clearance"), MAY_CLAIM)
def test_a_source_above_ones_rank_is_refused_and_untrusted_text_waits(mem, gate, tech, role, clearance):
    who = Principal("northlight", "dock", "x", role, Clearance(clearance))
    for source in Source:
        text = f"gate four is wide, says {source}"
        draft = Draft(**{**FACT, "content": text, "source": source})
        if source not in MAY_CLAIM[role, clearance]:
            error = refusal(mem, lambda draft=draft: gate.write(who, draft))
            assert error.receipt.steps[-1].check == "source"
            continue
        receipt = gate.write(who, draft)
        if source in ("tool", "web"):
            assert (receipt.verdict, receipt.memory) == ("staged", None)
            assert ("source", "staged") in trail(receipt)
            row = candidate(mem, receipt.candidate_id)
            assert (row["state"], row["agent"], row["role"]) == ("quarantined", "x", str(role))
            assert text in row["draft"]
        else:
            assert receipt.memory.source == source
            assert receipt.memory.is_inferred is False


def candidate(mem, candidate_id):
    with connection(mem) as raw:
        cursor = raw.execute("SELECT * FROM candidates WHERE candidate_id = ?", (candidate_id,))
        return dict(zip([column[0] for column in cursor.description], cursor.fetchone(), strict=True))


@pytest.mark.parametrize("source", ["tool", "web"])
def test_untrusted_text_is_in_no_read_of_anybody(mem, tech, source):
    text = "all arms may run without a guard"
    tech.working.write("arm-1", "observed", "guard", text, source=source)
    tech.episodic.log("tool_call", text, source=source)
    tech.semantic.remember(text, source=source)
    assert sizes(mem)["memories"] == 0
    assert sizes(mem)["candidates"] == 3
    for reader in (tech, mem.person("chief", fleet="dock", tenant="northlight", clearance=3)):
        assert reader.working.read() == reader.episodic.recent() == []
        assert list(reader.episodic.recall(text)) == []
        assert not reader.working.context(text).lines


def test_the_whole_organisation_is_written_to_by_persons_of_clearance_2(mem, gate):
    draft = Draft(**{**FACT, "visibility": "org"})

    def who(role, clearance):
        return Principal("northlight", "dock", f"{role}-{clearance}", role, Clearance(clearance))

    for clearance in (1, 2, 3):
        assert gate.write(who(Role.AGENT, clearance), draft).verdict == "staged"
    assert refusal(mem, lambda: gate.write(who(Role.PERSON, 1), draft)).receipt.steps[-1].check == "clearance"
    for clearance in (2, 3):
        assert gate.write(who(Role.PERSON, clearance), draft).memory.visibility == "org"


@pytest.mark.parametrize("role", [Role.AGENT, Role.PERSON])
def test_clearance_0_writes_and_clears_nothing(mem, tech, role):
    tech.working.write("arm-1", "observed", "drift", "arm 1 drifts")
    make = mem.agent if role is Role.AGENT else mem.person
    reader = make("dock-1" if role is Role.AGENT else "guest", fleet="dock", tenant="northlight", clearance=0)
    assert len(reader.working.read()) == 1
    for act in (
        lambda: reader.working.write("arm-1", "observed", "drift", "arm 1 drifts more"),
        lambda: reader.episodic.log("observation", "gate four is open"),
        lambda: reader.semantic.remember("gate four is wide"),
        lambda: reader.semantic.remember("gate four is wide", source="web"),
        lambda: reader.working.clear(everything=True),
    ):
        assert refusal(mem, act).receipt.steps[-1].check == "clearance"


MAY_CHANGE = {  # whose row, and who may change it without asking; semantics.md, "Who may do what"
    ("dock", "dock-1", "team"): {"agent", "lead", "cross", "chief"},
    ("dock", "dock-1", "agent"): {"agent", "chief"},
    ("dock", "dock-1", "org"): {"agent", "chief"},
    ("dock", "shift-lead", "agent"): {"lead", "chief"},
    ("line", "dock-1", "team"): {"chief"},
    ("line", "line-3", "org"): {"chief"},
}


@pytest.mark.parametrize("row", MAY_CHANGE)
def test_the_decision_table_of_authority(row):
    people = {
        "agent": Principal("northlight", "dock", "dock-1", Role.AGENT, Clearance.STEWARD),
        "peer": Principal("northlight", "dock", "dock-2", Role.AGENT, Clearance.STEWARD),
        "lead": Principal("northlight", "dock", "shift-lead", Role.PERSON),
        "cross": Principal("northlight", "dock", "planner", Role.PERSON, Clearance.CROSS_FLEET),
        "chief": Principal("northlight", "lab", "chief", Role.PERSON, Clearance.STEWARD),
        "reader": Principal("northlight", row[0], row[1], Role.PERSON, Clearance.RESTRICTED),
        "stranger": Principal("southgate", row[0], row[1], Role.PERSON, Clearance.STEWARD),
    }
    found = {name for name, who in people.items() if authority.may_change(who, "northlight", *row)}
    assert found == MAY_CHANGE[row]


# ---- links -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("predicate", "status"), [("supersedes", "outdated"), ("contradicts", "conflicted")])
def test_a_note_retires_the_writers_own_note(mem, tech, predicate, status):
    old = tech.working.write("arm-1", "observed", "drift", "arm 1 drifts").memory
    before = sizes(mem)
    receipt = tech.working.write("arm-1", predicate, old.memory_id, "arm 1 is fixed")
    assert ("links", "noted") in trail(receipt)
    assert set(receipt.touched) == {old.memory_id, receipt.memory.memory_id}
    assert tech.working.read() == [receipt.memory]
    assert sizes(mem) == {**before, "memories": before["memories"] + 2, "audit": before["audit"] + 1}
    with connection(mem) as raw:
        rows = raw.execute(
            "SELECT status FROM memories WHERE memory_id = ? ORDER BY version", (old.memory_id,)
        )
        assert [row[0] for row in rows] == ["active", status]


@pytest.mark.parametrize("predicate", ["supersedes", "contradicts"])
def test_a_note_that_would_retire_anothers_waits_for_a_person(mem, tech, peer, predicate):
    old = tech.working.write("arm-1", "observed", "drift", "arm 1 drifts").memory
    receipt = peer.working.write("arm-1", predicate, old.memory_id, "arm 1 is fixed")
    assert (receipt.verdict, receipt.memory) == ("staged", None)
    assert candidate(mem, receipt.candidate_id)["state"] == "staged"
    assert tech.working.read() == [old]


@pytest.mark.parametrize("predicate", ["supersedes", "contradicts", "depends_on"])
def test_the_same_acting_note_twice_is_a_duplicate_though_what_it_named_is_gone(mem, tech, predicate):
    old = tech.working.write("arm-1", "observed", "drift", "arm 1 drifts").memory
    first = tech.working.write("arm-1", predicate, old.memory_id, "arm 1 is fixed")
    before = everything(mem)
    again = tech.working.write("arm-1", predicate, old.memory_id, "arm 1 is fixed")
    assert (again.verdict, again.memory) == ("duplicate", first.memory)
    assert everything(mem) == before
    if predicate != "depends_on":
        late = refusal(mem, lambda: tech.working.write("arm-1", predicate, old.memory_id, "arm 1 is well"))
        assert isinstance(late, NotFound)


def test_a_person_retires_the_team_notes_of_their_fleet_and_a_steward_any(mem, tech):
    lead = mem.person("shift-lead", fleet="dock", tenant="northlight")
    chief = mem.person("chief", fleet="line", tenant="northlight", clearance=3)
    for number, person in enumerate((lead, chief)):
        old = tech.working.write("arm-1", "observed", "drift", f"arm 1 drifts {number}").memory
        receipt = person.working.write("arm-1", "supersedes", old.memory_id, f"arm 1 is fixed {number}")
        assert receipt.verdict == "accepted"
        assert old.memory_id in receipt.touched


@pytest.mark.parametrize("predicate", ["supersedes", "contradicts", "depends_on"])
def test_what_a_note_names_must_exist_for_its_writer_and_absent_sounds_like_invisible(mem, tech, predicate):
    cold = mem.agent("cold-1", fleet="cold", tenant="southgate")
    line = mem.agent("line-3", fleet="line", tenant="northlight")
    peer = mem.agent("dock-2", fleet="dock", tenant="northlight")
    own = tech.working.write("arm-1", "observed", "drift", "arm 1 drifted").memory
    tech.working.clear(everything=True)
    hidden = [
        cold.working.write("door", "observed", "open", "the door is open").memory.memory_id,
        line.working.write("belt", "observed", "stuck", "the belt is stuck").memory.memory_id,
        peer.working.write("arm-2", "observed", "drift", "arm 2 drifts", visibility="agent").memory.memory_id,
        own.memory_id,
    ]
    for memory_id in (*hidden, "note-9999", "'; --", "%"):
        error = refusal(
            mem, lambda memory_id=memory_id: tech.working.write("x", predicate, memory_id, "so it is")
        )
        assert isinstance(error, NotFound)
        assert str(error).replace(repr(memory_id), "?") == str(NotFound("note-9999")).replace(
            "'note-9999'", "?"
        )


def test_evidence_must_exist_and_may_be_named_twice(mem, tech):
    note = tech.working.write("arm-1", "observed", "drift", "arm 1 drifts").memory
    receipt = tech.semantic.remember("arm 1 needs a check", evidence=[note.memory_id, note.memory_id])
    with connection(mem) as raw:
        rows = raw.execute("SELECT child, parent, relation, seq FROM derivations").fetchall()
    assert rows == [(receipt.memory.memory_id, note.memory_id, "evidence", receipt.audit_seq)]
    assert isinstance(
        refusal(mem, lambda: tech.semantic.remember("so it is", evidence=["note-9999"])), NotFound
    )


# ---- duplicates --------------------------------------------------------------------------------------


def test_the_same_value_in_another_spelling_is_a_duplicate_that_writes_nothing(mem, tech):
    first = tech.semantic.remember("The door code is 4411.").memory
    before = everything(mem)
    for text in ("the  DOOR code is 4411", "The d\u200boor code is ４４１１", "“The door code is 4411”"):
        receipt = tech.semantic.remember(text)
        assert (receipt.verdict, receipt.memory, receipt.audit_seq) == ("duplicate", first, None)
        assert trail(receipt)[-1] == ("duplicate", "duplicate")
    assert everything(mem) == before


def test_place_writer_session_and_moment_make_another_memory(mem, tech, peer):
    def ids(*receipts):
        assert {receipt.verdict for receipt in receipts} == {"accepted"}
        return len({receipt.memory.memory_id for receipt in receipts})

    text = "gate four is open"
    assert (
        ids(
            tech.episodic.log("observation", text),
            tech.episodic.log("user_turn", text),
            tech.episodic.log("observation", text, session="s2"),
            tech.episodic.log("observation", text, visibility="agent"),
            tech.episodic.log("observation", text, happened_at=START - timedelta(microseconds=1)),
            peer.episodic.log("observation", text),
            mem.agent("dock-1", fleet="line", tenant="northlight").episodic.log("observation", text),
            mem.agent("dock-1", fleet="dock", tenant="southgate").episodic.log("observation", text),
            tech.semantic.remember(text),
            tech.semantic.remember(text, valid_from=START),
            tech.semantic.remember(text, subject="gate four", predicate="has_status", object="open"),
        )
        == 11
    )
    mem.clock.advance(hours=24)
    assert tech.episodic.log("observation", text).verdict == "accepted"  # tomorrow it is a new event


def test_a_name_in_another_composition_is_the_same_name(tech):
    first = tech.working.write("cafe\u0301", "observed", "open", "it is open", session="se\u0301")
    again = tech.working.write("caf\u00e9", "observed", "open", "it is open", session="s\u00e9")
    assert again.memory == first.memory
    assert tech.working.read(subject="cafe\u0301", session="se\u0301") == [first.memory]


def test_what_was_cleared_may_be_said_again(tech):
    first = tech.working.write("arm-1", "observed", "drift", "arm 1 drifts").memory
    tech.working.clear(everything=True)
    again = tech.working.write("arm-1", "observed", "drift", "arm 1 drifts")
    assert again.verdict == "accepted"
    assert again.memory.memory_id != first.memory_id


def test_an_expired_twin_is_retired_by_the_same_act(mem, gate):
    draft = Draft(**{**FACT, "expires_at": START + timedelta(hours=1)})
    first = gate.write(DOCK, draft).memory
    assert gate.write(DOCK, draft).verdict == "duplicate"
    mem.clock.advance(hours=1)  # half-open: at its end it has expired
    receipt = gate.write(DOCK, Draft(**FACT))
    assert receipt.verdict == "accepted"
    assert ("duplicate", "noted") in trail(receipt)
    assert set(receipt.touched) == {first.memory_id, receipt.memory.memory_id}
    with connection(mem) as raw:
        current = raw.execute("SELECT memory_id, status FROM memories WHERE superseded_at IS NULL").fetchall()
    assert dict(current) == {first.memory_id: "outdated", receipt.memory.memory_id: "active"}
    assert mem.audit.verify().status == "complete"


@pytest.mark.parametrize(
    "interval",
    [
        {"valid_from": START + timedelta(days=1)},
        {"valid_to": START - timedelta(days=1)},
        {"valid_from": START - timedelta(days=2), "valid_to": START - timedelta(days=1)},
    ],
)
def test_a_fact_about_another_time_is_still_one_fact_when_it_is_said_twice(tech, interval):
    first = tech.semantic.remember("gate four is shut", **interval)
    again = tech.semantic.remember("gate four is shut", **interval)
    assert (first.verdict, again.verdict) == ("accepted", "duplicate")
    assert again.memory.memory_id == first.memory.memory_id


def test_what_waits_for_a_person_is_one_candidate_however_often_it_is_proposed(mem, tech):
    first = tech.semantic.remember("gate four sticks", source="web")
    before = everything(mem)
    for text in ("gate four sticks", "Gate FOUR sticks."):
        again = tech.semantic.remember(text, source="web")
        assert (again.verdict, again.candidate_id) == ("duplicate", first.candidate_id)
        assert again.memory is None
        assert str(again) == f"duplicate {first.candidate_id}"
    assert everything(mem) == before


def test_what_waits_does_not_keep_its_writer_from_saying_it_themselves(tech):
    assert tech.semantic.remember("gate four sticks", source="web").verdict == "staged"
    assert tech.semantic.remember("gate four sticks").verdict == "accepted"


# ---- retries ---------------------------------------------------------------------------------------


def writes(tech):
    return {
        "note": lambda request: tech.working.write(
            "arm-1", "observed", "drift", "arm 1 drifts", request_id=request
        ),
        "event": lambda request: tech.episodic.log("observation", "gate four is open", request_id=request),
        "fact": lambda request: tech.semantic.remember("gate four is wide", request_id=request),
        "candidate": lambda request: tech.semantic.remember("it sticks", source="web", request_id=request),
    }


@pytest.mark.parametrize("door", ["note", "event", "fact", "candidate"])
def test_a_retry_gets_the_first_receipt_and_writes_nothing(mem, tech, door):
    act = writes(tech)[door]
    first = act("r1")
    mem.clock.advance(hours=1)
    before = everything(mem)
    assert act("r1") == first
    assert everything(mem) == before


def test_a_retry_gets_the_first_receipt_even_after_the_memory_was_cleared(mem, tech):
    act = writes(tech)["note"]
    first = act("r1")
    cleared = tech.working.clear(everything=True, request_id="r2")
    tech.working.write("arm-2", "observed", "drift", "arm 2 drifts")
    before = everything(mem)
    again = act("r1")
    assert (again.verdict, again.audit_seq, again.steps) == (first.verdict, first.audit_seq, first.steps)
    assert (again.memory.memory_id, again.memory.version, again.memory.status) == (
        first.memory.memory_id,
        1,
        "active",
    )
    assert tech.working.clear(everything=True, request_id="r2") == cleared  # and not the note that came since
    assert everything(mem) == before


def test_a_retry_of_what_wrote_nothing_gets_the_first_receipt_too(mem, tech):
    """Or a retry would clear the notes that have come since, and bring back what was cleared."""
    nothing = tech.working.clear(everything=True, request_id="r1")
    assert (nothing.touched, nothing.audit_seq) == ((), None)
    tech.working.write("arm-1", "observed", "drift", "arm 1 drifts")
    twin = tech.working.write("arm-1", "observed", "drift", "arm 1 drifts", request_id="r2")
    assert twin.verdict == "duplicate"
    before = everything(mem)
    assert tech.working.clear(everything=True, request_id="r1") == nothing
    assert len(tech.working.read()) == 1
    assert everything(mem) == before
    tech.working.clear(everything=True)
    again = tech.working.write("arm-1", "observed", "drift", "arm 1 drifts", request_id="r2")
    assert (again.verdict, again.steps) == ("duplicate", twin.steps)
    assert tech.working.read() == []
    assert mem.audit.verify().status == "complete"


def test_a_request_id_with_other_content_is_refused_at_every_door(mem, tech):
    writes(tech)["note"]("r1")
    for door in (
        *list(writes(tech).values())[1:],
        lambda r: tech.working.clear(everything=True, request_id=r),
    ):
        error = refusal(mem, lambda door=door: door("r1"))
        assert error.receipt.steps[-1].check == "request"
        assert "other content" in str(error)


def test_a_refused_request_may_be_mended_and_sent_again(mem, tech):
    refusal(mem, lambda: tech.semantic.remember("", request_id="r1"))
    refusal(mem, lambda: tech.semantic.remember("it is so", kind="rule", request_id="r1"))
    assert tech.semantic.remember("it is so", request_id="r1").verdict == "accepted"


def test_the_same_request_id_of_another_principal_is_another_request(mem, tech, peer):
    receipts = [
        writes(who)["fact"]("r1")
        for who in (
            tech,
            peer,
            mem.agent("dock-1", fleet="line", tenant="northlight"),
            mem.agent("dock-1", fleet="dock", tenant="southgate"),
        )
    ]
    assert len({receipt.memory.memory_id for receipt in receipts}) == 4
    person = mem.person("shift-lead", fleet="dock", tenant="northlight")
    assert person.semantic.remember("another fact", request_id="r1").verdict == "accepted"


def test_what_is_kept_of_a_request_does_not_reveal_it(mem, tech):
    tech.semantic.remember("the door code is 4411", request_id="r1")
    with connection(mem) as raw:
        kept = raw.execute("SELECT * FROM requests").fetchall()
    assert len(kept) == 1
    assert "4411" not in repr(kept)


# ---- ids -------------------------------------------------------------------------------------------


def test_an_id_that_was_given_before_is_a_clear_error_and_nothing_is_half_written(tmp_path):
    path = tmp_path / "store.db"
    with opened(path) as mem:
        writes(mem.agent("dock-1", fleet="dock", tenant="northlight"))["note"]("r1")
    with opened(path) as mem:  # ids that count from 1 again
        peer = mem.agent("dock-2", fleet="dock", tenant="northlight")
        for act in (
            lambda: peer.working.write("arm-2", "observed", "drift", "arm 2 drifts"),  # note-0001
            lambda: peer.semantic.remember("gate four sticks", source="web"),  # entry-0001
        ):
            error = refusal(mem, act)
            assert isinstance(error, StoreError)
            assert "RandomIds" in str(error)
        assert mem.audit.verify().status == "complete"


def test_predicates_belong_to_their_tier(mem, gate):
    for tier in (Tier.WORKING, Tier.SEMANTIC):
        for other in (Tier.WORKING, Tier.SEMANTIC):
            for predicate in set(PREDICATES[other]) - set(PREDICATES[tier]):
                draft = {**NOTE, "tier": tier, "kind": KINDS[tier][0], "predicate": predicate}
                error = refusal(mem, lambda draft=draft: gate.write(DOCK, Draft(**draft)))
                assert error.receipt.steps[-1].reason.startswith("predicate")
