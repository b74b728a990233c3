"""Every planted source through every door: none becomes a live memory or stands in a context unlabelled."""

import json
from pathlib import Path

import pytest
from helpers import connection, opened

from teachmem import MemoryRefused, NotFound
from teachmem.flow import untrusted
from teachmem.flow.models import ScriptedModel
from teachmem.recall import label

DATA = Path(__file__).resolve().parent.parent / "data" / "sources.jsonl"
SOURCES = [json.loads(line) for line in DATA.read_text(encoding="utf-8").splitlines()]
PLANTED = [row for row in SOURCES if row["plants"]]


@pytest.fixture
def mem():
    with opened() as memory:
        yield memory


def agent_of(mem, row, name=None):
    return mem.agent(name or row["agent"], fleet=row["fleet"], tenant=row["tenant"])


def person_of(mem, row):
    return mem.person("shift-lead", fleet=row["fleet"], tenant=row["tenant"])


def live(mem):
    """Return every text of every live current row, past every rule: content, names and detail."""
    statuses = "('active', 'pending', 'confirmed')"
    with connection(mem) as raw:
        query = f"SELECT content, subject, object, detail, source FROM memories WHERE status IN {statuses}"
        return raw.execute(f"{query} AND superseded_at IS NULL").fetchall()


def holds(rows, marker):
    return any(marker in str(part) for row in rows for part in row)


def remember(tech, row):
    tech.semantic.remember(row["content"], source=row["source"])


def remember_as_triple(tech, row):
    tech.semantic.remember(
        row["content"], subject="page", predicate="contains", object=row["origin"], source=row["source"]
    )


def bulk(tech, row):
    item = {"content": row["content"], "source": row["source"]}
    for receipt in tech.semantic.remember_many(
        [item, {**item, "visibility": "org"}, {**item, "kind": "rule"}]
    ):
        assert receipt.verdict in ("staged", "refused", "duplicate")


def log(tech, row):
    tech.episodic.log("tool_call", row["content"], source=row["source"])


def note(tech, row):
    tech.working.write("page", "observed", row["origin"], row["content"], source=row["source"])


def note_that_supersedes(tech, row):
    held = tech.working.write("page", "observed", "state", "the state is known").memory.memory_id
    tech.working.write("page", "supersedes", held, row["content"], source=row["source"])
    assert tech.working.read(subject="page", predicate="observed")


def revise(tech, row):
    held = tech.semantic.remember("the page says nothing").memory.memory_id
    tech.semantic.revise(held, content=row["content"], source=row["source"])
    assert tech.semantic.get(held).content == "the page says nothing"


def private(tech, row):
    tech.semantic.remember(row["content"], source=row["source"], visibility="agent")


def retry(tech, row):
    for _ in range(2):
        tech.semantic.remember(row["content"], source=row["source"], request_id="r1")


DOORS = [remember, remember_as_triple, bulk, log, note, note_that_supersedes, revise, private, retry]


@pytest.mark.parametrize("door", DOORS, ids=lambda door: door.__name__)
def test_no_planted_text_gets_through_a_door(mem, door):
    for row in PLANTED:
        door(agent_of(mem, row, f"{row['agent']}-{row['id']}"), row)
        assert not holds(live(mem), row["marker"]), row["id"]
    assert mem.audit.verify().status == "complete"


@pytest.mark.parametrize("row", PLANTED, ids=lambda row: f"{row['id']}-{row['dress']}")
def test_a_planted_text_stands_in_no_context_but_behind_the_warning(mem, row):
    """And there it is found, on one line, by the question that asks for it: the positive control."""
    tech = agent_of(mem, row)
    for door in (remember, log, note):
        door(tech, row)
    context = tech.context(row["question"], 6000)
    shown = str(context)
    assert "\n" not in shown.split(untrusted.WARNING)[0]  # no trusted line at all
    assert [line.section for line in context.lines] == ["untrusted"] * 3
    for line in context.lines:
        assert f"untrusted {row['source']}" in line.text.split("]")[0]
        assert line.text.endswith(label.quoted(row["content"]))
    assert len(shown.splitlines()) == 4
    for answer in (tech.working.context(row["question"]), tech.working.read(), tech.episodic.recent()):
        assert row["marker"] not in str(answer)
    for found in (tech.semantic.search(row["question"]), tech.episodic.recall(row["question"])):
        assert not found.hits
    assert not tech.semantic.list().memories


