"""Facts, triples and questions keep what the card says of them."""

import collections
import csv
import datetime as dt
import itertools
import json
import pathlib
import re

import pytest

from teachmem.principal import Principal
from teachmem.recall.text import terms
from teachmem.rules.scope import may_read
from teachmem.vocabulary import GRAPH_PREDICATES, KINDS, SINGLE_VALUED, SYSTEM_KINDS, Source, Tier

DATA = pathlib.Path(__file__).resolve().parent.parent / "data"
NOON = "2026-03-15T12:00:00Z"
FACT_FIELDS = [
    "id",
    "at",
    "tenant",
    "fleet",
    "agent",
    "writer",
    "kind",
    "content",
    "subject",
    "predicate",
    "object",
    "source",
    "confidence",
    "valid_from",
    "valid_to",
    "visibility",
    "qualifiers",
    "evidence",
    "revises",
    "contradicts",
    "story",
]
LEAST = {"lexical": 22, "paraphrase": 22, "temporal": 22, "multi_hop": 22, "absent": 20, "out_of_scope": 15}
MOMENT = re.compile(r"\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\dZ)?")


def rows_of(name):
    return [json.loads(line) for line in (DATA / name).read_text("utf-8").splitlines()]


CATALOGUE = json.loads((DATA / "catalogue.json").read_text("utf-8"))
EVENTS = {row["id"]: row for row in rows_of("episodes.jsonl")}
FACTS = {row["id"]: row for row in rows_of("facts.jsonl")}
ROWS = EVENTS | FACTS
QUERIES = rows_of("queries.jsonl")
with (DATA / "graph.csv").open(encoding="utf-8", newline="") as handle:
    HEADER, *GRAPH = list(csv.reader(handle))


def of_kind(*kinds):
    return [pytest.param(q, id=q["id"]) for q in QUERIES if q["kind"] in kinds]


def interval(start, end):
    """Both ends as comparable text; a date is midnight UTC, an open end sorts outside everything."""
    start, end = (value and (value if "T" in value else f"{value}T00:00:00Z") for value in (start, end))
    return start or "", end or "9999"


def overlap(one, other):
    return one[0] < other[1] and other[0] < one[1]


def reads(asker, row):
    """The clause of scope, written once more so that the package's own can be held against it."""
    if asker["tenant"] != row["tenant"]:
        return False
    match row.get("visibility", "team"):
        case "org":
            return True
        case "team":
            return asker["fleet"] == row["fleet"] or asker["clearance"] >= 2
    return (asker["fleet"], asker["name"]) == (row["fleet"], row["agent"])


def strength(fact):
    """How strong the evidence of a fact is: larger is stronger."""
    source = fact["source"] or ("agent" if fact["writer"] == "agent" else "person")
    return -list(Source).index(source), 0.5 if fact["confidence"] is None else fact["confidence"]


REVISED = {fact["revises"] for fact in FACTS.values()} - {None}
PAIRS = [(fact, FACTS[fact["contradicts"]]) for fact in FACTS.values() if fact["contradicts"]]
OUTDONE = {min(pair, key=strength)["id"] for pair in PAIRS if strength(pair[0]) != strength(pair[1])}


def held(row):
    """Say whether the world at noon still agrees: not revised, not outdone, within its interval."""
    start, end = interval(row.get("valid_from"), row.get("valid_to"))
    return row["id"] not in REVISED | OUTDONE and start <= NOON < end


# ---------------------------------------------------------------- the graph


def test_graph_shape():
    assert HEADER == ["subject", "predicate", "object", "valid_from", "valid_to", "source"]
    assert len(GRAPH) >= 220
    assert len({tuple(row) for row in GRAPH}) == len(GRAPH)
    assert {predicate for _, predicate, *_ in GRAPH} == set(GRAPH_PREDICATES)
    for row in GRAPH:
        subject, _, thing, start, end, source = row
        assert subject, row
        assert thing, row
        assert source in {"catalogue", "person", "agent"}
        assert all(not value or MOMENT.fullmatch(value) for value in (start, end)), row
        assert interval(start, end)[0] < interval(start, end)[1], row


def test_a_single_valued_predicate_has_one_object_at_a_time():
    spans = collections.defaultdict(list)
    for subject, predicate, thing, start, end, _ in GRAPH:
        if predicate in SINGLE_VALUED:
            spans[subject, predicate].append((interval(start, end), thing))
    assert any(len(found) > 1 for found in spans.values())
    for key, found in spans.items():
        for (one, _), (other, _) in itertools.combinations(found, 2):
            assert not overlap(one, other), key


