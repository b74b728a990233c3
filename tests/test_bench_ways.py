"""Each benchmark compares with something real: the plain ways do their work, and the report has them all."""

import hashlib
import json
import sqlite3
from contextlib import closing
from xml.etree import ElementTree

import nbformat
import pytest

import teachmem
from teachmem import InvalidInput, bench
from teachmem.bench import consolidate, context, curves, fill, imports, notebooks, write
from teachmem.bench.measure import Curves, Spent, by_turns
from teachmem.clock import LessonClock
from teachmem.flow.models import ScriptedModel
from teachmem.ledger import verify
from teachmem.ledger.database import Database
from teachmem.recall import tokens
from teachmem.show import style


def rows(report):
    """Return the measured rows of a report that has been through JSON."""
    assert all(len(line) <= 160 for line in report.lines())
    told = json.loads(json.dumps(report.as_json(), allow_nan=False))
    return told["rows"]


# ---- write --------------------------------------------------------------------------------------


def test_a_write_run_times_every_way_at_every_size():
    report = bench.run("write", [5, 20], 3)
    found = rows(report)
    ways = ["bare row", "bare row, chained", "event", "event's statements", "note", "fact"]
    assert [(row["rows"], row["way"]) for row in found] == [(size, way) for size in (5, 20) for way in ways]
    assert all(row["timing"]["runs"] == 3 and row["timing"]["median"] > 0 for row in found)
    assert all(row["processor"] >= 0 for row in found)
    assert report.rows[0][4] == "1.00"  # a bare row is what is compared with
    assert list(report.curves.ways) == ways


def test_the_bare_store_is_as_durable_and_its_chain_covers_its_rows(tmp_path):
    made = fill.events(6)
    bare = write.BareStore(tmp_path / "bare.db", made[:3])
    with closing(bare.connection):
        for number, event in enumerate(made[3:]):
            bare.write(f"row-{number}", event, chained=number > 0)
        settings = [
            bare.connection.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("journal_mode", "synchronous")
        ]
        assert settings == ["wal", 2]  # 2 is FULL
    head = bytes(32)
    with closing(sqlite3.connect(tmp_path / "bare.db")) as other:  # what is read by another was committed
        texts = [row[0] for row in other.execute("SELECT content FROM rows ORDER BY rowid")]
        assert texts == [event.content for event in made]
        for (body, own), event in zip(other.execute("SELECT body, hash FROM log"), made[4:], strict=True):
            head = hashlib.sha256(head + body.encode()).digest()
            assert own == head
            assert json.loads(body)["said"] == hashlib.sha256(event.content.encode()).hexdigest()


def test_the_statements_told_again_write_the_same_row_and_the_same_entry(tmp_path):
    path, copy = tmp_path / "store.db", tmp_path / "copy.db"
    fill.fill(str(path), write.WHO, fill.events(3))
    with teachmem.open_memory(path, clock=LessonClock(fill.END)) as mem:
        mem.backup(copy)
        with Database.open(str(copy)) as database:
            told = write.Told(database)
            with told.listening():
                mem.agent("dock-1", fleet="dock", tenant="northlight").episodic.log(
                    "observation", "belt 4 is on"
                )
            told.again()
            assert verify.verify(database, deep=True) == mem.audit.verify(deep=True)
    for table in ("memories", "audit", "audit_heads"):
        with closing(sqlite3.connect(path)) as one, closing(sqlite3.connect(copy)) as other:
            assert len({str(each.execute(f"SELECT * FROM {table}").fetchall()) for each in (one, other)}) == 1


# ---- context ------------------------------------------------------------------------------------


def test_a_context_run_times_every_way_at_every_size():
    found = rows(bench.run("context", [20, 60], 2))
    ways = ["context", "no question", "newest rows", "plain loop"]
    assert [(row["memories"], row["way"]) for row in found] == [
        (size, way) for size in (20, 60) for way in ways
    ]
    assert all(row["timing"]["runs"] == 2 for row in found)
    assert all(row["lines"] > 0 for row in found if row["way"] != "plain loop")


def test_the_plain_ways_to_a_context_find_what_they_are_asked_for(tmp_path):
    made = fill.events(50)
    fill.fill(str(tmp_path / "store.db"), context.WHO, made)
    question = " ".join(made[7].content.split()[:4])
    with closing(sqlite3.connect(tmp_path / "store.db")) as store:
        best = context.by_loop(store, question, 1_500)
        last = context.newest(store, 60)
    shared = [len(set(question.split()) & set(text.split())) for text in best]
    assert shared == sorted(shared, reverse=True)
    assert made[7].content in best
    assert sum(tokens.count(text) for text in last) <= 60
    assert set(last) <= {event.content for event in made[-context.NEWEST :]}


# ---- consolidate --------------------------------------------------------------------------------


def test_a_consolidate_run_times_every_way_and_always_has_something_to_read():
    found = rows(bench.run("consolidate", [12, 30], 2))
    assert [(row["due"], row["way"]) for row in found] == [
        (size, way) for size in (12, 30) for way in ("consolidate", "bare sqlite3", "model alone")
    ]
    assert all(row["timing"]["median"] > 0 for row in found)


