"""The catalogue: documents that follow their rows, whole or not at all."""

import json
from pathlib import Path

import pytest
from helpers import opened

from teachmem.errors import InvalidInput

ROW = {
    "id": "NL-0001",
    "name": "Gripper",
    "model": "Tern 2",
    "category": "arm",
    "summary": "It grips boxes.",
    "status": "active",
}
DATA = Path(__file__).resolve().parents[1] / "data" / "catalogue.json"


@pytest.fixture
def mem():
    with opened() as memory:
        yield memory


@pytest.fixture
def steward(mem):
    return mem.person("data-officer", fleet="lab", tenant="northlight", clearance=3)


def documents(handle):
    return list(handle.semantic.list(kind="document", limit=1000))


def test_the_shipped_catalogue_is_loaded_once_and_found_by_everybody_of_the_tenant(mem, steward):
    rows = json.loads(DATA.read_text(encoding="utf-8"))
    assert {receipt.verdict for receipt in steward.load_catalogue(rows)} == {"accepted"}
    assert {receipt.verdict for receipt in steward.load_catalogue(rows)} == {"duplicate"}
    reader = mem.agent("dock-1", fleet="dock", tenant="northlight", clearance=0)
    assert len(documents(reader)) == len(rows)
    found = reader.semantic.search_documents(rows[5]["id"], k=1)
    assert found[0].memory.qualifiers["catalogue_id"] == rows[5]["id"]
    assert not mem.agent("cold-1", fleet="dock", tenant="southgate").semantic.search_documents("robot")


@pytest.mark.parametrize("change", [{"summary": "It lifts."}, {"status": "retired"}, {"tags": ["wet"]}])
def test_a_changed_row_becomes_the_next_version_whole(steward, change):
    steward.load_catalogue([ROW])
    receipt = steward.load_catalogue([{**ROW, **change}])[0]
    assert (receipt.verdict, receipt.memory.version) == ("accepted", 2)
    assert receipt.memory.detail["row"] == {**ROW, **change}
    assert len(documents(steward)) == 1


def test_a_row_given_twice_in_one_list_is_one_document(steward):
    receipts = steward.load_catalogue([ROW, ROW, {**ROW, "summary": "It lifts."}])
    assert [receipt.verdict for receipt in receipts] == ["accepted", "duplicate", "accepted"]
    assert [memory.version for memory in documents(steward)] == [2]


@pytest.mark.parametrize(
    "bad",
    [
        5,
        None,
        "row",
        {},
        {**ROW, "id": 7},
        {**ROW, "id": " "},
        {**ROW, "name": None},
        {**ROW, "summary": ""},
        {**ROW, "summary": "x" * 100_000},
        {**ROW, "specifications": {"payload": 5}},
        {**ROW, "specifications": [1]},
        {**ROW, "weight": float("nan")},
    ],
)
def test_one_bad_row_is_named_and_nothing_of_the_list_is_written(mem, steward, bad):
    with pytest.raises(InvalidInput, match=r"rows\[1\]"):
        steward.load_catalogue([ROW, bad])
    assert mem.audit.verify().entries == 0


@pytest.mark.parametrize("rows", [None, 5, "rows", ROW])
def test_a_list_that_is_none_is_refused(steward, rows):
    with pytest.raises(InvalidInput, match="rows"):
        steward.load_catalogue(rows)


def test_a_withdrawn_document_is_loaded_as_a_new_one(steward):
    first = steward.load_catalogue([ROW])[0].memory.memory_id
    steward.semantic.retract(first, "sold")
    second = steward.load_catalogue([ROW])[0].memory.memory_id
    assert second != first
    assert [memory.memory_id for memory in documents(steward)] == [second]


def test_documents_never_crowd_out_facts_and_only_the_catalogue_makes_them(mem, steward):
    steward.load_catalogue([{**ROW, "id": f"NL-{number:04d}"} for number in range(150)])
    tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
    fact = tech.semantic.remember("the gripper slips").memory.memory_id
    assert [hit.memory.memory_id for hit in tech.semantic.search("gripper boxes", k=5)] == [fact]
    assert [memory.memory_id for memory in tech.semantic.list()] == [fact]
    receipt = tech.semantic.remember_many([{"content": "x", "kind": "document"}])[0]
    assert (receipt.verdict, receipt.steps[-1].check) == ("refused", "reserved kind")
    assert tech.semantic.stats()["facts"] == 1
