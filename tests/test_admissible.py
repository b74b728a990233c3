"""The one clause against plain Python: scope AND trust AND time, for made-up populations and readers."""

from datetime import timedelta

import pytest
from helpers import START, connection, opened
from hypothesis import given, settings
from hypothesis import strategies as st

from teachmem import Clearance, InvalidInput, Principal, Role
from teachmem.ledger.schema import memories
from teachmem.rules import admissible, scope, validity
from teachmem.vocabulary import LIVE, Source, Status, Tier, Visibility

# Names that a careless filter takes for one another, or for a piece of SQL.
NAMES = [
    "dock",
    "Dock",
    "dock-1",
    "dock-10",
    "d%",
    "%",
    "_ock",
    "*",
    "o'c",
    'o"c',
    "do\nck",
    "dock ",
    "dоck",
    "é",
]
TENANTS = ["north", "North", "north%", "no"]
ticks = st.integers(0, 6)
maybe = st.sampled_from([None, None, None, *range(7)])
interval = st.tuples(maybe, maybe).filter(lambda pair: None in pair or pair[0] < pair[1])
statuses = st.sampled_from([*LIVE, *Status]).map(str)


@st.composite
def worlds(draw):
    """A few memories, each with a row for every version, and a reader whose names are among theirs."""
    one, other = draw(st.permutations(TENANTS))[:2]
    tenant = st.sampled_from([one, one, one, other])
    name = st.sampled_from(draw(st.permutations(NAMES))[:2])
    population = []
    for _ in range(draw(st.integers(8, 14))):
        address = {"tenant": draw(tenant), "fleet": draw(name), "agent": draw(name)}
        address["visibility"] = str(draw(st.sampled_from(list(Visibility))))
        population.append([{**address, **version} for version in draw(versions())])
    role, clearance = draw(st.sampled_from([Role.AGENT, Role.PERSON])), draw(st.sampled_from(list(Clearance)))
    return population, Principal(draw(tenant), draw(name), draw(name), role, clearance)


@st.composite
def versions(draw):
    """The versions of one memory, each closed when the next one begins."""
    starts = sorted(draw(st.sets(ticks, min_size=1, max_size=3)))
    ends = [*starts[1:], None]
    return [
        {
            "version": number,
            "status": draw(statuses),
            **dict(zip(("valid_from", "valid_to"), draw(interval), strict=True)),
            "expires_at": draw(maybe),
            "recorded_at": start,
            "superseded_at": end,
        }
        for number, (start, end) in enumerate(zip(starts, ends, strict=True), 1)
    ]


REST = {
    "session": "s1",
    "tier": str(Tier.SEMANTIC),
    "kind": "fact",
    "subject": "",
    "predicate": "",
    "object": "",
    "content": "x",
    "content_digest": "",
    "salt": b"",
    "importance": None,
    "confidence": None,
    "is_inferred": 0,
    "source": str(Source.AGENT),
    "qualifiers": "{}",
    "keystone": 0,
    "detail": "{}",
    "embedding": None,
    "twin_key": None,
    "claim_key": None,
    "seq": 1,
}


def insert(mem, population):
    """Put rows into the table as they are, past the gate; twins are nobody's concern here."""
    columns = memories.c.keys()
    marks = ", ".join("?" * len(columns))
    with connection(mem) as raw:
        for number, rows in enumerate(population):
            for row in rows:
                whole = {**REST, **row, "memory_id": f"fact-{number}"}
                raw.execute(f"INSERT INTO memories VALUES ({marks})", [whole.get(name) for name in columns])


def believable(row, reader, at, known_at):
    """Say what the tables of semantics.md say, for one row, in plain Python."""
    if known_at is None:
        known = row["superseded_at"] is None
    else:
        known = row["recorded_at"] <= known_at
        known = known and (row["superseded_at"] is None or row["superseded_at"] > known_at)
    return (
        known
        and row["status"] in LIVE
        and scope.may_read(reader, row["tenant"], row["fleet"], row["agent"], row["visibility"])
        and validity.holds(at, row["valid_from"], row["valid_to"], row["expires_at"])
    )


