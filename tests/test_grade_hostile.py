"""Journals handed in to mislead whoever grades, or to keep them from it: each is told, none stops it."""

from __future__ import annotations

import os

import pytest
from test_grade import ADA, BO, RUNNER, Clock, code, entries, kept, one_of, rightly, worked, written_anew

from teachmem import cli
from teachmem.course import classroom, codes, handed, journal, linked
from teachmem.course.grading import Status, grade


def said(*arguments: object) -> tuple[int, str]:
    done = RUNNER.invoke(cli.app, ["grade", *map(str, arguments)])
    return done.exit_code, done.output


def test_a_journal_that_was_thrown_away_is_missed_also_where_no_name_was_said(tmp_path):
    file = worked(tmp_path / "h" / "a", ADA, "")
    held = kept(code(file), "")
    file.unlink()
    worked(tmp_path / "h" / "b", BO, "", 5)
    report = grade(tmp_path / "h", [held])
    assert len(report.missing) == 1
    assert ADA in report.missing[0]


@pytest.mark.parametrize("student", ["", 5, "7k3m9q2w", "7K3M9Q2W7", "not an id", "7K3M9Q2\x1b"])
def test_a_journal_of_no_id_is_broken_and_keeps_no_other_from_the_list(tmp_path, student):
    file = worked(tmp_path / "h" / "a")
    written_anew(file, lambda one: {**one, "student": student} if one["event"] == "begin" else one)
    worked(tmp_path / "h" / "b", BO, "Bo", 5)
    exit_code, told = said(tmp_path / "h", "--keep", tmp_path / "codes.csv")
    assert (exit_code, "bound to no id" in told) == (1, True)
    assert [one.student for one in codes.read(tmp_path / "codes.csv")] == [BO]


@pytest.mark.parametrize("name", ["", " ", "\u200b"])
def test_a_name_is_not_taken_back_by_an_empty_one(tmp_path, name):
    file = worked(tmp_path / "bo")
    journal.Journal(file.parent, Clock(99), ADA).add("", "hand-in", "journal", name=name)
    assert one_of(tmp_path).journal.name == "Ada"
    assert one_of(tmp_path, kept(code(file), "Bo")).status is Status.BROKEN


@pytest.mark.parametrize(
    ("name", "typed"),
    [("Jose\u0301", "jos\u00e9"), ("Ada  L.", "Ada L."), ("\u1e9e", "ss"), ("\u0130", "i\u0307")],
)
def test_two_spellings_of_one_name_are_one_name(tmp_path, name, typed):
    file = worked(tmp_path, ADA, name)
    assert one_of(tmp_path, kept(code(file), typed)).status is Status.PROVEN


@pytest.mark.parametrize("name", ["=1+1", "'=1+1", "''@x", "'Ada'", "-"])
def test_a_name_comes_back_from_the_list_as_it_was_said(tmp_path, name):
    worked(tmp_path / "h", ADA, name)
    said(tmp_path / "h", "--keep", tmp_path / "codes.csv")
    assert [one.name for one in codes.read(tmp_path / "codes.csv")] == [name]
    assert "\n=" not in (tmp_path / "codes.csv").read_text().replace(",", "\n")


def test_the_list_that_is_added_to_is_held_too(tmp_path):
    file, held = worked(tmp_path / "h"), tmp_path / "codes.csv"
    said(tmp_path / "h", "--keep", held)
    before = held.read_text()
    written_anew(file, rightly)
    for _ in range(3):  # longer than the entry on the list
        journal.Journal(file.parent, Clock(77), ADA).add("02", "check", "2.2", outcome="yes")
    assert said(tmp_path / "h", "--keep", held)[0] == 1
    assert held.read_text() == before


def test_a_list_with_a_cell_that_nobody_can_read_is_told(tmp_path):
    held = tmp_path / "codes.csv"
    held.write_text(f'date,name,code\n2026-03-15,"{"A" * 200_000}",{code(worked(tmp_path / "h"))}\n')
    done = RUNNER.invoke(cli.app, ["grade", str(tmp_path / "h"), "--codes", str(held)])
    assert "field larger" in str(done.exception)
    assert "codes.csv" in str(done.exception)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes in folders here")
