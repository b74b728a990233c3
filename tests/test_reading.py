"""The way through the code: every module that it names is there, once, and it is as long as it says."""

import re
from pathlib import Path

from helpers import SRC

PAGE = (Path(__file__).resolve().parents[1] / "docs" / "reading.md").read_text(encoding="utf-8")
NAMED = re.findall(r"^\| `([\w.]+)` \|", PAGE, flags=re.MULTILINE)
CORE = ("ledger", "rules", "recall", "tiers", "flow")


def lines(path):
    return len(path.read_text(encoding="utf-8").splitlines())


def test_every_module_of_the_way_is_there_once():
    assert len(NAMED) == len(set(NAMED))
    for name in NAMED:
        assert (SRC / "teachmem" / Path(*name.split("."))).with_suffix(".py").is_file(), name


def test_the_way_is_as_long_as_the_page_says():
    told = re.search(r"These (\d+) modules come to about ([\d,]+) lines", PAGE)
    assert int(told[1]) == len(NAMED)
    held = sum(lines((SRC / "teachmem" / Path(*name.split("."))).with_suffix(".py")) for name in NAMED)
    assert abs(held - int(told[2].replace(",", ""))) <= 300
    core = sum(lines(path) for part in CORE for path in (SRC / "teachmem" / part).glob("*.py"))
    core += sum(lines(path) for path in (SRC / "teachmem").glob("*.py"))
    assert 0.25 < held / core < 0.42, "a third of the core"