@settings(max_examples=150)
@given(worlds(), ticks, maybe)
def test_the_clause_is_scope_and_trust_and_time(world, at, known_at):
    population, reader = world
    with opened() as mem:
        insert(mem, population)
        wanted = {
            (f"fact-{number}", row["version"])
            for number, rows in enumerate(population)
            for row in rows
            if believable(row, reader, at, known_at)
        }
        with mem._database.read() as tx:
            newest = admissible.newest(tx, reader, at, known_at)
            one_by_one = [
                admissible.by_id(tx, reader, f"fact-{number}", at, known_at)
                for number in range(len(population))
            ]
            seen = [admissible.in_scope(tx, reader, f"fact-{number}") for number in range(len(population))]
        found = [(memory.memory_id, memory.version) for memory in newest]
        assert set(found) == wanted
        assert len(found) == len(wanted)  # a memory is read in one version
        assert {(memory.memory_id, memory.version) for memory in one_by_one if memory} == wanted
        assert found == [
            (memory.memory_id, memory.version)
            for memory in sorted(newest, key=lambda m: (-m.recorded_at.timestamp(), -m.seq, m.memory_id))
        ]
        for number, rows in enumerate(population):
            last = rows[-1]
            visible = scope.may_read(reader, last["tenant"], last["fleet"], last["agent"], last["visibility"])
            assert (seen[number] is not None) == visible


def test_the_decision_table_of_scope():
    """Written out by hand, so that clause and plain function cannot be wrong together."""
    rows = {
        "own private": ("north", "dock", "dock-1", "agent"),
        "namesake's private, other fleet": ("north", "line", "dock-1", "agent"),
        "peer's private": ("north", "dock", "dock-2", "agent"),
        "own team": ("north", "dock", "dock-2", "team"),
        "other team": ("north", "line", "line-3", "team"),
        "org": ("north", "line", "line-3", "org"),
        "other tenant's org": ("south", "dock", "dock-1", "org"),
        "other tenant's private, same names": ("south", "dock", "dock-1", "agent"),
    }
    for clearance in Clearance:
        reader = Principal("north", "dock", "dock-1", Role.AGENT, clearance)
        seen = {name for name, row in rows.items() if scope.may_read(reader, *row)}
        wanted = {"own private", "own team", "org"}
        if clearance >= 2:
            wanted |= {"other team"}
        assert seen == wanted


@pytest.mark.parametrize(
    ("at", "interval", "answer"),
    [
        (5, (5, 6, None), True),
        (6, (5, 6, None), False),
        (4, (5, 6, None), False),
        (5, (None, None, None), True),
        (5, (None, 5, None), False),
        (5, (None, None, 5), False),
        (4, (None, None, 5), True),
    ],
)
def test_intervals_are_half_open(at, interval, answer):
    assert validity.holds(at, *interval) is answer


def test_what_was_known_is_told_with_the_status_it_had():
    with opened() as mem:
        tech = mem.agent("dock-1", fleet="dock", tenant="north")
        note = tech.working.write("arm-1", "observed", "drift", "arm 1 drifts").memory
        mem.clock.advance(hours=1)
        tech.working.clear(everything=True)
        mem.clock.advance(hours=1)
        for hours, wanted in ((-1, []), (0, [note.memory_id]), (0.99, [note.memory_id]), (1, []), (2, [])):
            known_at = START + timedelta(hours=hours)
            assert [memory.memory_id for memory in tech.working.read(known_at=known_at)] == wanted


@pytest.mark.parametrize("name", admissible.FILTERS)
@pytest.mark.parametrize("value", ["", " ", 5, b"x", ["x"], "\ud800", "a\x00b", "x" * 201])
def test_a_filter_that_could_be_no_name_is_refused(name, value):
    with opened() as mem, mem._database.read() as tx, pytest.raises(InvalidInput) as caught:
        admissible.newest(tx, Principal("north", "dock", "dock-1"), 0, **{name: value})
    assert caught.value.field == name


@pytest.mark.parametrize(
    "value", [None, 5, b"fact-0", ["fact-0"], "", "\ud800", "a\x00b", "x" * 1_000_000, "%", "fact-_"]
)
def test_what_could_be_no_id_is_absent_like_any_other(value):
    with opened() as mem:
        insert(mem, [[dict.fromkeys(("valid_from", "valid_to", "expires_at", "superseded_at"))
                      | {"tenant": "north", "fleet": "dock", "agent": "dock-1", "visibility": "team",
                         "version": 1, "status": "active", "recorded_at": 0}]])  # fmt: skip
        reader = Principal("north", "dock", "dock-1")
        with mem._database.read() as tx:
            assert admissible.by_id(tx, reader, "fact-0", 0) is not None
            assert admissible.by_id(tx, reader, value, 0) is None
            assert admissible.in_scope(tx, reader, value) is None


def test_an_unknown_filter_is_a_bug_not_a_wider_read():
    with opened() as mem, mem._database.read() as tx, pytest.raises(TypeError, match="colour"):
        admissible.newest(tx, Principal("north", "dock", "dock-1"), 0, colour="red")