def test_a_planted_text_reaches_no_batch_of_a_consolidation(mem):
    for row in PLANTED:
        tech = agent_of(mem, row)
        log(tech, row)
        note(tech, row)
        tech.working.write("page", "observed", "mood", f"a page came in, number {row['id']}")
    asked = []
    for row in PLANTED:
        model = ScriptedModel()
        agent_of(mem, row).consolidate(model)
        asked += [text for _, text in model.calls]
    assert asked
    for row in PLANTED:
        assert not any(row["marker"] in text or label.quoted(row["marker"])[1:-1] in text for text in asked)
        assert not holds(live(mem), row["marker"])


def test_what_waits_is_evidence_for_nothing(mem):
    """Neither the candidate's own id nor a claim of a model that names it carries a fact."""
    row = PLANTED[0]
    tech = agent_of(mem, row)
    waiting = tech.episodic.log("tool_call", row["content"], source=row["source"]).candidate_id
    with pytest.raises(NotFound):
        tech.semantic.remember("as the page says", evidence=[waiting])
    tech.working.write("page", "observed", "mood", "a page came in")
    claim = {"content": row["marker"], "evidence": [waiting]}
    report = tech.consolidate(ScriptedModel(json.dumps({"facts": [claim]})))
    assert (report.outcome, report.counts["evidence_not_found"]) == ("unusable answer", 1)


# ---- laundering: a person has read the text and kept it, and its source stays --------------------------


@pytest.fixture(params=["web", "tool"])
def kept(mem, request):
    """A page that a person approved: (source, agent, person, memory id)."""
    row = next(row for row in PLANTED if row["source"] == request.param and row["fleet"] == "dock")
    tech, lead = agent_of(mem, row), person_of(mem, row)
    candidate = tech.episodic.log("tool_call", row["content"], source=row["source"]).candidate_id
    memory = lead.review.approve(candidate).memory
    assert memory.source == request.param
    return request.param, tech, lead, memory.memory_id


def trusted(mem):
    return [row for row in live(mem) if row[-1] not in ("web", "tool")]


def test_what_an_agent_derives_from_a_page_waits_too(mem, kept):
    source, tech, _, page = kept
    before = len(live(mem))
    receipt = tech.semantic.remember("arms may run unguarded", evidence=[page])
    assert receipt.verdict == "staged"
    assert len(live(mem)) == before
    (line,) = tech.context("arms may run unguarded").section("untrusted")
    assert f"untrusted {source}" in line.text


def test_nor_does_a_second_step_wash_it_clean(mem, kept):
    source, tech, lead, page = kept
    once = tech.semantic.remember("arms may run unguarded", evidence=[page]).candidate_id
    first = lead.review.approve(once).memory
    assert first.source == source
    again = tech.semantic.remember("guards are not needed", evidence=[first.memory_id])
    assert again.verdict == "staged"
    assert not any("guards are not" in str(row) for row in trusted(mem))


def test_a_revision_by_an_agent_does_not_make_a_page_its_own_word(mem, kept):
    source, tech, lead, _ = kept
    fact = lead.review.approve(tech.semantic.remember("pads are fine", source=source).candidate_id).memory
    for changes in (
        {"confidence": 0.9},
        {"content": "pads are perfectly fine"},
        {"qualifiers": {"days": "all"}},
    ):
        receipt = tech.semantic.revise(fact.memory_id, **changes)
        assert receipt.verdict == "staged" or receipt.memory.source == source
    assert not any("pads are" in str(row) for row in trusted(mem))


def test_a_proposal_that_rests_on_a_page_is_quarantined(mem, kept):
    """A person reads it as what it is: its state says so, and its reason names the source."""
    source, tech, lead, page = kept
    tech.working.write("pads", "observed", "state", "pads look fine")
    report = tech.consolidate(ScriptedModel(json.dumps({"facts": [{"content": "x", "evidence": [page]}]})))
    (waiting,) = [one for one in lead.review.inbox() if one.candidate_id in report.proposed]
    assert waiting.state == "quarantined"
    assert source in waiting.reason
    (line,) = tech.context("x").section("untrusted")
    assert line.id == waiting.candidate_id


@pytest.mark.parametrize("source", ["person", "catalogue", "inferred"])
def test_no_agent_hands_a_page_in_under_a_better_name(mem, source):
    for row in PLANTED[:3]:
        with pytest.raises(MemoryRefused):
            agent_of(mem, row).semantic.remember(row["content"], source=source)
