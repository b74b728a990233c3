"""The data keeps what its card and the lessons promise."""

import collections
import csv
import datetime as dt
import itertools
import json
import pathlib
import re
import unicodedata

import pytest

DATA = pathlib.Path(__file__).resolve().parent.parent / "data"
KINDS = {"user_turn", "agent_response", "tool_call", "observation"}
PREDICATES = {
    "observed",
    "inferred",
    "relevant_to",
    "summarized_as",
    "contradicts",
    "supersedes",
    "depends_on",
}
ACTS = {"contradicts", "supersedes", "depends_on"}
FLEETS = {"northlight": {"dock", "line", "lab"}, "southgate": {"cold"}}
TIME = re.compile(r"2026-03-(0[2-9]|1[0-5])T(0[6-9]|1[0-3]):[0-5]\d:[0-5]\dZ")
CLOCK = "2026-03-15T12:00:00Z"
EVENT_FIELDS = ["id", "at", "tenant", "fleet", "agent", "session", "kind", "content", "importance", "story"]
NOTE_FIELDS = [
    "id",
    "at",
    "tenant",
    "fleet",
    "agent",
    "session",
    "subject",
    "predicate",
    "object",
    "content",
    "story",
]
ROBOT_FIELDS = [
    "id",
    "model",
    "name",
    "component",
    "version",
    "summary",
    "category",
    "status",
    "tags",
    "specifications",
    "last_verified",
]


def text(name):
    return (DATA / name).read_bytes().decode("utf-8")


def lines(name):
    return [json.loads(line) for line in text(name).splitlines()]


CATALOGUE = json.loads(text("catalogue.json"))
EVENTS = lines("episodes.jsonl")
NOTES = lines("notes.jsonl")
FACTS = lines("facts.jsonl")
QUERIES = lines("queries.jsonl")
SOURCES = lines("sources.jsonl")
TRIPLES = list(csv.DictReader(text("graph.csv").splitlines()))
CARD = text("README.md")


def tagged(rows, story):
    return [row for row in rows if row["story"] == story]


def table(heading):
    """The rows of the card's table whose first header cell is `heading` and whose other cells are given."""
    rows, inside = {}, False
    for line in CARD.splitlines():
        if line.strip() == heading:
            inside = True
        elif inside and not line.startswith("|"):
            break
        elif inside and not line.startswith("|---"):
            first, *rest = (cell.strip() for cell in line.strip("|").split("|"))
            rows[first.strip("`")] = rest
    assert rows, heading
    return rows


# ---------------------------------------------------------------- all files


FILES = [
    "README.md",
    "catalogue.json",
    "episodes.jsonl",
    "facts.jsonl",
    "graph.csv",
    "notes.jsonl",
    "queries.jsonl",
    "sources.jsonl",
]
UNSEEN = re.compile(
    r"\\u(?:00ad|20[0-6][0-9a-f]|db40|dc[0-9a-f]{2})"
)  # escaped, so that an editor shows them


@pytest.mark.parametrize("name", FILES)
def test_file_is_plain_utf8(name):
    raw = (DATA / name).read_bytes()
    assert not raw.startswith(b"\xef\xbb\xbf")
    assert b"\r" not in raw
    escapes = set(re.findall(rb"\\u....", raw))
    assert name == "sources.jsonl" or not escapes
    assert all(UNSEEN.fullmatch(escape.decode()) for escape in escapes)
    assert raw.endswith(b"\n")
    assert len(raw) < 200_000
    assert raw.decode("utf-8") == unicodedata.normalize("NFC", raw.decode("utf-8"))


def test_the_folder_is_small():
    assert sum(path.stat().st_size for path in DATA.rglob("*") if path.is_file()) < 600_000


@pytest.mark.parametrize(
    ("rows", "prefix", "digits"),
    [
        pytest.param(CATALOGUE, "NL", 4, id="catalogue"),
        pytest.param(EVENTS, "ep", 3, id="episodes"),
        pytest.param(NOTES, "nt", 3, id="notes"),
        pytest.param(FACTS, "fa", 3, id="facts"),
        pytest.param(QUERIES, "q", 3, id="queries"),
        pytest.param(SOURCES, "so", 3, id="sources"),
    ],
)
def test_ids_count_from_one_without_gap(rows, prefix, digits):
    assert [row["id"] for row in rows] == [f"{prefix}-{n:0{digits}d}" for n in range(1, len(rows) + 1)]


