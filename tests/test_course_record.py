"""The record of a student's work: nothing is lost, two kernels share it, and tests never touch it."""

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
import sample_segment
from hypothesis import given
from hypothesis import strategies as st

from teachmem import course
from teachmem.course import checker, eventfile, journal, linked
from teachmem.course.standing import Standing
from teachmem.errors import InvalidInput


@pytest.fixture
def home(tmp_path, monkeypatch) -> Path:
    """A student's own machine: not a test, not a stored notebook."""
    monkeypatch.delenv("TEACHMEM_STATIC")
    monkeypatch.setenv("TEACHMEM_HOME", str(tmp_path / "home"))
    journal._opened.cache_clear()
    return tmp_path / "home"


OPENED: list[course.Lesson] = []


def opened(number) -> course.Lesson:
    """Open a lesson that is closed when the test ends."""
    OPENED.append(course.open_lesson(number))
    return OPENED[-1]


@pytest.fixture(autouse=True)
def fresh():
    journal._opened.cache_clear()
    yield
    while OPENED:
        OPENED.pop().close()
    journal._opened.cache_clear()
    checker.shared().close()


def lines(home: Path) -> list[dict[str, object]]:
    """Return the events behind the one that begins the chain."""
    first, *others = (home / journal.NAME).read_text(encoding="utf-8").splitlines()
    assert json.loads(first)["event"] == "begin"
    return [json.loads(line) for line in others]


