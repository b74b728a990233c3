"""Foils without their names: drawn alike everywhere, seen in no notebook, and each caught by some probe."""

from pathlib import Path

import pytest

from teachmem.errors import InvalidInput
from teachmem.marks import foil, hidden, probe

NOTEBOOKS = Path(__file__).resolve().parents[1] / "notebooks"


def test_a_draw_is_the_same_every_time_and_has_no_foil_twice():
    for seed in range(50):
        cases = hidden.draw(seed)
        assert cases == hidden.draw(seed)
        assert len({case._foil().name for case in cases}) == hidden.CASES
    drawn = {case._foil().name for seed in range(50) for case in hidden.draw(seed)}
    assert drawn == set(hidden.POOL)


def test_a_case_does_not_tell_its_name():
    for case in hidden.draw(9):
        name = case._foil().name
        told = f"{case!r} {case} {case.seen} {case.ask('said_twice')}"
        assert name not in told
        assert name.replace("_", " ") not in told


def test_a_foil_of_a_case_is_on_while_it_is_asked_and_off_again_afterwards():
    for case in hidden.draw(9):
        with case.on():
            assert foil.switched_on() == (case._foil().name,)
        assert foil.switched_on() == ()


@pytest.mark.parametrize("name", hidden.POOL)
def test_no_notebook_names_it(name):
    assert not [path.name for path in NOTEBOOKS.glob("*.ipynb") if name in path.read_text(encoding="utf-8")]


@pytest.mark.parametrize("name", hidden.POOL)
def test_a_quick_probe_catches_it_and_holds_without_it(name):
    for one in probe.probes():
        if one.slow:
            continue
        with foil.foil(name):
            found = probe.ask(one, hidden.Quick)
        if found.answer == "fails":
            assert probe.ask(one, hidden.Quick).answer == "holds"
            return
    pytest.fail(f"no quick probe catches {name}")


def test_what_is_no_seed_and_no_probe_is_said():
    for wrong in ("9", None, True, 1.0):
        with pytest.raises(InvalidInput, match="whole number"):
            hidden.draw(wrong)
    with pytest.raises(InvalidInput, match="none of the list"):
        hidden.named("nothing")
