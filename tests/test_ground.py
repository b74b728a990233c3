"""The ground: moments, ids, principals and records mean one thing, or are refused by name."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from helpers import START
from hypothesis import given
from hypothesis import strategies as st

from teachmem import (
    CountedIds,
    InvalidInput,
    LessonClock,
    Principal,
    RandomIds,
    Role,
    TeachmemError,
    WallClock,
)
from teachmem.clock import EPOCH, from_micros, to_micros
from teachmem.principal import clearance_of
from teachmem.record import Hit, Memory, Receipt, Recollection
from teachmem.vocabulary import (
    CLAIMABLE,
    KINDS,
    LIVE,
    OWN_SOURCE,
    PREDICATES,
    SINGLE_VALUED,
    SYSTEM_KINDS,
    WITHHELD,
    Clearance,
    Source,
    Status,
    Tier,
    Verdict,
)

zones = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
moments = st.datetimes(timezones=zones).filter(lambda moment: 1 < moment.year < 9999)


@given(moments)
def test_a_moment_survives_the_way_into_the_table_and_back(moment):
    assert from_micros(to_micros(moment)) == moment
    assert from_micros(to_micros(moment)).tzinfo is UTC


@given(moments, moments)
def test_numbers_sort_as_moments_do_whatever_the_zone(one, other):
    assert (to_micros(one) < to_micros(other)) == (one < other)
    assert (to_micros(one) == to_micros(other)) == (one == other)


@given(moments)
def test_a_microsecond_counts_whole_microseconds(moment):
    days, seconds, micros = (gap := moment - EPOCH).days, gap.seconds, gap.microseconds
    assert to_micros(moment) == (days * 86_400 + seconds) * 1_000_000 + micros


@pytest.mark.parametrize(
    "moment",
    [
        START.replace(tzinfo=None),
        "2026-03-02T09:00:00",
        "2025-02-29",
        1_772_442_000,
        None,
        [],
        # A date in its own zone, and none in UTC: it could be written and never be read again.
        datetime.min.replace(tzinfo=timezone(timedelta(hours=1))),
        datetime.max.replace(tzinfo=timezone(timedelta(hours=-1))),
    ],
)
def test_what_is_no_moment_is_refused_by_the_name_of_its_argument(moment):
    with pytest.raises(InvalidInput) as caught:
        to_micros(moment, "valid_from")
    assert caught.value.field == "valid_from"
    with pytest.raises(InvalidInput):
        LessonClock(moment)


def test_a_lesson_clock_moves_only_by_hand_in_both_directions():
    clock = LessonClock(START.astimezone(timezone(timedelta(hours=9))))
    assert clock.now() == clock.now() == START
    clock.advance(days=1, hours=-2)
    assert clock.now() == START + timedelta(hours=22)
    clock.set(START - timedelta(days=400))
    assert clock.now() == START - timedelta(days=400)


def test_the_wall_clock_is_aware_and_within_its_two_neighbours():
    before, now, after = datetime.now(UTC), WallClock().now(), datetime.now(UTC)
    assert before <= now <= after
    assert now.utcoffset() == timedelta(0)


@pytest.mark.parametrize("maker", [CountedIds, RandomIds])
def test_no_id_and_no_salt_comes_twice(maker):
    ids = maker()
    names = [ids.new(prefix) for _ in range(500) for prefix in ("note", "event")]
    salts = [ids.salt() for _ in range(500)]
    assert len(set(names)) == 1000
    assert len(set(salts)) == 500
    assert {len(salt) for salt in salts} == {16}
    assert all(name.startswith(("note-", "event-")) for name in names)


def test_counted_ids_are_the_same_in_every_run_whatever_else_is_counted():
    one, other = CountedIds(), CountedIds()
    other.new("event")
    assert [one.new("note") for _ in range(3)] == [other.new("note") for _ in range(3)]
    assert [one.salt() for _ in range(3)] == [other.salt() for _ in range(3)]


@pytest.mark.parametrize("field", ["tenant", "fleet", "name"])
@pytest.mark.parametrize(
    "value", ["", " ", "\u200b", "\t\n", None, 5, b"dock", ["dock"], "a\x00b", "\ud83d", "a" * 201]
)
def test_a_principal_without_a_whole_address_is_refused(field, value):
    with pytest.raises(InvalidInput) as caught:
        Principal(**{"tenant": "northlight", "fleet": "dock", "name": "dock-1", field: value})
    assert caught.value.field == field


@pytest.mark.parametrize("clearance", [-1, 4, 1.0, True, "1", None, [], 10**30])
def test_a_clearance_is_a_whole_number_from_0_to_3(clearance):
    with pytest.raises(InvalidInput) as caught:
        clearance_of(clearance)
    assert caught.value.field == "clearance"
    with pytest.raises(InvalidInput):
        Principal("northlight", "dock", "dock-1", Role.AGENT, clearance)


@pytest.mark.parametrize("role", ["", "robot", None, 5, []])
def test_a_role_is_one_of_three(role):
    with pytest.raises(InvalidInput) as caught:
        Principal("northlight", "dock", "dock-1", role)
    assert caught.value.field == "role"


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60))
def test_a_name_is_kept_as_it_is_but_composed(name):
    import unicodedata

    try:
        kept = Principal("northlight", name, "dock-1").fleet
    except InvalidInput:
        assert "\x00" in name or not name.strip() or not name.isprintable()
    else:
        assert kept == unicodedata.normalize("NFC", name)


def test_names_that_look_alike_are_different_principals():
    names = ["dock", "Dock", "dock ", "dock%", "d_ck", "dоck", "doc", "dock-1"]  # the sixth has a Cyrillic o
    assert len({Principal("northlight", name, "x") for name in names}) == len(names)
    assert Principal("n", "cafe\u0301", "x") == Principal("n", "caf\u00e9", "x")


def test_only_a_person_of_clearance_3_is_a_steward():
    found = {
        (role, clearance)
        for role in Role
        for clearance in Clearance
        if Principal("n", "f", "x", role, clearance).is_steward
    }
    assert found == {(Role.PERSON, Clearance.STEWARD)}


def test_records_cannot_be_changed_by_whoever_receives_them():
    receipt = Receipt(Verdict.ACCEPTED)
    with pytest.raises(AttributeError):
        receipt.verdict = Verdict.REFUSED
    with pytest.raises(AttributeError):
        Principal("n", "f", "x").clearance = Clearance.STEWARD


def test_a_recollection_is_a_sequence_of_its_hits():
    hits = tuple(Hit(None, score, {"recency": score}) for score in (0.9, 0.5, 0.1))
    recollection = Recollection("gate", hits, START)
    assert len(recollection) == 3
    assert list(recollection) == list(recollection[:]) == list(hits)
    assert recollection[-1] is hits[-1]
    assert bool(Recollection("gate", (), START)) is False


def test_the_vocabularies_agree_with_each_other():
    assert set(LIVE) | set(WITHHELD) == set(Status)
    assert not set(LIVE) & set(WITHHELD)
    assert set(KINDS) == set(PREDICATES) == set(SYSTEM_KINDS) == set(Tier)
    for tier in Tier:
        assert set(SYSTEM_KINDS[tier]) <= set(KINDS[tier])
    assert set(SINGLE_VALUED) <= set(PREDICATES[Tier.SEMANTIC])
    assert set(OWN_SOURCE) == set(CLAIMABLE) == set(Role)
    assert all(OWN_SOURCE[role] in CLAIMABLE[role] for role in Role)
    claimed = {source for sources in CLAIMABLE.values() for source in sources}
    assert claimed == set(Source)


def test_the_columns_of_the_table_are_the_fields_of_the_record():
    from teachmem.ledger.rows import COLUMNS

    assert set(COLUMNS) == set(Memory.__slots__)


def test_every_error_of_ours_is_caught_by_one_name():
    import teachmem.errors as errors

    found = [item for item in vars(errors).values() if isinstance(item, type) and issubclass(item, Exception)]
    assert len(found) >= 5
    assert all(issubclass(item, TeachmemError) for item in found)