def test_tests_and_stored_notebooks_touch_no_file(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("TEACHMEM_HOME", str(tmp_path))
    assert journal.current().folder is None
    lesson = opened("02")
    lesson.hint("2.1")
    lesson.predict("2.a", "a", "sure")
    lesson.reveal("2.a")
    course.progress()
    course.reset_progress(confirm=True)
    assert list(tmp_path.iterdir()) == []
    assert journal.current().events() == []


def test_being_surer_afterwards_does_not_count_either(home, capsys):
    lesson = opened(sample_segment.SEGMENT)
    lesson.predict("77.a", "a", "guess")
    lesson.reveal("77.a")
    capsys.readouterr()
    lesson.predict("77.a", "a", "sure")
    told = capsys.readouterr().out
    assert "a, sure is noted. It comes after the answer was shown, so a, as a guess stays" in told
    assert "kept" not in told


def test_progress_survives_a_restart(home, capsys):
    lesson = opened(sample_segment.SEGMENT)
    lesson.check("77.2", 1)
    lesson.check("77.2", -1)
    lesson.predict("77.a", "a", "sure")
    lesson.reveal("77.a")
    journal._opened.cache_clear()  # another kernel
    capsys.readouterr()
    opened(sample_segment.SEGMENT).predict("77.a", "b", "sure")
    assert "It comes after the answer was shown, so a stays" in capsys.readouterr().out
    kinds = [(event["event"], event["id"]) for event in lines(home)]
    assert kinds == [
        ("check", "77.2"),
        ("check", "77.2"),
        ("predict", "77.a"),
        ("reveal", "77.a"),
        ("predict", "77.a"),
    ]


def test_progress_says_what_is_done_and_what_is_open(home):
    diary = journal.current()
    one = opened("02").segment
    diary.add("02", "check", "2.1", outcome="not yet")
    assert f"0 of {len(one.exercises)} exercises" in str(course.progress())
    assert "tried and open: 2.1" in repr(course.progress())
    diary.add("02", "check", "2.1", outcome="yes")
    diary.add("02", "check", "2.1", outcome="not yet")  # what was done stays done
    diary.add("02", "predict", "2.a", answer="a", sure="")
    diary.add("02", "check", "9.9", outcome="yes")  # an exercise of another version of the course
    assert f"1 of {len(one.exercises)} exercises, 1 of" in str(course.progress())
    assert "tried" not in str(course.progress())
    assert str(course.progress()).endswith(f"Your record is the file {home / journal.NAME}.")


def test_a_reset_asks_by_name(home, capsys):
    journal.current().add("02", "check", "2.1", outcome="yes")
    course.reset_progress()
    assert "write course.reset_progress(confirm=True)" in capsys.readouterr().out
    assert len(lines(home)) == 1
    course.reset_progress(confirm=True)
    assert capsys.readouterr().out == "The record of progress is empty.\n"
    assert journal.current().events() == []
    course.reset_progress(confirm=True)  # and again, with nothing there
    assert capsys.readouterr().out == "The record of progress is empty.\n"


def test_a_damaged_file_is_kept_aside_and_its_good_lines_count(home, capsys):
    journal.current().add("02", "check", "2.1", outcome="yes")
    file = home / journal.NAME
    good = file.read_bytes()
    damage = b'{"v": 1, "event": "che\n\xff\xfe\x00\n[]\n{"v": "1"}\n\n'
    file.write_bytes(damage + good + b'{"torn')
    assert Standing.of(journal.current().events()).rows[2].done == ("2.1",)
    opened("02")
    told = capsys.readouterr().out
    assert told == (
        "Your record of progress had 5 damaged lines. The damaged file is kept as progress-damaged-1.jsonl; "
        "every line that could be read still counts.\n"
    )
    assert (home / "progress-damaged-1.jsonl").read_bytes() == damage + good + b'{"torn'
    assert file.read_bytes() == good
    opened("02")
    assert capsys.readouterr().out == ""  # told once
    file.write_bytes(good + b"?")
    opened("02")
    assert "kept as progress-damaged-2.jsonl" in capsys.readouterr().out


def test_a_line_after_a_torn_one_is_not_lost(home):
    diary = journal.current()
    diary.add("02", "check", "2.1", outcome="yes")
    with (home / journal.NAME).open("ab") as file:
        file.write(b'{"v": 1, "ev')
    diary.add("02", "check", "2.2", outcome="yes")
    assert [event["id"] for event in diary.events()] == ["2.1", "2.2"]


def test_a_record_of_a_newer_teachmem_is_left_alone(home, capsys):
    home.mkdir()
    file = home / journal.NAME
    file.write_text('{"v": 3, "what": "who knows"}\n', encoding="utf-8")
    lesson = opened("02")
    assert capsys.readouterr().out == (
        "Your record of progress was written by a newer teachmem. It is left as it is.\n"
    )
    lesson.hint("2.1")
    assert file.read_text(encoding="utf-8") == '{"v": 3, "what": "who knows"}\n'
    assert [event["event"] for event in journal.current().events()] == ["hint"]  # for this kernel only


def test_a_place_that_cannot_be_written_is_said_once_and_the_lesson_goes_on(home, capsys):
    home.write_text("a file where a folder should be", encoding="utf-8")
    lesson = opened("02")
    lesson.predict("2.a", "a", "sure")
    lesson.reveal("2.a")
    lesson.hint("2.1")
    told = capsys.readouterr().out
    assert told.count("Your progress cannot be kept in") == 1
    assert "2.a: kept: a, sure." in told
    lesson.review()
    assert "1 of " in capsys.readouterr().out


def test_a_folder_in_the_files_place_is_said_and_the_lesson_goes_on(home, capsys):
    (home / journal.NAME).mkdir(parents=True)
    opened("02").hint("2.1")
    told = capsys.readouterr().out
    assert told.count("Your progress cannot be kept in") == 1
    assert "hint 1 of 3" in told


def test_two_kernels_lose_nothing(home):
    code = """
        import sys
        from teachmem.course import journal
        for n in range(100):
            journal.current().add("02", "hint", f"{sys.argv[1]}.{n}")
        """
    env = {key: value for key, value in os.environ.items() if key != "TEACHMEM_STATIC"}
    kernels = [
        subprocess.Popen([sys.executable, "-c", textwrap.dedent(code), str(n)], env=env) for n in range(2)
    ]
    assert [kernel.wait() for kernel in kernels] == [0, 0]
    found, damaged, _ = eventfile.read(home / journal.NAME)
    assert damaged == 0
    walk = linked.walk((home / journal.NAME).read_bytes())  # and it is one chain
    assert (walk.findings, len(walk.entries)) == ((), 201)
    assert {event["id"] for event in found} == {f"{k}.{n}" for k in range(2) for n in range(100)}
    for k in "01":  # each in its own order
        own = [event["id"] for event in found if event["id"].startswith(k)]
        assert own == [f"{k}.{n}" for n in range(100)]


@given(st.lists(st.binary(max_size=40)))
def test_no_bytes_can_break_the_reader(tmp_path_factory, pieces):
    good = json.dumps({"v": 1, "at": "", "segment": "02", "event": "hint", "id": "2.1"}).encode()
    file = tmp_path_factory.mktemp("record") / journal.NAME
    file.write_bytes(b"\n".join([good, *pieces, good]))
    found, _, newer = eventfile.read(file)
    assert newer or [event["id"] for event in found][:: max(1, len(found) - 1)] == ["2.1", "2.1"]


@pytest.mark.parametrize(
    ("system", "variables", "wanted"),
    [
        ("linux", {"XDG_DATA_HOME": "/data"}, "/data/teachmem"),
        ("linux", {}, "~/.local/share/teachmem"),
        ("darwin", {}, "~/Library/Application Support/teachmem"),
        ("win32", {"LOCALAPPDATA": "/local"}, "/local/teachmem"),
        ("win32", {}, "~/AppData/Local/teachmem"),
    ],
)
def test_the_record_lies_where_such_things_lie(monkeypatch, system, variables, wanted):
    for name in ("TEACHMEM_HOME", "XDG_DATA_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "platform", system)
    assert journal.home() == Path(wanted).expanduser()


# The class


def student(folder: Path, *events: tuple[object, ...]) -> None:
    diary = journal.Journal(folder)
    for segment, kind, which, more in events:
        diary.add(segment, kind, which, **more)


def test_the_roster_shows_where_the_room_is_stuck(tmp_path):
    stuck = {"outcome": "not yet", "misconception": "memory fades in a straight line"}
    wrong = [
        ("02", "predict", "2.a", {"answer": "a", "sure": "sure"}),
        ("02", "reveal", "2.a", {"right": False}),
    ]
    student(tmp_path / "first", ("02", "check", "2.1", stuck), ("02", "check", "2.1", stuck), *wrong)
    student(
        tmp_path / "second",
        ("02", "check", "2.1", {"outcome": "yes"}),
        ("00", "check", "0.1", {"outcome": "yes"}),
    )
    student(tmp_path / "third", ("00", "check", "0.1", {"outcome": "yes"}))
    found = course.roster(tmp_path)
    assert str(found).splitlines() == [
        "Students: 3",
        "2.1  done 1, stuck 1, not tried 1; seen: memory fades in a straight line (1)",
        "0.1  done 2, stuck 0, not tried 1",
        "2.a  right 0, wrong 1, of these sure 1",
    ]
    frame = found.frame()
    assert frame.to_dict("records")[0] == {
        "id": "2.1", "kind": "exercise", "fine": 1, "troubled": 1, "untried": 1
    }  # fmt: skip
    assert len(frame) == 3


def test_the_roster_names_what_it_cannot_read_and_goes_on(tmp_path):
    student(tmp_path / "first", ("02", "check", "2.1", {"outcome": "yes"}))
    (tmp_path / "second.jsonl").write_text('{"v": 9}\n', encoding="utf-8")
    (tmp_path / "third.jsonl").write_text("nonsense\n", encoding="utf-8")
    (tmp_path / "fourth.jsonl").mkdir()
    (tmp_path / "first" / "progress-damaged-1.jsonl").write_text("old\n", encoding="utf-8")
    found = course.roster(str(tmp_path))
    assert found.students == 2
    told = str(found)
    assert "second.jsonl: cannot be read (written by a newer teachmem)" in told
    assert "third.jsonl: 1 damaged line left out" in told
    assert "fourth.jsonl: cannot be read (" in told
    assert "2.1  done 1, stuck 0, not tried 1" in told


def test_an_empty_folder_says_what_to_do(tmp_path):
    assert "Collect the students' files in it." in str(course.roster(tmp_path))
    assert len(course.roster(tmp_path).frame()) == 0
    with pytest.raises(InvalidInput, match="is not a folder"):
        course.roster(tmp_path / "nowhere")


@given(
    st.lists(
        st.lists(
            st.fixed_dictionaries(
                {
                    "segment": st.sampled_from(["00", "02", "98"]),
                    "event": st.sampled_from(eventfile.KINDS),
                    "id": st.sampled_from(["2.1", "2.a", "0.1", "x"]),
                },
                optional={
                    "outcome": st.none() | st.sampled_from(["yes", "not yet", 3]),
                    "answer": st.none() | st.text() | st.lists(st.integers()),
                    "sure": st.none() | st.integers() | st.sampled_from(["sure", "guess"]),
                    "right": st.none() | st.booleans() | st.text(),
                    "misconception": st.none() | st.lists(st.text()) | st.just("older is more"),
                },
            )
        ),
        max_size=4,
    )
)
def test_any_record_that_reads_can_be_summed_up(tmp_path_factory, students):
    """Records come from other people's machines: odd values count for nothing, and break nothing."""
    folder = tmp_path_factory.mktemp("class")
    for number, events in enumerate(students):
        text = "".join(json.dumps(event | {"v": 1, "at": ""}) + "\n" for event in events)
        (folder / f"{number}.jsonl").write_text(text, encoding="utf-8")
        str(Standing.of(events))
    found = course.roster(folder)
    assert found.students == len(students)
    for row in found.exercises:
        assert row.done + row.stuck + row.untried == len(students)
    str(found)
