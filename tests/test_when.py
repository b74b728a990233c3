"""The time that a question speaks of: every form, odd dates, and what a window may never do."""

from datetime import UTC, date, datetime, timedelta

import pytest
from helpers import START, opened
from hypothesis import given, settings
from hypothesis import strategies as st

from teachmem import InvalidInput
from teachmem.clock import to_micros
from teachmem.course import world
from teachmem.recall import score, when

NOW = datetime(2026, 3, 11, 9, tzinfo=UTC)  # a Wednesday

FORMS = {
    "yesterday": ("2026-03-10", "2026-03-11"),
    "TODAY": ("2026-03-11", "2026-03-12"),
    "tomorrow": ("2026-03-12", "2026-03-13"),
    "the day before yesterday": ("2026-03-09", "2026-03-10"),
    "on 3 March": ("2026-03-03", "2026-03-04"),
    "on Tuesday 3 March": ("2026-03-03", "2026-03-04"),
    "on Friday morning, 13 March": ("2026-03-13", "2026-03-14"),
    "on the 3rd of March": ("2026-03-03", "2026-03-04"),
    "March 3": ("2026-03-03", "2026-03-04"),
    "March 3, 2024": ("2024-03-03", "2024-03-04"),
    "2024-02-29": ("2024-02-29", "2024-03-01"),
    "29 February 2024": ("2024-02-29", "2024-03-01"),
    "on 29 February": ("2028-02-29", "2028-03-01"),
    "on 30 December": ("2025-12-30", "2025-12-31"),
    "from 13 to 14 March": ("2026-03-13", "2026-03-15"),
    "between 27 February and 3 March": ("2026-02-27", "2026-03-04"),
    "in March": ("2026-03-01", "2026-04-01"),
    "in February 2024": ("2024-02-01", "2024-03-01"),
    "in december": ("2025-12-01", "2026-01-01"),
    "last week": ("2026-03-02", "2026-03-09"),
    "this week": ("2026-03-09", "2026-03-16"),
    "next week": ("2026-03-16", "2026-03-23"),
    "last month": ("2026-02-01", "2026-03-01"),
    "last year": ("2025-01-01", "2026-01-01"),
    "on Monday": ("2026-03-09", "2026-03-10"),
    "on Wednesday": ("2026-03-11", "2026-03-12"),
    "last Wednesday": ("2026-03-04", "2026-03-05"),
    "this Sunday": ("2026-03-15", "2026-03-16"),
    "next Monday": ("2026-03-16", "2026-03-17"),
    "Saturday of last week": ("2026-03-07", "2026-03-08"),
    "a week ago": ("2026-03-04", "2026-03-05"),
    "three days ago": ("2026-03-08", "2026-03-09"),
    "the last 3 days": ("2026-03-08", "2026-03-12"),
    "since Monday": ("2026-03-09", None),
    "since 1 January 1965": ("1965-01-01", None),
    "before 3 March": (None, "2026-03-03"),
    "until 3 March": (None, "2026-03-04"),
    "after last week": ("2026-03-09", None),
    "after 31 December 2150": ("2151-01-01", None),
}
NO_TIME = (
    "",
    "it may march on",
    "on a Saturday",
    "mondays",
    "monday's list",
    "29 February 2025",
    "2026-02-30",
    "32 March",
    "the 5 Marchers",
    "12026-03-03",
    "week 3",
    "who runs bay two",
    "before noon",
    "0 March",
)


def micros(day):
    return None if day is None else to_micros(day)


@pytest.mark.parametrize("words", FORMS)
def test_each_form_is_read_alone_and_within_a_question(words):
    start, end = FORMS[words]
    for question in (words, f"What happened at bay two {words}?", f"{words}, who ran bay two"):
        window = when.read(question, NOW)
        assert (window.start, window.end) == (micros(start), micros(end)), question
        assert window.words.lower() in question.lower()


@pytest.mark.parametrize("words", NO_TIME)
def test_what_is_no_time_is_not_read(words):
    assert when.read(words, NOW) is None


def test_the_first_expression_counts():
    assert when.read("On 12 March, what was thought about 8 March?", NOW).words == "On 12 March"


