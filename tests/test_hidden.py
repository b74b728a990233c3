"""Foils without their names: drawn alike everywhere, seen in no notebook, and each caught by some probe."""

from pathlib import Path

import pytest

from teachmem.errors import InvalidInput
from teachmem.marks import foil, hidden, probe

CATCHES = {
    "anyone_decides": "agents_do_not_decide",
    "approve_without_gate": "through_approval",
    "closed_intervals": "half_open",
    "expiry_by_sweep_only": "run_out_without_a_sweep",
    "last_decision_counts": "decided_once",
    "later_knowledge": "not_known_yet",
    "lines_unescaped": "no_forged_line",
    "meaning_alone": "exact_number_first",
    "names_as_patterns": "names_are_no_patterns",
    "nearest_is_an_answer": "says_that_nothing_answers",
    "newest_wins": "asked_before_new",
    "question_as_syntax": "odd_questions",
    "said_twice_is_gone": "said_twice",
    "source_as_claimed": "source_above_rank",
    "summary_for_everyone": "no_wider_than_its_ground",
}
NOTEBOOKS = Path(__file__).resolve().parents[1] / "notebooks"


def test_a_draw_is_the_same_every_time_and_has_no_foil_twice():
    for seed in range(60):
        cases = hidden.draw(seed)
        assert cases == hidden.draw(seed)
        assert len({case._foil().name for case in cases}) == hidden.CASES
    drawn = {case._foil().name for seed in range(60) for case in hidden.draw(seed)}
    assert drawn == set(hidden.POOL)


def test_a_case_does_not_tell_its_name():
    for case in hidden.draw(3):
        name = case._foil().name
        told = f"{case!r} {case} {case.seen} {case.ask('said_twice')}"
        assert name not in told
        assert name.replace("_", " ") not in told


def test_a_foil_of_a_case_is_on_while_it_is_asked_and_off_again_afterwards():
    for case in hidden.draw(3):
        with case.on():
            assert foil.switched_on() == (case._foil().name,)
        assert foil.switched_on() == ()


@pytest.mark.parametrize("name", hidden.POOL)
def test_no_notebook_names_it(name):
    assert not [path.name for path in NOTEBOOKS.glob("*.ipynb") if name in path.read_text(encoding="utf-8")]


@pytest.mark.parametrize(("name", "asked"), CATCHES.items())
def test_a_quick_probe_catches_it_and_holds_without_it(name, asked):
    one = hidden.named(asked)
    assert not one.slow
    assert probe.ask(one, hidden.Quick).answer == "holds"
    with foil.foil(name):
        assert probe.ask(one, hidden.Quick).answer == "fails"


def test_every_foil_of_the_pool_can_be_caught():
    assert set(CATCHES) == set(hidden.POOL)


def test_what_is_no_seed_and_no_probe_is_said():
    for wrong in ("9", None, True, 1.0):
        with pytest.raises(InvalidInput, match="whole number"):
            hidden.draw(wrong)
    with pytest.raises(InvalidInput, match="none of the list"):
        hidden.named("nothing")
