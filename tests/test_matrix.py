"""The matrix of foils by probes: the kit holds everywhere, every foil is caught, every probe catches.

By default each foil is asked the probes that docs/marks.md says find it; HYPOTHESIS_PROFILE=long computes the
whole matrix anew and compares the page with it.
"""

import os

import marks_page
import pytest
import watch

from teachmem.errors import InvalidInput
from teachmem.marks.foil import foils
from teachmem.marks.matrix import UNBROKEN, compute, is_quick
from teachmem.marks.probe import Answer, Mark, probes
from teachmem.show import scorecard

LONG = os.environ.get("HYPOTHESIS_PROFILE") == "long"


@pytest.fixture(scope="module")
def matrix():
    with watch.asleep():  # some of the faults are what it watches for
        return compute(pairs=None if LONG else marks_page.pairs())


def test_the_unbroken_kit_holds_everywhere(matrix):
    bad = [str(found) for (name, _), found in matrix.cells.items() if not name and found.answer != "holds"]
    assert bad == []
    assert matrix.unbroken


def test_every_foil_is_caught_by_a_probe(matrix):
    """A foil that no longer bites, because what it patches has moved, is a foil that nobody catches."""
    assert [name for name in matrix.foils if not matrix.caught_by(name)] == []
    assert set(matrix.foils) == {one.name for one in foils()}
    assert len(matrix.foils) >= 70


def test_every_probe_catches_a_foil(matrix):
    """A probe that nothing makes fail has never been seen to be able to."""
    assert [one.name for one in matrix.probes if not matrix.catches(one.name)] == []
    assert set(matrix.probes) == set(probes())


def test_every_mark_is_defended_by_several_foils(matrix):
    for mark in Mark:
        foiled = {name for one in probes(mark) for name in matrix.catches(one.name)}
        assert len(foiled) >= 3, (mark, foiled)


@pytest.mark.skipif(not LONG, reason="needs every pair: HYPOTHESIS_PROFILE=long")
def test_a_foil_leaves_most_of_the_kit_alone(matrix):
    """A foil is one missing rule: under it most probes still hold, or it would show nothing in particular."""
    for name in matrix.foils:
        asked = [found for (foil, _), found in matrix.cells.items() if foil == name]
        held = sum(found.answer is Answer.HOLDS for found in asked)
        assert held >= len(asked) / 2, (name, held, len(asked))


def test_the_table_has_a_row_a_foil_and_says_what_was_not_asked(matrix):
    table = matrix.frame()
    assert table.shape == (len(matrix.foils) + 1, len(matrix.probes))
    assert set(table.loc["(no foil)"]) == {"holds"}
    assert table.loc["moratorium_in_disguise", "after_two_months"] == "fails"
    assert set(table.to_numpy().ravel()) <= {*map(str, Answer), ""}


def test_the_page_tells_of_every_probe_and_of_who_finds_each_foil(matrix):
    page = marks_page.PAGE.read_text(encoding="utf-8")
    assert marks_page.block(page, "probes") == marks_page.of_probes()
    assert marks_page.block(page, "foils") == marks_page.of_foils(matrix)


def test_after_all_foils_the_kit_is_whole_again(matrix):
    again = compute([], [one for one in matrix.probes if is_quick(one)])
    assert again.unbroken, [str(found) for found in again.cells.values() if found.answer != "holds"]


def test_it_is_drawn_as_it_is(matrix):
    drawn = scorecard.foils(matrix.by_foil())
    assert "moratorium_in_disguise" in drawn.text()


def test_an_unknown_foil_is_refused():
    with pytest.raises(InvalidInput, match="moratorium_in_disguise"):
        compute(["moratorium"])


def test_a_probe_that_no_foil_makes_fail_and_a_foil_that_bites_nothing_would_be_found():
    few = compute(["oldest_first"], [one for one in probes("erasure") if is_quick(one)])
    assert few.unbroken
    assert few.caught_by("oldest_first") == ()
    assert all(few.catches(one.name) == () for one in few.probes)
    assert set(few.cells) == {(name, one.name) for name in (UNBROKEN, "oldest_first") for one in few.probes}


def test_a_probe_that_needs_files_is_put_to_a_foil_that_memory_does_not_show():
    few = compute(["head_kept_inside", "oldest_first"], probes("audit_log"))
    assert few.caught_by("head_kept_inside") == ("end_cut", "log_rewritten")