@pytest.mark.parametrize(
    "rows", [EVENTS, NOTES, FACTS, SOURCES], ids=["episodes", "notes", "facts", "sources"]
)
def test_times_are_whole_seconds_utc_in_order_within_the_early_shift(rows):
    times = [row["at"] for row in rows]
    assert all(TIME.fullmatch(at) for at in times)
    assert all(earlier < later for earlier, later in itertools.pairwise(times))
    assert all(dt.datetime.fromisoformat(at).utcoffset() == dt.timedelta(0) for at in times)
    assert times[-1] < CLOCK


@pytest.mark.parametrize("rows", [EVENTS, NOTES], ids=["episodes", "notes"])
def test_addresses_agree_with_sessions(rows):
    agents = collections.defaultdict(set)
    for row in rows:
        assert row["fleet"] in FLEETS[row["tenant"]]
        assert row["agent"].startswith(row["fleet"] + "-")
        assert re.fullmatch(rf"{row['fleet']}-{row['at'][5:7]}{row['at'][8:10]}-[a-z]", row["session"])
        agents[row["session"]].add(row["agent"])
    assert all(len(names) == 1 for names in agents.values())


def test_robots_that_are_named_are_in_the_catalogue():
    known = {robot["id"] for robot in CATALOGUE}
    for row in EVENTS + NOTES + FACTS + QUERIES:
        assert set(re.findall(r"NL-\d+", json.dumps(row))) <= known, row["id"]
    for triple in TRIPLES:
        assert set(re.findall(r"NL-\d+", json.dumps(triple))) <= known, triple


def test_people_are_roles_and_nobody_shouts():
    for row in EVENTS + NOTES + FACTS + QUERIES:
        said = row["question"] if row in QUERIES else row["content"]
        assert "!" not in said
        assert not re.search(r"\b(Mr|Mrs|Ms|Dr)\b\.?", said)


# ---------------------------------------------------------------- catalogue


def test_catalogue_shape():
    assert len(CATALOGUE) >= 40
    assert len({robot["category"] for robot in CATALOGUE}) >= 13
    assert len({robot["model"] for robot in CATALOGUE}) >= 10
    assert len({robot["summary"] for robot in CATALOGUE}) == len(CATALOGUE)
    assert {robot["status"] for robot in CATALOGUE} == {"active", "draft", "deprecated"}


@pytest.mark.parametrize("robot", CATALOGUE, ids=lambda robot: robot["id"])
def test_robot(robot):
    assert list(robot) == ROBOT_FIELDS
    assert 90 <= len(robot["summary"]) <= 200
    assert 2 <= len(robot["tags"]) <= 4
    assert len(set(robot["tags"])) == len(robot["tags"])
    assert 3 <= len(robot["specifications"]) <= 5
    for entry in robot["specifications"].values():
        assert list(entry) == ["value", "unit"]
        assert type(entry["value"]) in {int, float}
        assert entry["unit"]
    assert dt.date.fromisoformat(robot["last_verified"]) <= dt.date(2026, 3, 15)


# ---------------------------------------------------------------- episodes


def test_events_shape():
    assert 420 <= len(EVENTS) <= 460
    for event in EVENTS:
        assert list(event) == EVENT_FIELDS
        assert event["kind"] in KINDS
        assert 30 <= len(event["content"]) <= 260, event["id"]
        assert event["importance"] is None or 0 <= event["importance"] <= 1


def test_events_cover_shifts_agents_and_sessions():
    days = collections.Counter(event["at"][:10] for event in EVENTS)
    assert list(days) == [f"2026-03-{day:02d}" for day in range(2, 16)]
    assert all(25 <= count <= 35 for count in days.values())
    assert len({event["agent"] for event in EVENTS}) >= 8
    assert len({event["session"] for event in EVENTS}) >= 34
    assert {(event["tenant"], event["fleet"]) for event in EVENTS} == {
        (tenant, fleet) for tenant, fleets in FLEETS.items() for fleet in fleets
    }
    assert {event["kind"] for event in EVENTS} == KINDS


def test_about_a_third_of_the_events_has_no_importance():
    assert 0.28 <= sum(event["importance"] is None for event in EVENTS) / len(EVENTS) <= 0.40


def test_no_two_events_say_the_same():
    counts = collections.Counter(event["content"].casefold() for event in EVENTS)
    assert [content for content, count in counts.items() if count > 1] == []