def test_the_graph_agrees_with_the_catalogue():
    triples = {tuple(row[:3]) for row in GRAPH}
    for robot in CATALOGUE:
        assert (robot["id"], "has_category", robot["category"]) in triples
        assert (robot["id"], "belongs_to_model", robot["model"]) in triples
        assert (robot["id"], "has_status", robot["status"]) in triples
    tags = {robot["id"]: robot["tags"] for robot in CATALOGUE}
    for subject, predicate, thing in triples:
        assert predicate != "has_tag" or thing in tags[subject]


def test_the_graph_holds_nothing_of_the_cold_chain():
    for row in GRAPH:
        assert not re.search(r"DS-\d|SG-\d", " ".join(row)), row


def test_the_graph_agrees_with_what_is_still_believed():
    told = collections.defaultdict(list)
    for subject, predicate, thing, start, end, _ in GRAPH:
        told[subject, predicate].append((interval(start, end), thing))
    for fact in FACTS.values():
        believed = fact["id"] not in REVISED | OUTDONE and fact["tenant"] == "northlight"
        if not fact["subject"] or not believed or fact["qualifiers"]:
            continue
        span = interval(fact["valid_from"], fact["valid_to"])
        then = {thing for when, thing in told[fact["subject"], fact["predicate"]] if overlap(when, span)}
        assert fact["object"] in then, fact["id"]
        assert fact["predicate"] not in SINGLE_VALUED or then == {fact["object"]}, fact["id"]


@pytest.mark.parametrize(
    "query", [pytest.param(q, id=q["id"]) for q in QUERIES if q.get("note", "").startswith("path: ")]
)
def test_a_path_in_a_note_is_in_the_graph(query):
    edges = {frozenset((row[0], row[2])) for row in GRAPH}
    stops = query["note"].removeprefix("path: ").split(" > ")
    assert len(stops) >= 2
    for pair in itertools.pairwise(stops):
        assert frozenset(pair) in edges, pair


def test_questions_walk_two_and_three_hops():
    hops = collections.Counter(
        q["note"].count(" > ") for q in QUERIES if q.get("note", "").startswith("path: ")
    )
    assert hops[2] >= 5
    assert hops[3] >= 3


# ---------------------------------------------------------------- the facts


def test_facts_shape():
    assert len(FACTS) >= 120
    assert len({fact["content"].casefold() for fact in FACTS.values()}) == len(FACTS)
    kinds = set(KINDS[Tier.SEMANTIC]) - set(SYSTEM_KINDS[Tier.SEMANTIC]) - {"document"}
    for fact in FACTS.values():
        assert list(fact) == FACT_FIELDS
        assert fact["kind"] in kinds
        assert 40 <= len(fact["content"]) <= 260, fact["id"]
        assert fact["visibility"] in {"team", "org", "agent"}
        assert fact["writer"] in {"agent", "person", "steward"}
        assert fact["confidence"] is None or 0 <= fact["confidence"] <= 1
        assert fact["qualifiers"] in (None, {"days": "weekday"}, {"days": "weekend"})
        for value in (fact["valid_from"], fact["valid_to"]):
            assert value is None or MOMENT.fullmatch(value)
            assert value is None or dt.datetime.fromisoformat(value)
        start, end = interval(fact["valid_from"], fact["valid_to"])
        assert start < end, fact["id"]


def test_a_triple_is_whole_and_in_the_vocabulary():
    for fact in FACTS.values():
        parts = [fact[name] for name in ("subject", "predicate", "object")]
        assert all(parts) or parts == [None] * 3, fact["id"]
        assert fact["predicate"] is None or fact["predicate"] in GRAPH_PREDICATES


def test_writers_claim_and_share_only_what_they_may():
    for fact in FACTS.values():
        by_name = re.fullmatch(rf"{fact['fleet']}-\d", fact["agent"]) is not None
        assert by_name == (fact["writer"] == "agent"), fact["id"]
        assert fact["source"] is None or (fact["source"], fact["writer"]) == ("catalogue", "steward")
        assert fact["visibility"] != "org" or fact["writer"] == "steward", fact["id"]