DAYS = st.dates(date(1000, 1, 1), date(9990, 1, 1))
PIECES = [*"0123456789 -,?", *"last week March Monday on 3 since ago the before".split()]


def noon(day):
    return datetime(day.year, day.month, day.day, 12, tzinfo=UTC)


@settings(max_examples=300)
@given(DAYS, DAYS.map(noon))
def test_a_day_in_any_spelling_is_that_day(day, now):
    name = f"{day:%B}"
    for spelling in (
        day.isoformat(),
        f"{day.day} {name} {day.year:04}",
        f"{name.upper()} {day.day}, {day.year:04}",
        f"the {day.day}th of {name} {day.year:04}",
    ):
        window = when.read(f"What was written on {spelling}?", now)
        assert (window.start, window.end) == (to_micros(day), to_micros(day + timedelta(days=1))), spelling


@settings(max_examples=300)
@given(
    st.lists(st.sampled_from(PIECES), max_size=20).map("".join),
    st.dates(date(2, 1, 1), date(9998, 12, 31)).map(noon),
)
def test_no_text_breaks_the_reader(question, now):
    window = when.read(question, now)
    assert window is None or window.start is None or window.end is None or window.start < window.end


@pytest.fixture
def mem():
    with opened(start=NOW) as memory:
        yield memory


@pytest.fixture
def tech(mem):
    return mem.agent("dock-1", fleet="dock", tenant="northlight")


def test_an_event_in_the_window_is_raised_by_a_part_and_none_is_left_out(tech):
    days = (2, 3, 4, 9, 10)
    for day in days:
        tech.episodic.log("observation", f"humid at bay three, note {day}", happened_at=date(2026, 3, day))
    for relevance in ("words", "hybrid"):
        found = tech.episodic.recall("how humid was bay three on 3 March", k=9, relevance=relevance)
        assert len(found) == len(days)
        assert found[0].memory.content.endswith("note 3")
        assert found.settings["when"] == "on 3 March: from 2026-03-03 until 2026-03-04"
        for hit in found:
            inside = hit.memory.happened_at.date() == date(2026, 3, 3)
            assert hit.parts["when"] == (when.EVENTS if inside else 0)
            assert sum(hit.parts.values()) == pytest.approx(hit.score)
        plain = tech.episodic.recall(
            "how humid was bay three on 3 March", k=9, relevance=relevance, when=False
        )
        assert "when" not in plain.settings
        assert all("when" not in hit.parts for hit in plain)
        assert tech.episodic.recall("how humid was bay three", k=9).settings.keys() == plain.settings.keys()


def test_the_index_and_the_loop_agree_on_a_window(mem, tech):
    for number in range(40):
        tech.episodic.log(
            "observation",
            f"belt {number % 7} squeaks",
            importance=number % 5 / 5,
            happened_at=NOW - timedelta(hours=7 * number),
        )
    question = "which belt squeaks since Monday"
    quick = tech.episodic.recall(question, k=7)
    slow = tech.episodic.recall(question, k=7, known_at=mem.clock.now())
    assert [(hit.memory.memory_id, hit.score, dict(hit.parts)) for hit in quick] == [
        (hit.memory.memory_id, hit.score, dict(hit.parts)) for hit in slow
    ]


def test_a_fact_that_holds_in_the_window_is_raised_and_an_undated_one_stays(tech):
    remember = tech.semantic.remember
    undated = remember("the mast of NL-0042 is grey").memory.memory_id
    old = remember("the mast of NL-0042 stood in hall two", valid_from="2025-01-01").memory.memory_id
    new = remember("the mast of NL-0042 stands in hall nine", valid_from="2026-03-10").memory.memory_id
    found = tech.semantic.search("where did the mast of NL-0042 stand on 6 March", k=9)
    assert {hit.memory.memory_id: hit.parts["when"] for hit in found} == {undated: 0, old: when.FACTS, new: 0}
    assert "is over" in found.note
    assert all(sum(hit.parts.values()) == pytest.approx(hit.score) for hit in found)


