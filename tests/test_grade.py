"""Journals handed in: what was edited, cut, copied or written anew is found; nothing else is claimed."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from teachmem import cli, course
from teachmem.course import codes, eventfile, graded_text, grading, handed, handing, journal, linked
from teachmem.course.grading import Status, grade
from teachmem.errors import InvalidInput, TeachmemError
from teachmem.marks.card import written

RUNNER = CliRunner()
ADA, BO = "7K3M9Q2W", "B0B0B0B0"
START = datetime(2026, 3, 14, 10, tzinfo=UTC)
TODAY = date(2026, 3, 15)


class Clock:
    """A clock that moves a minute, and some microseconds of its own, at each look."""

    def __init__(self, offset: int = 0) -> None:
        self.now = START + timedelta(microseconds=offset)

    def __call__(self) -> datetime:
        self.now += timedelta(minutes=1, microseconds=17)
        return self.now


def worked(folder: Path, student: str = ADA, name: str = "Ada", offset: int = 0) -> Path:
    """Make a journal of a student who worked on segment 02, and hand it in; return its file."""
    diary = journal.Journal(folder, Clock(offset), student)
    diary.add("02", "predict", "2.a", answer="a", sure="sure")
    diary.add("02", "reveal", "2.a", right=False)
    diary.add("02", "shown", "2.b")
    diary.add("02", "predict", "2.b", answer="b", sure="")
    diary.add("02", "reveal", "2.b", right=True)
    diary.add("02", "check", "2.1", outcome="not yet", misconception="older is more")
    diary.add("02", "hint", "2.1", level=1)
    diary.add("02", "check", "2.1", outcome="yes")
    diary.add("02", "check", "2.1", outcome="yes")
    diary.add("02", "check", "2.2", outcome="not yet")
    if name:
        diary.add("", "hand-in", "journal", name=name)
    return folder / journal.NAME


def entries(file: Path) -> list[linked.Entry]:
    return list(linked.walk(file.read_bytes()).entries)


def joined(lines: Iterable[bytes]) -> bytes:
    return b"".join(line + b"\n" for line in lines)


def code(file: Path, seq: int = -1) -> str:
    """Return the code of an entry, of the last one unless said."""
    walk = linked.walk(file.read_bytes())
    return codes.code_of(walk.student, walk.entries[seq if seq < 0 else seq - 1])


def kept(said: str, name: str = "Ada", day: date = TODAY) -> codes.Kept:
    return codes.Kept(day, name, codes.read_aloud(said))


def written_anew(file: Path, change, student: str | None = None) -> None:
    """Write the whole chain anew, as whoever holds the file can: each event goes through `change`."""
    last = None
    lines = b""
    for one in entries(file):
        event = dict(one.event)
        if student and event["event"] == "begin":
            event["student"] = student
        if (changed := change(event)) is not None:
            last = linked.entry(last, changed)
            lines += last.line + b"\n"
    file.write_bytes(lines)


def rightly(event: dict[str, object]) -> dict[str, object] | None:
    """Leave out that an output had been shown, which makes every prediction one of before."""
    return None if event["event"] == "shown" else event


def one_of(folder: Path, *held: codes.Kept) -> grading.Graded:
    (found,) = grade(folder, held).journals
    return found


# What it tells


def test_it_tells_what_was_predicted_before_it_was_shown_and_what_after(tmp_path):
    worked(tmp_path)
    told = one_of(tmp_path).journal
    assert [(made.id, str(made.when)) for made in told.foreseen] == [
        ("2.a", "before it was shown"),
        ("2.b", "after it was shown"),
    ]
    right = course.open_lesson("02").segment.prediction("2.a").right == "a"
    assert told.foreseen[0].right is right  # as the course knows it, not as the journal says
    assert str(told.tried[0]) == "2.1 (2 tries, 1 hint, older is more)"
    assert (told.tried[0].done, told.tried[1].done) == (True, False)
    assert told.tried[0].at.startswith("2026-03-14T10:08")
    assert [(one.segment, one.minutes) for one in told.sittings] == [("02", 9)]


def test_a_long_pause_is_no_work(tmp_path):
    clock = Clock()
    diary = journal.Journal(tmp_path, clock, ADA)
    for _ in range(3):
        diary.add("02", "hint", "2.1", level=1)
    clock.now += timedelta(hours=3)
    diary.add("02", "hint", "2.1", level=2)
    assert one_of(tmp_path).journal.sittings[0].minutes == 2


def test_the_report_is_text_table_and_plain_values(tmp_path):
    file = worked(tmp_path)
    report = grade(tmp_path, [kept(code(file))])
    assert str(report) == (
        "1 journal: 1 proven\n\n"
        "progress.jsonl: 7K3M9Q2W, Ada\n"
        "  proven up to entry 12 of 12, by the code of 2026-03-15\n"
        "  segment 02, 14 Mar 2026 10:01 to 10:10 UTC, 9 min of work\n"
        f"    predicted before it was shown: {report.journals[0].journal.foreseen[0]}\n"
        f"    answered when it had been shown: {report.journals[0].journal.foreseen[1]}\n"
        "    done: 2.1 (2 tries, 1 hint, older is more)\n"
        "    tried and open: 2.2 (1 try)\n\n" + "\n".join(graded_text.NO_CODES)
    )
    assert repr(report) == str(report)
    frame = report.frame()
    assert list(frame["id"]) == ["2.a", "2.b", "2.1", "2.2"]
    assert list(frame["told"][2:]) == ["done", "open"]
    plain = json.loads(json.dumps(report.as_dict()))
    assert plain["journals"][0]["proven"] == 12
    assert plain["journals"][0]["foreseen"][1]["when"] == "after it was shown"


def test_what_it_does_not_know_it_lists(tmp_path):
    journal.Journal(tmp_path, Clock(), ADA).add("", "rebuild", "recall.score", passed="laws")
    assert "also recorded: rebuild recall.score" in str(grade(tmp_path))


# A journal that hangs together


def test_without_a_code_it_is_consistent_and_not_proven(tmp_path):
    worked(tmp_path)
    found = one_of(tmp_path)
    assert (found.status, found.findings, found.remarks) == (Status.CONSISTENT, [], [])
    assert "consistent, not proven: 12 entries, and no code of any" in str(grade(tmp_path))


def test_with_a_code_it_is_proven_as_far_as_the_code_reaches(tmp_path):
    file = worked(tmp_path)
    found = one_of(tmp_path, kept(code(file, 5)), kept(code(file, 9), day=TODAY + timedelta(days=1)))
    assert (found.status, found.proven, found.held) == (Status.PROVEN, 9, "2026-03-16")


def test_a_torn_last_line_is_no_forgery(tmp_path):
    file = worked(tmp_path)
    whole, torn = file.read_bytes(), b'{"at":"2026-03-14T10:12:00.000'
    for left in range(1, len(torn)):
        file.write_bytes(whole + torn[:left])
        assert one_of(tmp_path).findings == []
    journal.Journal(tmp_path, Clock(), "another").add("02", "hint", "2.2", level=1)  # goes on behind it
    found = one_of(tmp_path)
    assert (found.status, len(found.journal.walk.entries)) == (Status.CONSISTENT, 13)
    assert found.remarks == [
        "line 13 of the file: no entry, as a kill in the middle of writing leaves one",
        "the student's clock went back 1 time",
    ]
    count, _ = eventfile.mend(file)
    assert count == 1
    assert one_of(tmp_path).remarks == ["the student's clock went back 1 time"]


@pytest.mark.parametrize("left", range(1, 90, 7))
def test_a_line_that_was_cut_anywhere_by_a_kill_leaves_a_whole_journal(tmp_path, left):
    file = worked(tmp_path)
    whole, last = file.read_bytes(), entries(file)[-1].line
    file.write_bytes(whole[: -len(last)] + last[:-left])
    journal.Journal(tmp_path, Clock(), ADA).add("02", "hint", "2.2", level=1)
    assert one_of(tmp_path).status is Status.CONSISTENT


def test_line_ends_and_the_mark_of_another_editor_change_nothing(tmp_path):
    file = worked(tmp_path)
    held = kept(code(file))
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes().replace(b"\n", b"\r\n"))
    assert one_of(tmp_path, held).status is Status.PROVEN


def test_a_clock_that_went_back_is_told_and_is_no_forgery(tmp_path):
    clock = Clock()
    diary = journal.Journal(tmp_path, clock, ADA)
    diary.add("02", "hint", "2.1", level=1)
    clock.now -= timedelta(hours=2)
    diary.add("02", "hint", "2.1", level=2)
    found = one_of(tmp_path)
    assert (found.status, found.remarks) == (Status.CONSISTENT, ["the student's clock went back 1 time"])


# Lines of an older teachmem


def old(folder: Path, *outcomes: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    plain = [
        {
            "v": 1,
            "at": "2026-03-01T10:00:00+00:00",
            "segment": "02",
            "event": "check",
            "id": "2.1",
            "outcome": one,
        }
        for one in outcomes
    ]
    plain.append({"v": 1, "at": "", "segment": "02", "event": "predict", "id": "2.a", "answer": "a"})
    file = folder / journal.NAME
    file.write_text("".join(linked.plain(one) for one in plain), encoding="utf-8")
    return file


def test_an_unchained_journal_is_called_so(tmp_path):
    old(tmp_path, "yes")
    found = one_of(tmp_path)
    assert found.status is Status.UNCHAINED
    assert "unchained: 2 lines of an older teachmem, which prove nothing" in str(grade(tmp_path))
    assert str(found.journal.foreseen[0].when) == "not known when"


def test_older_lines_are_sealed_by_the_chain_that_follows_them(tmp_path):
    file = old(tmp_path, "not yet", "yes")
    journal.Journal(tmp_path, Clock(), ADA).add("02", "check", "2.2", outcome="yes")
    found = one_of(tmp_path)
    assert (found.status, len(found.journal.walk.older)) == (Status.CONSISTENT, 3)
    assert "after 3 unchained lines that prove nothing" in str(grade(tmp_path))
    file.write_bytes(file.read_bytes().replace(b"not yet", b"yes", 1))
    assert one_of(tmp_path).findings[0].what == "the unchained lines are not those that the chain began with"


def test_an_unchained_line_behind_a_chain_has_no_place(tmp_path):
    file = worked(tmp_path)
    file.write_bytes(file.read_bytes() + old(tmp_path / "not" / "here", "yes").read_bytes())
    assert "which has no place in the chain" in one_of(tmp_path).findings[0].what


# Forgeries that show by themselves


def test_an_edited_line_is_found_where_it_is(tmp_path):
    file = worked(tmp_path)
    file.write_bytes(file.read_bytes().replace(b'"not yet"', b'"yes"', 1))
    found = one_of(tmp_path)
    assert (found.status, found.findings[0].seq) == (Status.BROKEN, 7)
    assert found.findings[0].what == "its hash is not that of its bytes"


def test_an_edited_line_with_a_hash_that_fits_is_found_behind_it(tmp_path):
    file = worked(tmp_path)
    lines, entry = entries(file), entries(file)[6]
    forged = linked.entry(lines[5], {"segment": "02", "event": "check", "id": "2.1", "outcome": "yes"})
    file.write_bytes(file.read_bytes().replace(entry.line, forged.line))
    found = one_of(tmp_path)
    assert [(one.seq, one.what) for one in found.findings] == [(8, "it does not link to the entry before it")]


def test_a_line_that_is_spelled_otherwise_is_found(tmp_path):
    file = worked(tmp_path)
    lines = file.read_text(encoding="utf-8").splitlines()
    lines[3] = json.dumps(json.loads(lines[3]), indent=None)
    file.write_text("\n".join(lines), encoding="utf-8")
    assert one_of(tmp_path).findings[0].what == "it is not spelled as it was written"


@pytest.mark.parametrize("places", [(3,), (3, 4), (0,), (0, 1)])
def test_what_was_cut_out_is_found(tmp_path, places):
    file = worked(tmp_path)
    file.write_bytes(joined(one.line for n, one in enumerate(entries(file)) if n not in places))
    found = one_of(tmp_path)
    assert (found.status, found.findings[0].seq) == (Status.BROKEN, places[0] + 1)
    assert "is missing" in found.findings[0].what


def test_another_order_is_found(tmp_path):
    file = worked(tmp_path)
    lines = [one.line for one in entries(file)]
    lines[4], lines[5] = lines[5], lines[4]
    file.write_bytes(joined(lines))
    assert one_of(tmp_path).findings[0].what == "entry 5 is missing; the next is 6"


@given(st.integers(0, 10_000), st.integers(0, 255))
def test_no_byte_can_be_changed_so_that_another_story_hangs_together(tmp_path_factory, place, byte):
    data = bytearray(_whole(tmp_path_factory))
    events = linked.walk(bytes(data)).events
    data[place % len(data)] = byte
    walk = linked.walk(bytes(data))
    lost = len(walk.entries) < len(events)  # the last line alone, which a kill loses too
    assert walk.findings or walk.events == events or (lost and walk.events == events[:-1])


@given(st.integers(0, 10_000), st.integers(1, 400))
def test_whatever_is_cut_out_of_the_middle_is_missed(tmp_path_factory, place, count):
    data = _whole(tmp_path_factory)
    events = linked.walk(data).events
    place %= len(data)
    walk = linked.walk(data[:place] + data[place + count :])
    assert walk.findings or walk.events == events[: len(walk.events)]


def _whole(tmp_path_factory) -> bytes:
    if not _MADE:
        _MADE.append(worked(tmp_path_factory.mktemp("whole")).read_bytes())
    return _MADE[0]


_MADE: list[bytes] = []


# Forgeries that only a code shows


@pytest.mark.parametrize("forge", ["written anew", "its end cut off"])
def test_what_hangs_together_again_is_found_with_a_code_and_not_claimed_without(tmp_path, forge):
    file = worked(tmp_path)
    held = kept(code(file))
    if forge == "written anew":
        written_anew(file, rightly)
    else:
        file.write_bytes(joined(one.line for one in entries(file)[:7]))
    alone = one_of(tmp_path)
    assert (alone.status, alone.findings, alone.remarks) == (Status.CONSISTENT, [], [])
    found = one_of(tmp_path, held)
    assert found.status is Status.BROKEN
    assert "holds entry 12, and the journal ends at entry" in found.findings[0].what


def test_a_journal_written_anew_to_the_same_length_is_found_with_a_code(tmp_path):
    file = worked(tmp_path)
    held = kept(code(file, 9))
    written_anew(file, lambda event: event | ({"outcome": "yes"} if event["event"] == "check" else {}))
    assert one_of(tmp_path).status is Status.CONSISTENT
    assert one_of(tmp_path, held).findings[0].what == (
        "is not the entry that the code of 2026-03-15 was made of: it was written anew"
    )


def test_what_was_written_anew_behind_the_last_code_is_not_found_and_not_claimed(tmp_path):
    file = worked(tmp_path)
    held = kept(code(file, 6))
    written_anew(file, lambda event: event | ({"outcome": "yes"} if event["event"] == "check" else {}))
    found = one_of(tmp_path, held)
    assert (found.status, found.proven) == (Status.PROVEN, 6)
    assert "proven up to entry 6 of 12" in str(grade(tmp_path, [held]))


def test_a_journal_begun_anew_is_found_by_the_name_on_the_list(tmp_path):
    held = kept(code(worked(tmp_path)))
    (tmp_path / journal.NAME).unlink()
    worked(tmp_path, student=BO, name="ADA")
    assert one_of(tmp_path).status is Status.CONSISTENT
    assert (
        "is of another journal of Ada, 7K3M9Q2W, which is not here" in one_of(tmp_path, held).findings[0].what
    )


def test_two_machines_of_one_student_are_two_journals(tmp_path):
    one, two = worked(tmp_path / "one"), worked(tmp_path / "two", BO, "Ada", offset=3)
    report = grade(tmp_path, [kept(code(one)), kept(code(two))])
    assert [each.status for each in report.journals] == [Status.PROVEN, Status.PROVEN]


def test_a_time_behind_the_date_of_the_code_is_told(tmp_path):
    held = kept(code(worked(tmp_path)), day=date(2026, 3, 1))
    assert one_of(tmp_path, held).remarks == ["entry 12 says 2026-03-14, and its code is of 2026-03-01"]


def test_a_code_without_a_journal_is_missed(tmp_path):
    held = kept(code(worked(tmp_path / "a")))
    worked(tmp_path / "b", BO, "Bo", offset=5)
    (tmp_path / "a" / journal.NAME).unlink()
    report = grade(tmp_path, [held])
    assert report.missing == ("Of Ada there is a code of 2026-03-15, and no journal 7K3M9Q2W.",)
    assert report.missing[0] in str(report)


# Copies


def test_one_journal_under_two_names_is_found_and_the_list_says_whose_it_is(tmp_path):
    ada = worked(tmp_path / "a")
    bo = tmp_path / "b" / journal.NAME
    bo.parent.mkdir()
    bo.write_bytes(ada.read_bytes())
    journal.Journal(bo.parent, Clock(), BO).add("", "hand-in", "journal", name="Bo")
    report = grade(tmp_path)
    assert [one.status for one in report.journals] == [Status.BROKEN, Status.BROKEN]
    first, second = grade(tmp_path, [kept(code(ada))]).journals
    assert first.status is Status.PROVEN
    assert "up to here it is the same as b/progress.jsonl, where another name was said (Bo)" in first.remarks
    assert second.status is Status.BROKEN
    assert second.remarks[0] == "several names were said: Ada and Bo"
    assert any("is that of Ada, and this journal says Bo" in one.what for one in second.findings)


def test_lines_of_another_are_found_and_the_one_who_wrote_them_is_not_blamed(tmp_path):
    ada, bo = worked(tmp_path / "a"), worked(tmp_path / "b", BO, "Bo", offset=3)
    bo.write_bytes(bo.read_bytes() + joined(one.line for one in entries(ada)[5:8]))
    first, second = grade(tmp_path).journals
    assert (first.status, second.status) == (Status.CONSISTENT, Status.BROKEN)
    assert first.remarks == ["3 of its entries stand in b/progress.jsonl too"]
    assert any("3 of its entries stand in a/progress.jsonl too" in one.what for one in second.findings)


def test_a_copy_that_was_bound_to_another_id_is_found_by_its_times(tmp_path):
    ada, bo = worked(tmp_path / "a"), worked(tmp_path / "b")
    written_anew(bo, lambda event: event | ({"name": "Bo"} if event["event"] == "hand-in" else {}), BO)
    first, second = grade(tmp_path).journals
    assert (first.status, second.status) == (
        Status.BROKEN,
        Status.BROKEN,
    )  # the files do not say whose it was
    assert "11 of its events are of the same microsecond as in a/progress.jsonl" in second.findings[0].what
    first, second = grade(tmp_path, [kept(code(ada))]).journals
    assert (first.status, second.status) == (Status.PROVEN, Status.BROKEN)


def test_two_honest_students_share_nothing(tmp_path):
    worked(tmp_path / "a")
    worked(tmp_path / "b", BO, "Bo", offset=3)
    report = grade(tmp_path)
    assert [(one.status, one.remarks) for one in report.journals] == [(Status.CONSISTENT, [])] * 2


def test_an_earlier_state_of_the_same_journal_is_no_copy(tmp_path):
    file = worked(tmp_path / "b")
    early = tmp_path / "a.jsonl"
    early.write_bytes(joined(one.line for one in entries(file)[:6]))
    report = grade(tmp_path, [kept(code(file))])
    by_file = {one.journal.file: one for one in report.journals}
    assert by_file["a.jsonl"].remarks == ["an earlier state of b/progress.jsonl"]
    assert by_file["a.jsonl"].findings == []
    assert by_file["b/progress.jsonl"].status is Status.PROVEN


def test_two_journals_of_one_id_that_part_ways_are_told(tmp_path):
    file = worked(tmp_path / "a")
    other = tmp_path / "b" / journal.NAME
    other.parent.mkdir()
    other.write_bytes(file.read_bytes())
    written_anew(other, lambda event: event | ({"outcome": "yes"} if event["event"] == "check" else {}))
    first, second = grade(tmp_path).journals
    assert first.findings[0].seq == second.findings[0].seq == 6
    assert "and then both go on, each in its own way" in first.findings[0].what


def test_unchained_lines_that_are_all_the_same_are_told(tmp_path):
    old(tmp_path / "a", "yes", "yes", "yes")
    old(tmp_path / "b", "yes", "yes", "yes")
    assert {one.status for one in grade(tmp_path).journals} == {Status.BROKEN}


# Codes


def test_a_code_is_read_as_it_is_said_and_a_misread_one_is_refused(tmp_path):
    said = code(worked(tmp_path, student="10ABCDEF"))
    assert codes.read_aloud(said.lower().replace("0", "o", 1).replace("1", "l", 1)).tenant == "10ABCDEF"
    start, last = said[:-1], said[-1]
    with pytest.raises(InvalidInput, match="misread"):
        codes.read_aloud(start + ("2" if last != "2" else "3"))
    for wrong in ("12", "7K3M9Q2W", "7K3M9Q2W 4", "7K3M9Q2W 4 AAAA"):
        with pytest.raises(InvalidInput, match="is no code"):
            codes.read_aloud(wrong)


def test_a_code_of_one_student_proves_nothing_of_another(tmp_path):
    ada, bo = entries(worked(tmp_path / "a"))[-1], worked(tmp_path / "b", BO, "Bo", offset=3)
    _, seq, signs = codes.code_of(ADA, ada).split()
    held = codes.read_aloud(f"{BO} {seq} {signs}")
    assert not held.fits(ada.hash)
    (found,) = grade(bo, [codes.Kept(TODAY, "Bo", held)]).journals
    assert found.status is Status.BROKEN


def test_the_list_is_kept_and_read_as_a_spreadsheet_leaves_it(tmp_path):
    file, listed = worked(tmp_path / "a", name="=HYPERLINK(1)"), tmp_path / "codes.csv"
    said = code(file)
    assert codes.keep(listed, TODAY, [("=HYPERLINK(1)", said)]) == 1
    assert codes.keep(listed, TODAY, [("=HYPERLINK(1)", said)]) == 0  # it is there
    assert "'=HYPERLINK(1)" in listed.read_text(encoding="utf-8")
    (row,) = codes.read(listed)
    assert (row.date, row.name, row.student, row.seq) == (TODAY, "=HYPERLINK(1)", ADA, 12)
    listed.write_text(f"\ufeffname;code;date\nAda;{said};2026-03-15\n", encoding="utf-8")
    assert codes.read(listed)[0].name == "Ada"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "names the columns date, name and code"),
        ("a,b\n1,2\n", "names the columns date, name and code"),
        ("date,name,code\n2026-03-15,Ada\n", "line 2 of"),
        ("date,name,code\nsoon,Ada,7K3M9Q2W 1 0PTG-KFJY-PNJ6-RQAX-B\n", "line 2 of"),
        ("date,name,code\n2026-03-15,Ada,7K3M9Q2W 1 0PTG-KFJY-PNJ6-RQAX-C\n", "misread"),
    ],
)
def test_a_list_that_cannot_be_read_says_where(tmp_path, text, sentence):
    (tmp_path / "codes.csv").write_text(text, encoding="utf-8")
    with pytest.raises(InvalidInput, match=sentence):
        codes.read(tmp_path / "codes.csv")
    with pytest.raises(InvalidInput, match="cannot be read"):
        codes.read(tmp_path / "nothing.csv")


# Whatever is in the folder


@given(
    st.lists(st.binary(max_size=60)),
    st.lists(
        st.fixed_dictionaries(
            {},
            optional={
                "event": st.sampled_from(
                    ["check", "predict", "reveal", "shown", "hand-in", "rebuild", "\x1b[2J"]
                ),
                "at": st.sampled_from(["", "2026-03-14T10:00:00", "9999-12-31T23:59:59-14:00", "x.y"]),
                "id": st.sampled_from(["2.a", "2.1", "\u202e"]),
                "segment": st.sampled_from(["02", "98", ""]),
                "answer": st.none() | st.floats() | st.integers() | st.text() | st.lists(st.text()),
                "sure": st.none() | st.floats() | st.just("sure"),
                "outcome": st.sampled_from(["yes", 3]),
                "misconception": st.text() | st.integers(),
                "name": st.text() | st.none(),
                "card": st.text(),
            },
        )
    ),
)
def test_no_journal_can_break_the_report(tmp_path_factory, junk, events):
    folder = tmp_path_factory.mktemp("class")
    last = linked.entry(None, {"event": "begin", "student": ADA})
    lines = last.line + b"\n"
    for event in events:
        last = linked.entry(last, {"event": "hint"} | event)
        lines += last.line + b"\n"
    (folder / "one.jsonl").write_bytes(lines)
    (folder / "two.jsonl").write_bytes(lines + b"\n".join(junk))
    (folder / "three.jsonl").write_bytes(b"\n".join(junk))
    report = grade(folder)
    told = str(report)
    assert all(sign.isprintable() or sign == "\n" for sign in told)
    json.dumps(report.as_dict())
    by_file = {one.journal.file: one for one in report.journals}
    assert by_file["one.jsonl"].findings == []


def test_numbers_and_texts_come_back_as_they_were_kept(tmp_path):
    answers = [
        0.5,
        10**30,
        -7,
        True,
        "a\u2028b \N{GREEK SMALL LETTER ALPHA}",
        float("inf"),
        None,
        [1, {"x": 0.25}],
    ]
    diary = journal.Journal(tmp_path, Clock(), ADA)
    for answer in answers:
        diary.add("02", "predict", "2.a", answer=answer)
    assert [one["answer"] for one in diary.events()][:7] == answers[:7]
    diary.add("02", "predict", "2.a", answer="nul \x00 and half \ud800")
    assert diary.events()[-1]["answer"] == "nul  and half "
    assert one_of(tmp_path).findings == []


def test_what_cannot_be_read_is_named_and_the_rest_is_graded(tmp_path, monkeypatch):
    worked(tmp_path / "a")
    (tmp_path / "newer.jsonl").write_text('{"v": 3}\n', encoding="utf-8")
    (tmp_path / "empty.jsonl").write_text("\n", encoding="utf-8")
    (tmp_path / "folder.jsonl").mkdir()
    told = str(grade(tmp_path))
    assert told.startswith("4 journals: 1 consistent, not proven, 3 unreadable\n")
    assert "newer.jsonl: unreadable (written by a newer teachmem)" in told
    assert "empty.jsonl: unreadable (no line of it is that of a journal)" in told
    monkeypatch.setattr(handed, "MOST_BYTES", 10)
    assert "larger than 0 MB" in str(grade(tmp_path))
    with pytest.raises(InvalidInput, match="is not there"):
        grade(tmp_path / "nowhere")


# Handing in


@pytest.fixture
def home(tmp_path, monkeypatch) -> Path:
    monkeypatch.delenv("TEACHMEM_STATIC")
    monkeypatch.setenv("TEACHMEM_HOME", str(tmp_path / "home"))
    journal._opened.cache_clear()
    yield tmp_path / "home"
    journal._opened.cache_clear()


def test_a_stored_notebook_hands_in_nothing(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    handing.hand_in("Ada")
    course.code()
    assert capsys.readouterr().out == (
        "No journal is kept here, so nothing is handed in. On your own machine this is where it is.\n"
        "No journal is kept here, so there is no code. On your own machine this line is one.\n"
    )
    assert list(tmp_path.iterdir()) == []


def test_a_journal_is_handed_in_with_its_card_and_a_code(home, tmp_path, capsys):
    journal.current().add("02", "check", "2.1", outcome="yes")
    (tmp_path / "card.json").write_text(written([]), encoding="utf-8")
    course.hand_in(" Ada ", tmp_path / "out", card=tmp_path / "card.json")
    first, second = capsys.readouterr().out.splitlines()
    (file,) = (tmp_path / "out").glob("journal-*.jsonl")
    student = file.stem.removeprefix("journal-")
    assert first == f"Handed in as Ada: 3 entries, in {file.as_posix()}."
    said = second.rpartition(": ")[2]
    assert said == code(file)
    journal.current().add("02", "check", "2.2", outcome="yes")
    found = one_of(tmp_path / "out", kept(said, day=datetime.now(UTC).date()))
    assert (found.status, found.journal.name, found.remarks) == (Status.PROVEN, "Ada", [])
    assert found.journal.others == ("the card beside it, as it was handed in",)
    card = tmp_path / "out" / f"card-{student}.json"
    card.write_text("another", encoding="utf-8")
    assert one_of(tmp_path / "out").remarks == [f"{card.name} beside it is not the card that was handed in"]
    card.unlink()
    assert one_of(tmp_path / "out").remarks == [
        f"a card was handed in with it, and {card.name} is not beside it"
    ]
    course.hand_in("Adda", tmp_path / "out")  # a slip, mended at once: the name said last is the name
    course.hand_in("Ada", tmp_path / "out")  # later, again
    found = one_of(tmp_path / "out", kept(said))
    assert (found.status, found.proven, len(found.journal.walk.entries)) == (Status.PROVEN, 3, 6)


def test_handing_in_says_what_is_wrong_and_hands_in_nothing(home, tmp_path):
    journal.current().add("02", "check", "2.1", outcome="yes")
    for wrong in ("", "  ", None):
        with pytest.raises(InvalidInput, match="the name that your instructor"):
            course.hand_in(wrong)
    with pytest.raises(InvalidInput, match="cannot be read"):
        course.hand_in("Ada", tmp_path, card=tmp_path / "nothing.json")
    (tmp_path / "other.json").write_text("{}", encoding="utf-8")
    with pytest.raises(InvalidInput, match="is no card; teachmem marks --json FILE writes one"):
        course.hand_in("Ada", tmp_path, card=tmp_path / "other.json")
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(InvalidInput, match="name another folder"):
        course.hand_in("Ada", tmp_path / "file")
    assert len(entries(home / journal.NAME)) == 2


# The command


def asked(*words: object) -> tuple[int, str]:
    answer = RUNNER.invoke(cli.app, ["grade", *map(str, words)])
    if isinstance(answer.exception, TeachmemError):
        return 2, str(answer.exception)
    assert answer.exception is None or isinstance(answer.exception, SystemExit), answer.exception
    return answer.exit_code, answer.stdout


def test_the_exit_code_is_the_answer(tmp_path):
    file, listed = worked(tmp_path / "in"), tmp_path / "codes.csv"
    assert asked(tmp_path / "in")[0] == 3
    assert asked(tmp_path / "in", "--keep", listed)[0] == 3
    assert asked(tmp_path / "in", "--codes", listed) == (0, f"{grade(tmp_path / 'in', codes.read(listed))}\n")
    assert asked(file, "--codes", listed)[0] == 0  # one alone
    worked(tmp_path / "in" / "b", BO, "Bo", offset=3)
    assert asked(tmp_path / "in", "--codes", listed)[0] == 3
    file.write_bytes(file.read_bytes().replace(b'"not yet"', b'"yes"', 1))
    assert asked(tmp_path / "in", "--codes", listed)[0] == 1
    assert asked(tmp_path / "nowhere")[0] == 2
    assert asked(tmp_path / "in", "--codes", tmp_path / "nothing.csv")[0] == 2
    assert asked()[0] == 2


def test_the_list_never_takes_the_code_of_a_broken_journal(tmp_path):
    file, listed = worked(tmp_path / "in"), tmp_path / "codes.csv"
    file.write_bytes(file.read_bytes().replace(b'"not yet"', b'"yes"', 1))
    assert asked(tmp_path / "in", "--keep", listed)[0] == 1
    assert codes.read(listed) == []


def test_the_report_is_printed_as_csv_and_json(tmp_path):
    worked(tmp_path, name="=1+1")
    _, table = asked(tmp_path, "--csv")
    rows = list(csv.DictReader(table.splitlines()))
    assert [row["id"] for row in rows] == ["2.a", "2.b", "2.1", "2.2"]
    assert {row["name"] for row in rows} == {"'=1+1"}  # a spreadsheet calculates nothing
    _, plain = asked(tmp_path, "--json")
    assert json.loads(plain) == json.loads(json.dumps(grade(tmp_path).as_dict()))


def test_a_student_prints_the_code_of_their_own_journal(home):
    assert asked("--code") == (2, "no journal is kept here yet; answer something in a lesson first")
    journal.current().add("02", "check", "2.1", outcome="yes")
    assert asked("--code") == (0, code(home / journal.NAME) + "\n")
