"""A memory in a file and back: whole, repeatable, row by row through the gate, and never over a tombstone."""

import hashlib
import json
from datetime import timedelta

import pytest
from helpers import connection, everything, opened, refusal

from teachmem import InvalidInput, MemoryRefused, StoreError

SECRET = "The door code is 4411"


@pytest.fixture
def mem():
    with opened() as memory:
        yield memory


@pytest.fixture
def other():
    with opened() as memory:
        memory.clock.advance(days=30)
        yield memory


def steward(mem, tenant="northlight"):
    return mem.person("data-officer", fleet="office", tenant=tenant, clearance=3)


def lead(mem, name="shift-lead"):
    return mem.person(name, fleet="dock", tenant="northlight")


def tech(mem, name="dock-1", fleet="dock"):
    return mem.agent(name, fleet=fleet, tenant="northlight")


def fill(mem):
    """A small world: every tier, three fleets, lineage, a time, a private row, an approved page."""
    seen = tech(mem).episodic.log("observation", "gate four sticks\u2028in the morning", importance=0.5)
    tech(mem).working.write(
        "gate four", "observed", "sticks", "gate four sticks", rewrites={"shortened": "g4"}
    )
    tech(mem).semantic.remember(
        "Bay two is run by the night lead",
        subject="bay two",
        predicate="manager",
        object="night lead",
        confidence=0.8,
        valid_from=mem.clock.now() - timedelta(days=3),
        qualifiers={"days": "weekend"},
        evidence=[seen.memory.memory_id],
    )
    tech(mem, "line-1", "line").semantic.remember("The line stops at noon")
    tech(mem).semantic.remember("my shorthand", visibility="agent")
    tech(mem).semantic.remember("The wiki says oil weekly", source="web")
    lead(mem).review.approve(lead(mem).review.inbox()[0])
    tech(mem).semantic.retract(tech(mem).semantic.remember("gone").memory.memory_id, "wrong")


def said(mem):
    """What is live, by all that a row says, and what each rests on, by its content."""
    names = (
        "fleet agent visibility session tier kind subject predicate object content importance confidence "
        "is_inferred source valid_from valid_to expires_at qualifiers twin_key"
    )
    with connection(mem) as raw:
        rows = raw.execute(
            f"SELECT {', '.join(names.split())} FROM memories "
            "WHERE superseded_at IS NULL AND status = 'active'"
        ).fetchall()
        rests = raw.execute(
            "SELECT c.content, p.content, d.relation FROM derivations d "
            "JOIN memories c ON c.memory_id = d.child JOIN memories p ON p.memory_id = d.parent "
            "WHERE c.superseded_at IS NULL AND p.superseded_at IS NULL"
        ).fetchall()
    return sorted(rows, key=repr), sorted(rests)


def test_a_whole_memory_goes_into_a_file_and_comes_back_as_it_was(mem, other, tmp_path):
    fill(mem)
    manifest = steward(mem).export(tmp_path / "northlight.jsonl")
    assert (manifest.memories, manifest.tombstones) == (6, 0)
    report = steward(other).load_export(tmp_path / "northlight.jsonl")
    assert report.verified
    assert (report.accepted, report.refused) == (6, [])
    assert said(other) == said(mem)
    assert said(other)[1]
    assert other.audit.verify().status == "complete"
    found = tech(other).semantic.search("who runs bay two")[0].memory
    assert found.detail["imported"]["by"] == "data-officer"
    assert tech(other).semantic.search("oil weekly")[0].memory.source == "web"


def test_what_an_import_says_of_the_past_is_a_claim_and_no_entry(mem, other, tmp_path):
    """Only acts of this store are counted; the claim cannot be changed afterwards without being seen."""
    fill(mem)
    steward(mem).export(tmp_path / "northlight.jsonl")
    before = other.audit.verify().entries
    report = steward(other).load_export(tmp_path / "northlight.jsonl")
    verified = other.audit.verify(deep=True)
    assert (verified.status, verified.entries) == ("complete", before + report.accepted)
    with connection(mem) as there, connection(other) as here:
        moments = {moment for (moment,) in there.execute("SELECT recorded_at FROM memories")}
        rows = here.execute("SELECT detail, recorded_at FROM memories").fetchall()
        assert len(rows) == report.accepted
        for detail, recorded_at in rows:
            assert json.loads(detail)["imported"]["recorded_at"] in moments
            assert recorded_at not in moments
        here.execute("UPDATE memories SET detail = replace(detail, 'data-officer', 'shift-lead')")
        here.commit()
    assert other.audit.verify().status == "complete"
    assert other.audit.verify(deep=True).status == "broken"


def test_importing_again_adds_nothing_and_brings_nothing_back(mem, other, tmp_path):
    fill(mem)
    path = tmp_path / "northlight.jsonl"
    steward(mem).export(path)
    steward(other).load_export(path)
    fact = tech(other).semantic.search("line stops")  # another fleet's
    assert all("line stops" not in hit.memory.content for hit in fact)
    gone = tech(other).semantic.search("bay two")[0].memory.memory_id
    tech(other).semantic.retract(gone, "changed since")
    before = everything(other)
    report = steward(other).load_export(path)
    assert (report.accepted, report.duplicates, report.refused) == (0, 6, [])
    assert everything(other) == before