def test_evidence_came_before_and_the_writer_could_read_it():
    for fact in FACTS.values():
        clearance = 3 if fact["writer"] == "steward" else 1
        writer = {
            "tenant": fact["tenant"],
            "fleet": fact["fleet"],
            "name": fact["agent"],
            "clearance": clearance,
        }
        for event in (EVENTS[name] for name in fact["evidence"]):
            assert event["at"] <= fact["at"], fact["id"]
            assert reads(writer, event), fact["id"]


def test_a_revision_is_of_an_earlier_row_that_the_writer_may_revise():
    assert len(REVISED) == sum(fact["revises"] is not None for fact in FACTS.values())
    for new in FACTS.values():
        if new["revises"] is None:
            continue
        old = FACTS[new["revises"]]
        assert old["at"] < new["at"]
        for field in ("tenant", "fleet", "kind", "visibility", "subject", "predicate"):
            assert old[field] == new[field], (new["id"], field)
        assert (
            new["writer"] == "steward"
            or (new["writer"] == "person" and old["visibility"] == "team")
            or new["agent"] == old["agent"]
        ), new["id"]


def test_contradictions_are_of_every_strength():
    outcomes = collections.Counter()
    for new, old in PAIRS:
        assert old["at"] < new["at"]
        assert new["tenant"] == old["tenant"]
        assert old["visibility"] == "org" or old["fleet"] == new["fleet"]
        outcomes[(strength(new) > strength(old)) - (strength(new) < strength(old))] += 1
    assert outcomes == {1: 2, 0: 2, -1: 2}


def test_no_other_facts_conflict():
    named = {frozenset((new["id"], old["id"])) for new, old in PAIRS}
    claims = collections.defaultdict(list)
    for fact in FACTS.values():  # in order of time, each revision in place of what it revises
        if fact["predicate"] not in SINGLE_VALUED:
            continue
        here = claims[fact["tenant"], fact["subject"], fact["predicate"]]
        here[:] = [other for other in here if other["id"] != fact["revises"]]
        for other in here:
            same_days = other["qualifiers"] == fact["qualifiers"]
            spans = [interval(row["valid_from"], row["valid_to"]) for row in (fact, other)]
            if other["object"] != fact["object"] and same_days and overlap(*spans):
                assert frozenset((fact["id"], other["id"])) in named, (fact["id"], other["id"])
        here.append(fact)


def test_facts_cover_what_the_lessons_need():
    facts = list(FACTS.values())
    days = collections.Counter(fact["qualifiers"]["days"] for fact in facts if fact["qualifiers"])
    assert min(days["weekday"], days["weekend"]) >= 3
    assert sum(interval(None, fact["valid_to"])[1] <= NOON for fact in facts) >= 10
    assert sum(fact["visibility"] == "agent" for fact in facts) >= 5
    assert sum(fact["visibility"] == "org" for fact in facts) >= 8
    assert sum(fact["tenant"] == "southgate" for fact in facts) >= 12
    assert sum(fact["kind"] == "preference" for fact in facts) >= 3
    assert sum(not re.search("[a-z]{3}", fact["content"]) for fact in facts) >= 6


def test_the_late_correction_moves_the_day_and_keeps_the_old_belief():
    (old,) = [f for f in FACTS.values() if f["content"].startswith("The night-lead becomes manager")]
    (new,) = [f for f in FACTS.values() if f["revises"] == old["id"]]
    assert (old["valid_from"], new["valid_from"]) == ("2026-03-09", "2026-03-07")
    assert new["at"] > "2026-03-13"
    assert new["writer"] == "steward"


# ---------------------------------------------------------------- the questions


def test_questions_shape():
    assert len(QUERIES) >= 130
    assert len({(q["question"].casefold(), q["asker"]["name"]) for q in QUERIES}) == len(QUERIES)
    counts = collections.Counter(q["kind"] for q in QUERIES)
    assert counts.keys() == LEAST.keys()
    for kind, least in LEAST.items():
        assert counts[kind] >= least, kind
    tiers = collections.Counter(q["tier"] for q in QUERIES)
    assert min(tiers.values()) >= 0.4 * len(QUERIES)
    for q in QUERIES:
        assert [*q, "note"][:7] == ["id", "kind", "tier", "asker", "question", "evidence", "note"]
        assert list(q["asker"]) == ["name", "fleet", "tenant", "clearance"]
        assert 8 <= len(q["question"]) <= 160
        assert q.get("note") != ""