def test_last_event_is_the_lunch_menu_and_the_only_one():
    last = EVENTS[-1]
    assert last["at"] == "2026-03-15T11:59:00Z"
    assert (last["agent"], last["fleet"], last["kind"]) == ("dock-1", "dock", "observation")
    assert last["importance"] == 0.8
    assert "lunch menu" in last["content"]
    for event in EVENTS[:-1]:
        assert not re.search(r"lunch|menu|canteen", event["content"], re.IGNORECASE), event["id"]


def test_one_event_is_the_exact_match_for_the_slip():
    query = "gripper slipped at station four"
    (match,) = [event for event in EVENTS if query in event["content"].casefold()]
    assert match["at"] == "2026-03-13T12:00:00Z"
    assert match["importance"] == 0.3
    assert match["story"] == "gripper-slip"
    assert "HX-2207" in match["content"]
    # it is in the same fleet as the lunch menu, so that one reader sees both
    assert (match["tenant"], match["fleet"]) == (EVENTS[-1]["tenant"], EVENTS[-1]["fleet"])
    for event in EVENTS:  # no other event has both the gripper and the slip
        words = event["content"].casefold()
        assert event is match or not ("gripper" in words and "slip" in words), event["id"]


def test_other_scripts():
    found = collections.Counter()
    for event in EVENTS:
        scripts = {unicodedata.name(ch).split()[0] for ch in event["content"] if ch.isalpha()} - {
            "LATIN",
            "FULLWIDTH",
        }
        assert bool(scripts) == (event["story"] == "other-script"), event["id"]
        found.update(scripts)
    assert {"HIRAGANA", "KATAKANA", "CJK", "GREEK", "ARABIC", "HANGUL", "CYRILLIC"} <= set(found)


@pytest.mark.parametrize(
    ("story", "least", "word"),
    [
        ("gripper-slip", 40, "NL-0003"),
        ("arm-restart", 15, "NL-0012"),
        ("humid-hoist", 15, "NL-0007"),
        ("cold-chain", 20, "room three"),
        ("bay-two", 8, "night-lead"),
        ("recall-of-pads", 6, "26-0131"),
        ("door-code", 4, "4411"),
        ("lot-numbers", 4, "L-2603-44"),
        ("dock-plates", 4, "bay four"),
        ("forklift-near-miss", 4, "crossing"),
        ("wifi-dropouts", 4, "NL-0042"),
        ("battery-swap", 4, "pack 31"),
        ("lane-limit", 4, "totes"),
    ],
)
def test_storyline_has_enough_events(story, least, word):
    events = tagged(EVENTS, story)
    assert len(events) >= least
    assert any(word in event["content"] for event in events)


def test_the_cold_chain_belongs_to_southgate_alone():
    assert {event["tenant"] for event in tagged(EVENTS, "cold-chain")} == {"southgate"}


def test_the_warning_about_the_arm_precedes_the_restart():
    arm = tagged(EVENTS, "arm-restart")
    (warning,) = [event for event in arm if event["content"].startswith("Safety-officer: NL-0012 stays off.")]
    (restart,) = [event for event in arm if event["content"].startswith("restart(robot=NL-0012")]
    assert warning["at"] < restart["at"]
    assert "before the brake check" in warning["content"]


def test_the_correction_of_bay_two_comes_late():
    (entry,) = [
        e for e in tagged(EVENTS, "bay-two") if "from Monday 9 March the night-lead runs" in e["content"]
    ]
    (correction,) = [e for e in tagged(EVENTS, "bay-two") if "Data-officer: correction." in e["content"]]
    assert entry["at"] < "2026-03-07T00:00:00Z"
    assert correction["at"] > "2026-03-13T00:00:00Z"
    assert "Saturday 7 March" in correction["content"]


# ---------------------------------------------------------------- notes


def test_notes_shape():
    assert 60 <= len(NOTES) <= 80
    sessions = {(event["session"], event["agent"], event["fleet"], event["tenant"]) for event in EVENTS}
    extras = collections.Counter()
    for note in NOTES:
        assert list(note)[: len(NOTE_FIELDS)] == NOTE_FIELDS
        assert note["predicate"] in PREDICATES
        assert note["subject"]
        assert note["object"]
        assert len(note["object"]) <= 60
        assert "\n" not in note["content"]
        assert (note["session"], note["agent"], note["fleet"], note["tenant"]) in sessions
        extras.update(list(note)[len(NOTE_FIELDS) :])
    assert extras == {"rewrite_shortened": 1, "rewrite_enriched": 1}
    assert {note["predicate"] for note in NOTES} == PREDICATES
    assert len({note["content"] for note in NOTES}) == len(NOTES)