def test_what_never_ends_is_no_journal_and_no_card(tmp_path, monkeypatch):
    file = worked(tmp_path, ADA, "")
    journal.Journal(tmp_path, Clock(99), ADA).add("", "hand-in", "journal", name="Ada", card="00")
    file.rename(tmp_path / "journal-A.jsonl")
    os.mkfifo(tmp_path / "x.jsonl")
    (tmp_path / "y.jsonl").symlink_to("/dev/zero")
    with (tmp_path / "card-A.json").open("wb") as card:
        card.truncate(1 << 40)  # takes no place on the disk
    found = {one.journal.file: one for one in grade(tmp_path).journals}
    assert [found[name].journal.fault for name in ("x.jsonl", "y.jsonl")] == ["no ordinary file"] * 2
    assert "card-A.json" in "".join(found["journal-A.jsonl"].remarks)
    told = classroom.roster(tmp_path)
    assert (told.students, str(told).count("no ordinary file")) == (1, 2)


def test_a_report_is_not_drowned(tmp_path):
    file = worked(tmp_path)
    file.write_bytes(file.read_bytes() + b"x\n" * 5_000 + (entries(file)[0].line + b"\n") * 5_000)
    report = grade(tmp_path)
    assert len(str(report)) < 10_000
    assert len(report.as_dict()["journals"][0]["findings"]) >= 5_000


def test_each_event_of_a_large_journal_is_read_so_many_times_and_no_more(tmp_path, monkeypatch):
    last, lines = None, b""
    for event in [{"event": "begin", "student": ADA}] + [
        {"segment": "02", "event": kind, "id": f"x{number}", "answer": "a"}
        for number in range(300)
        for kind in ("predict", "check")
    ]:
        last = linked.entry(last, event)
        lines += last.line + b"\n"
    (tmp_path / "p.jsonl").write_bytes(lines)
    seen = []
    real = handed.predictions.commitment
    monkeypatch.setattr(
        handed.predictions, "commitment", lambda events, *which: seen.extend(events) or real(events, *which)
    )
    assert len(one_of(tmp_path).journal.foreseen) == 300
    assert len(seen) <= 600


def test_no_sign_that_a_terminal_obeys_is_in_the_table(tmp_path):
    file = worked(tmp_path / "h\x1b[2J")
    written_anew(file, lambda one: {**one, "at": "\x1b[2J\nproven"})
    for how in ((), ("--csv",), ("--json",)):
        assert "\x1b" not in said(tmp_path, *how)[1]
    assert "\nproven" not in said(tmp_path, "--csv")[1]


def test_the_name_of_a_file_is_no_line_of_the_report(tmp_path):
    name = "x.jsonl: B0B0B0B0, Bo\n  proven up to entry 9 of 9, by the code of 2026-03-15\ny.jsonl"
    worked(tmp_path).rename(tmp_path / name)
    (tmp_path / "z\nw.jsonl").mkdir()
    assert not any(line.strip().startswith("proven up") for line in str(grade(tmp_path)).splitlines())
    assert "\nw.jsonl" not in str(classroom.roster(tmp_path))


@pytest.mark.parametrize("spelled", ["Z", "+0000", "+00:00:00", ","])
def test_a_copy_under_another_id_is_found_however_its_times_are_spelled(tmp_path, spelled):
    worked(tmp_path / "a")
    file = worked(tmp_path / "b")

    def as_mine(event):
        at = event["at"].replace(".", ",") if spelled == "," else event["at"].replace("+00:00", spelled)
        return {**event, "at": at, **({"name": "Bo"} if event["event"] == "hand-in" else {})}

    written_anew(file, as_mine, BO)
    assert [one.status for one in grade(tmp_path).journals] == [Status.BROKEN, Status.BROKEN]
