"""The run sheet: its clock is the sum of the cells, and nothing that is noted gets lost."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import pytest
import sample_lesson as sample
from hypothesis import given
from hypothesis import strategies as st

from teachmem.course import notebook, runsheet

ROOT = Path(__file__).resolve().parents[1]
LESSON = notebook.Notebook(sample.NAME, sample.lesson())


def squeezed(text: str) -> str:
    return " ".join(text.split())


def test_the_stations_lie_end_to_end_and_take_as_long_as_their_cells():
    found = runsheet.stations(LESSON)
    assert found[0].start == 0
    for one, next_one in itertools.pairwise(found):
        assert next_one.start == one.start + one.minutes
    assert found[-1].start + found[-1].minutes == sum(cell.minutes for cell in LESSON.cells)


def test_each_heading_begins_a_station():
    titles = [station.title for station in runsheet.stations(LESSON)]
    assert titles == ["Episodic memory", "The lunch menu wins", "Your turn", "What stays"]


@pytest.mark.parametrize("sheet", [runsheet.as_markdown(LESSON), "\n".join(runsheet.as_lines(LESSON))])
def test_every_note_every_start_and_every_question_is_on_the_sheet(sheet):
    flat = squeezed(sheet)
    for label, text in runsheet.notes(sample.SPEAKER).items():
        assert label in flat
        assert text in flat
    for station in runsheet.stations(LESSON):
        assert runsheet.clock(station.start) in flat
        assert station.title in flat
    for asked in ("predict 2.a", "check 2.1"):
        assert asked in flat
    assert "behind at 00:03: The widget" in flat
    assert "are slack" in flat


def test_what_the_room_does_is_timed_cell_by_cell():
    timed = [act for station in runsheet.stations(LESSON) for act in station.does]
    starts = {}
    now = 0.0
    for cell in LESSON.cells:
        starts.setdefault(cell.name, now)
        now += cell.minutes
    assert (starts["predict-2-a"], "predict 2.a") in timed
    assert (starts["check-2-1"], "check 2.1") in timed
    assert [start for start, _ in timed] == sorted(start for start, _ in timed)


def test_nothing_to_cut_is_no_advice():
    lesson = sample.lesson()
    notes = sample.cell(lesson, "notes-story")
    notes["source"] = notes["source"].partition("**Cut when late**")[0] + "**Cut when late** Nothing here."
    assert "cut in this order" not in "\n".join(runsheet.as_lines(notebook.Notebook(sample.NAME, lesson)))


def test_the_text_fits_a_terminal():
    assert max(len(line) for line in runsheet.as_lines(LESSON)) <= runsheet.WIDTH


def test_a_sheet_says_what_slack_is_left():
    taken = sum(cell.minutes for cell in LESSON.cells)
    assert f"{taken:g} of 50 minutes" in runsheet.totals(LESSON)
    assert f"{50 - taken:g} are slack" in runsheet.totals(LESSON)
    start = notebook.Notebook("00-start-here.ipynb", sample.lesson())
    assert "of 10 minutes" in runsheet.totals(start)


@given(
    st.dictionaries(
        st.sampled_from(runsheet.LABELS), st.from_regex(r"[a-z]{1,9}( [a-z]{1,9}){0,5}", fullmatch=True)
    )
)
def test_what_is_written_under_labels_is_read_back(told):
    source = "\n\n".join(f"**{label}** {text}" for label, text in told.items())
    if told:
        assert runsheet.notes(source) == told
    else:
        with pytest.raises(ValueError, match="empty"):
            runsheet.notes(source)


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("Say something", "begins with a label"),
        ("**Tell** something", "is not known"),
        ("**Say**", "says nothing"),
        ("**Say** a\n\n**Say** b", "twice"),
        ("", "is empty"),
    ],
)
def test_a_note_that_cannot_be_read_gives_a_sentence(source, sentence):
    with pytest.raises(ValueError, match=sentence):
        runsheet.notes(source)


@pytest.mark.parametrize(("minutes", "written"), [(0, "00:00"), (3, "00:03"), (9.5, "00:09"), (60, "01:00")])
def test_the_clock_is_written_as_hours_and_minutes(minutes, written):
    assert runsheet.clock(minutes) == written


@pytest.mark.parametrize("path", sorted((ROOT / "notebooks").glob("*.ipynb")), ids=lambda path: path.name)
def test_every_segment_has_a_run_sheet(path):
    lesson = notebook.read(path)
    sheet = "\n".join(runsheet.as_lines(lesson))
    for label in runsheet.LABELS:
        assert label in sheet
    assert len(re.findall(r"^\d\d:\d\d  ", sheet, flags=re.MULTILINE)) == len(runsheet.stations(lesson)) + 1