def test_a_file_cannot_bring_back_what_was_withdrawn_from_its_own_store(mem, tmp_path):
    fill(mem)
    path = tmp_path / "northlight.jsonl"
    steward(mem).export(path)
    tech(mem).semantic.retract(tech(mem).semantic.search("bay two")[0].memory.memory_id, "changed since")
    report = steward(mem).load_export(path)
    assert (report.accepted, report.duplicates) == (0, 5)
    assert ["withdrawn" in why for _, _, why in report.refused] == [True]


def test_what_is_rejected_here_is_refused_and_the_others_are_kept(mem, other, tmp_path):
    tech(mem).semantic.remember(SECRET.upper())
    fill(mem)
    steward(mem).export(tmp_path / "all.jsonl")
    lead(other).semantic.reject(tech(other).semantic.remember(SECRET).memory.memory_id, "never share codes")
    report = steward(other).load_export(tmp_path / "all.jsonl")
    assert report.accepted == 6
    ((line, _, why),) = report.refused
    assert line == 2
    assert why.startswith("tombstone")
    assert "4411" not in str(report)
    assert not any("4411" in fact.content for fact in steward(other).semantic.list())


def test_tombstones_come_along_and_withdraw_what_is_live_there(mem, other, tmp_path):
    lead(mem).semantic.reject(tech(mem).semantic.remember(SECRET).memory.memory_id, "never share codes")
    steward(mem).export(tmp_path / "all.jsonl")
    tech(other).semantic.remember("the door CODE is 4411")
    report = steward(other).load_export(tmp_path / "all.jsonl")
    assert (report.tombstones, report.withdrawn) == (1, 1)
    assert not tech(other).semantic.list()
    refusal(other, lambda: tech(other).semantic.remember(SECRET))
    (stone,) = lead(other).tombstones()
    assert (stone.content, stone.reason) == (SECRET, "never share codes")
    assert steward(other).load_export(tmp_path / "all.jsonl").duplicates == 1
    lead(other).lift(stone.tombstone_id, "the code was changed")
    assert steward(other).load_export(tmp_path / "all.jsonl").tombstones == 0  # decided here, here it stays
    assert tech(other).semantic.remember(SECRET).verdict == "accepted"
    assert other.audit.verify().status == "complete"


def test_a_tombstone_without_its_text_still_refuses_there(mem, other, tmp_path):
    lead(mem).semantic.reject(tech(mem).semantic.remember(SECRET).memory.memory_id, "never share codes")
    with connection(mem) as raw:
        raw.execute("UPDATE tombstones SET content = NULL, figures = NULL, triple = NULL, reason = NULL")
    lead(other).semantic.reject(tech(other).semantic.remember("another").memory.memory_id, "x")  # its own key
    steward(mem).export(tmp_path / "all.jsonl")
    assert steward(other).load_export(tmp_path / "all.jsonl").tombstones == 1
    refusal(other, lambda: tech(other).semantic.remember(SECRET))


def test_a_lapsed_or_lifted_tombstone_stays_where_it_was(mem, other, tmp_path):
    for number, end in ((1, mem.clock.now() + timedelta(days=1)), (2, None)):
        fact = tech(mem).semantic.remember(f"The door code is 441{number}")
        lead(mem).semantic.reject(fact.memory.memory_id, "x", end)
    lead(mem).lift(lead(mem).tombstones()[0].tombstone_id, "y")
    steward(mem).export(tmp_path / "all.jsonl")
    assert steward(other).load_export(tmp_path / "all.jsonl").tombstones == 0
    assert steward(other).tombstones() == []


# ---- who may ---------------------------------------------------------------------------------------


def test_an_export_holds_what_its_person_may_read(mem, tmp_path):
    fill(mem)
    lead(mem).export(tmp_path / "dock.jsonl")
    text = (tmp_path / "dock.jsonl").read_text(encoding="utf-8")
    assert "bay two" in text
    assert not any(word in text for word in ("line stops", "shorthand", "gone"))
    with pytest.raises(InvalidInput, match="clearance 3"):
        lead(mem).export(tmp_path / "line.jsonl", fleet="line")
    steward(mem).export(tmp_path / "line.jsonl", fleet="line")
    assert "line stops" in (tmp_path / "line.jsonl").read_text(encoding="utf-8")
    assert not hasattr(tech(mem), "export")
    assert not hasattr(tech(mem), "load_export")


def test_rows_of_others_need_a_steward_and_a_whole_file(mem, other, tmp_path):
    fill(mem)
    lead(mem).semantic.remember("the lead's own word")
    path = tmp_path / "all.jsonl"
    steward(mem).export(path)
    report = lead(other).load_export(path)
    assert (report.accepted, len(report.refused)) == (1, 6)
    assert all("clearance 3" in why for _, _, why in report.refused)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([lines[0], *lines[1:-1], lines[-1].replace(b"lead's own", b"lead's last")]))
    report = steward(other).load_export(path)
    assert not report.verified
    assert report.accepted == 0
    assert all("manifest" in why for _, _, why in report.refused)