def test_the_bare_runs_read_each_row_once_and_keep_what_the_model_says(tmp_path):
    made = fill.events(10)
    lines = consolidate._lines([f"event-{number}" for number in range(10)], made)
    bare = consolidate.BareRuns(tmp_path / "bare.db", lines)
    model = ScriptedModel()
    with closing(bare.connection):
        bare.consolidate(model, 6, run=1)
        bare.consolidate(model, 6, run=2)
        assert bare.batch(6) == []
        assert [len(text.splitlines()) for _, text in model.calls] == [6, 4]
        (kept,) = bare.connection.execute("SELECT count(*) FROM facts").fetchone()
        assert kept == consolidate.MOST + 4


# ---- import and notebooks -----------------------------------------------------------------------


def test_an_import_run_says_what_each_process_took_and_whether_numpy_came_along(monkeypatch):
    some = ("bare python", "import numpy", "import teachmem")
    monkeypatch.setattr(imports, "WAYS", {name: imports.WAYS[name] for name in some})
    monkeypatch.setattr(imports, "EXTRAS", {"none of ours": ("no_such_module", "1 / 0")})
    report = bench.run("import", [2], 1)
    found = {row["way"]: row for row in rows(report)}
    assert [found[name]["numpy"] for name in some] == [False, True, False]
    assert set(found) == set(some)  # what is not installed is left out
    assert all(0 < row["processor"] < row["timing"]["median"] for row in found.values())
    assert report.as_json()["together"] == 2


def test_a_process_that_fails_is_no_figure():
    with pytest.raises(RuntimeError, match="1 / 0"):
        imports.started("1 / 0", 1)


def notebook(path, *sources):
    """Write a notebook of these code cells."""
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources])
    path.write_text(nbformat.writes(book), encoding="utf-8")
    return path


def test_a_notebooks_run_executes_each_in_its_folder_and_changes_no_file(tmp_path):
    one = notebook(
        tmp_path / "one.ipynb", "x = sum(range(10**6))", "open('made', 'w').write(str(x)).__class__"
    )
    before = one.read_bytes()
    report = notebooks.run([one])
    told = report.as_json()
    assert [(row["notebook"], row["cells"]) for row in told["rows"]] == [(notebooks.EMPTY, 0), ("one", 2)]
    assert (tmp_path / "made").read_text() == str(sum(range(10**6)))
    assert one.read_bytes() == before
    assert told["together"]["processor"] == told["rows"][1]["processor"] > 0
    assert [row[0] for row in report.rows] == [notebooks.EMPTY, "one", "together"]


def test_no_notebook_is_said():
    with pytest.raises(InvalidInput, match="no notebook"):
        notebooks.run([])


def test_of_many_notebooks_the_cheapest_are_drawn_as_one():
    many = [notebooks.Row(f"n{number}", 1, float(number), 1.0) for number in range(11)]
    drawn = notebooks._drawn(many)
    assert list(drawn) == ["n0", "n10", "n9", "n8", "n7", "n6", "and 5 more"]
    assert len(drawn) == style.MOST_MARKS
    assert sum(each[0] for each in drawn.values()) == sum(range(11))


# ---- turns and curves ---------------------------------------------------------------------------


def test_the_ways_take_turns_and_the_first_turn_does_not_count():
    seen = []
    ways = {name: lambda turn, name=name: seen.append((name, turn)) for name in "ab"}
    spent = by_turns(ways, 2, lambda turn: seen.append(("before", turn)))
    assert seen == [(name, turn) for turn in (-1, 0, 1) for name in ("before", "a", "b")]
    assert {name: len(each.clock) for name, each in spent.items()} == {"a": 2, "b": 2}


def test_waiting_is_on_the_clock_alone():
    import time

    spent = Spent()
    spent.on(time.sleep, 0.05)
    assert spent.clock[0] >= 50
    assert spent.processor[0] < spent.clock[0]


GROWING = Curves(
    "events", "milliseconds", {f"way <{n}> & more": {10: n + 1.0, 100: n + 2.5} for n in range(7)}
)
FIXED = Curves("", "seconds", {"first": {0: 1.25}, "second": {0: 2.5}})


@pytest.mark.parametrize("drawn", [GROWING, FIXED])
def test_a_picture_names_every_way_says_every_figure_and_is_the_same_each_time(drawn):
    picture = curves.svg("recall", drawn)
    assert picture == curves.svg("recall", drawn)
    root = ElementTree.fromstring(picture.split("?>", 1)[1].split('svg11.dtd">', 1)[-1])
    told = {
        element.tag.split("}")[1]: element.text for element in root if element.tag.endswith(("title", "desc"))
    }
    assert root.get("role") == "img"
    assert told == {"title": "teachmem bench recall", "desc": curves.words("recall", drawn)}
    texts = {element.text for element in root.iter() if element.tag.endswith("text")}
    assert set(drawn.ways) <= texts
    for values in drawn.ways.values():
        for figure in values.values():
            assert f"{figure:.3g}" in told["desc"]


def test_lines_are_told_apart_without_colour():
    assert len({(line, mark) for _, line, mark in curves.LINES}) == len(curves.LINES) == style.MOST_MARKS
    assert len(set(curves.HATCHES)) == len(curves.HATCHES) == style.MOST_MARKS
