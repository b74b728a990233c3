"""The look: contrast, one palette, shapes and hatches beside colours, the plot style, late imports."""

import os
import re
import subprocess
import sys

import pytest
from helpers import SRC
from hypothesis import given
from hypothesis import strategies as st

from teachmem import normal
from teachmem.show import plot, sheet, style, words
from teachmem.vocabulary import LIVE, Outcome, Tier, Verdict

PALETTE = {
    value.lower()
    for name, value in vars(style).items()
    if name.isupper() and isinstance(value, str) and value.startswith("#")
}


@pytest.mark.parametrize(("text", "fill"), style.TEXT_ON_FILL)
def test_every_text_reaches_the_least_contrast(text, fill):
    assert style.contrast(text, fill) >= style.LEAST_CONTRAST == 4.5


@pytest.mark.parametrize(
    ("one", "other", "ratio"),
    [("#000000", "#ffffff", 21), ("#777777", "#ffffff", 4.48), ("#123456", "#123456", 1)],
)
def test_contrast_is_that_of_the_guidelines(one, other, ratio):
    """Known values: black on white, and the grey that just fails on white."""
    assert style.contrast(one, other) == style.contrast(other, one) == pytest.approx(ratio, abs=0.005)


def test_the_stylesheet_uses_the_palette_and_no_other_colour():
    used = {colour.lower() for colour in re.findall(r"#[0-9a-fA-F]{3,8}\b", sheet.CSS)}
    assert used <= PALETTE
    assert {style.SKY.lower(), style.ORANGE.lower(), style.GREEN.lower(), style.VERMILION.lower()} <= used


def test_every_fill_that_carries_text_is_in_the_contrast_table():
    """A rule with both a fill and a text colour must be one of the pairs that are held to 4.5."""
    ink_on = {fill.lower() for text, fill in style.TEXT_ON_FILL if text == style.INK}
    rules = re.findall(r"\{([^{}]*)\}", sheet.CSS)
    filled = [
        re.search(r"background(?:-color)?:(#\w{6})", rule)[1].lower()
        for rule in rules
        if re.search(r"background(?:-color)?:#", rule) and f";color:{style.INK}" in f";{rule}"
    ]
    assert len(filled) >= 4
    assert set(filled) <= ink_on


def test_light_dark_and_jupyterlab_are_all_answered():
    assert "@media (prefers-color-scheme:dark)" in sheet.CSS
    for theme, paper in (("true", style.PAPER), ("false", style.PAPER_DARK)):
        (rule,) = re.findall(rf'\[data-jp-theme-light="{theme}"\] \.tm[^{{]*\{{([^}}]*)\}}', sheet.CSS)
        assert f"--tm-paper:{paper}" in rule


def test_colour_is_never_alone():
    assert set(style.TIERS) == set(Tier)
    assert len({look.shape for look in style.TIERS.values()}) == 4
    assert len({look.hatch for look in [*style.PARTS.values(), style.OTHER_PART]}) == 4
    assert len({look.edge for look in style.CHAIN.values()}) == 3
    assert set(style.STATUS_EDGES) == set(LIVE)
    assert len(set(style.STATUS_EDGES.values())) == 3
    assert set(style.VERDICTS) == set(Verdict)
    assert len(set(style.VERDICTS.values())) == 4
    assert set(style.OUTCOMES) == set(Outcome)


def test_parts_of_one_score_differ_by_more_than_their_colour():
    for together in (("recency", "importance", "relevance"), ("words", "meaning")):
        looks = [style.PARTS[name] for name in together]
        assert len({look.hatch for look in looks}) == len({look.colour for look in looks}) == len(looks)


def test_the_parts_differ_in_grey_by_more_than_their_fill():
    """In greyscale sky and orange are nearly the same: it is the hatch that tells them apart."""
    for name, look in style.PARTS.items():
        (rule,) = re.findall(rf"^\.tm-{name}\{{(.*)\}}$", sheet.CSS, re.MULTILINE)
        assert ("gradient" in rule) == bool(look.hatch)


def test_a_figure_has_the_one_size_and_is_closed_afterwards(capsys):
    from matplotlib import pyplot

    with plot.figure("a line from 1 to 2") as (drawn, axes):
        axes.plot([1, 2])
        axes.set_xlabel("hours")
        assert tuple(drawn.get_size_inches()) == (10, 5)
        assert drawn.get_dpi() == 150
        assert axes.xaxis.label.get_size() >= 16
        assert all(label.get_size() >= 16 for label in axes.get_xticklabels())
        assert pyplot.rcParams["svg.hashsalt"] == "teachmem"
    assert capsys.readouterr().out == "a line from 1 to 2\n"
    assert pyplot.get_fignums() == []
    assert pyplot.rcParams["svg.hashsalt"] != "teachmem"


def test_a_figure_whose_block_fails_is_closed_and_not_shown(capsys):
    from matplotlib import pyplot

    with pytest.raises(ZeroDivisionError), plot.figure("never"):
        _ = 1 / 0
    assert pyplot.get_fignums() == []
    assert capsys.readouterr().out == ""


def test_to_show_is_to_import_none_of_the_heavy_packages():
    code = """
import sys
import teachmem
from teachmem import show
from teachmem.show import live
with teachmem.open_memory() as mem:
    tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
    show.show(tech.episodic.log("observation", "gate four is open"))
    show.html(tech)
    tech.graph.link("arm", "contains", "jaw")
    show.show(tech.semantic.search("jaw"))
    live.budget_packer(tech)
heavy = {"networkx", "matplotlib", "pandas", "ipywidgets", "IPython", "chromadb", "fastmcp"}
assert not heavy & set(sys.modules), heavy & set(sys.modules)
"""
    environment = {**os.environ, "PYTHONPATH": str(SRC)}
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env=environment,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "live widget: run this cell in JupyterLab"


def test_ipywidgets_is_imported_in_one_place_only():
    holding = [
        path.relative_to(SRC).as_posix()
        for path in sorted(SRC.rglob("*.py"))
        if re.search(r"^\s*(import|from) ipywidgets", path.read_text(encoding="utf-8"), re.MULTILINE)
    ]
    assert holding == ["teachmem/show/live.py"]


# Words


@given(st.text(max_size=200))
def test_whatever_is_said_is_one_visible_line(text):
    for said in (words.said(text), words.said(text, None), words.one_line(text), words.short_id(text)):
        assert "\n" not in said
        assert said.isprintable() or not normal._UNSEEN.search(said)
        said.encode("utf-8")


@given(st.text(max_size=300), st.integers(2, 80))
def test_a_cut_quotation_is_a_beginning_and_says_that_it_is_cut(text, longest):
    said = words.said(text, longest)
    assert said.endswith(" ...") == (len(text) > longest)


@given(st.floats(-1, 1))
def test_a_number_is_said_as_it_is_held(value):
    assert float(words.number(value)) == words.rounded(value) == pytest.approx(value, abs=5e-4)
    assert not words.number(value).startswith("-0.000")