def test_a_forged_row_gains_no_trust(mem, other, tmp_path):
    """Who edits a row and the manifest with it is found by nobody; a clearance bounds them."""
    fill(mem)
    path = tmp_path / "all.jsonl"
    steward(mem).export(path)
    lines = path.read_bytes().splitlines(keepends=True)
    row = json.loads(lines[-1])
    row["memory"] |= {"fleet": "dock", "agent": "shift-lead", "source": "person", "kind": "rule"}
    lines[-1] = json.dumps(row).encode() + b"\n"
    told = json.loads(lines[0])
    told["manifest"]["digest"] = hashlib.sha256(b"".join(lines[1:])).hexdigest()
    path.write_bytes(json.dumps(told).encode() + b"\n" + b"".join(lines[1:]))
    report = lead(other).load_export(path)
    assert report.verified
    assert report.accepted == 0
    assert "reserved kind" in report.refused[-1][2]


def test_another_tenants_export_is_refused(mem, tmp_path):
    fill(mem)
    steward(mem).export(tmp_path / "all.jsonl")
    error = refusal(mem, lambda: steward(mem, "southgate").load_export(tmp_path / "all.jsonl"))
    assert isinstance(error, InvalidInput)


def test_who_only_reads_neither_exports_nor_imports(mem, tmp_path):
    reader = mem.person("trainee", fleet="dock", tenant="northlight", clearance=0)
    with pytest.raises(MemoryRefused, match="clearance"):
        reader.export(tmp_path / "x.jsonl")
    assert not (tmp_path / "x.jsonl").exists()
    with pytest.raises(MemoryRefused, match="clearance"):
        reader.load_export(tmp_path / "x.jsonl")


# ---- files -----------------------------------------------------------------------------------------


def test_an_export_is_private_whole_and_never_over_another_file(mem, tmp_path):
    fill(mem)
    path = tmp_path / "all.jsonl"
    before = mem.audit.verify().entries
    steward(mem).export(path)
    assert mem.audit.verify().entries == before + 1
    assert path.stat().st_mode & 0o077 == 0
    assert [item.name for item in tmp_path.iterdir()] == ["all.jsonl"]
    for place in (path, tmp_path / "nowhere" / "all.jsonl"):
        assert isinstance(refusal(mem, lambda place=place: steward(mem).export(place)), StoreError)


def test_bad_lines_are_reported_and_good_ones_kept(mem, other, tmp_path):
    steward(mem).semantic.remember("one")
    steward(mem).semantic.remember("two")
    path = tmp_path / "all.jsonl"
    steward(mem).export(path)
    good = path.read_bytes()
    bad = [
        b"\n", b"{\n", b"[]\n", b'{"memory": 5}\n', b'{"memory": {}}\n', b'{"tombstone": {}}\n',
        b"\xff\xfe\n",
        b'{"other": {}}\n', b"[" * 5000 + b"\n", good.splitlines()[1][:-9] + b"\n",
    ]  # fmt: skip
    path.write_bytes(good + b"".join(bad))
    report = steward(other).load_export(path)
    assert (report.verified, report.accepted) == (False, 2)
    assert [line for line, _, _ in report.refused] == list(range(4, 14))
    assert other.audit.verify().status == "complete"


WRONG = {
    "content": "",
    "tier": "dream",
    "kind": 5,
    "importance": 7,
    "valid_from": "noon",
    "valid_to": 10**30,
    "visibility": "all",
    "detail": [],
    "rests_on": None,
    "source": "gossip",
    "fleet": "",
    "agent": None,
    "memory_id": "x" * 300,
    "qualifiers": {"deep": [[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]},
}


@pytest.mark.parametrize("field", WRONG)
def test_a_row_of_the_wrong_shape_is_refused_by_itself(mem, other, tmp_path, field):
    steward(mem).semantic.remember("one")
    steward(mem).semantic.remember("two")
    path = tmp_path / "all.jsonl"
    steward(mem).export(path)
    lines = path.read_bytes().splitlines(keepends=True)
    row = json.loads(lines[1])
    row["memory"][field] = WRONG[field]
    lines[1] = json.dumps(row).encode() + b"\n"
    path.write_bytes(b"".join(lines))
    report = steward(other).load_export(path)
    assert report.accepted == 1
    assert [line for line, _, _ in report.refused] == [2]


@pytest.mark.parametrize(
    "data", [b"", b"\n", b"{}\n", b'{"manifest": {"format": "x"}}\n', b"\x00\xff", b"[]"]
)
def test_what_is_no_export_is_refused_whole(mem, tmp_path, data):
    (tmp_path / "x.jsonl").write_bytes(data)
    assert isinstance(refusal(mem, lambda: steward(mem).load_export(tmp_path / "x.jsonl")), StoreError)
    assert isinstance(refusal(mem, lambda: steward(mem).load_export(tmp_path / "none.jsonl")), StoreError)