def test_a_note_that_acts_names_an_earlier_note_of_the_same_author():
    by_id = {note["id"]: note for note in NOTES}
    for note in NOTES:
        if note["predicate"] not in ACTS:
            assert not re.fullmatch(r"nt-\d+", note["object"])
            continue
        target = by_id[note["object"]]
        assert target["at"] < note["at"]
        for part in ("tenant", "fleet", "agent"):
            assert target[part] == note[part], note["id"]


def test_the_warning_stands_at_the_end_and_shortening_loses_it():
    (note,) = [note for note in NOTES if "rewrite_shortened" in note]
    words = note["content"].split()
    assert (note["agent"], note["session"], note["story"]) == ("dock-1", "dock-0315-a", "arm-restart")
    assert 40 <= len(words) <= 60
    assert note["content"].endswith("do NOT restart the arm")
    assert "NL-0012" in note["content"]
    assert note["rewrite_shortened"] == " ".join(words[: int(0.75 * len(words))])
    assert "restart" not in note["rewrite_shortened"]
    assert "brake check" not in note["rewrite_shortened"]


def test_the_enriched_rewrite_adds_a_claim():
    (note,) = [note for note in NOTES if "rewrite_enriched" in note]
    assert note["content"] == "pad wear seen on gripper of NL-0003"
    assert "because" in note["rewrite_enriched"]
    assert len(note["rewrite_enriched"]) > 2 * len(note["content"])


def test_the_newest_note_of_the_packed_session_is_very_long():
    session = [note for note in NOTES if note["session"] == "dock-0315-a"]
    assert {note["agent"] for note in session} == {"dock-1"}
    *others, newest = session
    assert newest["story"] == "long-head"
    assert 900 <= len(newest["content"].split()) <= 1300
    plain = [note for note in others if "rewrite_shortened" not in note and "rewrite_enriched" not in note]
    assert 10 <= len(plain) <= 14
    assert all(10 <= len(note["content"].split()) <= 45 for note in plain)


def test_the_limit_of_ten_is_superseded_by_twenty():
    (new,) = [note for note in NOTES if note["predicate"] == "supersedes"]
    (old,) = [note for note in NOTES if note["id"] == new["object"]]
    assert "limit at station six is 10 totes" in old["content"]
    assert "limit at station six is 20 totes" in new["content"]


def test_the_door_code_is_in_no_note_fact_or_question():
    assert not any("4411" in json.dumps(row) for row in NOTES + FACTS + QUERIES)


# ---------------------------------------------------------------- the card


def test_card_counts_rows():
    rows = table("| file | rows | one row is |")
    counts = {name: int(cells[0]) for name, cells in rows.items()}
    assert counts == {
        "catalogue.json": len(CATALOGUE),
        "episodes.jsonl": len(EVENTS),
        "notes.jsonl": len(NOTES),
        "facts.jsonl": len(FACTS),
        "graph.csv": len(TRIPLES),
        "queries.jsonl": len(QUERIES),
        "skills/*.md": len(list((DATA / "skills").glob("*.md"))),
        "sources.jsonl": len(SOURCES),
    }


@pytest.mark.parametrize(
    ("heading", "rows", "field"),
    [
        ("| category | robots |", CATALOGUE, "category"),
        ("| status | robots |", CATALOGUE, "status"),
        ("| kind | events |", EVENTS, "kind"),
        ("| agent | events |", EVENTS, "agent"),
        ("| tenant | events |", EVENTS, "tenant"),
        ("| predicate | notes |", NOTES, "predicate"),
        ("| kind | facts |", FACTS, "kind"),
        ("| visibility | facts |", FACTS, "visibility"),
        ("| writer | facts |", FACTS, "writer"),
        ("| tenant | facts |", FACTS, "tenant"),
        ("| predicate | triples |", TRIPLES, "predicate"),
        ("| kind | sources |", SOURCES, "kind"),
        ("| dress | sources | how |", SOURCES, "dress"),
    ],
)
def test_card_counts(heading, rows, field):
    counted = {name: int(cells[0]) for name, cells in table(heading).items()}
    assert counted == collections.Counter(row[field] for row in rows)