def test_evidence_exists_is_graded_and_of_the_tier():
    for q in QUERIES:
        known = FACTS if q["tier"] == "semantic" else EVENTS
        ids = [entry["id"] for entry in q["evidence"]]
        assert set(ids) <= known.keys(), q["id"]
        assert len(set(ids)) == len(ids)
        assert all(list(entry) == ["id", "grade"] and entry["grade"] in {1, 2, 3} for entry in q["evidence"])
        if q["kind"] == "absent":
            assert ids == []
        else:
            assert max(entry["grade"] for entry in q["evidence"]) == 3, q["id"]
        assert q["kind"] != "multi_hop" or len(ids) >= 2, q["id"]


def test_evidence_is_visible_except_out_of_scope():
    for q in QUERIES:
        for row in (ROWS[entry["id"]] for entry in q["evidence"]):
            assert reads(q["asker"], row) == (q["kind"] != "out_of_scope"), (q["id"], row["id"])


def test_the_clause_here_is_the_one_of_the_package():
    outcomes = collections.Counter()
    for q in QUERIES:
        asker = q["asker"]
        principal = Principal(asker["tenant"], asker["fleet"], asker["name"], clearance=asker["clearance"])
        for row in ROWS.values():
            address = [row["tenant"], row["fleet"], row["agent"], row.get("visibility", "team")]
            assert reads(asker, row) == may_read(principal, *address)
            outcomes[reads(asker, row)] += 1
    assert min(outcomes[True], outcomes[False]) > 1000


def test_out_of_scope_questions_fail_for_every_reason():
    reasons = set()
    for q in QUERIES:
        if q["kind"] == "out_of_scope":
            row = ROWS[q["evidence"][0]["id"]]
            other = row["tenant"] != q["asker"]["tenant"]
            reasons.add("tenant" if other else row.get("visibility", "team"))
    assert reasons == {"tenant", "team", "agent"}


@pytest.mark.parametrize("query", of_kind("lexical", "paraphrase", "multi_hop"))
def test_evidence_holds_at_noon(query):
    for entry in query["evidence"]:
        assert held(ROWS[entry["id"]]), entry


@pytest.mark.parametrize("query", of_kind("temporal"))
def test_evidence_of_a_temporal_question_holds_when_it_asks_about(query):
    found = dict(re.findall(r"(known_at|at): (\S+Z)", query.get("note", "")))
    best = [ROWS[entry["id"]] for entry in query["evidence"] if entry["grade"] == 3]
    if "at" in found:
        for row in best:
            start, end = interval(row["valid_from"], row["valid_to"])
            assert start <= found["at"] < end, row["id"]
    for row in best:
        changed = [fact["at"] for fact in FACTS.values() if fact["revises"] == row["id"]]
        assert row["at"] <= found.get("known_at", NOON)
        assert all(at > found.get("known_at", NOON) for at in changed), row["id"]


def test_some_temporal_questions_ask_for_what_has_ended_or_was_believed():
    notes = [q.get("note", "") for q in QUERIES if q["kind"] == "temporal"]
    assert sum(note.startswith("at: ") for note in notes) >= 10
    assert any("known_at: " in note for note in notes)
    assert sum("last week" in q["question"].casefold() for q in QUERIES if q["kind"] == "temporal") >= 2


@pytest.mark.parametrize("query", of_kind("paraphrase"))
def test_a_paraphrase_has_no_word_of_its_best_evidence(query):
    asked = set(terms(query["question"]))
    assert len(asked) >= 3
    for entry in query["evidence"]:
        if entry["grade"] == 3:
            assert not asked & set(terms(ROWS[entry["id"]]["content"])), entry["id"]


@pytest.mark.parametrize("query", of_kind("lexical"))
def test_a_lexical_question_has_a_rare_word_of_its_best_evidence(query):
    rows = FACTS if query["tier"] == "semantic" else EVENTS
    holding = collections.Counter(term for row in rows.values() for term in set(terms(row["content"])))
    best = [entry["id"] for entry in query["evidence"] if entry["grade"] == 3]
    for name in best:
        shared = set(terms(query["question"])) & set(terms(rows[name]["content"]))
        assert min(holding[term] for term in shared) <= 6, name


@pytest.mark.parametrize("query", of_kind("absent"))
def test_an_absent_question_is_about_this_world(query):
    rows = FACTS if query["tier"] == "semantic" else EVENTS
    words = {term for row in rows.values() for term in terms(row["content"])}
    assert words & set(terms(query["question"]))