def test_before_the_recall_ends_at_the_event_of_that_name(mem, tech):
    tech.episodic.log("observation", "pads of lot 7 were changed", happened_at="2026-03-01")
    tech.episodic.log("observation", "the recall of lot 7 was announced", happened_at="2026-03-05T08:00Z")
    tech.episodic.log("observation", "the recall of lot 7 was closed", happened_at="2026-03-09")
    found = tech.episodic.recall("what happened to the pads before the recall?")
    assert found.settings["when"] == "before the recall: until 2026-03-05T08:00+00:00"
    assert [hit.parts["when"] > 0 for hit in found] == [True, False, False]
    unknown = tech.episodic.recall("what happened before the flood?")
    assert unknown.settings["when"] == "before the flood: no event found"
    assert not any(hit.parts["when"] for hit in unknown)
    stranger = mem.agent("line-3", fleet="line", tenant="northlight")
    assert (
        stranger.episodic.recall("what happened before the recall?")
        .settings["when"]
        .endswith("no event found")
    )


def test_the_window_brings_the_events_of_the_graded_questions_forward():
    """On the data's own questions that speak of a time: more of the best evidence among the first five."""
    start, end = (datetime(2026, 3, day, 12, tzinfo=UTC) for day in (1, 15))
    asked = [row for row in world.rows("queries") if (row["tier"], row["kind"]) == ("episodic", "temporal")]
    with opened(start=start) as mem:
        ids = world.load(mem, mem.clock, episodes=True)
        mem.clock.set(end)
        found = dict.fromkeys((False, True), 0)
        for row in asked:
            best = next(ids[one["id"]] for one in row["evidence"] if one["grade"] == 3)
            who = mem.agent(**row["asker"])
            for reads in found:
                hits = who.episodic.recall(row["question"], 5, when=reads)
                found[reads] += best in [hit.memory.memory_id for hit in hits]
    assert found[True] >= 2 * found[False] > 0


# ---- lapsed ----------------------------------------------------------------------------------------


def test_what_has_lapsed_is_left_out_or_at_half_its_score_and_says_so(tech):
    over = tech.semantic.remember("gate nine is shut", valid_from="2026-03-01", valid_to="2026-03-02")
    held = tech.semantic.remember("gate nine is wide", valid_from="2026-03-01")
    gone = tech.semantic.remember("gate nine is red", expires_at="2026-03-02")
    later = tech.semantic.remember("gate nine is blue", valid_from="2026-04-01")
    ids = [receipt.memory.memory_id for receipt in (over, held, gone, later)]
    hard = tech.semantic.search("gate nine", k=9)
    soft = tech.semantic.search("gate nine", k=9, lapsed="discount")
    assert {hit.memory.memory_id for hit in hard} == {ids[1]}
    assert {hit.memory.memory_id for hit in soft} == {ids[0], ids[1]}
    assert soft.settings["lapsed"] == "discount"
    for hit in soft:
        rest = sum(value for name, value in hit.parts.items() if name != "lapsed")
        factor = score.LAPSED if hit.memory.memory_id == ids[0] else 1
        assert hit.score == pytest.approx(factor * rest) == pytest.approx(sum(hit.parts.values()))
    assert "time" in str(hard.why_not(ids[0]))
    assert "number" in str(next(gate for gate in soft.why_not(ids[0]).gates if gate.name == "rank").reason)
    assert "expired" in str(soft.why_not(ids[2]))
    assert "only from" in str(soft.why_not(ids[3]))


@pytest.mark.parametrize("value", ["soft", "", None, True, 0.5])
def test_the_soft_reading_has_one_name(tech, value):
    for read in (tech.semantic.search, tech.episodic.recall, tech.working.context):
        with pytest.raises(InvalidInput, match="lapsed"):
            read("gate", lapsed=value)


# ---- odd dates, by every door ----------------------------------------------------------------------