def test_card_counts_days():
    counted = {day: int(cells[0]) for day, cells in table("| day | events |").items()}
    assert counted == collections.Counter(event["at"][:10] for event in EVENTS)


def test_card_counts_storylines():
    rows = table("| story | events | notes | facts | for |")
    counted = {name: tuple(int(cell) for cell in cells[:3]) for name, cells in rows.items()}
    stories = {row["story"] or "(none)" for row in EVENTS + NOTES + FACTS}
    assert counted == {
        story: tuple(
            sum((row["story"] or "(none)") == story for row in rows) for rows in (EVENTS, NOTES, FACTS)
        )
        for story in stories
    }


def test_card_counts_questions():
    counted = {
        kind: tuple(int(cell) for cell in cells)
        for kind, cells in table("| kind | questions | semantic | episodic |").items()
    }
    tiers = {kind: [q["tier"] for q in QUERIES if q["kind"] == kind] for kind in counted}
    assert counted == {
        kind: (len(found), found.count("semantic"), found.count("episodic")) for kind, found in tiers.items()
    }
    assert sum(total for total, *_ in counted.values()) == len(QUERIES)


def test_card_says_other_numbers_right():
    models = len({robot["model"] for robot in CATALOGUE})
    sessions = len({event["session"] for event in EVENTS})
    unset = sum(event["importance"] is None for event in EVENTS)
    packed = [note for note in NOTES if note["session"] == "dock-0315-a"]
    (arm,) = [note for note in NOTES if "rewrite_shortened" in note]
    for sentence in (
        f"one of {models} models",
        f"one of {len({robot['category'] for robot in CATALOGUE})}, counted below",
        f"{sessions} sessions. {unset} events have importance null.",
        f"{len(packed)} notes, the newest of {len(packed[-1]['content'].split())} words",
        f"the {len(arm['content'].split())}-word note",
        f"one of {len({fact['kind'] for fact in FACTS})} kinds of a claim",
        f"{sum(fact['revises'] is not None for fact in FACTS)} facts revise an earlier one.",
        f"{sum(fact['contradicts'] is not None for fact in FACTS)} contradict one",
        f"{sum(fact['qualifiers'] is not None for fact in FACTS)} hold on weekdays or at weekends only",
        f"{sum(fact['confidence'] is None for fact in FACTS)} have\nconfidence null",
        "CC BY 4.0",
    ):
        assert sentence in CARD, sentence


def test_card_names_every_field_and_unit():
    rewrites = ("rewrite_shortened", "rewrite_enriched")
    asked = {field for query in QUERIES for field in query}
    for field in {
        *ROBOT_FIELDS,
        *EVENT_FIELDS,
        *NOTE_FIELDS,
        *rewrites,
        *FACTS[0],
        *TRIPLES[0],
        *asked,
        *SOURCES[0],
    }:
        assert f"`{field}`" in CARD, field
    for robot in CATALOGUE:
        for entry in robot["specifications"].values():
            assert f"`{entry['unit']}`" in CARD, entry


# ---------------------------------------------------------------- sources


def test_sources_say_what_is_planted_in_them():
    assert 50 <= len(SOURCES) <= 70
    for row in SOURCES:
        assert list(row) == [
            "id",
            "at",
            "tenant",
            "fleet",
            "agent",
            "kind",
            "source",
            "origin",
            "dress",
            "plants",
            "marker",
            "question",
            "content",
        ]
        assert row["source"] == {"web": "web", "mail": "tool", "tool": "tool"}[row["kind"]]
        assert row["fleet"] in FLEETS[row["tenant"]]
        assert (row["plants"] is None) == (row["marker"] is None) == (row["dress"] == "none")
        assert row["plants"] in (None, "instruction", "claim")
        assert row["marker"] is None or row["marker"] in row["content"]
    assert len({row["content"] for row in SOURCES}) == len(SOURCES)


def test_every_marker_is_found_in_its_own_source_alone():
    """And in no other file: what a test finds by it was planted."""
    told = [text(name) for name in FILES if name not in ("sources.jsonl", "README.md")]
    for row in SOURCES:
        if row["marker"]:
            assert [other["id"] for other in SOURCES if row["marker"] in other["content"]] == [row["id"]]
            assert not any(row["marker"] in other for other in told)


def test_a_source_shares_a_word_with_its_question():
    from teachmem.recall import text as words

    for row in SOURCES:
        assert set(words.terms(row["question"])) & set(words.terms(row["content"])), row["id"]