ACCEPTED = {
    "2026-03-03": "2026-03-03T00:00:00+00:00",
    date(2026, 3, 3): "2026-03-03T00:00:00+00:00",
    "2026-03-03T01:00+01:00": "2026-03-03T00:00:00+00:00",
    "2026-03-03T09:00:00.000001Z": "2026-03-03T09:00:00.000001+00:00",
    "2026-03-03T09:30+05:30": "2026-03-03T04:00:00+00:00",
    "2024-02-29": "2024-02-29T00:00:00+00:00",
    "1969-07-20T20:17:40Z": "1969-07-20T20:17:40+00:00",
    "0001-01-01": "0001-01-01T00:00:00+00:00",
    "2150-06-01": "2150-06-01T00:00:00+00:00",
    date(9999, 12, 31): "9999-12-31T00:00:00+00:00",
}
REFUSED = [
    "2026-03-03T09:00",
    "2025-02-29",
    "2026-13-01",
    "3 March",
    "",
    " ",
    "2026-03-03T25:00Z",
    "2026-03-03T09:00:61Z",
    "10000-01-01",
    "x" * 500,
    START.replace(tzinfo=None),
    5,
    True,
    b"2026-03-03",
    "9999-12-31T23:30-01:00",
]


@pytest.mark.parametrize("given", ACCEPTED)
def test_a_date_is_accepted_with_the_meaning_that_the_clock_says(tech, given):
    fact = tech.semantic.remember("the hall was opened", valid_from=given)
    assert fact.memory.valid_from.isoformat() == ACCEPTED[given]
    moment = fact.memory.valid_from
    again = tech.semantic.remember("the hall was opened", valid_from=moment)
    assert again.verdict == "duplicate"
    assert tech.semantic.revise(fact.memory.memory_id, valid_from=given).verdict == "duplicate"
    assert tech.semantic.get(fact.memory.memory_id, at=given) == tech.semantic.get(
        fact.memory.memory_id, at=moment
    )
    event = tech.episodic.log("observation", "the hall was opened", happened_at=given)
    assert event.memory.happened_at == moment
    assert event.memory in tech.episodic.since(given, at="9999-12-31")


@pytest.mark.parametrize("given", REFUSED, ids=repr)
def test_a_date_that_means_nothing_is_refused_with_a_sentence(mem, tech, given):
    before = mem.audit.verify()
    for field in ("valid_from", "valid_to", "expires_at"):
        receipt = tech.semantic.remember_many([{"content": "the hall was opened", field: given}])[0]
        assert receipt.verdict == "refused"
        assert receipt.steps[-1].reason.startswith(field)
        assert len(receipt.steps[-1].reason) < 300
    for name in ("at", "known_at"):
        with pytest.raises(InvalidInput, match=name):
            tech.semantic.list(**{name: given})
    assert mem.audit.verify() == before


@pytest.mark.parametrize(
    ("start", "end"),
    [
        ("2026-03-03", "2026-03-03"),
        ("2026-03-03", "2026-03-02"),
        ("2026-03-03T00:00Z", "2026-03-03T01:00+01:00"),
    ],
)
def test_an_end_that_is_not_after_the_start_is_refused(tech, start, end):
    receipt = tech.semantic.remember_many([{"content": "x", "valid_from": start, "valid_to": end}])[0]
    assert "must be after valid_from" in receipt.steps[-1].reason


def test_a_date_as_an_end_leaves_that_day_out(tech):
    fact = tech.semantic.remember("gate nine is shut", valid_from="2026-03-01", valid_to=date(2026, 3, 4))
    held = [
        bool(tech.semantic.list(at=f"2026-03-0{day}T{hour}Z"))
        for day, hour in ((1, "00:00"), (3, "23:59:59.999999"), (4, "00:00"))
    ]
    assert held == [True, True, False]
    assert fact.verdict == "accepted"


def test_a_history_shows_both_intervals_of_every_version(mem, tech):
    fact = tech.semantic.remember("bay two is run by the night lead", valid_from=START).memory.memory_id
    mem.clock.advance(days=1)
    tech.semantic.revise(fact, content="bay two is run by the day lead")
    mem.clock.advance(days=1)
    tech.semantic.retract(fact, "misread")
    found = tech.semantic.history(fact)
    frame = found.frame()
    assert frame["version"].tolist() == [1, 2, 3]
    assert frame["status"].tolist() == ["active", "active", "cancelled"]
    assert frame["superseded_at"].tolist()[:2] == frame["recorded_at"].tolist()[1:]
    assert frame["superseded_at"].isna().tolist() == [False, False, True]
    assert frame["content"].tolist() == [version.content for version in found]
